//! Time, uids and random texts, handed in: the registry itself has neither clock nor randomness.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use ordain_meta::time::Time;
use ordain_value::Text;

/// Where the registry takes the present time from.
pub trait Clock: fmt::Debug + Send + Sync + 'static {
    /// The present time.
    fn now(&self) -> Time;
}

/// Where the registry takes randomness from.
pub trait Entropy: fmt::Debug + Send + Sync + 'static {
    /// The next number.
    fn next_u64(&self) -> u64;
}

/// A clock that stands still, for answers that are the same each time.
#[derive(Debug, Clone, Copy)]
pub struct FixedClock(pub Time);

impl Clock for FixedClock {
    fn now(&self) -> Time {
        self.0
    }
}

/// Numbers that look random and are the same for the same seed.
#[derive(Debug)]
pub struct SeededEntropy(AtomicU64);

impl SeededEntropy {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Self(AtomicU64::new(seed))
    }

    /// The same numbers that come next here, in a sequence of their own.
    #[must_use]
    pub fn fork(&self) -> Self {
        Self::new(self.0.load(Ordering::Relaxed))
    }
}

impl Entropy for SeededEntropy {
    fn next_u64(&self) -> u64 {
        let state = self.0.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

/// The alphabet of generated names: no vowels, so that no words come out.
const SUFFIX_ALPHABET: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";
const SUFFIX_LEN: usize = 5;
const GENERATED_NAME_BYTES_MAX: usize = 63;

/// A random (version 4) uid.
pub fn new_uid(entropy: &dyn Entropy) -> Text {
    let high = (entropy.next_u64() & !0xf000) | 0x4000;
    let low = (entropy.next_u64() & !(0b11 << 62)) | (0b10 << 62);
    let number = (u128::from(high) << 64) | u128::from(low);
    let mut text = String::with_capacity(36);
    for (at, byte) in number.to_be_bytes().into_iter().enumerate() {
        if matches!(at, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        for digit in [byte >> 4, byte & 0xf] {
            text.push(char::from(b"0123456789abcdef"[usize::from(digit)]));
        }
    }
    text.into()
}

/// The base, cut to leave room, and five random characters.
pub fn generate_name(entropy: &dyn Entropy, base: &str) -> Text {
    let room = GENERATED_NAME_BYTES_MAX - SUFFIX_LEN;
    let mut cut = base.len().min(room);
    while !base.is_char_boundary(cut) {
        cut -= 1;
    }
    let mut name = base[..cut].to_owned();
    let mut bits = entropy.next_u64();
    for _ in 0..SUFFIX_LEN {
        let pick = usize::try_from(bits % 27).unwrap_or(0);
        name.push(char::from(SUFFIX_ALPHABET[pick]));
        bits /= 27;
    }
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uids_have_the_form_of_version_4() {
        let uid = new_uid(&SeededEntropy::new(u64::MAX));
        let parts: Vec<&str> = uid.split('-').collect();
        assert_eq!(parts.iter().map(|part| part.len()).collect::<Vec<_>>(), [8, 4, 4, 4, 12]);
        assert!(parts[2].starts_with('4'));
        assert!(parts[3].starts_with(['8', '9', 'a', 'b']));
    }

    #[test]
    fn generated_names_keep_58_bytes_of_the_base() {
        let entropy = SeededEntropy::new(1);
        let name = generate_name(&entropy, &"g".repeat(70));
        assert_eq!(name.len(), 63);
        assert!(generate_name(&entropy, "a-").starts_with("a-"));
    }
}
