//! Equality.
//!
//! `==` compares across numeric types, and values of different kinds are unequal rather than an
//! error. Lists and maps of the input are stricter where they stand on the left: a value of
//! another kind is an error there, as upstream has it.

use super::{Error, List, Map, Result, Val, View, compare};

/// Values nested deeper than this are not compared.
const DEPTH_MAX: u32 = 1_000;

/// `left == right`
///
/// # Errors
/// When a list or map of the input is compared with something that is none.
pub fn equal(left: &Val<'_>, right: &Val<'_>) -> Result<bool> {
    match (left, right) {
        (Val::Null, Val::Null) => Ok(true),
        (Val::Null, _) | (_, Val::Null) => Ok(false),
        _ => method(left, right),
    }
}

/// Equality as the left value's type defines it; null is like any other value.
///
/// # Errors
/// As for [`equal`].
pub fn method(left: &Val<'_>, right: &Val<'_>) -> Result<bool> {
    at_depth(left, right, 0)
}

fn at_depth(left: &Val<'_>, right: &Val<'_>, depth: u32) -> Result<bool> {
    if depth > DEPTH_MAX {
        return Err(Error::new("values are nested too deeply to be compared"));
    }
    Ok(match (left, right) {
        (Val::Null, Val::Null) => true,
        (Val::Bool(a), Val::Bool(b)) => a == b,
        (Val::Str(a), Val::Str(b)) | (Val::Type(a), Val::Type(b)) => a.as_str() == b.as_str(),
        (Val::Bytes(a), Val::Bytes(b)) => a.as_slice() == b.as_slice(),
        (Val::Duration(a), Val::Duration(b)) => a == b,
        (Val::Timestamp(a), Val::Timestamp(b)) => a.instant() == b.instant(),
        (Val::Int(a), Val::Int(b)) => a == b,
        (
            Val::Int(_) | Val::Uint(_) | Val::Double(_),
            Val::Int(_) | Val::Uint(_) | Val::Double(_),
        ) => compare::numbers(left, right) == Some(std::cmp::Ordering::Equal),
        (Val::List(a), Val::List(b)) => return lists(a, b, depth),
        (Val::List(List::View { .. } | List::Typed(_)), _) => return Err(Error::no_such_overload()),
        (Val::Map(a), Val::Map(b)) => return maps(a, b, depth),
        (Val::Map(Map::View { .. }), _) => return Err(Error::no_such_overload()),
        (Val::Optional(a), Val::Optional(b)) => match (a, b) {
            (None, None) => true,
            (Some(a), Some(b)) => return at_depth(a, b, depth + 1),
            _ => false,
        },
        (Val::Opaque(a), _) => return a.equals(right),
        (Val::Preserved(a), Val::Preserved(b)) => a == b,
        _ => false,
    })
}

fn lists(a: &List<'_>, b: &List<'_>, depth: u32) -> Result<bool> {
    if let (List::View { list: x, ty: tx }, List::View { list: y, ty: ty_y }) = (a, b)
        && x.ptr_eq(y)
        && std::ptr::eq(tx.view(), ty_y.view())
        && a.is_plain()
    {
        return Ok(true);
    }
    if let Some(outcome) = unordered(a, b) {
        return outcome;
    }
    if a.len() != b.len() {
        return Ok(false);
    }
    let strict = matches!(a, List::View { .. } | List::Typed(_));
    for index in 0..a.len() {
        let outcome = match (a.get(index), b.get(index)) {
            (Ok(x), Ok(y)) if strict => at_depth(&x, &y, depth + 1),
            (Ok(x), Ok(y)) => shallow_null(&x, &y, depth + 1),
            (Err(error), _) | (_, Err(error)) => Err(error),
        };
        match outcome {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            Err(error) if strict || depth > DEPTH_MAX => return Err(error),
            // A literal list takes an error among its items for neither equal nor unequal.
            Err(_) => {}
        }
    }
    Ok(true)
}

fn unordered<'a>(a: &List<'a>, b: &List<'a>) -> Option<Result<bool>> {
    a.equals_unordered(b)
}

fn shallow_null(a: &Val<'_>, b: &Val<'_>, depth: u32) -> Result<bool> {
    match (a, b) {
        (Val::Null, Val::Null) => Ok(true),
        (Val::Null, _) | (_, Val::Null) => Ok(false),
        _ => at_depth(a, b, depth),
    }
}

fn maps(a: &Map<'_>, b: &Map<'_>, depth: u32) -> Result<bool> {
    if a.len() != b.len() {
        return Ok(false);
    }
    match a {
        Map::View { map, .. } => {
            for (key, value) in map.iter() {
                if a.undeclared(key) {
                    match b {
                        Map::View { .. } => {
                            if b.raw(key).is_some_and(|other| value != other) {
                                return Ok(false);
                            }
                        }
                        Map::Owned(_) => return Err(Error::no_such_overload()),
                    }
                    continue;
                }
                let (own, other) = (a.find_key(key)?, b.find_key(key)?);
                match (own, other) {
                    (None, None) => {}
                    (Some(own), Some(other)) => {
                        if !at_depth(&own, &other, depth + 1)? {
                            return Ok(false);
                        }
                    }
                    _ => return Ok(false),
                }
            }
            Ok(true)
        }
        Map::Owned(data) => {
            for (key, own) in data.entries() {
                let Some(other) = b.find(key)? else { return Ok(false) };
                if matches!(shallow_null(own, &other, depth + 1), Ok(false)) {
                    return Ok(false);
                }
            }
            Ok(true)
        }
    }
}

/// Whether a name has two underscores, something else and two underscores again in it.
fn is_escaped(key: &str) -> bool {
    let Some((_, rest)) = key.split_once("__") else { return false };
    let inside = rest.trim_start_matches('_');
    inside
        .find('_')
        .is_some_and(|at| at > 0 && (inside[at..].starts_with("__") || is_escaped(&inside[at..])))
}

impl<'a> Map<'a> {
    /// Finds by the key of the input. Upstream looks the key up as if an expression had named it:
    /// what looks like an escaped name is taken for one.
    fn find_key(&self, key: &str) -> Result<Option<Val<'a>>> {
        match self {
            Self::View { map, ty } if matches!(ty.view(), View::Object(_)) && !is_escaped(key) => {
                let found = map.get(key).filter(|value| !value.is_null());
                let (Some(value), Some(ty)) = (found, ty.property(key)) else { return Ok(None) };
                ty.read(value).map(Some)
            }
            _ => self.find_text(key),
        }
    }
}

impl List<'_> {
    /// Whether every item reads without error and is equal to itself.
    fn is_plain(&self) -> bool {
        self.iter().all(|item| matches!(item, Ok(Val::Bool(_) | Val::Int(_) | Val::Str(_))))
    }
}
