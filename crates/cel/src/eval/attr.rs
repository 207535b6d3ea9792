//! Selections: fields, indices, presence, optional chains.

use super::Machine;
use crate::plan::{Attr, Has, Key, Qualifier, Root};
use crate::value::{Error, Result, Str, Val, ViewRef, list, show};

impl<'a> Machine<'a, '_> {
    fn root(&mut self, attr: &'a Attr) -> Result<Val<'a>> {
        match attr.root {
            Root::Global(slot) => self.global(slot),
            Root::Local(slot) => self.local(slot),
            Root::Node(node) => self.eval(node),
        }
    }

    pub(super) fn attr(&mut self, attr: &'a Attr) -> Result<Val<'a>> {
        let (mut ty, mut cost) = (ViewRef::dynamic(), 0);
        if let Some(value) = self.place(attr, &mut ty, &mut cost)
            && self.spend(cost)
        {
            return ty.read(value);
        }
        self.charge(u64::from(attr.costs))?;
        let root = self.root(attr)?;
        let (value, optional) = self.apply(root, &attr.qualifiers)?;
        Ok(match (value, optional) {
            (Some(value), true) => Val::some(value),
            (Some(value), false) => value,
            (None, _) => Val::Optional(None),
        })
    }

    /// Applies selections. Gives none when an optional one found nothing, and whether the whole
    /// is optional.
    fn apply(
        &mut self,
        root: Val<'a>,
        qualifiers: &'a [Qualifier],
    ) -> Result<(Option<Val<'a>>, bool)> {
        let (mut value, mut optional) = match root {
            Val::Optional(None) => return Ok((None, true)),
            Val::Optional(Some(inner)) => ((*inner).clone(), true),
            other => (other, false),
        };
        for qualifier in qualifiers {
            optional |= qualifier.optional;
            if !optional && let Key::Field(field) = &qualifier.key {
                let name = field.name();
                self.charge(1)?;
                value = match &value {
                    Val::Map(map) => map.find_text(name)?.ok_or_else(|| missing_key(name))?,
                    other => field_of(other, name)?.ok_or_else(|| missing_key(name))?,
                };
                continue;
            }
            let found = self.qualify(&value, qualifier)?;
            if found.is_some() || !optional {
                self.charge(1)?;
            }
            value = match found {
                Some(found) => found,
                None if optional => return Ok((None, true)),
                None => return Err(self.missing_qualifier(&value, qualifier)?),
            };
        }
        Ok((Some(value), optional))
    }

    fn qualify(&mut self, value: &Val<'a>, qualifier: &'a Qualifier) -> Result<Option<Val<'a>>> {
        let outcome = match &qualifier.key {
            Key::Field(field) => field_of(value, field.name()),
            Key::Const(key) => select(value, key),
            Key::Node(node) => {
                let key = self.eval(*node)?;
                check_key(&key)?;
                select(value, &key)
            }
        };
        if let Err(error) = &outcome
            && !error.is_cancelled()
        {
            self.charge(1)?;
        }
        outcome
    }

    /// The error of a selection that found nothing. Keys that are computed are computed anew,
    /// which has no effect but their cost.
    #[cold]
    fn missing_qualifier(&mut self, value: &Val<'a>, qualifier: &'a Qualifier) -> Result<Error> {
        let key = match &qualifier.key {
            Key::Field(field) => Val::Str(Str::Ref(field.name())),
            Key::Const(key) => key.clone(),
            Key::Node(node) => {
                let before = self.cost;
                let key = self.eval(*node)?;
                self.cost = before;
                key
            }
        };
        Ok(missing(value, &key))
    }

    pub(super) fn has(&mut self, has: &'a Has) -> Result<bool> {
        self.charge(u64::from(has.attr.costs))?;
        let root = self.root(&has.attr)?;
        let (value, _) = self.apply(root, &has.attr.qualifiers)?;
        let Some(value) = value else { return Ok(false) };
        self.charge(1)?;
        Ok(match &value {
            Val::Map(map) => map.has_text(has.field.name())?,
            Val::List(_) => {
                list::index_of(&Val::Str(Str::Ref(has.field.name())))?;
                false
            }
            _ => false,
        })
    }
}

fn check_key(key: &Val<'_>) -> Result<()> {
    match key {
        Val::Str(_) | Val::Int(_) | Val::Uint(_) | Val::Bool(_) | Val::Double(_) => Ok(()),
        other => Err(Error::new(format!("invalid qualifier type: {}", go_name(other)))),
    }
}

fn go_name(value: &Val<'_>) -> &'static str {
    match value {
        Val::Null => "types.Null",
        Val::Bytes(_) => "types.Bytes",
        Val::Duration(_) => "types.Duration",
        Val::Timestamp(_) => "types.Timestamp",
        Val::List(_) => "*types.baseList",
        Val::Map(_) => "*types.baseMap",
        Val::Type(_) => "*types.Type",
        _ => "*types.Optional",
    }
}

fn field_of<'a>(value: &Val<'a>, name: &'a str) -> Result<Option<Val<'a>>> {
    match value {
        Val::Map(map) => map.find_text(name),
        Val::List(_) => list::index_of(&Val::Str(Str::Ref(name))).map(|_| None),
        _ => Ok(None),
    }
}

fn select<'a>(value: &Val<'a>, key: &Val<'a>) -> Result<Option<Val<'a>>> {
    match value {
        Val::Map(map) => map.find(key),
        Val::List(list) => list.index(key),
        _ => Ok(None),
    }
}

#[cold]
fn missing_key(name: &str) -> Error {
    Error::new(format!("no such key: {name}"))
}

#[cold]
fn missing(value: &Val<'_>, key: &Val<'_>) -> Error {
    let key = show::plain(key);
    match value {
        Val::List(_) => Error::new(format!("index out of bounds: {key}")),
        _ => Error::new(format!("no such key: {key}")),
    }
}
