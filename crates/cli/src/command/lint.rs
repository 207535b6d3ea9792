//! `ordain lint`: definitions and Go types under the eyes of an API reviewer.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use ordain_check::lint::{self, Baseline, Exceptions, Lint as Found};
use ordain_check::{Disk, Gates, Outcome, Source, Tool, history, source};
use ordain_gen::crd;
use ordain_idl::{FileSource, MemorySource, Universe};
use ordain_meta::time::Time;

use super::gates::GateArgs;
use super::kinds::{Tags, go_pattern, load_packages};
use super::validate::{CLEAN, Form, UNUSABLE};
use super::{complain, note, say};

/// Review CRDs and Go types for design mistakes that the API server accepts.
///
/// Rules have stable ids (--rules lists them). Findings name their place by object path, so that an
/// exceptions file and a baseline survive moved lines.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ordain lint crds/ api/v1/
  ordain lint --new-from main api/            # only what the change brings
  ordain lint --write-baseline lint.yaml crds/ && ordain lint --baseline lint.yaml crds/
  ordain lint --fix api/
  ordain lint --rules

Exit codes: 0 clean, 1 findings, 2 bad usage or unreadable input, 3 internal error.")]
pub(crate) struct Lint {
    /// Files or directories with CustomResourceDefinitions or Go types; `dir/...` names Go packages
    /// alone
    #[arg(value_name = "PATH")]
    paths: Vec<String>,

    /// List the rules
    #[arg(long)]
    rules: bool,

    /// Disable these rules
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    disable: Vec<String>,

    /// Enable these rules, which are off by default
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    enable: Vec<String>,

    /// Markers that must not be used, by name without the plus sign
    #[arg(long, value_name = "MARKER", value_delimiter = ',')]
    forbid_marker: Vec<String>,

    /// Report marker OLD and suggest NEW, as OLD=NEW
    #[arg(long, value_name = "OLD=NEW", value_delimiter = ',')]
    prefer_marker: Vec<String>,

    /// Check only these rules
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    only: Vec<String>,

    /// File of exceptions by object path, with owner, reason and expiry date
    #[arg(long, value_name = "FILE")]
    exceptions: Option<PathBuf>,

    /// Suppress the findings that this file lists
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,

    /// Write the findings to this file as a baseline and exit successfully
    #[arg(long, value_name = "FILE")]
    write_baseline: Option<PathBuf>,

    /// Report only findings that this git revision does not have
    #[arg(long, value_name = "REV")]
    new_from: Option<String>,

    /// Fix what can be fixed without changing its meaning
    #[arg(long)]
    fix: bool,

    #[command(flatten)]
    tags: Tags,

    #[command(flatten)]
    gates: GateArgs,

    #[command(flatten)]
    form: Form,
}

/// What is looked at.
struct Subjects {
    texts: Vec<Source>,
    types: Option<Universe>,
}

impl Lint {
    pub(crate) fn run(&self) -> ExitCode {
        if self.rules {
            for rule in &lint::RULES {
                let fix = if rule.fixable { ", --fix" } else { "" };
                let asked = if rule.opt_in { ", --enable" } else { "" };
                let also: String = rule.aliases.iter().map(|it| format!(", {it}")).collect();
                say(&format!(
                    "{}{also} ({}, {}{fix}{asked})",
                    rule.id,
                    rule.severity.name(),
                    rule.subject.words()
                ));
                say(&format!("    {}\n    {}", rule.about, rule.why));
            }
            return ExitCode::from(CLEAN);
        }
        ExitCode::from(self.review(self.fix).unwrap_or_else(|wrong| {
            wrong.iter().for_each(|it| complain(it));
            UNUSABLE
        }))
    }

