//! The payment and its record: everything that must change together.

use std::collections::{BTreeMap, BTreeSet};

use effect::{Attempt, Standing, Time};
use serde::{Deserialize, Serialize};

use crate::{
    ids::{CustomerId, Kind, OperationKey, OrderId, PaymentId, PaymentMethodId, Ref, Tenant},
    money::{Amount, Currency},
};

/// The version of the stored item's shape: the value of its `schema` attribute. A reader takes no other, and ignores
/// attributes it does not know.
pub const RECORD_SCHEMA: u32 = 1;

/// The most operations one payment may hold, those that Ikkai adds by itself aside.
pub const MAX_OPERATIONS: usize = 100;

/// One side effect on a payment, with its durable state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operation {
    /// Counts the payment's operations in the order of their acceptance, from 1.
    pub seq: u32,
    /// What it does.
    #[serde(flatten)]
    pub effect: Effect,
    /// Digest of what changes the effect: another digest under the same id is another request.
    pub digest: String,
    /// When it was accepted.
    pub accepted_at: Time,
    /// Its durable state.
    #[serde(flatten)]
    pub attempt: Attempt,
    /// Digests of requests refused because they came under this id with other parameters.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub differing: BTreeSet<String>,
    /// What has been announced of it: outcome name to the version and time of the write that announced it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub outcomes: BTreeMap<String, Announced>,
    /// What caused it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub causation_id: Option<String>,
    /// W3C trace context it came with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traceparent: Option<String>,
}

/// What an operation does, and with what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Effect {
    /// Takes the customer's money.
    Charge {
        /// Amount in minor units.
        amount: Amount,
        /// Currency of the amount.
        currency: Currency,
        /// The provider's customer.
        customer: CustomerId,
        /// The customer's stored payment method.
        payment_method: PaymentMethodId,
        /// When the money is taken.
        #[serde(default, skip_serializing_if = "CaptureMethod::is_automatic")]
        capture: CaptureMethod,
    },
    /// Takes the money that an authorization holds. What it does not take is released.
    Capture {
        /// Amount in minor units; until it runs, none if all of it is meant.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        amount: Option<Amount>,
        /// The authorized charge, once there is no doubt about it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        charge: Option<Ref>,
    },
    /// Ends the payment before its money is taken.
    Cancel {
        /// What to do if the money is taken already.
        if_captured: IfCaptured,
        /// The charge whose intent is canceled, once there is no doubt about it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        charge: Option<Ref>,
    },
    /// Gives money back.
    Refund {
        /// Amount in minor units; until it runs, none if all that is left is meant.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        amount: Option<Amount>,
        /// The captured charge, once there is no doubt about it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        charge: Option<Ref>,
    },
    /// Cancels the intent that a failed charge left behind.
    Void {
        /// The charge's ref.
        charge: Ref,
    },
}

/// When the money of a charge is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CaptureMethod {
    /// At once.
    #[default]
    Automatic,
    /// By a capture, before the authorization expires.
    Manual,
}

impl CaptureMethod {
    /// Tells whether the money is taken at once.
    #[must_use]
    pub const fn is_automatic(&self) -> bool {
        matches!(self, Self::Automatic)
    }
}

/// What a cancel does if the money turns out to be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IfCaptured {
    /// Nothing: the cancel is refused.
    #[default]
    Refuse,
    /// Gives all of it back.
    Refund,
}

impl IfCaptured {
    /// Returns the word used in commands.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Refuse => "refuse",
            Self::Refund => "refund",
        }
    }
}

impl Effect {
    /// Returns the kind of operation that makes it.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        match self {
            Self::Charge { .. } => Kind::Charge,
            Self::Capture { .. } => Kind::Capture,
            Self::Cancel { .. } => Kind::Cancel,
            Self::Refund { .. } => Kind::Refund,
            Self::Void { .. } => Kind::Void,
        }
    }

    /// Returns the amount it is about: none for what moves no amount of its own, and none while all there is is meant.
    #[must_use]
    pub const fn amount(&self) -> Option<Amount> {
        match self {
            Self::Charge { amount, .. } => Some(*amount),
            Self::Capture { amount, .. } | Self::Refund { amount, .. } => *amount,
            Self::Cancel { .. } | Self::Void { .. } => None,
        }
    }

    /// Returns the ref of the other operation it acts on: none for a charge, and none while that is undecided.
    #[must_use]
    pub const fn target(&self) -> Option<&Ref> {
        match self {
            Self::Charge { .. } => None,
            Self::Capture { charge, .. } | Self::Cancel { charge, .. } | Self::Refund { charge, .. } => {
                charge.as_ref()
            }
            Self::Void { charge } => Some(charge),
        }
    }
}

/// When an outcome was announced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Announced {
    /// The record's version that announced it: the event's sequence.
    #[serde(rename = "v")]
    pub version: u64,
    /// When.
    #[serde(rename = "at")]
    pub time: Time,
}

