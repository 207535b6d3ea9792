//! Rules for parts: each value, each key, one item, one field.

use ordain_schema::native::{Criterion, Match, Rule};
use ordain_value::{Text, Value, json};

use super::check::Outcome;
use super::context::{Context, LineTag, Refusal};
use super::discover::Discovery;
use super::gotype::GoKind;
use super::limits::{parse_bool, parse_int};
use super::list::Semantic;
use super::rule::Rules;
use crate::graph::TypeId;
use crate::tags::codetag::{Arg, ArgKind, TagValue, go_quote};
use crate::tags::registry::Place;

const NO_TABLES: &str = "variable generation is not supported";

impl<'u> Discovery<'u> {
    fn inner_tag(tag: &LineTag) -> Result<LineTag, Refusal> {
        match &tag.tag.value {
            TagValue::Tag(inner) => Ok(tag.inner(inner)),
            _ => Err(Refusal::new(tag.pos(), "missing validation tag")),
        }
    }

    pub(super) fn each_val(&mut self, context: &Context<'u>, tag: &LineTag) -> Outcome {
        let kind = self.universe.native_kind(context.ty);
        let base = self.universe.native_base(context.ty);
        let place = match kind {
            GoKind::Slice | GoKind::Array => Place::ListValue,
            GoKind::Map => Place::MapValue,
            _ => {
                let message = format!("can only be used on list or map types ({})", kind.name());
                return Err(Refusal::new(tag.pos(), message));
            }
        };
        let elem = self.universe.go_elem(base).unwrap_or(base);
        let inner = Self::inner_tag(tag)?;
        let inside = Context {
            place,
            ty: elem,
            path: format!("{}[(vals)]", context.path),
            parent: context.path.clone(),
            member: None,
            selector: (place == Place::ListValue).then(Vec::new),
            level: context.level,
            pos: context.pos,
        };
        let rules = self.tag_rules(&inside, &[inner])?;
        if rules.is_empty() && !rules.opaque_type && !rules.opaque_key && !rules.opaque_val {
            return Err(Refusal::new(tag.pos(), "no validation functions found"));
        }
        if rules.variables > 0 {
            return Err(Refusal::new(tag.pos(), NO_TABLES));
        }
        Ok(self.for_each_val(&context.path, context.ty, rules))
    }

    /// Rules for each element of a list or map.
    pub(super) fn for_each_val(&self, path: &str, ty: TypeId, inner: Rules) -> Rules {
        let base = self.universe.native_base(ty);
        let elem = self.universe.go_elem(base);
        let equality = self.equality(elem);
        let mut out = Rules { opaque_val: inner.opaque_type, ..Rules::default() };
        let is_map = self.universe.go_kind(base) == GoKind::Map;
        let meta = self.lists.get(path).or_else(|| self.lists.get(&self.universe.go_display(ty)));
        let (matching, same) = match meta.and_then(|meta| meta.semantic.map(|it| (it, meta))) {
            Some((Semantic::Map, meta)) => (Match::Keys(meta.keys.clone()), Some(equality)),
            Some((Semantic::Set, _)) => (Match::Equal(equality), None),
            _ => (Match::None, None),
        };
        for function in inner.functions {
            let matching = matching.clone();
            out.functions.push(function.wrapped(|inner| match is_map {
                true => Rule::EachMapValue { equivalence: equality, inner },
                false => Rule::EachValue { matching, equivalence: same, inner },
            }));
        }
        out
    }

    pub(super) fn each_key(&mut self, context: &Context<'u>, tag: &LineTag) -> Outcome {
        let kind = self.universe.native_kind(context.ty);
        let base = self.universe.native_base(context.ty);
        let key = self.universe.go_key(base);
        let (GoKind::Map, Some(key)) = (kind, key) else {
            let message = format!("can only be used on map types ({})", kind.name());
            return Err(Refusal::new(tag.pos(), message));
        };
        let inner = Self::inner_tag(tag)?;
        let inside = Context {
            place: Place::MapKey,
            ty: key,
            path: format!("{}[(keys)]", context.path),
            parent: context.path.clone(),
            member: None,
            selector: None,
            level: context.level,
            pos: context.pos,
        };
        let rules = self.tag_rules(&inside, &[inner])?;
        if rules.variables > 0 {
            return Err(Refusal::new(tag.pos(), NO_TABLES));
        }
        Ok(Self::for_each_key(rules))
    }

