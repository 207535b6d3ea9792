//! Comments that say what a text is: `# ordain: off`, `# yaml-language-server: $schema=crd.yaml`.

use std::path::{Path, PathBuf};

use ordain_check::{Foreign, Role};

/// Comments are looked for in this many lines.
const LINES_MAX: usize = 50;

/// The values of comments with a name, in the lines before the first object.
fn comments<'t>(text: &'t str, name: &'static str) -> impl Iterator<Item = &'t str> {
    let head = text.lines().take(LINES_MAX).map(str::trim);
    let head = head.take_while(|it| it.is_empty() || it.starts_with('#') || *it == "---");
    head.filter_map(move |it| it.trim_start_matches(['#', ' ']).strip_prefix(name)).map(str::trim)
}

/// What a text is taken for: its own word counts more than its place.
pub(crate) fn role(text: &str, by_place: &Role) -> Role {
    let words = comments(text, "ordain:").flat_map(str::split_whitespace);
    let named = words.filter_map(|it| match it {
        "off" | "ignore" => Some(Role::Foreign(Foreign::Untyped)),
        "manifest" => Some(Role::Given),
        "patch" => Some(Role::Patch(ordain_check::role::Target::default())),
        _ => None,
    });
    named.last().unwrap_or_else(|| by_place.clone())
}

/// The file with the schema that a text names, if it is one on this machine.
pub(crate) fn schema(text: &str, file: &Path) -> Option<PathBuf> {
    let words = comments(text, "yaml-language-server:").flat_map(str::split_whitespace);
    let named = words.filter_map(|it| it.strip_prefix("$schema=")).last()?;
    let named = named.strip_prefix("file://").unwrap_or(named);
    let is_remote = named.contains("://");
    (!is_remote).then(|| file.parent().unwrap_or(Path::new("/")).join(named))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_at_the_top_tell() {
        let off = "# a text\n# ordain: off\na: 1\n";
        assert_eq!(role(off, &Role::Found), Role::Foreign(Foreign::Untyped));
        assert_eq!(role("a: 1\n# ordain: off\n", &Role::Found), Role::Found);
        let text = "# yaml-language-server: $schema=../crd.yaml\n---\na: 1\n";
        assert_eq!(schema(text, Path::new("/w/a/b.yaml")), Some(PathBuf::from("/w/a/../crd.yaml")));
        let remote = "# yaml-language-server: $schema=https://example.com/a.json\n";
        assert_eq!(schema(remote, Path::new("/w/b.yaml")), None);
    }
}
