//! `ordain validate`: the server's verdict on manifests, without a server.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use ordain_check::history::History;
use ordain_check::report::{self, Format, Style};
use ordain_check::source;

use super::complain;

/// Exit codes: clean, findings, bad usage or unreadable input.
pub(crate) const CLEAN: u8 = 0;
pub(crate) const FINDINGS: u8 = 1;
pub(crate) const UNUSABLE: u8 = 2;

const EXAMPLES: &str = "\
Examples:
  # Everything below a directory; definitions among the files say what kinds there are
  ordain validate manifests/

  # What Kustomize makes, with definitions from elsewhere
  kustomize build overlays/prod | ordain validate --crds crds/ -

  # Judge the change since main: transition rules, immutable fields, ratcheting
  ordain validate --against main manifests/

  # Annotations on a pull request; code scanning
  ordain validate -o github manifests/
  ordain validate -o sarif manifests/ > ordain.sarif

Exit codes: 0 clean, 1 findings, 2 bad usage or unreadable input, 3 internal error.";

/// Judge manifests exactly as the API server would.
///
/// Decodes strictly, prunes, defaults and validates every object with schema, list types and CEL
/// rules, and reports each refusal at its file, line and column in the server's own words. Kinds
/// without a schema are reported, never passed in silence. Nothing is fetched.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Validate {
    /// Files, directories (YAML and JSON below them, as .gitignore allows), or - for standard input
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<String>,

    /// Files or directories with CustomResourceDefinitions that are used but not judged
    #[arg(long, value_name = "PATH", alias = "schema-location")]
    crds: Vec<String>,

    /// Judge changes of the objects that this git revision holds, as updates
    #[arg(long, value_name = "REV")]
    against: Option<String>,

    /// Count kinds without a schema instead of reporting them
    #[arg(long)]
    ignore_missing_schemas: bool,

    /// Kinds to leave out: Kind, group/Kind or group/version/Kind
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    skip: Vec<String>,

    /// The form of the report
    #[arg(short, long, default_value = "text", value_parser = ["text", "json", "yaml", "junit", "tap", "sarif", "github", "gitlab"])]
    output: String,

    /// Colours: on a terminal only, always, or never
    #[arg(long, default_value = "auto", value_parser = ["auto", "always", "never"])]
    color: String,

    /// Close the text report with a line of counts even when it is clean
    #[arg(long)]
    summary: bool,
}

impl Validate {
    pub(crate) fn run(&self) -> ExitCode {
        let (sources, mut failed) = source::read_all(&self.paths);
        let (definitions, unread) = source::read_all(&self.crds);
        failed.extend(unread);
        for failure in &failed {
            complain(&failure.to_string());
        }
        let history = match self.history() {
            Ok(history) => history,
            Err(why) => {
                complain(&why);
                return ExitCode::from(UNUSABLE);
            }
        };
        let options = ordain_check::Options {
            ignore_missing_schemas: self.ignore_missing_schemas,
            skip: self.skip.clone(),
            history,
            base: self.against.clone().unwrap_or_default(),
        };
        let outcome = ordain_check::validate(&sources, &definitions, &options);
        let style = Style {
            colours: wants_colours(&self.color),
            summary: self.summary || !outcome.findings.is_empty(),
        };
        let format = Format::from_name(&self.output).unwrap_or(Format::Text);
        let written = report::write(&outcome, format, style);
        if std::io::stdout().lock().write_all(written.as_bytes()).is_err() {
            return ExitCode::from(UNUSABLE);
        }
        if !failed.is_empty() {
            return ExitCode::from(UNUSABLE);
        }
        ExitCode::from(if outcome.errors() > 0 { FINDINGS } else { CLEAN })
    }

    fn history(&self) -> Result<Option<History>, String> {
        let Some(revision) = &self.against else { return Ok(None) };
        let first = self.paths.iter().find(|path| *path != "-");
        let at = first.map_or(Path::new("."), Path::new);
        let directory: PathBuf = match (at.is_dir(), at.parent()) {
            (true, _) => at.to_path_buf(),
            (false, Some(parent)) if parent != Path::new("") => parent.to_path_buf(),
            _ => PathBuf::from("."),
        };
        History::read(&directory, revision).map(Some).map_err(|error| error.to_string())
    }
}

/// Whether standard output takes colours.
pub(crate) fn wants_colours(choice: &str) -> bool {
    match choice {
        "always" => true,
        "never" => false,
        _ => std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
    }
}
