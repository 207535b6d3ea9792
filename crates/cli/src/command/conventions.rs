//! `ordain conventions`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use ordain_conventions::{self as conventions, Exception, Report, Verdict};
use ordain_host::manifest;
use ordain_registry::Registry;
use ordain_registry::declarations;
use ordain_schema::changes::{changes, ungated_fields};
use ordain_value::{Value, json, value};

use crate::command::types::{self, TypeArgs};
use crate::command::{Failure, complain, say};

/// Check that kinds keep the API conventions: what writes wipe and keep, generation, gates.
///
/// Runs against a server of its own in memory. Exits with 0 when all kinds keep them, with 1 when
/// one does not, with 2 when the kinds cannot be read.
#[derive(Debug, Args)]
pub(crate) struct Conventions {
    #[command(flatten)]
    types: TypeArgs,
    /// Check the kinds that the CRDs in this file or directory define (may be repeated).
    #[arg(long, value_name = "PATH")]
    crds: Vec<PathBuf>,
    /// An older state of the types: new fields need a feature gate (may be repeated).
    #[arg(long, value_name = "DIR")]
    against: Vec<String>,
    /// Objects of the kinds to begin with, instead of those that the schemas alone give: for kinds
    /// whose rules refuse these (a file or folder, may be repeated).
    #[arg(long, value_name = "PATH")]
    examples: Vec<PathBuf>,
    /// Format of the report.
    #[arg(short, long, value_enum, default_value_t = Format::Text)]
    output: Format,
    /// Check the built-in kinds as well.
    #[arg(long)]
    all: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

/// The exit code when the kinds cannot be read.
const UNREADABLE: u8 = 2;

impl Conventions {
    pub(crate) fn run(self) -> ExitCode {
        let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => {
                complain(&format!("cannot start: {error}"));
                return ExitCode::from(UNREADABLE);
            }
        };
        match runtime.block_on(self.check()) {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::FAILURE,
            Err(why) => {
                complain(&why);
                ExitCode::from(UNREADABLE)
            }
        }
    }

    async fn check(&self) -> Result<bool, Failure> {
        let declared = self.types.load()?;
        let gates = Arc::new(self.types.gates(&declared.api)?);
        let registry = Registry::repeatable().with_gates(gates);
        registry.start().await.map_err(|status| status.message)?;
        types::serve(&registry, &declared).await?;
        manifest::load(&registry, &self.crds).await?;
        let examples = self.examples(&registry)?;
        let mut report = conventions::run_with(&registry, &self.exceptions()?, &examples).await;
        if !self.all {
            report.keep_custom_kinds(&registry);
        }
        let ungated = self.ungated(&declared)?;
        self.show(&report, &ungated);
        Ok(report.is_clean() && ungated.is_empty())
    }

    /// The user's examples, each of a kind that is looked at.
    fn examples(&self, registry: &Registry) -> Result<Vec<Value>, Failure> {
        let catalog = registry.catalog();
        let mut out = Vec::new();
        for (file, object) in manifest::read_all(&self.examples)? {
            let gvk = ordain_registry::object::gvk(&object);
            let is = |it: &ordain_registry::RestConfig| {
                it.group == gvk.group && it.kind == gvk.kind && it.served(&gvk.version).is_some()
            };
            if !catalog.iter().any(|it| is(it)) {
                let file = file.display();
                return Err(format!("{file}: {} {} is not served", gvk.group_version(), gvk.kind));
            }
            out.push(object);
        }
        Ok(out)
    }

    /// The exceptions for the server's own kinds, and those of the user.
    fn exceptions(&self) -> Result<Vec<Exception>, Failure> {
        let mut known = conventions::exceptions(conventions::BUILT_IN_EXCEPTIONS)?;
        known.extend(self.types.exceptions()?.unwrap_or_default());
        Ok(known)
    }

    /// New fields of existing kinds that no gate stands before.
    fn ungated(&self, declared: &types::Types) -> Result<Vec<String>, Failure> {
        if self.against.is_empty() {
            return Ok(Vec::new());
        }
        let before = types::load(&self.against, self.types.tags)?;
        let changes = changes(&before.api, &declared.api);
        let granted = self.types.exceptions()?.unwrap_or_default();
        let is_granted =
            |kind: &str| granted.iter().any(|it| it.rule == declarations::RULE && it.kind == kind);
        let found = ungated_fields(&changes);
        Ok(found.iter().filter(|it| !is_granted(&it.kind)).map(ToString::to_string).collect())
    }

    fn show(&self, report: &Report, ungated: &[String]) {
        if self.output == Format::Json {
            say(&json::encode_pretty(&as_json(report, ungated)));
            return;
        }
        say(report.to_string().trim_end());
        for field in ungated {
            say(&format!("{field}, and no feature gate stands before it"));
        }
    }
}

fn as_json(report: &Report, ungated: &[String]) -> Value {
    let outcomes: Vec<Value> = report
        .outcomes
        .iter()
        .map(|it| {
            let (verdict, why) = match &it.verdict {
                Verdict::Kept => ("kept", String::new()),
                Verdict::Broken(why) => ("broken", why.clone()),
                Verdict::Granted(by) => ("granted", format!("{}: {}", by.owner, by.reason)),
                Verdict::Beside(why) => ("beside", (*why).to_owned()),
            };
            value!({"kind": (it.kind.as_str()), "rule": (it.rule), "verdict": (verdict), "why": (why)})
        })
        .collect();
    let unused: Vec<Value> = report
        .unused
        .iter()
        .map(|it| value!({"kind": (it.kind.as_str()), "rule": (it.rule.as_str())}))
        .collect();
    let fields: Vec<Value> = ungated.iter().map(|it| Value::from(it.as_str())).collect();
    value!({
        "clean": (report.is_clean() && ungated.is_empty()),
        "outcomes": (outcomes),
        "unusedExceptions": (unused),
        "ungatedFields": (fields)
    })
}
