//! What a changed CEL rule does, as far as its text shows.

use std::collections::BTreeSet;

use ordain_cel::ast::{Ast, Const, Expr, ExprId};
use ordain_cel::source::Source;
use ordain_cel::syntax::{ParseOptions, parse};
use ordain_value::Value;

/// A rule in parts: all of one of its `alternatives` have to hold.
struct Parts {
    /// The operands of the outermost `||`.
    alternatives: BTreeSet<String>,
    /// The operands of the outermost `&&`.
    conditions: BTreeSet<String>,
    /// Names of fields that are read, and texts that they are compared with.
    words: BTreeSet<String>,
}

/// Macros stay calls here, so that the same words give the same parts.
fn parts(rule: &str) -> Option<Parts> {
    let options = ParseOptions {
        optional_syntax: true,
        escaped_identifiers: true,
        ..ParseOptions::default()
    };
    let (ast, diagnostics) = parse(&Source::new(rule), &options);
    if !diagnostics.is_empty() {
        return None;
    }
    let operands = |operator: &str| {
        let mut found = BTreeSet::new();
        let mut pending = vec![ast.root()];
        while let Some(id) = pending.pop() {
            match ast.expr(id) {
                Expr::Call(call) if *call.function == *operator => pending.extend(&call.args),
                _ => {
                    found.insert(written(&ast, id));
                }
            }
        }
        found
    };
    let (alternatives, conditions) = (operands("_||_"), operands("_&&_"));
    let mut words = BTreeSet::new();
    let mut pending = vec![ast.root()];
    while let Some(id) = pending.pop() {
        match ast.expr(id) {
            Expr::Select(select) => words.insert(select.field.to_string()),
            Expr::Const(Const::String(text)) => words.insert(text.to_string()),
            _ => false,
        };
        ast.for_each_child(id, |child| pending.push(child));
    }
    Some(Parts { alternatives, conditions, words })
}

/// An expression in one form, whatever its blanks and brackets.
fn written(ast: &Ast, root: ExprId) -> String {
    // Children close their parent by a bracket, so a stack of what is still to come is enough.
    enum Next {
        Expr(ExprId),
        Close,
    }
    let mut out = String::new();
    let mut pending = vec![Next::Expr(root)];
    while let Some(next) = pending.pop() {
        let Next::Expr(id) = next else {
            out.push(')');
            continue;
        };
        match ast.expr(id) {
            Expr::Unspecified => out.push('?'),
            Expr::Const(value) => out.push_str(&format!("{value:?}")),
            Expr::Ident(name) => out.push_str(name),
            Expr::Select(select) => out.push_str(&format!(".{}{}", select.field, select.test_only)),
            Expr::Call(call) => {
                out.push_str(&format!("{}/{}", call.function, call.target.is_some()));
            }
            Expr::List(list) => out.push_str(&format!("list{:?}", list.optional_indices)),
            Expr::Map(entries) => out.push_str(&format!("map{}", entries.len())),
            Expr::Struct(made) => out.push_str(&made.type_name),
            Expr::Comprehension(fold) => out.push_str(&format!("fold {}", fold.iter_var)),
        }
        out.push('(');
        pending.push(Next::Close);
        let mut children = Vec::new();
        ast.for_each_child(id, |child| children.push(Next::Expr(child)));
        pending.extend(children.into_iter().rev());
    }
    out
}

/// Whether everything that the rules which are gone allowed is allowed by a new one: it has one of
/// them among its alternatives, or asks for nothing that they did not ask for.
pub(super) fn is_looser(rule: &str, gone: &BTreeSet<ordain_value::Text>) -> bool {
    let Some(now) = parts(rule) else { return false };
    let before: Vec<Parts> = gone.iter().filter_map(|it| parts(it)).collect();
    let asked: BTreeSet<&String> = before.iter().flat_map(|it| &it.conditions).collect();
    before.iter().any(|it| it.alternatives.is_subset(&now.alternatives))
        || (!before.is_empty() && now.conditions.iter().all(|it| asked.contains(it)))
}

/// Whether a rule speaks of a field or an allowed value that only the new schema has, so that
/// objects of the old one are the case that it has to let pass.
pub(super) fn is_about_new(rule: &str, old: &Value, new: &Value) -> bool {
    let Some(parts) = parts(rule) else { return false };
    let (before, after) = (words_of(old), words_of(new));
    parts.words.iter().any(|it| after.contains(it.as_str()) && !before.contains(it.as_str()))
}

/// Places of a schema that are looked at.
const PLACES_MAX: usize = 100_000;

/// The names of all fields of a schema and the texts that its enums allow.
fn words_of(schema: &Value) -> BTreeSet<&str> {
    let mut words = BTreeSet::new();
    let mut pending = vec![schema];
    let mut seen = 0;
    while let Some(at) = pending.pop().filter(|_| seen < PLACES_MAX) {
        seen += 1;
        for (name, property) in at.entries("properties") {
            words.insert(name.as_str());
            pending.push(property);
        }
        let listed = at.items("enum").iter();
        words.extend(listed.filter_map(Value::as_str));
        pending.extend(at.get("items"));
        pending.extend(at.get("additionalProperties"));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alternatives_and_fewer_conditions_loosen() {
        let gone = |text: &str| BTreeSet::from([ordain_value::Text::from(text)]);
        assert!(is_looser("self.a > 1 || self.b", &gone("(self.a>1)")));
        assert!(is_looser("self.a > 1", &gone("self.a > 1 && self.b")));
        assert!(!is_looser("self.a > 1 && self.b", &gone("self.a > 1")));
        assert!(!is_looser("self.a > 2", &gone("self.a > 1")));
        assert!(!is_looser("self.a > 2", &BTreeSet::new()));
    }
}
