//! A type declared in Go and in Rust is the same declaration.

use std::path::Path;

use ordain::declare::Kinds;
use ordain::{Resource, Value, value};
use ordain_idl::lower::lower;
use ordain_idl::{Loader, MemorySource};
use ordain_schema::declared::{Api, Kind, Version};
use ordain_schema::publish::{Options, publish};
use ordain_value::json;

#[path = "../../../fixtures/derive/types.rs"]
mod types;
#[path = "../../../fixtures/derive/v2.rs"]
mod v2;

use types::{Gadget, Mode, Placement, Source};

/// The declarations of Go files, one for each version.
fn from_go(files: &[(&str, &str)]) -> Api {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let source = files.iter().fold(MemorySource::new(), |source, (version, file)| {
        let text = std::fs::read_to_string(root.join(file)).unwrap();
        source.with(format!("{version}/types.go"), text)
    });
    let loader = files.iter().fold(Loader::new(&source), |loader, (version, _)| {
        loader.package_as(*version, format!("example.com/shop/{version}"))
    });
    let universe = loader.load();
    let lowered = lower(&universe);
    let reported: Vec<String> =
        lowered.diagnostics.iter().map(|it| universe.locate(it).to_string()).collect();
    assert!(!lowered.has_errors(), "{reported:#?}");
    lowered.api
}

fn from_rust<T: Resource>() -> Api {
    let mut kinds = Kinds::default();
    kinds.add::<T>();
    kinds.lower().unwrap_or_else(|error| panic!("{error}"))
}

/// Without places, which are those of the text each was declared in.
fn placeless(kind: &Kind) -> Kind {
    let mut kind = kind.clone();
    kind.place = "".into();
    for place in kind.versions.iter_mut().flat_map(|it| &mut it.rule_places) {
        place.place = "".into();
    }
    kind
}

fn published(version: &Version) -> Value {
    Value::Map(publish(&version.schema, Options::V3).definitions.into_iter().collect())
}

/// What people see first: if it differs, it says where.
fn compare(go: &Version, rust: &Version) {
    let (one, two) = (published(go), published(rust));
    for (name, definition) in one.as_map().unwrap().iter() {
        let other = two.get(name).unwrap_or(&Value::Null);
        let properties = |it: &Value| it.get("properties").cloned().unwrap_or_default();
        for (field, schema) in properties(definition).as_map().into_iter().flat_map(|it| it.iter())
        {
            assert_eq!(
                Some(schema),
                properties(other).get(field),
                "{name}.{field} in {}",
                json::encode_string(other)
            );
        }
        assert_eq!(definition, other, "{name}");
    }
    assert_eq!(one, two);
}

#[test]
fn a_type_declared_in_go_and_in_rust_gives_the_same_schema() {
    let go = from_go(&[("v1", "fixtures/derive/types.go")]);
    let rust = from_rust::<Gadget>();
    assert_eq!((go.kinds.len(), rust.kinds.len()), (1, 1));
    let (go, rust) = (placeless(&go.kinds[0]), placeless(&rust.kinds[0]));
    compare(&go.versions[0], &rust.versions[0]);
    assert_eq!(go, rust, "names, versions, columns, unions, gates, rules and native program");
}

#[test]
fn several_versions_of_kinds_are_the_same_declaration_in_go_and_in_rust() {
    let go = from_go(&[("v1", "fixtures/derive/types.go"), ("v2", "fixtures/derive/v2.go")]);
    let mut kinds = Kinds::default();
    kinds.add::<Gadget>();
    kinds.add::<v2::NextGadget>();
    kinds.add::<v2::Tool>();
    let rust = kinds.lower().unwrap_or_else(|error| panic!("{error}"));
    let names = |api: &Api| -> Vec<String> {
        let versions = |kind: &Kind| kind.versions.iter().map(|it| it.name.to_string()).collect();
        let versions = |kind: &Kind| -> Vec<String> { versions(kind) };
        api.kinds.iter().map(|it| format!("{} {}", it.kind, versions(it).join(" "))).collect()
    };
    assert_eq!(names(&go), ["Gadget v1 v2", "Tool v2"]);
    assert_eq!(names(&go), names(&rust));
    for (go, rust) in go.kinds.iter().zip(&rust.kinds) {
        let (go, rust) = (placeless(go), placeless(rust));
        go.versions.iter().zip(&rust.versions).for_each(|(go, rust)| compare(go, rust));
        assert_eq!(go, rust);
    }
}

/// Tags that Rust has no setting for, and why.
fn is_left_out(name: &str) -> bool {
    // Rules of upstream's own tests, which always pass or always fail.
    name.starts_with("k8s:validate")
        // Only documents of Kubernetes' own kinds leave defaults out.
        || name == "unpublishedDefault"
        // What a package says; a Rust package has its kinds and nothing else.
        || name.starts_with("k8s:validation-gen")
        // Types that are subresources of other kinds: not a part of one's own kind.
        || name == "k8s:isSubresource"
        || name == "k8s:supportsSubresource"
        // Rules of Kubernetes' own kinds, in the words of its hand-written validation.
        || name == "rule:*"
}

