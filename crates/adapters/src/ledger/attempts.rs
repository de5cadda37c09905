//! Repeating a write in place, and what is certain once that is given up.

use std::time::Duration;

use payment::ports::Randomness;

use super::failure::{Failure, why};
use crate::OsRandomness;

/// How often a write that another transaction keeps away is attempted.
const CONFLICTING_ATTEMPTS: u32 = 5;

/// How often a write that gets no usable reply, or meets a busy table, is attempted.
const ATTEMPTS: u32 = 3;

/// The longest pause before the second attempt, in milliseconds; it doubles with each.
const PAUSE_MS: u32 = 50;

/// The attempts at one write so far.
#[derive(Debug)]
pub(super) struct Attempts {
    made: u32,
    may_be_done: bool,
}

/// What is certain of a write that is not attempted again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GivenUp {
    /// Other transactions kept it away: not written.
    Contended(&'static str),
    /// Not written.
    NotDone(&'static str),
    /// It may or may not have been written.
    Unknown(&'static str),
}

impl Attempts {
    /// Starts with none made.
    pub(super) const fn none() -> Self {
        Self { made: 0, may_be_done: false }
    }

    /// Takes in how an attempt failed; returns once the next is due.
    ///
    /// # Errors
    /// Returns [`GivenUp`] if there is to be no other.
    pub(super) async fn again(&mut self, failure: Failure) -> Result<(), GivenUp> {
        self.made += 1;
        let (attempts, is_contended) = match &failure {
            Failure::TransactionConflict => (CONFLICTING_ATTEMPTS, true),
            Failure::Throttled => (ATTEMPTS, false),
            Failure::Condition(_) | Failure::Refused(_) => (self.made, false),
            Failure::Unknown(_) => {
                self.may_be_done = true;
                (ATTEMPTS, false)
            }
        };
        if self.made < attempts {
            pause(self.made).await;
            return Ok(());
        }
        let reason = why(failure);
        // Only the last attempt's failure is certain; one before it may have been the write.
        Err(match (self.may_be_done, is_contended) {
            (true, _) => GivenUp::Unknown(reason),
            (false, true) => GivenUp::Contended(reason),
            (false, false) => GivenUp::NotDone(reason),
        })
    }
}

async fn pause(attempt: u32) {
    let longest = u64::from(PAUSE_MS) << attempt.saturating_sub(1).min(6);
    let jittered = longest * u64::from(500 + OsRandomness.jitter_per_mille() / 2) / 1_000;
    tokio::time::sleep(Duration::from_millis(jittered)).await;
}
