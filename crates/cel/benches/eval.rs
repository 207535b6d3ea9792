//! Evaluation and compilation against the `cel` crate in the same run, and loops against code
//! written by hand. Prints one line per expression with the ratio.
//!
//! Both sides evaluate with the same variables, bound before the clock starts: `self` is a map of
//! a number, a text, a flag, an object and a list of 100 numbers, without declared types. Ours
//! counts costs against a limit meanwhile. Rounds of both sides take turns and the best of each
//! counts, so that other load on the machine falls on both.

#![expect(clippy::print_stdout, reason = "a report is the purpose")]

use std::collections::HashMap;
use std::hint::black_box;
use std::time::{Duration, Instant};

use ordain_cel::env::Env;
use ordain_cel::library::{self, Functions, Module};
use ordain_cel::program::{Activation, EvalOptions, Program};
use ordain_cel::types::Type;
use ordain_cel::value::{ListKind, Val, View, Views};
use ordain_value::{Value, value};

const EXPRESSIONS: &[&str] = &[
    "self.n > 0",
    "self.n + 1 == 4",
    "self.s == 'some text'",
    "self.s.startsWith('some')",
    "self.s.contains('text')",
    "self.s.matches('^[a-z ]+$')",
    "self.n > 0 && self.s != '' || self.b",
    "has(self.o.a) && self.o.a.b.c == 1",
    "self.n in [1, 2, 3]",
    "self.s in ['a', 'b', 'some text']",
    "size(self.items) < 1000",
    "self.items.all(x, x > 0)",
    "self.items.exists(x, x == 100)",
    "self.items.filter(x, x % 2 == 0).size() == 50",
    "self.items.map(x, x * 2)[99] == 200",
    "self.items.all(x, self.items.exists(y, x == y))",
];

const ROUNDS: usize = 40;

/// How long this many calls take.
fn round(run: &mut dyn FnMut(), calls: u32) -> Duration {
    let start = Instant::now();
    for _ in 0..calls {
        run();
    }
    start.elapsed()
}

/// How many calls make a round that the clock can measure.
fn calls_per_round(run: &mut dyn FnMut()) -> u32 {
    let mut calls = 1u32;
    while round(run, calls) < Duration::from_millis(2) {
        calls = calls.saturating_mul(2);
    }
    calls
}

/// Nanoseconds of one call of each: the best of rounds that take turns.
fn race(ours: &mut dyn FnMut(), theirs: &mut dyn FnMut()) -> (f64, f64) {
    let (many, most) = (calls_per_round(ours), calls_per_round(theirs));
    let (mut best, mut their_best) = (Duration::MAX, Duration::MAX);
    for _ in 0..ROUNDS {
        best = best.min(round(ours, many));
        their_best = their_best.min(round(theirs, most));
    }
    let per = |best: Duration, calls: u32| best.as_nanos() as f64 / f64::from(calls);
    (per(best, many), per(their_best, most))
}

fn input(items: i64) -> Value {
    let items: Vec<Value> = (1..=items).map(Value::from).collect();
    value!({"n": 3, "s": "some text", "b": false, "o": {"a": {"b": {"c": 1}}}, "items": items})
}

fn modules() -> Vec<Module> {
    vec![library::standard::module(), library::strings::module(2)]
}

fn env() -> (Env, Functions) {
    let mut builder = Env::builder().variable("self", Type::map(Type::String, Type::Dyn));
    let mut functions = Functions::new();
    for module in modules() {
        builder = builder.library(module.library());
        functions = functions.module(&module);
    }
    (builder.build().expect("the libraries agree"), functions)
}

