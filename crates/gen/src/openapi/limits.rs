//! Limits that `+k8s:validation:` states: what they are, what types they fit, what they publish.

use std::collections::BTreeMap;

use ordain_go::regex::GoRegex;
use ordain_idl::graph::{Field, TypeId};
use ordain_idl::validation::GoKind;
use ordain_idl::{Diagnostic, Pos};
use ordain_value::go_format::{cannot_unmarshal_field, json_type};
use ordain_value::{List, Map, Text, Value, go_quote, json};

use super::member::{json_parts, resolved, type_format};
use super::tags::Lines;
use super::{Generator, Outcome, extension, marker};

const DEPTH_MAX: u32 = 64;

/// The limits of a value, and of what is inside it.
#[derive(Clone, Debug, Default)]
pub(super) struct Limits {
    maximum: Option<f64>,
    minimum: Option<f64>,
    multiple_of: Option<f64>,
    exclusive_maximum: Option<bool>,
    exclusive_minimum: Option<bool>,
    unique_items: Option<bool>,
    pattern: Option<Text>,
    /// Lengths by key: `maxLength`, `minItems` and their like.
    lengths: BTreeMap<&'static str, i64>,
    items: Option<Box<Limits>>,
    additional: Option<Box<Limits>>,
    properties: Option<BTreeMap<Text, Limits>>,
    rules: Vec<Rule>,
}

/// A rule of `cel[i]`.
#[derive(Clone, Debug, Default, PartialEq)]
struct Rule {
    texts: BTreeMap<&'static str, Text>,
    optional_old_self: Option<bool>,
}

const LENGTHS: [&str; 6] =
    ["maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties"];
const RULE_TEXTS: [&str; 5] = ["rule", "message", "messageExpression", "reason", "fieldPath"];

impl<'u> Generator<'u> {
    /// The limits stated in a comment for a type.
    pub(super) fn limits(&self, ty: TypeId, lines: &Lines<'u>, pos: Pos) -> Outcome<Limits> {
        let (nested, places) = marker::read(lines)?;
        if nested.is_empty() {
            return Ok(Limits::default());
        }
        let place = |keys: &[&str]| {
            let found = places.iter().find(|(key, _)| {
                keys.iter().any(|word| key.split([':', '[']).any(|part| part == *word))
            });
            found.or(places.iter().next()).map_or(pos, |(_, pos)| *pos)
        };
        let limits = Limits::decode(&nested, "", 0).map_err(|(key, message)| {
            let message = format!("failed to unmarshal marker comments: {message}");
            Diagnostic::error("limits", place(&[key.as_str()]), message)
        })?;
        let mut wrong = limits.contradictions();
        wrong.extend(self.misfits(&limits, ty, 0));
        if let Some((key, _)) = wrong.first() {
            let texts: Vec<&str> = wrong.iter().map(|(_, text)| text.as_str()).collect();
            let message = format!("invalid marker comments: {}", texts.join("\n"));
            return Err(Diagnostic::error("limits", place(&[*key]), message));
        }
        Ok(limits)
    }

