//! The language of `+rule:` tags, from text to errors.

use std::sync::Arc;

use ordain_idl::lower::{Form, lower_as};
use ordain_idl::{Loader, MemorySource};
use ordain_passes::declared::written::{Asked, Code, Write, WrittenRules};
use ordain_value::field::{Error, ErrorList, Path};
use ordain_value::{Map, Value, value};

const TYPES: &str = r#"// +groupName=shop.example.com
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A widget.
type Widget struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec WidgetSpec `json:"spec,omitempty"`
	// +rule:on=status
	Status WidgetStatus `json:"status,omitempty"`
}

// +rule:as=widget
// +rule:let:allowAnyMode="oldSelf.mode == 'worst'"
// +rule:cel="!has(self.limit) || self.size <= self.limit",message="too large for its limit",value="self.size",at=size
type WidgetSpec struct {
	// +rule:required
	// +rule:format=dns-label
	Name string `json:"name"`
	// +rule:oneOf=good;better,when="!allowAnyMode"
	Mode Mode `json:"mode,omitempty"`
	// +rule:minimum=0
	Size int32 `json:"size,omitempty"`
	// +rule:range=1..10
	Limit *int32 `json:"limit,omitempty"`
	// +rule:maxItems=3
	// +rule:unique="self.name",at=name
	// +rule:sound=soundParts
	Parts []Part `json:"parts,omitempty"`
	// +rule:optional
	// +rule:cel="soundParts.exists(p, p.name == self)",reason=NotFound
	Main string `json:"main,omitempty"`
	// +rule:immutable
	// +rule:cel="self != 'once'",message="only at first",updates
	Sort string `json:"sort,omitempty"`
	// +rule:keys:format=qualified-name,at=^
	// +rule:values:format=label-value
	Labels map[string]string `json:"labels,omitempty"`
	// +rule:values:cel="self <= key.size()",message="more than its name has letters"
	// +rule:cel="!('a.b' in self)",reason=Forbidden,at=[a.b],message="no such count"
	// +rule:twice="isUpdate && self.mode == 'good'"
	Counts map[string]int32 `json:"counts,omitempty"`
	// +rule:cel="self.size() > 0",when="widget.sort == 'needed'",message="too few"
	Needed []string `json:"needed,omitempty"`
	// +rule:cel="self != 'odd'",value="{'Odd': dyn(self), 'Mode': dyn(widget.mode), 'Parts': dyn(null)}",message="odd"
	// +rule:cel="self != 'partless'",value="widget.parts",message="no part"
	Odd string `json:"odd,omitempty"`
	// +rule:each:cel="self.cleanPath() != '/'",message="not the root"
	Paths []string `json:"paths,omitempty"`
	// +rule:path=.
	// +rule:let:inner="true"
	Inner []Other `json:"inner,omitempty"`
	// +rule:valid
	Checked *Shared `json:"checked,omitempty"`
	Unchecked *Shared `json:"unchecked,omitempty"`
	// +rule:cel="!has(self.one) || !has(self.two)",message="not both"
	// +rule:cel="self.text != ''",when="has(self.two)",message="no text"
	// +rule:forbidden,when="has(widget.limit)",message="not with a limit"
	Held *Held `json:"held,omitempty"`
	// +rule:cel="has(self.one) || self.text == 'b'",message="neither"
	HeldToo *Held `json:"heldToo,omitempty"`
	// +rule:code=even
	Count int64 `json:"count,omitempty"`
	Inline `json:",inline"`
}

// +rule:cel="self.first == '' || self.second == ''",message="not both"
type Inline struct {
	First string `json:"first,omitempty"`
	// +rule:forbidden,when="widget.mode == 'better'",message="not for the better"
	Second string `json:"second,omitempty"`
}

type Mode string

type Part struct {
	// +rule:required
	Name string `json:"name"`
	// +rule:each:oneOf=a;b
	Tags []string `json:"tags,omitempty"`
}

// +rule:default:inner="false"
type Other struct {
	// +rule:required,when="inner",message="inside"
	Text string `json:"text,omitempty"`
}

// +rule:shared
type Shared struct {
	// +rule:cel="self > oldSelf",message="must grow"
	Version int64 `json:"version,omitempty"`
	// +rule:required
	Text string `json:"text,omitempty"`
}

type Held struct {
	One *int64 `json:"one,omitempty"`
	// +rule:maximum=1
	Two *int64 `json:"two,omitempty"`
	// +rule:optional
	// +rule:maxBytes=1
	// +rule:oneOf=a;b
	Text string `json:"text,omitempty"`
}

