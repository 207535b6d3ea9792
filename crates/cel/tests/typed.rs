//! Types mean something: an expression that was checked without `dyn` in it never fails for a
//! type when it is evaluated, and gives a value of the type that the checker said. And whatever
//! the text, evaluation ends within its budget.

use std::sync::Arc;

use ordain_cel::env::{Env, TypeProvider};
use ordain_cel::library::{self, Functions, Module};
use ordain_cel::program::{EvalOptions, Program};
use ordain_cel::types::Type;
use ordain_cel::value::{Field, ListKind, Val, View, ViewId, Views};
use ordain_value::{Value, value};
use proptest::prelude::*;

fn modules() -> Vec<Module> {
    vec![
        library::standard::module(),
        library::strings::module(2),
        library::lists::module(3),
        library::sets::module(),
        library::optionals::module(2),
        library::comprehensions::module(),
    ]
}

/// An object type with a field that may be missing.
struct Things;

impl TypeProvider for Things {
    fn find_type(&self, name: &str) -> Option<Type> {
        (name == "Thing").then(|| Type::object("Thing"))
    }

    fn find_field(&self, object: &str, field: &str) -> Option<Type> {
        match (object, field) {
            ("Thing", "n" | "missing") => Some(Type::Int),
            ("Thing", "s") => Some(Type::String),
            ("Thing", "l") => Some(Type::list(Type::Int)),
            ("Thing", "c") => Some(Type::map(Type::String, Type::Int)),
            _ => None,
        }
    }
}

fn environment() -> (Env, Functions) {
    let mut builder = Env::builder().provider(Arc::new(Things));
    let mut functions = Functions::new();
    for module in modules() {
        builder = builder.library(module.library());
        functions = functions.module(&module);
    }
    let env =
        VARIABLES.iter().fold(builder, |builder, (name, kind)| builder.variable(name, kind.ty()));
    let env = env.variable("o", Type::object("Thing")).variable("any", Type::Dyn);
    (env.build().expect("declarations agree"), functions)
}

/// The types that expressions are made of.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Bool,
    Int,
    Uint,
    Double,
    Text,
    Duration,
    Timestamp,
    Ints,
    Texts,
    Counts,
}

impl Kind {
    fn ty(self) -> Type {
        match self {
            Self::Bool => Type::Bool,
            Self::Int => Type::Int,
            Self::Uint => Type::Uint,
            Self::Double => Type::Double,
            Self::Text => Type::String,
            Self::Duration => Type::Duration,
            Self::Timestamp => Type::Timestamp,
            Self::Ints => Type::list(Type::Int),
            Self::Texts => Type::list(Type::String),
            Self::Counts => Type::map(Type::String, Type::Int),
        }
    }
}

const VARIABLES: &[(&str, Kind)] = &[
    ("b", Kind::Bool),
    ("i", Kind::Int),
    ("u", Kind::Uint),
    ("d", Kind::Double),
    ("s", Kind::Text),
    ("span", Kind::Duration),
    ("time", Kind::Timestamp),
    ("ints", Kind::Ints),
    ("texts", Kind::Texts),
    ("counts", Kind::Counts),
];

/// Makes expressions of a type out of a tape of choices; an empty tape chooses the simplest.
struct Maker<'t> {
    tape: &'t [u8],
    at: usize,
    /// Variables of comprehensions.
    locals: Vec<(String, Kind)>,
}

