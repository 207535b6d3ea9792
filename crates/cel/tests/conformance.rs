//! The language's own conformance data, where it is present.
//!
//! The data is found through `ORDAIN_SHARED` or beside the repository; without it the test says
//! so and passes. What is left out is listed in `EXCLUDED_FILES` and `exclusion`, each with its
//! reason; the rest must reach the bar.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use ordain_cel::decl::{FunctionDecl, OverloadDecl};
use ordain_cel::env::{Env, EnvBuilder, EnvOptions, TypeProvider};
use ordain_cel::library::{self, Functions, Module};
use ordain_cel::program::{Activation, EvalOptions, Program};
use ordain_cel::types::Type;
use ordain_cel::value::{Map, Str, Val, show};
use ordain_go::time::Timestamp;

/// What must pass of the cases that are not excluded.
const BAR: f64 = 0.995;

/// Files that are left out as a whole.
const EXCLUDED_FILES: &[(&str, &str)] = &[
    ("proto2.textproto", "protobuf messages"),
    ("proto2_ext.textproto", "protobuf messages"),
    ("proto3.textproto", "protobuf messages"),
    ("enums.textproto", "protobuf enums"),
    ("wrappers.textproto", "protobuf wrapper fields and messages"),
    ("unknowns.textproto", "partial evaluation"),
    ("network_ext.textproto", "the network library is not part of this crate"),
    ("block_ext.textproto", "cel.@block is what optimizers write, not people"),
];

/// Cases where an API server's language, which this crate follows, differs from the data.
const EXCLUDED_CASES: &[(&str, &str)] = &[
    (
        "map_bad_key_type_or_true",
        "constants are folded, and a bad index refused, ahead of evaluation",
    ),
    (
        "map_bad_key_type_and_false",
        "constants are folded, and a bad index refused, ahead of evaluation",
    ),
    ("map_key_float", "map literals may have double keys"),
    ("map_value_repeat_key", "map literals may repeat a key"),
    ("map_value_repeat_key_heterogeneous", "map literals may repeat a key"),
    ("indexof_out_of_range", "an offset beyond the end finds nothing"),
    ("lastindexof_out_of_range", "an offset beyond the end finds nothing"),
    ("map_null_entry_no_such_key", "an optional chain takes a value without fields for absent"),
    ("map_present_key_invalid_field", "an optional chain takes a value without fields for absent"),
];

/// Why a single case is left out.
fn exclusion(case: &Message) -> Option<&'static str> {
    let text = case.text("expr").unwrap_or_default();
    let shown = format!("{case:?}");
    if shown.contains("TestAllTypes")
        || shown.contains("NestedTestAll")
        || shown.contains("expr.conformance")
    {
        return Some("protobuf messages");
    }
    if shown.contains("google.protobuf.Any") {
        return Some("protobuf messages");
    }
    if shown.contains("NestedEnum") || shown.contains("GlobalEnum") || shown.contains("enum_value")
    {
        return Some("protobuf enums");
    }
    if shown.contains("google.protobuf.NullValue") && text.contains("NullValue") {
        return Some("protobuf enums");
    }
    if case.text("disable_check") == Some("true") && !shown.contains("eval_error") {
        return Some("evaluation without type check");
    }
    if text.contains("NullValue.") {
        return Some("protobuf enums");
    }
    if let Some((_, reason)) =
        EXCLUDED_CASES.iter().find(|(name, _)| case.text("name") == Some(*name))
    {
        return Some(reason);
    }
    if case.text("name") == Some("get_milliseconds") && text == "x.getMilliseconds()" {
        return Some("upstream's implementation counts a duration's whole milliseconds");
    }
    if shown.contains("FieldMask") || shown.contains("google.protobuf.Empty") {
        return Some("protobuf messages");
    }
    None
}

#[derive(Clone)]
enum Field {
    Scalar(String),
    Bytes(Vec<u8>),
    Message(Message),
}

impl std::fmt::Debug for Field {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Scalar(text) => f.write_str(text),
            Self::Bytes(bytes) => f.write_str(&String::from_utf8_lossy(bytes)),
            Self::Message(message) => message.fmt(f),
        }
    }
}

#[derive(Clone, Debug, Default)]
struct Message(Vec<(String, Field)>);

impl Message {
    fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Message> {
        self.0.iter().filter_map(move |(key, field)| match field {
            Field::Message(message) if key == name => Some(message),
            _ => None,
        })
    }