    /// Limits that the type cannot have.
    fn misfits(&self, limits: &Limits, ty: TypeId, depth: u32) -> Vec<(&'static str, String)> {
        let universe = self.universe;
        let base = resolved(universe, ty);
        let kind = universe.go_kind(base);
        if matches!(kind, GoKind::Interface | GoKind::Struct) && self.states_itself(ty) {
            return Vec::new();
        }
        let simple = type_format(&universe.go_display(base)).map_or("", |(ty, _)| ty);
        let is_list = matches!(kind, GoKind::Slice | GoKind::Array);
        let (is_map, is_struct) = (kind == GoKind::Map, kind == GoKind::Struct);
        let is_number = matches!(simple, "integer" | "number");
        let mut out = Vec::new();
        let mut only = |key: &'static str, set: bool, fits: bool, what: &str| {
            if set && !fits {
                out.push((key, format!("{key} can only be used on {what} types")));
            }
        };
        let set = |key: &str| limits.lengths.contains_key(key);
        only("maxItems", set("maxItems"), is_list, "array");
        only("minItems", set("minItems"), is_list, "array");
        only("uniqueItems", limits.unique_items.is_some(), is_list, "array");
        only("maxProperties", set("maxProperties"), is_map || is_struct, "map");
        only("minProperties", set("minProperties"), is_map || is_struct, "map");
        only("minLength", set("minLength"), simple == "string", "string");
        only("maxLength", set("maxLength"), simple == "string", "string");
        only("pattern", limits.pattern.is_some(), simple == "string", "string");
        only("minimum", limits.minimum.is_some(), is_number, "numeric");
        only("maximum", limits.maximum.is_some(), is_number, "numeric");
        only("multipleOf", limits.multiple_of.is_some(), is_number, "numeric");
        only("exclusiveMinimum", limits.exclusive_minimum.is_some(), is_number, "numeric");
        only("exclusiveMaximum", limits.exclusive_maximum.is_some(), is_number, "numeric");
        only("additionalProperties", limits.additional.is_some(), is_map, "map");
        only("items", limits.items.is_some(), is_list, "array");
        let Some(properties) = &limits.properties else { return out };
        only("properties", true, is_struct || is_map, "struct");
        if is_struct && out.is_empty() && depth < DEPTH_MAX {
            for (key, inner) in properties {
                let Some(field) = self.member_named(base, key, 0) else {
                    let message = format!(
                        "property used in comment tag {} not found in struct {}",
                        go_quote(key),
                        universe.go_display(base)
                    );
                    out.push(("properties", message));
                    continue;
                };
                let inner = self.misfits(inner, field.ty, depth + 1);
                if !inner.is_empty() {
                    let texts: Vec<String> = inner.into_iter().map(|(_, text)| text).collect();
                    let message = format!(
                        "failed to validate property {}: {}",
                        go_quote(key),
                        texts.join("\n")
                    );
                    out.push(("properties", message));
                }
            }
        }
        out
    }

    /// The field with a JSON name, looked for in embedded structs too.
    fn member_named(&self, ty: TypeId, name: &str, depth: u32) -> Option<&'u Field> {
        let universe = self.universe;
        if depth > DEPTH_MAX || universe.go_kind(ty) != GoKind::Struct {
            return None;
        }
        universe.fields(ty).iter().find_map(|field| {
            if json_parts(field).first().is_some_and(|found| found == name) {
                return Some(field);
            }
            let embedded = field.embedded.then_some(field.ty)?;
            self.member_named(embedded, name, depth + 1)
        })
    }
}

type Mismatch = (String, String);

fn mismatch(path: &str, key: &str, value: &Value, ty: &str) -> Mismatch {
    let found = match value {
        Value::Int(_) | Value::Float(_) if ty == "int64" => {
            format!("number {}", json::encode_string(value))
        }
        Value::Null => "object".to_owned(),
        other => json_type(other).to_owned(),
    };
    let message = cannot_unmarshal_field(&found, &format!("commentTags.{path}{key}"), ty);
    (key.to_string(), message)
}

