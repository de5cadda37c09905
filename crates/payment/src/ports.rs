//! Ports: what the functions need from the world, one small trait for each capability.
//!
//! Each call is one request. An adapter never resends by itself what may have taken effect.

mod acceptances;

use std::future::Future;

use effect::{Fact, Frozen, Look, Note, ProviderKey, Time};

use crate::{
    ids::{CustomerId, Kind, PaymentId, PaymentMethodId},
    money::{Amount, Currency},
    record::{Account, CaptureMethod, Record},
    state::PaymentState,
};

pub use acceptances::{AcceptError, Acceptances, Change, KEY_LIFE_S, KeyId, KeyRecord};

/// Reads the time.
pub trait Clock {
    /// Returns the time now.
    fn now(&self) -> Time;
}

/// Lets time pass.
pub trait Pause {
    /// Returns after `ms` milliseconds.
    fn pause(&self, ms: u64) -> impl Future<Output = ()>;
}

/// Draws random numbers.
pub trait Randomness {
    /// Returns a number from 0 to 1000.
    fn jitter_per_mille(&self) -> u16;

    /// Returns a name that no other call, of any worker, returns.
    fn token(&self) -> String;
}

/// Why a record was not saved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SaveError {
    /// The condition failed; this is the record as it stands now, if there is one.
    #[error("the record has changed")]
    Conflict(Option<Box<Record>>),
    /// The write was certainly not made.
    #[error("the record was not written: {0}")]
    NotDone(&'static str),
    /// The write may or may not have been made.
    #[error("the write's outcome is unknown: {0}")]
    Unknown(&'static str),
    /// The stored item cannot be read.
    #[error("the stored item is corrupt: {0}")]
    Corrupt(&'static str),
}

/// Why a read failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// The table could not be read.
    #[error("the table could not be read: {0}")]
    Unavailable(&'static str),
    /// The stored item cannot be read.
    #[error("the stored item is corrupt: {0}")]
    Corrupt(&'static str),
}

/// Stores payments: one item each, one conditional write a step.
pub trait Ledger {
    /// Reads a record, strongly consistent.
    fn load(&self, id: &PaymentId) -> impl Future<Output = Result<Option<Record>, LoadError>>;

    /// Writes the record if the stored one still is `expected` (`None`: if there is none): its version, and what a
    /// sweep's lease changes.
    fn save(&self, expected: Option<&Record>, next: &Record) -> impl Future<Output = Result<(), SaveError>>;
}

/// One entry of the due index.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Due {
    /// When it is due. First, so that entries order by time.
    pub due_at: Time,
    /// The payment that is due.
    pub payment_id: PaymentId,
}

/// Reads and leases what is due.
pub trait DueIndex {
    /// Returns at most `limit` payments of a shard that are due at `now`, earliest first. Never scans.
    fn due(&self, shard: u8, now: Time, limit: u32) -> impl Future<Output = Result<Vec<Due>, LoadError>>;

    /// Moves `due_at` from the value seen to `until`, and records the value seen as answered (`woken_for`); tells
    /// whether this call (or its own lost reply) did it.
    fn lease(&self, due: &Due, until: Time) -> impl Future<Output = Result<bool, LoadError>>;
}

/// One entry of the review index.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Open {
    /// Since when it needs a person. First, so that entries order by time.
    pub since: Time,
    /// The payment.
    pub payment_id: PaymentId,
}

/// Reads what needs a person.
pub trait ReviewIndex {
    /// Returns at most `limit` payments of a shard that need a person, the longest waiting first. Never scans.
    fn in_review(&self, shard: u8, limit: u32) -> impl Future<Output = Result<Vec<Open>, LoadError>>;
}

/// One payment of a census.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counted {
    /// The payment.
    pub payment_id: PaymentId,
    /// Its state; none if this version cannot read the item.
    pub state: Option<PaymentState>,
    /// Whether it needs a person.
    pub needs_review: bool,
}

/// One page of a census.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CensusPage {
    /// Payments, in no order.
    pub payments: Vec<Counted>,
    /// Where the next page starts; none at the end.
    pub next: Option<String>,
}

/// Reads every payment there is: a scan, for a person who asks for one.
pub trait Census {
    /// Returns the page that starts there: the first one, if nowhere is named.
    fn page(&self, start: Option<&str>) -> impl Future<Output = Result<CensusPage, LoadError>>;
}

/// A request to the provider, before it is frozen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// Create and confirm a payment intent, off session.
    CreateIntent {
        /// Amount in minor units.
        amount: Amount,
        /// Currency of the amount.
        currency: Currency,
        /// The provider's customer.
        customer: CustomerId,
        /// The customer's stored payment method.
        payment_method: PaymentMethodId,
        /// When the money is taken.
        capture: CaptureMethod,
    },
    /// Confirm an intent that was created and never confirmed.
    ConfirmIntent {
        /// The intent.
        id: String,
        /// The payment method to confirm with.
        payment_method: PaymentMethodId,
    },
    /// Take the money that an intent holds, and release the rest.
    CaptureIntent {
        /// The intent.
        id: String,
        /// Amount in minor units.
        amount: Amount,
    },
    /// Cancel an intent.
    CancelIntent {
        /// The intent.
        id: String,
    },
    /// Give money of an intent back.
    CreateRefund {
        /// The intent.
        intent: String,
        /// Amount in minor units.
        amount: Amount,
    },
}

