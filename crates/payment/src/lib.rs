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
mod currencies;
mod decide;
mod events;
mod ids;
mod judge;
mod laws;
mod legal;
mod money;
mod plan;
pub mod ports;
mod record;
mod requests;
mod seal;
mod state;

pub use accept::accept;
pub use command::{COMMAND_SCHEMA, Command, MAX_COMMAND_BYTES, Malformed, Reported};
pub use converge::{Converged, Invocation, NotRecorded, Settings, converge};
pub use currencies::{CurrencyRules, InvalidMoney};
pub use decide::{Limits, Step, Turn, decide, due};
pub use events::{EVENT_VERSION, Event, EventType, announced, rebuild, rfc3339};
pub use ids::{
    CustomerId, InvalidName, Kind, OperationKey, OrderId, PaymentId, PaymentMethodId, Ref, SHARDS, Tenant,
    looks_like_a_card_number,
};
pub use judge::{AMOUNT_ABOVE_AUTHORIZED, AMOUNT_ABOVE_REFUNDABLE, AMOUNT_NOT_PAYABLE};
pub use legal::{
    ALREADY_AUTHORIZED, ALREADY_CAPTURED, ALREADY_PAID, NOT_AUTHORIZED, NOT_CAPTURED, NOTHING_TO_CANCEL,
    PAYMENT_CANCELED, TRANSITIONS, Verdict, verdict,
};
pub use money::{Amount, Currency, MAX_AMOUNT_MINOR};
pub use plan::{AUTHORIZATION_ENDED, CAPTURED_OTHERWISE, CHARGE_SUCCEEDED, REFUNDED_INSTEAD, plan};
pub use record::{
    Account, Announced, CaptureMethod, Claim, Effect, IfCaptured, MAX_OPERATIONS, Operation, Payment,
    RECORD_SCHEMA, Record,
};
pub use requests::{Asked, Cancel, Capture, Charge, Refund};
pub use seal::{Guard, seal};
pub use state::{PaymentState, Totals};
