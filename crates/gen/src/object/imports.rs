//! The imports of generated Go code: a name for each package that is needed, unlike all others.

use std::collections::{BTreeMap, BTreeSet};

use ordain_idl::Universe;
use ordain_idl::go::ast::DeclKind;
use ordain_idl::graph::Package;

/// Packages that are needed so far.
pub(super) struct Imports<'u> {
    universe: &'u Universe,
    names: BTreeMap<String, String>,
    taken: BTreeSet<String>,
    /// What the package imports itself: there a name that is the package's own is not written.
    own: BTreeSet<String>,
}

impl<'u> Imports<'u> {
    pub(super) fn new(universe: &'u Universe, package: &Package) -> Self {
        let mut own = BTreeSet::new();
        for id in &package.files {
            for decl in &universe.file(*id).parsed.ast.decls {
                if let DeclKind::Import(specs) = &decl.kind {
                    own.extend(specs.iter().map(|it| it.path.to_string()));
                }
            }
        }
        let taken = BTreeSet::from([package.name.to_string()]);
        Imports { universe, names: BTreeMap::new(), taken, own }
    }

    /// The name by which a package is known; from the last part of its path on, as many parts as make
    /// it unlike the others.
    pub(super) fn name(&mut self, path: &str) -> String {
        let path = path.rsplit_once("/vendor/").map_or(path, |(_, rest)| rest);
        if let Some(known) = self.names.get(path) {
            return known.clone();
        }
        let (mut rest, mut word) = path.rsplit_once('/').unwrap_or(("", path));
        let mut name = String::new();
        loop {
            // Where there is nothing in front, a letter tells it from the others.
            if rest.is_empty() {
                name.push('x');
            }
            name = identifier(word) + &name;
            if !rest.is_empty() {
                (rest, word) = rest.rsplit_once('/').unwrap_or(("", rest));
            }
            if !self.taken.contains(&name) {
                break;
            }
        }
        self.taken.insert(name.clone());
        self.names.insert(path.to_owned(), name.clone());
        name
    }

    /// The declaration, sorted by path.
    pub(super) fn block(&self) -> String {
        if self.names.is_empty() {
            return "import ()".to_owned();
        }
        let mut out = String::from("import (\n");
        for (path, name) in &self.names {
            let declared = self.universe.package_by_path(path).map(|it| it.name.as_str());
            // A package that no type needs is not read; its name is that of its path then.
            let declared = declared.filter(|it| !it.is_empty());
            let declared = declared.or_else(|| path.rsplit('/').next());
            let plain = self.own.contains(path) && declared == Some(name.as_str());
            let alias = if plain { String::new() } else { format!("{name} ") };
            out.push_str(&format!("\t{alias}\"{path}\"\n"));
        }
        out + ")"
    }
}

/// A part of a path as an identifier: no digits in front, no signs.
fn identifier(part: &str) -> String {
    let part = part.trim_start_matches(|c: char| c.is_numeric());
    part.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '_' }).collect()
}
