//! Objects with long lists take a time that grows as they do, and not as the square of it: the time
//! for one is held against that for one eight times as long.

use std::time::{Duration, Instant};

use crate::heavy::list;
use crate::server::{DEFINITIONS, Server};

const SMALL: usize = 500;
const LARGE: usize = 8 * SMALL;
/// Eight times the work takes less than this, the square of it sixty-four times.
const GROWTH_MAX: u32 = 32;
/// What a busy machine may take away.
const ALLOWANCE: Duration = Duration::from_millis(400);

/// Sends what `body` makes for a length, without storing it, and gives the time it took.
fn time(server: &mut Server, path: &str, code: u16, body: Vec<u8>) -> Duration {
    let path = format!("{path}?dryRun=All");
    let sent = Instant::now();
    let answer = server.send("POST", &path, "application/json", body);
    let took = sent.elapsed();
    assert_eq!(answer.code, code, "{path}: {:?}", answer.body.get("message"));
    took
}

fn grows_with_its_length(path: &str, code: u16, body: impl Fn(usize) -> String) {
    let mut server = Server::start();
    let small = (0..3).map(|_| time(&mut server, path, code, body(SMALL).into_bytes())).min();
    let large = time(&mut server, path, code, body(LARGE).into_bytes());
    let bound = small.unwrap_or_default() * GROWTH_MAX + ALLOWANCE;
    assert!(large < bound, "{path}: {large:?} is more than {bound:?} (small: {small:?})");
}

fn pod_template(spec: &str) -> String {
    format!(
        r#"{{"apiVersion":"v1","kind":"PodTemplate","metadata":{{"name":"t"}},"template":{{"metadata":{{"labels":{{"a":"b"}}}},"spec":{{"containers":[{{"name":"c","image":"i"}}],{spec}}}}}}}"#
    )
}

const POD_TEMPLATES: &str = "/api/v1/namespaces/default/podtemplates";

#[test]
fn spread_constraints_and_tolerations() {
    grows_with_its_length(POD_TEMPLATES, 201, |len| {
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
    grows_with_its_length(POD_TEMPLATES, 201, |len| {
        let claims = list(len, |at| format!(r#"{{"name":"c{at}","resourceClaimName":"n"}}"#));
        pod_template(&format!(r#""resourceClaims":[{claims}]"#))
    });
}

#[test]
fn review_versions_and_resources_of_webhooks() {
    let path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
    grows_with_its_length(path, 201, |len| {
        let versions = list(len, |at| format!(r#""v{}""#, at + 1));
        let resources = list(len, |at| format!(r#""r{at}/s{at}""#));
        format!(
            r#"{{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration","metadata":{{"name":"w"}},"webhooks":[{{"name":"a.b.c","clientConfig":{{"url":"https://a.b/c"}},"sideEffects":"None","admissionReviewVersions":[{versions}],"rules":[{{"apiGroups":["g"],"apiVersions":["v1"],"operations":["CREATE"],"resources":[{resources}]}}]}}]}}"#
        )
    });
}

#[test]
fn properties_required_names_and_formats_of_definitions() {
    grows_with_its_length(DEFINITIONS, 201, |len| {
        let properties =
            list(len, |at| format!(r#""p{at}":{{"type":"string","format":"unknown-{at}"}}"#));
        let required = list(len, |at| format!(r#""p{at}""#));
        format!(
            r#"{{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{{"name":"wides.attack.example.com"}},"spec":{{"group":"attack.example.com","scope":"Namespaced","names":{{"kind":"Wide","plural":"wides"}},"versions":[{{"name":"v1","served":true,"storage":true,"schema":{{"openAPIV3Schema":{{"type":"object","properties":{{"spec":{{"type":"object","required":[{required}],"properties":{{{properties}}}}}}}}}}}}}]}}}}"#
        )
    });
}