    fn get(&self, name: &str) -> Option<&Field> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, field)| field)
    }

    fn message(&self, name: &str) -> Option<&Message> {
        match self.get(name)? {
            Field::Message(message) => Some(message),
            _ => None,
        }
    }

    fn text(&self, name: &str) -> Option<&str> {
        match self.get(name)? {
            Field::Scalar(text) => Some(text),
            Field::Bytes(bytes) => std::str::from_utf8(bytes).ok(),
            Field::Message(_) => None,
        }
    }

    fn number(&self, name: &str) -> i64 {
        self.text(name).and_then(|text| text.parse().ok()).unwrap_or(0)
    }
}

/// Reads the text form of protocol buffers without a schema.
struct Reader<'t> {
    rest: &'t [u8],
}

impl<'t> Reader<'t> {
    fn skip(&mut self) {
        loop {
            let spaces = self
                .rest
                .iter()
                .take_while(|b| b.is_ascii_whitespace() || matches!(b, b',' | b';'))
                .count();
            self.rest = &self.rest[spaces..];
            if self.rest.first() != Some(&b'#') {
                return;
            }
            let line = self.rest.iter().position(|b| *b == b'\n').unwrap_or(self.rest.len());
            self.rest = &self.rest[line..];
        }
    }

    fn peek(&mut self) -> Option<u8> {
        self.skip();
        self.rest.first().copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        if found {
            self.rest = &self.rest[1..];
        }
        found
    }

    fn word(&mut self) -> String {
        self.skip();
        let end = if self.rest.first() == Some(&b'[') {
            self.rest.iter().position(|b| *b == b']').map_or(self.rest.len(), |at| at + 1)
        } else {
            let part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-' | b'+');
            self.rest.iter().take_while(|b| part(b)).count()
        };
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        String::from_utf8_lossy(word).into_owned()
    }

    fn string(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        while let Some(quote @ (b'"' | b'\'')) = self.peek() {
            self.rest = &self.rest[1..];
            loop {
                let byte = self.rest[0];
                self.rest = &self.rest[1..];
                if byte == quote {
                    break;
                }
                if byte == b'\\' { self.escape(&mut out) } else { out.push(byte) }
            }
        }
        out
    }

    fn escape(&mut self, out: &mut Vec<u8>) {
        let byte = self.rest[0];
        self.rest = &self.rest[1..];
        let mut digits = |count: usize, radix: u32| {
            let len = self
                .rest
                .iter()
                .take(count)
                .take_while(|b| char::from(**b).is_digit(radix))
                .count();
            let text = std::str::from_utf8(&self.rest[..len]).expect("ASCII digits").to_owned();
            self.rest = &self.rest[len..];
            u32::from_str_radix(&text, radix).expect("digits")
        };
        match byte {
            b'n' => out.push(b'\n'),
            b't' => out.push(b'\t'),
            b'r' => out.push(b'\r'),
            b'a' => out.push(7),
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'v' => out.push(11),
            b'x' => out.push(digits(2, 16) as u8),
            b'u' | b'U' => {
                let code = digits(if byte == b'u' { 4 } else { 8 }, 16);
                let c = char::from_u32(code).unwrap_or('\u{fffd}');
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
            b'0'..=b'7' => {
                let rest = digits(2, 8);
                let width = if rest > 7 { 6 } else { 3 };
                let _ = width;
                out.push((u32::from(byte - b'0') * 64 + rest) as u8);
            }
            other => out.push(other),
        }
    }

    fn message(&mut self) -> Message {
        let mut fields = Vec::new();
        while let Some(byte) = self.peek() {
            if matches!(byte, b'}' | b'>') {
                self.rest = &self.rest[1..];
                break;
            }
            let name = self.word();
            assert!(
                !name.is_empty(),
                "stuck at {:?}",
                String::from_utf8_lossy(&self.rest[..40.min(self.rest.len())])
            );
            let colon = self.take(b':');
            match self.peek() {
                Some(b'{' | b'<') => {
                    self.rest = &self.rest[1..];
                    fields.push((name, Field::Message(self.message())));
                }
                Some(b'[') if colon => {
                    self.rest = &self.rest[1..];
                    while !self.take(b']') {
                        let field = self.value();
                        fields.push((name.clone(), field));
                    }
                }
                _ => {
                    let field = self.value();
                    fields.push((name, field));
                }
            }
        }
        Message(fields)
    }

    fn value(&mut self) -> Field {
        match self.peek() {
            Some(b'"' | b'\'') => Field::Bytes(self.string()),
            Some(b'{') => {
                self.rest = &self.rest[1..];
                Field::Message(self.message())
            }
            _ => Field::Scalar(self.word()),
        }
    }
}

fn double(text: &str) -> f64 {
    match text.trim_end_matches(['f', 'F']) {
        "inf" | "Infinity" | "infinity" | "in" | "+inf" => f64::INFINITY,
        "-inf" | "-Infinity" | "-infinity" | "-in" => f64::NEG_INFINITY,
        "nan" | "NaN" => f64::NAN,
        number => number.parse().expect("a double"),
    }
}

/// The value of a `cel.expr.Value`.
fn value_of(message: &Message) -> Option<Val<'static>> {
    let (kind, field) = message.0.first()?;
    Some(match (kind.as_str(), field) {
        ("null_value", _) => Val::Null,
        ("bool_value", Field::Scalar(text)) => Val::Bool(text == "true"),
        ("int64_value", Field::Scalar(text)) => Val::Int(int(text)),
        ("uint64_value", Field::Scalar(text)) => Val::Uint(text.parse().expect("a uint")),
        ("double_value", Field::Scalar(text)) => Val::Double(double(text)),
        ("string_value", Field::Bytes(bytes)) => {
            Val::string(String::from_utf8_lossy(bytes).into_owned())
        }
        ("bytes_value", Field::Bytes(bytes)) => Val::bytes(bytes.as_slice()),
        ("type_value", Field::Bytes(bytes)) => {
            Val::Type(Str::Owned(Arc::from(String::from_utf8_lossy(bytes).as_ref())))
        }
        ("list_value", Field::Message(list)) => {
            Val::list(list.all("values").map(value_of).collect::<Option<_>>()?)
        }
        ("map_value", Field::Message(map)) => {
            let entries = map.all("entries").map(|entry| {
                Some((value_of(entry.message("key")?)?, value_of(entry.message("value")?)?))
            });
            Val::map(entries.collect::<Option<_>>()?)
        }
        ("object_value", Field::Message(object)) => well_known(object)?,
        _ => return None,
    })
}