    /// Reviews, or mends what can be mended and then reviews what is left.
    fn review(&self, fix: bool) -> Result<u8, Vec<String>> {
        if self.paths.is_empty() {
            return Err(vec!["name files or directories to look at".to_owned()]);
        }
        let mut named = self.disable.iter().chain(&self.only).chain(&self.enable);
        if let Some(unknown) = named.find(|it| lint::find(it).is_none()) {
            return Err(vec![format!("there is no rule {unknown}; --rules lists them")]);
        }
        let subjects = subjects(&self.paths, self.tags)?;
        let old = match &self.new_from {
            Some(revision) => Some(old_subjects(&self.paths, revision).map_err(|why| vec![why])?),
            None => None,
        };
        let before = old.as_ref().and_then(|it| it.types.as_ref());
        let gates = self.gates.gates(None).map_err(|why| vec![why])?;
        let mut found = self.found(&subjects, before, &gates);
        if let Some(old) = &old {
            Baseline::of(&self.found(old, None, &gates)).drop_known(&mut found);
        }
        self.drop_accepted(&mut found)?;
        if fix && mend(&found).map_err(|why| vec![why])? > 0 {
            return self.review(false);
        }
        if let Some(file) = &self.write_baseline {
            let text = Baseline::of(&found).encode();
            std::fs::write(file, text)
                .map_err(|error| vec![format!("{}: {error}", file.display())])?;
            note(&format!("{} findings are in {}", found.len(), file.display()));
            return Ok(CLEAN);
        }
        Ok(self.form.write(&outcome(&subjects, found)))
    }

    /// Drops findings that the project lives with: exceptions with a reason, and the baseline.
    fn drop_accepted(&self, found: &mut Vec<Found>) -> Result<(), Vec<String>> {
        if let Some(file) = &self.exceptions {
            let source = Source::new(file.to_string_lossy(), read(file)?);
            let exceptions = Exceptions::decode(source)
                .map_err(|why| vec![format!("{}: {why}", file.display())])?;
            exceptions.apply(found, &today());
        }
        if let Some(file) = &self.baseline {
            let baseline = Baseline::decode(&read(file)?)
                .map_err(|why| vec![format!("{}: {why}", file.display())])?;
            let known = baseline.drop_known(found);
            note(&format!("{known} findings of the baseline are left out"));
        }
        Ok(())
    }

    fn found(&self, subjects: &Subjects, before: Option<&Universe>, gates: &Gates) -> Vec<Found> {
        let mut found: Vec<Found> =
            subjects.texts.iter().flat_map(|it| lint::lint_definitions(it, gates)).collect();
        if let Some(types) = &subjects.types {
            found.extend(lint::lint_types(types, before));
            found.extend(lint::lint_markers(types, &self.forbid_marker, &self.preferred()));
            // Rules may speak of embedded metadata, which projects have generated or not.
            let options = crd::Options {
                allow_loss: true,
                generate_embedded_object_meta: true,
                ..crd::Options::default()
            };
            let made = crd::generate(types, &options);
            let complete = !made.has_errors();
            let definitions: Vec<_> =
                made.files.into_iter().filter(|_| complete).map(|it| it.crd).collect();
            found.extend(lint::lint_made(types, &made.diagnostics, &definitions, gates));
            // A type that is declared by another has its fields at the same places.
            let mut reported = BTreeSet::new();
            found.retain(|it| {
                let place = (it.finding.location.file.clone(), it.finding.location.bytes.start);
                reported.insert((it.finding.id, place, it.finding.message.clone()))
            });
        }
        found.retain(|it| self.wants(it.finding.id));
        found
    }

    /// Whether a rule is looked at.
    fn wants(&self, id: &str) -> bool {
        let named = |list: &[String]| {
            list.iter().any(|it| lint::find(it).is_some_and(|rule| rule.id == id))
        };
        let usual = lint::find(id).is_none_or(|it| !it.opt_in) || named(&self.enable);
        !named(&self.disable) && if self.only.is_empty() { usual } else { named(&self.only) }
    }

    /// Markers with those that are preferred to them.
    fn preferred(&self) -> Vec<(String, String)> {
        let pairs = self.prefer_marker.iter().filter_map(|it| it.split_once('='));
        pairs.map(|(old, new)| (old.to_owned(), new.to_owned())).collect()
    }
}

fn read(file: &Path) -> Result<Vec<u8>, Vec<String>> {
    std::fs::read(file).map_err(|error| vec![format!("{}: {error}", file.display())])
}

/// The day, `2026-11-16`; builds that must come out the same name their own.
pub(crate) fn today() -> String {
    let given = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|it| it.parse::<i64>().ok());
    let now = || {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
    };
    let time = Time::from_unix(given.unwrap_or_else(now), 0);
    time.encode().chars().take(10).collect()
}

