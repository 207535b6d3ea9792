//! `.ordain.yaml`: options of commands that a project keeps. Its keys are the long flags of the
//! commands, so that there is one list of options; a flag on the command line wins.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command, parser::ValueSource};
use ordain_value::{Map, Value, value, yaml};

pub(crate) const API_VERSION: &str = "ordain.dev/v1alpha1";
pub(crate) const KIND: &str = "Config";
const NAME: &str = ".ordain.yaml";
/// The commands that a file can have options for.
pub(crate) const SECTIONS: [&str; 2] = ["validate", "lint"];
/// Commands that take the places of kinds from another's options.
const INHERIT: [(&str, &str); 2] = [("lsp", "validate"), ("explain-defaults", "validate")];
const INHERITED: [&str; 7] =
    ["crds", "types", "openapi", "schemas", "cluster", "kubeconfig", "context"];
/// The gates count for all commands that know gates.
const GATES: &str = "featureGates";
/// Options that make no sense in a file.
const LEFT_OUT: [&str; 3] = ["help", "config", "rules"];

/// The arguments with what a file adds to them.
///
/// # Errors
/// When the file cannot be read or says something unknown.
pub(crate) fn extend(command: &Command, arguments: Vec<OsString>) -> Result<Vec<OsString>, String> {
    let Ok(matches) = command.clone().try_get_matches_from(&arguments) else {
        // What is wrong with the arguments is reported when they are read for good.
        return Ok(arguments);
    };
    let Some((name, given)) = matches.subcommand() else { return Ok(arguments) };
    let Some(sub) = command.find_subcommand(name) else { return Ok(arguments) };
    let heir = INHERIT.iter().find(|(heir, _)| *heir == name);
    let knows_gates = argument(sub, GATES).is_some() && name != "serve";
    if !SECTIONS.contains(&name) && heir.is_none() && !knows_gates {
        return Ok(arguments);
    }
    let Some(file) = file(&matches)? else { return Ok(arguments) };
    let fail = |why: String| format!("{}: {why}", file.display());
    let bytes = std::fs::read(&file).map_err(|error| fail(error.to_string()))?;
    let document = yaml::decode_first(&bytes, yaml::Options::default());
    let value = document.and_then(|it| it.value).map_err(|error| fail(error.to_string()))?;
    check(command, &value).map_err(fail)?;
    let folder = file.parent().unwrap_or(Path::new("")).to_path_buf();
    let part = |name: &str| value.get(name).and_then(Value::as_map).cloned().unwrap_or_default();
    let mut section = match heir {
        Some((_, from)) => {
            let from = part(from);
            let places = from.iter().filter(|(key, _)| INHERITED.contains(&key.as_str()));
            places.map(|(key, value)| (key.clone(), value.clone())).collect()
        }
        None => part(name),
    };
    if let (Some(gates), false) = (value.get(GATES), section.contains_key(GATES)) {
        section.insert(GATES, gates.clone());
    }
    let mut added = Vec::new();
    for (key, value) in section.iter() {
        let Some(arg) = argument(sub, key) else { continue };
        if !was_given(given, arg) {
            added.extend(
                flags(arg, value, &folder)
                    .map_err(|why| format!("{}: {name}.{key}: {why}", file.display()))?,
            );
        }
    }
    // Right behind the command, so that they are flags even when a `--` follows.
    let at = position(&arguments, name);
    let mut arguments = arguments;
    arguments.splice(at..at, added);
    Ok(arguments)
}

/// The place behind the name of the command.
fn position(arguments: &[OsString], name: &str) -> usize {
    let is_command = |at: &usize| {
        arguments[*at] == name && arguments.get(at - 1).is_none_or(|it| it != "--config")
    };
    (1..arguments.len()).find(is_command).map_or(arguments.len(), |at| at + 1)
}

fn was_given(matches: &ArgMatches, arg: &Arg) -> bool {
    let source = matches.value_source(arg.get_id().as_str());
    matches!(source, Some(ValueSource::CommandLine | ValueSource::EnvVariable))
}

/// The file in force: `--config`, else the nearest above the working directory, up to the
/// repository.
fn file(matches: &ArgMatches) -> Result<Option<PathBuf>, String> {
    if let Some(named) = matches.get_one::<PathBuf>("config") {
        return Ok(Some(named.clone()).filter(|it| it.as_os_str() != "none"));
    }
    let here = std::env::current_dir().map_err(|error| error.to_string())?;
    for folder in here.ancestors() {
        let file = folder.join(NAME);
        if file.is_file() {
            // Shown and joined as the user would write it.
            return Ok(Some(if folder == here { PathBuf::from(NAME) } else { file }));
        }
        if folder.join(".git").exists() {
            break;
        }
    }
    Ok(None)
}

/// `ignoreMissingSchemas` of `--ignore-missing-schemas`.
fn key_of(arg: &Arg) -> Option<String> {
    if arg.is_positional() {
        return Some(arg.get_id().to_string());
    }
    let long = arg.get_long()?;
    let mut key = String::new();
    for (at, part) in long.split('-').enumerate() {
        let mut letters = part.chars();
        match (at, letters.next()) {
            (0, _) | (_, None) => key.push_str(part),
            (_, Some(first)) => {
                key.extend(first.to_uppercase());
                key.push_str(letters.as_str());
            }
        }
    }
    Some(key)
}