    /// Rules for each key of a map.
    pub(super) fn for_each_key(inner: Rules) -> Rules {
        let functions = inner.functions.into_iter();
        Rules {
            functions: functions.map(|it| it.wrapped(|inner| Rule::EachKey { inner })).collect(),
            opaque_key: inner.opaque_type,
            ..Rules::default()
        }
    }

    pub(super) fn subfield(&mut self, context: &Context<'u>, tag: &LineTag) -> Outcome {
        let base = self.universe.native_base(context.ty);
        let kind = self.universe.go_kind(base);
        if kind != GoKind::Struct {
            let message = format!("can only be used on struct types: {}", kind.name());
            return Err(Refusal::new(tag.pos(), message));
        }
        let word = tag.tag.args.first().map_or("", |arg| arg.value.as_str());
        let Some(member) = self.universe.member_by_json(base, word) else {
            let message = format!("no field for json name {}", go_quote(word));
            return Err(Refusal::new(tag.pos(), message).help(self.json_names_help(base)));
        };
        let inner = Self::inner_tag(tag)?;
        let inside = Context {
            place: Place::Field,
            ty: self.universe.unalias(member.ty),
            path: format!("{}.{word}", context.path),
            parent: context.path.clone(),
            member: Some(member),
            selector: None,
            level: context.level,
            pos: context.pos,
        };
        let rules = self.tag_rules(&inside, &[inner])?;
        if rules.variables > 0 {
            return Err(Refusal::new(tag.pos(), NO_TABLES));
        }
        let equality = self.equality(Some(member.ty));
        let mut out = Rules::default();
        for function in rules.functions {
            let (json, go) = (Text::new(word), member.name.clone());
            let around = |inner| Rule::Subfield { json, go, equality, inner };
            out.functions.push(function.wrapped(around).cohort(word));
        }
        Ok(out)
    }

    pub(super) fn item(&mut self, context: &Context<'u>, tag: &LineTag) -> Outcome {
        let refuse = |message: String| Err(Refusal::new(tag.pos(), message));
        let base = self.universe.native_base(context.ty);
        let elem = match (self.universe.go_kind(base), self.universe.go_elem(base)) {
            (GoKind::Slice, Some(elem)) => self.universe.native_base(elem),
            _ => return refuse("can only be used on list types".into()),
        };
        if self.universe.go_kind(elem) != GoKind::Struct {
            return refuse("can only be used on lists of structs".into());
        }
        let inner = Self::inner_tag(tag)?;
        let keys = self.item_keys(context, tag, elem)?;
        let shown: Vec<String> = keys
            .iter()
            .map(|it| format!("{}: {}", go_quote(&it.json), scalar_text(&it.value)))
            .collect();
        let item = format!("{{{}}}", shown.join(", "));
        let inside = Context {
            place: Place::ListValue,
            ty: elem,
            path: format!("{}[{item}]", context.path),
            parent: context.path.clone(),
            member: None,
            selector: Some(keys.clone()),
            level: context.level,
            pos: context.pos,
        };
        let rules = self.tag_rules(&inside, &[inner])?;
        let equality = self.equality(Some(elem));
        let mut out = Rules { variables: rules.variables, ..Rules::default() };
        for function in rules.functions {
            let around = |inner| Rule::Item { criteria: keys.clone(), equality, inner };
            out.functions.push(function.wrapped(around).cohort(&item));
        }
        Ok(out)
    }

