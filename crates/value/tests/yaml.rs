//! YAML as Kubernetes reads it.

use ordain_value::{Value, json, value, yaml};
use proptest::prelude::*;

fn decode(text: &str) -> Value {
    yaml::decode_first(text.as_bytes(), yaml::Options::default()).unwrap().value.unwrap()
}

fn message(text: &str) -> String {
    yaml::decode_first(text.as_bytes(), yaml::Options::default()).unwrap_err().message
}

#[test]
fn scalars_follow_yaml_1_1() {
    for (text, expected) in [
        ("y", value!(true)),
        ("Off", value!(false)),
        ("~", value!(null)),
        ("", value!(null)),
        ("'y'", value!("y")),
        ("0777", value!(511)),
        ("0o17", value!(15)),
        ("0x1F", value!(31)),
        ("0b11", value!(3)),
        ("-0b11", value!(-3)),
        ("1_000", value!(1000)),
        ("08", value!(8)),
        ("1.0", value!(1)),
        ("1e3", value!(1000)),
        (".5", value!(0.5)),
        ("+12", value!(12)),
        ("1.5.2", value!("1.5.2")),
        ("2001-12-14", value!("2001-12-14")),
        ("12:30:45", value!("12:30:45")),
        ("18446744073709551615", value!(18446744073709551615.0)),
        ("!!str 12", value!("12")),
        ("!!binary aGk=", value!("hi")),
        ("1e400", value!("1e400")),
    ] {
        assert_eq!(decode(text), expected, "{text}");
    }
}

#[test]
fn keys_become_strings_and_merges_apply() {
    let text = "base: &b {a: 1, b: 2}\nuse:\n  <<: *b\n  b: 3\n1: x\ny: z\n";
    let expected =
        value!({"base": {"a": 1, "b": 2}, "use": {"a": 1, "b": 3}, "1": "x", "true": "z"});
    assert_eq!(decode(text), expected);
}

#[test]
fn duplicates_are_listed_with_their_line() {
    let text = "a: 1\nb:\n  c: 1\n  c: 2\na: 3\n";
    let document = yaml::decode_first(text.as_bytes(), yaml::Options::default()).unwrap();
    let shown: Vec<_> = document.duplicates.iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        ["line 4: key \"c\" already set in map", "line 5: key \"a\" already set in map"]
    );
    assert_eq!(document.value.unwrap(), value!({"a": 3, "b": {"c": 2}}));
}

#[test]
fn what_json_cannot_say_is_refused() {
    assert_eq!(message("a: .nan"), "json: unsupported value: NaN");
    assert!(message("? [a]\n: b").contains("unsupported map key"));
    assert!(message("~: b").contains("unsupported map key"));
    assert!(message("a: &x [*x]").contains("contains itself"));
}

#[test]
fn alias_bombs_are_refused() {
    let mut text = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n".to_owned();
    for level in 1..9 {
        let refs = vec![format!("*a{}", level - 1); 10].join(",");
        text.push_str(&format!("a{level}: &a{level} [{refs}]\n"));
    }
    assert_eq!(message(&text), "yaml: document contains excessive aliasing");
}

#[test]
fn a_broken_document_does_not_hide_the_next() {
    let text = "a: 1\n---\nb: [1, 2\n---\nc: 3\n";
    let documents = yaml::decode_documents(text.as_bytes(), yaml::Options::default()).unwrap();
    assert_eq!(documents.len(), 3);
    assert_eq!(documents[0].value.as_ref().unwrap(), &value!({"a": 1}));
    assert!(documents[1].value.is_err());
    assert_eq!(documents[2].value.as_ref().unwrap(), &value!({"c": 3}));
}

#[test]
fn marks_lead_from_a_field_path_to_its_source() {
    let text = "spec:\n  ports:\n    - name: http\n      port: 80\n  labels: {app.kubernetes.io/name: x, \"q\": 'v'}\n  ref: &r {k: v}\n  again: *r\n";
    let document = yaml::decode_first(text.as_bytes(), yaml::Options { marks: true }).unwrap();
    let value_at = |path: &str| {
        let place = document.marks.find(path).unwrap();
        assert!(place.exact, "{path}");
        &text[place.mark.value.bytes.clone()]
    };
    assert_eq!(value_at("spec.ports[0].port"), "80");
    assert_eq!(value_at("spec.labels.app.kubernetes.io/name"), "x");
    assert_eq!(value_at("spec.labels[q]"), "'v'");
    assert_eq!(value_at("spec.again"), "*r");
    assert_eq!(value_at("spec.again.k"), "v");
    let missing = document.marks.find("spec.ports[0].nope").unwrap();
    assert!(!missing.exact);
    assert_eq!((missing.mark.value.line, missing.mark.value.column), (3, 7));
    assert!(document.marks.find("<nil>").unwrap().exact);
}

#[test]
fn deep_nesting_is_refused_or_survived() {
    let deep = format!("{}{}", "[".repeat(9_000), "]".repeat(9_000));
    drop(decode(&deep));
    assert!(yaml::decode_first("[".repeat(100_000).as_bytes(), yaml::Options::default()).is_err());
}

#[test]
fn encoding_prints_what_kubectl_prints() {
    let value = value!({
        "apiVersion": "v1", "list": ["a", {"b": 1, "c": [true]}, [1, 2]], "empty": {}, "none": [],
        "on": "yes", "num": "12", "text": "two\nlines\n", "colon": "a: b", "null": null, "f": 1.5
    });
    let expected = "apiVersion: v1\ncolon: 'a: b'\nempty: {}\nf: 1.5\nlist:\n- a\n- b: 1\n  c:\n  - true\n- - 1\n  - 2\nnone: []\n\"null\": null\nnum: \"12\"\n\"on\": \"yes\"\ntext: |\n  two\n  lines\n";
    assert_eq!(yaml::encode(&value), expected);
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[ -~\n\u{e9}\u{4e2d}]{0,12}".prop_map(Value::from),
        Just(value!("0x1")),
        Just(value!("- a")),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec(("[ -~]{1,8}", inner), 0..5)
                .prop_map(|it| Value::Map(it.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn encoding_then_decoding_gives_the_same_value(value in any_value()) {
        let text = yaml::encode(&value);
        let decoded = yaml::decode_first(text.as_bytes(), yaml::Options::default())
            .map_err(|it| TestCaseError::fail(format!("{it}\n{text}")))?;
        prop_assert_eq!(decoded.value.unwrap(), value, "{}", text);
    }

    #[test]
    fn json_is_yaml(value in any_value()) {
        let text = json::encode_string(&value);
        prop_assert_eq!(decode(&text), value);
    }

    #[test]
    fn any_text_decodes_or_fails_without_panic(text in "[a-c:\\-\\[\\]{}&*!|>'\"#%@, \n\t0-9~?]{0,80}") {
        let _ = yaml::decode_documents(text.as_bytes(), yaml::Options { marks: true });
    }
}
