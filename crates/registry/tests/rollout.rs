//! Hand-written and declarative validation side by side (KEP-4153's rollout).

mod world;

use std::sync::{Arc, Mutex};

use ordain_registry::Caller;
use ordain_registry::declared::Resource;
use ordain_registry::gates::Gates;
use ordain_registry::rollout::cases::{Case, Expected, HandWrittenRule};
use ordain_registry::rollout::{
    Authority, Declarative, Found, Metrics, Rollout, Subject, cases, exceptions,
};
use ordain_registry::strategy::Config;
use ordain_schema::declared::Api;
use ordain_schema::native::Level;
use ordain_value::field::{Error, ErrorList, Kind, Path};
use ordain_value::{Value, value};
use world::{World, api, api_of, kind, object};

fn widgets() -> Api {
    api(&(kind("Widget", "\tSpec Spec `json:\"spec\"`")
        + "type Spec struct {\n\t// +k8s:optional\n\t// +k8s:maximum=10\n\tSize *int32 `json:\"size,omitempty\"`\n\t// +k8s:optional\n\t// +k8s:alpha=+k8s:maximum=10\n\tYoung *int32 `json:\"young,omitempty\"`\n\t// +k8s:optional\n\t// +k8s:beta=+k8s:maximum=10\n\tTested *int32 `json:\"tested,omitempty\"`\n}\n"))
}

fn too_big(object: &Value, field: &'static str) -> ErrorList {
    let mut errors = ErrorList::new();
    if let Some(size) = object.get_path(&["spec", field]).and_then(Value::as_int)
        && size > 10
    {
        let path = Path::new("spec");
        let error = Error::invalid(&path.child(field), size, "is too big, says a hand");
        errors.push(error.with_origin("maximum"));
    }
    errors
}

/// Hand-written twins of all three rules.
fn config() -> Config {
    Config {
        validate: Some(Arc::new(|object: &Value, _: &Caller<'_>| {
            Found::from(too_big(object, "size"))
                .covered()
                .and(Found::from(too_big(object, "young")).covered().at(Level::Alpha))
                .and(Found::from(too_big(object, "tested")).covered().at(Level::Beta))
        })),
        ..Config::default()
    }
}

struct Run {
    world: World,
    metrics: Arc<Metrics>,
    reported: Arc<Mutex<Vec<String>>>,
}

async fn run(authority: Authority, gates: &str, config: Config, known: &str) -> Run {
    let api = widgets();
    let metrics = Arc::new(Metrics::default());
    let reported = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&reported);
    let rollout = Rollout {
        authority,
        exceptions: Arc::new(exceptions(known).expect("exceptions")),
        metrics: Arc::clone(&metrics),
        report: Some(Arc::new(move |text: &str| log.lock().expect("log").push(text.to_owned()))),
    };
    let resource = Resource::new(api.kinds[0].clone()).config(config).rollout(rollout);
    Run { world: World::with_resource(&api, gates, resource).await, metrics, reported }
}

impl Run {
    async fn refusal(&self, field: &str) -> String {
        let mut body = object("Widget", field, value!({}));
        body.set_path(&["spec", field], Value::Int(11));
        match self.world.create("widgets", body).await {
            Ok(_) => String::new(),
            Err(status) => status.message,
        }
    }
}

const HAND: &str = "is too big, says a hand";
const RULE: &str = "must be less than or equal to 10";

#[tokio::test]
async fn hand_written_validation_decides_while_declared_rules_shadow() {
    let run = run(Authority::HandWritten, "", config(), "").await;
    for field in ["size", "young", "tested"] {
        let words = run.refusal(field).await;
        assert!(words.contains(HAND) && !words.contains(RULE), "{field}: {words}");
    }
    assert_eq!(run.metrics.differences(), 0, "{:?}", run.reported.lock().expect("log"));
}

#[tokio::test]
async fn with_the_gate_off_declared_rules_are_neither_used_nor_compared() {
    let silent = Config::default();
    let run = run(Authority::HandWritten, "DeclarativeValidation=false", silent, "").await;
    assert_eq!(run.refusal("size").await, "", "only a declared rule would refuse it");
    assert_eq!(run.metrics.differences(), 0);
    assert!(run.reported.lock().expect("log").is_empty());
}

