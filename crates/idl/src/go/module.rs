//! From import paths to directories: `go.mod`, `go.work`, `vendor/` and the module cache.

use std::collections::BTreeMap;

use crate::source::FileSource;

/// What a `go.mod` says about where imports come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoMod {
    /// The module's own path.
    pub module: String,
    /// Required modules and their versions.
    pub requires: BTreeMap<String, String>,
    /// Replacements: path, and version if the replacement is for one version only.
    pub replaces: BTreeMap<(String, Option<String>), Replacement>,
}

/// The right-hand side of a `replace`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// A directory (`./x`, `../x`, `/x`) or a module path.
    pub target: String,
    /// The version, when the target is a module path.
    pub version: Option<String>,
}

impl GoMod {
    /// Reads the directives that matter here and passes over the others.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut out = Self::default();
        for (verb, words) in directives(text) {
            match (verb.as_str(), words.as_slice()) {
                ("module", [path]) => out.module.clone_from(path),
                ("require", [path, version, ..]) => {
                    out.requires.insert(path.clone(), version.clone());
                }
                ("replace", words) => out.replace(words),
                _ => {}
            }
        }
        out
    }

    fn replace(&mut self, words: &[String]) {
        let Some(arrow) = words.iter().position(|word| word == "=>") else { return };
        let (Some(path), Some(target)) = (words.first(), words.get(arrow + 1)) else { return };
        let version = if arrow > 1 { words.get(1).cloned() } else { None };
        let replacement =
            Replacement { target: target.clone(), version: words.get(arrow + 2).cloned() };
        self.replaces.insert((path.clone(), version), replacement);
    }
}

/// The directives of a `go.mod` or `go.work`: verb and words, blocks unfolded.
fn directives(text: &str) -> Vec<(String, Vec<String>)> {
    let mut out = Vec::new();
    let mut block: Option<String> = None;
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or("").trim();
        // A comment marker inside a quoted path would be cut here; no module path has one.
        let mut words: Vec<String> =
            line.split_whitespace().map(|word| word.trim_matches('"').to_string()).collect();
        if words.is_empty() {
            continue;
        }
        if let Some(verb) = &block {
            if words == [")"] {
                block = None;
            } else {
                out.push((verb.clone(), words));
            }
        } else if words.len() == 2 && words.get(1).is_some_and(|word| word == "(") {
            block = words.into_iter().next();
        } else {
            let verb = words.remove(0);
            out.push((verb, words));
        }
    }
    out
}

/// A module whose directory is known.
#[derive(Clone, Debug)]
struct Root {
    module: String,
    dir: String,
}

/// Finds the directory of an import path. Made once per build.
#[derive(Debug, Default)]
pub struct Resolver {
    roots: Vec<Root>,
    /// Replacements and requirements of the main modules, in order of discovery.
    mods: Vec<(String, GoMod)>,
    vendors: Vec<String>,
    module_cache: Option<String>,
    go_root: Option<String>,
    /// What relative directories start from.
    here: Option<String>,
}

impl Resolver {
    /// A resolver that looks around the given package directories: the nearest `go.mod` above
    /// each, a `go.work` above that, and the `vendor` directories beside them.
    pub fn discover(
        source: &dyn FileSource,
        package_dirs: &[&str],
        module_cache: Option<&str>,
        go_root: Option<&str>,
    ) -> Self {
        let mut resolver = Self {
            module_cache: module_cache.map(trim_dir),
            go_root: go_root.map(trim_dir),
            here: source.current_dir(),
            ..Self::default()
        };
        for dir in package_dirs {
            resolver.add_enclosing(source, dir);
        }
        // The longest module path that fits wins.
        resolver
            .roots
            .sort_by(|a, b| b.module.len().cmp(&a.module.len()).then(a.module.cmp(&b.module)));
        resolver.roots.dedup_by(|a, b| a.module == b.module);
        resolver
    }

    fn add_enclosing(&mut self, source: &dyn FileSource, dir: &str) {
        let mut found_mod = false;
        for ancestor in self.ancestors(dir) {
            if !found_mod && let Some(text) = source.read(&join(&ancestor, "go.mod")) {
                found_mod = true;
                self.add_module(&ancestor, &text);
            }
            if let Some(text) = source.read(&join(&ancestor, "go.work")) {
                self.add_workspace(source, &ancestor, &text);
                break;
            }
        }
    }

