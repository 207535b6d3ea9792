//! No input may panic, overflow the stack or be lost.

use ordain_meta::KubeVersion;
use ordain_schema::admission::{
    AdmissionHooks, Expressions, RuleSession, RulesAt, validate_create, validate_update,
};
use ordain_schema::crd::Crd;
use ordain_schema::model::{NodeId, Schema};
use ordain_schema::{Raw, conditions, formats, godecode, resolve, structural};
use ordain_value::field::{ErrorList, Path};
use ordain_value::{Map, Text, Value, value};
use proptest::prelude::*;

struct Hooks;

impl AdmissionHooks for Hooks {
    fn check_pattern(&self, pattern: &str) -> Result<(), String> {
        regex::Regex::new(pattern).map(|_| ()).map_err(|e| e.to_string())
    }

    fn validate_defaults(&self, _: &Schema, _: &Path<'_>, _: bool) -> ErrorList {
        ErrorList::new()
    }

    fn has_unpruned_defaults(&self, _: &Schema) -> bool {
        false
    }

    fn rules<'s>(&'s self, schema: &'s Schema, _: &'s Expressions) -> Box<dyn RuleSession + 's> {
        Box::new(Session(schema))
    }
}

/// Checks that the walk hands over nodes that match what is written.
struct Session<'s>(&'s Schema);

impl RuleSession for Session<'_> {
    fn check(&mut self, at: &RulesAt<'_>) -> ErrorList {
        assert_eq!(self.0.node(at.node).rules, at.raw.rules(), "node and writing agree");
        assert_eq!(self.0.node(at.node).properties.len(), at.raw.properties().count());
        ErrorList::new()
    }

    fn finish(&mut self, _: &Path<'_>) -> ErrorList {
        ErrorList::new()
    }
}

const KEYWORDS: &[&str] = &[
    "id",
    "$schema",
    "$ref",
    "description",
    "type",
    "format",
    "title",
    "default",
    "maximum",
    "exclusiveMaximum",
    "minimum",
    "exclusiveMinimum",
    "maxLength",
    "minLength",
    "pattern",
    "maxItems",
    "minItems",
    "uniqueItems",
    "multipleOf",
    "enum",
    "maxProperties",
    "minProperties",
    "required",
    "items",
    "allOf",
    "oneOf",
    "anyOf",
    "not",
    "properties",
    "additionalProperties",
    "patternProperties",
    "dependencies",
    "additionalItems",
    "definitions",
    "externalDocs",
    "example",
    "nullable",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-embedded-resource",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-list-type",
    "x-kubernetes-map-type",
    "x-kubernetes-validations",
    "rule",
    "message",
    "fieldPath",
    "metadata",
    "kind",
    "a",
    "b",
    "unknown",
];

const TEXTS: &[&str] = &[
    "object", "array", "string", "integer", "number", "boolean", "null", "zip", "atomic", "set",
    "map", "granular", "a", "b", "", ".a", "(", "int32", "date",
];

/// Any value at all, made of words that schemas know.
fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-9i64..9).prop_map(Value::from),
        any::<f64>().prop_map(|f| Value::Float(if f.is_finite() { f } else { 0.5 })),
        proptest::sample::select(TEXTS).prop_map(Value::str),
    ];
    leaf.prop_recursive(6, 96, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((proptest::sample::select(KEYWORDS), inner), 0..6).prop_map(
                |entries| {
                    let entries = entries.into_iter().map(|(k, v)| (Text::new_static(k), v));
                    Value::Map(entries.collect::<Map>())
                }
            ),
        ]
    })
}

