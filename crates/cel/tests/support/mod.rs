//! An environment like that of custom resource rules, built from recorded declarations, and
//! types bound to a schema just far enough to check recorded rules.

#![allow(dead_code, reason = "each test uses its own part")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ordain_cel::ast::Const;
use ordain_cel::check::Validator;
use ordain_cel::decl::{FunctionDecl, VariableDecl};
use ordain_cel::env::{Env, EnvOptions, Library, TypeProvider};
use ordain_cel::library::strings;
use ordain_cel::syntax::macros;
use ordain_cel::types::Type;
use ordain_go::regex::GoRegex;
use ordain_go::time::{self as go_time, Timestamp};
use ordain_testkit::transcript;
use ordain_value::json;
use serde_json::Value;

pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The recorded cases of a vendored set whose file names start with `prefix`.
pub(crate) fn recorded_in(set: &str, prefix: &str) -> Vec<Value> {
    let folder = transcript::vendored().join(set);
    let cases = transcript::cases(&folder, prefix).expect("readable recordings");
    // A few cases nest deeper than this reader goes.
    let read = |case: &ordain_value::Value| serde_json::from_slice(&json::encode(case)).ok();
    cases.iter().filter_map(|(_, case)| read(case)).collect()
}

/// Reads a type such as `map(K,list(V))` or `object:kubernetes.URL`.
pub(crate) fn read_type(text: &str) -> Type {
    let (ty, rest) = read_type_prefix(text);
    assert!(rest.is_empty(), "`{text}` is a type");
    ty
}

fn read_type_prefix(text: &str) -> (Type, &str) {
    let end = text.find(['(', ')', ',']).unwrap_or(text.len());
    let (name, mut rest) = text.split_at(end);
    let mut params = Vec::new();
    if let Some(mut inner) = rest.strip_prefix('(') {
        loop {
            let (param, after) = read_type_prefix(inner);
            params.push(param);
            match after.strip_prefix(',') {
                Some(more) => inner = more,
                None => {
                    rest = after.strip_prefix(')').expect("closed");
                    break;
                }
            }
        }
    }
    let mut params = params.into_iter();
    let next = |params: &mut dyn Iterator<Item = Type>| params.next().expect("a parameter");
    let ty = match name {
        "list" => Type::list(next(&mut params)),
        "map" => Type::map(next(&mut params), next(&mut params)),
        "optional_type" => Type::optional(next(&mut params)),
        "type" => Type::Type(params.next().map(Arc::new)),
        "dyn" => Type::Dyn,
        "duration" => Type::Duration,
        "timestamp" => Type::Timestamp,
        "A" | "B" | "K" | "V" | "T" => Type::param(name),
        _ => match name.split_once(':') {
            Some(("object", name)) => Type::object(name),
            Some((_, name)) => Type::opaque(name, Vec::new()),
            None => Type::core(name).expect("a core type"),
        },
    };
    (ty, rest)
}

fn functions() -> Vec<FunctionDecl> {
    let path = repository().join("fixtures/cel/functions.tsv");
    let text = fs::read_to_string(path).expect("the declarations are readable");
    let mut functions: Vec<FunctionDecl> = Vec::new();
    for line in text.lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        let [_, name, id, style, params, result] = columns[..] else {
            panic!("six columns: {line}");
        };
        let params: Vec<Type> = params.split_whitespace().map(read_type).collect();
        let declared = FunctionDecl::new(name);
        let declared = if style == "member" {
            declared.member(id, params, read_type(result))
        } else {
            declared.overload(id, params, read_type(result))
        };
        functions.push(declared);
    }
    functions
}

fn is_duration(literal: &Const) -> bool {
    matches!(literal, Const::String(text) if go_time::parse_duration(text).is_some())
}

fn is_timestamp(literal: &Const) -> bool {
    match literal {
        Const::String(text) => Timestamp::parse(text).is_some(),
        Const::Int(seconds) => (-62_135_596_800..=253_402_300_799).contains(seconds),
        _ => false,
    }
}

fn is_pattern(literal: &Const) -> bool {
    matches!(literal, Const::String(text) if GoRegex::new(text).is_ok())
}

