//! Reading packages: which directories, which files, and in what order names are resolved.

use std::collections::HashMap;
use std::sync::Arc;

use smol_str::SmolStr;

use super::package::{Package, PackageId, SourceFile};
use super::resolve::Resolution;
use super::{Universe, prelude};
use crate::diagnostic::Diagnostic;
use crate::go::build_constraint::BuildContext;
use crate::go::module::{Resolver, join};
use crate::go::{self, pattern};
use crate::group::group_version;
use crate::source::{FileId, FileSource, Pos};
use crate::tags::marker::PackageMarkers;

/// Collects what to read, then reads it.
///
/// ```
/// use ordain_idl::{Loader, MemorySource};
/// let source = MemorySource::new()
///     .with("api/v1/types.go", "package v1\n\ntype Size int32\n");
/// let universe = Loader::new(&source).package_as("api/v1", "example.com/api/v1").load();
/// assert!(!universe.has_errors());
/// assert!(universe.lookup("example.com/api/v1", "Size").is_some());
/// ```
pub struct Loader<'a> {
    source: &'a dyn FileSource,
    build: BuildContext,
    module_cache: Option<String>,
    go_root: Option<String>,
    roots: Vec<(String, String)>,
    packages: Vec<Asked>,
    unmatched: Vec<String>,
    apis_only: bool,
    strict_tags: bool,
    forgive_markers: bool,
    bundle: Option<Bundle>,
}

impl std::fmt::Debug for Loader<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Loader").field("packages", &self.packages).finish_non_exhaustive()
    }
}

impl<'a> Loader<'a> {
    /// A loader over a view of files.
    #[must_use]
    pub fn new(source: &'a dyn FileSource) -> Self {
        Self {
            source,
            build: BuildContext::default(),
            module_cache: None,
            go_root: None,
            roots: Vec::new(),
            packages: Vec::new(),
            unmatched: Vec::new(),
            apis_only: false,
            strict_tags: false,
            forgive_markers: false,
            bundle: None,
        }
    }

    /// Makes errors of `+k8s:` tags that only newer releases know.
    #[must_use]
    pub fn strict_tags(mut self, strict: bool) -> Self {
        self.strict_tags = strict;
        self
    }

    /// Makes warnings of `+kubebuilder:` markers that are unknown or that nothing reads where they
    /// stand; controller-gen passes them over in silence.
    #[must_use]
    pub fn forgive_markers(mut self, forgive: bool) -> Self {
        self.forgive_markers = forgive;
        self
    }

    /// Passes over packages that a pattern matches and that belong to no API: the controllers and
    /// tools of a repository say nothing about its kinds. What an API imports is read all the same.
    #[must_use]
    pub fn apis_only(mut self, apis_only: bool) -> Self {
        self.apis_only = apis_only;
        self
    }

    /// Names declarations for packages whose source is not found: names and texts of files by
    /// import path, none for a path that is not known.
    #[must_use]
    pub fn bundle(mut self, bundle: Bundle) -> Self {
        self.bundle = Some(bundle);
        self
    }

    /// Sets system, architecture and build tags.
    #[must_use]
    pub fn build(mut self, build: BuildContext) -> Self {
        self.build = build;
        self
    }

    /// Names the module cache (`$GOMODCACHE`).
    #[must_use]
    pub fn module_cache(mut self, dir: impl Into<String>) -> Self {
        self.module_cache = Some(dir.into());
        self
    }

    /// Names the Go installation, for imports of the standard library.
    #[must_use]
    pub fn go_root(mut self, dir: impl Into<String>) -> Self {
        self.go_root = Some(dir.into());
        self
    }

    /// Says that a module lives in a directory, whatever `go.mod` says.
    #[must_use]
    pub fn module(mut self, path: impl Into<String>, dir: impl Into<String>) -> Self {
        self.roots.push((path.into(), dir.into()));
        self
    }

    /// Asks for the package in a directory; its import path follows from the `go.mod` above it, or
    /// from its group and name when there is none.
    #[must_use]
    pub fn package(mut self, dir: impl Into<String>) -> Self {
        self.packages.push(Asked { dir: dir.into(), path: None, matched: false });
        self
    }

    /// Asks for the package in a directory under a given import path.
    #[must_use]
    pub fn package_as(mut self, dir: impl Into<String>, path: impl Into<String>) -> Self {
        self.packages.push(Asked { dir: dir.into(), path: Some(path.into()), matched: false });
        self
    }

    /// Asks for all packages in a directory and below it, as `dir/...` does in Go.
    #[must_use]
    pub fn packages_below(self, dir: &str) -> Self {
        self.named(&format!("{}/...", dir.trim_end_matches('/')))
    }

