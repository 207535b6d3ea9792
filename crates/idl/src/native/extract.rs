//! Tags to checks: one arm per tag, in the order upstream evaluates them.

use ordain_schema::native::{Check, Criterion, Exclusion, Format, Level, Rule};
use ordain_value::{Text, Value, go_quote};

use super::discover::{Context, Extractor, PlacedTag, Validations, check};
use super::list::Semantic;
use super::shape::Kind;
use super::table::{self, Scope};
use super::union::Arity;
use crate::graph::{Basic, ConstValue, TypeId};
use crate::source::Pos;
use crate::tags::codetag::{ArgKind, Tag, TagValue};

/// A failure with the place of the tag, if one tag is to blame.
type Failure = (Option<Pos>, String);

impl<'u> Extractor<'u> {
    /// All that the tags of a type or field come to.
    pub(super) fn extract_place(
        &mut self,
        ctx: &Context<'u>,
        tags: &[PlacedTag],
    ) -> Result<Validations, Failure> {
        let mut ordered: Vec<&PlacedTag> = tags.iter().collect();
        ordered.sort_by(|a, b| a.tag.name.cmp(&b.tag.name));
        let is_late = |it: &&PlacedTag| table::row(&it.tag.name).is_some_and(|it| it.late);
        let (late, early): (Vec<_>, Vec<_>) = ordered.into_iter().partition(is_late);
        let mut result = Validations::default();
        for placed in early.into_iter().chain(late) {
            let one = self
                .extract_tags(ctx, &[&placed.tag])
                .map_err(|it| (Some(placed.pos), it))?;
            result.add(one);
        }
        let nowhere = |it| (None, it);
        result.add(self.group_validations(ctx).map_err(nowhere)?);
        result.add(self.list_validations(ctx).map_err(nowhere)?);
        result.add(self.union_validations(Arity::ExactlyOne, ctx).map_err(nowhere)?);
        if ctx.scope == Scope::Field {
            result.add(self.update_validations(ctx));
        }
        result.add(self.union_validations(Arity::ZeroOrOne, ctx).map_err(nowhere)?);
        Ok(result)
    }

    /// What tags come to by themselves, without what they say together.
    pub(super) fn extract_tags(
        &mut self,
        ctx: &Context<'u>,
        tags: &[&Tag],
    ) -> Result<Validations, String> {
        let mut result = Validations::default();
        for tag in tags {
            let Some(row) = table::row(&tag.name) else {
                return Err(format!("unknown validation tag `+{}`", tag.name));
            };
            let name = &tag.name;
            if !row.scopes.contains(&ctx.scope) {
                let place = ctx.scope.name();
                return Err(format!("tag \"{name}\" cannot be specified on {place}"));
            }
            row.check(tag).map_err(|it| format!("tag \"{name}\": {it}"))?;
            let one = self.extract_tag(ctx, tag).map_err(|it| format!("tag \"{name}\": {it}"))?;
            result.add(one);
        }
        Ok(result)
    }

    fn extract_tag(&mut self, ctx: &Context<'u>, tag: &Tag) -> Result<Validations, String> {
        match tag.name.strip_prefix("k8s:").unwrap_or(&tag.name) {
            "required" => self.requiredness(ctx, Rule::Required, "required"),
            "optional" => self.optional(ctx),
            "forbidden" => self.forbidden(ctx),
            "minimum" => self.bound(ctx, tag, Rule::Minimum),
            "maximum" => self.bound(ctx, tag, Rule::Maximum),
            "minLength" => self.min_length(ctx, tag),
            "maxLength" => self.length(ctx, tag, Rule::MaxLength),
            "maxBytes" => self.length(ctx, tag, Rule::MaxBytes),
            "minItems" => self.items(ctx, tag, Rule::MinItems, false),
            "maxItems" => self.items(ctx, tag, Rule::MaxItems, true),
            "format" => self.format(ctx, tag),
            "enum" => self.enumeration(ctx),
            "enumExclude" => Ok(Validations::default()),
            "neq" => self.not_equal(ctx, tag),
            "immutable" => {
                let mut rule = check(Rule::Immutable);
                rule.short_circuit = true;
                Ok(Validations { checks: vec![rule], ..Validations::default() })
            }
            "update" => self.update(ctx, tag),
            "listType" => self.list_type(ctx, tag),
            "listMapKey" => self.list_map_key(ctx, tag),
            "unique" => self.unique(ctx, tag),
            "customUnique" => self.custom_unique(ctx),
            "eachVal" => self.each_val(ctx, tag),
            "eachKey" => self.each_key(ctx, tag),
            "subfield" => self.subfield(ctx, tag),
            "item" => self.item(ctx, tag),
            "unionDiscriminator" => self.union_discriminator(ctx, tag),
            "unionMember" => self.union_member(Arity::ExactlyOne, ctx, tag),
            "zeroOrOneOfMember" => self.union_member(Arity::ZeroOrOne, ctx, tag),
            "discriminator" => self.discriminator(ctx, tag),
            "member" => self.member(ctx, tag),
            "ifEnabled" => self.if_option(ctx, tag, true),
            "ifDisabled" => self.if_option(ctx, tag, false),
            "opaqueType" => Ok(Validations { opaque: true, ..Validations::default() }),
            "alpha" => self.level(ctx, tag, Level::Alpha),
            "beta" => self.level(ctx, tag, Level::Beta),
            "validateTrue" | "validateTrueAlpha" | "validateTrueBeta" => probe(tag, true),
            "validateFalse" => probe(tag, false),
            "validateError" => Err(format!("forced error: {}", tag.value.text())),
            other => Err(format!("`+k8s:{other}` has no meaning here")),
        }
    }

