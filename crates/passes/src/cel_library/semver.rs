//! Semantic versions.

use std::cmp::Ordering;

use ordain_cel::library::{Args, Function, Module};
use ordain_cel::types::Type;
use ordain_cel::value::{Error, Opaque, Result, Val};
use ordain_value::go_quote;

/// The name of the type.
pub(super) const NAME: &str = "kubernetes.Semver";

/// A part of a pre-release.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Pre {
    Number(u64),
    Text(String),
}

/// A version; build metadata does not take part in comparisons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Semver {
    major: u64,
    minor: u64,
    patch: u64,
    pre: Vec<Pre>,
}

impl Opaque for Semver {
    fn type_name(&self) -> &str {
        NAME
    }

    fn equals(&self, other: &Val<'_>) -> Result<bool> {
        other
            .downcast::<Semver>()
            .map(|other| self.order(other) == Ordering::Equal)
            .ok_or_else(Error::no_such_overload)
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

impl Semver {
    fn order(&self, other: &Self) -> Ordering {
        let numbers = |it: &Self| (it.major, it.minor, it.patch);
        numbers(self).cmp(&numbers(other)).then_with(|| {
            match (self.pre.is_empty(), other.pre.is_empty()) {
                (true, true) => Ordering::Equal,
                (true, false) => Ordering::Greater,
                (false, true) => Ordering::Less,
                (false, false) => pre_order(&self.pre, &other.pre),
            }
        })
    }
}

fn pre_order(a: &[Pre], b: &[Pre]) -> Ordering {
    for (a, b) in a.iter().zip(b) {
        let order = match (a, b) {
            (Pre::Number(a), Pre::Number(b)) => a.cmp(b),
            (Pre::Number(_), Pre::Text(_)) => Ordering::Less,
            (Pre::Text(_), Pre::Number(_)) => Ordering::Greater,
            (Pre::Text(a), Pre::Text(b)) => a.cmp(b),
        };
        if order != Ordering::Equal {
            return order;
        }
    }
    a.len().cmp(&b.len())
}

pub(super) fn ty() -> Type {
    Type::object(NAME)
}

/// The semver library.
#[must_use]
pub fn module() -> Module {
    let two = || [ty(), ty()];
    let part = |name: &str, id: &str, call: ordain_cel::library::Call| {
        Function::new(name).member(id, [ty()], Type::Int, call)
    };
    Module::new("kubernetes.Semver")
        .function(
            Function::new("semver")
                .overload("string_to_semver", [Type::String], ty(), from_string)
                .overload("string_bool_to_semver", [Type::String, Type::Bool], ty(), from_string),
        )
        .function(
            Function::new("isSemver")
                .overload("is_semver_string", [Type::String], Type::Bool, is_semver)
                .overload(
                    "is_semver_string_bool",
                    [Type::String, Type::Bool],
                    Type::Bool,
                    is_semver,
                ),
        )
        .function(Function::new("isGreaterThan").member(
            "semver_is_greater_than",
            two(),
            Type::Bool,
            is_greater,
        ))
        .function(Function::new("isLessThan").member(
            "semver_is_less_than",
            two(),
            Type::Bool,
            is_less,
        ))
        .function(Function::new("compareTo").member(
            "semver_compare_to",
            two(),
            Type::Int,
            compare_to,
        ))
        .function(part("major", "semver_major", major))
        .function(part("minor", "semver_minor", minor))
        .function(part("patch", "semver_patch", patch))
}

fn number(text: &str, which: &str) -> std::result::Result<u64, String> {
    if !text.bytes().all(|b| b.is_ascii_digit()) {
        return Err(format!(
            "Invalid character(s) found in {} number {}",
            which.to_lowercase(),
            go_quote(text)
        ));
    }
    if text.len() > 1 && text.starts_with('0') {
        return Err(format!("{which} number must not contain leading zeroes {}", go_quote(text)));
    }
    parse_uint(text)
}

fn parse_uint(text: &str) -> std::result::Result<u64, String> {
    text.parse().map_err(|_| {
        let reason = if text.is_empty() { "invalid syntax" } else { "value out of range" };
        format!("strconv.ParseUint: parsing {}: {reason}", go_quote(text))
    })
}

fn is_identifier(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}

fn parse_pre(text: &str) -> std::result::Result<Pre, String> {
    if text.is_empty() {
        return Err("Prerelease is empty".to_owned());
    }
    if text.bytes().all(|b| b.is_ascii_digit()) {
        if text.len() > 1 && text.starts_with('0') {
            let message = "Numeric PreRelease version must not contain leading zeroes";
            return Err(format!("{message} {}", go_quote(text)));
        }
        return parse_uint(text).map(Pre::Number);
    }
    if !is_identifier(text) {
        return Err(format!("Invalid character(s) found in prerelease {}", go_quote(text)));
    }
    Ok(Pre::Text(text.to_owned()))
}

fn parse(text: &str) -> std::result::Result<Semver, String> {
    if text.is_empty() {
        return Err("Version string empty".to_owned());
    }
    let parts: Vec<&str> = text.splitn(3, '.').collect();
    let [major, minor, rest] = parts.as_slice() else {
        return Err("No Major.Minor.Patch elements found".to_owned());
    };
    let major = number(major, "Major")?;
    let minor = number(minor, "Minor")?;
    let (rest, build) =
        rest.split_once('+').map_or((*rest, None), |(rest, build)| (rest, Some(build)));
    let (patch, pre) = rest.split_once('-').map_or((rest, None), |(patch, pre)| (patch, Some(pre)));
    let patch = number(patch, "Patch")?;
    let pre = match pre {
        None => Vec::new(),
        Some(pre) => pre.split('.').map(parse_pre).collect::<std::result::Result<_, _>>()?,
    };
    for part in build.iter().flat_map(|build| build.split('.')) {
        if part.is_empty() {
            return Err("Build meta data is empty".to_owned());
        }
        if !is_identifier(part) {
            return Err(format!(
                "Invalid character(s) found in build meta data {}",
                go_quote(part)
            ));
        }
    }
    Ok(Semver { major, minor, patch, pre })
}

/// Takes a `v` in front, missing parts and leading zeroes for what they are meant.
fn normalize(text: &str) -> std::result::Result<String, String> {
    let text = text.strip_prefix('v').unwrap_or(text);
    let mut parts: Vec<String> = text.splitn(3, '.').map(str::to_owned).collect();
    for part in &mut parts {
        if part.len() > 1 {
            let trimmed = part.trim_start_matches('0');
            let digit = trimmed.starts_with(|c: char| c.is_ascii_digit());
            *part = if digit { trimmed.to_owned() } else { format!("0{trimmed}") };
        }
    }
    if parts.len() < 3 {
        if parts.last().is_some_and(|it| it.contains(['+', '-'])) {
            return Err("short version cannot contain PreRelease/Build meta data".to_owned());
        }
        parts.resize(3, "0".to_owned());
    }
    Ok(parts.join("."))
}

fn read(args: Args<'_, '_>) -> Result<std::result::Result<Semver, String>> {
    let text = args.text(0)?;
    Ok(match args.at(1) {
        Val::Bool(true) => normalize(text).and_then(|text| parse(&text)),
        _ => parse(text),
    })
}

fn from_string<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    read(args)?.map(Val::opaque).map_err(Error::new)
}

fn is_semver<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::Bool(read(args)?.is_ok()))
}

fn arg<'v>(args: Args<'v, '_>, index: usize) -> Result<&'v Semver> {
    args.at(index).downcast::<Semver>().ok_or_else(Error::no_such_overload)
}

fn order(args: Args<'_, '_>) -> Result<Ordering> {
    Ok(arg(args, 0)?.order(arg(args, 1)?))
}

fn is_greater<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::Bool(order(args)? == Ordering::Greater))
}

fn is_less<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::Bool(order(args)? == Ordering::Less))
}

fn compare_to<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::Int(order(args)? as i64))
}

fn major<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::Int(arg(args, 0)?.major.cast_signed()))
}

fn minor<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::Int(arg(args, 0)?.minor.cast_signed()))
}

fn patch<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::Int(arg(args, 0)?.patch.cast_signed()))
}
