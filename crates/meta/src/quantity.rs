//! Resource quantities such as `500m`, `1.5Gi` and `2e3`: parsing, canonical text, comparison
//! and arithmetic with the results of apimachinery's `resource.Quantity`.
//!
//! As there, a quantity is either a small amount (an `i64` and a power of ten) or a big decimal;
//! which one it is shows in [`Quantity::as_i64`], which only answers for small amounts that need
//! no division.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

use num_bigint::{BigInt, Sign};

mod decimal;
mod text;

use decimal::{compare, round_up, scale_up, sign_of, ten_pow};
use text::{Parts, digits_end, interpret, split};

/// The family of suffixes a quantity was written with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `2e3`
    DecimalExponent,
    /// `1Gi`
    BinarySi,
    /// `1G`, `500m`
    DecimalSi,
}

/// Why a text is no quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParseError {
    /// Not of the form of a quantity.
    Format,
    /// The number itself cannot be read.
    Numeric,
    /// An unknown suffix.
    Suffix,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Format => {
                "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
            }
            Self::Numeric => "unable to parse numeric part of quantity",
            Self::Suffix => "unable to parse quantity's suffix",
        })
    }
}

impl std::error::Error for ParseError {}

/// A result whose digits would not fit into any sensible memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfRange;

impl fmt::Display for OutOfRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("quantity out of range")
    }
}

impl std::error::Error for OutOfRange {}

#[derive(Clone, Debug)]
enum Amount {
    /// `value * 10^scale`
    Small { value: i64, scale: i32 },
    /// `unscaled * 10^exponent`
    Big { unscaled: BigInt, exponent: i64 },
}

/// A fixed-point number with a suffix family.
#[derive(Clone, Debug)]
pub struct Quantity {
    amount: Amount,
    format: Format,
}

/// The smallest scale: 10^-9.
const NANO: i64 = -9;
/// Digits of the largest power of ten in an `i64`, which bounds the fast path.
const SMALL_DIGITS: i64 = 18;
/// Differences of exponents beyond this would only fill memory.
const RESCALE_MAX: i64 = 200_000;

impl Quantity {
    /// A whole number in the given format.
    #[must_use]
    pub fn from_i64(value: i64, format: Format) -> Self {
        Self { amount: Amount::Small { value, scale: 0 }, format }
    }

