//! Stripe's wire shapes: what a request looks like as bytes, and what a reply means.
//!
//! Pure: [`prepare()`] and [`classify`] know no socket. [`Stripe`] joins them to any [`Transport`], so that the
//! deployed system and the simulation run the same reading of every reply.

mod classify;
mod http;
mod object;
mod prepare;
mod processor;

pub use classify::{classify, classify_look};
pub use http::{HttpReply, HttpRequest, Method, Transport, TransportError};
pub use prepare::{API_VERSION, prepare, prepare_look, prepare_send};
pub use processor::Stripe;
