//! The simulated Stripe, tested: its key layer, cards, captures, refunds, lookups and counts, and its server's
//! faults.

mod captures;
mod cards;
mod client;
mod counting;
mod flight;
mod keys;
mod lookup;
mod refund_keys;
mod refund_server;
mod refund_settling;
mod refunds;
mod server;
mod setup;
mod states;
mod validation;
