//! Tests of the payment crate from outside: what it promises to those who write commands and read events.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod accepting;
mod bench;
mod command_schema;
mod contending;
mod converging;
mod deciding;
mod event_schema;
mod histories;
mod looking_up;
mod messages;
mod names;
mod payments;
mod planning;
mod properties;
mod schema;
mod sealing;
mod states;