/// A schema whose keywords mostly have values of the right type.
fn any_schema() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        proptest::sample::select(TEXTS).prop_map(|t| ("type", Value::str(t))),
        proptest::sample::select(TEXTS).prop_map(|t| ("x-kubernetes-list-type", Value::str(t))),
        proptest::sample::select(TEXTS).prop_map(|t| ("x-kubernetes-map-type", Value::str(t))),
        proptest::sample::select(TEXTS).prop_map(|t| ("pattern", Value::str(t))),
        any::<bool>().prop_map(|b| ("nullable", Value::from(b))),
        any::<bool>().prop_map(|b| ("x-kubernetes-embedded-resource", Value::from(b))),
        any::<bool>().prop_map(|b| ("x-kubernetes-int-or-string", Value::from(b))),
        any::<bool>().prop_map(|b| ("x-kubernetes-preserve-unknown-fields", Value::from(b))),
        any::<i64>().prop_map(|i| ("maxItems", Value::from(i))),
        any::<i64>().prop_map(|i| ("maxProperties", Value::from(i))),
        Just(("x-kubernetes-list-map-keys", value!(["a", "b"]))),
        Just(("x-kubernetes-validations", value!([{"rule": "true"}]))),
        any_value().prop_map(|v| ("default", v)),
    ];
    let node = |children: BoxedStrategy<(&'static str, Value)>| {
        prop::collection::vec(children, 0..6).prop_map(|entries| {
            Value::Map(entries.into_iter().map(|(k, v)| (Text::new_static(k), v)).collect::<Map>())
        })
    };
    let leaf = node(scalar.clone().boxed());
    leaf.prop_recursive(6, 128, 5, move |inner| {
        let child = prop_oneof![
            4 => scalar.clone(),
            1 => inner.clone().prop_map(|s| ("items", s)),
            1 => inner.clone().prop_map(|s| ("additionalProperties", s)),
            1 => inner.clone().prop_map(|s| ("not", s)),
            3 => prop::collection::vec(
                (proptest::sample::select(&["a", "b", "metadata", "kind"][..]), inner.clone()), 0..4
            ).prop_map(|p| ("properties", Value::Map(p.into_iter().collect::<Map>()))),
            1 => prop::collection::vec(inner, 0..3).prop_map(|l| ("anyOf", Value::from(l))),
        ];
        node(child.boxed())
    })
}

fn definition(schema: &Value) -> Value {
    value!({
        "metadata": {"name": "things.example.test"},
        "spec": {
            "group": "example.test",
            "scope": "Namespaced",
            "names": {"plural": "things", "kind": "Thing"},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": (schema.clone())},
            }],
        },
    })
}

