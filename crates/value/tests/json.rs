//! JSON in and out, judged by Go's rules.

use ordain_value::{DEPTH_MAX, Map, Value, json, value};
use proptest::prelude::*;

fn round(text: &str) -> String {
    json::encode_string(&json::decode(text.as_bytes()).unwrap())
}

fn message(text: &str) -> String {
    json::decode(text.as_bytes()).unwrap_err().message
}

#[test]
fn numbers_keep_int64_and_float64_apart_as_go_decodes_them() {
    for (text, expected) in [
        ("1", value!(1)),
        ("-0", value!(0)),
        ("1.0", value!(1.0)),
        ("1e3", value!(1000.0)),
        ("9223372036854775807", value!(i64::MAX)),
        ("-9223372036854775808", value!(i64::MIN)),
        ("9223372036854775808", value!(9223372036854775808.0)),
    ] {
        let decoded = json::decode(text.as_bytes()).unwrap();
        assert_eq!(decoded, expected, "{text}");
        assert_eq!(
            std::mem::discriminant(&decoded),
            std::mem::discriminant(&expected),
            "{text} has the right kind"
        );
    }
    assert_ne!(value!(1), value!(1.0));
}

#[test]
fn encoding_writes_the_bytes_of_go() {
    for (text, expected) in [
        (r#"{"b":1,"a":2}"#, r#"{"a":2,"b":1}"#),
        ("1.0", "1"),
        ("1e3", "1000"),
        ("1e20", "100000000000000000000"),
        ("1e21", "1e+21"),
        ("1.5e-7", "1.5e-7"),
        ("1e-10", "1e-10"),
        ("0.000001", "0.000001"),
        ("-1e-300", "-1e-300"),
        ("123456789.125", "123456789.125"),
        (r#""<a>&""#, r#""\u003ca\u003e\u0026""#),
        (r#""\u2028\u2029\u00e2""#, "\"\\u2028\\u2029â\""),
        (r#""\b\f\n\r\t\u0001\u007f""#, "\"\\b\\f\\n\\r\\t\\u0001\u{7f}\""),
        (r#""\ud83d\ude00\ud83d""#, "\"😀\u{fffd}\""),
        ("[ ]", "[]"),
        ("{ }", "{}"),
    ] {
        assert_eq!(round(text), expected, "{text}");
    }
}

#[test]
fn syntax_errors_use_the_words_of_go() {
    for (text, expected) in [
        ("", "unexpected end of JSON input"),
        ("{", "unexpected end of JSON input"),
        ("nul", "unexpected end of JSON input"),
        ("x", "invalid character 'x' looking for beginning of value"),
        ("nil", "invalid character 'i' in literal null (expecting 'u')"),
        ("{a", "invalid character 'a' looking for beginning of object key string"),
        (r#"{"a" 1}"#, "invalid character '1' after object key"),
        (r#"{"a":1 "#, "unexpected end of JSON input"),
        (r#"{"a":1 x"#, "invalid character 'x' after object key:value pair"),
        (r#"{"a":1,}"#, "invalid character '}' looking for beginning of object key string"),
        ("[1 2]", "invalid character '2' after array element"),
        ("[1,]", "invalid character ']' looking for beginning of value"),
        ("1 1", "invalid character '1' after top-level value"),
        ("01", "invalid character '1' after top-level value"),
        ("-x", "invalid character 'x' in numeric literal"),
        ("1.x", "invalid character 'x' after decimal point in numeric literal"),
        ("1ex", "invalid character 'x' in exponent of numeric literal"),
        ("\"\n\"", "invalid character '\\n' in string literal"),
        (r#""\x""#, "invalid character 'x' in string escape code"),
        (r#""\u00g0""#, "invalid character 'g' in \\u hexadecimal character escape"),
        ("'", "invalid character '\\'' looking for beginning of value"),
        ("1e999", "json: cannot unmarshal number 1e999 into Go value of type float64"),
    ] {
        assert_eq!(message(text), expected, "{text}");
    }
    assert!(json::decode(b"\"\xff\"").unwrap_err().message.contains("UTF-8"));
}

#[test]
fn duplicate_keys_are_reported_with_their_path_and_the_last_wins() {
    let text = br#"{"a":1,"spec":{"l":[{},{"x":1,"x":2}],"a":1},"a":3,"a":4}"#;
    let (value, duplicates) = json::decode_reporting(text, json::Limits::default()).unwrap();
    let paths: Vec<_> = duplicates.iter().map(|it| it.path.as_str()).collect();
    // Each once, as upstream tells them.
    assert_eq!(paths, ["spec.l[1].x", "a"]);
    assert_eq!(value, value!({"a": 4, "spec": {"a": 1, "l": [{}, {"x": 2}]}}));
}

#[test]
fn nesting_to_the_limit_survives_every_walk_and_beyond_is_refused() {
    let deep = |n: usize| format!("{}1{}", "[{\"a\":".repeat(n), "}]".repeat(n));
    let value = json::decode(deep(DEPTH_MAX / 2).as_bytes()).unwrap();
    let again = json::decode(&json::encode(&value)).unwrap();
    assert_eq!(value, again);
    drop(value);
    assert_eq!(message(&deep(DEPTH_MAX / 2 + 1)), "invalid character '[' exceeded max depth");
}

#[test]
fn maps_share_until_written_to() {
    let a = value!({"x": {"y": 1}, "z": 2});
    let mut b = a.clone();
    assert!(a.same(&b));
    b.set_path(&["z"], value!(3));
    assert!(!a.same(&b));
    assert!(a.get("x").unwrap().same(b.get("x").unwrap()));
    assert_eq!(a.get("z"), Some(&value!(2)));
    assert_eq!(b.remove_path(&["x", "y"]), Some(value!(1)));
    assert_eq!(a.get_path(&["x", "y"]), Some(&value!(1)));
}

/// Integral floats lose their fraction in Go's encoding; everything else must be identical.
fn same_but_for_number_forms(a: &serde_json::Value, b: &serde_json::Value) -> bool {
    match (a, b) {
        (serde_json::Value::Number(a), serde_json::Value::Number(b)) => {
            // The other decoder rounds in the last place.
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            (a - b).abs() <= a.abs() * 1e-15
        }
        (serde_json::Value::Array(a), serde_json::Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_but_for_number_forms(a, b))
        }
        (serde_json::Value::Object(a), serde_json::Value::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|(k, a)| b.get(k).is_some_and(|b| same_but_for_number_forms(a, b)))
        }
        (a, b) => a == b,
    }
}

fn any_json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        (-1e9..1e9f64).prop_map(Into::into),
        ".*".prop_map(serde_json::Value::from),
    ];
    leaf.prop_recursive(4, 64, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(serde_json::Value::from),
            prop::collection::btree_map(".{0,30}", inner, 0..12)
                .prop_map(|it| serde_json::Value::Object(it.into_iter().collect())),
        ]
    })
}

#[test]
fn what_is_told_of_repeated_keys_does_not_grow_with_them() {
    let deep = format!(
        "{}{{{}}}{}",
        r#"{"long name":"#.repeat(5_000),
        (0..20_000).map(|at| format!(r#""k{at}":1,"k{at}":2"#)).collect::<Vec<_>>().join(","),
        "}".repeat(5_000)
    );
    let (_, duplicates) = json::decode_reporting(deep.as_bytes(), Default::default()).unwrap();
    assert!((1..=100).contains(&duplicates.len()), "{}", duplicates.len());
    let reported: usize = duplicates.iter().map(|it| it.path.len()).sum();
    assert!(reported < 2 * 1024 * 1024, "{reported}");
    // Three of a kind are one finding, at the second.
    let text = r#"{"a":1,"b":{"c":0},"a":2,"a":3}"#;
    let (value, duplicates) = json::decode_reporting(text.as_bytes(), Default::default()).unwrap();
    assert_eq!(value, value!({"a": 3, "b": {"c": 0}}));
    let found: Vec<(&str, usize)> =
        duplicates.iter().map(|it| (it.path.as_str(), it.offset)).collect();
    assert_eq!(found, [("a", 19)]);
}

#[test]
fn objects_under_one_key_are_merged_whatever_their_order() {
    let text = r#"{"z":{"a":1,"b":{"x":1}},"a":1,"z":{"b":{"y":2},"a":2},"a":{"q":1},"a":{"r":2}}"#;
    let (value, _) = json::decode_merging(text.as_bytes(), Default::default()).unwrap();
    let merged = value!({"a": {"q": 1, "r": 2}, "z": {"a": 2, "b": {"x": 1, "y": 2}}});
    assert_eq!(value, merged);
    let (value, _) =
        json::decode_merging(br#"{"a":{"b":1},"a":0,"a":{"c":1}}"#, Default::default()).unwrap();
    assert_eq!(value, value!({"a": {"c": 1}}));
    // Against the order in which they are kept, with one that is repeated.
    let many: Vec<String> = (0..300_000).rev().map(|at| format!(r#""{at:06}":0"#)).collect();
    let text = format!(r#"{{{},"000000":1}}"#, many.join(","));
    let began = std::time::Instant::now();
    let (value, _) = json::decode_merging(text.as_bytes(), Default::default()).unwrap();
    assert_eq!(value.as_map().map(Map::len), Some(300_000));
    assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
}

#[test]
fn positions_one_after_the_other_are_those_from_the_start() {
    let text = "{\"é\":\n 1,\n\n\"b\": \"ü\"}\n{}".as_bytes();
    let mut positions = json::Positions::new(text);
    for offset in [0, 1, 2, 6, 7, 9, 12, 16, 20, text.len(), text.len() + 5, 3] {
        if std::str::from_utf8(&text[..offset.min(text.len())]).is_ok() {
            assert_eq!(positions.at(offset), json::position_of(text, offset), "{offset}");
        }
    }
}

/// The text of a value is in proportion to it, also with indents.
#[test]
fn pretty_texts_of_deep_and_wide_values_are_not_mostly_spaces() {
    let text = format!("{}[{}1]{}", "[".repeat(3_000), "1,".repeat(20_000), "]".repeat(3_000));
    let value = json::decode(text.as_bytes()).unwrap();
    let pretty = json::encode_pretty(&value);
    assert!(pretty.len() < 32 << 20, "{} bytes", pretty.len());
    assert_eq!(json::decode(pretty.as_bytes()).unwrap(), value);
}

proptest! {
    #[test]
    fn decoding_agrees_with_another_decoder_and_encoding_is_its_inverse(it in any_json()) {
        let text = serde_json::to_string(&it).unwrap();
        let value = json::decode(text.as_bytes()).unwrap();
        let encoded = json::encode(&value);
        prop_assert_eq!(json::encode(&json::decode(&encoded).unwrap()), encoded.clone());
        let back: serde_json::Value = serde_json::from_slice(&encoded).unwrap();
        prop_assert!(same_but_for_number_forms(&back, &it), "{} became {}", it, back);
        let pretty = json::decode(json::encode_pretty(&value).as_bytes()).unwrap();
        prop_assert_eq!(json::encode(&pretty), encoded);
    }

    #[test]
    fn any_bytes_decode_or_fail_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = json::decode_reporting(&bytes, json::Limits::default());
    }

    #[test]
    fn json_like_text_decodes_as_the_other_decoder_says(text in r#"[\[\]{}:,"a-c0-2\.eE+\- ]{0,40}"#) {
        let ours = json::decode(text.as_bytes());
        let theirs: Result<serde_json::Value, _> = serde_json::from_str(&text);
        prop_assert_eq!(ours.is_ok(), theirs.is_ok(), "{}", text);
    }

    #[test]
    fn map_lookup_finds_what_was_inserted(entries in prop::collection::btree_map("[a-f]{1,3}", any::<i64>(), 0..30)) {
        let mut map = Map::new();
        for (key, value) in entries.iter().rev() {
            map.insert(key.as_str(), Value::Int(*value));
        }
        for (key, value) in &entries {
            prop_assert_eq!(map.get(key), Some(&Value::Int(*value)));
        }
        prop_assert_eq!(map.len(), entries.len());
        prop_assert!(map.get("zz").is_none());
    }
}

/// Eight bytes are looked at at once: that must not depend on where in a string a character is.
#[test]
fn a_character_is_written_the_same_everywhere_in_a_string() {
    let special = ['\u{e9}', '\u{20ac}', '\u{2027}', '\u{2028}', '\u{2029}', '\u{1f600}'];
    for character in (0..0x80).filter_map(char::from_u32).chain(special) {
        let alone = json::encode_string(&Value::from(character.to_string().as_str()));
        let alone = alone.strip_prefix('"').and_then(|it| it.strip_suffix('"')).unwrap();
        for place in 0..18 {
            let (before, after) = ("b".repeat(place), "~".repeat(17 - place));
            let text = format!("{before}{character}{after}");
            let written = json::encode_string(&Value::from(text.as_str()));
            assert_eq!(written, format!("\"{before}{alone}{after}\""));
        }
    }
}
