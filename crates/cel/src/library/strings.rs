//! The strings library.

use super::{Args, Function, Module, format, format_check};
use crate::check::Validator;
use crate::types::Type;
use crate::value::{Error, Result, Str, Val};
use ordain_go::text as go_text;

/// The strings library in one of its versions 0 to 4; the newest has `reverse` and prints floats
/// plainly.
///
/// A table: one function of the library after the other.
#[must_use]
pub fn module(version: u32) -> Module {
    use Type::{Int, String};
    let mut module = Module::new("cel.lib.ext.strings")
        .function(Function::new("charAt").member(
            "string_char_at_int",
            [String, Int],
            String,
            char_at,
        ))
        .function(
            Function::new("indexOf")
                .member("string_index_of_string", [String, String], Int, index_of)
                .member("string_index_of_string_int", [String, String, Int], Int, index_of),
        )
        .function(
            Function::new("lastIndexOf")
                .member("string_last_index_of_string", [String, String], Int, last_index_of)
                .member(
                    "string_last_index_of_string_int",
                    [String, String, Int],
                    Int,
                    last_index_of,
                ),
        )
        .function(Function::new("lowerAscii").member(
            "string_lower_ascii",
            [String],
            String,
            lower_ascii,
        ))
        .function(
            Function::new("replace")
                .member("string_replace_string_string", [String, String, String], String, replace)
                .member(
                    "string_replace_string_string_int",
                    [String, String, String, Int],
                    String,
                    replace,
                ),
        )
        .function(
            Function::new("split")
                .member("string_split_string", [String, String], Type::list(String), split)
                .member(
                    "string_split_string_int",
                    [String, String, Int],
                    Type::list(String),
                    split,
                ),
        )
        .function(
            Function::new("substring")
                .member("string_substring_int", [String, Int], String, substring)
                .member("string_substring_int_int", [String, Int, Int], String, substring),
        )
        .function(Function::new("trim").member("string_trim", [String], String, trim))
        .function(Function::new("upperAscii").member(
            "string_upper_ascii",
            [String],
            String,
            upper_ascii,
        ));
    if version >= 1 {
        let args = [String, Type::list(Type::Dyn)];
        let call = if version >= 4 { format_plain } else { format_localized };
        module = module
            .function(Function::new("format").member("string_format", args, String, call))
            .function(Function::new("strings.quote").overload(
                "strings_quote",
                [String],
                String,
                quote,
            ))
            .declare(|library| {
                library.mixed_literal_functions.push("format");
                let check = if version >= 4 {
                    format_check::check_plain
                } else {
                    format_check::check_localized
                };
                library.validators.push(Validator::Call { function: "format", check });
            });
    }
    let strings = || Type::list(String);
    module = module.function(
        Function::new("join").member("list_join", [strings()], String, join).member(
            "list_join_string",
            [strings(), String],
            String,
            join,
        ),
    );
    if version >= 3 {
        module = module.function(Function::new("reverse").member(
            "string_reverse",
            [String],
            String,
            reverse,
        ));
    }
    module
}

fn out_of_range(index: i64) -> Error {
    Error::new(format!("index out of range: {index}"))
}

/// The byte position of a character, or of the end.
fn position(text: &str, index: i64) -> Option<usize> {
    let index = usize::try_from(index).ok()?;
    text.char_indices().map(|(at, _)| at).chain([text.len()]).nth(index)
}

fn char_at<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    let (text, index) = (args.text(0)?, args.int(1)?);
    let at = position(text, index).ok_or_else(|| out_of_range(index))?;
    Ok(Val::string(text[at..].chars().next().map(String::from).unwrap_or_default()))
}

fn count(text: &str) -> i64 {
    i64::try_from(text.chars().count()).unwrap_or(i64::MAX)
}

fn index_of<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    let (text, part) = (args.text(0)?, args.text(1)?);
    let offset = args.at(2).as_int().unwrap_or(0);
    if part.is_empty() {
        return Ok(Val::Int(offset));
    }
    if offset < 0 {
        return Err(out_of_range(offset));
    }
    let Some(start) = position(text, offset) else { return Ok(Val::Int(-1)) };
    Ok(Val::Int(text[start..].find(part).map_or(-1, |at| offset + count(&text[start..start + at]))))
}