type WidgetStatus struct {
	// +rule:minimum=0
	Ready int32 `json:"ready,omitempty"`
}
"#;

fn even(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut ErrorList) {
    let number = asked.value().as_int().unwrap_or(0);
    if number % 2 != 0 {
        errors.push(Error::invalid(path, number, "must be even"));
    }
}

fn code(name: &str) -> Option<Code> {
    (name == "even").then_some(even)
}

fn rules() -> Arc<WrittenRules> {
    rules_of(TYPES)
}

fn rules_of(types: &str) -> Arc<WrittenRules> {
    let source = MemorySource::new().with("v1/types.go", types);
    let universe = Loader::new(&source).package_as("v1", "example.com/v1").load();
    let lowered = lower_as(&universe, Form::Typed);
    let shown: Vec<String> =
        lowered.diagnostics.iter().map(|it| universe.locate(it).to_string()).collect();
    assert!(!lowered.has_errors(), "{shown:#?}");
    let kind = lowered.api.kind("shop.example.com", "Widget").unwrap();
    let program = &kind.versions[0].native.as_ref().unwrap().program;
    let rules = WrittenRules::of(program, code);
    assert_eq!(rules.mistakes(), Vec::<String>::new());
    rules
}

fn errors(rules: &WrittenRules, object: &Value, old: Option<&Value>, part: &str) -> Vec<String> {
    let write = Write { kind: "Widget", old, part };
    let mut out: Vec<String> =
        rules.validate(object, write).iter().map(ToString::to_string).collect();
    out.sort();
    out
}

fn spec(spec: Value) -> Value {
    value!({"spec": spec})
}