impl Limits {
    /// Reads the nested markers; keys inside `items` and their like may be in any case.
    fn decode(map: &Map, path: &str, depth: u32) -> Result<Self, Mismatch> {
        let mut out = Self::default();
        if depth > DEPTH_MAX {
            return Ok(out);
        }
        for (written, value) in map.iter() {
            if value.is_null() {
                continue;
            }
            let key = written.to_lowercase();
            let bad = |ty: &str| mismatch(path, written, value, ty);
            let number = || value.as_float().or(value.as_int().map(|it| it as f64));
            let inside = |value: &Value| match value {
                Value::Map(map) => Self::decode(map, &format!("{path}{written}."), depth + 1),
                _ => Err(bad("generators.commentTags")),
            };
            match key.as_str() {
                "maximum" => out.maximum = Some(number().ok_or_else(|| bad("float64"))?),
                "minimum" => out.minimum = Some(number().ok_or_else(|| bad("float64"))?),
                "multipleof" => out.multiple_of = Some(number().ok_or_else(|| bad("float64"))?),
                "exclusivemaximum" => {
                    out.exclusive_maximum = Some(value.as_bool().ok_or_else(|| bad("bool"))?);
                }
                "exclusiveminimum" => {
                    out.exclusive_minimum = Some(value.as_bool().ok_or_else(|| bad("bool"))?);
                }
                "uniqueitems" => {
                    out.unique_items = Some(value.as_bool().ok_or_else(|| bad("bool"))?);
                }
                // Read for their type only: nothing is published for them.
                "nullable" => drop(value.as_bool().ok_or_else(|| bad("bool"))?),
                "format" => drop(value.as_str().ok_or_else(|| bad("string"))?),
                "enum" => drop(value.as_list().ok_or_else(|| bad("[]interface {}"))?),
                "pattern" => {
                    out.pattern = Some(value.as_text().cloned().ok_or_else(|| bad("string"))?);
                }
                "items" => out.items = Some(Box::new(inside(value)?)),
                "additionalproperties" => out.additional = Some(Box::new(inside(value)?)),
                "properties" => {
                    let ty = "map[string]*generators.commentTags";
                    let map = value.as_map().ok_or_else(|| bad(ty))?;
                    let read = |(key, value): (&Text, &Value)| Ok((key.clone(), inside(value)?));
                    out.properties = Some(map.iter().map(read).collect::<Result<_, Mismatch>>()?);
                }
                "cel" => {
                    let list = value.as_list().ok_or_else(|| bad("[]generators.CELTag"))?;
                    out.rules = list.iter().map(Rule::decode).collect::<Result<_, _>>()?;
                }
                _ => {
                    let Some(key) = LENGTHS.into_iter().find(|it| it.eq_ignore_ascii_case(&key))
                    else {
                        continue;
                    };
                    let int = number().map(crate::number).and_then(|it| it.as_int());
                    out.lengths.insert(key, int.ok_or_else(|| bad("int64"))?);
                }
            }
        }
        Ok(out)
    }

    /// Limits that no value could keep, or that mean nothing.
    fn contradictions(&self) -> Vec<(&'static str, String)> {
        let mut out = Vec::new();
        let length = |key: &str| self.lengths.get(key).copied();
        for key in
            ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"]
        {
            if length(key).is_some_and(|it| it < 0) {
                out.push((key, format!("{key} cannot be negative")));
            }
        }
        if let (Some(min), Some(max)) = (self.minimum, self.maximum) {
            if min > max {
                out.push(("minimum", format!("minimum {min:.6} is greater than maximum {max:.6}")));
            }
            let exclusive = self.exclusive_minimum.is_some() || self.exclusive_maximum.is_some();
            #[expect(clippy::float_cmp, reason = "the very same bound")]
            if exclusive && min == max {
                let text = "exclusiveMinimum/Maximum cannot be set when minimum == maximum";
                out.push(("minimum", text.into()));
            }
        }
        for (min, max) in [
            ("minLength", "maxLength"),
            ("minItems", "maxItems"),
            ("minProperties", "maxProperties"),
        ] {
            if let (Some(low), Some(high)) = (length(min), length(max))
                && low > high
            {
                out.push((min, format!("{min} {low} is greater than {max} {high}")));
            }
        }
        if let Some(pattern) = &self.pattern
            && let Err(error) = GoRegex::new(pattern)
        {
            out.push(("pattern", format!("invalid pattern {}: {error}", go_quote(pattern))));
        }
        if self.multiple_of == Some(0.0) {
            out.push(("multipleOf", "multipleOf cannot be 0".into()));
        }
        for (index, rule) in self.rules.iter().enumerate() {
            let wrong = rule.wrong();
            if !wrong.is_empty() {
                out.push((
                    "cel",
                    format!("invalid CEL tag at index {index}: {}", wrong.join("\n")),
                ));
            }
        }
        out
    }

