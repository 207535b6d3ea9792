//! Changes of definitions get the verdict that both engines confirm.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use ordain_check::Gates;
use ordain_check::diff::{self, Change, Safety};
use ordain_value::{Value, yaml};

const SPEC: &str = "\
type: object
required: [size]
properties:
  size: {type: integer, minimum: 1, maximum: 10}
  mode: {type: string, enum: [Fast, Slow], default: Slow}
  name: {type: string, maxLength: 20, pattern: '^[a-z]+$'}
  tags:
    type: array
    maxItems: 5
    items: {type: string, maxLength: 5}
  ports:
    type: array
    x-kubernetes-list-type: map
    x-kubernetes-list-map-keys: [name]
    items:
      type: object
      required: [name]
      properties:
        name: {type: string}
        port: {type: integer}
  labels:
    type: object
    additionalProperties: {type: string}
";

fn definition(spec: &str) -> Value {
    let text = ordain_testkit::definition("Mug", spec);
    yaml::decode_first(text.as_bytes(), yaml::Options::default()).unwrap().value.unwrap()
}

fn changes(old: &str, new: &str) -> Vec<Change> {
    diff::compare(&[definition(old)], &[definition(new)], &Gates::default()).unwrap().changes
}

fn one(from: &str, to: &str) -> Change {
    assert!(SPEC.contains(from), "{from}");
    let mut changes = changes(SPEC, &SPEC.replace(from, to));
    assert_eq!(changes.len(), 1, "{from} to {to}: {changes:?}");
    changes.remove(0)
}

#[test]
fn nothing_changed_is_nothing_told() {
    assert_eq!(changes(SPEC, SPEC), []);
}

#[test]
fn tighter_bounds_are_ratcheted_with_an_example() {
    for (from, to, path) in [
        ("maximum: 10", "maximum: 9", "spec.size"),
        ("minimum: 1,", "minimum: 3,", "spec.size"),
        ("maxLength: 20", "maxLength: 4", "spec.name"),
        ("maxItems: 5", "maxItems: 2", "spec.tags"),
        ("{type: string, maxLength: 5}", "{type: string, maxLength: 3}", "spec.tags[]"),
        ("[a-z]+$", "[a-f]+$", "spec.name"),
        ("[Fast, Slow]", "[Slow]", "spec.mode"),
        ("port: {type: integer}", "port: {type: integer, maximum: 0}", "spec.ports[].port"),
        (
            "additionalProperties: {type: string}",
            "additionalProperties: {type: string, minLength: 2}",
            "spec.labels[*]",
        ),
    ] {
        let change = one(from, to);
        assert_eq!(change.path, path);
        assert_eq!(change.safety, Safety::Ratcheted, "{change:?}");
        let example = change.example.unwrap();
        assert_eq!(example.get("kind").and_then(Value::as_str), Some("Mug"));
    }
}

#[test]
fn looser_bounds_are_compatible() {
    for (from, to) in [
        ("maximum: 10", "maximum: 11"),
        ("minimum: 1, ", ""),
        ("[Fast, Slow]", "[Fast, Slow, Idle]"),
        (", pattern: '^[a-z]+$'", ""),
        ("required: [size]\n", ""),
        ("labels:", "other: {type: string}\n  labels:"),
    ] {
        let found = changes(SPEC, &SPEC.replacen(from, to, 1));
        assert!(!found.is_empty());
        assert!(found.iter().all(|it| it.safety == Safety::Compatible), "{found:?}");
    }
}

#[test]
fn lost_fields_new_duties_and_other_types_break() {
    let gone = changes(SPEC, &SPEC.replace("        port: {type: integer}\n", ""));
    assert_eq!((gone[0].safety, gone[0].what.as_str()), (Safety::Breaking, "the field is gone"));
    assert!(gone[0].why.contains("unknown field \"spec.ports[0].port\""), "{gone:?}");
    let duty = one("required: [size]", "required: [size, name]");
    assert_eq!(duty.safety, Safety::Ratcheted, "{duty:?}");
    let other = one("port: {type: integer}", "port: {type: string}");
    assert!(other.safety >= Safety::Ratcheted, "{other:?}");
    assert!(other.example.is_some());
    let default = one("default: Slow", "default: Fast");
    assert_eq!(default.safety, Safety::Breaking);
    assert!(default.example.is_some());
}

#[test]
fn a_new_rule_is_shown_by_an_object_that_breaks_it() {
    let ruled = format!(
        "{SPEC}x-kubernetes-validations:\n- {{rule: 'self.size < 5 || has(self.name)', message: big mugs have names}}\n"
    );
    let found = changes(SPEC, &ruled);
    assert_eq!(found.len(), 1);
    assert!(found[0].example.is_some(), "{found:?}");
    assert!(found[0].why.contains("big mugs have names"));
    let back = changes(&ruled, SPEC);
    assert_eq!(back[0].safety, Safety::Compatible);
}

#[test]
fn versions_and_scope_count() {
    let old = definition(SPEC);
    let mut new = old.clone();
    new.set_path(&["spec", "scope"], "Cluster".into());
    let report = diff::compare(std::slice::from_ref(&old), &[new], &Gates::default()).unwrap();
    assert!(report.is_breaking());
    let report = diff::compare(&[old], &[], &Gates::default()).unwrap();
    assert!(report.is_breaking());
    assert!(
        diff::text(&report).starts_with("breaking   mugs.shop.example.com: the definition is gone")
    );
}