fn last_index_of<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    let (text, part) = (args.text(0)?, args.text(1)?);
    let len = count(text);
    let offset = match args.at(2).as_int() {
        None if part.is_empty() => return Ok(Val::Int(len)),
        None if text.len() < part.len() => return Ok(Val::Int(-1)),
        None => len - 1,
        Some(offset) if part.is_empty() => return Ok(Val::Int(offset)),
        Some(offset) => offset,
    };
    if offset < 0 {
        return Err(out_of_range(offset));
    }
    if offset >= len {
        return Ok(Val::Int(-1));
    }
    // The last place where a match may start.
    let last = offset.min(len - count(part));
    let Some(start) = position(text, last).filter(|_| last >= 0) else { return Ok(Val::Int(-1)) };
    let end = (start + part.len()).min(text.len());
    let Some(window) = text.get(..end).or_else(|| text.get(..ceil(text, end))) else {
        return Ok(Val::Int(-1));
    };
    let found = window.rmatch_indices(part).map(|(at, _)| at).find(|at| *at <= start);
    let found = found.or_else(|| overlapping(text, part, start));
    Ok(Val::Int(found.map_or(-1, |at| count(&text[..at]))))
}

fn ceil(text: &str, mut at: usize) -> usize {
    while at < text.len() && !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

/// The last match that starts at or before `start`, overlapping matches included.
fn overlapping(text: &str, part: &str, start: usize) -> Option<usize> {
    text.char_indices()
        .map(|(at, _)| at)
        .take_while(|at| *at <= start)
        .filter(|at| text[*at..].starts_with(part))
        .last()
}

fn lower_ascii<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::string(args.text(0)?.to_ascii_lowercase()))
}

fn upper_ascii<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::string(args.text(0)?.to_ascii_uppercase()))
}

fn replace<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    let (text, old, new) = (args.text(0)?, args.text(1)?, args.text(2)?);
    let limit = match args.at(3).as_int() {
        None => usize::MAX,
        Some(limit) => usize::try_from(limit).unwrap_or(usize::MAX),
    };
    let matches = text.matches(old).take(limit).count();
    args.meter().made_text(matches.saturating_mul(new.len()))?;
    Ok(Val::string(if limit == usize::MAX {
        text.replace(old, new)
    } else {
        text.replacen(old, new, limit)
    }))
}

fn split<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    let (text, separator) = (args.text(0)?, args.text(1)?);
    let limit = args.at(2).as_int().unwrap_or(-1);
    if limit == 0 {
        return Ok(Val::list(Vec::new()));
    }
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    // Parts take much more room than the text.
    args.meter().made_items(text.matches(separator).take(limit).count())?;
    let parts: Vec<Val<'_>> = if separator.is_empty() {
        explode(text, limit)
    } else {
        text.splitn(limit, separator).map(Val::string).collect()
    };
    Ok(Val::list(parts))
}

/// One part per character, the rest in the last.
fn explode<'a>(text: &str, limit: usize) -> Vec<Val<'a>> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let len = if parts.len() + 1 == limit { rest.len() } else { c.len_utf8() };
        parts.push(Val::string(&rest[..len]));
        rest = &rest[len..];
    }
    parts
}

fn substring<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    let (text, start) = (args.text(0)?, args.int(1)?);
    let end = args.at(2).as_int();
    if let Some(end) = end.filter(|end| start > *end) {
        let message = format!("invalid substring range. start: {start}, end: {end}");
        return Err(Error::new(message));
    }
    let from = position(text, start).ok_or_else(|| out_of_range(start))?;
    let to = match end {
        None => text.len(),
        Some(end) => position(text, end).ok_or_else(|| out_of_range(end))?,
    };
    Ok(Val::string(&text[from..to]))
}

fn trim<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(match args.at(0) {
        Val::Str(Str::Ref(text)) => Val::Str(Str::Ref(go_text::trim_space(text))),
        _ => Val::string(go_text::trim_space(args.text(0)?)),
    })
}

fn reverse<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::string(args.text(0)?.chars().rev().collect::<String>()))
}

fn join<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    let separator = args.at(1).as_str().unwrap_or("");
    let mut out = String::new();
    for (index, item) in args.items(0)?.enumerate() {
        if index > 0 {
            args.meter().made_text(separator.len())?;
            out.push_str(separator);
        }
        let item = item.map_err(|error| {
            if error.is_cancelled() {
                return error;
            }
            Error::new(format!("join: invalid input: {}", error.message()))
        })?;
        let Some(text) = item.as_str() else {
            let shown = crate::value::show::plain(&item);
            return Err(Error::new(format!("join: invalid input: {shown}")));
        };
        args.meter().made_text(text.len())?;
        out.push_str(text);
    }
    Ok(Val::string(out))
}

fn quote<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    let mut out = String::from("\"");
    for c in args.text(0)?.chars() {
        match c {
            '\x07' => out.push_str("\\a"),
            '\x08' => out.push_str("\\b"),
            '\x0c' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\x0b' => out.push_str("\\v"),
            '\\' => out.push_str("\\\\"),
            '"' => out.push_str("\\\""),
            c => out.push(c),
        }
    }
    out.push('"');
    Ok(Val::string(out))
}

fn format_localized<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    format::format(args.text(0)?, args.list(1)?, true, args.meter()).map(Val::string)
}

fn format_plain<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    format::format(args.text(0)?, args.list(1)?, false, args.meter()).map(Val::string)
}