    fn add_module(&mut self, dir: &str, text: &str) {
        if self.mods.iter().any(|(known, _)| known == dir) {
            return;
        }
        let go_mod = GoMod::parse(text);
        self.roots.push(Root { module: go_mod.module.clone(), dir: dir.to_string() });
        for ((path, _), replacement) in &go_mod.replaces {
            if replacement.target.starts_with(['.', '/']) {
                self.roots.push(Root { module: path.clone(), dir: join(dir, &replacement.target) });
            }
        }
        self.vendors.push(join(dir, "vendor"));
        self.mods.push((dir.to_string(), go_mod));
    }

    fn add_workspace(&mut self, source: &dyn FileSource, dir: &str, text: &str) {
        for (verb, words) in directives(text) {
            if let ("use", [member]) = (verb.as_str(), words.as_slice()) {
                let member = join(dir, member);
                if let Some(text) = source.read(&join(&member, "go.mod")) {
                    self.add_module(&member, &text);
                }
            }
        }
        self.vendors.push(join(dir, "vendor"));
    }

    /// Declares that a module lives in a directory, before all that was discovered.
    pub fn add_root(&mut self, module: &str, dir: &str) {
        self.roots.insert(0, Root { module: module.to_string(), dir: trim_dir(dir) });
    }

    /// The import path of a directory inside a known module.
    #[must_use]
    pub fn import_path(&self, dir: &str) -> Option<String> {
        let dir = self.whole(dir);
        self.roots
            .iter()
            .filter_map(|root| {
                let place = self.whole(&root.dir);
                let rest = match place.as_str() {
                    "." => Some(dir.as_str()),
                    "/" => dir.strip_prefix('/'),
                    _ => inside(&dir, &place),
                };
                let path = match rest? {
                    "" | "." => root.module.clone(),
                    rest => format!("{}/{rest}", root.module),
                };
                Some((place.len(), path))
            })
            .max_by_key(|(len, _)| *len)
            .map(|(_, path)| path)
    }

    /// A directory as seen from the root, when it is known where relative ones start.
    fn whole(&self, dir: &str) -> String {
        match &self.here {
            Some(here) => join(here, dir),
            None => trim_dir(dir),
        }
    }

    /// The directory itself and those above it, by names that lead there from here.
    fn ancestors(&self, dir: &str) -> Vec<String> {
        let dir = join(dir, "");
        let absolute = dir.starts_with('/');
        let parts: Vec<&str> = dir.split('/').filter(|it| !matches!(*it, "" | ".")).collect();
        let ups = parts.iter().take_while(|it| **it == "..").count();
        let start = if absolute { "/" } else { "" };
        let upto = |len: usize| join(start, &parts.get(..len).unwrap_or_default().join("/"));
        let mut out: Vec<String> = (ups..=parts.len()).rev().map(upto).collect();
        let above = self.here.as_deref().filter(|_| !absolute);
        let above = above.map_or(0, |it| it.split('/').filter(|it| !it.is_empty()).count());
        out.extend((ups + 1..=above).map(|levels| vec![".."; levels].join("/")));
        out
    }

    /// The directories where the package may be, best first. Whether one of them holds Go files
    /// is for the caller to see.
    #[must_use]
    pub fn candidates(&self, path: &str) -> Vec<String> {
        let mut out = Vec::new();
        for root in &self.roots {
            if let Some(rest) = inside(path, &root.module) {
                out.push(join(&root.dir, rest));
            }
        }
        out.extend(self.vendors.iter().map(|vendor| join(vendor, path)));
        if let Some(cache) = &self.module_cache {
            out.extend(self.mods.iter().filter_map(|(_, go_mod)| cached(cache, go_mod, path)));
        }
        let first = path.split('/').next().unwrap_or("");
        if let Some(go_root) = &self.go_root
            && !first.contains('.')
        {
            out.push(join(go_root, &format!("src/{path}")));
        }
        out.dedup();
        out
    }
}

/// The directory in the module cache, by the longest required module that holds the path.
fn cached(cache: &str, go_mod: &GoMod, path: &str) -> Option<String> {
    let (module, version) = go_mod
        .requires
        .iter()
        .filter(|(module, _)| inside(path, module).is_some())
        .max_by_key(|(module, _)| module.len())?;
    let rest = inside(path, module)?;
    let replaced = go_mod
        .replaces
        .get(&(module.clone(), Some(version.clone())))
        .or_else(|| go_mod.replaces.get(&(module.clone(), None)));
    let (module, version) = match replaced {
        Some(Replacement { target, version: Some(version) }) => (target, version),
        Some(_) => return None,
        None => (module, version),
    };
    let dir = format!("{}@{}", escape(module), escape(version));
    Some(join(&join(cache, &dir), rest))
}