#[tokio::test]
async fn differences_are_counted_and_told() {
    let run = run(Authority::HandWritten, "", Config::default(), "").await;
    assert_eq!(run.refusal("size").await, "");
    assert_eq!(run.metrics.differences(), 1);
    let reported = run.reported.lock().expect("log").join("\n");
    assert!(
        reported.contains("extra error(s) found") && reported.contains("widget_create"),
        "{reported}"
    );
    Metrics::register();
    let text = ordain_registry::metrics::encode();
    for name in [
        "apiserver_declarative_validation_difference_total ",
        "apiserver_declarative_validation_difference_seconds_count ",
        "apiserver_declarative_validation_seconds_count ",
        "apiserver_validation_declarative_validation_mismatch_total ",
        "apiserver_validation_declarative_validation_parity_discrepancies_total{validation_identifier=\"widget_create\"} ",
    ] {
        let line = text.lines().find(|line| line.starts_with(name));
        let count = line.and_then(|line| line.rsplit(' ').next()?.parse::<u64>().ok());
        assert!(count.is_some_and(|count| count > 0), "{name} in\n{text}");
    }
}

#[tokio::test]
async fn known_differences_are_exceptions_with_owner_and_reason() {
    let known =
        "# kind field origin owner reason\nWidget spec.size maximum sam the texts were agreed on\n";
    let run = run(Authority::HandWritten, "", Config::default(), known).await;
    assert_eq!(run.refusal("size").await, "");
    assert_eq!(run.metrics.differences(), 0);
    assert!(exceptions("Widget spec.size maximum sam").is_err(), "a reason is needed");
}

#[tokio::test]
async fn declared_rules_decide_by_their_marks() {
    let run = run(Authority::Declarative, "", config(), "").await;
    let words = run.refusal("size").await;
    assert!(words.contains(RULE), "a stable rule decides: {words}");
    let words = run.refusal("young").await;
    assert!(words.contains(HAND) && !words.contains(RULE), "an alpha rule never does: {words}");
    let words = run.refusal("tested").await;
    assert!(words.contains(RULE) && !words.contains(HAND), "a beta rule does: {words}");
}

#[tokio::test]
async fn beta_rules_shadow_when_their_gate_is_off() {
    let gates = "DeclarativeValidationBeta=false";
    let run = run(Authority::Declarative, gates, config(), "").await;
    let words = run.refusal("tested").await;
    assert!(words.contains(HAND) && !words.contains(RULE), "{words}");
}