/// The verdict on the one change of a kind.
fn verdict_of(old: &str, new: &str, what: &str) -> Change {
    let all = changes(old, new);
    let found = all.iter().find(|it| it.what.contains(what));
    found.unwrap_or_else(|| panic!("{what}: {all:?}")).clone()
}

fn with_rule(spec: &str, rule: &str) -> String {
    format!("{spec}x-kubernetes-validations: [{{rule: \"{rule}\"}}]\n")
}

#[test]
fn rules_about_what_is_new_are_compatible() {
    let wider = SPEC.replace("  labels:", "  colour: {type: string}\n  labels:");
    let ruled = with_rule(&wider, "!has(self.colour) || self.colour != 'red'");
    let change = verdict_of(SPEC, &ruled, "a rule is new");
    assert_eq!(change.safety, Safety::Compatible, "{change:?}");
    let wider = SPEC.replace("[Fast, Slow]", "[Fast, Slow, Idle]");
    let ruled = with_rule(&wider, "self.mode != 'Idle' || self.size > 2");
    let change = verdict_of(SPEC, &ruled, "a rule is new");
    assert_eq!(change.safety, Safety::Compatible, "{change:?}");
}

#[test]
fn loosened_rules_are_compatible_and_tightened_ones_are_not() {
    let (one, two) = ("self.size > 1", "self.size > 1 || self.mode == 'Fast'");
    let change = verdict_of(&with_rule(SPEC, one), &with_rule(SPEC, two), "a rule is new");
    assert_eq!(change.safety, Safety::Compatible, "{change:?}");
    let change = verdict_of(&with_rule(SPEC, two), &with_rule(SPEC, one), "a rule is new");
    assert_eq!(change.safety, Safety::Ratcheted, "{change:?}");
    assert!(change.example.is_some(), "{change:?}");
}

#[test]
fn an_example_breaks_nothing_but_its_change() {
    let new =
        SPEC.replace("required: [size]", "required: [size, mode]").replace(", default: Slow", "");
    let new = new.replace("maximum: 10", "maximum: 9");
    let old = SPEC.replace(", default: Slow", "");
    let change = verdict_of(&old, &new, "maximum was 10");
    let example = change.example.unwrap();
    assert_eq!(example.get_path(&["spec", "size"]), Some(&Value::Int(10)));
    assert!(example.get_path(&["spec", "mode"]).is_some(), "{example:?}");
    let change = verdict_of(&old, &new, "mode is required now");
    let example = change.example.unwrap();
    assert!(example.get_path(&["spec", "size"]).and_then(Value::as_int).unwrap() < 10);
}

#[test]
fn metadata_of_a_definition_is_no_change() {
    let (old, mut new) = (definition(SPEC), definition(SPEC));
    new.set_path(&["metadata", "annotations"], ordain_value::value!({"a/b/c": "wrong"}));
    let reported = diff::compare(&[old], &[new], &Gates::default()).unwrap();
    assert_eq!(reported.changes, []);
}

#[test]
fn definitions_that_are_there_twice_are_compared_in_their_places() {
    let (small, large) =
        (definition(SPEC), definition(&SPEC.replace("maximum: 10", "maximum: 20")));
    let sides = [small.clone(), large.clone()];
    assert_eq!(diff::compare(&sides, &sides, &Gates::default()).unwrap().changes, []);
}

#[test]
fn changes_are_findings_at_their_places() {
    let text = ordain_value::yaml::encode(&definition(&SPEC.replace("maximum: 10", "maximum: 9")));
    let source = ordain_check::Source::new("crd.yaml", text.as_bytes());
    let manifest = ordain_check::manifest::read(0, &source).manifests.remove(0);
    let new = std::slice::from_ref(&manifest.value);
    let report = diff::compare(&[definition(SPEC)], new, &Gates::default());
    let outcome = diff::outcome(&report.unwrap(), &[diff::Defined { source, manifest }]);
    assert_eq!((outcome.warnings(), outcome.errors()), (1, 0));
    let finding = &outcome.findings[0];
    assert_eq!(finding.field, "mugs.shop.example.com/v1:spec.size");
    assert_eq!(finding.location.excerpt.trim(), "size:");
}

#[test]
fn long_enumerations_and_long_lists_of_required_names_are_compared_in_time() {
    const LEN: usize = 40_000;
    let long = |skipped: usize| {
        let kept = move |at: &usize| *at != skipped;
        let list = |item: fn(usize) -> String| {
            (0..LEN).filter(kept).map(item).collect::<Vec<_>>().join(", ")
        };
        let values = list(|at| format!("v{at}"));
        let names = list(|at| format!("p{at}"));
        let fields = list(|at| format!("p{at}: {{type: string}}"));
        format!(
            "type: object\nproperties:\n  mode: {{type: string, enum: [{values}]}}\n  wide: {{type: \
             object, required: [{names}], properties: {{{fields}}}}}\n"
        )
    };
    let began = std::time::Instant::now();
    let changes = changes(&long(7), &long(9));
    assert!(changes.iter().any(|it| it.what.contains("enum")), "{changes:?}");
    assert!(began.elapsed() < std::time::Duration::from_secs(30), "{:?}", began.elapsed());
}