#[test]
fn rules_make_their_errors() {
    let rules = rules();
    let good = value!({"name": "a", "mode": "good"});
    let with = |field: &str, value: Value| {
        let mut it = good.clone();
        it.set_path(&[field], value);
        spec(it)
    };
    let cases: [(Value, &[&str]); 22] = [
        (spec(good.clone()), &[]),
        (
            value!({}),
            &[
                "spec.mode: Unsupported value: \"\": supported values: \"good\", \"better\"",
                "spec.name: Required value",
            ],
        ),
        (
            with("name", "A".into()),
            &[
                "spec.name: Invalid value: \"A\": a lowercase RFC 1123 label must consist of lower case \
               alphanumeric characters or '-', and must start and end with an alphanumeric character \
               (e.g. 'my-name',  or '123-abc', regex used for validation is \
               '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
            ],
        ),
        (
            with("mode", "<b>".into()),
            &[
                "spec.mode: Unsupported value: \"\\u003cb\\u003e\": supported values: \"good\", \"better\"",
            ],
        ),
        (
            with("size", Value::Int(-1)),
            &["spec.size: Invalid value: -1: must be greater than or equal to 0"],
        ),
        (
            with("limit", Value::Int(0)),
            &["spec.limit: Invalid value: 0: must be between 1 and 10, inclusive"],
        ),
        (
            spec(value!({"name": "a", "mode": "good", "size": 3, "limit": 2})),
            &["spec.size: Invalid value: 3: too large for its limit"],
        ),
        (
            with("parts", value!([{"name": "x"}, {"name": ""}, {"name": "x", "tags": ["a", "c"]}])),
            &[
                "spec.parts[1].name: Required value",
                "spec.parts[2].name: Duplicate value: \"x\"",
                "spec.parts[2].tags[1]: Unsupported value: \"c\": supported values: \"a\", \"b\"",
            ],
        ),
        (with("main", "x".into()), &["spec.main: Not found: \"x\""]),
        (spec(value!({"name": "a", "mode": "good", "main": "x", "parts": [{"name": "x"}]})), &[]),
        (
            with("labels", value!({"a b": "c"})),
            &[
                "spec.labels: Invalid value: \"a b\": name part must consist of alphanumeric characters, \
               '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  \
               or 'my.name',  or '123-abc', regex used for validation is \
               '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
            ],
        ),
        (with("inner", value!([{}])), &["spec.text: Required value: inside"]),
        (with("checked", value!({})), &["spec.checked.text: Required value"]),
        (with("unchecked", value!({})), &[]),
        (with("count", Value::Int(3)), &["spec.count: Invalid value: 3: must be even"]),
        (
            with("counts", value!({"abc": 3, "d": 2})),
            &["spec.counts[d]: Invalid value: 2: more than its name has letters"],
        ),
        (
            with("odd", "odd".into()),
            &[r#"spec.odd: Invalid value: {"Odd":"odd","Mode":"good","Parts":null}: odd"#],
        ),
        (with("odd", "partless".into()), &["spec.odd: Invalid value: null: no part"]),
        (with("counts", value!({"a.b": 1})), &["spec.counts[a.b]: Forbidden: no such count"]),
        (
            spec(value!({"name": "a", "mode": "good", "sort": "needed", "needed": []})),
            &["spec.needed: Invalid value: []: too few"],
        ),
        (
            with("paths", value!(["/a/..//", "..", "/a", "//./"])),
            &[
                "spec.paths[0]: Invalid value: \"/a/..//\": not the root",
                "spec.paths[3]: Invalid value: \"//./\": not the root",
            ],
        ),
        (
            spec(value!({"name": "a", "mode": "better", "first": "x", "second": "y"})),
            &[
                "spec.second: Forbidden: not for the better",
                "spec: Invalid value: {\"First\":\"x\",\"Second\":\"y\"}: not both",
            ],
        ),
    ];
    for (object, wanted) in cases {
        assert_eq!(errors(&rules, &object, None, "main"), wanted, "{object:?}");
    }
}

#[test]
fn updates_and_parts_are_judged_by_their_own_rules() {
    let rules = rules();
    let old = spec(
        value!({"name": "a", "mode": "worst", "sort": "x", "checked": {"version": 2, "text": "t"}}),
    );
    let same = errors(&rules, &old, Some(&old), "main");
    assert_eq!(same, ["spec.checked.version: Invalid value: 2: must grow"]);
    let mut new = old.clone();
    new.set_path(&["spec", "checked", "version"], Value::Int(3));
    new.set_path(&["spec", "sort"], "y".into());
    let changed = errors(&rules, &new, Some(&old), "main");
    assert_eq!(changed, ["spec.sort: Invalid value: \"y\": field is immutable"]);
    let counted = spec(value!({"name": "a", "mode": "good", "counts": {"d": 2}}));
    let twice = errors(&rules, &counted, Some(&counted), "main");
    assert_eq!(twice, ["spec.counts[d]: Invalid value: 2: more than its name has letters"; 2]);
    let nothing = spec(value!({"name": "a", "mode": "good", "sort": "needed"}));
    let shown = errors(&rules, &nothing, None, "main");
    assert_eq!(shown, ["spec.needed: Invalid value: null: too few"]);
    let once = spec(value!({"name": "a", "mode": "good", "sort": "once"}));
    assert_eq!(errors(&rules, &once, None, "main"), Vec::<String>::new());
    let again = errors(&rules, &once, Some(&once), "main");
    assert_eq!(again, ["spec.sort: Invalid value: \"once\": only at first"]);
    let broken = value!({"status": {"ready": -1}});
    let status = errors(&rules, &broken, Some(&broken), "status");
    assert_eq!(status, ["status.ready: Invalid value: -1: must be greater than or equal to 0"]);
    assert!(!errors(&rules, &broken, None, "main").iter().any(|it| it.starts_with("status")));
}

/// Numbers without order.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    fn text(&mut self) -> Value {
        ["", "a", "A", "good", "better", "x", "a/b"][self.below(7)].into()
    }

    fn number(&mut self) -> Value {
        Value::Int([0, 0, -1, 1, 2, 11][self.below(6)])
    }
}

fn any_spec(dice: &mut Dice) -> Value {
    let mut map = Map::new();
    for field in ["name", "mode", "main", "sort", "first", "second"] {
        map.insert(field, dice.text());
    }
    for field in ["size", "count"] {
        map.insert(field, dice.number());
    }
    let part = |dice: &mut Dice| value!({"name": dice.text(), "tags": [dice.text()]});
    let parts: Vec<Value> = (0..dice.below(5)).map(|_| part(dice)).collect();
    map.insert("parts", Value::from(parts));
    let mut labels = Map::new();
    labels.insert(dice.text().as_str().unwrap_or("").to_owned(), dice.text());
    map.insert(
        "labels",
        if dice.below(2) == 0 { Value::Map(Map::new()) } else { Value::Map(labels) },
    );
    Value::Map(map)
}

/// The same without what Go leaves out: zero values of fields that are no pointers.
fn without_zeros(spec: &Value) -> Value {
    let kept = spec.as_map().unwrap().iter().filter(|(_, value)| match value {
        Value::Str(text) => !text.is_empty(),
        Value::Int(number) => *number != 0,
        Value::List(list) => !list.as_slice().is_empty(),
        Value::Map(map) => !map.is_empty(),
        _ => true,
    });
    Value::Map(kept.map(|(key, value)| (key.clone(), value.clone())).collect())
}

