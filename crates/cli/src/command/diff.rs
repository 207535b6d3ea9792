//! `ordain diff`: whether a change of a definition is safe.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use ordain_check::diff::{self, Defined, Report, Safety};
use ordain_check::lint::Exceptions;
use ordain_check::report::{self, Format, Style};
use ordain_check::{Disk, Source, history, manifest, source};
use ordain_idl::lower::is_custom_style;
use ordain_idl::{MemorySource, Universe};
use ordain_value::Value;

use super::author::{put, show};
use super::complain;
use super::gates::GateArgs;
use super::kinds::{Tags, go_pattern, load_types, schemas_of};
use super::lint::today;
use super::validate::{CLEAN, FINDINGS, FORMS, UNUSABLE};

/// Report whether a change of CRDs is safe, with a counterexample where it is not.
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
    /// The old definitions: a file or directory, a directory of Go types, or REV:path in git
    old: String,
    /// The new definitions, named in the same ways
    new: String,
    /// Format of the report
    #[arg(short, long, default_value = "text", value_parser = FORMS)]
    output: String,

    /// The least severe change that makes the command fail
    #[arg(long, value_name = "SAFETY", default_value = "breaking",
          value_parser = ["breaking", "ratcheted", "none"])]
    fail_on: String,

    /// A file of changes that are accepted: `kind: DiffExceptions`, with rule (breaking or
    /// ratcheted), path, owner, reason and expires
    #[arg(long, value_name = "FILE")]
    exceptions: Option<PathBuf>,

    #[command(flatten)]
    tags: Tags,

    #[command(flatten)]
    gates: GateArgs,
}

impl Diff {
    pub(crate) fn run(&self) -> ExitCode {
        let code = self.compare().unwrap_or_else(|wrong| {
            wrong.iter().for_each(|it| complain(it));
            UNUSABLE
        });
        ExitCode::from(code)
    }

    fn compare(&self) -> Result<u8, Vec<String>> {
        let sides = [&self.old, &self.new].map(|it| definitions(it, self.tags));
        let [Ok(old), Ok(new)] = &sides else {
            let wrong = sides.into_iter().filter_map(Result::err);
            return Err(wrong.flatten().collect());
        };
        let values = |side: &[Side]| -> Vec<Value> { side.iter().map(Side::value).collect() };
        let gates = self.gates.gates(None).map_err(|why| vec![why])?;
        let is_sent = |side: &[Side]| side.iter().any(|it| !matches!(it, Side::Declared(_)));
        let are_sent = is_sent(old) || is_sent(new);
        let report = diff::compare_as(&values(old), &values(new), &gates, are_sent);
        let mut report = report.map_err(|why| vec![why])?;
        self.except(&mut report).map_err(|why| vec![why])?;
        let written = match Format::from_name(&self.output) {
            Some(form @ (Format::Junit | Format::Tap | Format::Sarif)) => {
                self.as_findings(form, &report, new)
            }
            Some(form @ (Format::Github | Format::Gitlab)) => self.as_findings(form, &report, new),
            _ => show(&self.output, || diff::text(&report), || diff::value(&report)),
        };
        if !written {
            return Ok(UNUSABLE);
        }
        let fails = match self.fail_on.as_str() {
            "ratcheted" => report.is_at_least(Safety::Ratcheted),
            "none" => false,
            _ => report.is_breaking(),
        };
        Ok(if fails { FINDINGS } else { CLEAN })
    }

    fn as_findings(&self, form: Format, report: &Report, new: &[Side]) -> bool {
        let defined: Vec<Defined> = new.iter().filter_map(Side::defined).collect();
        let mut outcome = diff::outcome(report, &defined);
        outcome.sources = defined.iter().map(|it| it.source.name.clone()).collect();
        for finding in outcome.findings.iter_mut().filter(|it| it.location.file.is_empty()) {
            finding.location.file.clone_from(&self.new);
            finding.location.line = 1;
            finding.location.column = 1;
            finding.location.end_line = 1;
            finding.location.end_column = 1;
        }
        put(&report::write(&outcome, form, Style::default()))
    }

