//! The simulated Stripe, tested: its key layer, cards, lookups and counts, and its server's faults.

mod cards;
mod counting;
mod flight;
mod keys;
mod lookup;
mod server;
mod setup;
mod states;
mod validation;
