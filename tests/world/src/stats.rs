//! What a run met: the counters that show that a run was not blind.

/// Counters of steps, faults and outcomes, summed over runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stats {
    /// Runs.
    pub seeds: u64,
    /// Events handled.
    pub steps: u64,
    /// Workers that died at a pause point.
    pub crashes: u64,
    /// Workers killed at their timeout.
    pub timeouts: u64,
    /// Calls that took long.
    pub stalls: u64,
    /// Replies of Stripe lost after the effect.
    pub lost_replies: u64,
    /// Requests that never reached Stripe.
    pub resets: u64,
    /// Requests whose reply came too late.
    pub late_replies: u64,
    /// Stripe faults at its endpoint.
    pub stripe_faults: u64,
    /// Table calls throttled.
    pub throttles: u64,
    /// Replies of the table lost after the write.
    pub lost_write_replies: u64,
    /// Writes refused because the record had changed.
    pub conflicts: u64,
    /// Messages delivered to two workers at once.
    pub duplicates: u64,
    /// Publishes refused, wholly or in part, and stream batches that came again.
    pub bus_faults: u64,
    /// Sends to a queue that failed.
    pub send_faults: u64,
    /// Customers who paid after a decline.
    pub late_payments: u64,
    /// Same-key resends that Stripe answered with the saved reply.
    pub replays: u64,
    /// Keys that Stripe forgot because of their age.
    pub keys_pruned: u64,
    /// Messages redriven from the dead-letter queue.
    pub redriven: u64,
    /// Runs with an outage of Stripe.
    pub outages: u64,
    /// Operations that ended succeeded.
    pub succeeded: u64,
    /// Operations that ended failed.
    pub failed: u64,
    /// Operations that ended refused.
    pub refused: u64,
    /// Operations that ended in review.
    pub reviews: u64,
    /// Searches: they are made only for a create whose key window is over.
    pub window_lookups: u64,
}

impl Stats {
    /// Returns every fault kind with how often it struck.
    #[must_use]
    pub const fn kinds(&self) -> [(&'static str, u64); 16] {
        [
            ("crash at a pause point", self.crashes),
            ("function timeout", self.timeouts),
            ("stalled call", self.stalls),
            ("lost reply", self.lost_replies),
            ("reset before the effect", self.resets),
            ("late reply", self.late_replies),
            ("fault at Stripe", self.stripe_faults),
            ("table throttle", self.throttles),
            ("lost write reply", self.lost_write_replies),
            ("write conflict", self.conflicts),
            ("duplicate delivery", self.duplicates),
            ("bus failure or repeat", self.bus_faults),
            ("failed send", self.send_faults),
            ("customer paying after a decline", self.late_payments),
            ("look-up beyond the key window", self.window_lookups),
            ("redrive", self.redriven),
        ]
    }

    /// Adds another run's counters.
    pub fn add(&mut self, other: &Self) {
        macro_rules! sum { ($($field:ident),* $(,)?) => { $( self.$field += other.$field; )* } }
        sum!(
            seeds,
            steps,
            crashes,
            timeouts,
            stalls,
            lost_replies,
            resets,
            late_replies,
            stripe_faults,
            throttles,
            lost_write_replies,
            conflicts,
            duplicates,
            bus_faults,
            send_faults,
            late_payments,
            replays,
            keys_pruned,
            redriven,
            outages,
            succeeded,
            failed,
            refused,
            reviews,
            window_lookups,
        );
    }
}
