//! Plays the scripts under `fixtures/merge`.

#![expect(clippy::panic, reason = "tests fail by panicking")]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use ordain_merge::patch::json::JsonPatch;
use ordain_merge::patch::{PatchError, Strictness, json_merge, strategic};
use ordain_merge::types::Types;
use ordain_merge::{ApplyError, FieldManager, FieldManagerConfig, UnknownVersion};
use ordain_meta::GroupVersionKind;
use ordain_meta::time::Time;
use ordain_schema::Raw;
use ordain_value::{Map, Text, Value, value, yaml};

fn fixture(name: &str) -> Value {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/merge").join(name);
    let text = std::fs::read(&path).expect("fixture is there");
    let document = yaml::decode_first(&text, yaml::Options::default()).expect("fixture is YAML");
    document.value.expect("fixture has a value")
}

fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key).and_then(Value::as_str)
}

type Applied = Result<(Value, Vec<String>), PatchError>;

/// Checks every case of a patch format.
fn check_patches(file: &str, apply: impl Fn(&Value, &[u8], Strictness) -> Applied) {
    let cases = fixture(file);
    let cases = cases.as_list().expect("a list of cases");
    assert!(!cases.is_empty());
    for case in cases {
        let name = text(case, "name").expect("cases have names");
        let doc = case.get("doc").expect("cases have a doc");
        let patch = text(case, "patch").expect("cases have a patch");
        let result = apply(doc, patch.as_bytes(), Strictness::Report);
        match case.get("code").and_then(Value::as_int) {
            None => {
                let (got, strict) = result.unwrap_or_else(|it| panic!("{name}: {it}"));
                assert_eq!(&got, case.get("result").expect("cases have a result"), "{name}");
                let strict: Value = strict.into_iter().map(Value::from).collect();
                let wanted = case.get("strict").cloned().unwrap_or(value!([]));
                assert_eq!(strict, wanted, "{name}");
            }
            Some(code) => {
                let error = result.err().unwrap_or_else(|| panic!("{name}: must be refused"));
                assert_eq!(i64::from(error.code()), code, "{name}: {error}");
                if let Some(message) = text(case, "message") {
                    assert_eq!(error.message(), message, "{name}");
                }
            }
        }
    }
}

#[test]
fn json_patches_do_what_the_fixtures_say() {
    check_patches("patch-json.yaml", |doc, patch, strictness| {
        let (patch, strict) = JsonPatch::decode(patch, strictness)?;
        Ok((patch.apply(doc)?, strict))
    });
}

#[test]
fn merge_patches_do_what_the_fixtures_say() {
    check_patches("patch-merge.yaml", |doc, patch, strictness| {
        let (patch, strict) = json_merge::decode(patch, strictness)?;
        Ok((json_merge::apply(doc, &patch), strict))
    });
}

#[test]
fn strategic_merge_patches_do_what_the_fixtures_say() {
    let types = types(&value!({"type": "object"}));
    check_patches("patch-strategic.yaml", |doc, patch, strictness| {
        let (patch, strict) = strategic::decode(patch, strictness)?;
        Ok((strategic::apply(&types, doc, &patch)?, strict))
    });
}

#[test]
fn patches_are_shown_as_merging_leaves_them() {
    let types = types(&value!({"type": "object"}));
    let cases = fixture("patch-strategic-left.yaml");
    for case in cases.as_list().expect("a list of cases") {
        let patch = text(case, "patch").expect("cases have a patch");
        let (patch, _) = strategic::decode(patch.as_bytes(), Strictness::Report).expect("a patch");
        let shown = strategic::display(&types, case.get("doc").expect("a doc"), &patch);
        assert_eq!(Some(shown.as_str()), text(case, "left"), "{:?}", text(case, "name"));
    }
}

fn types(schema: &Value) -> Types {
    let (raw, _) = Raw::decode(schema).expect("a schema");
    Types::compile(&ordain_schema::resolve(&raw).expect("a structural schema"))
}

fn manager(schema: &Value) -> FieldManager {
    FieldManager::new(FieldManagerConfig {
        gvk: GroupVersionKind::new("g.test", "v1", "K"),
        subresource: Text::default(),
        versions: BTreeMap::from([(Text::new("g.test/v1"), Arc::new(types(schema)))]).into(),
        reset_fields: Arc::default(),
        unknown_version: UnknownVersion::Refused,
    })
}

#[test]
fn writes_leave_the_objects_and_owners_the_fixtures_say() {
    let file = fixture("apply.yaml");
    let schema = file.get("schema").expect("a schema");
    for case in file.get("cases").and_then(Value::as_list).expect("cases").iter() {
        let name = text(case, "name").expect("cases have names");
        let mut play = Play { name, manager: manager(schema), live: None, seconds: 0 };
        for step in case.get("steps").and_then(Value::as_list).expect("steps").iter() {
            play.step(step);
        }
    }
}

struct Play<'a> {
    name: &'a str,
    manager: FieldManager,
    live: Option<Value>,
    seconds: i64,
}

impl Play<'_> {
    fn step(&mut self, step: &Value) {
        let name = self.name;
        if let Some(schema) = step.get("schema") {
            self.manager = manager(schema);
            return;
        }
        self.seconds += 1;
        let now = Time::from_unix(self.seconds, 0);
        let empty = self.manager.empty_object();
        let live = self.live.clone().unwrap_or(empty);
        let object = body(step);
        let result = match (text(step, "apply"), text(step, "update")) {
            (Some(manager), None) => {
                let force = step.get("force").and_then(Value::as_bool).unwrap_or(false);
                self.manager.apply(&live, &object, manager, force, now)
            }
            (None, Some(manager)) => Ok(self.manager.update(&live, object, manager, now)),
            _ => panic!("{name}: a step is an apply or an update"),
        };
        match (result, text(step, "conflict"), text(step, "error")) {
            (Ok(mut object), None, None) => {
                check(name, step, &object);
                object.set_path(&["metadata", "uid"], Value::from("u"));
                self.live = Some(object);
            }
            (Err(ApplyError::Conflicts(it)), Some(wanted), None) => {
                assert_eq!(it.message(), wanted, "{name}");
            }
            (Err(ApplyError::Internal(it)), None, Some(wanted)) => assert_eq!(it, wanted, "{name}"),
            (got, _, _) => panic!("{name}: got {got:?} in {step:?}"),
        }
    }
}

fn body(step: &Value) -> Value {
    let mut object = value!({"apiVersion": "g.test/v1", "kind": "K", "metadata": {"name": "o"}});
    if let Some(annotations) = step.get("annotations") {
        object.set_path(&["metadata", "annotations"], annotations.clone());
    }
    object.set_path(&["spec"], step.get("spec").cloned().unwrap_or(Value::Map(Map::new())));
    object
}

fn check(name: &str, step: &Value, object: &Value) {
    if let Some(live) = step.get("live") {
        assert_eq!(object.get("spec"), Some(live), "{name}");
    }
    if let Some(annotations) = step.get("annotations_after") {
        assert_eq!(object.get_path(&["metadata", "annotations"]), Some(annotations), "{name}");
    }
    if let Some(wanted) = step.get("owners") {
        let mut owners = Map::new();
        let entries = object.get_path(&["metadata", "managedFields"]).and_then(Value::as_list);
        for entry in entries.into_iter().flat_map(|it| it.iter()) {
            let fields = entry.get("fieldsV1").expect("entries have fields");
            owners.insert(text(entry, "manager").expect("entries have managers"), fields.clone());
        }
        assert_eq!(&Value::Map(owners), wanted, "{name} at {step:?}");
    }
}
