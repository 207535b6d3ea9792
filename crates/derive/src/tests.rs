//! Expansions and refusals, without a compiler in between.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::quote;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{DeriveInput, Token, parse2};

use crate::attribute::{Entry, Given, Setting};
use crate::{item, k8s, resource, tag};

/// The refusals of a declaration: line, column and text of each.
fn refusals(source: &str, kind: bool) -> Vec<String> {
    let input: DeriveInput = syn::parse_str(source).expect("the source parses");
    let made = if kind { resource::resource(&input) } else { item::schema(&input) };
    let Err(error) = made else { return Vec::new() };
    error
        .into_iter()
        .map(|it| {
            let start = it.span().start();
            format!("{}:{} {it}", start.line, start.column + 1)
        })
        .collect()
}

/// What a place in the source says, to show that an error points there.
fn pointed(source: &str, refusal: &str) -> String {
    let (place, _) = refusal.split_once(' ').expect("a place");
    let (line, column) = place.split_once(':').expect("line and column");
    let (line, column): (usize, usize) =
        (line.parse().expect("a number"), column.parse().expect("a number"));
    let text = source.lines().nth(line - 1).expect("the line");
    text.chars().skip(column - 1).take_while(|it| it.is_alphanumeric() || *it == '_').collect()
}

#[test]
fn a_mistake_is_an_error_at_the_attribute_that_makes_it() {
    let cases = [
        ("#[ordain(max_lenght = 3)] name: String", "max_lenght", "did you mean `max_length`?"),
        (
            "#[ordain(max_length = 3)] parts: Vec<String>",
            "max_length",
            "a string, not about a list",
        ),
        ("#[ordain(max_length = -3)] name: String", "max_length", "whole number of zero or more"),
        ("#[ordain(min_items = 3)] name: Option<String>", "min_items", "about a list"),
        ("#[ordain(minimum = 3)] name: String", "minimum", "about a number"),
        ("#[ordain(minimum = 3, maximum = 2)] size: i32", "maximum", "above the maximum"),
        ("#[ordain(default = \"x\")] size: i32", "default", "the field is a number"),
        ("#[ordain(minimum = 3, default = 2)] size: i32", "default", "below the minimum"),
        ("#[ordain(list_type = \"heap\")] parts: Vec<String>", "list_type", "none of atomic, set"),
        ("#[ordain(list_map_key = \"name\")] parts: Vec<P>", "list_map_key", "needs `list_type"),
        ("#[ordain(rule(message = \"x\"))] size: i32", "rule", "no expression"),
        ("#[ordain(rule(rule = \"a\", why = \"x\"))] size: i32", "why", "a rule has no `why`"),
        ("#[ordain(rule(rule = \"a\", reason = \"Odd\"))] size: i32", "reason", "none of Required"),
        ("#[ordain(feature_gate = \"a b\")] size: i32", "feature_gate", "single word"),
        ("#[ordain(k8s(requiredd))] size: i32", "requiredd", "none of validation-gen's"),
        ("#[ordain(k8s(each_val()))] sizes: Vec<i32>", "each_val", "holds no rule"),
        ("#[ordain(k8s(member(required)))] size: i32", "member", "for which value"),
        ("#[ordain(k8s(item(immutable)))] sizes: Vec<I>", "item", "which item"),
        ("#[ordain(k8s(if_enabled(required)))] size: i32", "if_enabled", "write it like"),
        ("#[ordain(k8s(union_member(odd = \"x\")))] size: i32", "odd", "has no `odd`"),
        ("#[ordain(tag = \"+optional\")] size: i32", "tag", "without its `+`"),
        ("#[ordain(required, optional)] size: i32", "size", "both required and optional"),
        ("#[ordain(immutable = 3)] size: i32", "immutable", "takes no value"),
        ("#[ordain(scale(spec = \"x\"))] size: i32", "scale", "unknown setting"),
        ("#[serde(skip_serializing)] size: i32", "skip_serializing", "describes both"),
        ("#[serde(alias = \"b\")] size: i32", "alias", "has no effect"),
        ("#[serde(with = \"hex\")] size: i32", "with", "say which with"),
        ("#[serde(serialize_with = \"hex\")] size: i32", "serialize_with", "say which with"),
        ("#[serde(getter = \"hex\")] size: i32", "getter", "not known"),
        ("#[serde(flatten)] rest: BTreeMap<String, Value>", "flatten", "only a struct"),
        ("#[serde(flatten)] rest: Option<Rest>", "flatten", "cannot be taken in"),
        (
            "#[serde(rename(serialize = \"a\", deserialize = \"b\"))] size: i32",
            "rename",
            "one name",
        ),
        ("#[serde(skip)] #[ordain(minimum = 1)] size: i32", "minimum", "serde skips the field"),
        ("#[ordain(as = 3)] size: i32", "3", "expected"),
        ("#[ordain(as)] size: i32", "as", "write it like"),
        ("#[ordain(as = \"String\", minimum = 3)] size: Size", "minimum", "about a number"),
    ];
    for (field, at, text) in cases {
        let source = format!("struct T {{\n    {field},\n}}");
        let found = refusals(&source, false);
        assert_eq!(found.len(), 1, "{field}: {found:?}");
        assert!(found[0].contains(text), "{field}: {}", found[0]);
        assert_eq!(pointed(&source, &found[0]), at, "{field}: {}", found[0]);
    }
}

