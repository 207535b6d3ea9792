//! `ordain diff`: whether a change of a definition is safe.

use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use ordain_check::{diff, history, manifest, source};
use ordain_idl::MemorySource;
use ordain_value::Value;

use super::author::show;
use super::complain;
use super::gates::GateArgs;
use super::kinds::{Tags, definitions_of, definitions_of_types, load_types};
use super::validate::{CLEAN, FINDINGS, UNUSABLE};

/// Tell whether a change of definitions is safe, with a counter-example where it is not.
///
/// Each difference is compatible, ratcheted (new objects are refused, stored ones may stay) or
/// breaking. A breaking one comes with an object that the old definition takes and the new one does
/// not, found by search and confirmed by running both.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ordain diff old/crds/ crds/
  ordain diff main:crds/widgets.yaml crds/widgets.yaml
  ordain diff v1.2.0:api/v1 ./api/v1

Exit codes: 0 safe, 1 something breaks, 2 bad usage or unreadable input, 3 internal error.")]
pub(crate) struct Diff {
    /// Definitions as they were: a file or directory, a directory of Go types, or REV:path in git
    old: String,
    /// Definitions as they are, named in the same ways
    new: String,
    /// The form of the report
    #[arg(short, long, default_value = "text", value_parser = ["text", "json", "yaml"])]
    output: String,

    #[command(flatten)]
    tags: Tags,

    #[command(flatten)]
    gates: GateArgs,
}

impl Diff {
    pub(crate) fn run(&self) -> ExitCode {
        let sides = [&self.old, &self.new].map(|it| definitions(it, self.tags));
        let [Ok(old), Ok(new)] = &sides else {
            for why in sides.iter().filter_map(|it| it.as_ref().err()).flatten() {
                complain(why);
            }
            return ExitCode::from(UNUSABLE);
        };
        let gates = self.gates.gates(None);
        let report = match gates.and_then(|it| diff::compare(old, new, &it)) {
            Ok(report) => report,
            Err(why) => {
                complain(&why);
                return ExitCode::from(UNUSABLE);
            }
        };
        if !show(&self.output, || diff::text(&report), || diff::value(&report)) {
            return ExitCode::from(UNUSABLE);
        }
        ExitCode::from(if report.is_breaking() { FINDINGS } else { CLEAN })
    }
}

/// The definitions that one side names.
fn definitions(named: &str, tags: Tags) -> Result<Vec<Value>, Vec<String>> {
    let place = named.trim_end_matches("/...");
    if Path::new(place).exists() || named == "-" {
        return if has_go(Path::new(place)) {
            definitions_of_types(&[named.to_owned()], tags)
        } else {
            let (texts, failed) = source::read_all(&[named.to_owned()]);
            if !failed.is_empty() {
                return Err(failed.iter().map(ToString::to_string).collect());
            }
            of_manifests(named, &texts)
        };
    }
    let Some((revision, path)) = named.split_once(':') else {
        return Err(vec![format!("{named}: no such file, and no REV:path")]);
    };
    let path = path.trim_start_matches("./").trim_end_matches('/');
    let below = path.trim_end_matches("/...").to_owned();
    let wanted = |file: &Path| {
        let name = file.file_name().and_then(|it| it.to_str()).unwrap_or_default();
        source::is_manifest(file) || name.ends_with(".go") || name == "go.mod"
    };
    let files = history::files(Path::new("."), revision, &wanted);
    let files = files.map_err(|error| vec![error.to_string()])?;
    let inside =
        |name: &str| name == below || name.starts_with(&format!("{below}/")) || below.is_empty();
    if files.iter().any(|it| inside(&it.name) && it.name.ends_with(".go")) {
        let mut memory = MemorySource::new();
        for file in &files {
            memory.insert(file.name.clone(), String::from_utf8_lossy(&file.text).into_owned());
        }
        return definitions_of(&load_types(&memory, &[path.to_owned()], tags), tags);
    }
    let texts: Vec<_> = files.into_iter().filter(|it| inside(&it.name)).collect();
    of_manifests(named, &texts)
}

fn of_manifests(named: &str, texts: &[source::Source]) -> Result<Vec<Value>, Vec<String>> {
    let mut found = Vec::new();
    for text in texts {
        let contents = manifest::read(0, text);
        if let Some(broken) = contents.broken.first() {
            return Err(vec![format!("{}: {}", text.name, broken.message)]);
        }
        let definitions = contents.manifests.into_iter().filter(|it| it.is_definition());
        found.extend(definitions.map(|it| it.value));
    }
    if found.is_empty() { Err(vec![format!("{named}: no definition there")]) } else { Ok(found) }
}

/// Whether a directory, or one below it, holds Go files.
pub(crate) fn has_go(place: &Path) -> bool {
    if place.is_file() {
        return false;
    }
    let files = ignore::WalkBuilder::new(place).require_git(false).build();
    files.filter_map(Result::ok).any(|it| it.path().extension().is_some_and(|it| it == "go"))
}
