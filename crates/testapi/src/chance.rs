//! Chance that is the same for the same seed and the same question, in whatever order questions come.

/// Draws numbers for questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    /// Chance of its own for a part of the matter.
    pub(crate) fn of(self, what: &str) -> Self {
        // FNV-1a: short texts, and nobody attacks it.
        let hash = what.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        Self(mix(self.0 ^ hash))
    }

    /// Chance of its own for the nth time.
    pub(crate) fn nth(self, n: u64) -> Self {
        Self(mix(self.0.wrapping_add(n.wrapping_mul(0x9e37_79b9_7f4a_7c15))))
    }

    /// From 0 up to, but not, 1.
    pub(crate) fn unit(self) -> f64 {
        (mix(self.0) >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(crate) fn below(self, share: f64) -> bool {
        self.unit() < share
    }
}

fn mix(state: u64) -> u64 {
    let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_question_gets_the_same_answer_and_others_others() {
        let draw = |seed: u64, what: &str, n: u64| Chance(seed).of(what).nth(n).unit();
        assert_eq!(draw(1, "pods", 3), draw(1, "pods", 3));
        assert_ne!(draw(1, "pods", 3), draw(2, "pods", 3));
        assert_ne!(draw(1, "pods", 3), draw(1, "pods", 4));
        assert_ne!(draw(1, "pods", 3), draw(1, "jobs", 3));
        let mean = (0..1000).map(|n| draw(7, "x", n)).sum::<f64>() / 1000.0;
        assert!((0.45..0.55).contains(&mean), "{mean}");
    }
}
