//! Kinds from OpenAPI documents: typed ones are read as Go reads them, custom ones as definitions.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;

use ordain_check::{Catalog, Finding, Input, Options, Source, Store, openapi, validate_inputs};
use ordain_value::{Value, json};

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/check/openapi")
}

fn document(name: &str) -> Value {
    json::decode(&std::fs::read(folder().join(name)).unwrap()).unwrap()
}

fn catalog(name: &str) -> Catalog {
    let mut catalog = Catalog::default();
    assert!(catalog.add_document(openapi::read(&document(name)).unwrap()) >= 2);
    catalog
}

fn judge(catalog: &Catalog, text: &str) -> Vec<Finding> {
    let inputs = [Input::text(Source::new("a.yaml", text))];
    validate_inputs(&inputs, catalog.clone(), &Options::default()).0.findings
}

fn reported(catalog: &Catalog, text: &str) -> Vec<String> {
    let findings = judge(catalog, text);
    findings
        .iter()
        .map(|it| format!("{}:{} {} {}", it.location.line, it.location.column, it.id, it.text()))
        .collect()
}

const GOOD: &str = "\
apiVersion: apps.example.com/v1
kind: Deployment
metadata: {name: web, creationTimestamp: null}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata:
      labels: {app: web}
      creationTimestamp: null
    spec:
      containers:
      - name: web
        limits: {cpu: 100m, memory: 1Gi, disk: 3}
        probe: http
        ports:
        - {containerPort: 80}
        - {containerPort: 80, protocol: UDP}
status: {}
";

#[test]
fn typed_kinds_of_both_dialects_are_judged() {
    for dialect in ["v3.json", "v2.json"] {
        let catalog = catalog(dialect);
        assert_eq!(reported(&catalog, GOOD), [] as [String; 0], "{dialect}");
        let typo = GOOD.replace("replicas", "replcas");
        assert_eq!(reported(&catalog, &typo), ["5:3 unknown-field unknown field \"spec.replcas\""]);
        let missing = GOOD.replace("  selector: {matchLabels: {app: web}}\n", "");
        assert_eq!(reported(&catalog, &missing), ["4:1 invalid spec.selector: Required value"]);
    }
}

#[test]
fn what_go_cannot_decode_is_told_in_its_words_at_the_place() {
    let catalog = catalog("v3.json");
    let said = |why: &str| {
        format!("Deployment in version \"v1\" cannot be handled as a Deployment: {why}")
    };
    for (from, to, place, why) in [
        (
            "replicas: 2",
            "replicas: two",
            "5:13 unreadable spec.replicas: ",
            "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32",
        ),
        (
            "replicas: 2",
            "replicas: 3000000000",
            "5:13 unreadable spec.replicas: ",
            "json: cannot unmarshal number 3000000000 into Go struct field DeploymentSpec.spec.replicas of type int32",
        ),
        (
            "- name: web",
            "- name: [web]",
            "13:15 unreadable spec.template.spec.containers[0].name: ",
            "json: cannot unmarshal array into Go struct field Container.spec.template.spec.containers.name of type string",
        ),
        (
            "cpu: 100m",
            "cpu: 100x",
            "14:23 unreadable spec.template.spec.containers[0].limits[cpu]: ",
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
        ),
        (
            "probe: http",
            "probe: {a: b}",
            "15:16 unreadable spec.template.spec.containers[0].probe: ",
            "json: cannot unmarshal object into Go struct field Container.spec.template.spec.containers.probe of type int32",
        ),
    ] {
        let changed = GOOD.replacen(from, to, 1);
        assert_eq!(reported(&catalog, &changed), [format!("{place}{}", said(why))]);
    }
}

