//! `JSONSchemaProps` as written: every keyword of `apiextensions.k8s.io/v1`, refused ones too.

use std::collections::BTreeMap;

use ordain_value::{Map, Text, Value};

use crate::model::{ExternalDocs, Rule};

/// A schema as its author wrote it.
///
/// Lists and maps are options because an empty list is written differently from no list at all,
/// and a few admission rules tell them apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Raw {
    /// `id`; refused by CRDs.
    pub id: Text,
    /// `$schema`; refused by CRDs.
    pub schema: Text,
    /// `$ref`; refused by CRDs.
    pub reference: Option<Text>,
    /// `description`
    pub description: Text,
    /// `type`
    pub ty: Text,
    /// `format`
    pub format: Text,
    /// `title`
    pub title: Text,
    /// `default: null` is no default.
    pub default: Option<Value>,
    /// `maximum`
    pub maximum: Option<f64>,
    /// `exclusiveMaximum`
    pub exclusive_maximum: bool,
    /// `minimum`
    pub minimum: Option<f64>,
    /// `exclusiveMinimum`
    pub exclusive_minimum: bool,
    /// `maxLength`
    pub max_length: Option<i64>,
    /// `minLength`
    pub min_length: Option<i64>,
    /// `pattern`
    pub pattern: Text,
    /// `maxItems`
    pub max_items: Option<i64>,
    /// `minItems`
    pub min_items: Option<i64>,
    /// `uniqueItems`
    pub unique_items: bool,
    /// `multipleOf`
    pub multiple_of: Option<f64>,
    /// `enum`
    pub enumeration: Option<Vec<Value>>,
    /// `maxProperties`
    pub max_properties: Option<i64>,
    /// `minProperties`
    pub min_properties: Option<i64>,
    /// `required`
    pub required: Option<Vec<Text>>,
    /// `items`
    pub items: Option<Items>,
    /// `allOf`
    pub all_of: Option<Vec<Raw>>,
    /// `oneOf`
    pub one_of: Option<Vec<Raw>>,
    /// `anyOf`
    pub any_of: Option<Vec<Raw>>,
    /// `not`
    pub not: Option<Box<Raw>>,
    /// `properties`
    pub properties: Option<BTreeMap<Text, Box<Raw>>>,
    /// `additionalProperties`
    pub additional_properties: Option<BoolOr>,
    /// `patternProperties`; refused by CRDs.
    pub pattern_properties: Option<BTreeMap<Text, Box<Raw>>>,
    /// `dependencies`; refused by CRDs.
    pub dependencies: Option<BTreeMap<Text, Dependency>>,
    /// `additionalItems`; refused by CRDs.
    pub additional_items: Option<BoolOr>,
    /// `definitions`; refused by CRDs.
    pub definitions: Option<BTreeMap<Text, Box<Raw>>>,
    /// `externalDocs`
    pub external_docs: Option<ExternalDocs>,
    /// `example`
    pub example: Option<Value>,
    /// `nullable`
    pub nullable: bool,
    /// `x-kubernetes-preserve-unknown-fields`
    pub preserve_unknown_fields: Option<bool>,
    /// `x-kubernetes-embedded-resource`
    pub embedded_resource: bool,
    /// `x-kubernetes-int-or-string`
    pub int_or_string: bool,
    /// `x-kubernetes-list-map-keys`
    pub list_map_keys: Option<Vec<Text>>,
    /// `x-kubernetes-list-type`
    pub list_type: Option<Text>,
    /// `x-kubernetes-map-type`
    pub map_type: Option<Text>,
    /// `x-kubernetes-validations`
    pub validations: Option<Vec<Rule>>,
    /// `x-kubernetes-unions`, which Kubernetes does not know; see [`crate::unions`].
    pub unions: Option<Value>,
    /// `x-kubernetes-strip-zero`, which Kubernetes does not know; see [`crate::extensions`].
    pub strip_zero: Option<Value>,
    /// `x-kubernetes-validation-errors`, the same.
    pub validation_errors: Option<Value>,
}

