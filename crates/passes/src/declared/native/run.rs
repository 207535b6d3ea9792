//! The order of things: functions of types, fields, cohorts and short circuits.

use std::borrow::Cow;

use ordain_schema::native::{Check, FieldFunc, FuncId, Level, Program, TypeId};
use ordain_value::field::{self, Path};
use ordain_value::{Text, Value};

use super::Finding;
use super::value::{NULL, embedded, equal, field, is_no_struct, is_unset, struct_field};

/// Functions call each other at most this deep, which recursive types need.
const DEPTH_MAX: usize = 500;

/// One validation.
pub(super) struct Run<'a> {
    pub(super) program: &'a Program,
    /// Is there an old object?
    pub(super) update: bool,
    options: &'a [Text],
    /// What rules that only warn found; none when they are not asked.
    warnings: Option<Vec<String>>,
    findings: Vec<Finding>,
    depth: usize,
}

/// The place a check looks at: its type, path, value and old value.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) ty: TypeId,
    pub(super) path: &'a Path<'a>,
    pub(super) new: &'a Value,
    /// None where there was no such place before.
    pub(super) old: Option<&'a Value>,
}

impl<'a> Run<'a> {
    pub(super) fn new(program: &'a Program, update: bool, options: &'a [Text]) -> Self {
        Run { program, update, options, warnings: None, findings: Vec::new(), depth: 0 }
    }

    /// The same, to ask the rules that only warn.
    pub(super) fn asking_for_warnings(mut self) -> Self {
        self.warnings = Some(Vec::new());
        self
    }

    pub(super) fn into_warnings(self) -> Vec<String> {
        self.warnings.unwrap_or_default()
    }

    /// A rule that only warns: asked for by itself, and never an error.
    pub(super) fn warn(&mut self, text: &Text, inner: &Check, place: Place<'_>) {
        if self.warnings.is_none() {
            return;
        }
        let found = self.collect(|run| run.rule(&inner.rule, place));
        for error in found.iter().filter(|_| !inner.non_error).map(|it| &it.error) {
            let warning = match text.as_str() {
                "" => error.to_string(),
                text => format!("{}: {text}", error.path),
            };
            if let Some(warnings) = self.warnings.as_mut().filter(|it| !it.contains(&warning)) {
                warnings.push(warning);
            }
        }
    }

    pub(super) fn into_findings(self) -> Vec<Finding> {
        self.findings
    }

    pub(super) fn has_option(&self, option: &str) -> bool {
        self.options.iter().any(|it| it == option)
    }

    pub(super) fn report(&mut self, error: field::Error) {
        self.findings.push(Finding { error, level: None });
    }

    /// Runs `body` and returns what it reported.
    fn collect(&mut self, body: impl FnOnce(&mut Self)) -> Vec<Finding> {
        let before = std::mem::take(&mut self.findings);
        body(self);
        std::mem::replace(&mut self.findings, before)
    }

    /// The validation function of a type.
    pub(super) fn function(
        &mut self,
        func: FuncId,
        ty: TypeId,
        path: &Path<'_>,
        new: &Value,
        old: Option<&Value>,
    ) {
        if is_no_struct(self.program, ty, new) {
            return;
        }
        if self.depth >= DEPTH_MAX {
            let detail = format!("validation nests deeper than {DEPTH_MAX}");
            self.report(field::Error::internal(path, detail));
            return;
        }
        self.depth += 1;
        let func = self.program.func(func);
        let place = Place { ty, path, new, old };
        let ended = self.cohorts(&func.checks, place)
            || self.cohorts(&func.keys, place)
            || self.cohorts(&func.values, place);
        // Upstream panics at the fields of a nil struct.
        if !ended && !new.is_null() {
            for field in &func.fields {
                self.field(field, place);
            }
        }
        self.depth -= 1;
    }

