//! What the rules of Kubernetes' own kinds use beyond those of declared kinds.

use std::collections::BTreeSet;

use ordain_cel::library::{Args, Function, Module};
use ordain_cel::types::Type;
use ordain_cel::value::{Error, Result, Val};
use ordain_meta::format;

/// Sets of texts, places in lists, formats by name, and paths.
#[must_use]
pub fn module() -> Module {
    use Type::{Bool, Int, String};
    Module::new("ordain.written")
        .function(Function::new("keySet").overload(
            "key_set_list_string",
            [Type::list(String)],
            Type::map(String, Bool),
            key_set,
        ))
        .function(Function::new("firstPlaces").overload(
            "first_places_list_string",
            [Type::list(String)],
            Type::map(String, Int),
            first_places,
        ))
        .function(Function::new("lastPlaces").overload(
            "last_places_list_string",
            [Type::list(String)],
            Type::map(String, Int),
            last_places,
        ))
        .function(Function::new("problems").member(
            "string_problems_string",
            [String, String],
            Type::list(String),
            problems,
        ))
        .function(Function::new("cleanPath").member(
            "string_clean_path",
            [String],
            String,
            clean_path,
        ))
}

/// `keySet(['a', 'b'])`: a map with these keys, for a fast `in`.
fn key_set<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    let items = args.items(0)?;
    let mut entries = Vec::with_capacity(items.len());
    for item in items {
        entries.push((item?, Val::Bool(true)));
    }
    Ok(Val::map(entries))
}

/// `firstPlaces(['a', 'b', 'a'])`: each text with the place where it is first. What asks for items
/// before an item by going over them all takes the square of their number.
fn first_places<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    places(args.items(0)?.enumerate())
}

/// `lastPlaces(['a', 'b', 'a'])`: each text with the place where it is last.
fn last_places<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    let list: Vec<_> = args.items(0)?.enumerate().collect();
    places(list.into_iter().rev())
}

/// Each text with the place that comes with it first.
fn places<'a>(list: impl Iterator<Item = (usize, Result<Val<'a>>)>) -> Result<Val<'a>> {
    let mut seen = BTreeSet::new();
    let mut entries = Vec::new();
    for (at, item) in list {
        let item = item?;
        if seen.insert(item.as_str().unwrap_or_default().to_owned()) {
            entries.push((item, Val::Int(i64::try_from(at).unwrap_or(i64::MAX))));
        }
    }
    Ok(Val::map(entries))
}

/// `'/a/../b//'.cleanPath()`: the shortest path that means the same, as Go's `path.Clean` says it.
fn clean_path<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    let text = args.text(0)?;
    let rooted = text.starts_with('/');
    let mut steps: Vec<&str> = Vec::new();
    for step in text.split('/') {
        match step {
            "" | "." => {}
            ".." if steps.last().is_some_and(|it| *it != "..") => drop(steps.pop()),
            ".." if rooted => {}
            step => steps.push(step),
        }
    }
    let joined = steps.join("/");
    Ok(Val::string(match (rooted, joined.is_empty()) {
        (true, _) => format!("/{joined}"),
        (false, true) => ".".to_owned(),
        (false, false) => joined,
    }))
}

/// `name.problems('dns-label')`: what is wrong with a text, in the words of the format.
fn problems<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    let (text, name) = (args.text(0)?, args.text(1)?);
    let problems = format::find(name).ok_or_else(|| Error::new(format!("no format {name}")))?;
    Ok(Val::list(problems(text).into_iter().map(Val::string).collect()))
}
