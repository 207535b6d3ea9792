//! Validation cases that run on both sides, hand-written and declarative validation, in every
//! version of the kind. What no case reaches is reported, so that hand-written rules can be
//! given up one by one (KEP-4153, enrichment of schemas).

use std::sync::Arc;

use ordain_schema::declared::Kind;
use ordain_value::field::{self, Kind as ErrorKind};
use ordain_value::{Text, Value};

use super::general;
use crate::declared::{BuildError, Resource};
use crate::gates::Gates;
use crate::hooks::Config;
use crate::object;
use crate::request::Warnings;
use crate::strategy::{Change, Known, Part};

/// An error that a case expects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expected {
    /// The kind of the error.
    pub kind: ErrorKind,
    /// Its path.
    pub field: String,
    /// The rule that makes it.
    pub origin: &'static str,
}

/// One case.
#[derive(Debug, Clone)]
pub struct Case {
    /// The name of the case.
    pub name: &'static str,
    /// The object that is written.
    pub object: Value,
    /// The object before; none on creates.
    pub old: Option<Value>,
    /// The errors that both sides should find.
    pub errors: Vec<Expected>,
    /// Versions that the case is about; empty for all.
    pub versions: Vec<Text>,
    /// Only hand-written validation knows these errors; there is no declared rule for them yet.
    pub hand_written_only: bool,
}

/// A rule of hand-written validation, by what it reports.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct HandWrittenRule {
    /// The field, with `[*]` for indices and keys.
    pub field: &'static str,
    /// The rule that makes it.
    pub origin: &'static str,
}

/// What the cases showed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CaseReport {
    /// What came out otherwise than expected, by case, side and version.
    pub failures: Vec<String>,
    /// Hand-written rules that no case reaches.
    pub uncovered: Vec<HandWrittenRule>,
}

/// Runs cases on both sides and on every version of a kind.
///
/// # Errors
/// When the kind cannot be built.
pub fn run(
    kind: &Kind,
    config: &Config,
    rules: &[HandWrittenRule],
    cases: &[Case],
    gates: &Arc<Gates>,
) -> Result<CaseReport, BuildError> {
    let conversion = Config { convert: config.convert.clone(), ..Config::default() };
    let declared = Resource::new(kind.clone()).config(conversion).build(gates)?;
    let mut report = CaseReport::default();
    let mut reached = vec![false; rules.len()];
    for case in cases {
        let versions: Vec<&Text> = (kind.versions.iter().map(|it| &it.name))
            .filter(|name| case.versions.is_empty() || case.versions.contains(name))
            .collect();
        for version in versions {
            let prepare = |value: &Value| {
                let decoded = declared.strategy.decode(
                    &object::gvk(value).version,
                    value.clone(),
                    crate::request::FieldValidation::Ignore,
                );
                let value = decoded.map_or_else(|_| value.clone(), |it| it.object);
                declared.strategy.convert(&value, version).unwrap_or(value)
            };
            let (object, old) = (prepare(&case.object), case.old.as_ref().map(prepare));
            let found = hand_written(config, &object, old.as_ref());
            for error in &found {
                for (rule, reached) in rules.iter().zip(&mut reached) {
                    *reached |= rule.origin == error.origin && rule.field == general(&error.path);
                }
            }
            let side = format!("hand-written {version}");
            differences(case, &side, &found, &mut report.failures);
            if case.hand_written_only {
                continue;
            }
            let change = Change {
                version,
                part: Part::Main,
                object: &object,
                old: old.as_ref(),
                known: Known::default(),
                caller: crate::Caller::default(),
            };
            let errors = declared.strategy.validate(&change, &mut Warnings::default());
            let side = format!("declarative {version}");
            let errors: Vec<field::Error> = errors.into_iter().collect();
            differences(case, &side, &errors, &mut report.failures);
        }
    }
    report.uncovered = (rules.iter().zip(reached))
        .filter(|(_, reached)| !reached)
        .map(|(rule, _)| rule.clone())
        .collect();
    Ok(report)
}

fn hand_written(config: &Config, object: &Value, old: Option<&Value>) -> Vec<field::Error> {
    let nobody = crate::Caller::default();
    let found = match old {
        None => config.validate.as_ref().map(|it| it(object, &nobody)),
        Some(old) => config.validate_update.as_ref().map(|it| it(object, old, &nobody)),
    };
    found.unwrap_or_default().0.into_iter().map(|it| it.error).collect()
}

/// Compares by kind, field and origin, as clients and counters do; texts may differ.
fn differences(case: &Case, side: &str, found: &[field::Error], out: &mut Vec<String>) {
    let is = |error: &field::Error, expected: &Expected| {
        error.kind == expected.kind
            && error.path == expected.field
            && (error.origin == expected.origin || expected.origin.is_empty())
    };
    for expected in &case.errors {
        if !found.iter().any(|it| is(it, expected)) {
            let Expected { kind, field, origin } = expected;
            out.push(format!("{}: {side} does not find {kind:?} {field} {origin}", case.name));
        }
    }
    for error in found {
        if !case.errors.iter().any(|it| is(error, it)) {
            out.push(format!("{}: {side} finds {error}", case.name));
        }
    }
}
