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

/// What functions do with lists and texts of whose size nothing is declared is paid for: an
/// expression that shares a part many times ends soon, with an error about its cost.
#[test]
fn work_that_has_no_cost_of_its_own_is_bounded() {
    let long = "cel.bind(a, lists.range(2000), a.map(x, a).flatten()";
    let texts = "cel.bind(t, ['0123456789', '0123456789', '0123456789', '0123456789'].join(), \
                 cel.bind(u, [t, t, t, t, t, t, t, t, t, t].join(), \
                 cel.bind(v, [u, u, u, u, u, u, u, u, u, u].join(), \
                 cel.bind(w, [v, v, v, v, v, v, v, v, v, v].join(), \
                 cel.bind(x, [w, w, w, w, w, w, w, w, w, w].join()";
    let nested: String = (1..25).map(|n| format!("cel.bind(n{n}, [n{0}, n{0}], ", n - 1)).collect();
    let ends = ")".repeat(25);
    let nested = |end: &str| format!("cel.bind(n0, [1, 2], {nested}{end}{ends}");
    let doubled = |times: usize| {
        let binds: String =
            (1..times).map(|n| format!("cel.bind(n{n}, n{0} + n{0}, ", n - 1)).collect();
        format!("cel.bind(n0, [1, 2], {binds}n{}.size() == 0{}", times - 1, ")".repeat(times))
    };
    for text in [
        format!("{long}.distinct().size() == 0)"),
        format!("{long}.sort().size() == 0)"),
        format!("{texts}, x.split('').size() == 0)))))"),
        format!("{texts}, x.replace('0', x).size() == 0)))))"),
        nested("'%s'.format([n24]) == ''"),
        nested("n24 == [n23, [n22, [n21, n21]]]"),
        nested("[n24, [n23, n23]].distinct().size() == 2"),
        nested("sets.contains([n24], [[n23, n23]])"),
        nested("n24.flatten(24).size() == 2"),
        doubled(40),
        doubled(70),
    ] {
        let (shown, _) = run(&text);
        assert_eq!(shown, "error: operation cancelled: actual cost limit exceeded", "{text}");
    }
}

/// A value that is shared in very many places is shown, but not whole.
#[test]
fn values_that_are_large_when_they_are_written_out_are_cut_off() {
    let nested: String = (1..40).map(|n| format!("cel.bind(n{n}, [n{0}, n{0}], ", n - 1)).collect();
    let (shown, _) = run(&format!("cel.bind(n0, 'a part', {nested}n39{}", ")".repeat(40)));
    assert!(shown.len() < 200_000 && shown.contains("..."), "{} bytes", shown.len());
}

/// The value and the cost of an expression over `self`, in one of the ways in which it can be run.
fn both_ways(text: &str, input: &ordain_value::Value) -> [(String, u64); 2] {
    let mut builder = Env::builder();
    let mut functions = Functions::new();
    for module in modules() {
        builder = builder.library(module.library());
        functions = functions.module(&module);
    }
    let env = builder.variable("self", Type::Dyn).build().expect("declarations agree");
    let checked = env.compile(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let program = Program::new(&checked, &functions).expect("a program");
    let mut views = Views::new();
    let any = views.push(View::Dyn, true);
    let read = || Some(views.at(any).read(input));
    let options = EvalOptions { cost_limit: Some(1_000_000), ..EvalOptions::default() };
    let short = program.eval_with(|_| read(), options);
    let general = program.eval_lazy(|_| None, &|_| read(), options);
    [short, general].map(|outcome| match outcome.value {
        Ok(value) => (show::plain(&value), outcome.cost),
        Err(error) => (format!("error: {error}"), outcome.cost),
    })
}

#[test]
fn programs_of_tests_cost_what_they_cost_in_general() {
    let fields = ["a", "b", "c"];
    for present in 0..8_u32 {
        let mut input = value!({"n": 1, "yes": true, "text": "ab"});
        for (at, field) in fields.iter().enumerate().filter(|(at, _)| present >> at & 1 == 1) {
            input.set_path(&[field], value!(at as i64));
        }
        for condition in [
            "has(self.a) ? has(self.b) : true",
            "has(self.a) && has(self.b) ? has(self.c) : self.n == 1",
            "!(has(self.a) || has(self.b)) ? has(self.c) && self.c > 0 : true",
            "(has(self.a) ? false : has(self.b)) || has(self.c)",
            "!(true && has(self.a)) && has(self.b)",
            "!(false && has(self.a)) && has(self.b)",
            "!(true ? has(self.a) : has(self.b)) && has(self.c)",
            "has(self.a) ? self.b == 1 : self.text == 'ab'",
            "self.text ? true : false",
            "self.missing ? true : has(self.a)",
            "has(self.a) != has(self.b) ? self.yes : !self.yes",
        ] {
            let [short, general] = both_ways(condition, &input);
            assert_eq!(short, general, "{condition} of {input:?}");
        }
        // The number in a variable is no constant, so that nothing is counted; it costs two more.
        let list = "[has(self.a), has(self.b), self.yes, has(self.c)]";
        for relation in ["==", "!=", "<", "<=", ">", ">="] {
            for filter in ["it, it", "it, it == true", "it, true == it"] {
                let counted = |number: &str| {
                    let text = format!("{list}.filter({filter}).size() {relation} {number}");
                    let [short, general] = both_ways(&text, &input);
                    assert_eq!(short, general, "{text}");
                    short
                };
                let (wanted, cost) = counted("self.n");
                assert_eq!(counted("1"), (wanted, cost - 2), "{relation} {input:?}");
            }
        }
    }
}