fn int(text: &str) -> i64 {
    text.strip_prefix("0x").map_or_else(
        || text.parse().expect("an int"),
        |hex| i64::from_str_radix(hex, 16).expect("a hex int"),
    )
}

fn well_known(object: &Message) -> Option<Val<'static>> {
    let (name, Field::Message(body)) = object.0.first()? else { return None };
    let name = name.trim_matches(['[', ']']).rsplit('/').next()?;
    Some(match name {
        "google.protobuf.Duration" => {
            Val::Duration(body.number("seconds").checked_mul(1_000_000_000)? + body.number("nanos"))
        }
        "google.protobuf.Timestamp" => Val::Timestamp(Timestamp::from_unix(
            body.number("seconds"),
            u32::try_from(body.number("nanos")).ok()?,
        )),
        "google.protobuf.BoolValue" => Val::Bool(body.text("value") == Some("true")),
        "google.protobuf.Int32Value" | "google.protobuf.Int64Value" => {
            Val::Int(body.number("value"))
        }
        "google.protobuf.UInt32Value" | "google.protobuf.UInt64Value" => {
            Val::Uint(body.text("value").map_or(0, |text| text.parse().expect("a uint")))
        }
        "google.protobuf.FloatValue" | "google.protobuf.DoubleValue" => {
            Val::Double(body.text("value").map_or(0.0, double))
        }
        "google.protobuf.StringValue" => Val::string(body.text("value").unwrap_or_default()),
        "google.protobuf.BytesValue" => match body.get("value") {
            Some(Field::Bytes(bytes)) => Val::bytes(bytes.as_slice()),
            _ => Val::bytes(Vec::new()),
        },
        "google.protobuf.Value" => json_value(body),
        "google.protobuf.ListValue" => Val::list(body.all("values").map(json_value).collect()),
        "google.protobuf.Struct" => json_struct(body),
        _ => return None,
    })
}

fn json_struct(message: &Message) -> Val<'static> {
    let fields = message.all("fields").map(|field| {
        let key = Val::string(field.text("key").unwrap_or_default());
        (key, field.message("value").map_or(Val::Null, json_value))
    });
    Val::map(fields.collect())
}

fn json_value(message: &Message) -> Val<'static> {
    match message.0.first().map(|(kind, field)| (kind.as_str(), field)) {
        Some(("bool_value", Field::Scalar(text))) => Val::Bool(text == "true"),
        Some(("number_value", Field::Scalar(text))) => Val::Double(double(text)),
        Some(("string_value", Field::Bytes(bytes))) => {
            Val::string(String::from_utf8_lossy(bytes).into_owned())
        }
        Some(("struct_value", Field::Message(fields))) => json_struct(fields),
        Some(("list_value", Field::Message(list))) => {
            Val::list(list.all("values").map(json_value).collect())
        }
        _ => Val::Null,
    }
}