#[test]
fn absent_fields_are_judged_as_zero_values() {
    let rules = rules();
    let mut dice = Dice(7);
    for _ in 0..500 {
        let whole = any_spec(&mut dice);
        let short = without_zeros(&whole);
        let old = without_zeros(&any_spec(&mut dice));
        for old in [None, Some(spec(old))] {
            let of = |it: &Value| errors(&rules, &spec(it.clone()), old.as_ref(), "main");
            let shown = |all: Vec<String>| -> Vec<String> {
                // Structs are shown as they are.
                all.into_iter()
                    .map(|it| it.split(": Invalid value: {").next().unwrap().to_owned())
                    .collect()
            };
            assert_eq!(shown(of(&whole)), shown(of(&short)), "{whole:?}");
        }
    }
}

/// Fields of a spec with values that rules like and values that they do not.
fn some_spec(mut random: impl FnMut(usize) -> usize) -> Value {
    let choices: [(&str, &[Value]); 14] = [
        ("name", &[value!("a"), value!("A b"), value!("")]),
        ("mode", &[value!("good"), value!("better"), value!("bad"), value!("")]),
        ("size", &[value!(0), value!(5), value!(-1)]),
        ("limit", &[value!(1), value!(11), value!(0)]),
        (
            "parts",
            &[value!([{"name": "a"}, {"name": "a", "tags": ["c"]}]), value!([]), value!([{}])],
        ),
        ("main", &[value!("a"), value!("b"), value!("")]),
        ("sort", &[value!("needed"), value!("once")]),
        ("needed", &[value!([]), value!(["a"])]),
        ("inner", &[value!([{}]), value!([{"text": "a"}])]),
        ("checked", &[value!({}), value!({"version": 1, "text": "a"})]),
        ("count", &[value!(1), value!(2)]),
        ("second", &[value!("b"), value!("")]),
        ("held", &[value!({}), value!({"one": 1}), value!({"one": 1, "two": 2, "text": "ab"})]),
        ("heldToo", &[value!({"two": 1}), value!({"text": "b"}), value!({"one": 0, "text": "c"})]),
    ];
    let mut spec = Map::new();
    for (name, values) in choices {
        if let Some(value) = values.get(random(values.len() + 2)) {
            spec.insert(name, value.clone());
        }
    }
    if random(3) == 0 {
        spec.insert("first", value!("a"));
    }
    Value::Map(spec)
}

#[test]
fn shapes_decide_what_asking_each_field_says() {
    let with_shapes = rules();
    let without = rules();
    // Objects with other keys take all the room that there is for shapes.
    for at in 0..40 {
        let stranger = format!("x{at}");
        let one = |mut value: Value| {
            value.set_path(&[&stranger], value!(1));
            value
        };
        let empty = || one(value!({}));
        let spec = one(value!({
            "parts": [(empty())], "inner": [(empty())], "checked": (empty()),
            "held": (empty()), "heldToo": (empty())
        }));
        let _ = errors(&without, &one(value!({"spec": spec})), None, "main");
    }
    let mut seed = 7u64;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    let mut refused = 0;
    for _ in 0..3000 {
        let object = spec(some_spec(&mut random));
        let expected = errors(&without, &object, None, "main");
        // A struct has room for few shapes, so each has its turn in a set of its own now and then.
        let fresh = (random(50) == 0).then(rules);
        let set = fresh.as_ref().unwrap_or(&with_shapes);
        assert_eq!(errors(set, &object, None, "main"), expected, "{object:?}");
        assert_eq!(errors(set, &object, None, "main"), expected, "{object:?}");
        refused += usize::from(!expected.is_empty());
    }
    assert!(refused > 100, "only {refused} objects were refused");
}

const COSTLY: &str = r#"// +groupName=shop.example.com
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A widget.
type Widget struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec WidgetSpec `json:"spec,omitempty"`
}

// +rule:as=widget
type WidgetSpec struct {
	// +rule:each:cel="widget.items.all(it, it != self || it == self)",message="cannot be"
	Items []string `json:"items,omitempty"`
}
"#;

#[test]
fn all_rules_of_an_object_have_a_cost_that_they_may_not_exceed_together() {
    let rules = rules_of(COSTLY);
    let object = |len: i64| {
        let items: Vec<Value> = (0..len).map(|at| at.to_string().into()).collect();
        spec(value!({"items": Value::from(items)}))
    };
    // Each of them costs as much as there are items, far below what one expression may cost.
    assert_eq!(errors(&rules, &object(500), None, ""), Vec::<String>::new());
    let found = errors(&rules, &object(10_000), None, "");
    assert!(found.iter().any(|error| error.contains("cost limit exceeded")), "{:?}", found.first());
}