#[tokio::test]
async fn a_panic_on_one_side_is_caught_and_counted() {
    let config = Config {
        validate: Some(Arc::new(|_: &Value, _: &Caller<'_>| panic!("a hand slipped"))),
        ..Config::default()
    };
    let run = run(Authority::HandWritten, "", config, "").await;
    let words = run.refusal("size").await;
    assert!(words.contains("a hand slipped"), "{words}");
    assert_eq!(run.metrics.panics(), 1);
    Metrics::register();
    let text = ordain_registry::metrics::encode();
    assert!(text.contains("panics_total{validation_identifier=\"widget_create\"} "), "{text}");
}

#[test]
fn errors_match_by_kind_field_and_origin() {
    let rollout = Rollout::default();
    let gates = Gates::default();
    let subject = Subject { kind: "Widget", subresource: "", update: false };
    let error =
        |kind, path: &str, origin| Error::at(kind, path, "x".into(), "words").with_origin(origin);
    let compare = |hand: Error, rule: Error| {
        let before = rollout.metrics.differences();
        let mut list = ErrorList::new();
        list.push(hand);
        let found = Found::from(list).covered();
        let declared = Ok(vec![Declarative { error: rule, level: None }]);
        rollout.decide(&gates, subject, found, declared);
        rollout.metrics.differences() - before
    };
    let same = error(Kind::Invalid, "spec.a", "maximum");
    let other_words =
        Error::at(Kind::Invalid, "spec.a", "y".into(), "other words").with_origin("maximum");
    assert_eq!(compare(same.clone(), other_words), 0, "texts and values may differ");
    assert_eq!(compare(same.clone(), error(Kind::Invalid, "spec.b", "maximum")), 1);
    assert_eq!(compare(same.clone(), error(Kind::Invalid, "spec.a", "minimum")), 1);
    assert_eq!(compare(same, error(Kind::Forbidden, "spec.a", "maximum")), 1);
    let without = error(Kind::Invalid, "spec.a", "");
    assert_eq!(compare(without.clone(), without.clone()), 0, "a twin, word for word");
    let others = Error::at(Kind::Invalid, "spec.a", "x".into(), "other words");
    assert_eq!(compare(without, others), 1, "malformed values need an origin");
    let required = error(Kind::Required, "spec.a", "");
    assert_eq!(compare(required.clone(), required), 0);
}

#[test]
fn cases_run_on_both_sides_and_every_version_and_tell_what_they_miss() {
    let spec = "type Spec struct {\n\t// +k8s:optional\n\t// +k8s:maximum=10\n\tSize *int32 `json:\"size,omitempty\"`\n}\n";
    let widget = kind("Widget", "\tSpec Spec `json:\"spec\"`");
    let v1 = format!("{widget}{spec}");
    let v2 = format!("// +kubebuilder:storageversion\n{widget}{spec}");
    let api = api_of(&[("v1", &v1), ("v2", &v2)]);
    let rules = [
        HandWrittenRule { field: "spec.size", origin: "maximum" },
        HandWrittenRule { field: "spec.color", origin: "enum" },
    ];
    let case = |size: i64, errors: Vec<Expected>| Case {
        name: "size",
        object: object("Widget", "a", value!({"size": (size)})),
        old: None,
        errors,
        versions: Vec::new(),
        hand_written_only: false,
    };
    let expected =
        vec![Expected { kind: Kind::Invalid, field: "spec.size".into(), origin: "maximum" }];
    let gates = Arc::new(Gates::default());
    let all = [case(5, Vec::new()), case(11, expected.clone())];
    let report = cases::run(&api.kinds[0], &config(), &rules, &all, &gates).expect("builds");
    assert!(report.failures.is_empty(), "{:?}", report.failures);
    assert_eq!(report.uncovered, [rules[1].clone()], "no case reaches the rule of the colour");
    let wrong = [case(5, expected)];
    let report = cases::run(&api.kinds[0], &config(), &rules, &wrong, &gates).expect("builds");
    let sides = ["hand-written v1", "declarative v1", "hand-written v2", "declarative v2"];
    for side in sides {
        assert!(report.failures.iter().any(|it| it.contains(side)), "{side}: {report:?}");
    }
    assert_eq!(report.failures.len(), sides.len(), "{:?}", report.failures);
}

#[test]
fn a_rule_that_one_version_lacks_is_found_by_the_cases() {
    let spec = |rule: &str| {
        format!(
            "type Spec struct {{\n\t// +k8s:optional\n{rule}\tSize *int32 `json:\"size,omitempty\"`\n}}\n"
        )
    };
    let widget = kind("Widget", "\tSpec Spec `json:\"spec\"`");
    let v1 = format!("{widget}{}", spec("\t// +k8s:maximum=10\n"));
    let v2 = format!("// +kubebuilder:storageversion\n{widget}{}", spec(""));
    let api = api_of(&[("v1", &v1), ("v2", &v2)]);
    let case = |versions: &[&str]| Case {
        name: "size",
        object: object("Widget", "a", value!({"size": 11})),
        old: None,
        errors: vec![Expected {
            kind: Kind::Invalid,
            field: "spec.size".into(),
            origin: "maximum",
        }],
        versions: versions.iter().map(|it| (*it).into()).collect(),
        hand_written_only: false,
    };
    let gates = Arc::new(Gates::default());
    let run = |case: Case| cases::run(&api.kinds[0], &config(), &[], &[case], &gates);
    let report = run(case(&[])).expect("builds");
    assert_eq!(report.failures.len(), 1, "{report:?}");
    assert!(report.failures[0].contains("declarative v2 does not find"), "{report:?}");
    // An error that only some versions have is granted by naming them.
    let report = run(case(&["v1"])).expect("builds");
    assert!(report.failures.is_empty(), "{report:?}");
}

#[tokio::test]
async fn differences_go_to_the_log_of_the_server() {
    let reported = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&reported);
    ordain_registry::rollout::log_to(move |text| log.lock().expect("log").push(text.to_owned()));
    let api = widgets();
    let rollout = Rollout { authority: Authority::HandWritten, ..Rollout::default() };
    let resource = Resource::new(api.kinds[0].clone()).rollout(rollout);
    let world = World::with_resource(&api, "", resource).await;
    let body = object("Widget", "a", value!({"size": 11}));
    world.create("widgets", body).await.expect("hand-written validation decides");
    let reported = reported.lock().expect("log").join("\n");
    assert!(reported.contains("only declarative validation finds spec.size"), "{reported}");
}

#[test]
fn a_panic_of_declared_rules_is_an_error_only_where_they_decide() {
    let gates = Gates::default();
    let subject = Subject { kind: "Widget", subresource: "", update: true };
    for (authority, errors) in [(Authority::HandWritten, 0), (Authority::Declarative, 1)] {
        let rollout = Rollout { authority, ..Rollout::default() };
        let declared: Result<Vec<Declarative>, Error> =
            rollout.guarded(subject, || panic!("a rule slipped"));
        assert_eq!(rollout.metrics.panics(), 1, "it is counted");
        let found = rollout.decide(&gates, subject, Found::default(), declared);
        assert_eq!(found.len(), errors, "{authority:?}: {found:?}");
        assert_eq!(rollout.metrics.differences(), 0, "what was not found is not compared");
    }
}

/// A kind with rules of KEP-4153 and CEL, and a hook that finds the same without saying so.
fn plain() -> Api {
    api(&(kind("Widget", "\tSpec Spec `json:\"spec\"`")
        + "// +validationRule=\"!has(self.a) || self.a != 'bad'\",message=\"a is bad\",field=\"a\"\ntype Spec struct {\n\t// +maxLength=3\n\t// +optional\n\tA string `json:\"a,omitempty\"`\n}\n"))
}

async fn plain_run(authority: Authority, gates: &str, config: Config) -> Run {
    let api = plain();
    let (metrics, reported) = (Arc::new(Metrics::default()), Arc::new(Mutex::new(Vec::new())));
    let log = Arc::clone(&reported);
    let rollout = Rollout {
        authority,
        metrics: Arc::clone(&metrics),
        report: Some(Arc::new(move |text: &str| log.lock().expect("log").push(text.to_owned()))),
        ..Rollout::default()
    };
    let resource = Resource::new(api.kinds[0].clone()).config(config).rollout(rollout);
    Run { world: World::with_resource(&api, gates, resource).await, metrics, reported }
}

fn by_hand(errors: impl Fn(&str) -> Vec<Error> + Send + Sync + 'static, covered: bool) -> Config {
    let judge = move |object: &Value, _: &Caller<'_>| {
        let text = object.get_path(&["spec", "a"]).and_then(Value::as_str).unwrap_or("");
        let found = Found::from(errors(text).into_iter().collect::<ErrorList>());
        if covered { found.covered() } else { found }
    };
    Config { validate: Some(Arc::new(judge)), ..Config::default() }
}

