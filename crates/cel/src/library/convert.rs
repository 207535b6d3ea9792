//! Conversions between the basic types.

use std::sync::Arc;

use ordain_value::number;

use super::{Args, Function, any_value};
use crate::types::Type;
use crate::value::{Error, Result, Str, Val};
use ordain_go::text as go_text;
use ordain_go::time::{self as go_time, Timestamp, UNIX_MAX, UNIX_MIN};

fn same<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(args.at(0).clone())
}

fn failed(from: &str, to: &str) -> Error {
    Error::new(format!("type conversion error from '{from}' to '{to}'"))
}

/// The conversion functions.
pub(super) fn functions() -> Vec<Function> {
    use Type::{Bool, Bytes, Double, Duration, Int, String, Timestamp, Uint};
    let a = || Type::param("A");
    vec![
        Function::new("type")
            .declared("type", [a()], Type::type_of(a()))
            .singleton(any_value, type_of)
            .doc("the type of a value"),
        Function::new("bool").overload("bool_to_bool", [Bool], Bool, same).overload(
            "string_to_bool",
            [String],
            Bool,
            string_to_bool,
        ),
        Function::new("bytes").overload("bytes_to_bytes", [Bytes], Bytes, same).overload(
            "string_to_bytes",
            [String],
            Bytes,
            string_to_bytes,
        ),
        Function::new("double")
            .overload("double_to_double", [Double], Double, same)
            .overload("int64_to_double", [Int], Double, to_double)
            .overload("string_to_double", [String], Double, to_double)
            .overload("uint64_to_double", [Uint], Double, to_double),
        Function::new("duration")
            .overload("duration_to_duration", [Duration], Duration, same)
            .overload("int64_to_duration", [Int], Duration, int_to_duration)
            .overload("string_to_duration", [String], Duration, string_to_duration),
        Function::new("dyn").declared("to_dyn", [a()], Type::Dyn).singleton(any_value, same),
        Function::new("int")
            .overload("int64_to_int64", [Int], Int, same)
            .overload("double_to_int64", [Double], Int, to_int)
            .overload("duration_to_int64", [Duration], Int, to_int)
            .overload("string_to_int64", [String], Int, to_int)
            .overload("timestamp_to_int64", [Timestamp], Int, to_int)
            .overload("uint64_to_int64", [Uint], Int, to_int),
        Function::new("string")
            .overload("string_to_string", [String], String, same)
            .overload("bool_to_string", [Bool], String, to_string)
            .overload("bytes_to_string", [Bytes], String, to_string)
            .overload("double_to_string", [Double], String, to_string)
            .overload("duration_to_string", [Duration], String, to_string)
            .overload("int64_to_string", [Int], String, to_string)
            .overload("timestamp_to_string", [Timestamp], String, to_string)
            .overload("uint64_to_string", [Uint], String, to_string),
        Function::new("timestamp")
            .overload("timestamp_to_timestamp", [Timestamp], Timestamp, same)
            .overload("int64_to_timestamp", [Int], Timestamp, to_timestamp)
            .overload("string_to_timestamp", [String], Timestamp, to_timestamp),
        Function::new("uint")
            .overload("uint64_to_uint64", [Uint], Uint, same)
            .overload("double_to_uint64", [Double], Uint, to_uint)
            .overload("int64_to_uint64", [Int], Uint, to_uint)
            .overload("string_to_uint64", [String], Uint, to_uint),
    ]
}

/// Whether constants given to this function are converted when the program is made.
pub(crate) fn is_conversion(function: &str) -> bool {
    matches!(
        function,
        "type"
            | "bool"
            | "bytes"
            | "double"
            | "duration"
            | "dyn"
            | "int"
            | "string"
            | "timestamp"
            | "uint"
    )
}

fn type_of<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::Type(match args.at(0) {
        Val::Opaque(value) => Str::Owned(Arc::from(value.type_name())),
        Val::Preserved(_) => {
            return Err(Error::new(
                "type conversion to 'type' not supported for values preserved by x-kubernetes-preserve-unknown-fields",
            ));
        }
        Val::Null => Str::Ref("null_type"),
        Val::Bool(_) => Str::Ref("bool"),
        Val::Int(_) => Str::Ref("int"),
        Val::Uint(_) => Str::Ref("uint"),
        Val::Double(_) => Str::Ref("double"),
        Val::Str(_) => Str::Ref("string"),
        Val::Bytes(_) => Str::Ref("bytes"),
        Val::Duration(_) => Str::Ref("google.protobuf.Duration"),
        Val::Timestamp(_) => Str::Ref("google.protobuf.Timestamp"),
        Val::List(_) => Str::Ref("list"),
        Val::Map(_) => Str::Ref("map"),
        Val::Type(_) => Str::Ref("type"),
        Val::Optional(_) => Str::Ref(crate::types::OPTIONAL),
    }))
}