impl Maker<'_> {
    fn choose(&mut self, count: usize) -> usize {
        let choice = self.tape.get(self.at).copied().unwrap_or_default();
        self.at += 1;
        usize::from(choice) % count.max(1)
    }

    fn variable(&mut self, kind: Kind) -> String {
        let declared = VARIABLES.iter().map(|(name, kind)| ((*name).to_owned(), *kind));
        let fitting: Vec<String> = declared
            .chain(self.locals.iter().cloned())
            .filter(|(_, of)| *of == kind)
            .map(|(name, _)| name)
            .collect();
        fitting[self.choose(fitting.len())].clone()
    }

    /// The text of a form in which each `%` is an expression of the next kind.
    fn fill(&mut self, form: &str, kinds: &[Kind], depth: u32) -> String {
        let mut kinds = kinds.iter();
        form.chars().fold(String::new(), |mut out, c| {
            match (c, kinds.clone().next()) {
                ('%', Some(kind)) => {
                    kinds.next();
                    out.push_str(&format!("({})", self.make(*kind, depth)));
                }
                _ => out.push(c),
            }
            out
        })
    }

    fn fold(&mut self, form: &str, of: Kind, item: Kind, body: Kind, depth: u32) -> String {
        let range = self.make(of, depth);
        let name = format!("x{}", self.locals.len());
        self.locals.push((name.clone(), item));
        let body = self.make(body, depth);
        self.locals.pop();
        // In one go: what is put in has such characters of its own.
        form.chars().fold(String::new(), |out, c| match c {
            '@' => format!("{out}({range})"),
            '$' => out + &name,
            '%' => out + &body,
            c => format!("{out}{c}"),
        })
    }

    fn make(&mut self, kind: Kind, depth: u32) -> String {
        use Kind::{Bool, Counts, Double, Duration, Int, Ints, Text, Texts, Timestamp, Uint};
        if depth == 0 {
            return self.variable(kind);
        }
        let depth = depth - 1;
        let forms: &[(&str, &[Kind])] = match kind {
            Bool => &[
                ("% < %", &[Int, Int]),
                ("% == %", &[Text, Text]),
                ("% && %", &[Bool, Bool]),
                ("% || !%", &[Bool, Bool]),
                ("% ? % : %", &[Bool, Bool, Bool]),
                ("%.startsWith(%)", &[Text, Text]),
                ("%.contains('a')", &[Text]),
                ("%.matches('^[a-z]*$')", &[Text]),
                ("% in %", &[Int, Ints]),
                ("% in %", &[Text, Counts]),
                ("% in ['a', 'b']", &[Text]),
                ("% != %", &[Counts, Counts]),
                ("% >= %", &[Duration, Duration]),
                ("% < %", &[Timestamp, Timestamp]),
                ("% <= %", &[Double, Double]),
                ("% == %", &[Uint, Uint]),
                ("has(o.missing) && % == o.missing", &[Int]),
                ("sets.contains(%, %)", &[Ints, Ints]),
                ("optional.of(%).hasValue()", &[Int]),
                ("size(%) > 3", &[Text]),
                ("o.n + 1 == %", &[Int]),
            ],
            Int => &[
                ("% + %", &[Int, Int]),
                ("% * %", &[Int, Int]),
                ("% / %", &[Int, Int]),
                ("% % %", &[]),
                ("-%", &[Int]),
                ("size(%)", &[Text]),
                ("size(%)", &[Ints]),
                ("%[%]", &[Ints, Int]),
                ("%[%]", &[Counts, Text]),
                ("int(%)", &[Double]),
                ("int(%)", &[Uint]),
                ("%.indexOf(%)", &[Text, Text]),
                ("%.getHours()", &[Timestamp]),
                ("%.getSeconds()", &[Duration]),
                ("o.n", &[]),
                ("o.missing", &[]),
                ("optional.of(%).orValue(%)", &[Int, Int]),
                ("% ? % : %", &[Bool, Int, Int]),
            ],
            Uint => &[("% + %", &[Uint, Uint]), ("uint(%)", &[Int]), ("% / %", &[Uint, Uint])],
            Double => {
                &[("% * %", &[Double, Double]), ("double(%)", &[Int]), ("% / %", &[Double, Double])]
            }
            Text => &[
                ("% + %", &[Text, Text]),
                ("string(%)", &[Int]),
                ("string(%)", &[Double]),
                ("%.lowerAscii()", &[Text]),
                ("%.substring(%)", &[Text, Int]),
                ("%.charAt(%)", &[Text, Int]),
                ("%.replace(%, %)", &[Text, Text, Text]),
                ("%.join(%)", &[Texts, Text]),
                ("'%s %d'.format([%, %])", &[]),
                ("o.s", &[]),
                ("%[%]", &[Texts, Int]),
                ("% ? % : %", &[Bool, Text, Text]),
            ],
            Duration => &[("% + %", &[Duration, Duration]), ("% - %", &[Timestamp, Timestamp])],
            Timestamp => &[("% + %", &[Timestamp, Duration]), ("% - %", &[Timestamp, Duration])],
            Ints => &[
                ("% + %", &[Ints, Ints]),
                ("[%, %]", &[Int, Int]),
                ("%.sort()", &[Ints]),
                ("%.distinct()", &[Ints]),
                ("%.slice(0, %)", &[Ints, Int]),
                ("o.l", &[]),
            ],
            Texts => &[("[%]", &[Text]), ("%.split(%)", &[Text, Text]), ("%.reverse()", &[Texts])],
            Counts => &[("{%: %}", &[Text, Int])],
        };
        let folds: &[(&str, Kind, Kind, Kind)] = match kind {
            Bool => &[
                ("@.all($, %)", Ints, Int, Bool),
                ("@.exists($, %)", Texts, Text, Bool),
                ("@.exists_one($, %)", Counts, Text, Bool),
            ],
            Ints => &[("@.map($, %)", Texts, Text, Int), ("@.filter($, %)", Ints, Int, Bool)],
            Texts => &[("@.map($, %)", Ints, Int, Text), ("@.sortBy($, %)", Texts, Text, Int)],
            _ => &[],
        };
        let choice = self.choose(1 + forms.len() + folds.len());
        if choice == 0 {
            return self.variable(kind);
        }
        match (forms.get(choice - 1), choice.checked_sub(1 + forms.len())) {
            (Some(("% % %", _)), _) => {
                let (left, right) = (self.make(Int, depth), self.make(Int, depth));
                format!("({left}) % ({right})")
            }
            (Some(("'%s %d'.format([%, %])", _)), _) => {
                let (text, number) = (self.make(Text, depth), self.make(Int, depth));
                format!("'%s %d'.format([{text}, {number}])")
            }
            (Some((form, kinds)), _) => self.fill(form, kinds, depth),
            (None, at) => {
                let (form, of, item, body) = folds[at.unwrap_or_default()];
                // A list to sort is named, not computed: the macro takes no more.
                if form.contains("sortBy") {
                    let body = self.fold("%", Ints, Text, body, depth);
                    return format!("texts.sortBy(x{}, {body})", self.locals.len());
                }
                self.fold(form, of, item, body, depth)
            }
        }
    }
}

