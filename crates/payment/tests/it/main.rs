//! Tests of the payment crate from outside: what it promises to those who write commands and read events.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod command_schema;
mod event_schema;
mod histories;
mod properties;
mod schema;