    /// Reads a quantity.
    ///
    /// # Errors
    /// When the text is no quantity.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        if text.is_empty() {
            return Err(ParseError::Format);
        }
        if text == "0" {
            return Ok(Self::from_i64(0, Format::DecimalSi));
        }
        let parts = split(text)?;
        let (base, exponent, format) = interpret(parts.suffix).ok_or(ParseError::Suffix)?;
        let num_len = parts.num.len() as i64;
        let denom_len = parts.denom.len() as i64;
        let (precision, scale, mantissa) = match format {
            Format::DecimalExponent | Format::DecimalSi => {
                (SMALL_DIGITS - (num_len + denom_len), i64::from(exponent), 1)
            }
            Format::BinarySi if parts.denom.is_empty() => {
                let digits = f64::from(exponent) * 3.0 / 10.0;
                #[expect(clippy::cast_possible_truncation, reason = "a whole number below 20")]
                let digits = digits as i64;
                (15 - num_len - digits - 1, 0, 1i64 << exponent)
            }
            Format::BinarySi => (-1, 0, 1),
        };
        let digits = match parts.denom {
            "" => Cow::Borrowed(parts.num),
            denom => Cow::Owned([parts.num, denom].concat()),
        };
        if precision >= 0 && scale - denom_len >= NANO {
            let value: i64 = digits.parse().map_err(|_| ParseError::Numeric)?;
            if let (Some(value), Ok(scale)) =
                (value.checked_mul(mantissa), i32::try_from(scale - denom_len))
            {
                let value = if parts.positive { value } else { -value };
                return Ok(Self { amount: Amount::Small { value, scale }, format });
            }
        }
        Self::parse_big(&parts, &digits, base, exponent, format)
    }

    /// Whether a text is certainly the canonical text of its quantity: a short whole number with a
    /// usual suffix that no larger suffix could take the place of. Nearly every quantity is one.
    #[must_use]
    pub fn is_canonical(text: &str) -> bool {
        /// Six digits and the largest suffix below are far from the limits of any amount.
        const DIGITS_MAX: usize = 6;
        let end = digits_end(text, 0);
        let (digits, suffix) = text.split_at(end);
        if text == "0" {
            return true;
        }
        if digits.is_empty() || digits.len() > DIGITS_MAX || digits.starts_with('0') {
            return false;
        }
        let step = match suffix {
            "" | "m" | "k" | "M" | "G" => 1000,
            "Ki" | "Mi" | "Gi" | "Ti" => 1024,
            _ => return false,
        };
        digits.parse::<u32>().is_ok_and(|number| number % step != 0)
    }

    fn parse_big(
        parts: &Parts<'_>,
        digits: &str,
        base: u32,
        exponent: i32,
        mut format: Format,
    ) -> Result<Self, ParseError> {
        // Beyond this the quadratic conversion of digits would be felt.
        if digits.len() > 100_000 {
            return Err(ParseError::Numeric);
        }
        let mut unscaled: BigInt = digits.parse().map_err(|_| ParseError::Numeric)?;
        let mut power = -(parts.denom.len() as i64);
        if base == 10 {
            power += i64::from(exponent);
        } else {
            unscaled <<= usize::try_from(exponent).unwrap_or(0);
        }
        if unscaled.sign() != Sign::NoSign && power < NANO {
            unscaled = round_up(&unscaled, power, NANO);
            power = NANO;
        }
        if format == Format::BinarySi {
            let max = BigInt::from(i64::MAX);
            if compare(&unscaled, power, &max, 0) == Ordering::Greater {
                (unscaled, power) = (max, 0);
            }
            if unscaled.sign() == Sign::Plus
                && compare(&unscaled, power, &BigInt::from(1), 0) == Ordering::Less
            {
                format = Format::DecimalSi;
            }
        }
        if !parts.positive {
            unscaled = -unscaled;
        }
        Ok(Self { amount: Amount::Big { unscaled, exponent: power }, format })
    }

    /// The suffix family.
    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }

    fn big(&self) -> (BigInt, i64) {
        match &self.amount {
            Amount::Small { value, scale } => (BigInt::from(*value), i64::from(*scale)),
            Amount::Big { unscaled, exponent } => (unscaled.clone(), *exponent),
        }
    }

    /// -1, 0 or 1.
    #[must_use]
    pub fn sign(&self) -> i32 {
        match &self.amount {
            Amount::Small { value, .. } => i32::try_from(value.signum()).unwrap_or(0),
            Amount::Big { unscaled, .. } => sign_of(unscaled),
        }
    }

    /// Whether the amount is zero.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.sign() == 0
    }

    /// The whole number, if this is a small amount that needs no division: `1000m` has none.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match &self.amount {
            Amount::Small { value, scale } if *scale >= 0 => scale_up(*value, *scale),
            _ => None,
        }
    }

    /// Rounded up to a whole number, saturating: what `Value()` gives.
    #[must_use]
    pub fn value(&self) -> i64 {
        if let Some(whole) = self.as_i64() {
            return whole;
        }
        let (unscaled, exponent) = self.big();
        self.whole(&unscaled, exponent)
    }

    /// The same in thousandths: what `MilliValue()` gives.
    #[must_use]
    pub fn milli_value(&self) -> i64 {
        let (unscaled, exponent) = self.big();
        self.whole(&unscaled, exponent.saturating_add(3))
    }

    fn whole(&self, unscaled: &BigInt, exponent: i64) -> i64 {
        if exponent > 40 {
            return if self.sign() < 0 {
                i64::MIN
            } else if self.sign() > 0 {
                i64::MAX
            } else {
                0
            };
        }
        let whole = if exponent >= 0 {
            unscaled * ten_pow(exponent)
        } else {
            round_up(unscaled, exponent, 0)
        };
        i64::try_from(&whole).unwrap_or(if whole.sign() == Sign::Minus {
            i64::MIN
        } else {
            i64::MAX
        })
    }

    /// The least amount of whole thousandths that is not closer to zero.
    #[must_use]
    pub fn rounded_to_milli(&self) -> Self {
        const MILLI: i64 = -3;
        if matches!(self.amount, Amount::Small { scale, .. } if i64::from(scale) >= MILLI) {
            return self.clone();
        }
        let (unscaled, exponent) = self.big();
        if exponent >= MILLI {
            return self.clone();
        }
        let rounded = round_up(&unscaled, exponent, MILLI);
        let amount = match i64::try_from(&rounded) {
            Ok(value) => Amount::Small { value, scale: -3 },
            Err(_) => Amount::Big { unscaled: rounded, exponent: MILLI },
        };
        Self { amount, format: self.format }
    }

    /// The nearest float, roughly.
    #[must_use]
    pub fn as_approximate_f64(&self) -> f64 {
        let (base, exponent) = match &self.amount {
            #[expect(clippy::cast_precision_loss, reason = "approximate by contract")]
            Amount::Small { value, scale } => (*value as f64, i64::from(*scale)),
            Amount::Big { unscaled, exponent } => {
                (unscaled.to_string().parse().unwrap_or(f64::INFINITY), *exponent)
            }
        };
        if exponent == 0 {
            return base;
        }
        // Go's Pow10 is 0 below 1e-323 and infinite above 1e308.
        let power = if exponent < -323 {
            0.0
        } else if exponent > 308 {
            f64::INFINITY
        } else {
            format!("1e{exponent}").parse().unwrap_or(0.0)
        };
        base * power
    }

    /// The sum; the format is that of the first amount which is not zero.
    ///
    /// # Errors
    /// When the exponents are so far apart that the digits would fill memory.
    pub fn add(&self, other: &Self) -> Result<Self, OutOfRange> {
        self.combine(other, false)
    }

    /// The difference.
    ///
    /// # Errors
    /// When the exponents are so far apart that the digits would fill memory.
    pub fn sub(&self, other: &Self) -> Result<Self, OutOfRange> {
        self.combine(other, true)
    }

    fn combine(&self, other: &Self, negate: bool) -> Result<Self, OutOfRange> {
        let format = if self.is_zero() { other.format } else { self.format };
        if let (Amount::Small { value: a, scale: sa }, Amount::Small { value: b, scale: sb }) =
            (&self.amount, &other.amount)
        {
            let b = if negate { b.checked_neg() } else { Some(*b) };
            if let Some(amount) = b.and_then(|b| add_small((*a, *sa), (b, *sb))) {
                return Ok(Self { amount, format });
            }
        }
        let (a, ea) = self.big();
        let (b, eb) = other.big();
        let b = if negate { -b } else { b };
        if a.sign() != Sign::NoSign && b.sign() != Sign::NoSign && (ea - eb).abs() > RESCALE_MAX {
            return Err(OutOfRange);
        }
        let exponent = ea.min(eb);
        let lift = |n: BigInt, e: i64| {
            if n.sign() == Sign::NoSign { n } else { n * ten_pow(e - exponent) }
        };
        let unscaled = lift(a, ea) + lift(b, eb);
        Ok(Self { amount: Amount::Big { unscaled, exponent }, format })
    }

    fn canonical(&self) -> String {
        if self.is_zero() {
            return "0".to_owned();
        }
        let (unscaled, exponent) = self.big();
        let mut format = self.format;
        if format == Format::BinarySi {
            let small = compare(&unscaled, exponent, &BigInt::from(1024), 0) == Ordering::Less
                && compare(&unscaled, exponent, &BigInt::from(-1024), 0) == Ordering::Greater;
            let fraction = exponent < 0
                && compare(&round_up(&unscaled, exponent, 0), 0, &unscaled, exponent)
                    != Ordering::Equal;
            if small || fraction {
                format = Format::DecimalSi;
            }
        }
        if format == Format::BinarySi && exponent < 100 {
            let mut amount = if exponent >= 0 {
                unscaled * ten_pow(exponent)
            } else {
                round_up(&unscaled, exponent, 0)
            };
            let mut times = 0usize;
            let factor = BigInt::from(1024);
            while times < 6 && (&amount % &factor).sign() == Sign::NoSign {
                amount /= &factor;
                times += 1;
            }
            return format!("{amount}{}", ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"][times]);
        }
        let (amount, exponent) = thousands(unscaled, exponent);
        let suffix = match (format, exponent) {
            (_, 0) => String::new(),
            (Format::DecimalExponent, _) => format!("e{exponent}"),
            (_, -9) => "n".to_owned(),
            (_, -6) => "u".to_owned(),
            (_, -3) => "m".to_owned(),
            (_, 3) => "k".to_owned(),
            (_, 6) => "M".to_owned(),
            (_, 9) => "G".to_owned(),
            (_, 12) => "T".to_owned(),
            (_, 15) => "P".to_owned(),
            (_, 18) => "E".to_owned(),
            // Upstream loses the suffix here.
            _ => String::new(),
        };
        format!("{amount}{suffix}")
    }
}