    /// Writes what is published beside the type; rules are extensions and not among it.
    pub(super) fn write(&self, schema: &mut Map) {
        for (key, value) in
            [("minimum", self.minimum), ("maximum", self.maximum), ("multipleOf", self.multiple_of)]
        {
            if let Some(value) = value {
                schema.insert(key, crate::number(value));
            }
        }
        for (key, value) in [
            ("exclusiveMinimum", self.exclusive_minimum),
            ("exclusiveMaximum", self.exclusive_maximum),
            ("uniqueItems", self.unique_items),
        ] {
            if value == Some(true) {
                schema.insert(key, Value::Bool(true));
            }
        }
        for (key, value) in &self.lengths {
            schema.insert(*key, Value::Int(*value));
        }
        if let Some(pattern) = self.pattern.as_ref().filter(|it| !it.is_empty()) {
            schema.insert("pattern", Value::from(pattern.clone()));
        }
        let mut inner = Map::new();
        if let Some(items) = &self.items {
            inner.insert("items", items.encode());
        }
        if let Some(additional) = &self.additional {
            inner.insert("additionalProperties", additional.encode());
        }
        if let Some(properties) = self.properties.as_ref().filter(|it| !it.is_empty()) {
            let properties: Map =
                properties.iter().map(|(key, inner)| (key.clone(), inner.encode())).collect();
            inner.insert("properties", Value::Map(properties));
        }
        if !inner.is_empty() {
            schema.insert("allOf", Value::from(vec![Value::Map(inner)]));
        }
    }

    /// Writes the rules.
    pub(super) fn write_rules(&self, schema: &mut Map, pos: Pos) -> Outcome<()> {
        if self.rules.is_empty() {
            return Ok(());
        }
        extension::insert(schema, "x-kubernetes-validations", self.encoded_rules(), pos)
    }

    fn encoded_rules(&self) -> Value {
        Value::List(self.rules.iter().map(Rule::encode).collect::<List>())
    }

    fn encode(&self) -> Value {
        let mut out = Map::new();
        self.write(&mut out);
        if !self.rules.is_empty() {
            out.insert("x-kubernetes-validations", self.encoded_rules());
        }
        Value::Map(out)
    }
}

impl Rule {
    fn decode(value: &Value) -> Result<Self, Mismatch> {
        let mut out = Self::default();
        let map = match value {
            Value::Map(map) => map,
            Value::Null => return Ok(out),
            _ => return Err(mismatch("", "cel", value, "generators.CELTag")),
        };
        for (written, value) in map.iter().filter(|(_, value)| !value.is_null()) {
            if written.eq_ignore_ascii_case("optionalOldSelf") {
                let flag = value.as_bool();
                out.optional_old_self =
                    Some(flag.ok_or_else(|| mismatch("cel.", written, value, "bool"))?);
            } else if let Some(key) =
                RULE_TEXTS.into_iter().find(|key| key.eq_ignore_ascii_case(written))
            {
                let text = value.as_text().cloned();
                let text = text.ok_or_else(|| mismatch("cel.", written, value, "string"))?;
                out.texts.insert(key, text);
            }
        }
        out.texts.retain(|_, text| !text.is_empty());
        Ok(out)
    }

    fn wrong(&self) -> Vec<&'static str> {
        if *self == Self::default() {
            return vec!["empty CEL tag is not allowed"];
        }
        let has = |key: &str| self.texts.contains_key(key);
        let mut out = Vec::new();
        if !has("rule") {
            out.push("rule cannot be empty");
        }
        match (has("message"), has("messageExpression")) {
            (false, false) => out.push("message or messageExpression must be set"),
            (true, true) => {
                out.push("message and messageExpression cannot be set at the same time");
            }
            _ => {}
        }
        out
    }

    fn encode(&self) -> Value {
        let mut out: Map = self
            .texts
            .iter()
            .map(|(key, text)| (Text::new_static(key), Value::from(text.clone())))
            .collect();
        if let Some(flag) = self.optional_old_self {
            out.insert("optionalOldSelf", Value::Bool(flag));
        }
        Value::Map(out)
    }
}