fn judge(value: &Value) {
    let Ok((mut crd, _)) = Crd::decode(value) else { return };
    crd.set_defaults();
    crd.prepare_for_create();
    let errors = validate_create(&mut crd, &Hooks);
    for error in &errors {
        assert!(!error.to_string().is_empty());
    }
    let _ = formats::warnings(&crd.spec, None, KubeVersion::CURRENT);
    let patterns = |pattern: &str| Hooks.check_pattern(pattern);
    conditions::settle(&mut crd, std::iter::empty(), &patterns, "2026-01-01T00:00:00Z");
    let (back, findings) = Crd::decode(&crd.encode()).expect("our own writing can be read");
    assert!(findings.unknown_fields.is_empty(), "{findings:?}");
    // One reading forgets what has no written form (`items: 5`); after that nothing changes.
    let (again, _) = Crd::decode(&back.encode()).expect("our own writing can be read");
    assert_eq!(again.encode(), back.encode(), "reading what was written changes nothing");
    if errors.is_empty() {
        let mut again = crd.clone();
        again.prepare_for_update(&crd);
        again.metadata.insert("resourceVersion", Value::str("1"));
        let mut old = crd.clone();
        old.metadata.insert("resourceVersion", Value::str("1"));
        assert_eq!(validate_update(&mut again, &old, &Hooks), ErrorList::new());
        assert_eq!(again.generation(), crd.generation(), "the same spec is the same generation");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn any_value_is_read_as_a_schema_or_refused(value in any_value()) {
        if let Ok((raw, _)) = Raw::decode(&value) {
            let again = Raw::decode(&raw.encode()).expect("our own writing can be read").0;
            let third = Raw::decode(&again.encode()).expect("our own writing can be read").0;
            prop_assert!(again.same_meaning(&third));
            let _ = resolve(&raw);
        }
        judge(&value);
        judge(&definition(&value));
    }

    #[test]
    fn any_schema_is_judged(value in any_schema()) {
        judge(&definition(&value));
        if let Ok((raw, _)) = Raw::decode(&value)
            && let Ok(schema) = resolve(&raw)
        {
            for (id, node) in schema.iter() {
                for child in node.children() {
                    prop_assert!(child > id, "a schema of a definition is a tree");
                }
            }
        }
    }

    #[test]
    fn what_is_structural_and_resolves_keeps_its_properties(value in any_schema()) {
        let Ok((raw, _)) = Raw::decode(&value) else { return Ok(()) };
        let patterns = |pattern: &str| Hooks.check_pattern(pattern);
        let wrong = structural::violations(&raw, &Path::root(), &patterns);
        let texts: Vec<String> = wrong.iter().map(ToString::to_string).collect();
        prop_assert!(texts.is_sorted(), "violations are sorted by their text");
        if let Ok(schema) = resolve(&raw) {
            let names: Vec<&Text> = raw.properties().map(|(name, _)| name).collect();
            let resolved: Vec<&Text> =
                schema.root_node().properties.iter().map(|(name, _)| name).collect();
            prop_assert_eq!(names, resolved);
        }
    }
}

fn nested(depth: usize, wrap: impl Fn(Value) -> Value) -> Value {
    (0..depth).fold(value!({"type": "string"}), |inner, _| wrap(inner))
}

#[test]
fn deep_schemas_are_judged_and_deeper_ones_refused() {
    let wraps: [fn(Value) -> Value; 5] = [
        |inner| value!({"type": "object", "properties": {"a": (inner)}}),
        |inner| value!({"type": "array", "items": (inner)}),
        |inner| value!({"type": "object", "additionalProperties": (inner)}),
        |inner| value!({"not": (inner)}),
        |inner| value!({"anyOf": [(inner)]}),
    ];
    for wrap in wraps {
        judge(&definition(&nested(godecode::MAX_SCHEMA_DEPTH - 2, wrap)));
        let too_deep = nested(5_000, wrap);
        let error = Raw::decode(&too_deep).expect_err("too deep");
        assert!(error.to_string().contains("nested deeper"), "{error}");
    }
}

#[test]
fn a_schema_refuses_nodes_that_it_does_not_have() {
    let node = ordain_schema::Node { items: Some(NodeId(7)), ..Default::default() };
    assert!(Schema::new(vec![node], NodeId(0)).is_err());
    assert!(Schema::new(Vec::new(), NodeId(0)).is_err());
}

#[test]
fn declared_schemas_may_be_recursive() {
    let mut node = ordain_schema::Node { ty: ordain_schema::Type::Object, ..Default::default() };
    node.set_property(Text::new_static("next"), NodeId(0));
    let schema = Schema::new(vec![node], NodeId(0)).expect("a cycle is fine");
    assert_eq!(schema.root_node().property("next"), Some(schema.root()));
}

#[test]
fn a_wide_schema_is_judged_in_linear_time() {
    let took = |count: usize| {
        let property = value!({"type": "array", "items": {"type": "string"}, "default": []});
        let rule = value!({"rule": "true", "fieldPath": ".p1"});
        let properties: Map = (0..count).map(|at| (format!("p{at}"), property.clone())).collect();
        let schema = value!({
            "type": "object",
            "properties": {"spec": {
                "type": "object",
                "properties": (Value::Map(properties)),
                "x-kubernetes-validations": (Value::from(vec![rule; count / 10])),
            }},
        });
        let definition = definition(&schema);
        let start = std::time::Instant::now();
        judge(&definition);
        start.elapsed()
    };
    let (small, large) = (took(1_000), took(10_000));
    assert!(large < small * 40 + std::time::Duration::from_secs(2), "{small:?} then {large:?}");
}
