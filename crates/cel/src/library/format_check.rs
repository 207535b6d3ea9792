//! Checks the arguments of `format` against a literal format string before anything runs.

use super::format::{Arguments, Clause, walk};
use crate::ast::{Const, Expr, ExprId};
use crate::check::Checked;
use crate::types::Type;

/// For versions of the strings library up to 3.
pub(super) fn check_localized(checked: &Checked, call: ExprId, found: &mut Vec<(ExprId, String)>) {
    check(checked, call, found, true);
}

/// For later versions.
pub(super) fn check_plain(checked: &Checked, call: ExprId, found: &mut Vec<(ExprId, String)>) {
    check(checked, call, found, false);
}

fn check(checked: &Checked, id: ExprId, found: &mut Vec<(ExprId, String)>, localized: bool) {
    let ast = checked.ast();
    let Expr::Call(call) = ast.expr(id) else { return };
    let (Some(target), [args]) = (call.target, call.args.as_slice()) else { return };
    let overloads = checked.reference(id);
    if overloads.is_some_and(|it| !it.overload_ids().any(|id| id == "string_format")) {
        return;
    }
    let (Expr::Const(Const::String(format)), Expr::List(list)) =
        (ast.expr(target), ast.expr(*args))
    else {
        return;
    };
    let mut at = id;
    let arguments = Arguments { count: list.elements.len(), ahead: true };
    let walked = walk(
        format,
        arguments,
        |_| {},
        |clause, index| {
            let Some(arg) = list.elements.get(index).copied() else { return Ok(()) };
            let bad = match clause {
                Clause::String => misfit(checked, arg),
                _ => (!fits(checked.type_of(arg), clause, localized)).then_some(arg),
            };
            match bad {
                None => Ok(()),
                Some(bad) => {
                    at = bad;
                    Err(clause.mismatch(checked.type_of(bad).runtime_name()))
                }
            }
        },
    );
    match walked {
        Err(message) => found.push((at, message)),
        Ok(seen) if list.elements.len() > seen => found.push((
            id,
            format!(
                "too many arguments supplied to string.format (expected {seen}, got {})",
                list.elements.len()
            ),
        )),
        Ok(_) => {}
    }
}

fn fits(ty: &Type, clause: Clause, localized: bool) -> bool {
    let plain_number = matches!(ty, Type::Int | Type::Uint | Type::Double);
    match (clause, ty) {
        (_, Type::Dyn) => true,
        (Clause::Decimal | Clause::Octal, _) if localized || clause == Clause::Octal => {
            matches!(ty, Type::Int | Type::Uint)
        }
        (Clause::Decimal, _) => plain_number,
        (Clause::Fixed(_) | Clause::Scientific(_), _) if localized => {
            matches!(ty, Type::Double | Type::String)
        }
        (Clause::Fixed(_) | Clause::Scientific(_), _) => plain_number,
        (Clause::Binary, _) => matches!(ty, Type::Int | Type::Uint | Type::Bool),
        (Clause::Hex { .. }, _) => {
            matches!(ty, Type::Int | Type::Uint | Type::String | Type::Bytes)
        }
        _ => true,
    }
}

/// The first part of an argument that `%s` cannot print.
fn misfit(checked: &Checked, root: ExprId) -> Option<ExprId> {
    let mut todo = vec![root];
    while let Some(id) = todo.pop() {
        let printable = matches!(
            checked.type_of(id),
            Type::Dyn
                | Type::List(_)
                | Type::Map(_)
                | Type::Int
                | Type::Uint
                | Type::Double
                | Type::Bool
                | Type::String
                | Type::Timestamp
                | Type::Bytes
                | Type::Duration
                | Type::Type(_)
                | Type::Null
                | Type::Wrapper(_)
        );
        if !printable {
            return Some(id);
        }
        match checked.ast().expr(id) {
            Expr::List(list) => todo.extend(list.elements.iter().rev()),
            Expr::Map(entries) => {
                todo.extend(entries.iter().rev().flat_map(|entry| [entry.value, entry.key]));
            }
            _ => {}
        }
    }
    None
}