/// `items`
#[derive(Clone, Debug, PartialEq)]
pub enum Items {
    /// One schema for all items.
    One(Box<Raw>),
    /// A list of schemas, one per position (refused by CRDs).
    Many(Vec<Raw>),
    /// Written as something that is neither.
    Neither,
}

/// `additionalProperties` and `additionalItems`
#[derive(Clone, Debug, PartialEq)]
pub enum BoolOr {
    /// Anything or nothing.
    Bool(bool),
    /// What fits this schema.
    Schema(Box<Raw>),
}

impl BoolOr {
    /// The schema, when one is given.
    #[must_use]
    pub fn schema(&self) -> Option<&Raw> {
        match self {
            BoolOr::Schema(raw) => Some(raw),
            BoolOr::Bool(_) => None,
        }
    }
}

/// One entry of `dependencies`.
#[derive(Clone, Debug, PartialEq)]
pub enum Dependency {
    /// The whole object must fit this schema.
    Schema(Box<Raw>),
    /// These fields must be there too.
    Properties(Vec<Text>),
    /// Written as something that is neither.
    Neither,
}

impl Raw {
    /// The declared properties, none when the keyword is absent.
    pub fn properties(&self) -> impl Iterator<Item = (&Text, &Raw)> {
        (self.properties.iter().flatten()).map(|(name, raw)| (name, &**raw))
    }

    /// One declared property.
    #[must_use]
    pub fn property(&self, name: &str) -> Option<&Raw> {
        self.properties.as_ref()?.get(name).map(|raw| &**raw)
    }

    /// Whether any property is declared.
    #[must_use]
    pub fn has_properties(&self) -> bool {
        self.properties.as_ref().is_some_and(|p| !p.is_empty())
    }

    /// The schema of list items, when it is a single one.
    #[must_use]
    pub fn item(&self) -> Option<&Raw> {
        match &self.items {
            Some(Items::One(raw)) => Some(raw),
            _ => None,
        }
    }

    /// The schema of further values, when one is given.
    #[must_use]
    pub fn additional(&self) -> Option<&Raw> {
        self.additional_properties.as_ref()?.schema()
    }

