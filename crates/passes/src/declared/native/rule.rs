//! The rules, one arm each.

use std::collections::HashMap;

use ordain_schema::native::{
    Check, Criterion, Equality, Exclusion, Match, Program, Rule, Setness, TypeId, UpdateConstraint,
    UpdateSetness,
};
use ordain_value::field::{BadValue, Error, Kind};
use ordain_value::{Text, Value, go_quote, json};

use super::format;
use super::run::{Place, Run};
use super::value::{
    decode, element_field, element_type, encode, equal, field_named, is_zero, list_of, read,
    semantic,
};

impl Run<'_> {
    pub(super) fn rule(&mut self, rule: &Rule, place: Place<'_>) {
        match rule {
            Rule::Required(_)
            | Rule::Optional(_)
            | Rule::Forbidden(_)
            | Rule::Minimum(_)
            | Rule::Maximum(_)
            | Rule::MinLength(_)
            | Rule::MaxLength(_)
            | Rule::MaxBytes(_)
            | Rule::MinItems(_)
            | Rule::MaxItems(_)
            | Rule::NotEqual(_)
            | Rule::Immutable
            | Rule::Forced { .. } => {
                if let Some(error) = self.broken(rule, place) {
                    self.report(error);
                }
            }
            Rule::Format(format) => {
                let text = place.new.as_str();
                for error in text.map_or_else(Vec::new, |it| format::check(*format, place.path, it))
                {
                    self.report(error.with_origin(format.origin()));
                }
            }
            Rule::Enum { values, exclusions } => self.enumeration(values, exclusions, place),
            Rule::Warn { text, inner } => self.warn(text, inner, place),
            Rule::Update { constraints, setness } => self.update_rule(constraints, *setness, place),
            Rule::Unique(matching) => self.unique(matching, place),
            Rule::EachValue { matching, equivalence, inner } => {
                self.each_value(matching, *equivalence, inner, place);
            }
            Rule::EachMapValue { equivalence, inner } => {
                self.each_map_value(*equivalence, inner, place);
            }
            Rule::EachKey { inner } => self.each_key(inner, place),
            Rule::Subfield { json, go, equality, inner } => {
                self.subfield(json, go, *equality, inner, place);
            }
            Rule::Item { criteria, equality, inner } => {
                self.item(criteria, *equality, inner, place);
            }
            Rule::IfOption { option, enabled, inner } => {
                if self.has_option(option) == *enabled {
                    self.wrapped(inner, place);
                }
            }
            Rule::Call(func) => {
                let old = place.old.filter(|it| !it.is_null());
                self.function(*func, place.ty, place.path, place.new, old);
            }
            Rule::Union(union) => self.union(union, place),
            Rule::Discriminated(rule) => self.discriminated(rule, place),
        }
    }

    /// The error of a rule that is about one value as a whole, if the value breaks it.
    fn broken(&self, rule: &Rule, place: Place<'_>) -> Option<Error> {
        let Place { path, new, ty, .. } = place;
        let characters = || new.as_str().map(|it| count(it.chars().count()));
        let items = || count(list_of(self.program, ty, new).map_or(0, |it| it.len()));
        let (error, origin) = match rule {
            Rule::Required(setness) if !is_set(*setness, new) => {
                return Some(Error::required(path, ""));
            }
            Rule::Optional(setness) if !is_set(*setness, new) => {
                return Some(Error::required(path, "optional value was not specified"));
            }
            Rule::Forbidden(setness) if is_set(*setness, new) => {
                return Some(Error::forbidden(path, ""));
            }
            Rule::Minimum(min) => {
                let int = new.as_int().filter(|it| it < min)?;
                let detail = format!("must be greater than or equal to {min}");
                (Error::invalid(path, int, detail), "minimum")
            }
            Rule::Maximum(max) => {
                let int = new.as_int().filter(|it| it > max)?;
                let detail = format!("must be less than or equal to {max}");
                (Error::invalid(path, int, detail), "maximum")
            }
            Rule::MinLength(min) if characters()? < *min => {
                (Error::too_short(path, new, *min), "minLength")
            }
            Rule::MaxLength(max) if characters()? > *max => {
                (Error::too_long_characters(path, *max), "maxLength")
            }
            Rule::MaxBytes(max) if count(new.as_str()?.len()) > *max => {
                (Error::too_long(path, *max), "maxBytes")
            }
            Rule::MinItems(min) if items() < *min => {
                (Error::too_few(path, items(), *min), "minItems")
            }
            Rule::MaxItems(max) if items() > *max => {
                (Error::too_many(path, items(), *max), "maxItems")
            }
            Rule::NotEqual(value) if new == value => {
                let shown = match value {
                    Value::Str(text) => go_quote(text),
                    other => json::encode_string(other),
                };
                (Error::invalid(path, new, format!("must not be equal to {shown}")), "neq")
            }
            Rule::Immutable if self.update => {
                (Error::invalid(path, Value::Null, "field is immutable"), "immutable")
            }
            Rule::Forced { valid: false, message } => {
                let shown = encode(self.program, ty, new);
                let detail = format!("forced failure: {message}");
                (Error::invalid(path, shown, detail), "validateFalse")
            }
            _ => return None,
        };
        Some(error.with_origin(origin))
    }

    fn enumeration(&mut self, values: &[Text], exclusions: &[Exclusion], place: Place<'_>) {
        let Some(text) = place.new.as_str() else { return };
        let excluded = |run: &Self, value: &str| {
            exclusions.iter().any(|it| it.value == value && it.when == run.has_option(&it.option))
        };
        if values.iter().any(|it| it == text) && !excluded(self, text) {
            return;
        }
        let supported: Vec<&Text> = values.iter().filter(|it| !excluded(self, it)).collect();
        self.report(Error::not_supported(place.path, text, &supported));
    }

    fn update_rule(
        &mut self,
        constraints: &[UpdateConstraint],
        setness: UpdateSetness,
        place: Place<'_>,
    ) {
        if !self.update {
            return;
        }
        let is_set = |it: &Value| match setness {
            UpdateSetness::Pointer => !it.is_null(),
            UpdateSetness::Value => !is_zero(it),
            UpdateSetness::Struct => true,
        };
        // Below a parent that is new there is nothing to protect, except that a pointer counts as
        // unset before.
        let old = match (place.old, setness) {
            (Some(old), _) => is_set(old),
            (None, UpdateSetness::Pointer) => false,
            (None, UpdateSetness::Struct) => true,
            (None, UpdateSetness::Value) => return,
        };
        let new = is_set(place.new);
        for constraint in constraints {
            let detail = match constraint {
                UpdateConstraint::NoSet if !old && new => "field cannot be set once created",
                UpdateConstraint::NoUnset if old && !new => "field cannot be cleared once set",
                UpdateConstraint::NoModify if old && new => "field cannot be modified once set",
                _ => continue,
            };
            let error = Error::invalid(place.path, Value::Null, detail);
            self.report(error.with_origin("update"));
        }
    }

    fn unique(&mut self, matching: &Match, place: Place<'_>) {
        let Some(list) = list_of(self.program, place.ty, place.new) else { return };
        let elem = element_type(self.program, place.ty);
        let mut seen: HashMap<String, ()> = HashMap::with_capacity(list.len());
        for (index, item) in list.iter().enumerate() {
            if seen.insert(self.match_key(matching, elem, item), ()).is_some() {
                let shown = encode(self.program, elem, item);
                self.report(Error::duplicate(&place.path.index(index), shown));
            }
        }
    }

    /// A text that is the same for matching elements.
    fn match_key(&self, matching: &Match, elem: TypeId, item: &Value) -> String {
        match matching {
            Match::None => String::new(),
            Match::Equal(Equality::Direct) => {
                json::encode_string(&decode(self.program, elem, item))
            }
            Match::Equal(Equality::Semantic) => {
                let whole = decode(self.program, elem, item);
                json::encode_string(&semantic(self.program, elem, &whole, 0))
            }
            Match::Keys(keys) => {
                let value = |go: &Text| {
                    field_named(self.program, elem, go, item)
                        .map_or(Value::Null, |(ty, it)| decode(self.program, ty, &it))
                };
                json::encode_string(&Value::from(
                    keys.iter().map(|it| value(&it.go)).collect::<Vec<_>>(),
                ))
            }
        }
    }

    fn each_value(
        &mut self,
        matching: &Match,
        equivalence: Option<Equality>,
        inner: &Check,
        place: Place<'_>,
    ) {
        let Some(list) = list_of(self.program, place.ty, place.new) else { return };
        let elem = element_type(self.program, place.ty);
        let old_list = place.old.and_then(|it| list_of(self.program, place.ty, it));
        let mut partners: HashMap<String, &Value> = HashMap::new();
        if *matching != Match::None {
            for item in old_list.iter().flat_map(|it| it.iter()) {
                partners.entry(self.match_key(matching, elem, item)).or_insert(item);
            }
        }
        for (index, item) in list.iter().enumerate() {
            let old = if partners.is_empty() {
                None
            } else {
                partners.get(&self.match_key(matching, elem, item)).copied()
            };
            let unchanged =
                |old: &Value| equivalence.is_none_or(|it| equal(self.program, elem, it, item, old));
            if self.update && old.is_some_and(unchanged) {
                continue;
            }
            let path = place.path.index(index);
            let new = read(self.program, elem, Some(item));
            let old = old.map(|it| read(self.program, elem, Some(it)));
            self.wrapped(inner, Place { ty: elem, path: &path, new: &new, old: old.as_deref() });
        }
    }

    fn each_map_value(&mut self, equivalence: Equality, inner: &Check, place: Place<'_>) {
        let Some(map) = place.new.as_map() else { return };
        let elem = element_type(self.program, place.ty);
        let old_map = place.old.and_then(Value::as_map);
        for (key, item) in map.iter() {
            let old = old_map.and_then(|it| it.get(key));
            if self.update && old.is_some_and(|it| equal(self.program, elem, equivalence, item, it))
            {
                continue;
            }
            let path = place.path.key(key);
            let new = read(self.program, elem, Some(item));
            let old = old.map(|it| read(self.program, elem, Some(it)));
            self.wrapped(inner, Place { ty: elem, path: &path, new: &new, old: old.as_deref() });
        }
    }

    fn each_key(&mut self, inner: &Check, place: Place<'_>) {
        let Some(map) = place.new.as_map() else { return };
        let old_map = place.old.and_then(Value::as_map);
        for key in map.keys() {
            if self.update && old_map.is_some_and(|it| it.contains_key(key)) {
                continue;
            }
            let value = Value::Str(key.clone());
            self.wrapped(inner, Place { new: &value, old: None, ..place });
        }
    }

    fn subfield(
        &mut self,
        json: &str,
        go: &str,
        equality: Equality,
        inner: &Check,
        place: Place<'_>,
    ) {
        let Some((ty, new)) = field_named(self.program, place.ty, go, place.new) else { return };
        let old = place.old.and_then(|it| field_named(self.program, place.ty, go, it));
        let old = old.as_ref().map(|it| it.1.as_ref());
        if self.update && old.is_some_and(|it| equal(self.program, ty, equality, &new, it)) {
            return;
        }
        let path = place.path.child(json);
        self.wrapped(inner, Place { ty, path: &path, new: &new, old });
    }

    fn item(
        &mut self,
        criteria: &[Criterion],
        equality: Equality,
        inner: &Check,
        place: Place<'_>,
    ) {
        let Some(list) = place.new.as_list() else { return };
        let elem = element_type(self.program, place.ty);
        let Some(index) = list.iter().position(|it| matches(self.program, elem, criteria, it))
        else {
            return;
        };
        let new = &list[index];
        let old = place.old.and_then(Value::as_list);
        let old = old.and_then(|it| it.iter().find(|it| matches(self.program, elem, criteria, it)));
        if self.update && old.is_some_and(|it| equal(self.program, elem, equality, new, it)) {
            return;
        }
        let path = place.path.index(index);
        let new = read(self.program, elem, Some(new));
        let old = old.map(|it| read(self.program, elem, Some(it)));
        self.wrapped(inner, Place { ty: elem, path: &path, new: &new, old: old.as_deref() });
    }
}

/// Does a list element have these values?
pub(super) fn matches(
    program: &Program,
    elem: TypeId,
    criteria: &[Criterion],
    item: &Value,
) -> bool {
    let item = read(program, elem, Some(item));
    criteria.iter().all(|it| {
        element_field(program, elem, &it.json, &item).is_some_and(|found| *found == it.value)
    })
}

/// Is a Go value set?
pub(super) fn is_set(setness: Setness, value: &Value) -> bool {
    match setness {
        Setness::Pointer => !value.is_null(),
        Setness::Value | Setness::List | Setness::Map => !is_zero(value),
    }
}

fn count(len: usize) -> i64 {
    i64::try_from(len).unwrap_or(i64::MAX)
}

/// Errors of kinds that carry a value are made here, so that union code reads well.
pub(super) fn invalid(path: String, value: &str, detail: String) -> Error {
    Error::at(Kind::Invalid, path, BadValue::from(value), detail)
}