fn views() -> (Views, ViewId, ViewId) {
    let mut views = Views::new();
    let int = views.push(View::Int, false);
    let text = views.push(View::Str, false);
    let ints = views.push(View::List { items: int, kind: ListKind::Atomic }, false);
    let field =
        |name: &str, view| Field { name: name.into(), key: name.into(), view, pointer: false };
    let counts = views.push(View::Map(int), false);
    let fields = vec![
        field("c", counts),
        field("n", int),
        field("missing", int),
        field("s", text),
        field("l", ints),
    ];
    let thing = views.push(View::Object(fields), false);
    let any = views.push(View::Dyn, true);
    (views, thing, any)
}

fn input(number: i64, text: &str) -> Value {
    value!({"n": number, "s": text, "l": [number, 1, 2], "c": {"n": number, "z": 3}})
}

fn bound<'a>(name: &str, number: i64, text: &'a str) -> Option<Val<'a>> {
    let kind = VARIABLES.iter().find(|(known, _)| *known == name)?.1;
    Some(match kind {
        Kind::Bool => Val::Bool(number > 0),
        Kind::Int => Val::Int(number),
        Kind::Uint => Val::Uint(number.unsigned_abs()),
        Kind::Double => Val::Double(number as f64 / 3.0),
        Kind::Text => Val::from(text),
        Kind::Duration => Val::Duration(number),
        Kind::Timestamp => Val::Timestamp(ordain_go::time::Timestamp::from_unix(
            number.rem_euclid(1_000_000_000),
            0,
        )),
        Kind::Ints => Val::list(vec![Val::Int(number), Val::Int(3), Val::Int(1)]),
        Kind::Texts => Val::list(vec![Val::from(text), Val::from("b")]),
        Kind::Counts => Val::map(vec![(Val::from("a"), Val::Int(number))]),
    })
}

/// What errors of types look like.
fn is_type_error(message: &str) -> bool {
    ["no such overload", "unsupported", "expected iterable", "invalid qualifier", "internal error"]
        .iter()
        .any(|part| message.contains(part))
        // A failed argument of a call that is priced by its list, as an API server shows it.
        && !message.contains("*types.Err is not traits.Lister")
}

const LIMIT: u64 = 20_000;

/// What came of an expression, as far as two ways to it can be compared.
#[derive(Debug, PartialEq)]
enum Said {
    Bool(bool),
    NoOverload,
    Other,
}

