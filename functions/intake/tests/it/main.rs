//! Tests of `intake` over a table and a queue that remember. Every reply is held against the OpenAPI document.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod bench;
mod bodies;
mod budget;
mod events;
mod keys;
mod openapi;
mod operations;
mod reading;
mod table;
mod trouble;