/// Moves factors of ten into the exponent, then makes the exponent a multiple of three.
fn thousands(unscaled: BigInt, mut exponent: i64) -> (String, i64) {
    let mut digits = unscaled.to_string();
    while digits.len() > 1 && digits.ends_with('0') {
        digits.pop();
        exponent += 1;
    }
    while exponent % 3 != 0 {
        digits.push('0');
        exponent -= 1;
    }
    (digits, exponent)
}

/// Compares small amounts; nothing where the common scale is too fine for the numbers.
fn compare_small((a, sa): (i64, i32), (b, sb): (i64, i32)) -> Option<Ordering> {
    let lift = |value: i64, by: i32| -> Option<i128> {
        let power = 10_i128.checked_pow(u32::try_from(by).ok()?)?;
        i128::from(value).checked_mul(power)
    };
    let finest = sa.min(sb);
    let (a, b) = (lift(a, sa.checked_sub(finest)?)?, lift(b, sb.checked_sub(finest)?)?);
    Some(a.cmp(&b))
}

fn add_small((a, sa): (i64, i32), (b, sb): (i64, i32)) -> Option<Amount> {
    let (value, scale) = match (a, b) {
        (_, 0) => (a, sa),
        (0, _) => (b, sb),
        _ if sa == sb => (a.checked_add(b)?, sa),
        _ if sa > sb => (scale_up(a, sa.checked_sub(sb)?)?.checked_add(b)?, sb),
        _ => (a.checked_add(scale_up(b, sb.checked_sub(sa)?)?)?, sa),
    };
    Some(Amount::Small { value, scale })
}

