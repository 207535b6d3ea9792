//! Tags and directives.

use super::input::At;
use super::scan::{Kind, Scanned, Scanner};

/// A version has at most this many digits before and after its dot.
const VERSION_DIGITS_MAX: usize = 2;

impl<'a> Scanner<'a> {
    /// `!<uri>`, `!handle!suffix`, `!suffix` or `!`.
    pub(super) fn scan_tag(&mut self) -> Scanned<()> {
        let start = self.input.at;
        let (handle, suffix) = if self.input.byte(1) == b'<' {
            self.input.skip();
            self.input.skip();
            let uri = self.scan_uri("", start)?;
            if self.input.byte(0) != b'>' {
                return Err(self.fault(start, "did not find the expected '>'"));
            }
            self.input.skip();
            ("", uri)
        } else {
            let handle = self.scan_handle(false, start)?;
            if handle.len() > 1 && handle.ends_with('!') {
                (handle, self.scan_uri("", start)?)
            } else {
                match self.scan_uri(handle, start)? {
                    suffix if suffix.is_empty() => ("", "!".to_owned()),
                    suffix => ("!", suffix),
                }
            }
        };
        if !self.input.is_space(0) {
            return Err(self.fault(start, "did not find expected whitespace or line break"));
        }
        self.tag(handle, suffix, start);
        Ok(())
    }

    fn scan_handle(&mut self, directive: bool, start: At) -> Scanned<&'a str> {
        let from = self.input.at;
        if self.input.byte(0) != b'!' {
            return Err(self.fault(start, "did not find expected '!'"));
        }
        self.input.skip();
        while self.input.is_word() {
            self.input.skip();
        }
        if self.input.byte(0) == b'!' {
            self.input.skip();
        } else if directive && self.input.since(from) != "!" {
            return Err(self.fault(start, "did not find expected '!'"));
        }
        Ok(self.input.since(from))
    }

    /// The rest of a tag that starts with `head`, its escapes resolved.
    fn scan_uri(&mut self, head: &str, start: At) -> Scanned<String> {
        let mut uri = head.get(1..).unwrap_or_default().to_owned();
        let mut found = !head.is_empty();
        while self.input.is_word()
            || matches!(
                self.input.byte(0),
                b';' | b'/' | b'?' | b':' | b'@' | b'&' | b'=' | b'+' | b'$' | b',' | b'.' | b'!'
            )
            || matches!(self.input.byte(0), b'~' | b'*' | b'\'' | b'(' | b')' | b'[' | b']' | b'%')
        {
            found = true;
            if self.input.byte(0) == b'%' {
                self.scan_escapes(&mut uri, start)?;
            } else {
                uri.push(char::from(self.input.byte(0)));
                self.input.skip();
            }
        }
        if found { Ok(uri) } else { Err(self.fault(start, "did not find expected tag URI")) }
    }

    /// The octets of one character, each as `%xx`.
    fn scan_escapes(&mut self, uri: &mut String, start: At) -> Scanned<()> {
        let mut octets = Vec::new();
        let mut width = 1;
        while octets.len() < width {
            let digit = |ahead| char::from(self.input.byte(ahead)).to_digit(16);
            let (b'%', Some(high), Some(low)) = (self.input.byte(0), digit(1), digit(2)) else {
                return Err(self.fault(start, "did not find URI escaped octet"));
            };
            let octet = u8::try_from(high * 16 + low).unwrap_or_default();
            if octets.is_empty() {
                width = match octet {
                    ..0x80 => 1,
                    0xc0..0xe0 => 2,
                    0xe0..0xf0 => 3,
                    0xf0..0xf8 => 4,
                    _ => {
                        let problem = "found an incorrect leading UTF-8 octet";
                        return Err(self.fault(start, problem));
                    }
                };
            } else if octet & 0xc0 != 0x80 {
                return Err(self.fault(start, "found an incorrect trailing UTF-8 octet"));
            }
            octets.push(octet);
            for _ in 0..3 {
                self.input.skip();
            }
        }
        uri.push_str(&String::from_utf8_lossy(&octets));
        Ok(())
    }

    pub(super) fn scan_directive(&mut self) -> Scanned<Kind<'a>> {
        let start = self.input.at;
        self.input.skip();
        let named = self.input.at;
        while self.input.is_word() {
            self.input.skip();
        }
        let name = self.input.since(named);
        if name.is_empty() {
            return Err(self.fault(start, "could not find expected directive name"));
        }
        if !self.input.is_space(0) {
            return Err(self.fault(start, "found unexpected non-alphabetical character"));
        }
        match name {
            "YAML" => {
                self.input.skip_blanks();
                let major = self.scan_version_number(start)?;
                if self.input.byte(0) != b'.' {
                    let problem = "did not find expected digit or '.' character";
                    return Err(self.fault(start, problem));
                }
                self.input.skip();
                Ok(Kind::Version(major, self.scan_version_number(start)?))
            }
            "TAG" => {
                self.input.skip_blanks();
                let handle = self.scan_handle(true, start)?;
                if !self.input.is_blank(0) {
                    return Err(self.fault(start, "did not find expected whitespace"));
                }
                self.input.skip_blanks();
                let prefix = self.scan_uri("", start)?;
                if !self.input.is_space(0) {
                    let problem = "did not find expected whitespace or line break";
                    return Err(self.fault(start, problem));
                }
                Ok(Kind::TagDirective { handle, prefix })
            }
            _ => Err(self.fault(start, "found unknown directive name")),
        }
    }

    fn scan_version_number(&mut self, start: At) -> Scanned<u8> {
        let (mut value, mut len) = (0, 0);
        while let digit @ b'0'..=b'9' = self.input.byte(0) {
            len += 1;
            if len > VERSION_DIGITS_MAX {
                return Err(self.fault(start, "found extremely long version number"));
            }
            value = value * 10 + (digit - b'0');
            self.input.skip();
        }
        if len == 0 {
            return Err(self.fault(start, "did not find expected version number"));
        }
        Ok(value)
    }
}
