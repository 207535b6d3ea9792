//! Validation of declared Go types: runs the [`Program`] that `+k8s:` tags were lowered to.
//!
//! Objects are read as Go reads them ([`value`]): missing fields have their zero value, nil
//! pointers are null. The functions run ([`run`]) in the order upstream's generated code runs:
//! ratcheting first, short circuits by cohort, then the rules of the type, of its fields, of what
//! they hold. Errors come with upstream's kinds, texts and origins, and with the stability level
//! of the rule that made them.

mod format;
mod rule;
mod run;
mod union;
mod value;

use ordain_schema::native::{GoKind, Level, Program, Root};
use ordain_value::field::{self, Path};
use ordain_value::{Text, Value};

/// What is being done to the object.
#[derive(Clone, Copy, Debug)]
pub struct Operation<'a> {
    /// The object before the write; None on create.
    pub old: Option<&'a Value>,
    /// `/` for the object itself, or a subresource such as `/status`.
    pub subresource: &'a str,
    /// The options that are on, for `ifEnabled` and `ifDisabled`.
    pub options: &'a [Text],
}

/// An error with the stability of the rule that made it.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What is wrong, and where.
    pub error: field::Error,
    /// The stability level of the rule that found it; none for rules without.
    pub level: Option<Level>,
}

/// Validates an object of a root type. An unknown type or subresource is an internal error, never
/// a pass.
#[must_use]
pub fn validate(
    program: &Program,
    type_name: &str,
    new: &Value,
    operation: Operation<'_>,
) -> Vec<Finding> {
    let root = match root(program, type_name, operation.subresource) {
        Ok(root) => root,
        Err(detail) => {
            let error = field::Error::internal(&Path::root(), detail);
            return vec![Finding { error, level: None }];
        }
    };
    let run = run::Run::new(program, operation.old.is_some(), operation.options);
    through(run, root, new, operation).into_findings()
}

/// What rules that only warn (`+k8s:warning=+k8s:…`) have against an object, each with its place.
/// Unchanged data gives none, as it gives no errors.
#[must_use]
pub fn warnings(
    program: &Program,
    type_name: &str,
    new: &Value,
    operation: Operation<'_>,
) -> Vec<String> {
    let Ok(root) = root(program, type_name, operation.subresource) else { return Vec::new() };
    let run = run::Run::new(program, operation.old.is_some(), operation.options);
    through(run.asking_for_warnings(), root, new, operation).into_warnings()
}

/// The root type that answers for a subresource.
fn root<'p>(program: &'p Program, type_name: &str, subresource: &str) -> Result<&'p Root, String> {
    let root = program.root(type_name);
    let root = root.ok_or_else(|| format!("no validation found for type {type_name}"))?;
    if root.subresources.iter().any(|it| it == subresource) {
        return Ok(root);
    }
    let nilable =
        matches!(program.ty(root.ty).kind, GoKind::List(_) | GoKind::Map(_) | GoKind::Bytes);
    let star = if nilable { "" } else { "*" };
    let name = &program.ty(root.ty).name;
    Err(format!("no validation found for {star}{name}, subresource: {subresource}"))
}

fn through<'p>(
    mut run: run::Run<'p>,
    root: &Root,
    new: &Value,
    operation: Operation<'_>,
) -> run::Run<'p> {
    let of = |json| value::read(run.program, root.ty, Some(json));
    let (new, old) = (of(new), operation.old.map(of));
    run.function(root.func, root.ty, &Path::root(), &new, old.as_deref());
    run
}