    fn requiredness(
        &self,
        ctx: &Context<'_>,
        rule: fn(ordain_schema::native::Setness) -> Rule,
        word: &str,
    ) -> Result<Validations, String> {
        let Some(setness) = self.setness(ctx.ty) else {
            return Err(format!("non-pointer structs cannot use the \"k8s:{word}\" tag"));
        };
        let mut rule = check(rule(setness));
        rule.short_circuit = true;
        Ok(Validations { checks: vec![rule], ..Validations::default() })
    }

    fn optional(&self, ctx: &Context<'_>) -> Result<Validations, String> {
        if let Some(zero) = self.default_is_zero(ctx)? {
            if !self.is_nilable(ctx.ty) && zero {
                return Ok(Validations { comments: 1, ..Validations::default() });
            }
            // A field with a default is set by the time it is validated.
            return self.requiredness(ctx, Rule::Required, "required");
        }
        let mut result = self.requiredness(ctx, Rule::Optional, "optional")?;
        result.checks.iter_mut().for_each(|it| it.non_error = true);
        Ok(result)
    }

    fn forbidden(&self, ctx: &Context<'_>) -> Result<Validations, String> {
        let mut result = self.requiredness(ctx, Rule::Forbidden, "forbidden")?;
        let mut unset = self.requiredness(ctx, Rule::Optional, "forbidden")?;
        unset.checks.iter_mut().for_each(|it| it.non_error = true);
        result.add(unset);
        Ok(result)
    }

    /// Does the field have a `+default`, and is it the zero value?
    fn default_is_zero(&self, ctx: &Context<'_>) -> Result<Option<bool>, String> {
        let Some(field) = ctx.member else { return Ok(None) };
        let lines = self.universe.lines(field.docs.file, field.docs.closest);
        let found: Vec<_> = crate::tags::codetag::extract("+", &lines)
            .into_iter()
            .filter(|it| it.name == "default")
            .collect();
        let payload = match found.as_slice() {
            [] => return Ok(None),
            [one] => one.text[one.name.len()..].trim_start_matches('=').trim(),
            _ => return Err("+default tag with multiple values".into()),
        };
        let value = ordain_value::json::decode(payload.as_bytes())
            .map_err(|it| format!("failed to parse default value {}: {it}", go_quote(payload)))?;
        if value.is_null() {
            return Err(format!(
                "failed to parse default value {}: unmarshalled to nil",
                go_quote(payload)
            ));
        }
        let (_, base) = self.native(ctx.ty);
        match self.kind(base) {
            Kind::Builtin(Basic::String) => Ok(Some(value.as_str() == Some(""))),
            Kind::Builtin(Basic::Bool) => Ok(Some(value.as_bool() == Some(false))),
            Kind::Builtin(_) => Ok(Some(value.as_float() == Some(0.0))),
            _ => Err(format!("unknown zero-value for type {}", self.universe.display(base))),
        }
    }

