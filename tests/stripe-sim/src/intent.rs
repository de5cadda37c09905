//! The PaymentIntent: what is fixed at creation, and the history of what changes.

use std::collections::BTreeMap;

use crate::cards::Decline;

/// The status of an intent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// Has no payment method, or its last attempt was declined.
    RequiresPaymentMethod,
    /// Has a payment method and was not confirmed.
    RequiresConfirmation,
    /// Waits for the customer.
    RequiresAction,
    /// Waits for the payment network.
    Processing,
    /// Is authorized and waits for its capture.
    RequiresCapture,
    /// Is paid; final.
    Succeeded,
    /// Is canceled; final.
    Canceled,
}

impl Status {
    /// Returns the status as the API spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Status::RequiresPaymentMethod => "requires_payment_method",
            Status::RequiresConfirmation => "requires_confirmation",
            Status::RequiresAction => "requires_action",
            Status::Processing => "processing",
            Status::RequiresCapture => "requires_capture",
            Status::Succeeded => "succeeded",
            Status::Canceled => "canceled",
        }
    }
}

/// When the money of an authorization is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capture {
    /// With the confirmation.
    Automatic,
    /// With the confirmation, reported late; behaves like [`Capture::Automatic`] here.
    AutomaticAsync,
    /// With a capture of its own.
    Manual,
}

impl Capture {
    /// Returns the value of `capture_method`.
    pub fn as_str(self) -> &'static str {
        match self {
            Capture::Automatic => "automatic",
            Capture::AutomaticAsync => "automatic_async",
            Capture::Manual => "manual",
        }
    }
}

/// The error of the last declined attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptError {
    /// The reason.
    pub decline: Decline,
    /// The payment method that was declined.
    pub payment_method: String,
    /// The failed charge's id.
    pub charge: String,
}

/// The part of an intent that changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// The status.
    pub status: Status,
    /// The payment method of the next or the successful attempt.
    pub payment_method: Option<String>,
    /// The error of the last declined attempt.
    pub last_error: Option<AttemptError>,
    /// The last attempt's charge, failed ones included.
    pub latest_charge: Option<String>,
    /// What was paid, in minor units.
    pub amount_received: i64,
    /// When it was canceled, in milliseconds.
    pub canceled_at_ms: Option<i64>,
    /// Why it was canceled, as the request said.
    pub cancellation_reason: Option<String>,
}

/// A PaymentIntent with its history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intent {
    /// The id, `pi_` and a counter.
    pub id: String,
    /// When it was created, in milliseconds; the API shows seconds.
    pub created_ms: i64,
    /// The amount in minor units.
    pub amount: i64,
    /// The currency in lower case.
    pub currency: String,
    /// The customer.
    pub customer: Option<String>,
    /// The metadata.
    pub metadata: BTreeMap<String, String>,
    /// When money is taken.
    pub capture: Capture,
    /// The types of payment methods it takes.
    pub payment_method_types: Vec<String>,
    /// Whether the dashboard chooses the types; `allow_redirects` when it does.
    pub automatic_payment_methods: Option<String>,
    /// The description.
    pub description: Option<String>,
    /// Where Stripe would mail a receipt.
    pub receipt_email: Option<String>,
    /// `off_session` or `on_session`.
    pub setup_future_usage: Option<String>,
    /// The statement descriptor.
    pub statement_descriptor: Option<String>,
    /// The suffix of the statement descriptor.
    pub statement_descriptor_suffix: Option<String>,
    /// The confirmations that were executed.
    pub attempts: u64,
    /// Every state with the time in milliseconds at which it began; never empty, the last is current.
    pub(crate) history: Vec<(i64, State)>,
}

impl Intent {
    /// Moves the times of its creation and of all its states into the past.
    pub(crate) fn age(&mut self, ms: i64) {
        self.created_ms -= ms;
        for (began_ms, state) in &mut self.history {
            *began_ms -= ms;
            if let Some(canceled_at_ms) = &mut state.canceled_at_ms {
                *canceled_at_ms -= ms;
            }
        }
    }

    /// Returns the current state.
    pub fn state(&self) -> &State {
        &self.history[self.history.len() - 1].1
    }

    /// Returns the current status.
    pub fn status(&self) -> Status {
        self.state().status
    }

    /// Returns the operation id in the metadata, or the empty string.
    pub fn operation_id(&self) -> &str {
        self.metadata.get("operation_id").map_or("", String::as_str)
    }

    /// Returns the operation id up to its first `/`.
    pub fn payment_id(&self) -> &str {
        payment_of(self.operation_id())
    }

    /// Returns the state as it was at a time, or nothing when the intent did not exist yet.
    pub fn state_at(&self, at_ms: i64) -> Option<&State> {
        self.history.iter().rev().find(|(began_ms, _)| *began_ms <= at_ms).map(|(_, state)| state)
    }

    /// Returns the states with the time in milliseconds at which each began, oldest first.
    pub fn history(&self) -> &[(i64, State)] {
        &self.history
    }

    /// Tells whether it is paid, or a customer or a request could still pay it.
    pub fn is_paid_or_payable(&self) -> bool {
        self.status() != Status::Canceled
    }

    pub(crate) fn change(&mut self, now_ms: i64, change: impl FnOnce(&mut State)) {
        let mut next = self.state().clone();
        change(&mut next);
        self.history.push((now_ms, next));
    }
}

/// Returns the payment id in an operation id: everything up to the first `/`.
pub(crate) fn payment_of(operation_id: &str) -> &str {
    operation_id.split('/').next().unwrap_or(operation_id)
}
