//! Names of packages on a command line, read as the go command reads them.
//!
//! One thing follows controller-gen instead: a pattern of directories goes into nested modules.

use super::module::{Resolver, join};
use crate::source::FileSource;

/// What stands for any text, slashes included.
const ANY: &str = "...";

pub(crate) fn is_pattern(name: &str) -> bool {
    name.contains(ANY)
}

/// The directories that a pattern matches, in order; none when the name is no pattern.
pub(crate) fn directories(source: &dyn FileSource, name: &str) -> Option<Vec<String>> {
    let (fixed, _) = name.split_once(ANY)?;
    let start = fixed.rsplit_once('/').map_or("", |(dir, _)| dir);
    let start = if start.is_empty() && fixed.starts_with('/') { "/" } else { start };
    let place = directory(source, start);
    // The rest of the pattern, seen from the directory where the search starts.
    let rest = name.get(start.len()..).unwrap_or_default().trim_start_matches('/');
    let mut waiting = vec![(place.clone(), String::new())];
    let mut found = Vec::new();
    while let Some((dir, below)) = waiting.pop() {
        if matches(rest, &below) {
            found.push(dir.clone());
        }
        let entries = source.list(&dir).unwrap_or_default();
        for entry in entries.into_iter().filter(|it| it.is_dir && !is_passed_over(&it.name)) {
            let inner = if below.is_empty() {
                entry.name.clone()
            } else {
                format!("{below}/{}", entry.name)
            };
            waiting.push((join(&dir, &entry.name), inner));
        }
    }
    found.sort();
    Some(found)
}

/// The directory that a name without a pattern means: one on the disk, else that of an import path
/// in a module at hand.
pub(crate) fn directory(source: &dyn FileSource, name: &str) -> String {
    let dir = join(name, "");
    let is_local = name.is_empty() || name.starts_with(['.', '/']);
    if is_local || source.list(&dir).is_some() {
        return dir;
    }
    let candidates = Resolver::discover(source, &["."], None, None).candidates(name);
    candidates.into_iter().find(|it| source.list(it).is_some()).unwrap_or(dir)
}

/// Directories that hold no packages of their own for a pattern.
fn is_passed_over(name: &str) -> bool {
    matches!(name, "vendor" | "testdata" | "node_modules") || name.starts_with(['_', '.'])
}

/// Whether a path is matched: `x/...` matches `x` too.
fn matches(pattern: &str, path: &str) -> bool {
    if let Some(whole) = pattern.strip_suffix("/...")
        && matches(whole, path)
    {
        return true;
    }
    let Some((start, rest)) = pattern.split_once(ANY) else { return pattern == path };
    let Some(path) = path.strip_prefix(start) else { return false };
    // Each place where the rest may begin; patterns have one or two `...`, paths are short.
    let mut places = path.char_indices().map(|(at, _)| at).chain([path.len()]);
    places.any(|at| path.get(at..).is_some_and(|it| matches(rest, it)))
}

#[cfg(test)]
mod tests {
    use super::{directories, directory, matches};
    use crate::Loader;
    use crate::source::MemorySource;

    fn tree() -> MemorySource {
        let files = [
            "go.mod",
            "apis/v1/types.go",
            "apis/apps/v1/types.go",
            "apis/apps/v1beta1/types.go",
            "apis/apps/testdata/v1/types.go",
            "apis/vendor/v1/types.go",
            "apis/_old/v1/types.go",
            "apisextra/v1/types.go",
            "vendor/example.com/other/v1/types.go",
        ];
        files.iter().fold(MemorySource::new(), |tree, file| {
            tree.with(
                *file,
                if *file == "go.mod" { "module example.com/app\n" } else { "package v1\n" },
            )
        })
    }

    fn found(pattern: &str) -> Vec<String> {
        directories(&tree(), pattern).expect("a pattern")
    }

    #[test]
    fn dots_match_any_text() {
        for (pattern, path, matched) in [
            ("...", "", true),
            ("...", "a/b", true),
            ("a/...", "a", true),
            ("a/...", "ab", false),
            ("a...", "ab/c", true),
            (".../v1", "apps/v1", true),
            (".../v1", "v1", false),
            ("a/.../v1", "a/b/c/v1", true),
            ("a/.../v1", "a/v1", false),
        ] {
            assert_eq!(matches(pattern, path), matched, "{pattern} {path}");
        }
    }

    #[test]
    fn patterns_name_directories() {
        let all = ["apis", "apis/apps", "apis/apps/v1", "apis/apps/v1beta1", "apis/v1"];
        assert_eq!(found("./apis/..."), all);
        assert_eq!(found("apis/..."), all);
        assert_eq!(found("./apis/.../v1"), ["apis/apps/v1"]);
        assert_eq!(found("./apis/apps/v1..."), ["apis/apps/v1", "apis/apps/v1beta1"]);
        assert_eq!(found("./apise..."), ["apisextra", "apisextra/v1"]);
        assert_eq!(found("./nowhere/..."), ["nowhere"]);
    }

    #[test]
    fn import_paths_of_modules_at_hand_are_directories() {
        assert_eq!(
            found("example.com/app/apis/apps/..."),
            ["apis/apps", "apis/apps/v1", "apis/apps/v1beta1"]
        );
        assert_eq!(directory(&tree(), "example.com/app/apis/v1"), "apis/v1");
        assert_eq!(directory(&tree(), "example.com/other/v1"), "vendor/example.com/other/v1");
        assert_eq!(directory(&tree(), "./apis/v1/"), "apis/v1");
        assert!(directories(&tree(), "./apis/v1").is_none());
    }

    #[test]
    fn patterns_pass_over_what_says_nothing() {
        let kind = "type Box struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n}\n";
        let import = "import metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n";
        let source = MemorySource::new()
            .with("go.mod", "module example.com/app\n")
            .with("api/v1/types.go", format!("package v1\n\n{import}{kind}"))
            .with("shared/types.go", "// +groupName=example.com\npackage shared\n")
            .with("main.go", "package main\n")
            .with("tools/tools.go", "//go:build tools\n\npackage tools\n")
            .with(
                "internal/types.go",
                "package internal\n\ntype Box struct {\n\tmetav1.TypeMeta\n}\n",
            );
        let read = |apis: bool| {
            let universe = Loader::new(&source).apis_only(apis).named("./...").load();
            universe.requested().map(|it| it.path.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(read(true), ["example.com/app/api/v1", "example.com/app/shared"]);
        let all = ["example.com/app", "example.com/app/api/v1", "example.com/app/internal"];
        assert_eq!(read(false), [&all[..], &["example.com/app/shared"]].concat());
        let universe = Loader::new(&source).named("./nowhere/...").load();
        let reported: Vec<&str> = universe.diagnostics().iter().map(|it| &*it.message).collect();
        assert_eq!(reported, ["`./nowhere/...` matches no Go package"]);
    }
}