    fn bound(
        &self,
        ctx: &Context<'_>,
        tag: &Tag,
        rule: fn(i64) -> Rule,
    ) -> Result<Validations, String> {
        if !self.is_integer(ctx.ty) {
            return Err(format!("can only be used on integer types ({})", self.root_type(ctx.ty)));
        }
        let bound = payload_int(tag)?;
        let Kind::Builtin(basic) = self.base_kind(ctx.ty) else { return Ok(Validations::default()) };
        if basic.is_unsigned() && bound < 0 {
            return Err(format!(
                "must be greater than or equal to zero for unsigned types ({})",
                self.root_type(ctx.ty)
            ));
        }
        if let Some((min, max)) = basic.integer_range()
            && !(min..=max).contains(&i128::from(bound))
        {
            return Err(format!("{bound} does not fit the type {}", basic.name()));
        }
        Ok(Validations::check(rule(bound)))
    }

    fn length(
        &self,
        ctx: &Context<'_>,
        tag: &Tag,
        rule: fn(i64) -> Rule,
    ) -> Result<Validations, String> {
        self.must_be_string(ctx.ty)?;
        let bound = payload_int(tag)?;
        if bound < 0 {
            return Err("must be greater than or equal to zero".into());
        }
        Ok(Validations::check(rule(bound)))
    }

    fn min_length(&self, ctx: &Context<'_>, tag: &Tag) -> Result<Validations, String> {
        self.must_be_string(ctx.ty)?;
        let bound = payload_int(tag)?;
        if bound <= 0 {
            return Ok(Validations::default());
        }
        Ok(Validations::check(Rule::MinLength(bound)))
    }

    fn must_be_string(&self, ty: TypeId) -> Result<(), String> {
        if self.is_string(ty) {
            return Ok(());
        }
        Err(format!("can only be used on string types ({})", self.root_type(ty)))
    }

    fn items(
        &self,
        ctx: &Context<'_>,
        tag: &Tag,
        rule: fn(i64) -> Rule,
        short_circuit: bool,
    ) -> Result<Validations, String> {
        if !matches!(self.native_kind(ctx.ty), Kind::Slice(_)) {
            return Err(format!("can only be used on list types ({})", self.root_type(ctx.ty)));
        }
        let bound = payload_int(tag)?;
        if bound < 0 {
            return Err("must be greater than or equal to zero".into());
        }
        let mut rule = check(rule(bound));
        rule.short_circuit = short_circuit;
        Ok(Validations { checks: vec![rule], ..Validations::default() })
    }

    fn format(&self, ctx: &Context<'_>, tag: &Tag) -> Result<Validations, String> {
        self.must_be_string(ctx.ty)?;
        let name = tag.value.text();
        match Format::from_name(name) {
            Some(format) => Ok(Validations::check(Rule::Format(format))),
            None => {
                let known: Vec<&str> = Format::ALL.iter().map(|it| it.0).collect();
                let known = known.join(", ");
                Err(format!("unsupported validation format \"{name}\"; known formats: {known}"))
            }
        }
    }

    fn enumeration(&mut self, ctx: &Context<'_>) -> Result<Validations, String> {
        if self.native_kind(ctx.ty) != Kind::Builtin(Basic::String) {
            return Err(format!("can only be used on string types ({})", self.root_type(ctx.ty)));
        }
        let Some(id) = ctx.named else { return Err("can only be used on types".into()) };
        let universe = self.universe;
        let mut values: Vec<Text> = Vec::new();
        let mut exclusions = Vec::new();
        for constant in universe.constants_of(id) {
            let ConstValue::Str(value) = &constant.value else { continue };
            let tags = self.const_tags(&constant.docs);
            if tags.iter().any(|it| it.tag.name == "k8s:enumExclude") || values.contains(value) {
                continue;
            }
            for placed in &tags {
                let TagValue::Tag(inner) = &placed.tag.value else { continue };
                if inner.name != "k8s:enumExclude" {
                    continue;
                }
                if let Some(option) = placed.tag.positional() {
                    exclusions.push(Exclusion {
                        value: value.clone(),
                        option: Text::new(&option.value),
                        when: placed.tag.name == "k8s:ifEnabled",
                    });
                }
            }
            values.push(value.clone());
        }
        values.sort();
        let rule = check(Rule::Enum { values, exclusions });
        Ok(Validations { checks: vec![rule], variables: 1, ..Validations::default() })
    }