    /// Takes out the changes that were accepted.
    fn except(&self, report: &mut Report) -> Result<(), String> {
        let Some(file) = &self.exceptions else { return Ok(()) };
        let text = std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
        let text = Source::new(file.display().to_string(), text);
        let is_rule = |rule: &str| matches!(rule, "breaking" | "ratcheted");
        let exceptions = Exceptions::decode_as(text, "DiffExceptions", &is_rule)
            .map_err(|why| format!("{}: {why}", file.display()))?;
        let day = today();
        report
            .changes
            .retain(|change| !exceptions.excepts(change.safety.name(), &change.id(), &day));
        Ok(())
    }
}

/// A definition of one side, with its place if it has one.
enum Side {
    /// Made from Go types that are served as definitions.
    Made(Value),
    /// Made from Go types that are served themselves.
    Declared(Value),
    Written(Box<Defined>),
}

impl Side {
    fn value(&self) -> Value {
        match self {
            Side::Made(value) | Side::Declared(value) => value.clone(),
            Side::Written(defined) => defined.manifest.value.clone(),
        }
    }

    fn defined(&self) -> Option<Defined> {
        match self {
            Side::Made(_) | Side::Declared(_) => None,
            Side::Written(defined) => Some((**defined).clone()),
        }
    }
}

/// The definitions that one side names.
fn definitions(named: &str, tags: Tags) -> Result<Vec<Side>, Vec<String>> {
    let place = named.split("...").next().unwrap_or(named);
    if Path::new(place).exists() || named == "-" {
        return if let Some(pattern) = go_pattern(&Disk, named) {
            of_types(&load_types(&Disk, &[pattern], tags))
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
    let below = path
        .split_once("...")
        .map_or(path, |(fixed, _)| fixed.rsplit_once('/').map_or("", |(folder, _)| folder));
    let inside = |name: &str| {
        let rest = name.strip_prefix(below);
        rest.is_some_and(|it| it.is_empty() || it.starts_with('/') || below.is_empty())
    };
    let read = |wanted: &dyn Fn(&str) -> bool| {
        let files = history::files(Path::new("."), revision, &|file, name| {
            let is_go = file.extension().is_some_and(|it| it == "go") || file.ends_with("go.mod");
            (source::is_manifest(file) || is_go) && wanted(name)
        });
        files.map_err(|error| vec![error.to_string()])
    };
    let files = read(&inside)?;
    if files.iter().any(|it| it.name.ends_with(".go")) {
        // Types may come from other packages of the repository.
        let mut memory = MemorySource::new();
        for file in read(&|name| !source::is_manifest(Path::new(name)))? {
            memory.insert(file.name.clone(), String::from_utf8_lossy(&file.text).into_owned());
        }
        let pattern = go_pattern(&memory, path).unwrap_or_else(|| path.to_owned());
        return of_types(&load_types(&memory, &[pattern], tags));
    }
    of_manifests(named, &files)
}

fn of_types(universe: &Universe) -> Result<Vec<Side>, Vec<String>> {
    let custom = universe.requested().any(|package| is_custom_style(universe, package));
    let side = if custom { Side::Made } else { Side::Declared };
    schemas_of(universe).map(|it| it.into_iter().map(side).collect())
}

fn of_manifests(named: &str, texts: &[Source]) -> Result<Vec<Side>, Vec<String>> {
    let mut found = Vec::new();
    for text in texts {
        let contents = manifest::read(0, text);
        if let Some(broken) = contents.broken.first() {
            return Err(vec![format!("{}: {}", text.name, broken.message)]);
        }
        let definitions = contents.manifests.into_iter().filter(|it| it.is_definition());
        found.extend(
            definitions.map(|manifest| {
                Side::Written(Box::new(Defined { source: text.clone(), manifest }))
            }),
        );
    }
    if found.is_empty() { Err(vec![format!("{named}: no definition there")]) } else { Ok(found) }
}
