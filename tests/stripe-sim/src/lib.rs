//! A Stripe that behaves: PaymentIntents with the real key layer, as a pure engine without IO.
//!
//! Time is an argument, ids are counters, nothing is random: the same calls give the same bytes. An intent is
//! created, confirmed, captured, canceled, retrieved, listed and searched; what it paid is refunded, and refunds are
//! retrieved, listed and canceled. Any `cus_…` and `pm_…` id exists. The effect of a request happens at one instant,
//! inside [`Sim::finish`]; what time alone does (authorizations expire, refunds settle) inside [`Sim::pass_time`],
//! which every request begins with.
//!
//! Known deviations: a confirmation needs no `return_url`; minimums are checked in a charge's own currency only; a
//! search knows `AND` but neither `OR` nor negation; a capture takes no metadata and is always the last one; a refund
//! names its intent, never a charge; nothing is expanded; no webhook is sent.

mod actors;
mod cards;
mod closing;
mod counts;
mod error;
mod execute;
mod fault;
mod form;
mod http;
mod intent;
mod keys;
mod limits;
mod lookup;
mod paging;
mod params;
mod query;
mod refund;
mod refund_object;
mod refunding;
mod render;
mod route;
mod settings;
mod sim;
mod validate;

pub use actors::Refusal;
pub use cards::{Decline, Outcome};
pub use counts::{Effects, OperationCount, Totals};
pub use fault::Fault;
pub use http::{Method, Request, Response};
pub use intent::{AttemptError, Capture, Intent, State, Status};
pub use refund::{Refund, RefundOutcome, RefundState, RefundStatus};
pub use route::Route;
pub use settings::Settings;
pub use sim::{Begun, Sim, Ticket};