    fn not_equal(&self, ctx: &Context<'_>, tag: &Tag) -> Result<Validations, String> {
        let shown = || self.root_type(ctx.ty);
        let mismatch = |what: &str| {
            let got = tag.value.kind_name();
            format!("type mismatch: field is {what}, but payload is of type {got}")
        };
        let value = match (self.base_kind(ctx.ty), &tag.value) {
            (_, TagValue::None) => return Err("missing required payload".into()),
            (Kind::Builtin(Basic::String), TagValue::Str(text)) => Value::str(text.as_str()),
            (Kind::Builtin(Basic::String), _) => return Err(mismatch("a string")),
            (Kind::Builtin(Basic::Bool), TagValue::Bool(it)) => Value::Bool(*it),
            (Kind::Builtin(Basic::Bool), _) => return Err(mismatch("a bool")),
            (Kind::Builtin(it), TagValue::Int(text)) if it.is_integer() => {
                let wrong = |it| format!("invalid integer value for payload: {it}");
                Value::Int(parse_int(text).map_err(wrong)?)
            }
            (Kind::Builtin(it), _) if it.is_integer() => return Err(mismatch("an integer")),
            (Kind::Builtin(_), _) => return Err(format!("unsupported type for 'neq' tag: {}", shown())),
            _ => {
                return Err(format!(
                    "can only be used on comparable types (e.g. string, int, bool), but got {}",
                    shown()
                ));
            }
        };
        Ok(Validations::check(Rule::NotEqual(value)))
    }

    fn each_val(&mut self, ctx: &Context<'u>, tag: &Tag) -> Result<Validations, String> {
        let (scope, elem) = match self.native_kind(ctx.ty) {
            Kind::Slice(elem) => (Scope::ListValue, elem),
            Kind::Map(_, value) => (Scope::MapValue, value),
            kind => return Err(format!("can only be used on list or map types ({})", kind.name())),
        };
        let inner_ctx = Context {
            scope,
            ty: elem,
            path: format!("{}[(vals)]", ctx.path),
            parent: ctx.path.clone(),
            member: None,
            selector: (scope == Scope::ListValue).then(Vec::new),
            level: ctx.level,
            named: None,
        };
        let inner = self.extract_tags(&inner_ctx, &[payload_tag(tag)?])?;
        if inner.is_empty() && !inner.opaque && !inner.opaque_key && !inner.opaque_value {
            return Err("no validation functions found".into());
        }
        no_variables(&inner)?;
        let checks = inner.checks.into_iter().map(|it| self.each_value(ctx.ty, &ctx.path, it));
        Ok(Validations {
            checks: checks.collect(),
            opaque_value: inner.opaque,
            ..Validations::default()
        })
    }

    fn each_key(&mut self, ctx: &Context<'u>, tag: &Tag) -> Result<Validations, String> {
        let key = match self.native_kind(ctx.ty) {
            Kind::Map(key, _) => key,
            kind => return Err(format!("can only be used on map types ({})", kind.name())),
        };
        let inner_ctx = Context {
            scope: Scope::MapKey,
            ty: key,
            path: format!("{}[(keys)]", ctx.path),
            parent: ctx.path.clone(),
            member: None,
            selector: None,
            level: ctx.level,
            named: None,
        };
        let inner = self.extract_tags(&inner_ctx, &[payload_tag(tag)?])?;
        no_variables(&inner)?;
        let wrap = |it: Check| wrapped(it, Text::default(), |inner| Rule::EachKey { inner });
        Ok(Validations {
            checks: inner.checks.into_iter().map(wrap).collect(),
            opaque_key: inner.opaque,
            ..Validations::default()
        })
    }

    fn subfield(&mut self, ctx: &Context<'u>, tag: &Tag) -> Result<Validations, String> {
        let base = self.base_kind(ctx.ty);
        let Kind::Struct(id) = base else {
            return Err(format!("can only be used on struct types: {}", base.name()));
        };
        let json = tag.args.first().map_or("", |it| &it.value);
        let universe = self.universe;
        let fields = &universe.struct_type(id).fields;
        let Some(field) = fields.iter().find(|it| super::shape::json_name(it) == json) else {
            return Err(format!("no field for json name \"{json}\""));
        };
        let inner_ctx = Context {
            scope: Scope::Field,
            ty: field.ty,
            path: format!("{}.{json}", ctx.path),
            parent: ctx.path.clone(),
            member: Some(field),
            selector: None,
            level: ctx.level,
            named: None,
        };
        let inner = self.extract_tags(&inner_ctx, &[payload_tag(tag)?])?;
        no_variables(&inner)?;
        let equality = self.equality(field.ty);
        let json = Text::new(json);
        let wrap = |it: Check| {
            wrapped(it, json.clone(), |inner| Rule::Subfield {
                json: json.clone(),
                go: field.name.clone(),
                equality,
                inner,
            })
        };
        Ok(Validations {
            checks: inner.checks.into_iter().map(wrap).collect(),
            ..Validations::default()
        })
    }

