//! The arithmetic operators.

use crate::value::{Error, Result, Val};

/// An arithmetic operator of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Mod,
}

impl Op {
    /// The operator of a function name.
    #[must_use]
    pub fn of(function: &str) -> Option<Self> {
        use crate::ast::operator;
        Some(match function {
            operator::ADD => Self::Add,
            operator::SUBTRACT => Self::Sub,
            operator::MULTIPLY => Self::Mul,
            operator::DIVIDE => Self::Div,
            operator::MODULO => Self::Mod,
            _ => return None,
        })
    }

    /// The outcome for whole numbers; none when there is none.
    #[inline]
    pub(crate) fn checked(self, left: i64, right: i64) -> Option<i64> {
        match self {
            Self::Add => left.checked_add(right),
            Self::Sub => left.checked_sub(right),
            Self::Mul => left.checked_mul(right),
            Self::Div => left.checked_div(right),
            Self::Mod => left.checked_rem(right),
        }
    }

    fn function(self) -> &'static str {
        use crate::ast::operator;
        match self {
            Self::Add => operator::ADD,
            Self::Sub => operator::SUBTRACT,
            Self::Mul => operator::MULTIPLY,
            Self::Div => operator::DIVIDE,
            Self::Mod => operator::MODULO,
        }
    }

    /// Whether values of this kind can stand on the left.
    fn takes(self, left: &Val<'_>) -> bool {
        match left {
            Val::Int(_) | Val::Uint(_) => true,
            Val::Double(_) => self != Self::Mod,
            Val::Duration(_) | Val::Timestamp(_) => matches!(self, Self::Add | Self::Sub),
            Val::Bytes(_) | Val::Str(_) | Val::List(_) => self == Self::Add,
            _ => false,
        }
    }
}

#[cold]
fn overflow(message: &'static str) -> Error {
    Error::new(message)
}

/// The operand on the left has no such operator, or the one on the right does not fit it.
#[cold]
pub(crate) fn mismatch(takes: bool, function: &str, left: &Val<'_>) -> Error {
    let receiver = matches!(left, Val::Str(_) | Val::Duration(_) | Val::Timestamp(_));
    if takes || receiver {
        Error::no_such_overload()
    } else {
        Error::new(format!("no such overload: {function}"))
    }
}

/// Applies an operator.
///
/// # Errors
/// On overflow, division by zero and operands that do not fit.
#[inline]
pub fn apply<'a>(op: Op, left: &Val<'a>, right: &Val<'a>) -> Result<Val<'a>> {
    match (left, right) {
        (Val::Int(a), Val::Int(b)) => ints(op, *a, *b).map(Val::Int),
        (Val::Double(a), Val::Double(b)) => match op {
            Op::Add => Ok(Val::Double(a + b)),
            Op::Sub => Ok(Val::Double(a - b)),
            Op::Mul => Ok(Val::Double(a * b)),
            Op::Div => Ok(Val::Double(a / b)),
            Op::Mod => Err(mismatch(false, op.function(), left)),
        },
        _ => slow(op, left, right),
    }
}

fn ints(op: Op, a: i64, b: i64) -> Result<i64> {
    let result = match op {
        Op::Add => a.checked_add(b),
        Op::Sub => a.checked_sub(b),
        Op::Mul => a.checked_mul(b),
        Op::Div if b == 0 => return Err(overflow("division by zero")),
        Op::Mod if b == 0 => return Err(overflow("modulus by zero")),
        Op::Div => a.checked_div(b),
        Op::Mod => a.checked_rem(b),
    };
    result.ok_or_else(|| overflow("integer overflow"))
}

fn uints(op: Op, a: u64, b: u64) -> Result<u64> {
    let result = match op {
        Op::Add => a.checked_add(b),
        Op::Sub => a.checked_sub(b),
        Op::Mul => a.checked_mul(b),
        Op::Div if b == 0 => return Err(overflow("division by zero")),
        Op::Mod if b == 0 => return Err(overflow("modulus by zero")),
        Op::Div => a.checked_div(b),
        Op::Mod => a.checked_rem(b),
    };
    result.ok_or_else(|| overflow("unsigned integer overflow"))
}

fn slow<'a>(op: Op, left: &Val<'a>, right: &Val<'a>) -> Result<Val<'a>> {
    let duration =
        |it: Option<i64>| it.map(Val::Duration).ok_or_else(|| overflow("integer overflow"));
    match (op, left, right) {
        (_, Val::Uint(a), Val::Uint(b)) => uints(op, *a, *b).map(Val::Uint),
        (Op::Add, Val::Str(a), Val::Str(b)) => {
            let (a, b) = (a.as_str(), b.as_str());
            let mut text = String::with_capacity(a.len() + b.len());
            text.push_str(a);
            text.push_str(b);
            Ok(Val::string(text))
        }
        (Op::Add, Val::Bytes(a), Val::Bytes(b)) => {
            Ok(Val::bytes([a.as_slice(), b.as_slice()].concat()))
        }
        (Op::Add, Val::List(a), Val::List(b)) => a.concat(b).map(Val::List),
        (Op::Add, Val::Duration(a), Val::Duration(b)) => duration(a.checked_add(*b)),
        (Op::Sub, Val::Duration(a), Val::Duration(b)) => duration(a.checked_sub(*b)),
        (Op::Add, Val::Duration(span), Val::Timestamp(time))
        | (Op::Add, Val::Timestamp(time), Val::Duration(span)) => {
            time.add(*span).map(Val::Timestamp).map_err(|it| overflow(it.message()))
        }
        (Op::Sub, Val::Timestamp(time), Val::Duration(span)) => {
            let span = span.checked_neg().ok_or_else(|| overflow("integer overflow"))?;
            time.add(span).map(Val::Timestamp).map_err(|it| overflow(it.message()))
        }
        (Op::Sub, Val::Timestamp(a), Val::Timestamp(b)) => {
            a.since(b).map(Val::Duration).map_err(|it| overflow(it.message()))
        }
        _ => Err(mismatch(op.takes(left), op.function(), left)),
    }
}

/// `-value`
///
/// # Errors
/// On overflow and for values that cannot be negated.
pub fn negate<'a>(value: &Val<'a>) -> Result<Val<'a>> {
    match value {
        Val::Int(it) => it.checked_neg().map(Val::Int).ok_or_else(|| overflow("integer overflow")),
        Val::Double(it) => Ok(Val::Double(-it)),
        Val::Duration(it) => {
            it.checked_neg().map(Val::Duration).ok_or_else(|| overflow("integer overflow"))
        }
        _ => {
            let takes = matches!(value, Val::Bool(_));
            Err(mismatch(takes, crate::ast::operator::NEGATE, value))
        }
    }
}
