//! String formats: the names a schema may use and what each accepts.
//!
//! All are hand-written matchers: they accept exactly what upstream's regular expressions and Go parsers accept,
//! oddities included, and never allocate on the way to a verdict.

mod code;
mod email;
mod net;
mod time;
mod uri;

/// A format of strings that is checked. Names of other formats are ignored, as upstream ignores them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    BsonObjectId,
    Uri,
    Email,
    Hostname,
    Ipv4,
    Ipv6,
    Cidr,
    Mac,
    Uuid,
    Uuid3,
    Uuid4,
    Uuid5,
    Isbn,
    Isbn10,
    Isbn13,
    CreditCard,
    Ssn,
    HexColor,
    RgbColor,
    Byte,
    Password,
    Date,
    Duration,
    DateTime,
    ShortName,
    LongName,
    Dns1035Label,
}

impl Format {
    /// The format with this name. Dashes do not count, case does.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Format> {
        let normal: String = name.chars().filter(|c| *c != '-').collect();
        Some(match normal.as_str() {
            "bsonobjectid" => Format::BsonObjectId,
            "uri" => Format::Uri,
            "email" => Format::Email,
            "hostname" => Format::Hostname,
            "ipv4" => Format::Ipv4,
            "ipv6" => Format::Ipv6,
            "cidr" => Format::Cidr,
            "mac" => Format::Mac,
            "uuid" => Format::Uuid,
            "uuid3" => Format::Uuid3,
            "uuid4" => Format::Uuid4,
            "uuid5" => Format::Uuid5,
            "isbn" => Format::Isbn,
            "isbn10" => Format::Isbn10,
            "isbn13" => Format::Isbn13,
            "creditcard" => Format::CreditCard,
            "ssn" => Format::Ssn,
            "hexcolor" => Format::HexColor,
            "rgbcolor" => Format::RgbColor,
            "byte" => Format::Byte,
            "password" => Format::Password,
            "date" => Format::Date,
            "duration" => Format::Duration,
            "datetime" => Format::DateTime,
            "k8sshortname" | "dns1123label" => Format::ShortName,
            "k8slongname" | "dns1123subdomain" => Format::LongName,
            "dns1035label" => Format::Dns1035Label,
            _ => return None,
        })
    }

    /// Whether a text has this format.
    #[must_use]
    pub fn accepts(self, text: &str) -> bool {
        match self {
            Format::BsonObjectId => code::is_bson_object_id(text),
            Format::Uri => uri::is_request_uri(text),
            Format::Email => email::is_address(text),
            Format::Hostname => net::is_hostname(text),
            Format::Ipv4 => net::is_ipv4(text),
            Format::Ipv6 => net::is_ipv6(text),
            Format::Cidr => net::is_cidr(text),
            Format::Mac => net::is_mac(text),
            Format::Uuid => code::is_uuid(text, None, false),
            Format::Uuid3 => code::is_uuid(text, Some(b'3'), false),
            Format::Uuid4 => code::is_uuid(text, Some(b'4'), true),
            Format::Uuid5 => code::is_uuid(text, Some(b'5'), true),
            Format::Isbn => code::is_isbn10(text) || code::is_isbn13(text),
            Format::Isbn10 => code::is_isbn10(text),
            Format::Isbn13 => code::is_isbn13(text),
            Format::CreditCard => code::is_credit_card(text),
            Format::Ssn => code::is_ssn(text),
            Format::HexColor => code::is_hex_color(text),
            Format::RgbColor => code::is_rgb_color(text),
            Format::Byte => code::is_base64(text),
            Format::Password => true,
            Format::Date => time::is_date(text),
            Format::Duration => time::is_duration(text),
            Format::DateTime => time::is_date_time(text),
            Format::ShortName => {
                text.len() <= ordain_meta::name::DNS_LABEL_BYTES_MAX
                    && ordain_meta::name::matches_dns_1123_label(text)
            }
            Format::LongName => {
                text.len() <= ordain_meta::name::DNS_SUBDOMAIN_BYTES_MAX
                    && ordain_meta::name::matches_dns_1123_subdomain(text)
            }
            Format::Dns1035Label => ordain_meta::name::dns_1035_label(text).is_empty(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Format;

    fn check(name: &str, good: &[&str], bad: &[&str]) {
        let format = Format::from_name(name).expect("a known format");
        for text in good {
            assert!(format.accepts(text), "{name} should accept {text:?}");
        }
        for text in bad {
            assert!(!format.accepts(text), "{name} should refuse {text:?}");
        }
    }

    #[test]
    fn names_ignore_dashes_but_not_case() {
        assert_eq!(Format::from_name("date-time"), Some(Format::DateTime));
        assert_eq!(Format::from_name("i-p-v-4"), Some(Format::Ipv4));
        assert_eq!(Format::from_name("Date"), None);
        assert_eq!(Format::from_name("int32"), None);
    }

    #[test]
    fn network_formats() {
        check(
            "ipv4",
            &["1.2.3.4", "01.2.3.4", "::ffff:1.2.3.4"],
            &["", "256.1.1.1", "1.2.3", "::1"],
        );
        check(
            "ipv6",
            &["::1", "2001:db8::1", "::ffff:1.2.3.4"],
            &["1.2.3.4", "fe80::1%eth0", "[::1]", "1:2:3:4:5:6:7:8:9"],
        );
        check(
            "cidr",
            &["10.0.0.0/8", "010.0.0.0/8", "::/0", "10.0.0.1/032"],
            &["10.0.0.0", "10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/+8"],
        );
        check(
            "mac",
            &[
                "01:02:03:04:05:06",
                "01-02-03-04-05-06",
                "0102.0304.0506",
                "01:02:03:04:05:06:07:08",
            ],
            &["", "01:02:03:04:05", "zz:02:03:04:05:06", "01:02-03:04:05:06"],
        );
        check(
            "hostname",
            &["example.com", "localhost", "EXAMPLE.com", "exämple.com", "x--y.test", "a", "1"],
            &["", "a_b.com", "-a.com", "a..b", "1.2.3.4", "a.b.", "com.1"],
        );
    }

    #[test]
    fn uris_are_request_uris() {
        check(
            "uri",
            &[
                "http://example.com/a?b#c",
                "/abs/path",
                "mailto:x@y",
                "urn:a:b",
                "*",
                "//host/x",
                "http://[::1]:80/",
                "http://[fe80::1%25en0]/",
                "http://a:b@c/",
                "http://a:/",
            ],
            &[
                "",
                "example.com",
                "http://[::1",
                "http://exa mple.com",
                "http://a:b/",
                "http://[1.2.3.4]/",
                "/%zz",
                ":a",
                "http://a:1:2/",
                "\u{7f}",
            ],
        );
    }

    #[test]
    fn emails_are_mailboxes() {
        check(
            "email",
            &[
                "a@b.com",
                "Name <a@b.com>",
                "a@b",
                "\"q q\"@c.d",
                "<a@b>",
                "a@b (comment)",
                "x: a@b;",
                "a@[1.2.3.4]",
                "ä@b",
            ],
            &[
                "",
                "a",
                "a@",
                "a b@c.d",
                "@b",
                "a@b.com.",
                ".a@b",
                "a..b@c",
                "a@b, c@d",
                "x: ;",
                "a@[x]",
                "a@b (comment",
            ],
        );
    }

    #[test]
    fn codes_have_their_checksums() {
        check(
            "isbn",
            &["0321751043", "978-0321751041", "080442957X", "978 0 321 75104 1"],
            &["", "0321751044", "9780321751042", "080442957x"],
        );
        check(
            "creditcard",
            &["4111111111111111", "4111-1111-1111-1111", "x4111111111111111", "378282246310005"],
            &["", "4111111111111112", "1234"],
        );
        check(
            "ssn",
            &["111-11-1111", "111 11 1111", "000-00-0000"],
            &["", "111111111", "11-111-1111"],
        );
        check(
            "uuid4",
            &["16fd2706-8baf-433b-82eb-8c7fada847da", "16FD27068baf433b82eb8c7fada847da"],
            &["16fd2706-8baf-433b-c2eb-8c7fada847da", ""],
        );
        check(
            "uuid3",
            &["16fd2706-8baf-333b-c2eb-8c7fada847da"],
            &["16fd2706-8baf-433b-c2eb-8c7fada847da"],
        );
        check(
            "byte",
            &["aGVsbG8=", "YQ==", "YR==", "aaaa"],
            &["", "aGVsbG8", "a-_b", "====", "YQ=", "aGVs\nbG8="],
        );
        check("hexcolor", &["#FFF", "fff", "#ffffff"], &["", "#ffff", "#ggg"]);
        check(
            "rgbcolor",
            &["rgb(0,0,0)", "rgb( 255 , 1,25 )"],
            &["", "rgb(256,0,0)", "rgb(1,2)", "RGB(1,2,3)", "rgb(01,2,3)"],
        );
        check(
            "bsonobjectid",
            &["507f1f77bcf86cd799439011"],
            &["", "507f1f77bcf86cd79943901", "zz7f1f77bcf86cd799439011"],
        );
    }

    #[test]
    fn times_and_durations() {
        check(
            "date",
            &["2020-02-29", "0000-01-01"],
            &["", "2019-02-29", "2020-13-01", "20200101", "2020-1-1"],
        );
        check(
            "date-time",
            &["2014-12-15T19:30:20.000Z", "2014-12-15t19:30:20z", "2014-12-15T19:30:20+01:00"],
            &[
                "",
                "2014-12-15T19:30:20",
                "2014-12-15T24:00:00Z",
                "2014-12-15T19:30:60Z",
                "2014-12-15T19:30:20-0700",
            ],
        );
        check(
            "duration",
            &["1h", "1.5h", "-3s", "22 ns", "3 days", "1w", "0", "+5ms", "1 hr 2 min"],
            &["", "x", "5", "1 lightyear"],
        );
    }
}