#[test]
fn every_field_with_a_mistake_is_told() {
    let source = "struct T {\n  #[ordain(x)] a: i32,\n  #[ordain(y)] b: i32,\n}";
    assert_eq!(refusals(source, false).len(), 2);
}

#[test]
fn types_that_cannot_be_declared_are_refused() {
    for (source, text) in [
        ("struct T<A> { a: A }", "no parameters"),
        ("struct T(String, String);", "named fields"),
        ("enum E {}", "needs a value"),
        ("enum E { A(String, String) }", "one value"),
        ("enum E { A { x: String } }", "one value"),
        (
            "enum E { #[ordain(value = \"b\")] A(String), #[serde(rename = \"c\")] B }",
            "generated by",
        ),
        ("enum E { #[ordain(rename = \"other\")] A(String), B }", "equal but for the case"),
        ("#[serde(untagged)] enum E { A, B }", "no schema of this type"),
        ("#[serde(tag = \"t\")] enum E { A(String) }", "no schema of this type"),
        ("#[serde(tag = \"t\")] struct T { a: i32 }", "no schema of this type"),
        ("#[serde(default)] enum E { A(String) }", "generated by"),
        ("#[serde(from = \"String\")] struct T { a: i32 }", "no schema of this type"),
        ("#[serde(rename_all = \"odd\")] struct T { a: i32 }", "no rule of serde's"),
        ("#[serde(odd)] struct T { a: i32 }", "not known"),
        ("#[serde(transparent)] struct T { a: i32, b: i32 }", "exactly one field"),
        ("#[serde(rename_all = \"camelCase\")] struct T { a_b: i32, aB: i32 }", "called `aB`"),
        ("#[serde(rename_all = \"lowercase\")] enum E { Ab, AB }", "are `ab`"),
        ("enum E { #[ordain(minimum = 3)] A, B }", "not about a value of an enum"),
        ("enum E { #[ordain(k8s(enum_exlude))] A, B }", "none of validation-gen's"),
        ("enum E { #[serde(skip)] A }", "needs a value"),
        ("#[ordain(optional)] struct T { a: i32 }", "about a field"),
        ("#[ordain(name = \"lower\")] struct T { a: i32 }", "first in upper case"),
        ("/// + what\nstruct T { a: i32 }", "may not start with `+`"),
    ] {
        let found = refusals(source, false);
        assert!(found.len() == 1 && found[0].contains(text), "{source}: {found:?}");
    }
}

