//! Decimal numbers of any size: an integer times a power of ten.

use std::cmp::Ordering;

use num_bigint::{BigInt, Sign};

pub(super) fn ten_pow(exponent: i64) -> BigInt {
    BigInt::from(10u8).pow(u32::try_from(exponent.max(0)).unwrap_or(u32::MAX))
}

/// `unscaled * 10^exponent` with a larger or equal exponent, rounded away from zero.
pub(super) fn round_up(unscaled: &BigInt, exponent: i64, to: i64) -> BigInt {
    let drop = to - exponent;
    if drop <= 0 {
        return unscaled.clone();
    }
    let digits = i64::try_from(unscaled.magnitude().to_string().len()).unwrap_or(i64::MAX);
    if drop > digits {
        return match unscaled.sign() {
            Sign::Minus => BigInt::from(-1),
            Sign::NoSign => BigInt::from(0),
            Sign::Plus => BigInt::from(1),
        };
    }
    let divisor = ten_pow(drop);
    let quotient = unscaled / &divisor;
    if &quotient * &divisor == *unscaled {
        return quotient;
    }
    if unscaled.sign() == Sign::Minus { quotient - 1 } else { quotient + 1 }
}

/// Compares `a * 10^ea` with `b * 10^eb` without raising to needless powers.
pub(super) fn compare(a: &BigInt, ea: i64, b: &BigInt, eb: i64) -> Ordering {
    let by_sign = sign_of(a).cmp(&sign_of(b));
    if by_sign != Ordering::Equal || a.sign() == Sign::NoSign {
        return by_sign;
    }
    let magnitude = |n: &BigInt, e: i64| {
        e.saturating_add(n.magnitude().to_string().len().try_into().unwrap_or(i64::MAX))
    };
    let by_size = magnitude(a, ea).cmp(&magnitude(b, eb));
    if by_size != Ordering::Equal {
        return if a.sign() == Sign::Minus { by_size.reverse() } else { by_size };
    }
    // Equal magnitude: the exponents differ by no more than the digits at hand.
    match ea.cmp(&eb) {
        Ordering::Equal => a.cmp(b),
        Ordering::Greater => (a * ten_pow(ea - eb)).cmp(b),
        Ordering::Less => a.cmp(&(b * ten_pow(eb - ea))),
    }
}

pub(super) fn sign_of(n: &BigInt) -> i32 {
    match n.sign() {
        Sign::Minus => -1,
        Sign::NoSign => 0,
        Sign::Plus => 1,
    }
}

pub(super) fn scale_up(value: i64, by: i32) -> Option<i64> {
    if value == 0 {
        return Some(0);
    }
    10i64.checked_pow(u32::try_from(by).ok()?)?.checked_mul(value)
}
