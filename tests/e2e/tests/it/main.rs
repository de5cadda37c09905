//! End-to-end tests on the deployed template, its real binaries and a real queue; effects are counted at stripe-sim.
//!
//! One stack is shared by all tests, each with orders of its own; one more is for those that kill workers.

mod async_invokes;
mod charge;
mod cli;
mod crash;
mod dead_letters;
mod further_attempts;
mod http;
mod life;
mod order;
mod provider_keys;
mod publish;
mod queue;
mod stack;
mod sweep;
mod window;