    fn item(&mut self, ctx: &Context<'u>, tag: &Tag) -> Result<Validations, String> {
        let Kind::Slice(elem) = self.base_kind(ctx.ty) else {
            return Err("can only be used on list types".into());
        };
        if !matches!(self.base_kind(elem), Kind::Struct(_)) {
            return Err("can only be used on lists of structs".into());
        }
        let elem = self.native(elem).1;
        let own = self.lists.get(&ctx.path);
        let meta = match own {
            Some(meta) => Some(meta),
            None if ctx.scope == Scope::Field => self.list_meta(&ctx.path, ctx.ty),
            None => None,
        };
        let keys = match meta {
            Some(meta) if meta.semantic == Some(Semantic::Map) && !meta.keys.is_empty() => {
                meta.keys.clone()
            }
            _ => {
                return Err("found items with no list metadata - item tags require listType=map \
                            or unique=map with listMapKey"
                    .into());
            }
        };
        let args = item_arguments(tag)?;
        if args.len() != keys.len() {
            return Err(format!(
                "number of arguments ({}) does not match number of listMapKey fields ({})",
                args.len(),
                keys.len()
            ));
        }
        let mut selector = Vec::new();
        let mut criteria = Vec::new();
        for (go, json) in &keys {
            let Some((_, value)) = args.iter().find(|it| it.0 == *json) else {
                return Err(format!("missing required listMapKey fields: [{json}]"));
            };
            self.key_type_matches(elem, json, value).map_err(|it| format!("key \"{json}\": {it}"))?;
            selector.push((json.clone(), value.clone()));
            criteria.push(Criterion { go: go.clone(), value: value.clone() });
        }
        let shown = selector_text(&selector);
        let inner_ctx = Context {
            scope: Scope::ListValue,
            ty: elem,
            path: format!("{}[{shown}]", ctx.path),
            parent: ctx.path.clone(),
            member: None,
            selector: Some(selector),
            level: ctx.level,
            named: None,
        };
        let inner = self.extract_tags(&inner_ctx, &[payload_tag(tag)?])?;
        let equality = self.equality(elem);
        let wrap = |it: Check| {
            wrapped(it, Text::new(&shown), |inner| Rule::Item {
                criteria: criteria.clone(),
                equality,
                inner,
            })
        };
        Ok(Validations {
            checks: inner.checks.into_iter().map(wrap).collect(),
            variables: inner.variables,
            ..Validations::default()
        })
    }

    fn key_type_matches(&self, elem: TypeId, json: &str, value: &Value) -> Result<(), String> {
        let Some(field) = self.field_by_json(elem, json) else {
            return Err(format!("no field with JSON name \"{json}\""));
        };
        match (self.base_kind(field.ty), value) {
            (Kind::Builtin(Basic::String), Value::Str(_))
            | (Kind::Builtin(Basic::Bool), Value::Bool(_)) => Ok(()),
            (Kind::Builtin(Basic::String), _) => Err("expected string value".into()),
            (Kind::Builtin(Basic::Bool), _) => Err("expected bool value".into()),
            (Kind::Builtin(it), Value::Int(_)) if it.is_integer() => Ok(()),
            (Kind::Builtin(it), _) if it.is_integer() => Err("expected integer value".into()),
            _ => Err(format!("unsupported field type: {}", self.universe.display(field.ty))),
        }
    }

    fn if_option(
        &mut self,
        ctx: &Context<'u>,
        tag: &Tag,
        enabled: bool,
    ) -> Result<Validations, String> {
        let Some(option) = tag.positional() else {
            return Err("missing required option name positional argument".into());
        };
        let option = Text::new(&option.value);
        let inner = self.extract_tags(ctx, &[payload_tag(tag)?])?;
        let wrap = |it: Check| {
            wrapped(it, Text::default(), |inner| Rule::IfOption {
                option: option.clone(),
                enabled,
                inner,
            })
        };
        let variables = inner.variables * inner.checks.len();
        Ok(Validations {
            checks: inner.checks.into_iter().map(wrap).collect(),
            variables,
            ..Validations::default()
        })
    }

