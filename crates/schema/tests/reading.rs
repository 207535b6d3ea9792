//! Reading definitions, field by field.

use ordain_schema::conditions::{self, Cleanup};
use ordain_schema::crd::Crd;
use ordain_schema::{Raw, reports_duplicate};
use ordain_value::{Value, value};

fn crd_with(schema: Value) -> Value {
    value!({"spec": {"versions": [{"name": "v1", "schema": {"openAPIV3Schema": schema}}]}})
}

fn error_of(value: &Value) -> String {
    Crd::decode(value).expect_err("a wrong type").to_string()
}

#[test]
fn a_wrong_type_is_told_with_the_trail_of_struct_fields() {
    let schema = value!({"properties": {"a": {"properties": {"b": {"maxLength": "x"}}}}});
    assert_eq!(
        error_of(&crd_with(schema)),
        "json: cannot unmarshal string into Go struct field \
         JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties.properties.maxLength of \
         type int64"
    );
    assert_eq!(
        error_of(&value!({"spec": {"scope": 1}})),
        "json: cannot unmarshal number into Go struct field \
         CustomResourceDefinitionSpec.spec.scope of type v1.ResourceScope"
    );
    assert_eq!(
        error_of(&value!({"metadata": {"labels": {"a": 1}}})),
        "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string"
    );
    assert_eq!(
        error_of(&value!([])),
        "json: cannot unmarshal array into Go value of type v1.CustomResourceDefinition"
    );
}

#[test]
fn errors_inside_self_reading_types_name_the_outer_struct() {
    let schema = value!({"items": {"x-kubernetes-validations": [{"rule": 1}]}});
    assert_eq!(
        error_of(&crd_with(schema)),
        "json: cannot unmarshal number into Go struct field \
         JSONSchemaProps.spec.versions.schema.openAPIV3Schema.items.x-kubernetes-validations.rule \
         of type string"
    );
    let schema = value!({"additionalProperties": 5});
    assert_eq!(error_of(&crd_with(schema)), "boolean or JSON schema expected");
}

#[test]
fn unknown_fields_are_told_except_inside_self_reading_types() {
    let schema = value!({
        "const": 1,
        "properties": {"p": {"const": 1}},
        "items": {"const": 1},
        "additionalProperties": {"const": 1},
        "default": {"const": 1},
    });
    let (_, findings) = Crd::decode(&crd_with(schema)).expect("types are right");
    assert_eq!(
        findings.unknown_fields,
        [
            "spec.versions[0].schema.openAPIV3Schema.const",
            "spec.versions[0].schema.openAPIV3Schema.properties.p.const",
        ]
    );
    let (_, findings) = Crd::decode(&value!({"metadata": {"nam": "x"}})).expect("types are right");
    assert_eq!(findings.unknown_fields, ["metadata.nam"]);
}

#[test]
fn duplicates_are_told_except_inside_self_reading_types() {
    let at =
        |rest: &str| reports_duplicate(&format!("spec.versions[0].schema.openAPIV3Schema.{rest}"));
    assert!(reports_duplicate("spec.group"));
    assert!(reports_duplicate("metadata.labels.a"));
    assert!(at("type") && at("properties.items.type") && at("items") && at("allOf[0].type"));
    assert!(at("dependencies.a"));
    assert!(!at("items.type") && !at("properties.a.items.type") && !at("default.a"));
    assert!(!at("enum[0].a") && !at("additionalProperties.type") && !at("dependencies.a.type"));
}

#[test]
fn nulls_are_absent() {
    let raw = value!({
        "type": null, "properties": null, "items": null, "default": null, "not": null,
        "enum": [null], "additionalProperties": null, "required": null, "maxItems": null,
    });
    let (raw, _) = Raw::decode(&raw).expect("nulls are fine");
    assert_eq!(raw, Raw { enumeration: Some(vec![Value::Null]), ..Raw::default() });
}

#[test]
fn whole_bounds_are_written_as_integers() {
    let (raw, _) = Raw::decode(&value!({"maximum": 1.0, "minimum": 0.5})).expect("numbers");
    assert_eq!(raw.encode(), value!({"maximum": 1, "minimum": 0.5}));
}

fn named(plural: &str, kind: &str) -> Crd {
    let name = format!("{plural}.g.test");
    let body = value!({
        "metadata": {"name": name},
        "spec": {"group": "g.test", "names": {"plural": plural, "kind": kind, "shortNames": ["x"]}},
    });
    let (mut crd, _) = Crd::decode(&body).expect("a definition");
    crd.set_defaults();
    crd.prepare_for_create();
    crd
}

const ANY_PATTERN: fn(&str) -> Result<(), String> = |_| Ok(());

