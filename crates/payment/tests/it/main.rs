//! Tests of the payment crate from outside: what it promises to those who write commands and read events.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod accepting;
mod asking;
mod bench;
mod cancels;
mod captures;
mod command_properties;
mod command_schema;
mod contending;
mod converging;
mod deciding;
mod event_contents;
mod event_schema;
mod histories;
mod looking_up;
mod messages;
mod money_properties;
mod name_properties;
mod names;
mod payments;
mod planning;
mod properties;
mod record_properties;
mod refunds;
mod schema;
mod sealing;
mod states;
mod story;
mod tables;