#[test]
fn a_path_alone_reads_as_what_it_leads_to() {
    let (env, functions) = environment();
    let (views, thing, _) = views();
    let object = input(7, "abc");
    let options = || EvalOptions { cost_limit: Some(LIMIT), ..EvalOptions::default() };
    for path in ["o", "o.n", "o.s", "o.l", "o.c", "o.missing", "o.c.z"] {
        let program = Program::new(&env.compile(path).unwrap(), &functions).unwrap();
        let find = |name: &str| (name == "o").then(|| views.at(thing).read(&object));
        let general = program.eval_lazy(find, &|_| None, options());
        let asking = program.eval_asking(|_, name| find(name), options());
        assert_eq!(format!("{:?}", asking.value), format!("{:?}", general.value), "{path}");
        assert_eq!(asking.cost, general.cost, "{path}");
    }
}

#[test]
fn membership_among_names_is_told_without_the_general_way() {
    let (env, functions) = environment();
    let env = env
        .with_variable("word", Type::String)
        .with_variable("words", Type::map(Type::String, Type::Bool));
    let words = |of: &[&str]| {
        Val::map(of.iter().map(|it| (Val::string((*it).to_owned()), Val::Bool(true))).collect())
    };
    for text in ["word in words", "!(word in words)", "word == 'a' || word in words"] {
        let program = Program::new(&env.compile(text).unwrap(), &functions).unwrap();
        for (word, of) in [("a", &["a", "b"][..]), ("c", &["a", "b"]), ("a", &[])] {
            let find = |name: &str| match name {
                "word" => Some(Ok(Val::string(word.to_owned()))),
                _ => Some(Ok(words(of))),
            };
            let options = || EvalOptions { cost_limit: Some(LIMIT), ..EvalOptions::default() };
            let general = program.eval_lazy(find, &|_| None, options());
            let asking = program.answer_asking(|_, name| find(name), LIMIT);
            let said = matches!(general.value, Ok(Val::Bool(true)));
            assert_eq!(asking, Some((said, general.cost)), "{text} {word} {of:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn checked_expressions_never_fail_for_a_type(
        tape in proptest::collection::vec(any::<u8>(), 0..60),
        kind in 0usize..VARIABLES.len(),
        number in prop_oneof![Just(0), Just(i64::MAX), Just(i64::MIN), -5i64..5],
        text in "[a-c]{0,12}",
    ) {
        let (env, functions) = environment();
        let kind = VARIABLES[kind].1;
        let expression = Maker { tape: &tape, at: 0, locals: Vec::new() }.make(kind, 4);
        let checked = env.compile(&expression);
        prop_assert!(checked.is_ok(), "{expression}\n{}", checked.err().map(|it| it.to_string()).unwrap_or_default());
        let Ok(checked) = checked else { return Ok(()) };
        prop_assert_eq!(checked.result_type(), &kind.ty(), "{}", expression);
        let Ok(program) = Program::new(&checked, &functions) else { return Ok(()) };
        let (views, thing, _) = views();
        let object = input(number, &text);
        let find = |name: &str| match name {
            "o" => Some(views.at(thing).read(&object)),
            other => bound(other, number, &text).map(Ok),
        };
        let options = EvalOptions { cost_limit: Some(LIMIT), ..EvalOptions::default() };
        let outcome = program.eval_with(find, options);
        match outcome.value {
            Ok(value) => {
                let ty = kind.ty();
                prop_assert_eq!(value.type_name(), ty.runtime_name(), "{}", expression);
            }
            Err(error) => prop_assert!(!is_type_error(error.message()), "{expression}: {error}"),
        }
    }

    #[test]
    fn asking_for_variables_says_and_costs_what_the_general_way_does(
        tape in proptest::collection::vec(any::<u8>(), 0..60),
        kind in 0usize..VARIABLES.len(),
        number in prop_oneof![Just(0), Just(i64::MAX), -5i64..5],
        text in "[a-c]{0,12}",
        limit in prop_oneof![Just(LIMIT), 0u64..40],
    ) {
        let (env, functions) = environment();
        let expression =
            Maker { tape: &tape, at: 0, locals: Vec::new() }.make(VARIABLES[kind].1, 4);
        let Ok(checked) = env.compile(&expression) else { return Ok(()) };
        let Ok(program) = Program::new(&checked, &functions) else { return Ok(()) };
        let (views, thing, _) = views();
        let object = input(number, &text);
        let find = |name: &str| match name {
            "o" => Some(views.at(thing).read(&object)),
            other => bound(other, number, &text).map(Ok),
        };
        let options = EvalOptions { cost_limit: Some(limit), ..EvalOptions::default() };
        let general = program.eval_lazy(find, &|_| None, options);
        let asking = program.eval_asking(|_, name| find(name), options);
        prop_assert_eq!(
            format!("{:?}", asking.value), format!("{:?}", general.value), "{}", &expression
        );
        prop_assert_eq!(asking.cost, general.cost, "{}", &expression);
        if let Some((is_true, cost)) = program.answer_asking(|_, name| find(name), limit) {
            let said = matches!(general.value, Ok(Val::Bool(said)) if said == is_true);
            prop_assert!(said && general.cost == cost, "{}", &expression);
        }
    }

    #[test]
    fn what_is_fused_says_the_same_as_what_is_not(
        tape in proptest::collection::vec(any::<u8>(), 0..40),
        number in prop_oneof![Just(0), Just(i64::MAX), -5i64..5],
        text in "[a-c]{0,12}",
    ) {
        // Through `any`, with no declared type, and through `o`, whose types are known.
        let (env, functions) = environment();
        let expression = Maker { tape: &tape, at: 0, locals: Vec::new() }.make(Kind::Bool, 3);
        let (views, thing, dynamic) = views();
        let object = input(number, &text);
        let outcome = |text_of: &str| {
            let checked = env.compile(text_of).ok()?;
            let program = Program::new(&checked, &functions).ok()?;
            let find = |name: &str| match name {
                "o" => Some(views.at(thing).read(&object)),
                "any" => Some(views.at(dynamic).read(&object)),
                other => bound(other, number, &text).map(Ok),
            };
            let options = EvalOptions { cost_limit: Some(LIMIT), ..EvalOptions::default() };
            let it = program.eval_with(find, options);
            Some(match it.value {
                Ok(Val::Bool(it)) => Said::Bool(it),
                Ok(_) => Said::Other,
                Err(error) if error.message().starts_with("no such overload") => Said::NoOverload,
                Err(_) => Said::Other,
            })
        };
        // A conjunction with itself and a choice between itself keep the value; the choice keeps
        // the tests from becoming one chain.
        let alone = outcome(&expression);
        let chosen = outcome(&format!("i == i ? ({expression}) : false"));
        prop_assert_eq!(&alone, &chosen, "{}", &expression);
        let open = expression.replace("o.", "any.");
        if !expression.contains("o.missing") && env.compile(&open).is_ok() {
            let said = outcome(&open);
            // Of the items of `any.l.distinct()` nobody knows the type: as in cel-go the first use takes one
            // overload for them, which may be none for what they turn out to be.
            if said != Some(Said::NoOverload) {
                prop_assert_eq!(alone, said, "{}", open);
            }
        }
    }

    #[test]
    fn evaluation_ends_within_its_budget(
        tape in proptest::collection::vec(any::<u8>(), 0..60),
        limit in 0u64..500,
    ) {
        let (env, functions) = environment();
        let expression = Maker { tape: &tape, at: 0, locals: Vec::new() }.make(Kind::Bool, 4);
        let Ok(checked) = env.compile(&expression) else { return Ok(()) };
        let Ok(program) = Program::new(&checked, &functions) else { return Ok(()) };
        let (views, thing, _) = views();
        let object = input(2, "abc");
        let find = |name: &str| match name {
            "o" => Some(views.at(thing).read(&object)),
            other => bound(other, 2, "abc").map(Ok),
        };
        let options = |cost_limit| EvalOptions { cost_limit, ..EvalOptions::default() };
        let run = |limit| program.eval_with(find, options(limit));
        let (free, bounded) = (run(None), run(Some(limit)));
        match bounded.value {
            Ok(_) => prop_assert!(bounded.cost <= limit, "{expression}"),
            Err(error) if error.is_cost_limit() => prop_assert!(bounded.cost > limit || free.cost > limit, "{expression}"),
            Err(_) => prop_assert!(bounded.cost <= limit, "{expression}"),
        }
    }
}
