//! What the parser, the macros and the checker make of an expression, and that no input harms
//! them.

#![allow(
    clippy::panic,
    clippy::print_stderr,
    reason = "tests fail by panicking and tell what they counted"
)]

mod support;

use ordain_cel::ast::Text;
use ordain_cel::cost::{CallEstimate, CostOptions, Estimator, Node, Size, estimate};
use ordain_cel::env::{Env, EnvOptions};
use ordain_cel::syntax::macros;
use ordain_cel::types::Type;
use proptest::prelude::*;
use support::base_env;

fn env() -> Env {
    base_env()
        .with_variable("x", Type::Int)
        .with_variable("names", Type::list(Type::String))
        .with_variable("counts", Type::map(Type::String, Type::Int))
        .with_variable("any", Type::Dyn)
        .with_variable("maybe", Type::optional(Type::map(Type::String, Type::Int)))
        .with_variable("a.b.c", Type::Bool)
}

fn typed(text: &str) -> String {
    match env().compile(text) {
        Ok(checked) => checked.to_typed_string(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn operators_bind_as_written_in_the_grammar() {
    for (text, expected) in [
        ("1 + x * 2", "_+_(1~int, _*_(x~int, 2~int)~int^multiply_int64)~int^add_int64"),
        ("-1", "-1~int"),
        ("--1", "1~int"),
        ("-x", "-_(x~int)~int^negate_int64"),
        ("!!true", "true~bool"),
        ("-1 - -x", "_-_(-1~int, -_(x~int)~int^negate_int64)~int^subtract_int64"),
        ("a.b.c", "a.b.c~bool"),
        ("counts.n", "counts~map(string, int).n~int"),
        (
            "any.b[0]",
            "_[_](any~dyn.b~dyn, 0~int)~dyn^index_list|index_map|optional_list_index_int|optional_map_index_value",
        ),
        ("maybe.n", "maybe~optional_type(map(string, int)).n~optional_type(int)"),
        (
            "counts.?n",
            "_?._(counts~map(string, int), \"n\"~dyn)~optional_type(int)^select_optional_field",
        ),
        ("[]", "[]~list(dyn)"),
        ("{'k': [1u]}", "{\"k\"~string: [1u~uint]~list(uint)}~map(string, list(uint))"),
        (
            "google.protobuf.Int64Value{value: 1}",
            "google.protobuf.Int64Value{value: 1~int}~wrapper(int)",
        ),
    ] {
        assert_eq!(typed(text), expected, "{text}");
    }
}

#[test]
fn chains_of_logic_are_balanced() {
    assert_eq!(
        typed("true && false && true && false"),
        "_&&_(_&&_(true~bool, false~bool)~bool^logical_and, \
         _&&_(true~bool, false~bool)~bool^logical_and)~bool^logical_and"
    );
}

#[test]
fn macros_expand_to_folds() {
    assert_eq!(
        typed("names.exists(n, n == 'a')"),
        "fold(n in names~list(string); @result = false~bool; \
         while @not_strictly_false(!_(@result~bool)~bool^logical_not)~bool^not_strictly_false; \
         step _||_(@result~bool, _==_(n~string, \"a\"~string)~bool^equals)~bool^logical_or; \
         result @result~bool)~bool"
    );
    assert_eq!(typed("has(counts.n)"), "counts~map(string, int).n~test-only~~bool");
    assert_eq!(
        typed("counts.transformMap(k, v, v + 1)"),
        "fold(k, v in counts~map(string, int); @result = {}~map(string, int); while true~bool; \
         step cel.@mapInsert(@result~map(string, int), k~string, \
         _+_(v~int, 1~int)~int^add_int64)~map(string, int)^@mapInsert_map_key_value; \
         result @result~map(string, int))~map(string, int)"
    );
}

#[test]
fn bind_is_unknown_unless_its_macro_is_there() {
    assert!(env().compile("cel.bind(y, 1, y + y)").is_err());
    let env = Env::builder().macros(&macros::BIND).build().expect("declarations go together");
    assert!(env.compile("cel.bind(y, 1, y)").is_ok());
}

#[test]
fn names_resolve_in_the_container_first() {
    let env = env().with_variable("here.there.x", Type::String).with_container("here.there");
    let ty = |text: &str| env.compile(text).expect("compiles").result_type().clone();
    assert_eq!(ty("x"), Type::String);
    assert_eq!(ty(".x"), Type::Int);
    assert_eq!(ty("there.x"), Type::String);
    let env = env.with_alias("short", "here.there");
    let ty = |text: &str| env.compile(text).expect("compiles").result_type().clone();
    assert_eq!(ty("short.x"), Type::String);
}

#[test]
fn mixed_literals_are_dynamic_unless_the_environment_refuses_them() {
    let lenient = Env::builder().build().expect("declarations go together");
    let checked = lenient.compile("[1, 'a']").expect("compiles");
    assert_eq!(*checked.result_type(), Type::list(Type::Dyn));
    let strict =
        Env::builder().options(EnvOptions { homogeneous_literals: true, ..EnvOptions::default() });
    let strict = strict.build().expect("declarations go together");
    assert_eq!(
        strict.compile("[1, 'a']").expect_err("refused").to_string(),
        "ERROR: <input>:1:5: expected type 'int' but found 'string'\n | [1, 'a']\n | ....^"
    );
}

#[test]
fn carets_stand_under_wide_characters() {
    assert_eq!(
        typed("'é' +\n\t'ü' + y"),
        "ERROR: <input>:2:8: undeclared reference to 'y' (in container '')\n |  'ü' + y\n | ..．....^"
    );
}

#[test]
fn escaped_fields_need_the_option() {
    assert_eq!(
        typed("any.`a-b`"),
        "ERROR: <input>:1:5: unsupported syntax: '`'\n | any.`a-b`\n | ....^"
    );
    let env = Env::builder()
        .escaped_identifiers(true)
        .variable("any", Type::Dyn)
        .build()
        .expect("declarations go together");
    let checked = env.compile("any.`a-b`").expect("compiles");
    assert_eq!(checked.to_typed_string(), "any~dyn.a-b~dyn");
}

/// Runs on a stack of half a megabyte, which must do; unoptimised code gets more.
fn on_a_small_stack(test: fn()) {
    let bytes = if cfg!(debug_assertions) { 8 << 20 } else { 1 << 19 };
    let thread = std::thread::Builder::new().stack_size(bytes).spawn(test);
    let outcome = thread.expect("the thread starts").join();
    assert!(outcome.is_ok());
}

#[test]
fn deep_nesting_is_refused_whatever_nests() {
    on_a_small_stack(refuse_deep_nesting);
}

fn refuse_deep_nesting() {
    let depth = 20_000;
    for (open, middle, close) in [
        ("(", "1", ")"),
        ("[", "1", "]"),
        ("{1:", "1", "}"),
        ("f(", "1", ")"),
        ("x.f(", "1", ")"),
        ("x[", "1", "]"),
        ("true ? true : ", "true", ""),
        ("1+", "1", ""),
        ("x.", "x", ""),
        ("[1].map(x, ", "x", ")"),
        ("a{b:", "1", "}"),
        ("((1+", "1", ")"),
        ("[(", "@", ")"),
        ("- !", "1", ""),
    ] {
        let text = format!("{}{middle}{}", open.repeat(depth), close.repeat(depth));
        let text: String = text.chars().take(99_999).collect();
        assert!(env().compile(&text).is_err(), "{open}");
    }
    let minuses = format!("{}1", "-".repeat(50_000));
    assert!(env().compile(&minuses).is_ok());
}

#[test]
fn nesting_just_below_the_limit_is_checked() {
    on_a_small_stack(check_deep_nesting);
}

fn check_deep_nesting() {
    for (open, middle, close, depth) in [
        ("(", "1", ")", 249),
        ("[", "1", "]", 249),
        ("[1].map(y, ", "x", ")", 124),
        ("[1].exists(y, ", "true", ")", 124),
        ("1+", "1", "", 249),
        ("dyn([1].filter(y, y > 0 ? true : ", "true", ").size() > 0)", 40),
        ("optional.of(1).optMap(y, ", "x", ").orValue(1)", 60),
    ] {
        let text = format!("{}{middle}{}", open.repeat(depth), close.repeat(depth));
        let compiled = env().compile(&text);
        let checked = compiled.unwrap_or_else(|error| panic!("{open}: {error}"));
        assert!(!checked.to_typed_string().is_empty());
        let _ = estimate(&checked, &Unknown, CostOptions::default());
    }
}

#[test]
fn chains_of_copying_macros_end() {
    let text = format!("maybe{}", ".optMap(v, v)".repeat(60));
    let error = env().compile(&text).expect_err("refused").to_string();
    assert!(error.contains("macro expansion exceeds"), "{error}");
}

struct Unknown;

impl Estimator for Unknown {
    fn estimate_size(&self, _: &Node<'_>) -> Option<Size> {
        None
    }

    fn estimate_call(
        &self,
        _: &str,
        _: &str,
        _: Option<&Node<'_>>,
        _: &[Node<'_>],
    ) -> Option<CallEstimate> {
        None
    }
}

fn fragments() -> impl Strategy<Value = String> {
    let fragment = prop::sample::select(vec![
        "x",
        "names",
        "counts",
        "any",
        "maybe",
        "self",
        "in",
        "true",
        "null",
        "1",
        "2u",
        "1.5",
        "'s'",
        "b'y'",
        "\"",
        "'",
        "`a`",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ".",
        ",",
        ":",
        "?",
        "!",
        "-",
        "+",
        "*",
        "/",
        "%",
        "==",
        "<",
        "&&",
        "||",
        "=",
        "&",
        " ",
        "\n",
        "é",
        "//",
        "has(",
        ".all(n, ",
        ".map(k, v, ",
        ".exists(i, ",
        ".optMap(o, ",
        ".?f",
        "[?",
        ".size()",
        "type(",
        "google.protobuf.Int64Value{",
        "value:",
        ".sortBy(s, ",
        "if",
        "@",
    ]);
    prop::collection::vec(fragment, 0..40).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn no_text_panics(text in fragments()) {
        match env().compile(&text) {
            Ok(checked) => {
                let again = env().compile(&text).expect("compiles as before");
                prop_assert_eq!(checked.to_typed_string(), again.to_typed_string());
                let cost = estimate(&checked, &Unknown, CostOptions::default());
                prop_assert!(cost.min <= cost.max);
            }
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }

    #[test]
    fn no_characters_panic(text in "\\PC{0,60}") {
        let _ = env().compile(&text);
    }
}

#[test]
fn texts_are_cheap_to_share() {
    assert_eq!(size_of::<Text>(), 24);
    assert_eq!(size_of::<Type>(), 24);
}
