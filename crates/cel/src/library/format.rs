//! `string.format`.
//!
//! Versions up to 3 of the strings library print floats for the locale `en_US`: thousands
//! separators, `×10⁰³` exponents, `∞`. Later ones print them plainly.

use crate::library::convert;
use crate::meter::Meter;
use crate::value::{Error, List, Map, Result, Val};
use ordain_go::text::{float_fixed, float_plain, float_scientific};

/// Values nested deeper than this are not printed.
const DEPTH_MAX: u32 = 250;
/// Go prints `%!(BADPREC)` beyond this.
const PRECISION_MAX: usize = 1_000_000;
const PRECISION: usize = 6;

/// What a clause prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clause {
    /// `%s`
    String,
    /// `%d`
    Decimal,
    /// `%f`
    Fixed(Option<usize>),
    /// `%e`
    Scientific(Option<usize>),
    /// `%b`
    Binary,
    /// `%x`, `%X`
    Hex {
        /// Whether letters are upper case.
        upper: bool,
    },
    /// `%o`
    Octal,
}

impl Clause {
    /// What is wrong with an argument of this type.
    #[must_use]
    pub fn mismatch(self, type_name: &str) -> String {
        let wants = match self {
            Self::Binary => "only integers and bools can be formatted as binary",
            Self::Decimal => "decimal clause can only be used on integers",
            Self::Fixed(_) => "fixed-point clause can only be used on doubles",
            Self::Hex { .. } => "only integers, byte buffers, and strings can be formatted as hex",
            Self::Octal => "octal clause can only be used on integers",
            Self::Scientific(_) => "scientific clause can only be used on doubles",
            Self::String => {
                "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps"
            }
        };
        format!("{wants}, was given {type_name}")
    }
}

/// The arguments that a format string is walked with.
#[derive(Clone, Copy, Debug)]
pub struct Arguments {
    /// How many there are.
    pub count: usize,
    /// Whether this happens ahead of evaluation, where errors have another order.
    pub ahead: bool,
}

/// Walks a format string: calls `text` with what stands between clauses and `clause` with each
/// clause and the index of its argument.
///
/// # Errors
/// The text of the error, with upstream's words.
pub fn walk(
    format: &str,
    args: Arguments,
    mut text: impl FnMut(&str),
    mut clause: impl FnMut(Clause, usize) -> std::result::Result<(), String>,
) -> std::result::Result<usize, String> {
    let bytes = format.as_bytes();
    let (mut at, mut arg) = (0, 0);
    while at < bytes.len() {
        let Some(found) = format[at..].find('%') else {
            text(&format[at..]);
            break;
        };
        text(&format[at..at + found]);
        at += found;
        if bytes.get(at + 1) == Some(&b'%') {
            text("%");
            at += 2;
            continue;
        }
        let missing = arg >= args.count;
        if missing && !args.ahead {
            return Err(format!("index {arg} out of range"));
        }
        if at + 1 >= bytes.len() {
            return Err("unexpected end of string".to_owned());
        }
        if missing {
            return Err(format!("index {arg} out of range"));
        }
        let (parsed, len) = parse_clause(&bytes[at + 1..])
            .map_err(|error| format!("could not parse formatting clause: {error}"))?;
        clause(parsed, arg).map_err(|error| format!("error during formatting: {error}"))?;
        at += 1 + len;
        arg += 1;
    }
    Ok(arg)
}

fn parse_clause(bytes: &[u8]) -> std::result::Result<(Clause, usize), String> {
    let (precision, len) = parse_precision(bytes)
        .map_err(|error| format!("error while parsing precision: {error}"))?;
    let Some(verb) = bytes.get(len) else {
        return Err(
            "error while parsing precision: could not find end of precision specifier".to_owned()
        );
    };
    let clause = match verb {
        b's' => Clause::String,
        b'd' => Clause::Decimal,
        b'f' => Clause::Fixed(precision),
        b'e' => Clause::Scientific(precision),
        b'b' => Clause::Binary,
        b'x' => Clause::Hex { upper: false },
        b'X' => Clause::Hex { upper: true },
        b'o' => Clause::Octal,
        other => return Err(format!("unrecognized formatting clause \"{}\"", char::from(*other))),
    };
    Ok((clause, len + 1))
}