#[test]
fn kinds_need_group_version_and_metadata() {
    let body = "{ metadata: ObjectMeta, spec: S }";
    for (source, text) in [
        (format!("struct W {body}"), "a kind has a group"),
        (format!("#[ordain(group = \"a.b\")] struct W {body}"), "a kind has a version"),
        (format!("#[ordain(group = \"core\", version = \"v1\")] struct W {body}"), "domain"),
        (format!("#[ordain(group = \"a.b\", version = \"1\")] struct W {body}"), "like `v1`"),
        (
            format!(
                "#[ordain(group = \"a.b\", version = \"v1\", package = \"a.b/v2\")] struct W {body}"
            ),
            "must end in the version",
        ),
        (
            "#[ordain(group = \"a.b\", version = \"v1\")] struct W { spec: S }".to_owned(),
            "a kind has metadata",
        ),
        (
            "#[ordain(group = \"a.b\", version = \"v1\")] struct W { metadata: M, status: S }"
                .to_owned(),
            "must be an `Option`",
        ),
        (
            format!(
                "#[ordain(group = \"a.b\", version = \"v1\", scale(spec = \"x\"))] struct W {body}"
            ),
            "write it like `scale",
        ),
    ] {
        let found = refusals(&source, true);
        assert!(found.len() == 1 && found[0].contains(text), "{source}: {found:?}");
    }
}

#[test]
fn names_follow_the_rules_of_serde() {
    let input: DeriveInput = parse2(quote! {
        #[serde(rename_all = "camelCase")]
        struct T {
            read_only: bool,
            #[serde(rename = "URL")]
            url: String,
            r#type: String,
        }
    })
    .expect("parses");
    let text = item::schema(&input).expect("expands").to_string();
    for name in ["\"readOnly\"", "\"URL\"", "\"type\"", "\"ReadOnly\"", "\"Type\""] {
        assert!(text.contains(name), "{name} in {text}");
    }
}

#[test]
fn settings_become_tags() {
    let input: DeriveInput = parse2(quote! {
        #[ordain(rule(rule = "self.a <= self.b", message = "a \"first\"", reason = "Invalid", field = "a"))]
        struct T {
            #[ordain(default = -3, minimum = -5, exclusive_maximum, maximum = 1.5)]
            a: f64,
            #[ordain(default = Size::Large, k8s(alpha(since = "1.36", each_val(max_length = 3)), if_enabled("X", required)))]
            b: Size,
            #[ordain(union_member(value = "C", optional), error(keyword = "minLength", message = "short"))]
            c: Option<i32>,
            #[ordain(contextual(field = "a", value = "x"), overrides(path = "p.q", optional, max_length = 5))]
            d: D,
            #[ordain(printer_column(name = "E", type = "date", priority = 1), k8s(item(key(name = "m", n = 1), immutable)))]
            e: Vec<E>,
        }
    })
    .expect("parses");
    let text = item::schema(&input).expect("expands").to_string();
    for tag in [
        r#"validationRule=\"self.a <= self.b\",message=\"a \\\"first\\\"\",reason=Invalid,field=\"a\""#,
        "default=-3",
        "minimum=-5",
        "exclusiveMaximum",
        "maximum=1.5",
        r#"k8s:alpha(since: \"1.36\")=+k8s:eachVal=+k8s:maxLength=3"#,
        r#"k8s:ifEnabled(\"X\")=+k8s:required"#,
        "unionMember=C,optional",
        r#"validationError(keyword: \"minLength\", message: \"short\")"#,
        "contextual(a)=x",
        r#"k8s:printerColumn(name: \"E\", type: \"date\", priority: \"1\")"#,
        r#"k8s:item(name: \"m\", n: 1)=+k8s:immutable"#,
    ] {
        assert!(text.contains(tag), "{tag} in {text}");
    }
    assert!(text.contains("Size :: Large") && text.contains("override({})=+{}"), "{text}");
}

