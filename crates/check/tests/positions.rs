//! For any finding the reported span, read alone, is the value or key that its path names.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use ordain_check::{Options, Source, validate};
use ordain_testkit::definition;
use ordain_value::{Value, yaml};
use proptest::prelude::*;

const SPEC: &str = "\
type: object
additionalProperties:
  type: object
  additionalProperties:
    type: array
    items: {type: string, maxLength: 2}
";

fn crd() -> Source {
    Source::new("crd.yaml", definition("Tree", SPEC))
}

#[derive(Clone, Debug)]
enum Leaf {
    Plain(String),
    Single(String),
    Double(String),
    Folded(String),
    Literal(String),
    Number(i64),
    Anchored(String),
    /// Repeats an anchor that stands before it, if there is one.
    Alias,
}

fn leaf() -> impl Strategy<Value = Leaf> {
    let word = "[a-z]{1,6}";
    prop_oneof![
        word.prop_map(Leaf::Plain),
        word.prop_map(Leaf::Single),
        "[a-zé\"\\\\ ]{1,6}".prop_map(Leaf::Double),
        "[a-z]{1,4} [a-z]{1,4}".prop_map(Leaf::Folded),
        "[a-z]{1,4} [a-z]{1,4}".prop_map(Leaf::Literal),
        (100_i64..999).prop_map(Leaf::Number),
        word.prop_map(Leaf::Anchored),
        Just(Leaf::Alias),
    ]
}

type Branch = (bool, Vec<(bool, Vec<Leaf>)>);

fn tree() -> impl Strategy<Value = Vec<Branch>> {
    let list = (any::<bool>(), prop::collection::vec(leaf(), 1..4));
    prop::collection::vec((any::<bool>(), prop::collection::vec(list, 1..3)), 1..4)
}

#[derive(Default)]
struct Writer {
    text: String,
    anchors: Vec<(String, String)>,
}

/// Words that YAML reads as something else than text.
fn is_text(word: &str) -> bool {
    !matches!(word, "y" | "n" | "yes" | "no" | "on" | "off" | "true" | "false" | "null")
}

impl Writer {
    fn leaf(&mut self, leaf: &Leaf, flow: bool, indent: &str) -> String {
        match leaf {
            Leaf::Plain(word) if is_text(word) => word.clone(),
            Leaf::Plain(word) | Leaf::Single(word) => format!("'{word}'"),
            Leaf::Double(text) => {
                format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
            }
            Leaf::Folded(text) if !flow => {
                format!(">-\n{indent}  {}", text.replace(' ', &format!("\n{indent}  ")))
            }
            Leaf::Literal(text) if !flow => {
                format!("|-\n{indent}  {}", text.replace(' ', &format!("\n{indent}  ")))
            }
            Leaf::Folded(text) | Leaf::Literal(text) => format!("'{text}'"),
            Leaf::Number(number) => number.to_string(),
            Leaf::Anchored(word) => {
                let name = format!("a{}", self.anchors.len());
                self.anchors.push((name.clone(), word.clone()));
                format!("&{name} '{word}'")
            }
            Leaf::Alias => match self.anchors.last() {
                Some((name, _)) => format!("*{name}"),
                None => "'none'".to_owned(),
            },
        }
    }

    fn tree(&mut self, tree: &[Branch]) {
        self.text
            .push_str("apiVersion: shop.example.com/v1\nkind: Tree\nmetadata: {name: t}\nspec:\n");
        for (at, (flow, lists)) in tree.iter().enumerate() {
            if *flow {
                let mut parts = Vec::new();
                for (number, (_, leaves)) in lists.iter().enumerate() {
                    let items: Vec<String> =
                        leaves.iter().map(|leaf| self.leaf(leaf, true, "")).collect();
                    parts.push(format!("\"j.{number}\": [{}]", items.join(", ")));
                }
                self.text.push_str(&format!("  k{at}: {{{}}}\n", parts.join(", ")));
                continue;
            }
            self.text.push_str(&format!("  k{at}:\n"));
            for (number, (flow, leaves)) in lists.iter().enumerate() {
                if *flow {
                    let items: Vec<String> =
                        leaves.iter().map(|leaf| self.leaf(leaf, true, "")).collect();
                    self.text.push_str(&format!("    j.{number}: [{}]\n", items.join(", ")));
                    continue;
                }
                self.text.push_str(&format!("    'j.{number}':\n"));
                for leaf in leaves {
                    let item = self.leaf(leaf, false, "    ");
                    self.text.push_str(&format!("    - {item}\n"));
                }
            }
        }
    }
}

