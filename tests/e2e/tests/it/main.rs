//! End-to-end tests: one stack, shared by all of them.

mod charge;
mod stack;
