//! What the endpoints do: each call is one instant, all or nothing.

use serde::Serialize;

use crate::cards::{Decline, Outcome, built_in_outcome};
use crate::error::{ApiError, DeclinedAttempt};
use crate::intent::{AttemptError, Capture, Intent, State, Status};
use crate::lookup::{self, ListIntents, ListRefunds, SearchIntents};
use crate::paging;
use crate::params::{CaptureIntent, Confirmation, CreateIntent, CreateRefund};
use crate::refund::Refund;
use crate::refund_object::RefundObject;
use crate::render::{self, IntentObject};
use crate::sim::Sim;

/// A validated request, ready to execute.
#[derive(Clone, Debug)]
pub(crate) enum Operation {
    Create(Box<CreateIntent>),
    Confirm { id: String, confirmation: Confirmation },
    Capture { id: String, capture: CaptureIntent },
    Cancel { id: String, reason: Option<String> },
    Retrieve { id: String },
    List(ListIntents),
    Search(SearchIntents),
    CreateRefund(Box<CreateRefund>),
    CancelRefund { id: String },
    RetrieveRefund { id: String },
    ListRefunds(ListRefunds),
    Account,
}

/// What one operation at a time may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lock {
    /// The intent of this index, with its charge.
    Intent(usize),
    /// The refund of this index.
    Refund(usize),
}

/// How far an execution goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    Whole,
    /// A create stops before its confirmation.
    WithoutConfirmation,
}

#[derive(Serialize)]
struct Account<'a> {
    id: &'a str,
    object: &'a str,
}

impl Operation {
    /// Returns what this operation locks; a refund locks what it takes its money from.
    pub(crate) fn lock(&self) -> Option<Lock> {
        let of_intent = |id: &str| paging::index_of::<Intent>(id).map(Lock::Intent);
        match self {
            Operation::Confirm { id, .. } | Operation::Capture { id, .. } | Operation::Cancel { id, .. } => {
                of_intent(id)
            }
            Operation::CreateRefund(refund) => of_intent(&refund.payment_intent),
            Operation::CancelRefund { id } => paging::index_of::<Refund>(id).map(Lock::Refund),
            Operation::Create(_)
            | Operation::Retrieve { .. }
            | Operation::List(_)
            | Operation::Search(_)
            | Operation::RetrieveRefund { .. }
            | Operation::ListRefunds(_)
            | Operation::Account => None,
        }
    }
}

impl Sim {
    pub(crate) fn execute(
        &mut self,
        now_ms: i64,
        operation: Operation,
        extent: Extent,
    ) -> Result<Vec<u8>, ApiError> {
        let index = match operation {
            Operation::Create(create) => self.create(now_ms, *create, extent)?,
            Operation::Confirm { id, confirmation } => self.confirm(now_ms, &id, &confirmation)?,
            Operation::Capture { id, capture } => self.capture(now_ms, &id, &capture)?,
            Operation::Cancel { id, reason } => self.cancel(now_ms, &id, reason)?,
            Operation::Retrieve { id } => self.index(&id)?,
            Operation::List(wanted) => {
                return lookup::list(now_ms, &wanted, &self.intents, &self.settings);
            }
            Operation::Search(wanted) => {
                return Ok(lookup::search(now_ms, &wanted, &self.intents, &self.settings));
            }
            Operation::CreateRefund(wanted) => {
                let index = self.create_refund(now_ms, *wanted)?;
                return Ok(self.render_refund(index));
            }
            Operation::CancelRefund { id } => {
                let index = self.cancel_refund(now_ms, &id)?;
                return Ok(self.render_refund(index));
            }
            Operation::RetrieveRefund { id } => return Ok(self.render_refund(self.refund_index(&id)?)),
            Operation::ListRefunds(wanted) => {
                return lookup::list_refunds(now_ms, &wanted, &self.refunds, &self.settings);
            }
            Operation::Account => {
                return Ok(render::json(&Account { id: &self.settings.account_id, object: "account" }));
            }
        };
        let intent = &self.intents[index];
        Ok(render::json(&IntentObject::of(intent, intent.state(), self.settings.livemode)))
    }

    fn render_refund(&self, index: usize) -> Vec<u8> {
        let refund = &self.refunds[index];
        render::json(&RefundObject::of(refund, refund.state()))
    }

    pub(crate) fn index(&self, id: &str) -> Result<usize, ApiError> {
        paging::index_of::<Intent>(id)
            .filter(|index| self.intents.get(*index).is_some_and(|intent| intent.id == id))
            .ok_or_else(|| ApiError::no_such_intent(id))
    }

    fn create(&mut self, now_ms: i64, wanted: CreateIntent, extent: Extent) -> Result<usize, ApiError> {
        let index = self.intents.len();
        let payment_method = wanted.confirmation.payment_method.clone();
        let status = if payment_method.is_some() {
            Status::RequiresConfirmation
        } else {
            Status::RequiresPaymentMethod
        };
        let payment_method_types = if wanted.payment_method_types.is_empty() {
            vec!["card".to_owned()]
        } else {
            wanted.payment_method_types
        };
        let state = State {
            status,
            payment_method,
            last_error: None,
            latest_charge: None,
            amount_received: 0,
            canceled_at_ms: None,
            cancellation_reason: None,
        };
        let intent = Intent {
            id: format!("pi_{:06}", index + 1),
            created_ms: now_ms,
            amount: wanted.amount,
            currency: wanted.currency,
            customer: wanted.customer,
            metadata: wanted.metadata,
            capture: wanted.capture,
            payment_method_types,
            automatic_payment_methods: wanted.automatic_payment_methods,
            description: wanted.description,
            receipt_email: wanted.receipt_email,
            setup_future_usage: wanted.setup_future_usage,
            statement_descriptor: wanted.statement_descriptor,
            statement_descriptor_suffix: wanted.statement_descriptor_suffix,
            attempts: 0,
            history: vec![(now_ms, state)],
        };
        self.effects.of(&intent).intents_created += 1;
        self.by_payment.entry(intent.payment_id().to_owned()).or_default().push(index);
        self.intents.push(intent);
        if wanted.confirm && extent == Extent::Whole {
            self.attempt(now_ms, index, &wanted.confirmation)?;
        }
        Ok(index)
    }