    /// The keys an item tag names, in the order of the list's keys.
    fn item_keys(
        &self,
        context: &Context<'u>,
        tag: &LineTag,
        elem: TypeId,
    ) -> Result<Vec<Criterion>, Refusal> {
        let refuse = |message: String| Err(Refusal::new(tag.pos(), message));
        let of_type = || {
            let is_field = context.place == Place::Field;
            is_field.then(|| self.lists.get(&self.universe.go_display(context.ty))).flatten()
        };
        let meta = self.lists.get(&context.path).or_else(of_type);
        let Some(meta) =
            meta.filter(|meta| meta.semantic == Some(Semantic::Map) && !meta.keys.is_empty())
        else {
            return refuse("found items with no list metadata - item tags require listType=map or unique=map with listMapKey".into());
        };
        let given = criteria(tag, &tag.tag.args)?;
        if given.is_empty() {
            return refuse("no selection criteria was specified".into());
        }
        if given.len() != meta.keys.len() {
            return refuse(format!(
                "number of arguments ({}) does not match number of listMapKey fields ({})",
                given.len(),
                meta.keys.len()
            ));
        }
        let mut keys = Vec::new();
        let mut missing = Vec::new();
        for key in &meta.keys {
            let Some(criterion) = given.iter().find(|it| it.json == key.json) else {
                missing.push(key.json.as_str());
                continue;
            };
            let name = &criterion.json;
            let Some(member) = self.universe.member_by_json(elem, name) else {
                return refuse(format!("no field with JSON name {}", go_quote(name)));
            };
            if let Err(error) = self.matches_type(member.ty, &criterion.value) {
                return refuse(format!("key {}: {error}", go_quote(name)));
            }
            keys.push(criterion.clone());
        }
        if !missing.is_empty() {
            return refuse(format!("missing required listMapKey fields: [{}]", missing.join(" ")));
        }
        Ok(keys)
    }

    fn matches_type(&self, ty: TypeId, value: &Value) -> Result<(), String> {
        let base = self.universe.native_base(ty);
        let fits = |fits: bool, what: &str| {
            if fits { Ok(()) } else { Err(format!("expected {what} value")) }
        };
        if self.universe.is_go_string(base) {
            fits(matches!(value, Value::Str(_)), "string")
        } else if self.universe.is_go_bool(base) {
            fits(matches!(value, Value::Bool(_)), "bool")
        } else if self.universe.is_go_integer(base) {
            fits(matches!(value, Value::Int(_)), "integer")
        } else {
            Err(format!("unsupported field type: {}", self.universe.go_display(base)))
        }
    }
}

fn criteria(tag: &LineTag, args: &[Arg]) -> Result<Vec<Criterion>, Refusal> {
    let refuse = |message: String| Err(Refusal::new(tag.pos(), message));
    let mut out: Vec<Criterion> = Vec::new();
    for arg in args {
        if arg.name.is_empty() {
            return refuse("all arguments must be named".into());
        }
        if out.iter().any(|it| it.json == arg.name) {
            return refuse(format!("duplicate argument: {}", go_quote(&arg.name)));
        }
        let value = match arg.kind {
            ArgKind::String => Ok(Value::str(arg.value.as_str())),
            ArgKind::Int => parse_int(&arg.value)
                .map(Value::Int)
                .map_err(|error| format!("invalid integer: {error}")),
            ArgKind::Bool => parse_bool(&arg.value)
                .map(Value::Bool)
                .map_err(|error| format!("invalid boolean: {error}")),
        };
        match value {
            Ok(value) => out.push(Criterion { json: Text::new(&arg.name), value }),
            Err(error) => {
                return refuse(format!(
                    "invalid value for argument {}: {error}",
                    go_quote(&arg.name)
                ));
            }
        }
    }
    Ok(out)
}

/// A key's value as Go writes it.
pub(super) fn scalar_text(value: &Value) -> String {
    match value {
        Value::Str(text) => go_quote(text),
        other => json::encode_string(other),
    }
}
