//! The payment: an aggregate of side effects that money rides on.
//!
//! This crate decides what a payment needs and in which order, and drives it through ports. It reads no clock, no
//! randomness, no environment and no network: time is an argument or comes through [`ports::Clock`], and everything
//! outside is behind the traits of [`ports`].
//!
//! One turn is [`converge()`]: take in the command and the facts, plan what follows, decide the next step, make one
//! port call, and again, until nothing is left to do in this invocation.

mod accept;
mod command;
mod converge;
mod decide;
mod events;
mod ids;
mod money;
mod plan;
pub mod ports;
mod record;
mod seal;

pub use accept::accept;
pub use command::{COMMAND_SCHEMA, Charge, Command, MAX_COMMAND_BYTES, Malformed, Reported};
pub use converge::{Converged, Invocation, NotRecorded, Settings, converge};
pub use decide::{Limits, Step, Turn, decide, due};
pub use events::{EVENT_VERSION, Event, EventType, announced, rebuild};
pub use ids::{
    CustomerId, InvalidName, Kind, OperationKey, OrderId, PaymentId, PaymentMethodId, Ref, SHARDS, Tenant,
    looks_like_a_card_number,
};
pub use money::{Amount, Currency, MAX_AMOUNT_MINOR};
pub use plan::{ALREADY_PAID, CHARGE_SUCCEEDED, plan};
pub use record::{
    Account, Announced, Claim, Effect, MAX_OPERATIONS, Operation, Payment, PaymentState, RECORD_SCHEMA,
    Record,
};
pub use seal::{Guard, seal};
