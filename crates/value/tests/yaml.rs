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

/// The text of a value is in proportion to it. What would be mostly indents has none.
#[test]
fn texts_of_deep_and_wide_values_are_not_mostly_spaces() {
    let mut long = value!({});
    long.set_path(&[&"x".repeat(2_000)], value!(["long"]));
    let wide = value!([
        "a", "two\nlines", "- b", "", "yes", "\u{85}\u{1}\"\\", "1", null, 1, 1.5, true, [], {},
        {"": {"on": []}, "b: c": [{}], "k\nl": "# m"}, (long)
    ]);
    let lines = "line\n".repeat(20_000);
    for inner in
        [Value::from(vec![wide; 1_000]), Value::from(lines), Value::from("a ".repeat(50_000))]
    {
        let mut value = inner;
        for at in 0..3_000 {
            value = if at % 3 == 0 { value!([(value)]) } else { value!({"k": (value)}) };
        }
        for text in [yaml::encode(&value), yaml::encode_unfolded(&value)] {
            assert!(text.len() < 32 << 20, "{} bytes", text.len());
            assert!(decode(&text) == value);
        }
    }
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

#[test]
fn refusals_have_the_words_of_go_yaml() {
    for (text, message) in [
        ("a: [", "yaml: line 1: did not find expected node content"),
        ("a: b: c", "yaml: mapping values are not allowed in this context"),
        ("a: b: c\n\t- x", "yaml: mapping values are not allowed in this context"),
        ("a: 1\n\tb: 2", "yaml: line 2: found a tab character that violates indentation"),
        ("a:\n\tb: 1", "yaml: line 2: found character that cannot start any token"),
        ("a: \"x", "yaml: found unexpected end of stream"),
        ("a: 'x\ny", "yaml: line 2: found unexpected end of stream"),
        ("a: {b: 1", "yaml: line 1: did not find expected ',' or '}'"),
        ("a: [1 2\nb: 1", "yaml: line 1: did not find expected ',' or ']'"),
        ("a: b\n c: d", "yaml: line 2: mapping values are not allowed in this context"),
        ("a: 1\n- b", "yaml: line 1: did not find expected key"),
        ("- a\nb: 1", "yaml: line 1: did not find expected '-' indicator"),
        ("a: 1\nb\nc: 2", "yaml: line 3: could not find expected ':'"),
        ("a: *x", "yaml: unknown anchor 'x' referenced"),
        ("a: &x [*x]", "yaml: anchor 'x' value contains itself"),
        ("%FOO\n---\na: 1", "yaml: found unknown directive name"),
        ("%YAML 1.2\n---\na: 1", "yaml: found incompatible YAML document"),
        ("a: @b", "yaml: found character that cannot start any token"),
        ("a: \u{1}", "yaml: control characters are not allowed"),
        ("a: \"\\q\"", "yaml: found unknown escape character"),
        ("a: \"\\ud83d\\ude00\"", "yaml: found invalid Unicode character escape code"),
        ("a: |0\n x", "yaml: found an indentation indicator equal to 0"),
        ("a: |x\n x", "yaml: did not find expected comment or line break"),
        ("a: !foo!bar x", "yaml: found undefined tag handle"),
        ("a: - b", "yaml: block sequence entries are not allowed in this context"),
    ] {
        let error = yaml::decode_first(text.as_bytes(), yaml::Options::default()).unwrap_err();
        assert_eq!(error.to_string(), message, "{text:?}");
    }
    for (bytes, message) in [
        (&b"a: \xff"[..], "yaml: invalid leading UTF-8 octet"),
        (&b"a: \xc3("[..], "yaml: invalid trailing UTF-8 octet"),
        (&b"a: \xc3"[..], "yaml: incomplete UTF-8 octet sequence"),
        (&b"a: \xc0\x80"[..], "yaml: invalid length of a UTF-8 sequence"),
        (&b"a: \xed\xa0\x80"[..], "yaml: invalid Unicode character"),
    ] {
        let error = yaml::decode_first(bytes, yaml::Options::default()).unwrap_err();
        assert_eq!(error.to_string(), message, "{bytes:?}");
    }
}

#[test]
fn utf_16_is_read_by_its_mark() {
    let text: Vec<u8> = "\u{feff}a: ü😀".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let document = yaml::decode_first(&text, yaml::Options::default()).unwrap();
    assert_eq!(document.value.unwrap(), value!({"a": "ü😀"}));
}

#[test]
fn long_lines_are_folded_and_keys_sorted_as_go_yaml_does() {
    let words = vec!["word"; 20].join(" ");
    let line = |count: usize| vec!["word"; count].join(" ");
    assert_eq!(
        yaml::encode(&value!({"d": words.as_str()})),
        format!("d: {}\n  {}\n", line(16), line(4))
    );
    let quoted = format!("{words}: x");
    assert_eq!(
        yaml::encode(&value!({"d": quoted})),
        format!("d: '{}\n  {}: x'\n", line(16), line(4))
    );
    assert_eq!(
        yaml::encode(&value!({"a10": 1, "a2": "x: y", "s": " a\nb\n", "t": "2024-01-02"})),
        "a2: 'x: y'\na10: 1\ns: |2\n   a\n  b\nt: \"2024-01-02\"\n"
    );
    assert_eq!(yaml::encode(&value!({"e": "😀", "f": 1e20, "g": "12:30"})), {
        "e: \"\\U0001F600\"\nf: 1e+20\ng: \"12:30\"\n"
    });
    let long = "k".repeat(129);
    let keyed = json::decode(format!("{{\"{long}\":{{\"a\":1}}}}").as_bytes()).unwrap();
    assert_eq!(yaml::encode(&keyed), format!("? {long}\n: a: 1\n"));
}

#[test]
fn maps_with_very_many_keys_are_read_in_linear_time() {
    let text: String = (0..50_000).map(|i| format!("key{i}: {i}\n")).collect();
    let started = std::time::Instant::now();
    let document = yaml::decode_first(text.as_bytes(), yaml::Options::default()).unwrap();
    assert_eq!(document.value.unwrap().as_map().unwrap().len(), 50_000);
    assert!(started.elapsed().as_secs() < 10, "{:?}", started.elapsed());
}

#[test]
fn a_mark_of_documents_in_a_text_ends_no_document() {
    let long = "word ".repeat(30);
    for text in [
        "PP\u{2029}... ",
        "PP\u{2028}--- x",
        "\u{85}---",
        "a\n--- b",
        "...",
        "--- a",
        &format!("{long}... {long}"),
        &format!("{long}--- {long}: x"),
        &format!("'{long}--- {long}"),
    ] {
        for value in [value!(text), value!({"a": text}), value!([text])] {
            let written = yaml::encode(&value);
            let again = yaml::decode_first(written.as_bytes(), yaml::Options::default());
            let again = again.unwrap_or_else(|error| panic!("{written}: {error}"));
            assert_eq!(again.value.unwrap(), value, "{written}");
        }
    }
}