fn string_to_bool<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    go_text::parse_bool(args.text(0)?).map(Val::Bool).ok_or_else(|| failed("string", "bool"))
}

fn string_to_bytes<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::bytes(args.text(0)?.as_bytes()))
}

#[expect(clippy::cast_precision_loss, reason = "what the conversion is about")]
fn to_double<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    match args.at(0) {
        Val::Int(it) => Ok(Val::Double(*it as f64)),
        Val::Uint(it) => Ok(Val::Double(*it as f64)),
        Val::Str(it) => go_text::parse_float(it.as_str())
            .map(Val::Double)
            .ok_or_else(|| failed("string", "double")),
        _ => Err(Error::no_such_overload()),
    }
}

/// Upstream declares this conversion but has no code for it.
fn int_to_duration<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    args.int(0)?;
    Err(failed("int", "google.protobuf.Duration"))
}

fn string_to_duration<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    go_time::parse_duration(args.text(0)?)
        .map(Val::Duration)
        .ok_or_else(|| failed("string", "google.protobuf.Duration"))
}

#[expect(clippy::cast_possible_truncation, reason = "checked")]
fn to_int<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    let overflow = || Error::new("integer overflow");
    match args.at(0) {
        Val::Double(it) => {
            let fits = it.is_finite()
                && *it > -9_223_372_036_854_775_808.0
                && *it < 9_223_372_036_854_775_808.0;
            if fits { Ok(Val::Int(*it as i64)) } else { Err(overflow()) }
        }
        Val::Duration(it) => Ok(Val::Int(*it)),
        Val::Str(it) => it.as_str().parse().map(Val::Int).map_err(|_| failed("string", "int")),
        Val::Timestamp(it) => Ok(Val::Int(it.unix())),
        Val::Uint(it) => i64::try_from(*it).map(Val::Int).map_err(|_| overflow()),
        _ => Err(Error::no_such_overload()),
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
fn to_uint<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    let overflow = || Error::new("unsigned integer overflow");
    match args.at(0) {
        Val::Double(it) => {
            let fits = it.is_finite() && *it >= 0.0 && *it < 18_446_744_073_709_551_616.0;
            if fits { Ok(Val::Uint(*it as u64)) } else { Err(overflow()) }
        }
        Val::Int(it) => u64::try_from(*it).map(Val::Uint).map_err(|_| overflow()),
        Val::Str(it) => {
            go_text::parse_uint(it.as_str()).map(Val::Uint).ok_or_else(|| failed("string", "uint"))
        }
        _ => Err(Error::no_such_overload()),
    }
}

fn to_timestamp<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    let checked = |time: Timestamp| {
        if (UNIX_MIN..=UNIX_MAX).contains(&time.unix()) {
            Ok(Val::Timestamp(time))
        } else {
            Err(Error::new("timestamp overflow"))
        }
    };
    match args.at(0) {
        Val::Int(it) => checked(Timestamp::from_unix(*it, 0)),
        Val::Str(it) => Timestamp::parse(it.as_str())
            .ok_or_else(|| failed("string", "google.protobuf.Timestamp"))
            .and_then(checked),
        _ => Err(Error::no_such_overload()),
    }
}

fn to_string<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    text_of(args.at(0)).map(Val::string)
}

/// The value as `string()` gives it.
///
/// # Errors
/// When there is no such conversion.
pub fn text_of(value: &Val<'_>) -> Result<String> {
    Ok(match value {
        Val::Bool(it) => it.to_string(),
        Val::Int(it) => it.to_string(),
        Val::Uint(it) => it.to_string(),
        Val::Double(it) => number::go_float(*it),
        Val::Str(it) | Val::Type(it) => it.as_str().to_owned(),
        Val::Bytes(it) => std::str::from_utf8(it.as_slice())
            .map_err(|_| Error::new("invalid UTF-8 in bytes, cannot convert to string"))?
            .to_owned(),
        Val::Duration(it) => go_time::duration_seconds_text(*it),
        Val::Timestamp(it) => it.text(),
        _ => return Err(failed(value.type_name(), "string")),
    })
}
