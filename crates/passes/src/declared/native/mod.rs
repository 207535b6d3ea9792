//! Validation of declared Go types: runs the [`Program`] that `+k8s:` tags were lowered to.
//!
//! Objects are first read as Go reads them ([`value`]): missing fields have their zero value, nil
//! pointers are null. Then the functions run ([`run`]) in the order upstream's generated code runs:
//! ratcheting first, short circuits by cohort, then the rules of the type, of its fields, of what
//! they hold. Errors come with upstream's kinds, texts and origins, and with the stability level
//! of the rule that made them.

mod format;
mod rule;
mod run;
mod union;
mod value;

use ordain_schema::native::{GoKind, Level, Program};
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
    pub error: field::Error,
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
    let internal = |detail: String| {
        let error = field::Error::internal(&Path::root(), detail);
        vec![Finding { error, level: None }]
    };
    let Some(root) = program.root(type_name) else {
        return internal(format!("no validation found for type {type_name}"));
    };
    if !root.subresources.iter().any(|it| it == operation.subresource) {
        let nilable =
            matches!(program.ty(root.ty).kind, GoKind::List(_) | GoKind::Map(_) | GoKind::Bytes);
        let star = if nilable { "" } else { "*" };
        return internal(format!(
            "no validation found for {star}{}, subresource: {}",
            program.ty(root.ty).name,
            operation.subresource
        ));
    }
    let new = value::decode(program, root.ty, new);
    let old = operation.old.map(|it| value::decode(program, root.ty, it));
    let mut run = run::Run::new(program, operation.old.is_some(), operation.options);
    run.function(root.func, root.ty, &Path::root(), &new, old.as_ref());
    run.into_findings()
}
