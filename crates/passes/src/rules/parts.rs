//! The parts of an expression: which have a value of their own, and how each is written.

use ordain_cel::ast::{Ast, Expr, ExprId};

/// How many parts are told apart; an expression with more is reported in its outer ones.
const PARTS_MAX: usize = 200;

/// The parts with their depth, outer ones first and in the order of the text. Literals and
/// names alone say nothing new, and what is inside of a comprehension has no single value.
pub(super) fn part_ids(ast: &Ast) -> Vec<(ExprId, u32)> {
    let mut found = Vec::new();
    let mut pending = vec![(ast.root(), 0)];
    while let Some((id, depth)) = pending.pop() {
        if found.len() == PARTS_MAX {
            break;
        }
        let mut children = Vec::new();
        match ast.expr(id) {
            Expr::Unspecified | Expr::Const(_) | Expr::Ident(_) => continue,
            Expr::Comprehension(fold) => children.push(fold.iter_range),
            _ => ast.for_each_child(id, |child| children.push(child)),
        }
        if depth > 0 {
            found.push((id, depth));
        }
        pending.extend(children.into_iter().rev().map(|child| (child, depth + 1)));
    }
    found
}

/// The text of a part: from its first token to its last, with the brackets that it opens closed.
pub(super) fn part_text(ast: &Ast, part: ExprId) -> String {
    let text = ast.source().text();
    let (mut start, mut end) = (text.len(), 0);
    let mut pending = vec![part];
    while let Some(id) = pending.pop() {
        if let Some(span) = ast.span(id) {
            start = start.min(span.start as usize);
            end = end.max(span.end as usize);
        }
        match ast.macro_call(id) {
            // The expansion repeats the nodes of the call and adds some without a place.
            Some(call) => pending.extend(call.target.iter().chain(&call.args)),
            None => ast.for_each_child(id, |child| pending.push(child)),
        }
    }
    let end = closed(text, start, end);
    let start = named(text, start);
    text.get(start..end).unwrap_or("").trim().to_owned()
}

/// Where a part that begins here really begins: calls are placed at their bracket.
fn named(text: &str, start: usize) -> usize {
    if !text.get(start..).is_some_and(|it| it.starts_with('(')) {
        return start;
    }
    let before = text.get(..start).unwrap_or("");
    before.trim_end_matches(|it: char| it.is_alphanumeric() || matches!(it, '_' | '.')).len()
}

/// Where a part that begins and whose last known token ends here is over.
fn closed(text: &str, start: usize, end: usize) -> usize {
    let mut open = 0_i32;
    let mut quote = None;
    for (at, letter) in text.get(start..).unwrap_or("").char_indices() {
        let at = start + at;
        let selecting = text.get(start..at).is_some_and(|it| it.trim_end().ends_with('.'));
        let in_name = letter.is_alphanumeric() || letter == '_';
        let before = text.get(start..at).and_then(|it| it.chars().next_back());
        let goes_on = in_name && before.is_some_and(|it| it.is_alphanumeric() || it == '_');
        let calls = matches!(letter, '(' | '[') && at == end;
        if at >= end && open == 0 && quote.is_none() && !selecting && !goes_on && !calls {
            return at;
        }
        match (quote, letter) {
            (Some(kind), _) if kind == letter => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(letter),
            (None, '(' | '[' | '{') => open += 1,
            (None, ')' | ']' | '}') => open -= 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cel_library::Environment;
    use crate::rules::probe::Probe;

    fn texts(expression: &str) -> Vec<String> {
        let probe = Probe::untyped(Environment::declared());
        let probed = probe.compile(expression, false).expect("it compiles");
        probe.parts(&probed).into_iter().map(|part| part.text).collect()
    }

    #[test]
    fn parts_are_told_as_they_are_written() {
        let found = texts("size(self.name + 'a)') > 1 && self.list[0] == {'k': self.x}");
        for part in [
            "size(self.name + 'a)') > 1",
            "size(self.name + 'a)')",
            "self.name + 'a)'",
            "self.name",
            "self.list[0] == {'k': self.x}",
            "self.list[0]",
            "self.list",
            "{'k': self.x}",
        ] {
            assert!(found.iter().any(|it| it == part), "{part} is missing in {found:#?}");
        }
    }

    #[test]
    fn bodies_of_macros_are_not_parts() {
        let found = texts("self.items.all(i, i.count > 1) || has(self.none)");
        assert!(found.iter().any(|it| it == "self.items.all(i, i.count > 1)"), "{found:#?}");
        assert!(found.iter().any(|it| it == "self.items"));
        assert!(found.iter().any(|it| it == "has(self.none)"), "{found:#?}");
        assert!(!found.iter().any(|it| it.starts_with("i.count")));
    }

    #[test]
    fn there_are_not_too_many() {
        // Each sum has parts of its own.
        let long = vec!["self.a"; 120].join(" + ");
        assert!(texts(&long).len() <= PARTS_MAX);
    }
}
