//! Where the Go types of kinds are declared, for those who want to jump there.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use memchr::memmem;
use ordain_idl::group::group_version;
use ordain_idl::tags::marker::PackageMarkers;
use ordain_idl::{Loader, MemorySource};
use ordain_meta::GroupVersionKind;

use crate::source::below;
use crate::workspace::ENTRIES_MAX;

/// A place in a Go file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoType {
    /// The file.
    pub file: PathBuf,
    /// The line of the declaration, from 1.
    pub line: usize,
    /// The column of its name, from 1.
    pub column: usize,
}

/// The declarations of a kind in the Go files below a folder. A package that does not name its
/// group by itself may be of any.
#[must_use]
pub fn of_kind(folder: &Path, gvk: &GroupVersionKind) -> Vec<GoType> {
    let is_source = |path: &Path| {
        let name = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
        name.ends_with(".go") && !name.ends_with("_test.go") && !name.starts_with("zz_generated")
    };
    let (files, _) = below(folder, ENTRIES_MAX, &is_source);
    let mention = format!("{} struct", gvk.kind);
    let finder = memmem::Finder::new(mention.as_bytes());
    let mentions = |it: &&PathBuf| std::fs::read(it).is_ok_and(|text| finder.find(&text).is_some());
    let packages: BTreeSet<&Path> =
        files.iter().filter(mentions).filter_map(|it| it.parent()).collect();
    packages.into_iter().filter_map(|package| in_package(package, gvk)).collect()
}

/// The declaration in one package, which is read by itself: nothing that it imports is needed.
fn in_package(folder: &Path, gvk: &GroupVersionKind) -> Option<GoType> {
    let mut source = MemorySource::new();
    for entry in std::fs::read_dir(folder).ok()?.filter_map(Result::ok) {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".go")
            && let Ok(text) = std::fs::read_to_string(entry.path())
        {
            source.insert(format!("package/{name}"), text);
        }
    }
    let universe = Loader::new(&source).package("package").load();
    let package = universe.requested().next()?;
    let stated =
        group_version(&universe, package, &PackageMarkers::read(&universe, package).package);
    let is_group = stated.group.is_none_or(|it| it == gvk.group.as_str());
    if !is_group || stated.version != gvk.version.as_str() {
        return None;
    }
    let (_, named) = universe
        .all_named()
        .find(|(_, it)| it.package == package.id && it.name == gvk.kind.as_str())?;
    let place = universe.position(named.pos);
    let name = place.path.rsplit('/').next().unwrap_or_default();
    let number = |it: u32| usize::try_from(it).unwrap_or(1);
    Some(GoType { file: folder.join(name), line: number(place.line), column: number(place.column) })
}
