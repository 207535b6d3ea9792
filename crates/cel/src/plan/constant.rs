//! Constants and what is folded into them.

use super::{ConstSet, same_text};
use crate::ast::Const;
use crate::value::{Bytes, List, Map, Str, Val, compare};

/// The value of a literal.
pub(super) fn value_of(literal: &Const) -> Val<'static> {
    match literal {
        Const::Null => Val::Null,
        Const::Bool(it) => Val::Bool(*it),
        Const::Int(it) => Val::Int(*it),
        Const::Uint(it) => Val::Uint(*it),
        Const::Double(it) => Val::Double(*it),
        Const::String(it) => Val::string(it.as_str()),
        Const::Bytes(it) => Val::Bytes(Bytes::Owned(it.clone())),
    }
}

/// A copy that borrows nothing. Folding starts from literals, so there are no views in it.
pub(super) fn to_static(value: &Val<'_>) -> Option<Val<'static>> {
    Some(match value {
        Val::Null => Val::Null,
        Val::Bool(it) => Val::Bool(*it),
        Val::Int(it) => Val::Int(*it),
        Val::Uint(it) => Val::Uint(*it),
        Val::Double(it) => Val::Double(*it),
        Val::Str(it) => Val::Str(it.to_static()),
        Val::Type(Str::Ref(it)) => Val::Type(Str::Owned((*it).into())),
        Val::Type(Str::Owned(it)) => Val::Type(Str::Owned(it.clone())),
        Val::Bytes(it) => Val::bytes(it.as_slice()),
        Val::Duration(it) => Val::Duration(*it),
        Val::Timestamp(it) => Val::Timestamp(*it),
        Val::Opaque(it) => Val::Opaque(it.clone()),
        Val::Optional(None) => Val::Optional(None),
        Val::Optional(Some(inner)) => Val::some(to_static(inner)?),
        Val::List(List::View { .. } | List::Typed(_)) | Val::Map(Map::View { .. }) => return None,
        Val::List(list) => {
            let items =
                list.iter().map(|item| to_static(&item.ok()?)).collect::<Option<Vec<_>>>()?;
            Val::list(items)
        }
        Val::Map(Map::Owned(data)) => {
            let entries = data.entries().iter();
            let entries = entries
                .map(|(key, value)| Some((to_static(key)?, to_static(value)?)))
                .collect::<Option<Vec<_>>>()?;
            Val::map(entries)
        }
        Val::Preserved(_) => return None,
    })
}

/// The set of a list whose items are all basic and can be keys; numbers stand in it as every
/// numeric type that holds them.
pub(super) fn set_of(list: &Val<'static>) -> Option<ConstSet> {
    let mut members = Vec::new();
    let mut texts: Vec<Box<str>> = Vec::new();
    for item in list.as_list()?.iter() {
        let item = item.ok()?;
        match &item {
            Val::Str(text) => {
                texts.push(Box::from(text.as_str()));
                continue;
            }
            Val::Bool(_) => {}
            #[expect(clippy::cast_precision_loss, reason = "as upstream converts")]
            Val::Int(it) => {
                members.push(Val::Double(*it as f64));
                members.extend(u64::try_from(*it).ok().map(Val::Uint));
            }
            #[expect(clippy::cast_precision_loss, reason = "as upstream converts")]
            Val::Uint(it) => {
                members.push(Val::Double(*it as f64));
                members.extend(i64::try_from(*it).ok().map(Val::Int));
            }
            Val::Double(it) => {
                members.extend(compare::lossless_int(*it).map(Val::Int));
                members.extend(compare::lossless_uint(*it).map(Val::Uint));
            }
            _ => return None,
        }
        members.push(item);
    }
    texts.sort_unstable();
    texts.dedup();
    let ints = members.iter().filter_map(Val::as_int).collect();
    Some(ConstSet { members, ints, texts })
}

/// Up to this many texts are compared one by one, which is faster than a search.
const FEW: usize = 8;

impl ConstSet {
    pub(crate) fn has_int(&self, number: i64) -> bool {
        self.ints.contains(&number)
    }

    pub(crate) fn has_text(&self, text: &str) -> bool {
        if self.texts.len() <= FEW {
            return self.texts.iter().any(|it| same_text(it, text));
        }
        self.texts.binary_search_by(|it| (**it).cmp(text)).is_ok()
    }

    /// Whether the value is one of the members.
    pub(crate) fn contains(&self, value: &Val<'_>) -> bool {
        match value {
            Val::Str(text) => self.has_text(text.as_str()),
            _ => self.members.iter().any(|member| match (member, value) {
                (Val::Bool(a), Val::Bool(b)) => a == b,
                (Val::Int(a), Val::Int(b)) => a == b,
                (Val::Uint(a), Val::Uint(b)) => a == b,
                (Val::Double(a), Val::Double(b)) => a == b,
                _ => false,
            }),
        }
    }
}
