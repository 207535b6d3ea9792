//! `ordain validate`: the server's verdict on manifests, without a server.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use ordain_check::history::History;
use ordain_check::policy::{Annotation, PolicyOptions, User};
use ordain_check::report::{self, Format, Style};
use ordain_check::source::{Trouble, Unreadable};
use ordain_check::{Input, Outcome, finding, foreign, source};
use ordain_go::regex::GoRegex;

use super::kinds::{self, Kinds};
use super::render::Rendered;
use super::{complain, note};
use crate::kubeconform::Place;

/// Exit codes: clean, findings, bad usage or unreadable input.
pub(crate) const CLEAN: u8 = 0;
pub(crate) const FINDINGS: u8 = 1;
pub(crate) const UNUSABLE: u8 = 2;

/// The way out for those who expect nothing.
const EMPTY: &str = "--allow-empty takes that";

/// The names of all forms of a report.
pub(crate) const FORMS: [&str; 8] =
    ["text", "json", "yaml", "junit", "tap", "sarif", "github", "gitlab"];

const EXAMPLES: &str = "\
Examples:
  # Everything below a directory; definitions among the files say what kinds there are
  ordain validate manifests/

  # What Kustomize and Helm make, with definitions from elsewhere
  ordain validate --crds crds/ --kustomize overlays/prod
  ordain validate --crds crds/ --helm charts/web --values prod.yaml
  kustomize build overlays/prod | ordain validate --crds crds/ -

  # Custom resources without a cluster, after one import
  ordain schemas add --cluster
  ordain validate manifests/

  # Judge the change since main: transition rules, immutable fields, ratcheting
  ordain validate --against main manifests/

  # Admission policies among the files judge all of them; others are named
  ordain validate --policies policies/ --as ann --as-group devs manifests/

  # Annotations on a pull request; code scanning
  ordain validate -o github manifests/
  ordain validate -o sarif manifests/ > ordain.sarif

Exit codes: 0 clean, 1 findings, 2 bad usage or unreadable input, 3 internal error.";

/// Validate manifests exactly as the API server would.
///
/// Decodes strictly, prunes, defaults and validates every object with schema, list types and CEL
/// rules, and reports each refusal at its file, line and column in the server's own words. Kinds
/// without a schema are reported, never passed in silence. Nothing is fetched unless a cluster is
/// asked for.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Validate {
    /// Files, directories (YAML and JSON below them, as .gitignore allows), patterns such as
    /// 'apps/**/*.yaml', or - for standard input
    #[arg(value_name = "PATH")]
    paths: Vec<String>,

    #[command(flatten)]
    rendered: Rendered,

    #[command(flatten)]
    kinds: Kinds,

    /// As kubeconform's: a folder of schemas on this machine, or a template of the names of files
    #[arg(long, value_name = "PATH", hide = true)]
    schema_location: Vec<String>,

    /// Validate as updates of the objects in this git revision
    #[arg(long, value_name = "REV")]
    against: Option<String>,

    /// Validate as updates of the objects in the cluster of the kubeconfig
    #[arg(long, conflicts_with = "against")]
    against_cluster: bool,

    /// Count kinds without a schema instead of reporting them
    #[arg(long)]
    ignore_missing_schemas: bool,

    /// Kinds to skip: Kind, group/Kind or group/version/Kind
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    skip: Vec<String>,

    /// Kinds to reject, written as for --skip
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    reject: Vec<String>,

    /// Succeed when there is nothing to validate: no file in a directory, nothing on standard input
    #[arg(long)]
    allow_empty: bool,

    /// Validate documents that SOPS has encrypted; by default they are skipped
    #[arg(long)]
    strict_sops: bool,

    /// Skip named files that are not manifests, as in directories; by default they are errors
    #[arg(long)]
    skip_others: bool,

    /// List the files that are not manifests
    #[arg(short, long)]
    verbose: bool,

    /// Skip files whose path matches this regular expression (may be repeated)
    #[arg(long, value_name = "REGEX")]
    ignore_filename_pattern: Vec<String>,

    #[command(flatten)]
    policed: Policed,

    /// Show the audit annotations that policies produce
    #[arg(long, help_heading = "Policies")]
    show_audit: bool,

    #[command(flatten)]
    form: Form,
}