    fn level(
        &mut self,
        ctx: &Context<'u>,
        tag: &Tag,
        level: Level,
    ) -> Result<Validations, String> {
        if tag.args.len() > 1 {
            return Err("at most one optional kubernetes version argument is supported".into());
        }
        if let Some(version) = tag.args.first() {
            let minor = version.value.strip_prefix("1.").unwrap_or("");
            if minor.is_empty() || !minor.bytes().all(|it| it.is_ascii_digit()) {
                return Err(format!(
                    "invalid kubernetes version format, expected 1.<minor version>, got {}",
                    version.value
                ));
            }
        }
        let inner_ctx = Context { level: Some(level), ..ctx.clone() };
        let mut inner = self.extract_tags(&inner_ctx, &[payload_tag(tag)?])?;
        inner.checks.iter_mut().for_each(|it| it.level = Some(level));
        Ok(Validations {
            checks: inner.checks,
            variables: inner.variables,
            ..Validations::default()
        })
    }
}

/// Wraps a check: flags go out, the cohort is given, the level stays inside.
fn wrapped(inner: Check, cohort: Text, rule: impl FnOnce(Box<Check>) -> Rule) -> Check {
    Check {
        short_circuit: inner.short_circuit,
        non_error: inner.non_error,
        cohort,
        level: None,
        rule: rule(Box::new(inner)),
    }
}

fn payload_tag(tag: &Tag) -> Result<&Tag, String> {
    match &tag.value {
        TagValue::Tag(inner) => Ok(inner),
        _ => Err("requires a validation tag as its value payload".into()),
    }
}

fn no_variables(inner: &Validations) -> Result<(), String> {
    if inner.variables == 0 { Ok(()) } else { Err("variable generation is not supported".into()) }
}

fn payload_int(tag: &Tag) -> Result<i64, String> {
    parse_int(tag.value.text()).map_err(|it| format!("failed to parse tag payload as int: {it}"))
}

/// An integer in its one decimal form: no `+`, no leading zeros, no other base.
pub(super) fn parse_int(text: &str) -> Result<i64, String> {
    match text.parse::<i64>() {
        Ok(int) if int.to_string() == text => Ok(int),
        _ => Err(format!("\"{text}\" is not a valid int value")),
    }
}

pub(super) fn parse_bool(text: &str) -> Result<bool, String> {
    match text {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(format!("\"{text}\" is not a valid bool value")),
    }
}

fn item_arguments(tag: &Tag) -> Result<Vec<(Text, Value)>, String> {
    let mut args: Vec<(Text, Value)> = Vec::new();
    for arg in &tag.args {
        if arg.name.is_empty() {
            return Err("all arguments must be named".into());
        }
        if args.iter().any(|it| it.0 == arg.name) {
            return Err(format!("duplicate argument: \"{}\"", arg.name));
        }
        let wrong = |it| format!("invalid value for argument \"{}\": {it}", arg.name);
        let value = match arg.kind {
            ArgKind::String => Value::str(arg.value.as_str()),
            ArgKind::Int => Value::Int(parse_int(&arg.value).map_err(wrong)?),
            ArgKind::Bool => Value::Bool(parse_bool(&arg.value).map_err(wrong)?),
        };
        args.push((Text::new(&arg.name), value));
    }
    if args.is_empty() { Err("no selection criteria was specified".into()) } else { Ok(args) }
}

/// `{"name": "salt"}`: how messages name an element.
fn selector_text(selector: &[(Text, Value)]) -> String {
    let pairs: Vec<String> = selector
        .iter()
        .map(|(key, value)| {
            let shown = match value {
                Value::Str(text) => go_quote(text),
                other => ordain_value::json::encode_string(other),
            };
            format!("{}: {shown}", go_quote(key))
        })
        .collect();
    format!("{{{}}}", pairs.join(", "))
}

/// The test tags.
fn probe(tag: &Tag, valid: bool) -> Result<Validations, String> {
    let mut rule = check(Rule::Forced { valid, message: Text::new(tag.value.text()) });
    for flag in tag.named("flags").map_or("", |it| &it.value).split(',').map(str::trim) {
        match flag {
            "" => {}
            "ShortCircuit" => rule.short_circuit = true,
            "NonError" => rule.non_error = true,
            other => return Err(format!("unknown flag \"{other}\"")),
        }
    }
    if let Some(cohort) = tag.named("cohort") {
        rule.cohort = Text::new(&cohort.value);
    }
    Ok(Validations { checks: vec![rule], ..Validations::default() })
}