/// The canonical text.
impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.canonical())
    }
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Quantity {}

impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Compares amounts; the formats do not matter.
impl Ord for Quantity {
    fn cmp(&self, other: &Self) -> Ordering {
        if let (Amount::Small { value: a, scale: sa }, Amount::Small { value: b, scale: sb }) =
            (&self.amount, &other.amount)
            && let Some(order) = compare_small((*a, *sa), (*b, *sb))
        {
            return order;
        }
        let (a, ea) = self.big();
        let (b, eb) = other.big();
        compare(&a, ea, &b, eb)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(text: &str) -> String {
        Quantity::parse(text).map_or_else(|e| format!("error: {e:?}"), |q| q.to_string())
    }

    #[test]
    fn canonical_text_is_that_of_apimachinery() {
        for (text, expected) in [
            ("0", "0"),
            ("100m", "100m"),
            ("0.1", "100m"),
            ("1.5Gi", "1536Mi"),
            ("1024", "1024"),
            ("1024Mi", "1Gi"),
            ("1000000", "1M"),
            ("1e3", "1e3"),
            ("12345e-3", "12345e-3"),
            ("0.5Mi", "512Ki"),
            ("1Ki", "1Ki"),
            ("0.5Ki", "512"),
            ("-2500m", "-2500m"),
            ("1.1Mi", "1153433600m"),
            ("1.", "1"),
            ("00100", "100"),
            ("9223372036854775808Ki", "9223372036854775807"),
            ("1E", "1E"),
            ("0.0000000001", "1n"),
        ] {
            assert_eq!(canonical(text), expected, "{text}");
        }
        for text in ["", "1.2.3", "1x", "1 Gi", "1Zi", "--1", "1e", "abc"] {
            assert!(Quantity::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn texts_known_to_be_canonical_are_so() {
        let numbers = (0..2100).chain([9_999, 10_240, 999_999, 1_000_000, 1_024_000]);
        for number in numbers {
            for suffix in ["", "n", "u", "m", "k", "M", "G", "T", "E", "Ki", "Mi", "Gi", "Ti", "Ei"]
            {
                let text = format!("{number}{suffix}");
                if Quantity::is_canonical(&text) {
                    assert_eq!(canonical(&text), text);
                }
            }
        }
        assert!(["0", "1", "100m", "128Mi", "1Gi", "250G"].into_iter().all(Quantity::is_canonical));
        let others = ["", "m", "+1", "1.5", "01", "1000m", "1024Mi", "1e3", "1Zi", "-1", "0m"];
        assert!(!others.into_iter().any(Quantity::is_canonical));
    }

    #[test]
    fn small_amounts_compare_as_large_ones_do() {
        let texts =
            ["0", "1", "999m", "1000m", "1k", "1Ki", "1000", "-1", "-1m", "5n", "9E", "8.9E"];
        let all: Vec<Quantity> = texts.iter().filter_map(|it| Quantity::parse(it).ok()).collect();
        for (a, b) in all.iter().flat_map(|a| all.iter().map(move |b| (a, b))) {
            let ((wide_a, ea), (wide_b, eb)) = (a.big(), b.big());
            assert_eq!(a.cmp(b), compare(&wide_a, ea, &wide_b, eb), "{a} {b}");
        }
    }

    #[test]
    fn whole_numbers_only_from_amounts_without_fraction() {
        let int = |text: &str| Quantity::parse(text).ok().and_then(|q| q.as_i64());
        assert_eq!(int("5"), Some(5));
        assert_eq!(int("5k"), Some(5000));
        assert_eq!(int("1Gi"), Some(1 << 30));
        assert_eq!(int("1000m"), None);
        assert_eq!(int("9999999999999999999999"), None);
    }

    #[test]
    fn arithmetic_and_order_are_exact() {
        let q = |text: &str| Quantity::parse(text).expect("a quantity in a test");
        assert_eq!(q("1Gi").add(&q("1Mi")).expect("in range").to_string(), "1025Mi");
        assert_eq!(q("50k").sub(&q("200M")).expect("in range").to_string(), "-199950k");
        assert!(q("200M") > q("0.2G").sub(&q("1m")).expect("in range"));
        assert_eq!(q("200M"), q("0.2G"));
        assert!(q("1e2000000000") > q("1e1999999999"));
        assert_eq!(q("1e2000000000").add(&q("1")), Err(OutOfRange));
        assert!(q("1Gi").as_approximate_f64() > 1.0e9);
    }
}