/// Admission policies, and who writes.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Policies")]
pub(crate) struct Policed {
    /// Files or directories with admission policies and bindings, and with the namespaces,
    /// parameters and roles that they look at; used besides the inputs, without validating them (may
    /// be repeated)
    #[arg(long, value_name = "PATH")]
    policies: Vec<String>,

    /// The user who writes the objects [default: an administrator]
    #[arg(long = "as", value_name = "USER")]
    user: Option<String>,

    /// A group of that user (may be repeated)
    #[arg(long, value_name = "GROUP", requires = "user")]
    as_group: Vec<String>,
}

impl Policed {
    /// What policies are read from, and who writes.
    ///
    /// # Errors
    /// With a line for each file that cannot be read.
    pub(crate) fn options(&self) -> Result<PolicyOptions, Vec<String>> {
        let (sources, failed) = source::read_all(&self.policies);
        if !failed.is_empty() {
            return Err(failed.iter().map(ToString::to_string).collect());
        }
        let named = self.user.as_ref().map(|name| {
            let groups = self.as_group.iter().map(|it| it.as_str().into()).collect();
            User { name: name.as_str().into(), groups, ..User::default() }.authenticated()
        });
        Ok(PolicyOptions { sources, user: named.unwrap_or_else(User::everybody) })
    }
}

/// How findings are reported.
#[derive(Debug, Args)]
#[command(next_help_heading = "Report")]
pub(crate) struct Form {
    /// Format of the report
    #[arg(short, long, default_value = "text", value_parser = FORMS)]
    output: String,

    /// When to use colors
    #[arg(long, default_value = "auto", value_parser = ["auto", "always", "never"])]
    color: String,

    /// End the text report with a summary line even when there are no findings
    #[arg(long)]
    summary: bool,

    /// Fail when there are more warnings than this
    #[arg(long, value_name = "N")]
    max_warnings: Option<usize>,
}

impl Form {
    fn format(&self) -> Format {
        Format::from_name(&self.output).unwrap_or(Format::Text)
    }

    /// Whether people read it.
    pub(crate) fn is_text(&self) -> bool {
        self.output == "text"
    }

    /// Writes a report and returns the exit code.
    pub(crate) fn write(&self, outcome: &Outcome) -> u8 {
        let style = Style {
            colours: wants_colours(&self.color),
            summary: self.summary || !outcome.findings.is_empty(),
        };
        let written = report::write(outcome, self.format(), style);
        if std::io::stdout().lock().write_all(written.as_bytes()).is_err() {
            return UNUSABLE;
        }
        let many = self.max_warnings.is_some_and(|it| outcome.warnings() > it);
        if outcome.errors() > 0 || many { FINDINGS } else { CLEAN }
    }
}

impl Validate {
    pub(crate) fn run(&self) -> ExitCode {
        ExitCode::from(self.judge().unwrap_or_else(|wrong| {
            wrong.iter().for_each(|it| complain(it));
            UNUSABLE
        }))
    }

    fn judge(&self) -> Result<u8, Vec<String>> {
        let (inputs, failed) = self.inputs()?;
        let gathered = self.kinds()?.gather(Some(&inputs))?;
        let (history, base) = self.history(&inputs).map_err(|why| vec![why])?;
        let options = ordain_check::Options {
            ignore_missing_schemas: self.ignore_missing_schemas,
            skip: self.skip.clone(),
            reject: self.reject.clone(),
            history,
            base,
            judge_encrypted: self.strict_sops,
            policies: self.policed.options()?,
        };
        let (mut outcome, unread) =
            ordain_check::validate_inputs(&inputs, gathered.catalog, &options);
        outcome.findings.splice(0..0, gathered.broken);
        let of = |trouble: Trouble| failed.iter().filter(move |it| it.trouble == trouble);
        let dangling = of(Trouble::Dangling).map(finding::dangling);
        outcome.findings.extend(dangling);
        if self.form.format().lists_sources() {
            outcome.name_sources(&inputs, &unread);
        }
        let code = self.form.write(&outcome);
        self.report(&outcome);
        let mut unreadable: Vec<String> =
            of(Trouble::Failed).chain(&unread).map(ToString::to_string).collect();
        if !self.allow_empty {
            unreadable.extend(of(Trouble::Empty).map(|it| format!("{it} ({EMPTY})")));
        }
        if unreadable.is_empty() && outcome.is_empty() && !self.allow_empty {
            unreadable.push(format!("{}: there is no manifest to judge ({EMPTY})", self.asked()));
        }
        if unreadable.is_empty() { Ok(code) } else { Err(unreadable) }
    }

