//! Roles and webhook configurations as controller-gen makes them of its markers.

use ordain_gen::{rbac, webhook};
use ordain_idl::{Loader, MemorySource, Universe};
use ordain_value::yaml;

fn universe(text: &str) -> Universe {
    let source = MemorySource::new().with("c/controller.go", format!("package c\n\n{text}"));
    Loader::new(&source).package_as("c", "example.com/c").load()
}

fn roles(text: &str) -> String {
    let made = rbac::generate(&universe(text), "manager-role");
    assert!(made.diagnostics.is_empty(), "{:?}", made.diagnostics);
    made.roles.iter().map(|it| format!("---\n{}", yaml::encode(it))).collect()
}

const CODE: &str = "\n\nfunc Reconcile() {\n\treturn\n}\n";

#[test]
fn rules_are_joined_over_verbs_resources_groups_and_urls() {
    let text = format!(
        "// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list\n\
         // +kubebuilder:rbac:groups=apps,resources=deployments,verbs=watch\n\
         // +kubebuilder:rbac:groups=apps,resources=statefulsets;replicasets,verbs=get;watch;list\n\
         // +kubebuilder:rbac:groups=batch,resources=replicasets;statefulsets;deployments,verbs=list;get;watch\n\
         // +kubebuilder:rbac:groups=core,resources=pods,verbs=*;get\n\
         // +kubebuilder:rbac:urls=/metrics,verbs=get\n\
         // +kubebuilder:rbac:urls=/healthz,verbs=get\n\
         // +kubebuilder:rbac:groups=\"\",resources=secrets,resourceNames=a;b,verbs=get,namespace=zoo\n\
         // +kubebuilder:rbac:groups=\"\",resources=secrets,verbs=get,roleName=reader{CODE}"
    );
    assert_eq!(
        roles(&text),
        "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: manager-role\nrules:\n\
         - nonResourceURLs:\n  - /healthz\n  - /metrics\n  verbs:\n  - get\n\
         - apiGroups:\n  - \"\"\n  resources:\n  - pods\n  verbs:\n  - '*'\n\
         - apiGroups:\n  - apps\n  - batch\n  resources:\n  - deployments\n  - replicasets\n  - statefulsets\n  verbs:\n  - get\n  - list\n  - watch\n\
         ---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: reader\nrules:\n\
         - apiGroups:\n  - \"\"\n  resources:\n  - secrets\n  verbs:\n  - get\n\
         ---\napiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata:\n  name: manager-role\n  namespace: zoo\nrules:\n\
         - apiGroups:\n  - \"\"\n  resourceNames:\n  - a\n  - b\n  resources:\n  - secrets\n  verbs:\n  - get\n"
    );
}

#[test]
fn a_marker_that_does_not_parse_is_told_at_its_place() {
    let made = rbac::generate(&universe(&format!("// +kubebuilder:rbac:groups=apps{CODE}")), "x");
    let universe = universe(&format!("// +kubebuilder:rbac:groups=apps{CODE}"));
    let reported: Vec<String> =
        made.diagnostics.iter().map(|it| universe.locate(it).to_string()).collect();
    assert!(
        reported.len() == 1
            && reported[0].starts_with("c/controller.go:3:1: error: missing argument \"verbs\""),
        "{reported:?}"
    );
}

const WEBHOOK: &str = "// +kubebuilder:webhook:path=/validate-x,mutating=false,failurePolicy=fail,sideEffects=None,groups=shop.example.com;core,resources=widgets,verbs=create;update,versions=v1,name=v.example.com,admissionReviewVersions=v1";

#[test]
fn webhooks_go_into_one_configuration_of_each_sort() {
    let text = format!(
        "{WEBHOOK},timeoutSeconds=5,matchPolicy=equivalent\n\
         // +kubebuilder:webhook:url=\"https://x.example.com/m\",mutating=true,failurePolicy=Ignore,sideEffects=noneondryrun,groups=*,resources=*,verbs=*,versions=*,name=m.example.com,admissionReviewVersions=v1;v1beta1,reinvocationPolicy=ifneeded,patch=`{{\"namespaceSelector\":{{\"matchLabels\":{{\"a\":\"b\"}}}}}}`\n\
         // +kubebuilder:webhookconfiguration:mutating=true,name=mine{CODE}"
    );
    let made = webhook::generate(&universe(&text));
    assert!(made.diagnostics.is_empty(), "{:?}", made.diagnostics);
    let shown: String = made.configurations.iter().map(yaml::encode).collect();
    assert_eq!(
        shown,
        "apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingWebhookConfiguration\nmetadata:\n  name: mine\nwebhooks:\n\
         - admissionReviewVersions:\n  - v1\n  - v1beta1\n  clientConfig:\n    url: https://x.example.com/m\n  failurePolicy: Ignore\n  name: m.example.com\n  namespaceSelector:\n    matchLabels:\n      a: b\n  reinvocationPolicy: IfNeeded\n  rules:\n  - apiGroups:\n    - '*'\n    apiVersions:\n    - '*'\n    operations:\n    - '*'\n    resources:\n    - '*'\n  sideEffects: NoneOnDryRun\n\
         apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata:\n  name: validating-webhook-configuration\nwebhooks:\n\
         - admissionReviewVersions:\n  - v1\n  clientConfig:\n    service:\n      name: webhook-service\n      namespace: system\n      path: /validate-x\n  failurePolicy: Fail\n  matchPolicy: Equivalent\n  name: v.example.com\n  rules:\n  - apiGroups:\n    - shop.example.com\n    - \"\"\n    apiVersions:\n    - v1\n    operations:\n    - CREATE\n    - UPDATE\n    resources:\n    - widgets\n  sideEffects: None\n  timeoutSeconds: 5\n"
    );
}

#[test]
fn webhooks_that_the_api_refuses_are_errors() {
    for (changed, expected) in [
        (WEBHOOK.replace("sideEffects=None,", ""), "SideEffects is required"),
        (WEBHOOK.replace("=None", "=Some"), "SideEffects should not be set to `Some`"),
        (format!("{WEBHOOK},timeoutSeconds=31"), "TimeoutSeconds must be between 1 and 30"),
        (format!("{WEBHOOK},url=\"https://x\""), "`url` or `path` markers are required"),
        (format!("{WEBHOOK},webhookVersions=v1beta1"), "unsupported webhook version: v1beta1"),
        (format!("{WEBHOOK},matchPolicy=near"), "unknown value \"near\" for matchPolicy"),
        (format!("{WEBHOOK},patch=`{{\"$patch\":\"delete\"}}`"), "the directive $patch"),
    ] {
        let made = webhook::generate(&universe(&format!("{changed}{CODE}")));
        let reported: Vec<&str> = made.diagnostics.iter().map(|it| it.message.as_str()).collect();
        assert!(reported.iter().any(|it| it.contains(expected)), "{expected}: {reported:?}");
    }
}
