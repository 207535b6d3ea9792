//! Compiles the declarations in `api/` into a compact form that the library opens kind by kind.
//!
//! A mistake in a declaration fails the build with file, line and column.

#![expect(clippy::print_stdout, reason = "cargo takes its instructions from standard output")]

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use ordain_idl::lower::{self, Form};
use ordain_idl::{Loader, MemorySource};
use ordain_schema::declared::Kind;
use ordain_schema::native::Program;

/// Where the packages of a folder stand in Go's world.
const MODULES: [(&str, &str); 3] = [
    ("k8s.io/api", "api"),
    ("k8s.io/apimachinery", "apimachinery"),
    ("k8s.io/apiextensions-apiserver", "apiextensions-apiserver"),
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=api");
    println!("cargo::rerun-if-changed=build");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let mut source = MemorySource::new();
    let mut packages = Vec::new();
    let mut texts = String::from("&[\n");
    for file in go_files(Path::new("api"))? {
        let text = fs::read_to_string(&file)?;
        let path = loaded_path(&file);
        texts +=
            &format!("({:?}, include_str!({:?})),\n", import_path(&path), file.canonicalize()?);
        let package = path.rsplit_once('/').map_or("", |(dir, _)| dir).to_owned();
        if !packages.contains(&package) {
            packages.push(package);
        }
        source = source.with(path, text);
    }
    let mut loader = Loader::new(&source);
    for (path, dir) in MODULES {
        loader = loader.module(path, dir);
    }
    for package in &packages {
        loader = loader.package(package.as_str());
    }
    let universe = loader.load();
    let lowered = lower::lower_as(&universe, Form::Typed);
    if lowered.has_errors() {
        for found in lowered.diagnostics.iter().filter(|it| it.is_error()) {
            let place = found.pos.map(|pos| universe.position(pos).to_string());
            println!("cargo::error={}: {}", place.unwrap_or_default(), found.message);
        }
        return Err("the declarations have errors".into());
    }
    fs::write(out.join("texts.rs"), texts + "]")?;
    write(&out, lowered.api.kinds)
}

/// The path of a file in Go's world.
fn import_path(loaded: &str) -> String {
    let (dir, rest) = loaded.split_once('/').unwrap_or((loaded, ""));
    let module = MODULES.iter().find(|it| it.1 == dir).map_or(dir, |it| it.0);
    format!("{module}/{rest}")
}

/// Writes a blob for each kind and for each program, and a table of them.
fn write(out: &Path, kinds: Vec<Kind>) -> Result<(), Box<dyn Error>> {
    let mut programs: BTreeMap<*const Program, usize> = BTreeMap::new();
    let mut table = String::from("&[\n");
    let mut program_table = String::from("&[\n");
    for mut kind in kinds {
        let mut natives = Vec::new();
        for version in &mut kind.versions {
            version.rule_places.clear();
            let Some(native) = version.native.take() else {
                natives.push(None);
                continue;
            };
            let next = programs.len();
            let at = *programs.entry(std::sync::Arc::as_ptr(&native.program)).or_insert(next);
            if at == next {
                let name = format!("program-{at}.bin");
                fs::write(out.join(&name), postcard::to_stdvec(native.program.as_ref())?)?;
                program_table +=
                    &format!("include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}\")),\n");
            }
            natives.push(Some((at, native.root)));
        }
        let name = format!("{}.{}.bin", kind.kind, kind.group);
        fs::write(out.join(&name), postcard::to_stdvec(&(&kind, &natives))?)?;
        table += &entry(&kind, &name);
    }
    fs::write(out.join("kinds.rs"), table + "]")?;
    fs::write(out.join("programs.rs"), program_table + "]")?;
    Ok(())
}

/// A kind's line in the table: what a server needs to know before it opens the declaration.
fn entry(kind: &Kind, blob: &str) -> String {
    let versions: Vec<(&str, bool)> =
        kind.versions.iter().map(|it| (it.name.as_str(), it.status)).collect();
    format!(
        "Entry {{ group: {:?}, kind: {:?}, plural: {:?}, short_names: &{:?}, categories: &{:?}, \
         namespaced: {}, storage_version: {:?}, versions: &{versions:?}, \
         bytes: include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{blob}\")) }},\n",
        kind.group,
        kind.kind,
        kind.plural,
        kind.short_names,
        kind.categories,
        kind.namespaced,
        kind.storage_version,
    )
}

/// `api/core/v1/pod.go` as the loader finds it; a few packages are part of other modules.
fn loaded_path(file: &Path) -> String {
    let path = file.to_string_lossy().replace('\\', "/");
    for (group, module) in [("meta", "apimachinery"), ("apiextensions", "apiextensions-apiserver")]
    {
        if let Some(rest) = path.strip_prefix(&format!("api/{group}/")) {
            return format!("{module}/pkg/apis/{group}/{rest}");
        }
    }
    path
}

fn go_files(dir: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut files = Vec::new();
    let mut entries = fs::read_dir(dir)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        if path.is_dir() {
            files.extend(go_files(&path)?);
        } else if path.extension().is_some_and(|it| it == "go") {
            files.push(path);
        }
    }
    Ok(files)
}