    /// What is to be judged.
    fn inputs(&self) -> Result<(Vec<Input>, Vec<Unreadable>), Vec<String>> {
        let unnamed = || vec!["name files or directories to judge, or - for standard input".into()];
        let rendered = self.rendered.inputs()?;
        let paths = match self.paths.as_slice() {
            [] if !rendered.is_empty() => Vec::new(),
            // What is piped in needs no name, but has to be there.
            [] if is_piped() => vec!["-".to_owned()],
            [] => return Err(unnamed()),
            named => named.to_vec(),
        };
        let ignored = patterns(&self.ignore_filename_pattern).map_err(|why| vec![why])?;
        let (mut inputs, failed) =
            source::inputs(&paths, &|path| ignored.iter().any(|it| it.is_match(path)));
        if self.skip_others {
            inputs = inputs.into_iter().map(Input::found_where_named).collect();
        }
        inputs.splice(0..0, rendered);
        if !self.allow_empty {
            let mut blank = inputs.iter().filter(|it| it.is_blank_text());
            let why = |it: &Input| vec![format!("{}: there is nothing in it ({EMPTY})", it.name())];
            if let Some(blank) = blank.next_back() {
                return Err(
                    if self.paths.is_empty() && inputs.len() == 1 && !self.rendered.is_asked() {
                        unnamed()
                    } else {
                        why(blank)
                    },
                );
            }
        }
        Ok((inputs, failed))
    }

    /// What was asked for, in words.
    fn asked(&self) -> String {
        match self.paths.as_slice() {
            [] => "standard input".to_owned(),
            paths => paths.join(", "),
        }
    }

    /// Tells by the way what was left out and why.
    fn report(&self, outcome: &Outcome) {
        outcome.notes.iter().for_each(|it| note(it));
        if self.show_audit && self.form.is_text() {
            outcome.annotations.iter().for_each(|it| super::say(&annotation(it)));
        }
        if outcome.encrypted > 0 {
            let (many, what) = counted(outcome.encrypted, "document is", "documents are");
            note(&format!(
                "{many} {what} encrypted by SOPS and not judged; --strict-sops judges them"
            ));
        }
        let Some(summary) = foreign::summary(&outcome.others) else { return };
        let more = if self.verbose { "" } else { "; -v lists them" };
        note(&format!("{summary}{more}"));
        for other in outcome.others.iter().filter(|_| self.verbose) {
            let line = other.line.map(|it| format!(":{it}")).unwrap_or_default();
            note(&format!("  {}{line}: {}", other.file, other.what.name()));
        }
    }

    /// The places of kinds, kubeconform's locations included.
    fn kinds(&self) -> Result<Kinds, Vec<String>> {
        let mut kinds = self.kinds.clone();
        for given in &self.schema_location {
            match crate::kubeconform::location(given) {
                Ok(Place::Default) => note("schema location \"default\": Kubernetes is built in"),
                Ok(Place::Template(template)) => kinds.templates.push(template),
                // A store as `ordain schemas` fills it.
                Ok(Place::Folder(place)) if kinds.schemas.is_none() && is_store(&place) => {
                    kinds.schemas = Some(PathBuf::from(place));
                }
                Ok(Place::Folder(place)) => match folder(&place) {
                    Some(template) => kinds.templates.push(template),
                    None => kinds.crds.push(place),
                },
                Err(why) => return Err(vec![why]),
            }
        }
        Ok(kinds)
    }

