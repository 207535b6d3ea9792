//! The rules of `+k8s:` tags, by the place that they are about: what shows that one failed, and what
//! that one was passed.

use ordain_schema::declared::Native;
use ordain_schema::native::{Check, FieldFunc, FuncId, GoKind, Program, Rule, TypeId};
use ordain_value::Value;
use ordain_value::field::{Error, Kind as ErrorKind};

use super::{DEPTH_MAX, child, is_there};

/// One rule.
pub(super) struct NativeRule {
    /// Schema path with `[]` for items and `[*]` for map values.
    pub(super) path: String,
    /// The tag.
    pub(super) constraint: String,
    shown_by: ShownBy,
}

/// What a failure looks like.
enum ShownBy {
    Kind(ErrorKind),
    Origin(&'static str),
    /// An error of a union, at its struct or at one of its members.
    Union,
    Warning,
}

impl NativeRule {
    /// Whether an error at a general path is of this rule.
    pub(super) fn failed_with(&self, error: &Error, path: &str) -> bool {
        match self.shown_by {
            ShownBy::Kind(kind) => error.kind == kind && path == self.path,
            ShownBy::Origin(origin) => error.origin == origin && path == self.path,
            ShownBy::Union => {
                let inside = path.strip_prefix(&self.path);
                error.origin.contains("nion")
                    && inside.is_some_and(|it| !it.trim_start_matches('.').contains('.'))
            }
            ShownBy::Warning => false,
        }
    }

    /// Whether a warning, which begins with its path, is of this rule.
    pub(super) fn warned_with(&self, path: &str) -> bool {
        matches!(self.shown_by, ShownBy::Warning) && path == self.path
    }

    /// Whether an accepted object has passed the rule.
    pub(super) fn passed_by(&self, object: &Value) -> bool {
        match self.shown_by {
            // What must not be there is passed where it could be.
            ShownBy::Kind(ErrorKind::Forbidden) | ShownBy::Warning => {
                let parent = self.path.rsplit_once('.').map_or("", |(parent, _)| parent);
                is_there(object, parent) && !is_there(object, &self.path)
            }
            ShownBy::Kind(ErrorKind::Duplicate) => {
                is_there(object, self.path.trim_end_matches("[]"))
            }
            _ => is_there(object, &self.path),
        }
    }
}

/// All rules of a program.
pub(super) fn rules(native: &Native) -> Vec<NativeRule> {
    let mut walk = Walk { program: &native.program, out: Vec::new() };
    if let Some(root) = native.program.root(&native.root) {
        walk.func(root.func, root.ty, "", 0);
    }
    walk.out
}

struct Walk<'p> {
    program: &'p Program,
    out: Vec<NativeRule>,
}

impl Walk<'_> {
    fn func(&mut self, id: FuncId, ty: TypeId, path: &str, depth: usize) {
        if depth > DEPTH_MAX {
            return;
        }
        let func = self.program.func(id);
        self.checks(&func.checks, path, depth);
        self.checks(&func.keys, &format!("{path}[*]"), depth);
        self.checks(&func.values, &self.inside(ty, path), depth);
        for field in &func.fields {
            self.field(field, path, depth + 1);
        }
    }

    fn field(&mut self, field: &FieldFunc, path: &str, depth: usize) {
        let here = if field.inline { path.to_owned() } else { child(path, &field.path) };
        self.checks(&field.checks, &here, depth);
        self.checks(&field.keys, &format!("{here}[*]"), depth);
        self.checks(&field.values, &self.inside(field.ty, &here), depth);
        if let Some(func) = field.call {
            self.func(func, field.ty, &here, depth);
        }
    }

    /// The path of the values of a list or map.
    fn inside(&self, mut ty: TypeId, path: &str) -> String {
        while let GoKind::Pointer(to) = self.program.ty(ty).kind {
            ty = to;
        }
        let is_map = matches!(self.program.ty(ty).kind, GoKind::Map(_));
        format!("{path}{}", if is_map { "[*]" } else { "[]" })
    }

    fn checks(&mut self, checks: &[Check], path: &str, depth: usize) {
        for check in checks {
            self.rule(&check.rule, path, depth);
        }
    }

    fn rule(&mut self, rule: &Rule, path: &str, depth: usize) {
        if depth > DEPTH_MAX {
            return;
        }
        let depth = depth + 1;
        let list = || format!("{path}[]");
        let (tag, shown_by) = match rule {
            Rule::EachValue { inner, .. } | Rule::Item { inner, .. } => {
                return self.inner(inner, &list(), depth);
            }
            Rule::EachMapValue { inner, .. } | Rule::EachKey { inner } => {
                return self.inner(inner, &format!("{path}[*]"), depth);
            }
            Rule::Subfield { json, inner, .. } => {
                return self.inner(inner, &child(path, json), depth);
            }
            Rule::IfOption { inner, .. } => return self.inner(inner, path, depth),
            Rule::Discriminated(it) => {
                let at = child(path, &it.json);
                let checks = it.rules.iter().flat_map(|it| &it.1).chain(&it.otherwise);
                return checks.for_each(|check| self.inner(check, &at, depth));
            }
            // Calls only lead on: lists of structs are reached by the inner rule of EachValue.
            Rule::Call(func) => return self.called(*func, path, depth),
            Rule::Optional(_) | Rule::Forced { valid: true, .. } => return,
            Rule::Unique(_) => {
                return self.put("unique", list(), ShownBy::Kind(ErrorKind::Duplicate));
            }
            Rule::Required(_) => ("required", ShownBy::Kind(ErrorKind::Required)),
            Rule::Forbidden(_) => ("forbidden", ShownBy::Kind(ErrorKind::Forbidden)),
            Rule::Enum { .. } => ("enum", ShownBy::Kind(ErrorKind::NotSupported)),
            Rule::Minimum(_) => ("minimum", ShownBy::Origin("minimum")),
            Rule::Maximum(_) => ("maximum", ShownBy::Origin("maximum")),
            Rule::MinLength(_) => ("minLength", ShownBy::Origin("minLength")),
            Rule::MaxLength(_) => ("maxLength", ShownBy::Origin("maxLength")),
            Rule::MaxBytes(_) => ("maxBytes", ShownBy::Origin("maxBytes")),
            Rule::MinItems(_) => ("minItems", ShownBy::Origin("minItems")),
            Rule::MaxItems(_) => ("maxItems", ShownBy::Origin("maxItems")),
            Rule::NotEqual(_) => ("neq", ShownBy::Origin("neq")),
            Rule::Format(format) => ("format", ShownBy::Origin(format.origin())),
            Rule::Immutable => ("immutable", ShownBy::Origin("immutable")),
            Rule::Update { .. } => ("update", ShownBy::Origin("update")),
            Rule::Forced { .. } => ("validateFalse", ShownBy::Origin("validateFalse")),
            Rule::Union(_) => ("union", ShownBy::Union),
            Rule::Warn { .. } => ("warning", ShownBy::Warning),
        };
        self.put(tag, path.to_owned(), shown_by);
    }

    fn inner(&mut self, check: &Check, path: &str, depth: usize) {
        self.rule(&check.rule, path, depth);
    }

    fn called(&mut self, id: FuncId, path: &str, depth: usize) {
        let func = self.program.func(id);
        self.checks(&func.checks, path, depth);
        for field in &func.fields {
            self.field(field, path, depth + 1);
        }
    }

    fn put(&mut self, tag: &str, path: String, shown_by: ShownBy) {
        self.out.push(NativeRule { path, constraint: format!("+k8s:{tag}"), shown_by });
    }
}