#[test]
fn every_tag_of_the_proposals_and_of_validation_gen_is_compared() {
    use ordain_idl::tags::registry::{self, Family};
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/derive");
    let text = ["types.go", "v2.go"].map(|it| std::fs::read_to_string(root.join(it)).unwrap());
    let text = text.concat();
    let wanted =
        registry::all().filter(|it| matches!(it.family, Family::Validation | Family::Proposal));
    let names: Vec<&str> = wanted.map(|it| it.name).filter(|it| !is_left_out(it)).collect();
    assert!(names.len() > 50, "{names:?}");
    let used = |name: &str| {
        let tag = format!("+{name}");
        text.match_indices(&tag).any(|(at, _)| {
            let next = text[at + tag.len()..].chars().next();
            !next.is_some_and(|it| it.is_alphanumeric() || it == '-' || it == '_' || it == ':')
        })
    };
    let missing: Vec<&&str> = names.iter().filter(|it| !used(it)).collect();
    assert!(missing.is_empty(), "not in fixtures/derive: {missing:?}");
}

#[test]
fn the_places_of_a_rust_declaration_are_in_the_rust_file() {
    let api = from_rust::<Gadget>();
    let kind = &api.kinds[0];
    assert!(kind.place.contains("types.rs:"), "{}", kind.place);
    let line = kind.place.rsplit(':').nth(1).and_then(|it| it.parse::<usize>().ok()).unwrap();
    let text = include_str!("../../../fixtures/derive/types.rs");
    let declared = text.lines().nth(line - 1).unwrap_or("");
    assert!(declared.contains("struct Gadget "), "{}: {declared}", kind.place);
    let places = &kind.versions[0].rule_places;
    assert!(!places.is_empty());
    assert!(places.iter().all(|it| it.place.contains("types.rs:")), "{places:?}");
}

fn object() -> Value {
    value!({
        "apiVersion": "shop.example.com/v1",
        "kind": "Gadget",
        "metadata": {"name": "one", "labels": {"a": "b"}, "ownerReferences": [{"uid": "x"}]},
        "spec": {
            "replicas": 2,
            "limit": 3,
            "ratio": 2.5,
            "mode": "fast-lane",
            "owner": "ada",
            "note": null,
            "source": {"type": "Git", "git": {"url": "https://example.com"}},
            "kind": "Host",
            "hOST": 7,
            "size": "2Gi",
            "port": 80,
            "anything": {"deep": [1, null]},
            "checked": {"name": "x", "words": [], "items": []}
        },
        "status": {"replicas": 0, "selector": ""}
    })
}

#[test]
fn typed_objects_are_read_and_written_as_they_are_declared() {
    let gadget = Gadget::from_object(&object()).unwrap();
    assert_eq!(gadget.spec.mode, Mode::Fast);
    assert_eq!(gadget.spec.placement, Placement::Host(7));
    assert!(matches!(&gadget.spec.source, Source::Git(it) if it.url == "https://example.com"));
    assert_eq!(gadget.to_object().unwrap(), object());
}

#[test]
fn union_members_are_read_by_their_discriminator() {
    let read = |source: Value| ordain_value::serde::from_value::<Source>(&source);
    assert_eq!(read(value!({"type": "None"})), Ok(Source::Nothing));
    assert_eq!(read(value!({"type": "Archive"})), Ok(Source::Archive(None)));
    let reported = |source: Value| read(source).unwrap_err().to_string();
    assert!(reported(value!({"type": "Git"})).contains("missing union member `git`"));
    assert!(reported(value!({"type": "Tape"})).contains("expected one of Git, Archive, None"));
    assert!(reported(value!({"type": 3})).contains("no text"));
    let none = ordain_value::serde::to_value(&Placement::None);
    assert_eq!(none, Ok(value!({})));
}

mod clash {
    #[derive(ordain::Schema, serde::Serialize, serde::Deserialize)]
    pub(super) struct Point {
        pub(super) z: i32,
    }
}

/// Uses two types of one name, and a rule that names no type can have.
#[derive(ordain::Resource, serde::Serialize, serde::Deserialize)]
#[ordain(group = "shop.example.com", version = "v1", name = "Gadget")]
struct Clashing {
    metadata: ordain::ObjectMeta,
    one: types::Point,
    other: clash::Point,
}

/// A mistake that only the lowering can see.
#[derive(ordain::Resource, serde::Serialize, serde::Deserialize)]
#[ordain(group = "shop.example.com", version = "v1")]
struct Mistaken {
    metadata: ordain::ObjectMeta,
    #[ordain(min_length = 3)]
    point: types::Point,
}

#[test]
fn what_only_the_lowering_sees_is_told_at_the_rust_place() {
    let mut kinds = Kinds::default();
    kinds.add::<Clashing>();
    let reported = kinds.lower().unwrap_err().to_string();
    assert!(reported.contains("types::Point") && reported.contains("clash::Point"), "{reported}");
    let mut kinds = Kinds::default();
    kinds.add::<Mistaken>();
    let reported = kinds.lower().unwrap_err().to_string();
    assert!(reported.contains("same_schema.rs:") && reported.contains("+minLength"), "{reported}");
}