#[test]
fn json_of_another_form_is_declared_as_what_it_is() {
    for (source, wanted, missing) in [
        (
            "#[ordain(as = \"String\")] #[serde(try_from = \"String\")] struct T { a: i32 }",
            "Alias",
            "Struct",
        ),
        ("#[serde(transparent)] struct T { a: String, #[serde(skip)] b: i32 }", "Alias", "Struct"),
        (
            "struct T { #[ordain(as = \"Time\")] #[serde(with = \"x\")] a: Option<Date> }",
            "Option < Time >",
            "Date",
        ),
        ("struct T { #[ordain(as = Vec<String>)] a: Words }", "Vec < String >", "Words"),
        (
            "#[serde(rename_all = \"kebab-case\")] enum E { FastLane, #[serde(skip)] Inner }",
            "fast-lane",
            "inner",
        ),
        (
            "#[serde(rename_all = \"camelCase\")] enum E { OneTwo(T) }",
            "\"oneTwo\"",
            "unionMember=OneTwo",
        ),
    ] {
        let input: DeriveInput = syn::parse_str(source).expect("parses");
        let text = item::schema(&input).unwrap_or_else(|error| panic!("{source}: {error}"));
        let text = text.to_string();
        assert!(text.contains(wanted) && !text.contains(missing), "{source}: {text}");
    }
}

/// Every setting is refused, at its own place, when its value has the wrong form.
#[test]
fn every_setting_refuses_a_value_of_the_wrong_form() {
    let wrong = |name: &str| match name {
        // Numbers, texts and flags are no list; lists of settings and flags are no number.
        "default" | "tag" => format!("{name}(x)"),
        _ => format!("{name} = {{}}"),
    };
    let check = |source: &str, name: &str, kind: bool| {
        let found = refusals(source, kind);
        assert_eq!(found.len(), 1, "{source}: {found:?}");
        assert_eq!(pointed(source, &found[0]), name, "{source}: {}", found[0]);
    };
    for name in tag::names() {
        check(&format!("struct T {{\n    #[ordain({})] a: T,\n}}", wrong(name)), name, false);
    }
    for name in k8s::names() {
        let source = format!("struct T {{\n    #[ordain(k8s({}))] a: T,\n}}", wrong(name));
        check(&source, name, false);
    }
    for name in resource::SETTINGS {
        let given = format!("group = \"a.b\", version = \"v1\",\n  {}", wrong(name));
        check(&format!("#[ordain({given})] struct W {{ metadata: M }}"), name, true);
    }
}

/// All settings of a text, those that other settings hold included.
fn used(tokens: TokenStream, out: &mut BTreeSet<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else { continue };
        let named = at.checked_sub(1).map(|it| tokens[it].to_string());
        if named.as_deref() == Some("ordain") && group.delimiter() == Delimiter::Parenthesis {
            let parser = Punctuated::<Setting, Token![,]>::parse_terminated;
            let found = parser.parse2(group.stream()).expect("settings");
            found.iter().for_each(|it| note(it, "", out));
        } else {
            used(group.stream(), out);
        }
    }
}

fn note(setting: &Setting, prefix: &str, out: &mut BTreeSet<String>) {
    let name = setting.word();
    out.insert(format!("{prefix}{name}"));
    // What `k8s` tags hold are `k8s` tags.
    let below = if prefix == "k8s " { prefix.to_owned() } else { format!("{name} ") };
    let Given::List(entries) = &setting.value else { return };
    for entry in entries {
        if let Entry::Setting(it) = entry {
            note(it, &below, out);
        }
    }
}

/// The types of this file are compared with their Go form, whole: a setting that is not among them
/// is not known to mean the same.
#[test]
fn every_setting_is_compared_with_its_go_form() {
    let mut found = BTreeSet::new();
    for name in ["types.rs", "v2.rs"] {
        let path = format!("{}/../../fixtures/derive/{name}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).expect("the fixture");
        used(text.parse().expect("it parses"), &mut found);
    }
    let known = tag::names().into_iter().chain(resource::SETTINGS.iter().copied());
    let more = ["name", "as", "discriminator", "value", "rename"];
    let wanted: BTreeSet<String> = known
        .chain(more)
        .map(str::to_owned)
        .chain(k8s::names().into_iter().map(|it| format!("k8s {it}")))
        .collect();
    let missing: Vec<&String> = wanted.difference(&found).collect();
    assert!(missing.is_empty(), "not in fixtures/derive: {missing:?}");
}
