//! Evaluation end to end: text, input, value and cost.

use ordain_cel::env::Env;
use ordain_cel::library::{self, Functions, Module};
use ordain_cel::program::{Activation, EvalOptions, Program};
use ordain_cel::types::Type;
use ordain_cel::value::{View, Views, show};
use ordain_value::value;

fn modules() -> Vec<Module> {
    vec![
        library::standard::module(),
        library::strings::module(2),
        library::lists::module(3),
        library::sets::module(),
        library::math::module(2),
        library::optionals::module(2),
        library::comprehensions::module(),
        library::bindings::module(),
        library::encoders::module(),
    ]
}

fn run(text: &str) -> (String, u64) {
    let mut builder = Env::builder();
    let mut functions = Functions::new().presence_test_has_cost(false);
    for module in modules() {
        builder = builder.library(module.library());
        functions = functions.module(&module);
    }
    let env = builder.variable("self", Type::Dyn).build().expect("declarations agree");
    let checked = match env.compile(text) {
        Ok(checked) => checked,
        Err(error) => return (format!("compile: {error}"), 0),
    };
    let program = match Program::new(&checked, &functions) {
        Ok(program) => program,
        Err(error) => return (format!("program: {error}"), 0),
    };
    let input =
        value!({"n": 3, "s": "text", "list": [1, 2, 3], "map": {"a": {"b": 1}}, "none": null});
    let mut views = Views::new();
    let any = views.push(View::Dyn, true);
    let activation = Activation::new().bind_result("self", views.at(any).read(&input));
    let outcome = program
        .eval(&activation, EvalOptions { cost_limit: Some(1_000_000), ..EvalOptions::default() });
    let shown = match outcome.value {
        Ok(value) => show::plain(&value),
        Err(error) => format!("error: {error}"),
    };
    (shown, outcome.cost)
}

#[test]
fn expressions_have_the_value_they_should() {
    for (text, expected) in [
        ("1 + 2 * 3", "7"),
        ("self.n + 1", "4"),
        ("self.list.all(x, x > 0)", "true"),
        ("self.list.exists(x, x > 2)", "true"),
        ("self.list.exists_one(x, x > 2)", "true"),
        ("self.list.map(x, x * 2)", "[2, 4, 6]"),
        ("self.list.filter(x, x != 2)", "[1, 3]"),
        ("self.map.a.b", "1"),
        ("self.map.a.c", "error: no such key: c"),
        ("has(self.map.a) && !has(self.map.c)", "true"),
        ("self.list[5]", "error: index out of bounds: 5"),
        ("1 / 0", "error: division by zero"),
        ("true || 1 / 0 > 1", "true"),
        ("1 / 0 > 1 || true", "true"),
        ("self.map.?x.orValue(5)", "5"),
        ("self.map.?a.?b", "optional(1)"),
        ("'a,b,c'.split(',')", "[a, b, c]"),
        ("'%s is %d'.format(['x', 5])", "x is 5"),
        ("cel.bind(x, 1 / 0, 5)", "5"),
        ("[3, 1, 2].sort()", "[1, 2, 3]"),
        ("[{'k': 2}, {'k': 1}].sortBy(e, e.k).map(e, e.k)", "[1, 2]"),
        ("{'a': 1, 'b': 2}.transformMap(k, v, v + 1)", "{a: 2, b: 3}"),
        ("math.greatest(1, 2.5, 3u)", "3"),
        ("size('héllo')", "5"),
        ("'abc'.matches('^a.c$')", "true"),
        ("timestamp('2020-01-02T03:04:05Z') + duration('1h')", "2020-01-02 04:04:05 +0000 UTC"),
        ("string(duration('90m'))", "5400s"),
        ("type(1) == int", "true"),
        ("int('x')", "program: type conversion error from 'string' to 'int'"),
        ("dyn(true) + dyn(1)", "error: no such overload: _+_"),
        ("lists.range(100000000).size()", "error: operation cancelled: actual cost limit exceeded"),
        ("google.protobuf.Int64Value{value: 3} + 1", "4"),
        ("[1, 2, 3] == [1.0, 2u, 3]", "true"),
    ] {
        let (shown, _) = run(text);
        assert_eq!(shown, expected, "{text}");
    }
}

#[test]
fn long_chains_do_not_exhaust_the_stack() {
    let text = vec!["self.n"; 200].join(" + ");
    assert_eq!(run(&text).0, "600");
}

#[test]
fn costs_are_those_of_the_cost_tracker() {
    for (text, cost) in [
        ("true && true", 0),
        ("self.n == 1", 3),
        ("self.list.all(x, x > 0)", 2 + 3 * 5 + 1),
        ("self.list.all(x, x > 1)", 2 + 5 + 2 + 1),
        ("self.list.exists(x, x > 1)", 2 + 2 * 6 + 3 + 1),
        ("self.list.exists(x, 1 < x)", 2 + 2 * 6 + 3 + 1),
        ("self.list.exists(x, x > 5)", 2 + 3 * 6 + 1),
        ("has(self.map)", 1),
        ("self.list.map(x, x)", 2 + 3 * 13 + 1),
        ("'a' in ['a', 'b']", 0),
        ("self.s.startsWith('t')", 3),
    ] {
        assert_eq!(run(text).1, cost, "{text}");
    }
}
