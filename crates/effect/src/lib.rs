//! One side effect, made once.
//!
//! This crate decides; it never acts. It reads no clock, no randomness, no environment and no network: time and
//! jitter are arguments, and what it wants done comes back as a value ([`Next`]). What is learned from outside is
//! of two kinds that must never be mixed:
//!
//! * a [`Fact`] says what the provider's state *is*. [`Attempt::absorb`] is commutative and idempotent, so a fact
//!   is welcome from any worker, however stale;
//! * a [`Note`] says what *this turn* learned about its own call. [`conclude`] applies it to the record that this
//!   turn read, and a write conflict drops it.

mod absorb;
mod attempt;
mod conclude;
mod key;
mod laws;
mod policy;
mod rules;
mod time;

pub use absorb::{Fact, Outcome};
pub use attempt::{Attempt, Frozen, ReviewReason, Standing, Status};
pub use conclude::{Note, Turn, conclude};
pub use key::{ProviderKey, digest_hex};
pub use policy::{ByState, Keyed, Look, Next, Policy, Send};
pub use rules::{
    CLAIM_GRACE_MS, KEY_WINDOW_MS, MAX_CLOCK_SKEW_MS, MAX_FUNCTION_TIMEOUT_MS, MAX_PROVIDER_EXECUTION_MS,
    MAX_PROVIDER_TIMEOUT_MS, Rules,
};
pub use time::{Time, hours, minutes, seconds};
