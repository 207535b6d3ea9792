//! Calls of `format` with a literal format string and a list literal: the clauses are checked
//! against the types of the arguments.

use super::Checked;
use crate::ast::{Const, Expr, ExprId};
use crate::types::{Primitive, Type};

/// What is wrong with a call, and the expression at fault if it is not the call itself.
struct Fault {
    at: Option<ExprId>,
    message: String,
}

impl Fault {
    fn call(message: impl Into<String>) -> Self {
        Self { at: None, message: message.into() }
    }

    fn clause(message: &str) -> Self {
        Self::call(format!("could not parse formatting clause: {message}"))
    }

    fn argument(checked: &Checked, at: ExprId, expected: &str) -> Self {
        let found = checked.type_of(at).runtime_name();
        Self {
            at: Some(at),
            message: format!("error during formatting: {expected}, was given {found}"),
        }
    }
}

/// For [`Validator::Call`](super::Validator::Call) of `format`.
pub fn check_format_call(checked: &Checked, call: ExprId, found: &mut Vec<(ExprId, String)>) {
    let ast = checked.ast();
    let Expr::Call(format) = ast.expr(call) else {
        return;
    };
    let (Some(target), [args]) = (format.target, &format.args[..]) else {
        return;
    };
    let (Expr::Const(Const::String(text)), Expr::List(args)) = (ast.expr(target), ast.expr(*args))
    else {
        return;
    };
    match check_clauses(checked, text, &args.elements) {
        Err(fault) => found.push((fault.at.unwrap_or(call), fault.message)),
        Ok(used) if args.elements.len() > used => {
            let given = args.elements.len();
            let message = format!(
                "too many arguments supplied to string.format (expected {used}, got {given})"
            );
            found.push((call, message));
        }
        Ok(_) => {}
    }
}

/// Checks the clauses of a format string and counts them.
fn check_clauses(checked: &Checked, text: &str, args: &[ExprId]) -> Result<usize, Fault> {
    let mut used = 0;
    let mut rest = text.as_bytes();
    while let Some(at) = rest.iter().position(|byte| *byte == b'%') {
        rest = rest.get(at + 1..).unwrap_or_default();
        match rest.split_first() {
            None => return Err(Fault::call("unexpected end of string")),
            Some((b'%', after)) => {
                rest = after;
                continue;
            }
            Some(_) => {}
        }
        let Some(arg) = args.get(used) else {
            return Err(Fault::call(format!("index {used} out of range")));
        };
        rest = skip_precision(rest)?;
        let (clause, after) =
            rest.split_first().ok_or_else(|| Fault::call("unexpected end of string"))?;
        check_clause(checked, *clause, *arg)?;
        rest = after;
        used += 1;
    }
    Ok(used)
}

fn skip_precision(text: &[u8]) -> Result<&[u8], Fault> {
    let Some((b'.', rest)) = text.split_first() else {
        return Ok(text);
    };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, after) = rest.split_at(digits);
    let fail = |message: &str| Fault::clause(&format!("error while parsing precision: {message}"));
    if after.is_empty() {
        return Err(fail("could not find end of precision specifier"));
    }
    let number = String::from_utf8_lossy(number);
    if number.parse::<i64>().is_err() {
        let why = if number.is_empty() { "invalid syntax" } else { "value out of range" };
        return Err(fail(&format!(
            "error while converting precision to integer: strconv.Atoi: parsing {number:?}: {why}"
        )));
    }
    Ok(after)
}

fn check_clause(checked: &Checked, clause: u8, arg: ExprId) -> Result<(), Fault> {
    let ty = unwrapped(checked.type_of(arg));
    let fail = |expected: &str| Err(Fault::argument(checked, arg, expected));
    match (clause, &ty) {
        (b's', _) => check_shown(checked, arg),
        (b'd' | b'f' | b'e' | b'b' | b'x' | b'X' | b'o', Type::Dyn) => Ok(()),
        (b'd' | b'o' | b'b' | b'x' | b'X', Type::Int | Type::Uint) => Ok(()),
        (b'f' | b'e', Type::Double | Type::String) => Ok(()),
        (b'b', Type::Bool) => Ok(()),
        (b'x' | b'X', Type::String | Type::Bytes) => Ok(()),
        (b'd', _) => fail("decimal clause can only be used on integers"),
        (b'f', _) => fail("fixed-point clause can only be used on doubles"),
        (b'e', _) => fail("scientific clause can only be used on doubles"),
        (b'b', _) => fail("only integers and bools can be formatted as binary"),
        (b'o', _) => fail("octal clause can only be used on integers"),
        (b'x' | b'X', _) => {
            fail("only integers, byte buffers, and strings can be formatted as hex")
        }
        _ => Err(Fault::clause(&format!(
            "unrecognized formatting clause \"{}\"",
            char::from(clause)
        ))),
    }
}

/// Whether `%s` can show the argument. Literals in it are looked into; their nesting is
/// bounded by the parser.
fn check_shown(checked: &Checked, arg: ExprId) -> Result<(), Fault> {
    let ty = checked.type_of(arg);
    if matches!(
        ty,
        Type::Any | Type::Error | Type::Param(_) | Type::Var(_) | Type::Opaque(_) | Type::Object(_)
    ) {
        return Err(Fault::argument(
            checked,
            arg,
            "string clause can only be used on strings, bools, bytes, ints, doubles, maps, \
             lists, types, durations, and timestamps",
        ));
    }
    match checked.ast().expr(arg) {
        Expr::List(list) => {
            list.elements.iter().try_for_each(|element| check_shown(checked, *element))
        }
        Expr::Map(entries) => entries.iter().try_for_each(|entry| {
            check_shown(checked, entry.key)?;
            check_shown(checked, entry.value)
        }),
        _ => Ok(()),
    }
}

fn unwrapped(ty: &Type) -> Type {
    match ty {
        Type::Wrapper(primitive) => Primitive::unwrapped(*primitive),
        _ => ty.clone(),
    }
}