fn conditions_of(crd: &Crd) -> Vec<(&str, &str, &str, &str)> {
    let list = crd.status.conditions.iter().flatten();
    list.map(|c| (c.ty.as_str(), c.status.as_str(), c.reason.as_str(), c.message.as_str()))
        .collect()
}

#[test]
fn the_first_definition_takes_the_names_and_the_second_waits() {
    let mut first = named("things", "Thing");
    assert!(conditions::settle(
        &mut first,
        std::iter::empty(),
        &ANY_PATTERN,
        "2026-01-01T00:00:00Z"
    ));
    assert!(first.is_true("Established") && first.is_true("NamesAccepted"));
    let settled = first.clone();
    assert!(!conditions::settle(
        &mut first,
        [&settled].into_iter(),
        &ANY_PATTERN,
        "2026-01-02T00:00:00Z"
    ));

    let mut second = named("others", "Thing");
    conditions::settle(&mut second, [&first].into_iter(), &ANY_PATTERN, "2026-01-01T00:00:00Z");
    assert_eq!(
        conditions_of(&second),
        [
            ("NamesAccepted", "False", "ListKindConflict", "\"ThingList\" is already in use"),
            ("Established", "False", "NotAccepted", "not all names are accepted"),
        ]
    );
    assert_eq!(second.status.accepted_names.plural, "others");
    assert_eq!(second.status.accepted_names.kind, "");
    assert_eq!(second.status.accepted_names.short_names, None);
}

#[test]
fn an_established_definition_stays_so_when_its_names_change() {
    let mut crd = named("things", "Thing");
    conditions::settle(&mut crd, std::iter::empty(), &ANY_PATTERN, "2026-01-01T00:00:00Z");
    crd.spec.names.singular = "item".into();
    conditions::settle(&mut crd, std::iter::empty(), &ANY_PATTERN, "2026-01-02T00:00:00Z");
    assert_eq!(crd.status.accepted_names.singular, "item");
    let times: Vec<_> =
        crd.status.conditions.iter().flatten().map(|c| c.last_transition_time.clone()).collect();
    assert_eq!(times, [Some("2026-01-01T00:00:00Z".into()), Some("2026-01-01T00:00:00Z".into())]);
}

#[test]
fn deletion_holds_the_definition_until_its_objects_are_gone() {
    let mut crd = named("things", "Thing");
    conditions::settle(&mut crd, std::iter::empty(), &ANY_PATTERN, "2026-01-01T00:00:00Z");
    conditions::mark_for_deletion(&mut crd, "2026-01-02T00:00:00Z");
    assert_eq!(
        crd.metadata.get("finalizers"),
        Some(&value!(["customresourcecleanup.apiextensions.k8s.io"]))
    );
    assert!(crd.is_true("Terminating"));
    conditions::set_cleanup(&mut crd, &Cleanup::InProgress, "2026-01-02T00:00:00Z");
    conditions::set_cleanup(&mut crd, &Cleanup::Completed, "2026-01-02T00:00:00Z");
    assert_eq!(crd.metadata.get("finalizers"), None);
    assert_eq!(
        conditions_of(&crd).last(),
        Some(&("Terminating", "False", "InstanceDeletionCompleted", "removed all instances"))
    );
}

#[test]
fn a_protected_group_tells_of_its_approval() {
    let mut crd = named("things", "Thing");
    crd.spec.group = "x.k8s.io".into();
    crd.metadata.insert(
        "annotations",
        value!({"api-approved.kubernetes.io": "https://github.com/kubernetes/kubernetes/pull/1"}),
    );
    conditions::settle(&mut crd, std::iter::empty(), &ANY_PATTERN, "2026-01-01T00:00:00Z");
    assert_eq!(
        conditions_of(&crd).last(),
        Some(&(
            "KubernetesAPIApprovalPolicyConformant",
            "True",
            "ApprovedAnnotation",
            "approved in https://github.com/kubernetes/kubernetes/pull/1"
        ))
    );
}

#[test]
fn a_bundle_without_certificates_keeps_a_definition_from_being_established() {
    let mut crd = named("things", "Thing");
    let conversion = value!({"spec": {"conversion": {"strategy": "Webhook", "webhook": {
        "conversionReviewVersions": ["v1"],
        "clientConfig": {"url": "https://x.test", "caBundle": "bm90IHBlbQ=="},
    }}}});
    crd.spec.conversion = Crd::decode(&conversion).expect("a definition").0.spec.conversion;
    conditions::settle(&mut crd, std::iter::empty(), &ANY_PATTERN, "2026-01-01T00:00:00Z");
    assert_eq!(
        conditions_of(&crd).last(),
        Some(&(
            "Established",
            "False",
            "InvalidCABundle",
            "The conversion webhook CABundle is invalid"
        ))
    );
}
