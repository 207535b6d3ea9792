//! `ordain gen`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, Subcommand};
use ordain_gen::crd::{self, Options};
use ordain_idl::{Entry, FileSource, Loader};
use ordain_value::{Text, yaml};

use crate::command::{Failure, say};

/// Generate files from declared types.
#[derive(Debug, Args)]
pub(crate) struct Generate {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Custom resource definitions from Go types with markers.
    Crd(Crd),
}

#[derive(Debug, Args)]
struct Crd {
    /// Directories of Go packages; `dir/...` takes in all below.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<String>,
    /// Write the files here instead of to standard output.
    #[arg(long, value_name = "DIR")]
    output_dir: Option<PathBuf>,
    /// Write nothing; fail when a file in the output directory is missing or stale.
    #[arg(long, requires = "output_dir")]
    check: bool,
    /// Cut descriptions to so many bytes; 0 leaves them out.
    #[arg(long, value_name = "BYTES")]
    max_desc_len: Option<usize>,
    /// Allow floating-point numbers.
    #[arg(long)]
    allow_dangerous_types: bool,
    /// Pass over fields that are not exported.
    #[arg(long)]
    ignore_unexported_fields: bool,
    /// Give the metadata of embedded objects its fields.
    #[arg(long)]
    generate_embedded_object_meta: bool,
    /// Write spec.preserveUnknownFields.
    #[arg(long, value_name = "true|false")]
    preserve_unknown_fields: Option<bool>,
    /// Write this as the annotation controller-gen.kubebuilder.io/version.
    #[arg(long, value_name = "VERSION")]
    controller_gen_version: Option<String>,
    /// Where modules are kept, for packages that are imported.
    #[arg(long, env = "GOMODCACHE", value_name = "DIR")]
    module_cache: Option<String>,
}

impl Generate {
    pub(crate) fn run(self) -> Result<(), Failure> {
        match self.what {
            What::Crd(crd) => crd.run(),
        }
    }
}

impl Crd {
    fn run(self) -> Result<(), Failure> {
        let source = Disk;
        let mut loader = Loader::new(&source);
        if let Some(cache) = &self.module_cache {
            loader = loader.module_cache(cache.as_str());
        }
        for path in &self.paths {
            loader = match path.strip_suffix("/...") {
                Some(dir) => loader.packages_below(dir),
                None => loader.package(path.trim_end_matches('/')),
            };
        }
        let universe = loader.load();
        let output = crd::generate(&universe, &self.options());
        for finding in &output.diagnostics {
            let _ = writeln!(std::io::stderr().lock(), "{}", universe.locate(finding));
        }
        if output.has_errors() {
            return Err("no files were written".into());
        }
        let files = output
            .files
            .iter()
            .map(|file| (file.name.as_str(), format!("---\n{}", yaml::encode(&file.crd))));
        match &self.output_dir {
            None => files.for_each(|(_, text)| say(text.trim_end())),
            Some(dir) if self.check => return check(dir, files),
            Some(dir) => return write(dir, files),
        }
        Ok(())
    }

    fn options(&self) -> Options {
        Options {
            max_desc_len: self.max_desc_len,
            allow_dangerous_types: self.allow_dangerous_types,
            ignore_unexported_fields: self.ignore_unexported_fields,
            generate_embedded_object_meta: self.generate_embedded_object_meta,
            preserve_unknown_fields: self.preserve_unknown_fields,
            controller_gen_version: self.controller_gen_version.as_deref().map(Text::from),
        }
    }
}

fn write<'a>(dir: &Path, files: impl Iterator<Item = (&'a str, String)>) -> Result<(), Failure> {
    std::fs::create_dir_all(dir).map_err(|error| format!("{}: {error}", dir.display()))?;
    for (name, text) in files {
        let path = dir.join(name);
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        say(&path.display().to_string());
    }
    Ok(())
}

/// Compares files with what they should be, and shows the lines that differ.
fn check<'a>(dir: &Path, files: impl Iterator<Item = (&'a str, String)>) -> Result<(), Failure> {
    let mut stale = 0;
    for (name, text) in files {
        let path = dir.join(name);
        let found = std::fs::read_to_string(&path).unwrap_or_default();
        if found == text {
            continue;
        }
        stale += 1;
        say(&format!("--- {}\n+++ generated", path.display()));
        difference(&found, &text).iter().for_each(|line| say(line));
    }
    if stale == 0 { Ok(()) } else { Err(format!("{stale} files are missing or stale")) }
}

/// The lines between what both texts start with and what both end with.
fn difference(old: &str, new: &str) -> Vec<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let shorter = old.len().min(new.len()) - start;
    let end =
        old.iter().rev().zip(new.iter().rev()).take(shorter).take_while(|(a, b)| a == b).count();
    let mut out = vec![format!("@@ line {} @@", start + 1)];
    let middle = |lines: &[&str], sign: char| -> Vec<String> {
        lines
            .iter()
            .skip(start)
            .take(lines.len() - start - end)
            .map(|l| format!("{sign}{l}"))
            .collect()
    };
    out.extend(middle(&old, '-'));
    out.extend(middle(&new, '+'));
    out
}

/// Files of the disk.
pub(crate) struct Disk;

impl FileSource for Disk {
    fn list(&self, dir: &str) -> Option<Vec<Entry>> {
        let dir = if dir.is_empty() { "." } else { dir };
        let entries = std::fs::read_dir(dir).ok()?;
        Some(
            entries
                .filter_map(Result::ok)
                .map(|entry| Entry {
                    name: entry.file_name().to_string_lossy().into_owned(),
                    is_dir: entry.path().is_dir(),
                })
                .collect(),
        )
    }

    fn read(&self, path: &str) -> Option<Arc<str>> {
        std::fs::read_to_string(path).ok().map(Arc::from)
    }
}
