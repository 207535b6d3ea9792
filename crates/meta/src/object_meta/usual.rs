//! The metadata that nearly every new object has: a name, perhaps a namespace, labels and annotations, all as they
//! should be. It needs neither to be brought into shape nor to be checked against every rule.

use ordain_value::{Map, Value};

use super::{ANNOTATIONS_BYTES_MAX, lower_case};
use crate::name::{self, DNS_LABEL_BYTES_MAX, DNS_SUBDOMAIN_BYTES_MAX};

/// Whether the metadata of a new object surely has its shape, and surely passes [`super::validate`] with names that
/// are subdomains, once an object without a namespace got one.
#[must_use]
pub fn is_usual(metadata: &Map, namespaced: bool) -> bool {
    let mut named = false;
    metadata.iter().all(|(key, value)| match (key.as_str(), value) {
        ("name", Value::Str(text)) => {
            named = true;
            text.len() <= DNS_SUBDOMAIN_BYTES_MAX && name::matches_dns_1123_subdomain(text)
        }
        ("namespace", Value::Str(text)) => {
            namespaced && text.len() <= DNS_LABEL_BYTES_MAX && name::matches_dns_1123_label(text)
        }
        ("labels", Value::Map(labels)) => {
            texts(labels).is_some_and(|mut it| it.all(|(key, value)| is_label(key, value)))
        }
        ("annotations", Value::Map(annotations)) => has_usual_annotations(annotations),
        _ => false,
    }) && named
}

/// The entries, when there are some and all of them are texts.
fn texts(map: &Map) -> Option<impl Iterator<Item = (&str, &str)>> {
    let are_texts = !map.is_empty() && map.values().all(|it| matches!(it, Value::Str(_)));
    are_texts.then(|| map.iter().map(|(key, value)| (&**key, value.as_str().unwrap_or_default())))
}

fn is_label(key: &str, value: &str) -> bool {
    name::qualified_name(key).is_empty() && name::label_value(value).is_empty()
}

fn has_usual_annotations(annotations: &Map) -> bool {
    let Some(entries) = texts(annotations) else { return false };
    let mut bytes = 0_usize;
    let names = entries.map(|(key, value)| {
        bytes = bytes.saturating_add(key.len()).saturating_add(value.len());
        name::qualified_name(&lower_case(key)).is_empty()
    });
    names.fold(true, |all, it| all & it) && bytes <= ANNOTATIONS_BYTES_MAX
}

#[cfg(test)]
mod tests {
    use ordain_value::field::Path;
    use ordain_value::{Text, value};
    use proptest::prelude::*;

    use super::*;
    use crate::object_meta::{ObjectMeta, coerce, validate};

    fn text() -> impl Strategy<Value = Value> {
        prop_oneof![
            8 => "[a-z]{1,3}(-[a-z0-9]{1,3})?".prop_map(Value::from),
            1 => "[a-zA-Z./_ é-]{0,5}".prop_map(Value::from),
            1 => prop_oneof![Just(63), Just(64), Just(253), Just(254)]
                .prop_map(|it| Value::from("a".repeat(it))),
            1 => Just(Value::Null),
            1 => Just(Value::Int(1)),
        ]
    }

    fn key() -> impl Strategy<Value = Text> {
        prop_oneof![4 => "[a-zA-Z]{1,3}", 2 => "[a-z]{1,3}/[a-z]{1,3}", 1 => "[a-z./_ é-]{0,5}"]
            .prop_map(Text::from)
    }

    fn texts() -> impl Strategy<Value = Value> {
        prop::collection::vec((key(), text()), 0..3)
            .prop_map(|it| Value::Map(it.into_iter().collect()))
    }

    fn metadata() -> impl Strategy<Value = Map> {
        let field = prop_oneof![
            text().prop_map(|it| ("name", it)),
            text().prop_map(|it| ("namespace", it)),
            texts().prop_map(|it| ("labels", it)),
            texts().prop_map(|it| ("annotations", it)),
            text().prop_map(|it| ("uid", it)),
        ];
        prop::collection::vec(field, 0..5).prop_map(|it| it.into_iter().collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4_000, ..ProptestConfig::default() })]

        #[test]
        fn what_is_usual_has_its_shape_and_passes(map in metadata(), namespaced in any::<bool>()) {
            if is_usual(&map, namespaced) {
                let mut value = Value::Map(map);
                let coerced = coerce(&value).unwrap();
                prop_assert!(coerced.metadata == value && coerced.unknown.is_empty());
                if namespaced && value.get("namespace").is_none() {
                    value.set_path(&["namespace"], "default".into());
                }
                let (meta, path) = (ObjectMeta::new(&value), Path::new("metadata"));
                let errors = validate(meta, namespaced, name::subdomain_rule, &path);
                prop_assert!(errors.is_empty(), "{:?}", errors);
            }
        }
    }

    #[test]
    fn the_usual_is_recognised() {
        let usual = |value: Value| is_usual(value.as_map().unwrap(), true);
        assert!(usual(value!({"name": "a.b", "namespace": "c", "labels": {"a/b": "c"}})));
        assert!(usual(value!({"name": "a", "annotations": {"A/b": " "}})));
        assert!(!usual(value!({"name": "a", "labels": {}})), "it goes when it is shaped");
        assert!(!usual(value!({"namespace": "a"})));
        assert!(!usual(value!({"name": "a", "generation": 1})));
    }
}