/// The type of a `cel.expr.Type`.
fn type_of(message: &Message) -> Type {
    let Some((kind, field)) = message.0.first() else { return Type::Dyn };
    let primitive = |name: &str| match name {
        "BOOL" => Type::Bool,
        "INT64" => Type::Int,
        "UINT64" => Type::Uint,
        "DOUBLE" => Type::Double,
        "STRING" => Type::String,
        _ => Type::Bytes,
    };
    match (kind.as_str(), field) {
        ("primitive", Field::Scalar(name)) => primitive(name),
        ("wrapper", Field::Scalar(name)) => {
            let name = match name.as_str() {
                "BOOL" => "Bool",
                "INT64" => "Int64",
                "UINT64" => "UInt64",
                "DOUBLE" => "Double",
                "STRING" => "String",
                _ => "Bytes",
            };
            Type::well_known(&format!("google.protobuf.{name}Value")).expect("a wrapper")
        }
        ("well_known", Field::Scalar(name)) => match name.as_str() {
            "TIMESTAMP" => Type::Timestamp,
            "DURATION" => Type::Duration,
            _ => Type::Any,
        },
        ("list_type", Field::Message(list)) => {
            Type::list(list.message("elem_type").map_or(Type::Dyn, type_of))
        }
        ("map_type", Field::Message(map)) => Type::map(
            map.message("key_type").map_or(Type::Dyn, type_of),
            map.message("value_type").map_or(Type::Dyn, type_of),
        ),
        ("message_type", Field::Bytes(name)) => Type::object(&String::from_utf8_lossy(name)),
        ("null", _) => Type::Null,
        ("type", Field::Message(of)) => {
            if of.0.is_empty() {
                Type::Type(None)
            } else {
                Type::type_of(type_of(of))
            }
        }
        ("type_param", Field::Bytes(name)) => Type::param(&String::from_utf8_lossy(name)),
        ("abstract_type", Field::Message(of)) => {
            let params = of.all("parameter_types").map(type_of).collect();
            Type::opaque(of.text("name").unwrap_or_default(), params)
        }
        _ => Type::Dyn,
    }
}

fn overload_of(message: &Message) -> OverloadDecl {
    OverloadDecl::new(
        message.text("overload_id").unwrap_or_default(),
        message.text("is_instance_function") == Some("true"),
        message.all("params").map(type_of).collect(),
        message.message("result_type").map_or(Type::Dyn, type_of),
    )
}

struct NoTypes;

impl TypeProvider for NoTypes {
    fn find_type(&self, _: &str) -> Option<Type> {
        None
    }

    fn find_field(&self, _: &str, _: &str) -> Option<Type> {
        None
    }
}

fn modules() -> Vec<Module> {
    vec![
        library::standard::module(),
        library::strings::module(4),
        library::math::module(2),
        library::encoders::module(),
        library::bindings::module(),
        library::optionals::module(2),
        library::comprehensions::module(),
    ]
}

fn same(got: &Val<'_>, wanted: &Val<'_>) -> bool {
    match (got, wanted) {
        (Val::Double(a), Val::Double(b)) => a == b || (a.is_nan() && b.is_nan()),
        (Val::List(a), Val::List(b)) => {
            a.len() == b.len()
                && a.iter()
                    .zip(b.iter())
                    .all(|(a, b)| matches!((a, b), (Ok(a), Ok(b)) if same(&a, &b)))
        }
        (Val::Map(a), Val::Map(Map::Owned(b))) => {
            a.len() == b.entries().len()
                && b.entries().iter().all(
                    |(key, value)| matches!(a.find(key), Ok(Some(found)) if same(&found, value)),
                )
        }
        (Val::Optional(Some(a)), _) => same(a, wanted),
        _ => {
            got.type_name() == wanted.type_name()
                && ordain_cel::value::equal::equal(
                    got,
                    wanted,
                    &ordain_cel::meter::Meter::default(),
                )
                .unwrap_or(false)
        }
    }
}

struct Suite {
    builder: EnvBuilder,
    extra: std::cell::RefCell<Vec<FunctionDecl>>,
    env: Env,
    functions: Functions,
}

impl Suite {
    fn new() -> Self {
        let options = EnvOptions { cross_type_comparisons: true, homogeneous_literals: false };
        let mut builder =
            Env::builder().options(options).escaped_identifiers(true).provider(Arc::new(NoTypes));
        let mut functions = Functions::new();
        for module in modules() {
            let mut library = module.library();
            // Format strings are checked when they run, as the data expects.
            library.validators.clear();
            builder = builder.library(library);
            functions = functions.module(&module);
        }
        let env = builder.clone().build().expect("the libraries agree");
        Self { builder, extra: Vec::new().into(), env, functions }
    }