/// The value at `spec.k1.j.0[2]`.
fn at<'a>(object: &'a Value, path: &str) -> &'a Value {
    let (head, index) = path.trim_end_matches(']').rsplit_once('[').unwrap();
    let rest = head.strip_prefix("spec.").unwrap();
    let (outer, inner) = rest.split_once(".j.").unwrap();
    let list = object.get_path(&["spec", outer, &format!("j.{inner}")]).unwrap();
    &list.as_list().unwrap()[index.parse::<usize>().unwrap()]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn a_span_read_alone_is_what_its_path_names(tree in tree()) {
        let mut writer = Writer::default();
        writer.tree(&tree);
        let text = writer.text.clone();
        let decoded = yaml::decode_first(text.as_bytes(), yaml::Options::default()).unwrap();
        let object = decoded.value.unwrap();
        let sources = [Source::new("tree.yaml", text.as_bytes())];
        let outcome = validate(&sources, &[crd()], &Options::default());
        for finding in &outcome.findings {
            prop_assert_eq!(finding.id, "invalid");
            let wanted = at(&object, &finding.field);
            let span = &text[finding.location.bytes.clone()];
            if span.starts_with('*') {
                let anchor = writer.anchors.iter().find(|(name, _)| *name == span[1..]).unwrap();
                prop_assert_eq!(wanted.as_str(), Some(anchor.1.as_str()));
                continue;
            }
            let alone = yaml::decode_first(span.as_bytes(), yaml::Options::default()).unwrap();
            prop_assert_eq!(&alone.value.unwrap(), wanted, "{} in\n{}", finding.field, text);
            let line = text.lines().nth(finding.location.line - 1).unwrap();
            let from: String = line.chars().skip(finding.location.column - 1).collect();
            let first = span.lines().next().unwrap();
            prop_assert!(from.starts_with(first));
        }
    }

    #[test]
    fn the_span_of_an_unknown_field_is_its_key(
        names in prop::collection::btree_set("[a-z]{2,5}", 1..5),
        forms in prop::collection::vec((0_u8..3, any::<bool>()), 5),
    ) {
        let mut text = String::from(
            "apiVersion: shop.example.com/v1\nkind: Tree\nmetadata: {name: t}\n",
        );
        let names: Vec<&String> = names.iter().filter(|it| is_text(it)).collect();
        for (name, (quote, flow)) in names.iter().zip(&forms) {
            let key = match quote {
                0 => format!("x{name}"),
                1 => format!("'x{name}'"),
                _ => format!("\"x{name}\""),
            };
            let value = if *flow { "{a: [b, {c: d}]}" } else { "\n  a:\n  - b\n  - c: d" };
            text.push_str(&format!("{key}: {value}\n"));
        }
        let sources = [Source::new("tree.yaml", text.as_bytes())];
        let outcome = validate(&sources, &[crd()], &Options::default());
        prop_assert_eq!(outcome.findings.len(), names.len());
        for finding in &outcome.findings {
            prop_assert_eq!(finding.id, "unknown-field");
            let span = &text[finding.location.bytes.clone()];
            let alone = yaml::decode_first(span.as_bytes(), yaml::Options::default()).unwrap();
            let alone = alone.value.unwrap();
            prop_assert_eq!(alone.as_str(), Some(finding.field.as_str()));
        }
    }

    #[test]
    fn no_text_makes_it_fall_over(text in "\\PC{0,80}") {
        let sources = [Source::new("a.yaml", text.as_bytes()), Source::new("a.json", text.as_bytes())];
        let _ = validate(&sources, &[], &Options::default());
    }
}
