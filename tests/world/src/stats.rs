//! What a run met: the counters that show that a run was not blind.

use crate::kinds::{Kind, Struck};

/// Counters of steps, faults and outcomes, summed over runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stats {
    /// Runs.
    pub seeds: u64,
    /// Events handled.
    pub steps: u64,
    /// Faults by kind and by the payment's state.
    pub struck: Struck,
    /// Same-key resends that Stripe answered with the saved reply.
    pub replays: u64,
    /// Captures, cancels and refunds that were judged at the end.
    pub operations: u64,
    /// Refunds that were refused.
    pub refunds_refused: u64,
    /// Charges that ended succeeded.
    pub succeeded: u64,
    /// Charges that ended failed.
    pub failed: u64,
    /// Charges that ended refused.
    pub refused: u64,
    /// Charges that ended in review.
    pub reviews: u64,
}

impl Stats {
    /// Returns the kinds of fault that never struck.
    #[must_use]
    pub fn never_struck(&self) -> Vec<Kind> {
        Kind::ALL.iter().copied().filter(|kind| self.struck.of(*kind) == 0).collect()
    }

    /// Adds another run's counters.
    pub fn add(&mut self, other: &Self) {
        self.seeds += other.seeds;
        self.steps += other.steps;
        self.struck.add(&other.struck);
        self.replays += other.replays;
        self.operations += other.operations;
        self.refunds_refused += other.refunds_refused;
        self.succeeded += other.succeeded;
        self.failed += other.failed;
        self.refused += other.refused;
        self.reviews += other.reviews;
    }
}
