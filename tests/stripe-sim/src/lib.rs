//! A Stripe that behaves: PaymentIntents with the real key layer, as a pure engine without IO.
//!
//! Time is an argument, ids are counters, nothing is random: the same calls give the same bytes. Only charges are
//! known so far: an intent is created, confirmed, canceled, retrieved, listed and searched. Any `cus_…` and `pm_…`
//! id exists. The effect of a request happens at one instant, inside [`Sim::finish`].
//!
//! Known deviations: a confirmation needs no `return_url`; numeric limits cover common currencies only; a search
//! knows `AND` but neither `OR` nor negation.

mod actors;
mod cards;
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
mod params;
mod query;
mod render;
mod route;
mod settings;
mod sim;

pub use actors::Refusal;
pub use cards::{Decline, Outcome};
pub use counts::{Effects, OperationCount, Totals};
pub use fault::Fault;
pub use http::{Method, Request, Response};
pub use intent::{AttemptError, Capture, Intent, State, Status};
pub use route::Route;
pub use settings::Settings;
pub use sim::{Begun, Sim, Ticket};
