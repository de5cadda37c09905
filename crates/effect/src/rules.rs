//! The numbers the protocol stands on, and the schedule by which it looks again.

use crate::time::{Time, hours, minutes, seconds};

/// How long after its *first* send a request may be sent again under the same key, in milliseconds.
///
/// The provider may remove a key once it is 24 hours old, and then the same key starts a new request.
pub const KEY_WINDOW_MS: i64 = hours(23);

/// How long the provider keeps a key at the least, in milliseconds.
const PROVIDER_KEY_LIFE_MS: i64 = hours(24);

/// The longest a function invocation can last, in milliseconds (Lambda's own limit).
pub const MAX_FUNCTION_TIMEOUT_MS: i64 = minutes(15);

/// The largest difference assumed between two workers' clocks, in milliseconds.
pub const MAX_CLOCK_SKEW_MS: i64 = minutes(5);

/// The longest one provider request may be waited for, in milliseconds.
pub const MAX_PROVIDER_TIMEOUT_MS: i64 = seconds(80);

/// The longest the provider may still be carrying out a request whose caller has gone, in milliseconds.
pub const MAX_PROVIDER_EXECUTION_MS: i64 = minutes(10);

/// How long a claim outlives its invocation's deadline, in milliseconds.
pub const CLAIM_GRACE_MS: i64 = seconds(5);

// A send that starts just inside the window must be carried out while the key still lives, even when the worker stalls
// for a whole invocation, its clock is behind, the request takes as long as it may, and the provider is slow with it.
const _: () = assert!(
    KEY_WINDOW_MS
        + MAX_FUNCTION_TIMEOUT_MS
        + MAX_CLOCK_SKEW_MS
        + MAX_PROVIDER_TIMEOUT_MS
        + MAX_PROVIDER_EXECUTION_MS
        < PROVIDER_KEY_LIFE_MS
);

const _: () =
    assert!(MAX_PROVIDER_TIMEOUT_MS < MAX_FUNCTION_TIMEOUT_MS, "a request ends within its invocation");
const _: () = assert!(CLAIM_GRACE_MS > 0, "a claim outlives its invocation");

/// The deployment's numbers: when to look again and how long the outside world may take. All in milliseconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    /// Delays before the first, second, … look at an unsettled operation; the last one repeats.
    pub schedule_ms: Vec<i64>,
    /// The longest the provider may still be executing a request after its caller has gone.
    pub longest_execution_ms: i64,
    /// How far the provider's search may lag behind.
    pub search_lag_ms: i64,
    /// How long after its acceptance an operation that is known to the provider but not final goes to a person.
    pub not_final_after_ms: i64,
    /// How long to wait before looking again at a `processing` payment.
    pub processing_ms: i64,
    /// How long after its first send an authorization is looked at: before it can expire.
    pub authorization_look_ms: i64,
    /// How long to wait before looking again at an authorization that old.
    pub authorization_again_ms: i64,
    /// How long after its acceptance a charge that waits for its customer is canceled.
    pub action_timeout_ms: i64,
}

impl Rules {
    /// Returns the numbers of the AWS stage: 1 min, 5 min, 30 min, 2 h, then every 2 h.
    #[must_use]
    pub fn production() -> Self {
        Self {
            schedule_ms: vec![minutes(1), minutes(5), minutes(30), hours(2)],
            longest_execution_ms: minutes(10),
            search_lag_ms: hours(1),
            not_final_after_ms: hours(15 * 24),
            processing_ms: hours(2),
            // Most cards' authorizations end after 7 days, some after 5.
            authorization_look_ms: hours(4 * 24),
            authorization_again_ms: hours(12),
            action_timeout_ms: hours(24),
        }
    }

    /// Returns when to look again after `tries` fruitless turns, up to a quarter later by `jitter_per_mille`.
    ///
    /// `jitter_per_mille` is a random number from 0 to 1000, drawn by the caller.
    #[must_use]
    pub fn look_again(&self, now: Time, tries: u32, jitter_per_mille: u16) -> Time {
        let last = self.schedule_ms.len().saturating_sub(1);
        let index = usize::try_from(tries).unwrap_or(usize::MAX).min(last);
        let base = self.schedule_ms.get(index).copied().unwrap_or(minutes(1));
        let again = now.plus_ms(base + base * i64::from(jitter_per_mille.min(1_000)) / 4_000);
        assert!(again >= now, "the next look lies ahead");
        again
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schedule_grows_and_its_last_step_repeats() {
        let rules = Rules::production();
        let waits: Vec<i64> = (0..6).map(|tries| rules.look_again(Time(0), tries, 0).0).collect();
        assert_eq!(waits, [minutes(1), minutes(5), minutes(30), hours(2), hours(2), hours(2)]);
    }

    #[test]
    fn jitter_only_delays_and_by_a_quarter_at_most() {
        let rules = Rules::production();
        assert_eq!(rules.look_again(Time(0), 0, 1_000).0, minutes(1) + seconds(15));
        assert_eq!(rules.look_again(Time(0), 0, u16::MAX).0, minutes(1) + seconds(15));
    }
}
