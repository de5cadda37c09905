//! Tests of the payment crate from outside: what it promises to those who write commands and read events.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod asking;
mod cancels;
mod captures;
mod command_properties;
mod command_schema;
mod event_schema;
mod histories;
mod money_properties;
mod names;
mod properties;
mod record_properties;
mod refunds;
mod schema;
mod story;
mod tables;