    /// Adds the functions that a case declares; they only serve type deduction.
    fn extend(&self, env: &mut Env, function: FunctionDecl) {
        let mut extra = self.extra.borrow_mut();
        extra.push(function);
        let builder = extra.iter().cloned().fold(self.builder.clone(), EnvBuilder::function);
        *env = builder.build().expect("the case's functions fit");
    }

    /// Why a case fails.
    fn run(&self, case: &Message) -> Result<(), String> {
        self.extra.borrow_mut().clear();
        let mut env = self.env.clone();
        for decl in case.all("type_env") {
            if let (Some(name), Some(function)) = (decl.text("name"), decl.message("function")) {
                let mut declared = FunctionDecl::new(name);
                declared.overloads = function.all("overloads").map(overload_of).collect();
                self.extend(&mut env, declared);
            }
        }
        if let Some(container) = case.text("container") {
            env = env.with_container(container);
        }
        for decl in case.all("type_env") {
            if let (Some(name), Some(ident)) = (decl.text("name"), decl.message("ident")) {
                env = env.with_variable(name, ident.message("type").map_or(Type::Dyn, type_of));
            }
        }
        let wants_error =
            case.message("eval_error").is_some() || case.message("any_eval_errors").is_some();
        let checked = match env.compile(case.text("expr").unwrap_or_default()) {
            Ok(checked) => checked,
            Err(_) if wants_error => return Ok(()),
            Err(error) => return Err(format!("compile: {error}")),
        };
        let typed = case.message("typed_result");
        if let Some(wanted) = typed.and_then(|typed| typed.message("deduced_type")) {
            let (wanted, got) = (type_of(wanted).to_string(), checked.result_type().to_string());
            if wanted != got {
                return Err(format!("type {got}, not {wanted}"));
            }
        }
        if case.text("check_only") == Some("true") {
            return Ok(());
        }
        let program = match Program::new(&checked, &self.functions) {
            Ok(program) => program,
            Err(_) if wants_error => return Ok(()),
            Err(error) => return Err(format!("program: {error}")),
        };
        let mut activation = Activation::new();
        for binding in case.all("bindings") {
            let value = binding.message("value").and_then(|value| value.message("value"));
            let value = value.and_then(value_of).ok_or("binding that is no plain value")?;
            activation = activation.bind(binding.text("key").unwrap_or_default(), value);
        }
        let outcome = program.eval(&activation, EvalOptions::default());
        match (outcome.value, wants_error) {
            (Err(_), true) => Ok(()),
            (Ok(value), true) => Err(format!("{} instead of an error", show::plain(&value))),
            (Err(error), false) => Err(format!("error: {error}")),
            (Ok(got), false) => {
                let result = typed
                    .and_then(|typed| typed.message("result"))
                    .or_else(|| case.message("value"));
                let wanted = result
                    .map_or(Some(Val::Bool(true)), value_of)
                    .ok_or("result that is no plain value")?;
                if same(&got, &wanted) { Ok(()) } else { Err(format!("{got:?}, not {wanted:?}")) }
            }
        }
    }
}

#[test]
fn the_language_conforms_to_its_data() {
    let Some(folder) = ordain_testkit::transcript::outside("cel-spec") else { return };
    let suite = Suite::new();
    let (mut passed, mut failed) = (0usize, Vec::new());
    let mut excluded: BTreeMap<&str, usize> = BTreeMap::new();
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("a readable folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    for path in files {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        let text = std::fs::read(&path).expect("a readable file");
        let whole = EXCLUDED_FILES.iter().find(|(file, _)| *file == name);
        let file = Reader { rest: &text }.message();
        for section in file.all("section") {
            for case in section.all("test") {
                if let Some(reason) = whole.map(|(_, reason)| *reason).or_else(|| exclusion(case)) {
                    *excluded.entry(reason).or_default() += 1;
                    continue;
                }
                match suite.run(case) {
                    Ok(()) => passed += 1,
                    Err(reason) => failed.push(format!(
                        "{name} {}/{}: {}: {reason}",
                        section.text("name").unwrap_or_default(),
                        case.text("name").unwrap_or_default(),
                        case.text("expr").unwrap_or_default(),
                    )),
                }
            }
        }
    }
    let total = passed + failed.len();
    eprintln!("conformance: {passed} of {total}; excluded {excluded:?}");
    for failure in &failed {
        eprintln!("  {failure}");
    }
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    let share = passed as f64 / total as f64;
    assert!(share >= BAR, "{share:.4} is below the bar");
}