fn parse_precision(bytes: &[u8]) -> std::result::Result<(Option<usize>, usize), String> {
    if bytes.first() != Some(&b'.') {
        return Ok((None, 0));
    }
    let len = bytes[1..].iter().take_while(|b| b.is_ascii_digit()).count();
    if 1 + len >= bytes.len() {
        return Err("could not find end of precision specifier".to_owned());
    }
    let digits = std::str::from_utf8(&bytes[1..=len]).unwrap_or_default();
    let precision: i64 = digits.parse().map_err(|_| {
        let reason = if digits.is_empty() { "invalid syntax" } else { "value out of range" };
        format!("error while converting precision to integer: strconv.Atoi: parsing \"{digits}\": {reason}")
    })?;
    Ok((Some(usize::try_from(precision).unwrap_or(usize::MAX)), 1 + len))
}

/// Formats with the arguments of a list. Values are paid for as often as they are printed: one that is
/// part of many others can take up little room and still be long.
///
/// # Errors
/// When the format or an argument does not fit, or when it takes more work than is left.
pub fn format(format: &str, args: &List<'_>, localized: bool, meter: &Meter) -> Result<String> {
    let mut out = String::new();
    let mut spent = None;
    let cell = std::cell::RefCell::new(&mut out);
    let walked = walk(
        format,
        Arguments { count: args.len(), ahead: false },
        |text| cell.borrow_mut().push_str(text),
        |clause, index| {
            let value = args.get(index).map_err(|error| error.message().to_owned())?;
            let text = print(clause, &value, localized, meter).map_err(|error| {
                let message = error.message().to_owned();
                spent = Some(error).filter(Error::is_cancelled);
                message
            })?;
            cell.borrow_mut().push_str(&text);
            Ok(())
        },
    );
    match (walked, spent) {
        (_, Some(error)) => Err(error),
        (Err(message), None) => Err(Error::new(message)),
        (Ok(_), None) => Ok(out),
    }
}

fn print(clause: Clause, value: &Val<'_>, localized: bool, meter: &Meter) -> Result<String> {
    let mismatch = || Error::new(clause.mismatch(value.type_name()));
    let precision = |it: Option<usize>| match it {
        Some(it) if it > PRECISION_MAX => Err(Error::new("precision out of range")),
        other => Ok(other.unwrap_or(PRECISION)),
    };
    match (clause, value) {
        (Clause::String, _) if localized => string_localized(value, meter).ok_or_else(mismatch)?,
        (Clause::String, _) => {
            string_plain(value, Walk { depth: 0, meter }).ok_or_else(mismatch)?
        }
        (Clause::Decimal, Val::Int(it)) => Ok(it.to_string()),
        (Clause::Decimal, Val::Uint(it)) => Ok(it.to_string()),
        (Clause::Decimal, Val::Double(it)) if !localized => {
            Ok(special(*it).unwrap_or_else(|| float_plain(*it)))
        }
        (Clause::Fixed(width), _) => {
            let number = float_argument(value, localized).ok_or_else(mismatch)?;
            let precision = precision(width)?;
            if localized {
                return Ok(localized_fixed(number, precision));
            }
            Ok(special(number).unwrap_or_else(|| float_fixed(number, precision)))
        }
        (Clause::Scientific(width), _) => {
            let number = float_argument(value, localized).ok_or_else(mismatch)?;
            let precision = precision(width)?;
            if localized {
                // The precision is taken for a width, as upstream does.
                return Ok(std::format!("{:>precision$}", localized_scientific(number)));
            }
            Ok(special(number).unwrap_or_else(|| float_scientific(number, precision)))
        }
        (Clause::Binary, Val::Bool(it)) => Ok(if *it { "1" } else { "0" }.to_owned()),
        (Clause::Binary, Val::Int(it)) => Ok(signed(*it, std::format!("{:b}", it.unsigned_abs()))),
        (Clause::Binary, Val::Uint(it)) => Ok(std::format!("{it:b}")),
        (Clause::Octal, Val::Int(it)) => Ok(signed(*it, std::format!("{:o}", it.unsigned_abs()))),
        (Clause::Octal, Val::Uint(it)) => Ok(std::format!("{it:o}")),
        (Clause::Hex { upper }, _) => {
            let text = match value {
                Val::Int(it) => signed(*it, std::format!("{:x}", it.unsigned_abs())),
                Val::Uint(it) => std::format!("{it:x}"),
                Val::Str(it) => hex(it.as_str().as_bytes()),
                Val::Bytes(it) => hex(it.as_slice()),
                _ => return Err(mismatch()),
            };
            Ok(if upper { text.to_uppercase() } else { text })
        }
        _ => Err(mismatch()),
    }
}