/// The provider account that a payment's requests go to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// The account's id at the provider.
    pub id: String,
    /// Whether it is live mode.
    pub live: bool,
}

/// The aggregate: one per (tenant, order).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Payment {
    /// Whose payment it is.
    pub tenant: Tenant,
    /// The order paid.
    pub order: OrderId,
    /// Every operation, by name.
    pub operations: BTreeMap<OperationKey, Operation>,
    /// The provider account of the first send; any other is never sent to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<Account>,
}

/// A worker's right to act on a payment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// Names the invocation.
    pub token: String,
    /// When the right ends: the invocation's deadline and a grace.
    pub until: Time,
}

/// A payment as stored: one item, one conditional write a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The item's key.
    #[serde(rename = "pk")]
    pub id: PaymentId,
    /// Counts the writes, a sweep's lease aside.
    pub version: u64,
    /// When it was last written, a sweep's lease aside.
    pub updated_at: Time,
    /// The payment itself.
    #[serde(flatten)]
    pub payment: Payment,
    /// Who may act on it, if anybody does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<Claim>,
    /// When the sweep is to send a wake; absent if no machine has anything left to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_at: Option<Time>,
    /// The last value of `due_at` that a sweep answered with a wake; written by its lease alone. What is due is due
    /// after it, so that no value is answered twice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub woken_for: Option<Time>,
    /// Since when a person is needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review_at: Option<Time>,
    /// The ids of the events that this write announces, separated by spaces; removed by the next write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub announce: Option<String>,
}

impl Payment {
    /// Starts an empty payment.
    #[must_use]
    pub const fn empty(tenant: Tenant, order: OrderId) -> Self {
        Self { tenant, order, operations: BTreeMap::new(), account: None }
    }

    /// Returns the payment's identity.
    #[must_use]
    pub fn id(&self) -> PaymentId {
        PaymentId::of(&self.tenant, &self.order)
    }

    /// Returns the names of the operations in the order of their acceptance.
    #[must_use]
    pub fn in_order(&self) -> Vec<OperationKey> {
        let mut keys: Vec<(u32, &OperationKey)> = self.operations.iter().map(|(k, op)| (op.seq, k)).collect();
        keys.sort_unstable();
        keys.into_iter().map(|(_, key)| key.clone()).collect()
    }

    /// Returns the charges in the order of their acceptance.
    pub fn charges(&self) -> impl Iterator<Item = (&OperationKey, &Operation)> {
        let mut charges: Vec<_> =
            self.operations.iter().filter(|(_, op)| matches!(op.effect, Effect::Charge { .. })).collect();
        charges.sort_unstable_by_key(|(_, op)| op.seq);
        charges.into_iter()
    }

    /// Tells whether any operation needs a person.
    #[must_use]
    pub fn needs_review(&self) -> bool {
        self.operations.values().any(|op| op.attempt.review.is_some())
    }

    /// Returns the charge that an operation acts on: itself, or the one it captures, cancels, refunds or voids.
    #[must_use]
    pub fn charge_of(&self, key: &OperationKey) -> OperationKey {
        let target = self.operations.get(key).and_then(|op| op.effect.target());
        target.map_or_else(|| key.clone(), |charge| OperationKey::charge(charge.clone()))
    }

    /// Returns the operation that the provider's object of an operation's effect belongs to: a refund's is its own,
    /// the others' is their charge's.
    #[must_use]
    pub fn carrier_of(&self, key: &OperationKey) -> OperationKey {
        match key.kind {
            Kind::Refund => key.clone(),
            Kind::Charge | Kind::Capture | Kind::Cancel | Kind::Void => self.charge_of(key),
        }
    }

    /// Returns the provider's id of the object that carries an operation's effect, if exactly one is known.
    #[must_use]
    pub fn provider_id(&self, key: &OperationKey) -> Option<&str> {
        let carrier = self.operations.get(&self.carrier_of(key))?;
        let mut ids = carrier.attempt.ids.iter();
        match (ids.next(), ids.next()) {
            (Some(id), None) => Some(id),
            (_, _) => None,
        }
    }
}

impl Operation {
    /// Returns the status to show: an intent without an outcome is an ambiguous send.
    #[must_use]
    pub const fn shown_standing(&self, claimed: bool) -> Standing {
        let is_ambiguous = matches!(self.attempt.standing, Standing::Pending) && self.attempt.was_sent();
        if is_ambiguous && !claimed { Standing::Unknown } else { self.attempt.standing }
    }
}

impl Record {
    /// Tells whether a worker other than `token` may still be acting at `now`.
    #[must_use]
    pub fn is_claimed_by_another(&self, token: &str, now: Time) -> bool {
        self.claim.as_ref().is_some_and(|claim| claim.token != token && now < claim.until)
    }
}