    /// Asks for what someone typed where the go command takes packages: a directory, an import path
    /// of a module at hand, or a pattern of one of them with `...` in it. A pattern passes over
    /// directories without a file for this build; one that matches nothing is an error.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        let found = packages_named(self.source, &self.build, name);
        if found.is_empty() {
            self.unmatched.push(name.to_owned());
        }
        let matched = pattern::is_pattern(name);
        self.packages.extend(found.into_iter().map(|dir| Asked { dir, path: None, matched }));
        self
    }

    /// Reads the packages asked for and, of those they import, what they use.
    #[must_use]
    pub fn load(self) -> Universe {
        let dirs: Vec<&str> = self.packages.iter().map(|it| it.dir.as_str()).collect();
        let mut resolver = Resolver::discover(
            self.source,
            &dirs,
            self.module_cache.as_deref(),
            self.go_root.as_deref(),
        );
        for (path, dir) in &self.roots {
            resolver.add_root(path, dir);
        }
        let mut files = Files {
            source: self.source,
            build: self.build,
            resolver,
            by_path: HashMap::new(),
            bundle: self.bundle,
            universe: Universe {
                strict_tags: self.strict_tags,
                forgive_markers: self.forgive_markers,
                ..Universe::default()
            },
        };
        for name in &self.unmatched {
            files.universe.diagnostics.push(
                Diagnostic::nowhere("no-go-files", format!("`{name}` matches no Go package"))
                    .help("name a directory that holds Go packages, or `dir/...` for all below"),
            );
        }
        for asked in &self.packages {
            let wanted = !asked.matched || files.has_file(&asked.dir, self.apis_only);
            if wanted {
                files.request(asked);
            }
        }
        Resolution::new(files).run()
    }
}

/// The directories of the packages that someone names, as [`Loader::named`] reads it; none when a
/// pattern matches no directory with Go files.
#[must_use]
pub fn packages_named(source: &dyn FileSource, build: &BuildContext, name: &str) -> Vec<String> {
    let Some(mut dirs) = pattern::directories(source, name) else {
        return vec![pattern::directory(source, name)];
    };
    dirs.retain(|dir| {
        let entries = source.list(dir).unwrap_or_default();
        entries.iter().any(|it| !it.is_dir && build.admits_name(&it.name))
    });
    dirs
}

/// A package that was asked for.
#[derive(Debug)]
struct Asked {
    dir: String,
    path: Option<String>,
    /// A pattern found it, so it may turn out to have no file for this build.
    matched: bool,
}

/// Whether a text is one of an API: it names a group, or has a kind whose fields are encoded.
fn is_of_api(text: &str) -> bool {
    text.lines().map(str::trim).any(|line| {
        let embeds = line.split_once("TypeMeta").is_some_and(|(before, after)| {
            let is_name = before.is_empty() || before.ends_with('.');
            is_name && after.starts_with([' ', '\t']) && after.contains("`json:")
        });
        embeds || line.strip_prefix("//").is_some_and(|it| it.trim().starts_with("+groupName="))
    })
}

/// Files of a package by its import path.
pub type Bundle = fn(&str) -> Vec<(&'static str, &'static str)>;

/// The packages read so far, and the means to read more.
pub(crate) struct Files<'a> {
    source: &'a dyn FileSource,
    build: BuildContext,
    resolver: Resolver,
    by_path: HashMap<SmolStr, PackageId>,
    bundle: Option<Bundle>,
    pub universe: Universe,
}