fn signed(number: i64, digits: String) -> String {
    if number < 0 { std::format!("-{digits}") } else { digits }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| std::format!("{byte:02x}")).collect()
}

fn special(number: f64) -> Option<String> {
    if number.is_nan() {
        Some("NaN".to_owned())
    } else if number.is_infinite() {
        Some(if number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned())
    } else {
        None
    }
}

#[expect(clippy::cast_precision_loss, reason = "printed as a float")]
fn float_argument(value: &Val<'_>, localized: bool) -> Option<f64> {
    match value {
        Val::Double(it) => Some(*it),
        Val::Int(it) if !localized => Some(*it as f64),
        Val::Uint(it) if !localized => Some(*it as f64),
        Val::Str(it) if localized => match it.as_str() {
            "NaN" => Some(f64::NAN),
            "Infinity" => Some(f64::INFINITY),
            "-Infinity" => Some(f64::NEG_INFINITY),
            _ => None,
        },
        _ => None,
    }
}

fn localized_special(number: f64) -> Option<String> {
    if number.is_nan() {
        Some("NaN".to_owned())
    } else if number.is_infinite() {
        Some(if number > 0.0 { "∞" } else { "-∞" }.to_owned())
    } else {
        None
    }
}

fn localized_fixed(number: f64, precision: usize) -> String {
    if let Some(text) = localized_special(number) {
        return text;
    }
    // Negative zero loses its sign, a number that rounds to zero does not.
    let number = if number == 0.0 { 0.0 } else { number };
    let text = std::format!("{number:.precision$}");
    let (sign, digits) = text.strip_prefix('-').map_or(("", text.as_str()), |rest| ("-", rest));
    let (whole, fraction) = digits.split_once('.').map_or((digits, None), |(w, f)| (w, Some(f)));
    let mut out = String::from(sign);
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if let Some(fraction) = fraction {
        out.push('.');
        out.push_str(fraction);
    }
    out
}

fn localized_scientific(number: f64) -> String {
    if let Some(text) = localized_special(number) {
        return text;
    }
    let number = if number == 0.0 { 0.0 } else { number };
    let text = float_scientific(number, PRECISION);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "+00"));
    let mut out = std::format!("{mantissa}×10");
    for c in exponent.chars() {
        match c {
            '-' => out.push('⁻'),
            '0' => out.push('⁰'),
            '1' => out.push('¹'),
            '2' => out.push('²'),
            '3' => out.push('³'),
            '4'..='9' => {
                out.push(char::from_u32(0x2070 + (c as u32 - '0' as u32)).unwrap_or(c));
            }
            _ => {}
        }
    }
    out
}

type Printed = Option<Result<String>>;

/// Where the printing of a value is, and what it is paid from.
#[derive(Clone, Copy)]
struct Walk<'m> {
    depth: u32,
    meter: &'m Meter,
}

impl Walk<'_> {
    /// One level down, to an item or entry.
    fn down(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }

    /// Items or entries as one text.
    fn joined(self, open: &str, items: &[String], close: &str) -> Result<String> {
        self.meter.items(items.len())?;
        let text = std::format!("{open}{}{close}", items.join(", "));
        self.meter.text(text.len())?;
        Ok(text)
    }
}

/// `%s` of versions up to 3; none for a type that cannot be printed.
fn string_localized(value: &Val<'_>, meter: &Meter) -> Printed {
    let walk = Walk { depth: 0, meter };
    Some(match value {
        Val::List(list) => list_localized(list, walk),
        Val::Map(map) => map_localized(map, walk),
        Val::Null => Ok("null".to_owned()),
        Val::Optional(_) | Val::Opaque(_) | Val::Preserved(_) => return None,
        _ => match convert::text_of(value) {
            Ok(text) => Ok(text),
            Err(error) => Err(Error::new(std::format!(
                "could not convert argument {} to string",
                ordain_value::go_quote(error.message())
            ))),
        },
    })
}

fn too_deep<T>() -> Result<T> {
    Err(Error::new("values are nested too deeply to be printed"))
}

