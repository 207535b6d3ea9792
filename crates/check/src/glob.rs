//! Patterns of paths that no shell expanded: `manifests/**/*.yaml`.

use std::path::{Path, PathBuf};

use globset::GlobBuilder;

use crate::source::{Unreadable, below};

/// The files that a pattern names, in order; nothing when the text is no pattern. A pattern that
/// names no file is reported as a failure: a typing mistake must not pass for a clean result.
pub(crate) fn matches(
    pattern: &str,
    wanted: &dyn Fn(&Path) -> bool,
) -> Option<(Vec<PathBuf>, Vec<Unreadable>)> {
    let is_special = |part: &str| part.contains(['*', '?', '[', '{']);
    if !is_special(pattern) {
        return None;
    }
    let shape = pattern.strip_prefix("./").unwrap_or(pattern);
    let glob = GlobBuilder::new(shape).literal_separator(true).build();
    let glob = match glob {
        Ok(glob) => glob.compile_matcher(),
        Err(error) => return Some((Vec::new(), vec![Unreadable::new(pattern, error.to_string())])),
    };
    let fixed: PathBuf = Path::new(pattern)
        .components()
        .take_while(|it| it.as_os_str().to_str().is_some_and(|it| !is_special(it)))
        .collect();
    let start = if fixed.as_os_str().is_empty() { Path::new(".") } else { &fixed };
    if !start.is_dir() {
        return Some((Vec::new(), vec![Unreadable::new(pattern, "no file matches")]));
    }
    let named = |path: &Path| {
        let path = path.strip_prefix("./").unwrap_or(path);
        wanted(path) && glob.is_match(path)
    };
    let (files, mut failed) = below(start, usize::MAX, &named);
    if files.is_empty() && failed.is_empty() {
        failed.push(Unreadable::new(pattern, "no file matches"));
    }
    Some((files, failed))
}