/// The options of a command that a file may have.
fn options(command: &Command) -> impl Iterator<Item = (String, &Arg)> {
    command
        .get_arguments()
        .filter(|arg| !arg.is_hide_set() && !LEFT_OUT.contains(&arg.get_id().as_str()))
        .filter_map(|arg| Some((key_of(arg)?, arg)))
}

fn argument<'a>(command: &'a Command, key: &str) -> Option<&'a Arg> {
    options(command).find(|(it, _)| it == key).map(|(_, arg)| arg)
}

fn check(command: &Command, value: &Value) -> Result<(), String> {
    let map = value.as_map().ok_or("no mapping")?;
    for (key, wanted) in [("apiVersion", API_VERSION), ("kind", KIND)] {
        if map.get(key).and_then(Value::as_str) != Some(wanted) {
            return Err(format!("{key} must be {wanted}"));
        }
    }
    for (key, section) in map.iter() {
        if matches!(key.as_str(), "apiVersion" | "kind" | "metadata" | GATES) {
            continue;
        }
        let sub = command.find_subcommand(key).filter(|_| SECTIONS.contains(&key.as_str()));
        let sub = sub.ok_or_else(|| format!("unknown key {key}"))?;
        let section = section.as_map().ok_or_else(|| format!("{key} is no mapping"))?;
        if let Some(unknown) = section.keys().find(|it| argument(sub, it).is_none()) {
            return Err(format!("unknown key {key}.{unknown}"));
        }
    }
    Ok(())
}

fn is_path(arg: &Arg) -> bool {
    let names = arg.get_value_names().unwrap_or_default();
    names.iter().any(|it| matches!(it.as_str(), "PATH" | "DIR" | "FILE"))
}

/// An option as flags.
fn flags(arg: &Arg, value: &Value, folder: &Path) -> Result<Vec<OsString>, String> {
    let long = arg.get_long().map(|it| format!("--{it}"));
    if matches!(arg.get_action(), ArgAction::SetTrue) {
        let on = value.as_bool().ok_or("expected true or false")?;
        return Ok(long.filter(|_| on).map(OsString::from).into_iter().collect());
    }
    let values: Vec<&Value> = match value {
        Value::List(list) if matches!(arg.get_action(), ArgAction::Append) => list.iter().collect(),
        one => vec![one],
    };
    let mut out = Vec::new();
    for value in values {
        let text = match value {
            Value::Str(text) => text.to_string(),
            Value::Int(number) => number.to_string(),
            _ => return Err("expected a text".to_owned()),
        };
        let text = if is_path(arg) && text != "-" {
            folder.join(text).into_os_string()
        } else {
            OsString::from(text)
        };
        out.extend(long.clone().map(OsString::from));
        out.push(text);
    }
    Ok(out)
}

/// The JSON Schema of the file, made from the flags.
pub(crate) fn schema(command: &Command) -> Value {
    let mut properties = Map::new();
    properties.insert("apiVersion", value!({"const": API_VERSION}));
    properties.insert("kind", value!({"const": KIND}));
    properties.insert("metadata", value!({"type": "object"}));
    properties.insert(
        GATES,
        value!({
            "type": "array",
            "items": {"type": "string"},
            "description": "Feature gates for all commands, as A=true; a command's own win."
        }),
    );
    for name in SECTIONS {
        let Some(sub) = command.find_subcommand(name) else { continue };
        let mut keys = Map::new();
        for (key, arg) in options(sub) {
            keys.insert(key, option_schema(arg));
        }
        let about = sub.get_about().map(ToString::to_string).unwrap_or_default();
        properties.insert(
            name,
            value!({
                "type": "object",
                "description": (format!("Options of `ordain {name}`: {about}")),
                "additionalProperties": false,
                "properties": Value::Map(keys)
            }),
        );
    }
    value!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": "https://ordain.dev/ordain.schema.json",
        "title": "ordain configuration (.ordain.yaml)",
        "type": "object",
        "required": ["apiVersion", "kind"],
        "additionalProperties": false,
        "properties": Value::Map(properties)
    })
}

fn option_schema(arg: &Arg) -> Value {
    let mut schema = Map::new();
    let about = arg.get_help().map(ToString::to_string).unwrap_or_default();
    schema.insert("description", about.into());
    let names = arg.get_value_names().unwrap_or_default();
    let is_number = names.iter().any(|it| it == "N");
    let mut one = Map::new();
    one.insert("type", if is_number { "integer" } else { "string" }.into());
    let possible: Vec<Value> = match arg.get_action() {
        ArgAction::SetTrue => Vec::new(),
        _ => arg.get_possible_values().iter().map(|it| it.get_name().into()).collect(),
    };
    if !possible.is_empty() {
        one.insert("enum", possible.into());
    }
    match arg.get_action() {
        ArgAction::SetTrue => drop(schema.insert("type", "boolean".into())),
        ArgAction::Append => {
            schema.insert("type", "array".into());
            schema.insert("items", Value::Map(one));
        }
        _ => one.iter().for_each(|(key, value)| drop(schema.insert(key.clone(), value.clone()))),
    }
    Value::Map(schema)
}
