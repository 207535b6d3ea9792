//! Objects with long lists are judged: all declared rules of an object have a cost that they may not
//! exceed together, and a request has a deadline. Both are too little for rules that look at all other
//! items for each item of such a list.

use crate::heavy::list;
use crate::server::{DEFINITIONS, Server};

/// The square of it is twice what the rules of an object may cost.
const LONG: usize = 15_000;

/// Sends what `body` makes for a length, without storing it.
fn is_judged(path: &str, body: impl Fn(usize) -> String) {
    let path = format!("{path}?dryRun=All");
    let body = body(LONG).into_bytes();
    let answer = Server::start().send("POST", &path, "application/json", body);
    assert_eq!(answer.code, 201, "{path}: {:?}", answer.body.get("message"));
}

fn pod_template(spec: &str) -> String {
    format!(
        r#"{{"apiVersion":"v1","kind":"PodTemplate","metadata":{{"name":"t"}},"template":{{"metadata":{{"labels":{{"a":"b"}}}},"spec":{{"containers":[{{"name":"c","image":"i"}}],{spec}}}}}}}"#
    )
}

const POD_TEMPLATES: &str = "/api/v1/namespaces/default/podtemplates";

#[test]
fn spread_constraints_and_tolerations() {
    is_judged(POD_TEMPLATES, |len| {
        let constraints = list(len, |at| {
            format!(
                r#"{{"maxSkew":1,"topologyKey":"t{at}","whenUnsatisfiable":"DoNotSchedule","labelSelector":{{"matchLabels":{{"a":"b"}}}}}}"#
            )
        });
        let tolerations = list(len, |at| format!(r#"{{"key":"k{at}","operator":"Exists"}}"#));
        pod_template(&format!(
            r#""topologySpreadConstraints":[{constraints}],"tolerations":[{tolerations}]"#
        ))
    });
}

#[test]
fn resource_claims() {
    is_judged(POD_TEMPLATES, |len| {
        let claims = list(len, |at| format!(r#"{{"name":"c{at}","resourceClaimName":"n"}}"#));
        pod_template(&format!(r#""resourceClaims":[{claims}]"#))
    });
}

#[test]
fn review_versions_and_resources_of_webhooks() {
    let path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
    is_judged(path, |len| {
        let versions = list(len, |at| format!(r#""v{}""#, at + 1));
        let resources = list(len, |at| format!(r#""r{at}/s{at}""#));
        format!(
            r#"{{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration","metadata":{{"name":"w"}},"webhooks":[{{"name":"a.b.c","clientConfig":{{"url":"https://a.b/c"}},"sideEffects":"None","admissionReviewVersions":[{versions}],"rules":[{{"apiGroups":["g"],"apiVersions":["v1"],"operations":["CREATE"],"resources":[{resources}]}}]}}]}}"#
        )
    });
}

#[test]
fn properties_required_names_and_formats_of_definitions() {
    is_judged(DEFINITIONS, |len| {
        let properties =
            list(len, |at| format!(r#""p{at}":{{"type":"string","format":"unknown-{at}"}}"#));
        let required = list(len, |at| format!(r#""p{at}""#));
        format!(
            r#"{{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{{"name":"wides.attack.example.com"}},"spec":{{"group":"attack.example.com","scope":"Namespaced","names":{{"kind":"Wide","plural":"wides"}},"versions":[{{"name":"v1","served":true,"storage":true,"schema":{{"openAPIV3Schema":{{"type":"object","properties":{{"spec":{{"type":"object","required":[{required}],"properties":{{{properties}}}}}}}}}}}}}]}}}}"#
        )
    });
}

#[test]
fn objects_among_the_values_of_an_enumeration() {
    let mut server = Server::start();
    let listed = list(LONG, |at| format!(r#"{{"a":{at}}}"#));
    let spec = format!(
        r#"{{"type":"array","items":{{"type":"object","x-kubernetes-preserve-unknown-fields":true,"enum":[{listed}]}}}}"#
    );
    let spec = ordain_value::json::decode(spec.as_bytes()).unwrap();
    assert_eq!(server.define("listeds", "Listed", &spec).code, 201);
    let items = list(4 * LONG, |at| format!(r#"{{"a":{}}}"#, at / 4));
    let body = format!(
        r#"{{"apiVersion":"attack.example.com/v1","kind":"Listed","metadata":{{"name":"l"}},"spec":[{items}]}}"#
    );
    let path = crate::server::THINGS.replace("things", "listeds");
    let answer = server.send("POST", &path, "application/json", body.into_bytes());
    assert_eq!(answer.code, 201, "{:?}", answer.body.get("message"));
}