    /// The rules at this place.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        self.validations.as_deref().unwrap_or_default()
    }

    /// All `allOf` branches.
    #[must_use]
    pub fn all_of(&self) -> &[Raw] {
        self.all_of.as_deref().unwrap_or_default()
    }

    /// All `anyOf` branches.
    #[must_use]
    pub fn any_of(&self) -> &[Raw] {
        self.any_of.as_deref().unwrap_or_default()
    }

    /// All `oneOf` branches.
    #[must_use]
    pub fn one_of(&self) -> &[Raw] {
        self.one_of.as_deref().unwrap_or_default()
    }

    /// The required names.
    #[must_use]
    pub fn required(&self) -> &[Text] {
        self.required.as_deref().unwrap_or_default()
    }

    /// The list map keys.
    #[must_use]
    pub fn list_map_keys(&self) -> &[Text] {
        self.list_map_keys.as_deref().unwrap_or_default()
    }

    /// Calls `visit` for this schema and every schema below it, under every keyword, until one
    /// call returns true. Returns whether one did.
    pub fn any(&self, visit: &mut dyn FnMut(&Raw) -> bool) -> bool {
        let mut pending = vec![self];
        while let Some(raw) = pending.pop() {
            if visit(raw) {
                return true;
            }
            let from = pending.len();
            raw.push_children(&mut pending);
            // Taken from the end, so the first child has to be last.
            pending[from..].reverse();
        }
        false
    }

    /// Appends the schemas directly below this one.
    fn push_children<'a>(&'a self, out: &mut Vec<&'a Raw>) {
        match &self.items {
            Some(Items::One(raw)) => out.push(raw),
            Some(Items::Many(list)) => out.extend(list),
            _ => {}
        }
        out.extend(self.all_of());
        out.extend(self.any_of());
        out.extend(self.one_of());
        out.extend(self.not.as_deref());
        for map in [&self.properties, &self.pattern_properties, &self.definitions] {
            out.extend(map.iter().flatten().map(|(_, raw)| &**raw));
        }
        for either in [&self.additional_properties, &self.additional_items] {
            out.extend(either.as_ref().and_then(BoolOr::schema));
        }
        for dependency in self.dependencies.iter().flat_map(BTreeMap::values) {
            if let Dependency::Schema(raw) = dependency {
                out.push(raw);
            }
        }
    }

    /// Equality where an empty list or map is the same as none.
    #[must_use]
    pub fn same_meaning(&self, other: &Raw) -> bool {
        self.encode() == other.encode()
    }

    /// The schema as JSON: what is empty is left out.
    #[must_use]
    pub fn encode(&self) -> Value {
        let mut out = Vec::new();
        self.encode_texts(&mut out);
        self.encode_bounds(&mut out);
        self.encode_children(&mut out);
        self.encode_extensions(&mut out);
        Value::Map(Map::from_iter(out))
    }

    fn encode_texts(&self, out: &mut Entries) {
        put_text(out, "id", &self.id);
        put_text(out, "$schema", &self.schema);
        put(out, "$ref", self.reference.clone().map(Value::from));
        put_text(out, "description", &self.description);
        put_text(out, "type", &self.ty);
        put_text(out, "format", &self.format);
        put_text(out, "title", &self.title);
        put_text(out, "pattern", &self.pattern);
        put(out, "default", self.default.clone());
        put(out, "example", self.example.clone());
        put_flag(out, "nullable", self.nullable);
        if let Some(docs) = &self.external_docs {
            put(out, "externalDocs", Some(docs.encode()));
        }
    }

    fn encode_bounds(&self, out: &mut Entries) {
        put(out, "maximum", self.maximum.map(number));
        put_flag(out, "exclusiveMaximum", self.exclusive_maximum);
        put(out, "minimum", self.minimum.map(number));
        put_flag(out, "exclusiveMinimum", self.exclusive_minimum);
        put(out, "multipleOf", self.multiple_of.map(number));
        put(out, "maxLength", self.max_length.map(Value::Int));
        put(out, "minLength", self.min_length.map(Value::Int));
        put(out, "maxItems", self.max_items.map(Value::Int));
        put(out, "minItems", self.min_items.map(Value::Int));
        put_flag(out, "uniqueItems", self.unique_items);
        put(out, "maxProperties", self.max_properties.map(Value::Int));
        put(out, "minProperties", self.min_properties.map(Value::Int));
        put_list(out, "enum", self.enumeration.iter().flatten().cloned());
        put_list(out, "required", texts(&self.required));
    }

    fn encode_children(&self, out: &mut Entries) {
        put(out, "items", self.items.as_ref().map(Items::encode));
        put_list(out, "allOf", self.all_of().iter().map(Raw::encode));
        put_list(out, "oneOf", self.one_of().iter().map(Raw::encode));
        put_list(out, "anyOf", self.any_of().iter().map(Raw::encode));
        put(out, "not", self.not.as_ref().map(|raw| raw.encode()));
        put_map(out, "properties", &self.properties);
        put_map(out, "patternProperties", &self.pattern_properties);
        put_map(out, "definitions", &self.definitions);
        let either = |e: &Option<BoolOr>| e.as_ref().map(BoolOr::encode);
        put(out, "additionalProperties", either(&self.additional_properties));
        put(out, "additionalItems", either(&self.additional_items));
        // An empty one is kept, unlike Go's: admission refuses it, and must still see it.
        if let Some(map) = &self.dependencies {
            let entries = map.iter().map(|(k, d)| (k.clone(), d.encode()));
            put(out, "dependencies", Some(Value::Map(entries.collect())));
        }
    }

    fn encode_extensions(&self, out: &mut Entries) {
        let preserve = self.preserve_unknown_fields.map(Value::from);
        put(out, "x-kubernetes-preserve-unknown-fields", preserve);
        put_flag(out, "x-kubernetes-embedded-resource", self.embedded_resource);
        put_flag(out, "x-kubernetes-int-or-string", self.int_or_string);
        put_list(out, "x-kubernetes-list-map-keys", texts(&self.list_map_keys));
        put(out, "x-kubernetes-list-type", self.list_type.clone().map(Value::from));
        put(out, "x-kubernetes-map-type", self.map_type.clone().map(Value::from));
        put_list(out, "x-kubernetes-validations", self.rules().iter().map(Rule::encode));
        put(out, crate::unions::KEY, self.unions.clone());
        put(out, crate::extensions::STRIP_ZERO, self.strip_zero.clone());
        put(out, crate::extensions::VALIDATION_ERRORS, self.validation_errors.clone());
    }
}