    fn field(&mut self, field: &FieldFunc, parent: Place<'_>) {
        let of = |holder| self.value_of(field, parent.ty, holder);
        let (new, old) = (of(parent.new), parent.old.map(of));
        let (new, old) = (new.as_ref(), old.as_deref());
        // Unchanged data is not validated again.
        if self.update
            && old.is_some_and(|it| equal(self.program, field.ty, field.equality, new, it))
        {
            return;
        }
        let is_on = |gate: &Text| self.has_option(gate);
        if !field.gates.iter().all(is_on) && is_unset(self.program, field.ty, new) {
            return;
        }
        let child;
        let path = if field.inline && !parent.path.is_root() {
            parent.path
        } else {
            child = parent.path.child(&field.path);
            &child
        };
        let place = Place { ty: field.ty, path, new, old };
        if self.cohorts(&field.checks, place) {
            return;
        }
        if let Some(func) = field.call {
            self.function(func, field.ty, path, new, old.filter(|it| !it.is_null()));
        }
        if !self.cohorts(&field.keys, place) {
            self.cohorts(&field.values, place);
        }
    }

    /// The value of a field of a struct.
    fn value_of<'v>(&self, func: &FieldFunc, ty: TypeId, holder: &'v Value) -> Cow<'v, Value> {
        if !func.inline {
            return field(self.program, func.ty, &func.path, holder);
        }
        match struct_field(self.program, ty, &func.go) {
            Some(found) => embedded(self.program, found, holder),
            None => Cow::Borrowed(&NULL),
        }
    }

    /// Runs checks by cohort; true if the nameless cohort ended early, which ends the place.
    pub(super) fn cohorts(&mut self, checks: &[Check], place: Place<'_>) -> bool {
        if checks.is_empty() {
            return false;
        }
        if self.cohort(checks, "", place) {
            return true;
        }
        for (at, check) in checks.iter().enumerate() {
            let name = &check.cohort;
            if !name.is_empty() && !checks[..at].iter().any(|it| it.cohort == *name) {
                self.cohort(checks, name, place);
            }
        }
        false
    }

    /// Runs the checks of one cohort, short circuits first; true if one of these failed.
    fn cohort(&mut self, checks: &[Check], name: &str, place: Place<'_>) -> bool {
        let mut ended = false;
        for short in [true, false] {
            let own = checks.iter().filter(|it| it.short_circuit == short && it.cohort == name);
            for check in own {
                ended |= self.evaluate(check, place) && short;
            }
            if ended {
                return true;
            }
        }
        false
    }

    /// Runs checks in order. All short circuits run; if one failed, nothing runs after the last.
    pub(super) fn sequence(&mut self, checks: &[Check], place: Place<'_>) {
        let last = checks.iter().rposition(|it| it.short_circuit);
        let mut ended = false;
        for (at, check) in checks.iter().enumerate() {
            ended |= self.evaluate(check, place) && check.short_circuit;
            if ended && last == Some(at) {
                return;
            }
        }
    }

    /// Reports what a check finds, marked with its level; whether it found anything.
    fn evaluate(&mut self, check: &Check, place: Place<'_>) -> bool {
        let before = self.findings.len();
        self.rule(&check.rule, place);
        let found = self.findings.len() > before;
        if check.non_error {
            self.findings.truncate(before);
        }
        self.mark(before, check.level);
        found
    }

    /// Runs a check inside a wrapper. A wrapped rule without arguments loses its level, as it does
    /// upstream.
    pub(super) fn wrapped(&mut self, check: &Check, place: Place<'_>) {
        let before = self.findings.len();
        self.rule(&check.rule, place);
        self.mark(before, check.level.filter(|_| check.rule.has_arguments()));
    }

    /// Gives everything that was found since then a level, if there is one.
    fn mark(&mut self, since: usize, level: Option<Level>) {
        if level.is_some() {
            self.findings.iter_mut().skip(since).for_each(|it| it.level = level);
        }
    }
}