#[tokio::test]
async fn errors_of_schemas_and_of_cel_have_an_origin_to_be_matched_by() {
    let hand = by_hand(
        |text| {
            let at = Path::new("spec.a");
            let mut errors = Vec::new();
            if text.len() > 3 {
                errors.push(Error::too_long(&at, 3).with_origin("maxLength"));
            }
            if text == "bad" {
                let error = Error::invalid(&at, text, "says a hand");
                errors.push(error.with_origin("x-kubernetes-validations"));
            }
            errors
        },
        true,
    );
    let run = plain_run(Authority::HandWritten, "", hand).await;
    for text in ["long", "bad"] {
        let body = object("Widget", text, value!({"a": (text)}));
        run.world.create("widgets", body).await.expect_err(text);
    }
    assert_eq!(run.metrics.differences(), 0, "{:?}", run.reported.lock().expect("log"));
}

#[tokio::test]
async fn an_identical_twin_is_no_mismatch_even_if_nobody_marked_it() {
    let hand = by_hand(
        |text| match text {
            "bad" => vec![Error::invalid(&Path::new("spec.a"), text, "a is bad")],
            _ => Vec::new(),
        },
        false,
    );
    let run = plain_run(Authority::HandWritten, "", hand).await;
    let body = object("Widget", "w", value!({"a": "bad"}));
    run.world.create("widgets", body).await.expect_err("bad");
    assert_eq!(run.metrics.differences(), 0, "{:?}", run.reported.lock().expect("log"));
}

#[tokio::test]
async fn a_takeover_shows_one_error_in_the_words_of_the_rule() {
    let run = run(Authority::Declarative, "", config(), "").await;
    let words = run.refusal("size").await;
    assert!(words.contains(RULE) && !words.contains(HAND), "{words}");
}

#[tokio::test]
async fn without_the_gate_declared_kinds_are_held_to_types_alone() {
    let off = "DeclarativeValidation=false";
    let run = plain_run(Authority::Declarative, off, Config::default()).await;
    for text in ["long", "bad"] {
        let body = object("Widget", text, value!({"a": (text)}));
        run.world.create("widgets", body).await.expect(text);
    }
    let world = World::with(&plain(), off).await;
    world.create("widgets", object("Widget", "w", value!({"a": "long"}))).await.expect("no rules");
    let refused = world.create("widgets", object("Widget", "x", value!({"a": 3}))).await;
    assert!(refused.is_err(), "what a type cannot hold is refused by every server");
}