/// The provider's object that an answer is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Object {
    /// A payment intent of this customer.
    Intent {
        /// The provider's customer.
        customer: CustomerId,
    },
    /// A refund.
    Refund {
        /// The intent whose money it gives back.
        intent: String,
    },
}

/// What an answer is checked against before it counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expected {
    /// The kind of operation that asks.
    pub kind: Kind,
    /// The operation id that the provider's object must carry.
    pub operation_id: String,
    /// The amount it must be for.
    pub amount: Amount,
    /// The currency it must be in.
    pub currency: Currency,
    /// Which object it must be.
    pub object: Object,
}

/// A question to the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// What is asked.
    pub look: Look,
    /// The known id, for a retrieve.
    pub id: Option<String>,
    /// The earliest creation time listed.
    pub from: Time,
    /// The latest creation time listed.
    pub to: Time,
    /// Where the next page starts.
    pub cursor: Option<String>,
    /// What a hit is checked against.
    pub expected: Expected,
}

/// What one call to the provider taught.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// What the provider's state is: welcome whenever it arrives.
    pub facts: Vec<Fact>,
    /// What this turn learned about its own call.
    pub note: Option<Note>,
}

/// Why the provider cannot be called: nothing was sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the provider's credentials cannot be read: {0}")]
pub struct NoCredentials(pub &'static str);

/// The payment provider.
pub trait Processor {
    /// Returns the account that the credentials in force belong to.
    fn account(&self) -> impl Future<Output = Result<Account, NoCredentials>>;

    /// Freezes a request. Pure: the same request and key give the same bytes.
    fn prepare(&self, request: &Request, operation_id: &str, key: ProviderKey) -> Frozen;

    /// Sends a frozen request once.
    fn send(&self, frozen: &Frozen, expected: &Expected) -> impl Future<Output = Answer>;

    /// Asks once; changes nothing at the provider.
    fn look_up(&self, question: &Question) -> impl Future<Output = Answer>;
}

/// A message for the command queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// `MessageGroupId`: the payment id.
    pub group: PaymentId,
    /// `MessageDeduplicationId`.
    pub deduplication_id: String,
    /// The command.
    pub body: String,
}

/// Why a message was not sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the message was not sent, or its sending is unknown: {0}")]
pub struct SendError(pub &'static str);

/// The command queue.
pub trait Queue {
    /// Sends a message. Sending it again inside the queue's deduplication interval has no effect.
    fn send(&self, message: &Message) -> impl Future<Output = Result<(), SendError>>;
}

/// Tells how much waits in the command queue.
pub trait QueueDepth {
    /// Returns about how many messages wait to be received.
    fn waiting(&self) -> impl Future<Output = Result<u64, SendError>>;
}

/// Something that cannot be processed, set aside for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeadLetter {
    /// Its group: that of the message it came in, or the message's id.
    pub group: String,
    /// Id of the message or stream record it came in: setting the same aside twice has no effect.
    pub source_id: String,
    /// Why it cannot be processed.
    pub reason: String,
    /// What came, unchanged.
    pub body: String,
}

/// Where what cannot be processed is set aside, with an alarm.
pub trait DeadLetters {
    /// Sets it aside.
    fn set_aside(&self, letter: &DeadLetter) -> impl Future<Output = Result<(), SendError>>;
}

/// One entry for the event bus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BusEntry {
    /// The event's id, as in its metadata.
    pub id: String,
    /// `DetailType`.
    pub detail_type: &'static str,
    /// `Detail`: JSON.
    pub detail: String,
}

/// The most entries one publish takes.
pub const BUS_MAX_ENTRIES: usize = 10;

/// The most bytes one publish takes, all entries together.
pub const BUS_MAX_BYTES: usize = 256 * 1024;

impl BusEntry {
    /// Returns the size that counts against [`BUS_MAX_BYTES`], the source and a time aside.
    #[must_use]
    pub const fn size_bytes(&self) -> usize {
        // 14 bytes for the time, and room for the source's name.
        self.detail.len() + self.detail_type.len() + 14 + 256
    }
}

/// The event bus.
pub trait Bus {
    /// Puts at most [`BUS_MAX_ENTRIES`] entries of at most [`BUS_MAX_BYTES`]; tells for each whether it was taken.
    fn put(&self, entries: &[BusEntry]) -> impl Future<Output = Result<Vec<bool>, SendError>>;
}
