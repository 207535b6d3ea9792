//! `k8s(…)`: the tags of validation-gen, which give its texts and error kinds.
//!
//! Names are those of the tags in snake_case. Tags that hold another tag hold settings here:
//! `k8s(each_val(max_length = 63))` is `+k8s:eachVal=+k8s:maxLength=63`.

use syn::{Lit, Result};

use crate::attribute::{Entry, Given, Setting};
use crate::case::camel;
use crate::tag::{go_quote, word};

/// Tags without a value.
const FLAGS: &[&str] = &[
    "required",
    "optional",
    "forbidden",
    "immutable",
    "custom_unique",
    "opaque_type",
    "enum",
    "enum_exclude",
];
/// Tags with a whole number.
const SIZES: &[&str] = &["max_length", "min_length", "max_bytes", "min_items", "max_items"];
/// Tags with a number that may be negative.
const NUMBERS: &[&str] = &["minimum", "maximum"];
/// Tags with a word.
const WORDS: &[&str] = &["format", "update", "list_type", "list_map_key", "unique"];
/// Tags that hold others, without arguments.
const EACH: &[&str] = &["each_val", "each_key"];
/// Tags that hold others, with one text before them.
const UNDER: &[&str] = &["if_enabled", "if_disabled", "subfield"];
/// Tags that hold others, perhaps with the version that they are there since.
const LEVELS: &[&str] = &["alpha", "beta"];
/// Tags with named arguments only.
const NAMED: &[&str] =
    &["union_discriminator", "union_member", "zero_or_one_of_member", "discriminator"];

/// The names of all tags.
#[cfg(test)]
pub(crate) fn names() -> Vec<&'static str> {
    [FLAGS, SIZES, NUMBERS, WORDS, EACH, UNDER, LEVELS, NAMED, &["neq", "item", "member"]].concat()
}

/// The tags of one setting, without `+`.
pub(crate) fn tags(setting: &Setting) -> Result<Vec<String>> {
    let name = setting.word();
    let tag = format!("k8s:{}", camel(&name));
    let is = |names: &[&str]| names.contains(&name.as_str());
    if is(FLAGS) {
        setting.flag()?;
        return Ok(vec![tag]);
    }
    if is(SIZES) {
        return Ok(vec![format!("{tag}={}", setting.size()?)]);
    }
    if is(NUMBERS) {
        return Ok(vec![format!("{tag}={}", setting.number()?)]);
    }
    if is(WORDS) {
        return Ok(vec![format!("{tag}={}", word(setting)?)]);
    }
    if is(EACH) {
        return below(&tag, setting, setting.settings()?);
    }
    if is(UNDER) {
        return under(&tag, setting);
    }
    if is(LEVELS) {
        return level(&tag, setting);
    }
    if is(NAMED) {
        return named(&tag, setting);
    }
    match name.as_str() {
        "neq" => Ok(vec![format!("{tag}={}", scalar(setting)?)]),
        "member" => member(&tag, setting),
        "item" => item(&tag, setting),
        _ => {
            let message = format!(
                "`k8s({name})` is none of validation-gen's tags; a tag may also be written as \
                 `tag = \"k8s:…\"`"
            );
            Err(setting.refuse(message))
        }
    }
}

fn below(head: &str, setting: &Setting, inner: Vec<&Setting>) -> Result<Vec<String>> {
    let mut out = Vec::new();
    for it in inner {
        out.extend(tags(it)?.into_iter().map(|tag| format!("{head}=+{tag}")));
    }
    if out.is_empty() {
        return Err(setting.refuse(format!("`{}` holds no rule", setting.word())));
    }
    Ok(out)
}

/// `if_enabled("Option", required)`.
fn under(tag: &str, setting: &Setting) -> Result<Vec<String>> {
    let entries = setting.entries()?;
    let Some((Entry::Literal(Lit::Str(first)), rest)) = entries.split_first() else {
        let name = setting.word();
        return Err(setting.refuse(format!("write it like `{name}(\"Name\", required)`")));
    };
    let head = format!("{tag}({})", go_quote(&first.value()));
    below(&head, setting, settings_of(setting, rest)?)
}

/// `alpha(since = "1.36", minimum = 1)`.
fn level(tag: &str, setting: &Setting) -> Result<Vec<String>> {
    let (arguments, inner) = split(setting, &["since"])?;
    let head = if arguments.is_empty() { tag.to_owned() } else { format!("{tag}({arguments})") };
    below(&head, setting, inner)
}

/// `member("Value", required)`, or `member(discriminator = "name", value = "Value", required)`.
fn member(tag: &str, setting: &Setting) -> Result<Vec<String>> {
    if let Some(Entry::Literal(_)) = setting.entries()?.first() {
        return under(tag, setting);
    }
    let (arguments, inner) = split(setting, &["discriminator", "value"])?;
    if !arguments.contains("value: ") {
        let message = "for which value? `member(\"Value\", required)`";
        return Err(setting.refuse(message));
    }
    below(&format!("{tag}({arguments})"), setting, inner)
}

/// The named arguments of a tag that holds others, and the others.
fn split<'a>(setting: &'a Setting, names: &[&str]) -> Result<(String, Vec<&'a Setting>)> {
    let (mut arguments, mut inner) = (Vec::new(), Vec::new());
    for it in setting.settings()? {
        let name = it.word();
        if names.contains(&name.as_str()) {
            arguments.push(format!("{name}: {}", go_quote(&it.text()?)));
        } else {
            inner.push(it);
        }
    }
    Ok((arguments.join(", "), inner))
}

/// `union_member(union = "name", member_name = "Value")`.
fn named(tag: &str, setting: &Setting) -> Result<Vec<String>> {
    if let Given::Nothing = setting.value {
        return Ok(vec![tag.to_owned()]);
    }
    let mut parts = Vec::new();
    for it in setting.settings()? {
        match it.word().as_str() {
            name @ ("union" | "member_name" | "name") => {
                parts.push(format!("{}: {}", camel(name), go_quote(&it.text()?)));
            }
            name => {
                return Err(it.refuse(format!("`{}` has no `{name}`", setting.word())));
            }
        }
    }
    Ok(vec![format!("{tag}({})", parts.join(", "))])
}

/// `item(key(name = "main"), immutable)`.
fn item(tag: &str, setting: &Setting) -> Result<Vec<String>> {
    let (mut keys, mut inner) = (Vec::new(), Vec::new());
    for it in setting.settings()? {
        if it.is("key") {
            for key in it.settings()? {
                keys.push(format!("{}: {}", key.word(), scalar(key)?));
            }
        } else {
            inner.push(it);
        }
    }
    if keys.is_empty() {
        return Err(setting.refuse("which item? `item(key(name = \"main\"), immutable)`"));
    }
    below(&format!("{tag}({})", keys.join(", ")), setting, inner)
}

fn settings_of<'a>(setting: &Setting, entries: &'a [Entry]) -> Result<Vec<&'a Setting>> {
    entries
        .iter()
        .map(|entry| match entry {
            Entry::Setting(it) => Ok(it),
            Entry::Literal(_) => Err(setting.refuse("only the first entry is a text")),
        })
        .collect()
}

/// A text in quotes, a number or a boolean.
fn scalar(setting: &Setting) -> Result<String> {
    if let Ok(text) = setting.text() {
        return Ok(go_quote(&text));
    }
    if let Given::Value(tokens) = &setting.value
        && let Ok(Lit::Bool(it)) = syn::parse2::<Lit>(tokens.clone())
    {
        return Ok(it.value.to_string());
    }
    setting.number()
}
