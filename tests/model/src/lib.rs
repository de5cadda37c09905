//! A second witness: the charge protocol written a second time, small enough to look at every state it can be in.
//!
//! The simulator in `tests/world` runs the real code under drawn schedules; it can miss a schedule, and it shares the
//! code's own ideas. This model shares nothing with the code: it was written from the design, depends on no crate of
//! ours, and a checker visits *all* its states, without a bound on faults. Two witnesses that agree are worth more
//! than one that is asked twice.
//!
//! # What is modelled
//!
//! - One payment with a charge and a further attempt, asked for at any time; each message may come again at any time.
//! - Two workers, which may die between any two steps; the record with conditional writes; a claim that expires; an
//!   intent to send recorded before each send; facts kept across a refused write and notes dropped.
//! - Requests that are lost, slow, cut off or overtaken, that go on without their worker, and whose replies are lost.
//! - The provider: a key layer that saves the first result, replays it, says 409 while it runs and forgets the key
//!   behind the window; 400, 429, and a saved 500 before the create, between create and confirm, and after; declines;
//!   a customer who pays after a decline; confirm and cancel by state; `processing`; webhooks, late and repeated.
//! - Time in ticks: a worker and its claim last two, a request at most one tick longer than it was sent in, the window
//!   two, a key three. The distances are as tight as the design allows: one tick less of margin breaks the protocol,
//!   and a test shows it.
//!
//! # What is not
//!
//! - The queue, the due index and the backoff: a wake may come at any time, which is harsher for safety; that one does
//!   come for whatever is unsettled is assumed here, and tested in the world. Announcements, amounts and review for
//!   other reasons than an exhausted search, two ids or two ends: likewise.
//! - A person's resolution of a review (the design's stated limit), `requires_action`, other operations than charge
//!   and void.
//! - The key layer of confirm and cancel: each may be carried out again, which is harsher.
//!
//! # Assumptions
//!
//! 1. A worker is dead before its claim expires. A request that was sent is carried out or lost before one more tick
//!    is over (the design's longest execution), and window + worker + request < life of a key.
//! 2. A retrieve is true when it is answered. List and search show only what exists, and may miss it at any time.
//! 3. Clocks agree: skew is part of the margin.
//!
//! # Where it differs from the code
//!
//! A worker reads before it writes (the code lets the first write find out) and stops after an outcome (the code looks
//! for more to do: here another wake does). A version is not a number but the fact that a reading is old, so that
//! states stay finite. Reading and first write are one step, unless `with_old_readings`: a refused first write only
//! starts the worker again. That run has no further attempt, or it would not be small.
//!
//! # Why it may be trusted
//!
//! States are stored and compared whole, so that none is taken for another; workers and requests that differ in
//! number only are the same. What an exploration must have seen is listed ([`sometimes`]) and counted, room for
//! requests and intents is itself a property, and each rule of the design, when it is broken on purpose, is caught
//! with a shortest counterexample.
//!
//! The checker is our own. `stateright` 0.31 was considered: it brings 17 crates, a web server among them, and has no
//! feature to leave them out; it changes the features of `rand` for the whole workspace; and it tells states apart by
//! a hash of 64 bits only. [`Model`] has the shape of its trait, so that moving is a small change.

mod checker;
mod heal;
mod learn;
mod properties;
pub mod protocol;
pub mod provider;
pub mod record;
mod state;
pub mod system;
pub mod worker;

pub use checker::{Counterexample, Model, Property, Report, Statement, explore};
pub use properties::{always, sometimes};
pub use protocol::{Breakage, Protocol};
pub use system::{Action, State, System};
