//! The fast path against the full reader.

use std::fmt::Write;

use proptest::prelude::*;

use super::build::{Document, Options, all_documents};
use super::marks::{Mark, Marks};
use super::quick::documents;

/// All that a reader tells of a text, in one text.
fn reported(documents: &[Document]) -> String {
    let mut reported = String::new();
    for it in documents {
        let _ =
            writeln!(reported, "{:?} {:?} {:?} {}", it.value, it.duplicates, it.start, it.explicit);
        if let Some(root) = it.marks.root().filter(|_| it.value.is_ok()) {
            report(&it.marks, root, "", &mut reported);
        }
    }
    reported
}

fn report(marks: &Marks, mark: &Mark, path: &str, reported: &mut String) {
    let _ = writeln!(reported, "{path} {:?} {:?}", mark.key, mark.value);
    for (key, child) in marks.keys(mark) {
        report(marks, child, &format!("{path}.{key}"), reported);
    }
    for (at, child) in marks.items(mark).enumerate() {
        report(marks, child, &format!("{path}[{at}]"), reported);
    }
}

/// Both ways tell the same, with positions and without; whether the fast path could be taken.
fn agree(text: &str) -> bool {
    let mut taken = false;
    for marks in [false, true] {
        let Some(short) = documents(text, marks) else { continue };
        taken = true;
        assert_eq!(
            reported(&short),
            reported(&all_documents(text, None, Options { marks })),
            "{text}"
        );
    }
    taken
}

/// Texts that look like manifests and go wrong in all places.
fn manifest_like() -> impl Strategy<Value = String> {
    let indent = prop_oneof![4 => Just(""), 4 => Just("  "), 2 => Just("    "), 1 => Just(" "), 1 => Just("   ")];
    let dash = prop_oneof![6 => Just(""), 2 => Just("- "), 1 => Just("-"), 1 => Just("- - "), 1 => Just("-   ")];
    let key = prop_oneof![
        8 => "[a-c]{1,2}: ?", 2 => "[a-c]:", 1 => "\"[a-c: ]{0,3}\" ?: ", 1 => "'[a-c]''?': ", 1 => "[a-c] [a-c] : ",
        1 => "(y|1|~|<<|a#b|-a|- a|<|=|\\?a|é): ", 3 => Just(String::new()),
    ];
    let value = prop_oneof![
        6 => "[a-c0-9.]{0,4}", 2 => Just(String::new()), 1 => "[|>][-+]?[0-9]? ?(#)?", 1 => "\"[a-c #:\\\\n']{0,4}\"( #)?",
        1 => "'[a-c #:\"'\\\\]{0,4}'", 2 => "[\"'][a-c \\\\n]{0,4}", 1 => "[a-c ]{0,3} *[\"'](: b)?", 2 => "\"(a|\\\\[ntxuU\"\\\\/eq]|\\\\x[0-9a-g]{2}|\\\\u[0-9d][0-9a-f]{3}|\\\\U000[01][0-9a-f]{4}|é){0,3}\"( ?: b)?", 2 => "[a-c][a-c: #,\\]\\[{}?&*!-]{0,6}", 1 => "[&*!]a( b)?", 1 => "(yes|1_0|0x1f|1e3|\\.inf|2001-01-01|18446744073709551615|~|null)",
        2 => "[\\[{]([a-c1\"'.-]{0,2}(: |:|, |,)?){0,3}[\\]}]", 1 => "---|\\.\\.\\.|--- a|%YAML 1.1|\\t|é\u{2028}?", 1 => "  +# c",
    ];
    let line = (indent, dash, key, value).prop_map(|(a, b, c, d)| format!("{a}{b}{c}{d}"));
    let line = prop_oneof![12 => line, 1 => Just("---".to_owned()), 1 => Just("# c".to_owned()), 1 => Just(String::new()), 1 => Just("   ".to_owned())];
    (prop::collection::vec(line, 0..9), any::<bool>())
        .prop_map(|(lines, ends)| lines.join("\n") + if ends { "\n" } else { "" })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 5_000, ..ProptestConfig::default() })]

    #[test]
    fn the_short_way_and_the_long_way_tell_the_same(text in manifest_like()) {
        agree(&text);
    }
}

#[test]
fn literal_text_is_the_same_on_both_ways() {
    for text in [
        "a: |\n  x\n  y\n",
        "a: |-\n  x\n\n   y\n\n\nb: 1\n",
        "a: |\n  x",
        "a: |\n  x\n   \n    \n",
        "a: |\n\n  x\n",
        "a: |\nb: 1\n",
        "a:\n- |\n x\n- |-\n   y\n  \n# c\n- z\n",
        "a: | # c\n  x\n",
        "a: |2\n    x\n",
        "a: |\n  x\n # c\n  y\n",
        "a:\n  b: |\n   ---\n---\nc: 1\n",
        "a: |\n ---\n---\n",
    ] {
        agree(text);
    }
}

#[test]
fn usual_manifests_take_the_short_way() {
    for text in [
        "apiVersion: v1\nkind: A\nmetadata:\n  name: a # c\n  labels: {a: b, \"c\": 'd'}\n",
        "---\n# c\na:\n- b: 1\n  c:\n  - [1, a]\n-\n  d:\n- |\n  text\n---\ne: 'x y'\n",
        "a: \"x\\ty \\U0001F600\"\n\"b\\\"c\": 'd\\'\n",
        "a: 'x ''y\n  z'\nb: \"1  \n\n  2\"\nc:\n- '\n  d '\n",
        "  a:\n      b: -1\n      c:\n      - - x\n        - y\n",
    ] {
        assert!(agree(text), "{text}");
    }
    assert!(!agree("a: &x 1\nb: *x\n"), "anchors are left to the long way");
}