/// The module cache writes capital letters as `!` and the small letter.
fn escape(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for letter in path.chars() {
        if letter.is_ascii_uppercase() {
            out.push('!');
            out.push(letter.to_ascii_lowercase());
        } else {
            out.push(letter);
        }
    }
    out
}

fn inside<'a>(path: &'a str, module: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(module)?;
    if rest.is_empty() { Some("") } else { rest.strip_prefix('/') }
}

fn trim_dir(dir: &str) -> String {
    let trimmed = dir.trim_end_matches('/');
    if trimmed.is_empty() {
        if dir.is_empty() { ".".into() } else { "/".into() }
    } else {
        trimmed.into()
    }
}

/// Joins and cleans: `a/b` and `../c` give `a/c`.
pub(crate) fn join(dir: &str, rest: &str) -> String {
    if rest.starts_with('/') {
        return trim_dir(rest);
    }
    let absolute = dir.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in dir.split('/').chain(rest.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if absolute => {}
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    match (absolute, joined.is_empty()) {
        (true, _) => format!("/{joined}"),
        (false, true) => ".".into(),
        (false, false) => joined,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{GoMod, Resolver, join};
    use crate::source::{Entry, FileSource, MemorySource};

    const MOD: &str = "module example.com/app\n\ngo 1.26\n\nrequire (\n\tk8s.io/api v0.36.4\n\tgithub.com/Big/Corp v1.2.3 // indirect\n)\n\nreplace k8s.io/apimachinery => ../apimachinery\n";

    #[test]
    fn directives_in_blocks_and_lines_are_read() {
        let go_mod = GoMod::parse(MOD);
        assert_eq!(go_mod.module, "example.com/app");
        assert_eq!(go_mod.requires.get("k8s.io/api").map(String::as_str), Some("v0.36.4"));
        assert_eq!(go_mod.replaces.len(), 1);
    }

    #[test]
    fn imports_lead_to_module_replacement_vendor_and_cache() {
        let source = MemorySource::new().with("/src/app/go.mod", MOD);
        let resolver = Resolver::discover(&source, &["/src/app/api/v1"], Some("/cache"), None);
        assert_eq!(
            resolver.import_path("/src/app/api/v1").as_deref(),
            Some("example.com/app/api/v1")
        );
        assert_eq!(
            resolver.candidates("k8s.io/apimachinery/pkg/x").first().map(String::as_str),
            Some("/src/apimachinery/pkg/x")
        );
        assert_eq!(
            resolver.candidates("github.com/Big/Corp/v"),
            ["/src/app/vendor/github.com/Big/Corp/v", "/cache/github.com/!big/!corp@v1.2.3/v"]
        );
    }

    /// A view from inside of a module.
    struct Inside(MemorySource);

    impl FileSource for Inside {
        fn list(&self, dir: &str) -> Option<Vec<Entry>> {
            self.0.list(&join("/src/app/api", dir))
        }

        fn read(&self, path: &str) -> Option<Arc<str>> {
            self.0.read(&join("/src/app/api", path))
        }

        fn current_dir(&self) -> Option<String> {
            Some("/src/app/api".into())
        }
    }

    #[test]
    fn a_module_may_begin_above_the_current_directory() {
        let source = Inside(MemorySource::new().with("/src/app/go.mod", MOD));
        for dir in ["v1", "./v1", "../api/v1", "/src/app/api/v1"] {
            let resolver = Resolver::discover(&source, &[dir], None, None);
            assert_eq!(
                resolver.import_path(dir).as_deref(),
                Some("example.com/app/api/v1"),
                "{dir}"
            );
        }
        let resolver = Resolver::discover(&source, &["."], None, None);
        assert_eq!(resolver.import_path(".").as_deref(), Some("example.com/app/api"));
        assert_eq!(
            resolver.candidates("example.com/app/other").first().map(String::as_str),
            Some("../other")
        );
    }

    #[test]
    fn joining_cleans_the_path() {
        assert_eq!(join("a/b", "../c"), "a/c");
        assert_eq!(join(".", "x"), "x");
        assert_eq!(join("/a", "../../b"), "/b");
        assert_eq!(join("a", ""), "a");
    }
}