    /// The old objects, and the name of where they come from.
    fn history(&self, inputs: &[Input]) -> Result<(Option<History>, String), String> {
        if self.against_cluster {
            let cluster = self.kinds.connection.connect()?;
            let mut history = History::default();
            for object in cluster.objects(&kinds::objects(inputs))? {
                history.add_object(&object);
            }
            return Ok((Some(history), "the cluster".to_owned()));
        }
        let Some(revision) = &self.against else { return Ok((None, String::new())) };
        let named = self.paths.iter().map(Path::new);
        let mut paths: Vec<&Path> = named.filter(|it| it.is_dir() || it.is_file()).collect();
        if paths.is_empty() {
            paths.push(Path::new("."));
        }
        let history = History::read_all(&paths, revision).map_err(|error| error.to_string())?;
        Ok((Some(history), revision.clone()))
    }
}

/// An audit annotation as a line.
fn annotation(annotation: &Annotation) -> String {
    let Annotation { object, location, key, value } = annotation;
    format!("audit {}:{}: {object}: {key}: {value}", location.file, location.line)
}

/// Whether something stands behind standard input that was meant to be read: a pipe or a file.
fn is_piped() -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let about = std::fs::metadata("/dev/stdin").map(|it| it.file_type());
        about.is_ok_and(|it| it.is_fifo() || it.is_file() || it.is_socket())
    }
    #[cfg(not(unix))]
    {
        false
    }
}

/// A number with the right one of two words.
fn counted<'w>(number: usize, one: &'w str, many: &'w str) -> (usize, &'w str) {
    (number, if number == 1 { one } else { many })
}

/// Regular expressions as Go, and so kubeconform, reads them.
fn patterns(texts: &[String]) -> Result<Vec<GoRegex>, String> {
    let compiled = texts.iter().map(|text| {
        GoRegex::new(text).map_err(|error| format!("--ignore-filename-pattern {text}: {error}"))
    });
    compiled.collect()
}

/// The template of a folder of JSON Schemas with the names that `ordain gen jsonschema` and
/// collections of schemas give them; none when it holds something else.
fn folder(place: &str) -> Option<String> {
    let name = |it: &str| it.rsplit_once('_').is_some_and(|(_, version)| version.starts_with('v'));
    let (files, _) = source::expand(&[place.to_owned()]);
    let is_named = |it: &PathBuf| {
        let is_json = it.extension().is_some_and(|it| it == "json");
        is_json && it.file_stem().and_then(|it| it.to_str()).is_some_and(name)
    };
    let all = !files.is_empty() && files.iter().all(is_named);
    all.then(|| {
        format!("{place}/{{{{.Group}}}}/{{{{.ResourceKind}}}}_{{{{.ResourceAPIVersion}}}}.json")
    })
}

/// Whether a folder looks like a schema store: groups, versions, kinds.
fn is_store(place: &str) -> bool {
    !ordain_check::Store::new(place).kinds().is_empty()
}

/// Whether standard output takes colours.
pub(crate) fn wants_colours(choice: &str) -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|it| !it.is_empty() && it != "0");
    match choice {
        "always" => true,
        "never" => false,
        _ if set("NO_COLOR") => false,
        _ if set("CLICOLOR_FORCE") => true,
        _ => std::io::stdout().is_terminal(),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[test]
    fn files_to_judge_may_follow_a_policy() {
        #[derive(Debug, Parser)]
        struct Line {
            #[command(flatten)]
            policed: Policed,
            paths: Vec<String>,
        }
        let words = ["ordain", "--policies", "a/", "--policies", "b.yaml", "web.yaml", "job.yaml"];
        let line = Line::try_parse_from(words).expect("a command line");
        assert_eq!(line.policed.policies, ["a/", "b.yaml"]);
        assert_eq!(line.paths, ["web.yaml", "job.yaml"]);
    }
}
