//! `ikkai`, the operator's tool: asks for an operation, shows a payment, lists and watches many.
//!
//! What it does is written over the ports of [`payment::ports`]; only [`connect`] knows AWS.

pub mod args;
pub mod ask;
pub mod connect;
pub mod ids;
pub mod list;
pub mod moment;
pub mod show;
pub mod view;
pub mod watch;
