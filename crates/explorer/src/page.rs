//! The files of the page, as they are and compressed.

/// One file.
#[derive(Debug, Clone, Copy)]
pub struct File {
    /// Its name under `/ui/`; the page itself is `index.html`.
    pub name: &'static str,
    /// The `Content-Type` of the file.
    pub media_type: &'static str,
    /// Its bytes.
    pub plain: &'static [u8],
    /// Its bytes, compressed at build time.
    pub gzip: &'static [u8],
}

/// What the browser may do with the page: run its own script, use its own style, talk to its own
/// server, and nothing else. No inline script or style, no frame around it, no form sent away, and
/// no text that becomes markup.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; \
    style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
    trusted-types 'none'";

macro_rules! file {
    ($name:literal, $media_type:literal) => {
        File {
            name: $name,
            media_type: $media_type,
            plain: include_bytes!(concat!("../assets/", $name)),
            gzip: include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".gz")),
        }
    };
}

/// All files.
pub static FILES: [File; 4] = [
    file!("index.html", "text/html; charset=utf-8"),
    file!("app.js", "text/javascript; charset=utf-8"),
    file!("app.css", "text/css; charset=utf-8"),
    file!("licenses.txt", "text/plain; charset=utf-8"),
];

/// The file of a path under `/ui`, which is empty for the page itself.
#[must_use]
pub fn find(path: &str) -> Option<&'static File> {
    let name = if path.is_empty() { "index.html" } else { path };
    FILES.iter().find(|file| file.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the page may weigh on its way to a browser.
    const BYTES_MAX: usize = 400 * 1024;

    #[test]
    fn the_page_is_light() {
        let weight: usize = FILES.iter().map(|file| file.gzip.len()).sum();
        assert!(weight < BYTES_MAX, "the page weighs {weight} bytes compressed");
    }

    #[test]
    fn the_page_has_nothing_inline_and_asks_nobody_else() {
        let html = std::str::from_utf8(find("").expect("a page").plain).expect("text");
        assert!(!html.contains("style="), "an inline style");
        assert!(!html.contains("http:") && !html.contains("https:"), "a foreign address");
        for script in html.match_indices("<script").map(|(at, _)| &html[at..]) {
            assert!(script.starts_with("<script src=\"/ui/"), "an inline script");
        }
    }

    #[test]
    fn only_its_files_are_found() {
        assert_eq!(find("app.js").map(|it| it.name), Some("app.js"));
        assert!(find("../Cargo.toml").is_none());
        assert!(find("api/cel").is_none());
    }
}
