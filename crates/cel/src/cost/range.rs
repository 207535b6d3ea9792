//! Ranges of sizes and costs. Arithmetic saturates.

/// A size between two bounds: code points of a string, bytes, elements or entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// At least.
    pub min: u64,
    /// At most.
    pub max: u64,
}

/// A cost between two bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// At least.
    pub min: u64,
    /// At most.
    pub max: u64,
}

impl Size {
    /// Nothing is known.
    pub const UNKNOWN: Self = Self { min: 0, max: u64::MAX };

    /// The union of no sizes.
    pub(super) const NONE: Self = Self { min: u64::MAX, max: 0 };

    /// Exactly so big.
    #[must_use]
    pub const fn exactly(size: u64) -> Self {
        Self { min: size, max: size }
    }

    /// The size of a concatenation.
    #[must_use]
    #[expect(clippy::should_implement_trait, reason = "saturates")]
    pub fn add(self, other: Self) -> Self {
        Self { min: self.min.saturating_add(other.min), max: self.max.saturating_add(other.max) }
    }

    /// The size of a product.
    #[must_use]
    pub fn multiply(self, other: Self) -> Self {
        Self { min: self.min.saturating_mul(other.min), max: self.max.saturating_mul(other.max) }
    }

    /// The cost of `per_unit` for each unit, rounded up.
    #[must_use]
    pub fn times_factor(self, per_unit: f64) -> Cost {
        Cost { min: times_factor(self.min, per_unit), max: times_factor(self.max, per_unit) }
    }

    /// The cost of `cost` for each unit.
    #[must_use]
    pub fn times_cost(self, cost: Cost) -> Cost {
        Cost { min: self.min.saturating_mul(cost.min), max: self.max.saturating_mul(cost.max) }
    }

    /// One or the other.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }
}

impl Cost {
    /// No cost at all.
    pub const ZERO: Self = Self { min: 0, max: 0 };

    /// Nothing is known.
    pub const UNKNOWN: Self = Self { min: 0, max: u64::MAX };

    /// Exactly so much.
    #[must_use]
    pub const fn exactly(cost: u64) -> Self {
        Self { min: cost, max: cost }
    }

    /// One after the other.
    #[must_use]
    #[expect(clippy::should_implement_trait, reason = "saturates")]
    pub fn add(self, other: Self) -> Self {
        Self { min: self.min.saturating_add(other.min), max: self.max.saturating_add(other.max) }
    }

    /// One for each unit of the other.
    #[must_use]
    pub fn multiply(self, other: Self) -> Self {
        Self { min: self.min.saturating_mul(other.min), max: self.max.saturating_mul(other.max) }
    }

    /// `per_unit` for each unit, rounded up.
    #[must_use]
    pub fn times_factor(self, per_unit: f64) -> Self {
        Self { min: times_factor(self.min, per_unit), max: times_factor(self.max, per_unit) }
    }

    /// One or the other.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }
}

/// Rounds up; what does not fit is the largest number. Float to integer casts saturate.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "estimates are defined by this very arithmetic"
)]
fn times_factor(units: u64, per_unit: f64) -> u64 {
    let units = units as f64;
    if units > 0.0 && per_unit > 0.0 && units > u64::MAX as f64 / per_unit {
        return u64::MAX;
    }
    (units * per_unit).ceil() as u64
}