impl Items {
    fn encode(&self) -> Value {
        match self {
            Items::One(raw) => raw.encode(),
            Items::Many(list) if !list.is_empty() => {
                Value::from(list.iter().map(Raw::encode).collect::<Vec<_>>())
            }
            Items::Many(_) | Items::Neither => Value::Null,
        }
    }
}

impl BoolOr {
    fn encode(&self) -> Value {
        match self {
            BoolOr::Bool(allowed) => Value::from(*allowed),
            BoolOr::Schema(raw) => raw.encode(),
        }
    }
}

impl Dependency {
    fn encode(&self) -> Value {
        match self {
            Dependency::Schema(raw) => raw.encode(),
            Dependency::Properties(names) if !names.is_empty() => {
                Value::from(names.iter().cloned().map(Value::from).collect::<Vec<_>>())
            }
            Dependency::Properties(_) | Dependency::Neither => Value::Null,
        }
    }
}

impl Rule {
    /// The rule as JSON.
    #[must_use]
    pub fn encode(&self) -> Value {
        let mut out = vec![(Text::new_static("rule"), Value::from(self.rule.clone()))];
        put_text(&mut out, "message", &self.message);
        put_text(&mut out, "messageExpression", &self.message_expression);
        put(&mut out, "reason", self.reason.clone().map(Value::from));
        put_text(&mut out, "fieldPath", &self.field_path);
        put(&mut out, "optionalOldSelf", self.optional_old_self.map(Value::from));
        Value::Map(Map::from_iter(out))
    }
}

pub(crate) type Entries = Vec<(Text, Value)>;

pub(crate) fn put(out: &mut Entries, key: &'static str, value: Option<Value>) {
    if let Some(value) = value {
        out.push((Text::new_static(key), value));
    }
}

pub(crate) fn put_text(out: &mut Entries, key: &'static str, text: &Text) {
    if !text.is_empty() {
        put(out, key, Some(Value::from(text.clone())));
    }
}

pub(crate) fn put_flag(out: &mut Entries, key: &'static str, flag: bool) {
    if flag {
        put(out, key, Some(Value::from(true)));
    }
}

pub(crate) fn put_list(out: &mut Entries, key: &'static str, list: impl Iterator<Item = Value>) {
    let list: Vec<Value> = list.collect();
    if !list.is_empty() {
        put(out, key, Some(Value::from(list)));
    }
}

fn put_map(out: &mut Entries, key: &'static str, map: &Option<BTreeMap<Text, Box<Raw>>>) {
    if let Some(map) = map.as_ref().filter(|m| !m.is_empty()) {
        let entries = map.iter().map(|(k, raw)| (k.clone(), raw.encode()));
        put(out, key, Some(Value::Map(entries.collect())));
    }
}

pub(crate) fn texts(list: &Option<Vec<Text>>) -> impl Iterator<Item = Value> {
    list.iter().flatten().cloned().map(Value::from)
}

/// A bound as JSON: whole numbers are written without a fraction, so they are integers when read
/// again.
fn number(bound: f64) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let whole = bound.fract() == 0.0 && bound.abs() <= EXACT;
    if whole && !(bound == 0.0 && bound.is_sign_negative()) {
        #[expect(clippy::cast_possible_truncation, reason = "whole and within 2^53")]
        let int = bound as i64;
        Value::Int(int)
    } else {
        Value::Float(bound)
    }
}