/// The report: findings in the order of their places, and every file that was looked at.
fn outcome(subjects: &Subjects, found: Vec<Found>) -> Outcome {
    let mut findings: Vec<_> = found.into_iter().map(|it| it.finding).collect();
    findings.sort_by(|a, b| {
        let key = |it: &ordain_check::Finding| {
            (it.location.file.clone(), it.location.line, it.location.column, it.id)
        };
        key(a).cmp(&key(b))
    });
    let named = findings.iter().map(|it| it.location.file.clone());
    let files: BTreeSet<String> =
        subjects.texts.iter().map(|it| it.name.clone()).chain(named).collect();
    let sources: Vec<String> = files.into_iter().collect();
    Outcome {
        judged: sources.len(),
        files: sources.len(),
        findings,
        sources,
        tool: Tool::Lint,
        ..Outcome::default()
    }
}

fn is_go(path: &Path) -> bool {
    let name = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
    name.ends_with(".go") && !name.ends_with("_test.go")
}

/// The Go packages that some paths name: a pattern, a folder with all below it, the folder of a
/// file.
fn go_patterns(files: &dyn FileSource, paths: &[String]) -> Vec<String> {
    let folder = |path: &String| match Path::new(path).parent() {
        Some(folder) if is_go(Path::new(path)) => format!("./{}", folder.display()),
        _ => path.clone(),
    };
    paths.iter().map(folder).filter_map(|it| go_pattern(files, &it)).collect()
}

/// Whether a pattern was named, which may match what belongs to no API; who names a folder means
/// it.
fn is_wide(paths: &[String]) -> bool {
    paths.iter().any(|it| it.contains("..."))
}

fn subjects(paths: &[String], tags: Tags) -> Result<Subjects, Vec<String>> {
    let manifests: Vec<String> =
        paths.iter().filter(|it| !is_go(Path::new(it)) && !it.contains("...")).cloned().collect();
    let (texts, failed) = source::read_all(&manifests);
    if !failed.is_empty() {
        return Err(failed.iter().map(ToString::to_string).collect());
    }
    let patterns = go_patterns(&Disk, paths);
    let types =
        (!patterns.is_empty()).then(|| load_packages(&Disk, &patterns, tags, is_wide(paths)));
    if let Some(wrong) = paths.iter().find(|it| it.contains("...") && !patterns.contains(it)) {
        return Err(vec![format!("{wrong}: matches no Go package")]);
    }
    Ok(Subjects { texts, types })
}

fn old_subjects(paths: &[String], revision: &str) -> Result<Subjects, String> {
    let wanted = |file: &Path, _: &str| {
        source::is_manifest(file)
            || is_go(file)
            || file.file_name().is_some_and(|it| it == "go.mod")
    };
    let files =
        history::files(Path::new("."), revision, &wanted).map_err(|error| error.to_string())?;
    let inside = |name: &str| {
        paths.iter().any(|path| {
            let path = path.trim_start_matches("./").trim_end_matches('/');
            path.is_empty() || path == "." || name == path || name.starts_with(&format!("{path}/"))
        })
    };
    let mut memory = MemorySource::new();
    let mut texts = Vec::new();
    for file in files {
        if source::is_manifest(Path::new(&file.name)) {
            texts.extend(Some(file).filter(|it| inside(&it.name)));
            continue;
        }
        memory.insert(file.name, String::from_utf8_lossy(&file.text).into_owned());
    }
    let patterns = go_patterns(&memory, paths);
    let types = (!patterns.is_empty())
        .then(|| load_packages(&memory, &patterns, Tags::default(), is_wide(paths)));
    Ok(Subjects { texts, types })
}

/// Makes the changes, prints them, and returns how many there are.
fn mend(found: &[Found]) -> Result<usize, String> {
    let mut all = 0;
    let files: BTreeSet<&str> =
        found.iter().filter_map(|it| it.fix.as_ref()).map(|it| it.file.as_str()).collect();
    for file in files {
        let fixes: Vec<_> =
            found.iter().filter_map(|it| it.fix.as_ref()).filter(|it| it.file == file).collect();
        let text = std::fs::read(file).map_err(|error| format!("{file}: {error}"))?;
        let (mended, made) = lint::apply(&text, &fixes);
        std::fs::write(file, mended).map_err(|error| format!("{file}: {error}"))?;
        note(&format!("{file}: {made} mended"));
        all += made;
    }
    Ok(all)
}