/// The environment of rules without variables.
pub(crate) fn base_env() -> Env {
    let mut all_macros = Vec::new();
    all_macros.extend(macros::STANDARD);
    all_macros.extend(macros::OPTIONAL);
    all_macros.extend(macros::TWO_VARIABLES);
    all_macros.extend(macros::SORT_BY);
    let mut format = strings::module(2).library();
    format.functions.clear();
    Env::builder()
        .library(format)
        .library(Library {
            name: "rules",
            functions: functions(),
            variables: vec![VariableDecl::new(
                "optional_type",
                Type::type_of(Type::optional(Type::Dyn)),
            )],
            macros: all_macros,
            validators: vec![
                Validator::HomogeneousLiterals,
                Validator::Literal { function: "duration", is_valid: is_duration },
                Validator::Literal { function: "timestamp", is_valid: is_timestamp },
                Validator::Literal { function: "matches", is_valid: is_pattern },
            ],
            mixed_literal_functions: vec!["format"],
            optional_syntax: true,
        })
        .options(EnvOptions { cross_type_comparisons: true, homogeneous_literals: false })
        .build()
        .expect("the declarations go together")
}

/// Object types by name.
#[derive(Default)]
pub(crate) struct Types {
    objects: BTreeMap<String, BTreeMap<String, Type>>,
}

impl TypeProvider for Types {
    fn find_type(&self, name: &str) -> Option<Type> {
        if self.objects.contains_key(name) {
            return Some(Type::object(name));
        }
        match name {
            "duration" => Some(Type::Duration),
            "timestamp" => Some(Type::Timestamp),
            _ => None,
        }
    }

    fn find_field(&self, object: &str, field: &str) -> Option<Type> {
        let fields = self.objects.get(object)?;
        let escaped = RESERVED.contains(&field).then(|| format!("__{field}__"));
        let found = fields.get(field).or_else(|| fields.get(&escaped?));
        found.cloned()
    }
}

impl Types {
    /// The type of a schema node; nothing when rules cannot see it.
    pub(crate) fn bind(&mut self, schema: &Value, name: &str, is_root: bool) -> Option<Type> {
        if schema["x-kubernetes-int-or-string"] == true {
            return Some(Type::Dyn);
        }
        let embedded = |schema: &Value| schema["x-kubernetes-embedded-resource"] == true;
        let kind = if is_root { "object" } else { schema["type"].as_str()? };
        Some(match kind {
            "array" => {
                let items = schema.get("items")?;
                let name = format!("{name}.@idx");
                Type::list(self.bind(items, &name, embedded(items))?)
            }
            "object" => {
                if let Some(values) = schema.get("additionalProperties").filter(|v| v.is_object()) {
                    let name = format!("{name}.@elem");
                    let value = self.bind(values, &name, embedded(values))?;
                    return Some(Type::map(Type::String, value));
                }
                let mut fields = BTreeMap::new();
                for (key, property) in schema["properties"].as_object().into_iter().flatten() {
                    let Some(escaped) = escape(key) else { continue };
                    let field = format!("{name}.{escaped}");
                    if let Some(ty) = self.bind(property, &field, embedded(property)) {
                        fields.insert(escaped, ty);
                    }
                }
                if is_root {
                    fields.insert("kind".to_owned(), Type::String);
                    fields.insert("apiVersion".to_owned(), Type::String);
                    let metadata = format!("{name}.metadata");
                    let names = ["name", "generateName"].map(|n| (n.to_owned(), Type::String));
                    self.objects.insert(metadata.clone(), names.into());
                    fields.insert("metadata".to_owned(), Type::object(&metadata));
                }
                self.objects.insert(name.to_owned(), fields);
                Type::object(name)
            }
            "string" => match schema["format"].as_str() {
                Some("byte") => Type::Bytes,
                Some("duration") => Type::Duration,
                Some("date" | "date-time") => Type::Timestamp,
                _ => Type::String,
            },
            "boolean" => Type::Bool,
            "number" => Type::Double,
            "integer" => Type::Int,
            _ => return None,
        })
    }
}

/// Names that properties cannot have as they are.
const RESERVED: [&str; 21] = [
    "true",
    "false",
    "null",
    "in",
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

fn escape(name: &str) -> Option<String> {
    if RESERVED.contains(&name) {
        return Some(format!("__{name}__"));
    }
    let mut chars = name.chars();
    let first = chars.next()?;
    if !(first.is_ascii_alphabetic() || "_.-/".contains(first))
        || !chars.all(|c| c.is_ascii_alphanumeric() || "_.-/".contains(c))
    {
        return None;
    }
    Some(
        name.replace("__", "__underscores__")
            .replace('.', "__dot__")
            .replace('-', "__dash__")
            .replace('/', "__slash__"),
    )
}

/// The environment of a rule at a schema node.
pub(crate) fn node_env(
    base: &Env,
    schema: &Value,
    is_root: bool,
    optional_old: bool,
) -> Option<Env> {
    let mut types = Types::default();
    let ty = types.bind(schema, "selfTypeN", is_root)?;
    let old = if optional_old { Type::optional(ty.clone()) } else { ty.clone() };
    Some(
        base.with_provider(Arc::new(types)).with_variable("self", ty).with_variable("oldSelf", old),
    )
}
