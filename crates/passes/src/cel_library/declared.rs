//! What rules of declared kinds may use beyond those of CRDs.

use ordain_cel::library::{Args, Function, Module};
use ordain_cel::types::Type;
use ordain_cel::value::tree::to_tree;
use ordain_cel::value::{Error, Result, Val};
use ordain_meta::selector::LabelSelector;

use super::{cidr, format, ip};

/// Formats by name, more of IP and CIDR, UTF-8, label selectors.
#[must_use]
pub fn module() -> Module {
    use Type::{Bool, String};
    let labels = || Type::map(String, String);
    Module::new("ordain.declared")
        .function(Function::new("isFormat").member(
            "string_is_format_string",
            [String, String],
            Bool,
            is_format,
        ))
        .function(Function::new("validateFormat").member(
            "string_validate_format_string",
            [String, String],
            Type::list(String),
            validate_format,
        ))
        .function(Function::new("is4").member("ip_is_4", [ip::ty()], Bool, is_4))
        .function(Function::new("is6").member("ip_is_6", [ip::ty()], Bool, is_6))
        .function(Function::new("overlaps").member(
            "cidr_overlaps_cidr",
            [cidr::ty(), cidr::ty()],
            Bool,
            overlaps,
        ))
        .function(
            Function::new("utf8.isValid")
                .overload("utf8_is_valid_string", [String], Bool, utf8_is_valid)
                .overload("utf8_is_valid_bytes", [Type::Bytes], Bool, utf8_is_valid),
        )
        .function(Function::new("utf8.isPrint").overload(
            "utf8_is_print_string",
            [String],
            Bool,
            utf8_is_print,
        ))
        .function(Function::new("utf8.isControl").overload(
            "utf8_is_control_string",
            [String],
            Bool,
            utf8_is_control,
        ))
        .function(Function::new("matchesLabels").member(
            "selector_matches_labels_map",
            [Type::Dyn, labels()],
            Bool,
            matches_labels,
        ))
}

fn violations(args: Args<'_, '_>) -> Result<Vec<String>> {
    let (text, name) = (args.text(0)?, args.text(1)?);
    if let Some(format) = find_format(name) {
        return Ok(format.check(text));
    }
    let valid = match name {
        "ipv4" => ip::parse(text).is_ok_and(|ip| ip.0.is_ipv4()),
        "ipv6" => ip::parse(text).is_ok_and(|ip| ip.0.is_ipv6()),
        _ => return Err(Error::new(format!("unknown format: {name}"))),
    };
    Ok(if valid { Vec::new() } else { vec![format!("does not match the {name} format")] })
}

/// Formats by their names in any case.
fn find_format(name: &str) -> Option<format::Format> {
    const NAMES: [&str; 13] = [
        "dns1123Label",
        "dns1123Subdomain",
        "dns1035Label",
        "qualifiedName",
        "dns1123LabelPrefix",
        "dns1123SubdomainPrefix",
        "dns1035LabelPrefix",
        "labelValue",
        "uri",
        "uuid",
        "byte",
        "date",
        "datetime",
    ];
    let plain = name.replace('-', "");
    NAMES
        .iter()
        .find(|known| known.eq_ignore_ascii_case(&plain))
        .and_then(|known| format::find(known))
}

fn is_format<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::Bool(violations(args)?.is_empty()))
}

fn validate_format<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::list(violations(args)?.into_iter().map(Val::string).collect()))
}

fn is_4<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::Bool(ip::arg(args, 0)?.is_ipv4()))
}

fn is_6<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::Bool(ip::arg(args, 0)?.is_ipv6()))
}

fn overlaps<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::Bool(cidr::arg(args, 0)?.overlaps(&cidr::arg(args, 1)?)))
}

/// Strings are valid by construction; bytes are looked at.
fn utf8_is_valid<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::Bool(match args.at(0) {
        Val::Bytes(bytes) => std::str::from_utf8(bytes.as_slice()).is_ok(),
        _ => !args.text(0)?.contains('\u{fffd}'),
    }))
}

/// Whether every character is printable as Go understands it: quoting leaves it alone.
fn utf8_is_print<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::Bool(args.text(0)?.chars().all(|c| {
        matches!(c, '"' | '\\')
            || ordain_value::go_quote(c.encode_utf8(&mut [0; 4])).chars().nth(1) == Some(c)
    })))
}

fn utf8_is_control<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    let text = args.text(0)?;
    Ok(Val::Bool(!text.is_empty() && text.chars().all(char::is_control)))
}

/// `selector.matchesLabels(labels)`: the selector is a text such as `app in (a, b)`, or an object
/// with `matchLabels` and `matchExpressions`.
fn matches_labels<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    let selector = match args.at(0) {
        object @ Val::Map(_) => LabelSelector::read(&to_tree(object)),
        _ => LabelSelector::decode(args.text(0)?),
    };
    let selector = selector.map_err(|error| Error::new(error.to_string()))?;
    let map = args.map(1)?;
    let mut labels = Vec::with_capacity(map.len());
    for key in map.keys() {
        if let (Some(name), Some(Val::Str(value))) = (key.as_str(), map.find(&key)?) {
            labels
                .push((ordain_value::Text::from(name), ordain_value::Value::from(value.as_str())));
        }
    }
    let labels = ordain_value::Map::from_entries(labels);
    Ok(Val::Bool(selector.matches(Some(&labels))))
}
