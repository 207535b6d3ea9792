//! Names of container images: `domain/path:tag@digest`.

/// Whether an image name asks for the tag `latest`, in words or by naming none.
pub(super) fn is_latest(image: &str) -> bool {
    // A tag stands at the end, so that nearly every name shows at once that it has another.
    let last = image.as_bytes().rsplit(|it| *it == b'/').next().unwrap_or_default();
    let has_other = last.contains(&b':') && !last.ends_with(b":latest") && !image.contains('@');
    !has_other && tag(image) == "latest"
}

/// The tag that an image name asks for: `latest` when it has neither tag nor digest, nothing
/// when it has a digest only or cannot be read.
fn tag(image: &str) -> &str {
    const LATEST: &str = "latest";
    let is_identifier = image.len() == 64 && image.bytes().all(is_lower_hex);
    if is_identifier {
        return "";
    }
    let (domain, rest) = split_domain(image);
    let remote = rest.split(':').next().unwrap_or(rest);
    if remote.bytes().any(|it| it.is_ascii_uppercase()) {
        return "";
    }
    let (named, digest) = match rest.split_once('@') {
        Some((named, digest)) => (named, Some(digest)),
        None => (rest, None),
    };
    let (path, tag) = match named.split_once(':') {
        Some((path, tag)) => (path, Some(tag)),
        None => (named, None),
    };
    let short = domain.is_none() && !path.contains('/');
    let name_len = domain.unwrap_or("docker.io").len() + 1 + path.len() + if short { 8 } else { 0 };
    let sound = domain.is_none_or(is_domain)
        && path.split('/').all(is_component)
        && tag.is_none_or(is_tag)
        && digest.is_none_or(is_digest)
        && name_len <= 255;
    match (sound, tag, digest) {
        (true, Some(tag), _) => tag,
        (true, None, None) => LATEST,
        _ => "",
    }
}

/// The first part is a domain when it looks like one; else all is a path on the default domain.
fn split_domain(image: &str) -> (Option<&str>, &str) {
    match image.split_once('/') {
        Some((first, rest))
            if first.contains(['.', ':'])
                || first == "localhost"
                || first.bytes().any(|it| it.is_ascii_uppercase()) =>
        {
            (Some(first), rest)
        }
        _ => (None, image),
    }
}

fn is_domain(domain: &str) -> bool {
    let (host, port) = match domain.rfind(':') {
        Some(at) if !domain.ends_with(']') => (&domain[..at], Some(&domain[at + 1..])),
        _ => (domain, None),
    };
    let is_part = |part: &str| {
        !part.is_empty()
            && !part.starts_with('-')
            && !part.ends_with('-')
            && part.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'-')
    };
    let is_port = |port: &str| !port.is_empty() && port.bytes().all(|it| it.is_ascii_digit());
    let bracketed = host.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
    let is_host = match bracketed {
        Some(inner) => {
            !inner.is_empty() && inner.bytes().all(|it| it.is_ascii_hexdigit() || it == b':')
        }
        None => host.split('.').all(is_part),
    };
    is_host && port.is_none_or(is_port)
}

/// Lower-case letters and digits, with single separators between them: a dot, one or two
/// underscores, or any number of dashes.
fn is_component(part: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = part.as_bytes();
    let mut at = 0;
    loop {
        let start = at;
        while at < bytes.len() && is_word(bytes[at]) {
            at += 1;
        }
        if at == start {
            return false;
        }
        if at == bytes.len() {
            return true;
        }
        let separator = at;
        while at < bytes.len() && !is_word(bytes[at]) {
            at += 1;
        }
        let separator = &bytes[separator..at];
        let dashes = separator.iter().all(|it| *it == b'-');
        if !dashes && !matches!(separator, b"." | b"_" | b"__") {
            return false;
        }
    }
}

fn is_tag(tag: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    tag.len() <= 128
        && tag.bytes().next().is_some_and(is_word)
        && tag.bytes().all(|it| is_word(it) || matches!(it, b'.' | b'-'))
}

fn is_digest(digest: &str) -> bool {
    let Some((algorithm, hex)) = digest.split_once(':') else { return false };
    let digits = match algorithm {
        "sha256" => 64,
        "sha384" => 96,
        "sha512" => 128,
        _ => return false,
    };
    hex.len() == digits && hex.bytes().all(is_lower_hex)
}

fn is_lower_hex(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

#[cfg(test)]
mod tests {
    use super::{is_latest, tag};

    #[test]
    fn the_latest_tag_shows_as_it_is_read() {
        // Every name of up to six of these pieces.
        let pieces = ["a", "/", ":", "@", "latest", "."];
        let mut names = vec![String::new()];
        let mut from = 0;
        for _ in 0..6 {
            let until = names.len();
            for at in from..until {
                for piece in pieces {
                    names.push(format!("{}{piece}", names[at]));
                }
            }
            from = until;
        }
        let digest = format!("sha256:{}", "a".repeat(64));
        let digested: Vec<String> =
            names.iter().take(1600).map(|it| format!("{it}@{digest}")).collect();
        names.extend(digested);
        for name in &names {
            assert_eq!(is_latest(name), tag(name) == "latest", "{name}");
        }
        assert!(names.iter().any(|it| is_latest(it)), "some ask for it");
    }

    #[test]
    fn tags_of_image_names() {
        let digest = format!("sha256:{}", "a".repeat(64));
        let cases = [
            ("nginx", "latest"),
            ("nginx:1.2", "1.2"),
            ("localhost:5000/a/b", "latest"),
            ("Registry.example.com/a:x", "x"),
            ("a/B", ""),
            ("", ""),
            ("nginx:", ""),
            ("a..b", ""),
            ("a--b__c.d", "latest"),
            (&format!("nginx@{digest}"), ""),
            (&format!("nginx:1@{digest}"), "1"),
            ("nginx@sha256:12", ""),
        ];
        for (image, expected) in cases {
            assert_eq!(tag(image), expected, "{image}");
        }
    }
}