/// An item of a list or map.
fn item_localized(value: &Val<'_>, walk: Walk<'_>) -> Result<String> {
    let quoted = |text: &str| ordain_value::go_quote(text);
    Ok(match value {
        Val::Int(_) | Val::Uint(_) | Val::Bool(_) | Val::Type(_) => convert::text_of(value)?,
        Val::Null => "null".to_owned(),
        Val::Str(it) => quoted(it.as_str()),
        Val::Bytes(_) => std::format!("b{}", quoted(&convert::text_of(value)?)),
        Val::Timestamp(_) => std::format!("timestamp({})", quoted(&convert::text_of(value)?)),
        Val::Duration(_) => std::format!("duration({})", quoted(&convert::text_of(value)?)),
        Val::Double(it) if it.is_finite() => float_fixed(*it, PRECISION),
        Val::Double(it) => quoted(&float_plain(*it)),
        Val::List(list) => list_localized(list, walk.down())?,
        Val::Map(map) => map_localized(map, walk.down())?,
        _ => {
            return Err(Error::new(std::format!(
                "no formatting function for {}",
                value.type_name()
            )));
        }
    })
}

fn list_localized(list: &List<'_>, walk: Walk<'_>) -> Result<String> {
    if walk.depth > DEPTH_MAX {
        return too_deep();
    }
    let items: Result<Vec<String>> =
        list.iter().map(|item| item.and_then(|item| item_localized(&item, walk))).collect();
    walk.joined("[", &items?, "]")
}

fn map_localized(map: &Map<'_>, walk: Walk<'_>) -> Result<String> {
    if walk.depth > DEPTH_MAX {
        return too_deep();
    }
    let mut pairs = Vec::new();
    for key in map.keys() {
        if !matches!(key, Val::Str(_) | Val::Bool(_) | Val::Int(_) | Val::Uint(_)) {
            let message =
                std::format!("no formatting function for map key of type {}", key.type_name());
            return Err(Error::new(message));
        }
        let name = item_localized(&key, walk)?;
        let Some(value) = map.find(&key)? else {
            let message = std::format!("could not find key: {}", crate::value::show::plain(&key));
            return Err(Error::new(message));
        };
        pairs.push((name, item_localized(&value, walk)?));
    }
    pairs.sort_by(|a, b| a.0.cmp(&b.0));
    let pairs: Vec<String> =
        pairs.into_iter().map(|(key, value)| std::format!("{key}:{value}")).collect();
    walk.joined("{", &pairs, "}")
}

/// `%s` of later versions.
fn string_plain(value: &Val<'_>, walk: Walk<'_>) -> Printed {
    if walk.depth > DEPTH_MAX {
        return Some(too_deep());
    }
    Some(match value {
        Val::Double(it) => Ok(special(*it).unwrap_or_else(|| float_plain(*it))),
        Val::Null => Ok("null".to_owned()),
        Val::Timestamp(it) => Ok(it.utc().text()),
        Val::List(list) => list
            .iter()
            .map(|item| item.and_then(|item| nested_plain(&item, walk)))
            .collect::<Result<Vec<String>>>()
            .and_then(|items| walk.joined("[", &items, "]")),
        Val::Map(map) => map_plain(map, walk),
        Val::Optional(_) | Val::Opaque(_) | Val::Preserved(_) => return None,
        Val::Bytes(it) => Ok(String::from_utf8_lossy(it.as_slice()).into_owned()),
        _ => convert::text_of(value),
    })
}

fn nested_plain(value: &Val<'_>, walk: Walk<'_>) -> Result<String> {
    string_plain(value, walk.down())
        .unwrap_or_else(|| Err(Error::new(Clause::String.mismatch(value.type_name()))))
}

fn map_plain(map: &Map<'_>, walk: Walk<'_>) -> Result<String> {
    let mut pairs = Vec::new();
    for key in map.keys() {
        let value = map.find(&key)?.unwrap_or(Val::Null);
        pairs.push((nested_plain(&key, walk)?, nested_plain(&value, walk)?));
    }
    pairs.sort_by(|a, b| a.0.cmp(&b.0));
    let pairs: Vec<String> =
        pairs.into_iter().map(|(key, value)| std::format!("{key}: {value}")).collect();
    walk.joined("{", &pairs, "}")
}