impl Files<'_> {
    fn request(&mut self, asked: &Asked) {
        let dir = join(&asked.dir, "");
        let stated = asked.path.clone().or_else(|| self.resolver.import_path(&dir));
        let path = stated.clone().unwrap_or_else(|| dir.clone());
        if let Some(known) = self.by_path.get(path.as_str()) {
            self.universe.packages[known.0 as usize].requested = true;
            return;
        }
        let id = self.add_package(&path);
        self.universe.packages[id.0 as usize].requested = true;
        if !self.read_dir(id, &dir) {
            self.universe.packages[id.0 as usize].missing = true;
            self.universe.diagnostics.push(
                Diagnostic::nowhere("no-go-files", format!("no Go files in `{dir}`"))
                    .help("name a directory that holds a Go package"),
            );
        } else if stated.is_none() {
            self.name_by_content(id);
        }
    }

    /// Gives a package outside of any module a path by what it says of itself, `<group>/<name>`:
    /// names that are published must not depend on the directory that someone typed. Where two
    /// packages say the same, the second keeps its directory.
    fn name_by_content(&mut self, id: PackageId) {
        let package = self.universe.package(id);
        let markers = PackageMarkers::read(&self.universe, package);
        let stated = group_version(&self.universe, package, &markers.package);
        let path = match stated.group.filter(|it| !it.is_empty()) {
            Some(group) => SmolStr::new(format!("{group}/{}", package.name)),
            None => package.name.clone(),
        };
        if !path.is_empty() && !self.by_path.contains_key(&path) {
            self.by_path.insert(path.clone(), id);
            self.universe.packages[id.0 as usize].path = path;
        }
    }

    fn add_package(&mut self, path: &str) -> PackageId {
        let id = PackageId(self.universe.packages.len() as u32);
        self.universe.packages.push(Package::new(id, path));
        self.by_path.insert(SmolStr::new(path), id);
        id
    }

    /// The package under an import path, read when it is not yet.
    pub(crate) fn import(&mut self, path: &str) -> PackageId {
        if let Some(known) = self.by_path.get(path) {
            return *known;
        }
        let id = self.add_package(path);
        for dir in self.resolver.candidates(path) {
            if self.read_dir(id, &dir) {
                return id;
            }
        }
        if let Some(text) = prelude::package(path) {
            self.universe.packages[id.0 as usize].builtin = true;
            let name = path.rsplit('/').next().unwrap_or(path);
            self.read_text(id, &format!("<builtin>/{path}/{name}.go"), Arc::from(text));
            return id;
        }
        let bundled = self.bundle.map(|it| it(path)).unwrap_or_default();
        self.universe.packages[id.0 as usize].builtin = !bundled.is_empty();
        self.universe.packages[id.0 as usize].missing = bundled.is_empty();
        for (name, text) in bundled {
            self.read_text(id, &format!("<builtin>/{name}"), Arc::from(text));
        }
        id
    }

    /// Whether a directory has a file for this build, or one that is part of an API; what cannot be
    /// read counts, so that it is reported.
    fn has_file(&self, dir: &str, of_api: bool) -> bool {
        let entries = self.source.list(dir).unwrap_or_default();
        let mut names = entries.iter().filter(|it| !it.is_dir && self.build.admits_name(&it.name));
        names.any(|it| match self.source.read(&join(dir, &it.name)) {
            Some(text) if of_api && !is_of_api(&text) => false,
            Some(text) => self.build.admits_text(&text).unwrap_or(true),
            None => true,
        })
    }

    fn read_dir(&mut self, id: PackageId, dir: &str) -> bool {
        let Some(mut entries) = self.source.list(dir) else { return false };
        entries.retain(|entry| !entry.is_dir && self.build.admits_name(&entry.name));
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        let mut any = false;
        for entry in entries {
            let path = join(dir, &entry.name);
            let Some(text) = self.source.read(&path) else {
                self.universe.diagnostics.push(Diagnostic::nowhere(
                    "unreadable",
                    format!("cannot read `{path}` as UTF-8 text"),
                ));
                continue;
            };
            any |= self.read_file(id, &path, text);
        }
        if any {
            self.universe.packages[id.0 as usize].dir = SmolStr::new(dir);
        }
        any
    }

    fn read_file(&mut self, id: PackageId, path: &str, text: Arc<str>) -> bool {
        match self.build.admits_text(&text) {
            Ok(true) => self.read_text(id, path, text),
            Ok(false) => return false,
            Err(message) => {
                let diagnostic =
                    Diagnostic::nowhere("build-constraint", format!("{path}: {message}"));
                self.universe.diagnostics.push(diagnostic);
                return false;
            }
        }
        true
    }

    fn read_text(&mut self, id: PackageId, path: &str, text: Arc<str>) {
        let parsed = go::parse(&text);
        let file = FileId(self.universe.files.len() as u32);
        for (offset, message) in &parsed.errors {
            let pos = Pos { file, offset: *offset };
            self.universe.diagnostics.push(Diagnostic::error("syntax", pos, message.clone()));
        }
        let package = &mut self.universe.packages[id.0 as usize];
        let clause = &parsed.ast.package;
        if package.name.is_empty() {
            package.name = clause.name.clone();
        } else if package.name != clause.name && !clause.name.is_empty() {
            let pos = Pos { file, offset: clause.offset };
            let message = format!(
                "package `{}` stands in the directory of package `{}`",
                clause.name, package.name
            );
            self.universe.diagnostics.push(Diagnostic::error("package-clause", pos, message));
        }
        for (name, pos) in package.index_file(file, &parsed) {
            let message = format!("`{name}` is declared twice in package `{}`", package.name);
            self.universe.diagnostics.push(Diagnostic::error("redeclared", pos, message));
        }
        package.files.push(file);
        let path = SmolStr::new(path);
        self.universe.files.push(Arc::new(SourceFile { path, text, parsed, package: id }));
    }
}
