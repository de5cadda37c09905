//! `ikkai`, the operator's tool: asks for a charge, shows a payment, watches many.
//!
//! What it does is written over the ports of [`payment::ports`]; only [`connect`] knows AWS.

pub mod args;
pub mod charge;
pub mod connect;
pub mod ids;
pub mod moment;
pub mod show;
pub mod view;
pub mod watch;