    fn confirm(&mut self, now_ms: i64, id: &str, confirmation: &Confirmation) -> Result<usize, ApiError> {
        let index = self.index(id)?;
        let intent = &self.intents[index];
        match intent.status() {
            Status::RequiresPaymentMethod | Status::RequiresConfirmation | Status::RequiresAction => {}
            Status::Processing | Status::RequiresCapture | Status::Succeeded | Status::Canceled => {
                return Err(ApiError::cannot_confirm(index, intent));
            }
        }
        self.attempt(now_ms, index, confirmation)?;
        Ok(index)
    }

    fn attempt(&mut self, now_ms: i64, index: usize, told: &Confirmation) -> Result<(), ApiError> {
        let attached = || self.intents[index].state().payment_method.clone();
        let Some(payment_method) = told.payment_method.clone().or_else(attached) else {
            let message = "You cannot confirm this PaymentIntent because it's missing a payment method. You can \
                           either update the PaymentIntent with a payment method and then confirm it again, or \
                           confirm it again directly with a payment method."
                .to_owned();
            return Err(ApiError::unexpected_state(index, message));
        };
        let intent = &mut self.intents[index];
        intent.attempts += 1;
        self.effects.of(intent).attempts += 1;
        let built_in = || built_in_outcome(&payment_method);
        let outcome = self.settings.outcomes.get(&payment_method).copied().unwrap_or_else(built_in);
        match outcome {
            Outcome::Succeed => self.pay(now_ms, index, Some(payment_method)),
            Outcome::Process => {
                let charge = self.charge(index);
                self.intents[index].change(now_ms, |state| {
                    state.status = Status::Processing;
                    state.payment_method = Some(payment_method);
                    state.last_error = None;
                    state.latest_charge = Some(charge);
                });
            }
            Outcome::Decline(decline) => return Err(self.decline(now_ms, index, decline, payment_method)),
            Outcome::Authenticate if told.off_session || told.error_on_requires_action => {
                let decline = Decline::AuthenticationRequired;
                return Err(self.decline(now_ms, index, decline, payment_method));
            }
            Outcome::RequireAction if told.error_on_requires_action => {
                let decline = Decline::AuthenticationRequired;
                return Err(self.decline(now_ms, index, decline, payment_method));
            }
            Outcome::Authenticate | Outcome::RequireAction => {
                self.intents[index].change(now_ms, |state| {
                    state.status = Status::RequiresAction;
                    state.payment_method = Some(payment_method);
                    state.last_error = None;
                });
            }
        }
        Ok(())
    }

    /// Ends an attempt with money: taken, or authorized where the capture is manual.
    pub(crate) fn pay(&mut self, now_ms: i64, index: usize, payment_method: Option<String>) {
        let charge = self.charge(index);
        let intent = &mut self.intents[index];
        let amount = intent.amount;
        let taken = match intent.capture {
            Capture::Automatic | Capture::AutomaticAsync => true,
            Capture::Manual => false,
        };
        intent.change(now_ms, |state| {
            state.status = if taken { Status::Succeeded } else { Status::RequiresCapture };
            state.amount_received = if taken { amount } else { 0 };
            state.latest_charge = Some(charge);
            state.last_error = None;
            if payment_method.is_some() {
                state.payment_method = payment_method;
            }
        });
        if taken {
            let count = self.effects.of(intent);
            count.intents_succeeded += 1;
            count.amount_paid += amount;
        } else {
            self.authorized.push(index);
        }
    }

    /// Ends an attempt without money and returns the error that reports it.
    pub(crate) fn decline(
        &mut self,
        now_ms: i64,
        index: usize,
        decline: Decline,
        payment_method: String,
    ) -> ApiError {
        let charge = self.charge(index);
        let intent = &mut self.intents[index];
        let last = AttemptError { decline, payment_method: payment_method.clone(), charge: charge.clone() };
        intent.change(now_ms, |state| {
            state.status = Status::RequiresPaymentMethod;
            state.payment_method = None;
            state.last_error = Some(last);
            state.latest_charge = Some(charge.clone());
        });
        self.effects.of(intent).declines += 1;
        self.effects.totals.declines += 1;
        ApiError::declined(index, DeclinedAttempt { decline, payment_method, charge })
    }

    /// Returns the charge of the attempt that ends: a processing one has its charge already.
    fn charge(&mut self, index: usize) -> String {
        let state = self.intents[index].state();
        if let (Status::Processing, Some(charge)) = (state.status, &state.latest_charge) {
            return charge.clone();
        }
        self.charges += 1;
        format!("ch_{:06}", self.charges)
    }
}