fn main() {
    let (env, functions) = env();
    let tree = input(100);
    let mut views = Views::new();
    let any = views.push(View::Dyn, true);
    if let Ok(text) = std::env::var("ORDAIN_CEL_PROFILE") {
        return profile(&text, &env, &functions, views.at(any).read(&tree));
    }
    println!("{:<55} {:>12} {:>12} {:>8}", "evaluate", "ordain ns", "cel ns", "ratio");
    let mut ratios = Vec::new();
    for text in EXPRESSIONS {
        let checked = env.compile(text).expect("a valid expression");
        let program = Program::new(&checked, &functions).expect("a program");
        let activation = Activation::new().bind_result("self", views.at(any).read(&tree));
        let options = EvalOptions { cost_limit: Some(1_000_000), ..EvalOptions::default() };
        assert!(matches!(program.eval(&activation, options).value, Ok(Val::Bool(true))), "{text}");
        let (peer, context) = peer(text, &tree);
        let (ours, theirs) = race(
            &mut || {
                black_box(program.eval(black_box(&activation), options).cost);
            },
            &mut || {
                black_box(peer.execute(black_box(&context)).is_ok());
            },
        );
        ratios.push(theirs / ours);
        println!("{text:<55} {ours:>12.1} {theirs:>12.1} {:>8.1}", theirs / ours);
    }
    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    let enough = ratios.iter().filter(|ratio| **ratio >= 10.0).count();
    println!("{enough} of {} at least 10 times as fast; the least {least:.1}", ratios.len());
    println!(
        "{:<55} {:>12} {:>12} {:>8}",
        "compile, check included", "ordain ns", "cel ns", "ratio"
    );
    for text in EXPRESSIONS {
        let (ours, theirs) = race(
            &mut || {
                black_box(env.compile(black_box(text)).is_ok());
            },
            &mut || {
                black_box(cel::Program::compile(black_box(text)).is_ok());
            },
        );
        println!("{text:<55} {ours:>12.1} {theirs:>12.1} {:>8.1}", theirs / ours);
    }
    loops(&env, &functions);
}

/// Evaluates one expression many times, for a profiler.
fn profile(text: &str, env: &Env, functions: &Functions, own: ordain_cel::value::Result<Val<'_>>) {
    let checked = env.compile(text).expect("a valid expression");
    let program = Program::new(&checked, functions).expect("a program");
    let activation = Activation::new().bind_result("self", own);
    let options = EvalOptions { cost_limit: Some(1_000_000), ..EvalOptions::default() };
    for _ in 0..100_000 {
        black_box(program.eval(black_box(&activation), options).cost);
    }
}

/// The same input for the peer, numbers as `int` like here.
fn peer_value(tree: &Value) -> cel::Value {
    match tree {
        Value::Null => cel::Value::Null,
        Value::Bool(it) => cel::Value::Bool(*it),
        Value::Int(it) => cel::Value::Int(*it),
        Value::Float(it) => cel::Value::Float(*it),
        Value::Str(it) => cel::Value::from(it.as_str()),
        Value::List(items) => {
            cel::Value::from(items.iter().map(peer_value).collect::<Vec<cel::Value>>())
        }
        Value::Map(entries) => {
            let entries = entries.iter().map(|(key, value)| (key.to_string(), peer_value(value)));
            cel::Value::from(entries.collect::<HashMap<String, cel::Value>>())
        }
    }
}

/// The peer's program and variables; it finds the expression true, as it is.
fn peer(text: &str, tree: &Value) -> (cel::Program, cel::Context<'static, 'static>) {
    let program = cel::Program::compile(text).expect("a valid expression");
    let mut context = cel::Context::default();
    context.add_variable_from_value("self", peer_value(tree));
    assert!(matches!(program.execute(&context), Ok(cel::Value::Bool(true))), "{text}");
    (program, context)
}

/// `all` over many items, per item, against a loop over the same values.
fn loops(env: &Env, functions: &Functions) {
    println!("{:<55} {:>12} {:>12} {:>8}", "per item", "ordain ns", "loop ns", "factor");
    let mut views = Views::new();
    let int = views.push(View::Int, false);
    let list = views.push(View::List { items: int, kind: ListKind::Atomic }, false);
    let env = env.with_variable("items", Type::list(Type::Int));
    for count in [100, 10_000] {
        let tree = input(count);
        let items = tree.get("items").expect("the list");
        let checked = env.compile("items.all(x, x > 0)").expect("a valid expression");
        let program = Program::new(&checked, functions).expect("a program");
        let activation = Activation::new().bind_result("items", views.at(list).read(items));
        let (ours, hand) = race(
            &mut || {
                black_box(program.eval(black_box(&activation), EvalOptions::default()).cost);
            },
            &mut || {
                let all = black_box(items).as_list().is_some_and(|items| {
                    items.iter().all(|item| matches!(item, Value::Int(n) if *n > black_box(0)))
                });
                black_box(all);
            },
        );
        let per = count as f64;
        let label = format!("items.all(x, x > 0) over {count}");
        println!("{label:<55} {:>12.2} {:>12.2} {:>8.1}", ours / per, hand / per, ours / hand);
    }
}
