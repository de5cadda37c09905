//! Points in time, always passed in: the pure crates own no clock.

use serde::{Deserialize, Serialize};

/// A point in time, in milliseconds since the Unix epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Time(pub i64);

impl Time {
    /// Returns the point `ms` milliseconds later (earlier, if negative), saturating.
    #[must_use]
    pub const fn plus_ms(self, ms: i64) -> Self {
        Self(self.0.saturating_add(ms))
    }

    /// Returns the milliseconds from `earlier` to this point; negative if it lies before.
    #[must_use]
    pub const fn since_ms(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }

    /// Returns the whole seconds since the Unix epoch, rounded down: the unit the provider uses.
    #[must_use]
    pub const fn epoch_seconds(self) -> i64 {
        self.0.div_euclid(1_000)
    }
}

/// Converts seconds to milliseconds.
#[must_use]
pub const fn seconds(n: i64) -> i64 {
    n * 1_000
}

/// Converts minutes to milliseconds.
#[must_use]
pub const fn minutes(n: i64) -> i64 {
    seconds(n * 60)
}

/// Converts hours to milliseconds.
#[must_use]
pub const fn hours(n: i64) -> i64 {
    minutes(n * 60)
}