#[test]
fn enums_defaults_and_repeated_keys_count() {
    let catalog = catalog("v3.json");
    let wrong = GOOD.replace("protocol: UDP", "protocol: HTTP");
    assert_eq!(
        reported(&catalog, &wrong),
        [
            "18:41 invalid spec.template.spec.containers[0].ports[1].protocol: Unsupported value: \"HTTP\": supported values: \"SCTP\", \"TCP\", \"UDP\""
        ]
    );
    let twice = GOOD.replace("protocol: UDP", "protocol: TCP");
    let findings = judge(&catalog, &twice);
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!(findings[0].id, "duplicate-item");
    let named = GOOD.replace("name: web,", "name: web%1,");
    assert!(reported(&catalog, &named)[0].contains("metadata.name: Invalid value: \"web%1\""));
}

#[test]
fn data_of_secrets_is_base64() {
    let catalog = catalog("v3.json");
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {a: '%%'}\n";
    assert_eq!(
        reported(&catalog, secret),
        [
            "4:11 unreadable data[a]: Secret in version \"v1\" cannot be handled as a Secret: illegal base64 data at input byte 0"
        ]
    );
    assert_eq!(reported(&catalog, &secret.replace("%%", "aGk=")), [] as [String; 0]);
}

#[test]
fn custom_kinds_keep_their_rules() {
    let catalog = catalog("v3.json");
    let gadget = "apiVersion: shop.example.com/v1\nkind: Gadget\nmetadata: {name: g}\nspec: {size: 4, mode: fast, target: 80}\n";
    let found = reported(&catalog, gadget);
    assert_eq!(found.len(), 1);
    assert!(found[0].ends_with("spec: Invalid value: fast gadgets are small"), "{found:?}");
    assert_eq!(reported(&catalog, &gadget.replace("fast", "slow")), [] as [String; 0]);
}

#[test]
fn a_store_gives_back_what_was_put_in() {
    let place = tempfile::tempdir().unwrap();
    let store = Store::new(place.path().join("schemas"));
    assert_eq!(store.kinds(), []);
    let read = openapi::read(&document("v3.json")).unwrap();
    assert_eq!(store.put_document(&read).unwrap().len(), 3);
    let definition = ordain_value::yaml::decode_first(
        &std::fs::read(folder().join("../validate/crd.yaml")).unwrap(),
        ordain_value::yaml::Options::default(),
    );
    store.put_definition(&definition.unwrap().value.unwrap()).unwrap();
    let names: Vec<String> =
        store.kinds().iter().map(|it| format!("{}/{}", it.group_version(), it.kind)).collect();
    assert_eq!(
        names,
        [
            "v1/Secret",
            "apps.example.com/v1/Deployment",
            "shop.example.com/v1/Gadget",
            "shop.example.com/v1/Widget"
        ]
    );
    let mut catalog = Catalog::default();
    catalog.add_store(store.clone());
    assert_eq!(reported(&catalog, GOOD), [] as [String; 0]);
    let typo = GOOD.replace("hostNetwork", "hostnet").replace("replicas", "replcas");
    assert_eq!(judge(&catalog, &typo)[0].help.as_deref(), Some("did you mean \"replicas\"?"));
    let other = "apiVersion: apps.example.com/v1beta1\nkind: Deployment\nmetadata: {name: web}\n";
    let missing = judge(&catalog, other);
    assert_eq!(missing[0].id, "no-schema");
    assert_eq!(
        missing[0].help.as_deref(),
        Some("not checked: no schema; Deployment is known in apps.example.com/v1")
    );
    for kind in store.kinds() {
        assert!(store.remove(&kind).unwrap());
    }
    assert_eq!(store.kinds(), []);
}

/// Upstream's published documents, when they are there: every kind of them compiles.
#[test]
fn all_published_kinds_compile() {
    let Some(folder) = ordain_testkit::Need::OpenApiDocuments.named_by("ORDAIN_OPENAPI") else {
        return;
    };
    let mut kinds = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let document = json::decode(&std::fs::read(&path).unwrap()).unwrap();
        let Ok(document) = openapi::read(&document) else { continue };
        for entry in document.entries() {
            let kind =
                ordain_check::Kind::of_document(&document, entry, &ordain_check::Gates::default());
            assert!(kind.is_ok(), "{}: {:?}", path.display(), kind.err());
            kinds += 1;
        }
    }
    eprintln!("{kinds} kinds compile");
    assert!(kinds > 50);
}
