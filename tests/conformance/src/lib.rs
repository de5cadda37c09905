//! Conformance: one suite a port, run on the world and on the adapters against emulators and the simulated Stripe.
//!
//! Each suite is written once, against a small trait that every subject of the port implements. A case says what the
//! real service does, with its source, and tries it. What a subject does otherwise is recorded in `deviations.toml`, and
//! a run fails on a deviation that is not recorded, and on a recorded one that no longer shows: nothing is skipped, and
//! the record stays true.

pub mod acceptances;
pub mod bus;
mod case;
mod deviations;
mod emulators;
mod lossy;

pub mod queue;
mod report;
mod sources;

pub mod stripe;
mod suites;
pub mod table;

pub use case::{Body, Case, Outcome, run};
pub use deviations::{Deviation, Port, recorded};
pub use emulators::{EVERYWHERE, Emulators, LOCALSTACK, aws};
pub use lossy::Lossy;
pub use report::{Report, Verdict};
pub use suites::{IN_PROCESS, SUBJECTS, suite};
