//! Equality.
//!
//! `==` compares across numeric types, and values of different kinds are unequal rather than an
//! error. Lists and maps of the input are stricter where they stand on the left: a value of
//! another kind is an error there, as upstream has it.

use super::{Error, List, Map, Result, Val, View, compare};
use crate::meter::Meter;

/// Values nested deeper than this are not compared.
const DEPTH_MAX: u32 = 1_000;

/// `left == right`; each item and entry that is looked at is paid for.
///
/// # Errors
/// When a list or map of the input is compared with something that is none, or when it takes more
/// work than is left.
pub fn equal(left: &Val<'_>, right: &Val<'_>, meter: &Meter) -> Result<bool> {
    shallow_null(left, right, Walk { depth: 0, meter })
}

/// Equality as the left value's type defines it; null is like any other value.
///
/// # Errors
/// As for [`equal`].
pub fn method(left: &Val<'_>, right: &Val<'_>, meter: &Meter) -> Result<bool> {
    compared(left, right, Walk { depth: 0, meter })
}

/// Where a comparison is, and what it is paid from.
#[derive(Clone, Copy)]
struct Walk<'m> {
    depth: u32,
    meter: &'m Meter,
}

impl Walk<'_> {
    /// One level down, to an item or entry.
    fn down(self) -> Result<Self> {
        self.meter.items(1)?;
        Ok(Self { depth: self.depth + 1, ..self })
    }
}

fn compared(left: &Val<'_>, right: &Val<'_>, walk: Walk<'_>) -> Result<bool> {
    if walk.depth > DEPTH_MAX {
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
        (Val::List(a), Val::List(b)) => return lists(a, b, walk),
        (Val::List(List::View { .. } | List::Typed(_)), _) => return Err(Error::no_such_overload()),
        (Val::Map(a), Val::Map(b)) => return maps(a, b, walk),
        (Val::Map(Map::View { .. }), _) => return Err(Error::no_such_overload()),
        (Val::Optional(a), Val::Optional(b)) => match (a, b) {
            (None, None) => true,
            (Some(a), Some(b)) => return compared(a, b, walk.down()?),
            _ => false,
        },
        (Val::Opaque(a), _) => return a.equals(right),
        (Val::Preserved(a), Val::Preserved(b)) => a == b,
        _ => false,
    })
}

fn lists(a: &List<'_>, b: &List<'_>, walk: Walk<'_>) -> Result<bool> {
    if let (List::View { list: x, ty: tx }, List::View { list: y, ty: ty_y }) = (a, b)
        && x.ptr_eq(y)
        && std::ptr::eq(tx.view(), ty_y.view())
        && a.is_plain()
    {
        return Ok(true);
    }
    if let Some(outcome) = unordered(a, b, walk.meter) {
        return outcome;
    }
    if a.len() != b.len() {
        return Ok(false);
    }
    let strict = matches!(a, List::View { .. } | List::Typed(_));
    for index in 0..a.len() {
        let below = walk.down()?;
        let outcome = match (a.get(index), b.get(index)) {
            (Ok(x), Ok(y)) if strict => compared(&x, &y, below),
            (Ok(x), Ok(y)) => shallow_null(&x, &y, below),
            (Err(error), _) | (_, Err(error)) => Err(error),
        };
        match outcome {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            Err(error) if strict || walk.depth > DEPTH_MAX || error.is_cancelled() => {
                return Err(error);
            }
            // A literal list takes an error among its items for neither equal nor unequal.
            Err(_) => {}
        }
    }
    Ok(true)
}

fn unordered<'a>(a: &List<'a>, b: &List<'a>, meter: &Meter) -> Option<Result<bool>> {
    a.equals_unordered(b, meter)
}

fn shallow_null(a: &Val<'_>, b: &Val<'_>, walk: Walk<'_>) -> Result<bool> {
    match (a, b) {
        (Val::Null, Val::Null) => Ok(true),
        (Val::Null, _) | (_, Val::Null) => Ok(false),
        _ => compared(a, b, walk),
    }
}

fn maps(a: &Map<'_>, b: &Map<'_>, walk: Walk<'_>) -> Result<bool> {
    if a.len() != b.len() {
        return Ok(false);
    }
    match a {
        Map::View { map, .. } => {
            for (key, value) in map.iter() {
                let below = walk.down()?;
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
                        if !compared(&own, &other, below)? {
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
                match shallow_null(own, &other, walk.down()?) {
                    Ok(false) => return Ok(false),
                    Err(error) if error.is_cancelled() => return Err(error),
                    _ => {}
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
