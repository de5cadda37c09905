//! The world around the API: customers who pay, networks that settle, time that passes; and inspection.

use std::error::Error;
use std::fmt;

use crate::cards::Decline;
use crate::counts::Effects;
use crate::form::pairs;
use crate::intent::{Intent, Status};
use crate::refund::{Refund, RefundStatus};
use crate::sim::Sim;

/// Why an actor could not act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// There is no such intent or refund.
    Missing,
    /// The intent is in the named status, which does not allow it.
    Status(Status),
    /// The refund is in the named status, which does not allow it.
    RefundStatus(RefundStatus),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Missing => f.write_str("there is no such object"),
            Refusal::Status(status) => write!(f, "the intent is in {}", status.as_str()),
            Refusal::RefundStatus(status) => write!(f, "the refund is in {}", status.as_str()),
        }
    }
}

impl Error for Refusal {}

impl Sim {
    /// Settles an intent in `processing`: paid, or declined with `card_declined`.
    ///
    /// # Errors
    ///
    /// When there is no such intent, or it is in another status.
    pub fn settle_processing(&mut self, now_ms: i64, id: &str, succeed: bool) -> Result<(), Refusal> {
        self.pass_time(now_ms);
        let index = self.index(id).map_err(|_| Refusal::Missing)?;
        let state = self.intents[index].state();
        if state.status != Status::Processing {
            return Err(Refusal::Status(state.status));
        }
        let payment_method = state.payment_method.clone();
        if succeed {
            self.pay(now_ms, index, payment_method);
        } else {
            self.decline(now_ms, index, Decline::Generic, payment_method.unwrap_or_default());
        }
        Ok(())
    }

    /// Lets the customer pay an intent in `requires_payment_method` or `requires_action`.
    ///
    /// # Errors
    ///
    /// When there is no such intent, or it is in another status.
    pub fn customer_pays(&mut self, now_ms: i64, id: &str) -> Result<(), Refusal> {
        self.pass_time(now_ms);
        let index = self.index(id).map_err(|_| Refusal::Missing)?;
        let state = self.intents[index].state();
        match state.status {
            Status::RequiresPaymentMethod | Status::RequiresAction => {}
            Status::RequiresConfirmation
            | Status::Processing
            | Status::RequiresCapture
            | Status::Succeeded
            | Status::Canceled => return Err(Refusal::Status(state.status)),
        }
        let payment_method = state.payment_method.clone().unwrap_or_else(|| "pm_sim_customer".to_owned());
        self.pay(now_ms, index, Some(payment_method));
        Ok(())
    }

    /// Lets the bank settle a refund: one that waits succeeds, fails or is canceled; one that succeeded fails after
    /// all. It becomes nothing else by itself later.
    ///
    /// # Errors
    ///
    /// When there is no such refund, or its status cannot become the one wanted.
    pub fn settle_refund(&mut self, now_ms: i64, id: &str, next: RefundStatus) -> Result<(), Refusal> {
        self.pass_time(now_ms);
        let index = self.refund_index(id).map_err(|_| Refusal::Missing)?;
        let status = self.refunds[index].status();
        if !status.can_become(next) {
            return Err(Refusal::RefundStatus(status));
        }
        self.change_refund(now_ms, index, next);
        Ok(())
    }

    /// Does what time alone does up to now: authorizations expire, and refunds become what they become by themselves.
    pub fn pass_time(&mut self, now_ms: i64) {
        self.expire_authorizations(now_ms);
        self.end_refunds(now_ms);
    }

    /// Makes everything older: the times of keys, intents and refunds move into the past together.
    pub fn age(&mut self, ms: i64) {
        self.keys.age(ms, |_, _| true);
        self.intents.iter_mut().for_each(|intent| intent.age(ms));
        self.refunds.iter_mut().for_each(|refund| refund.age(ms));
    }

    /// Makes one payment's keys, intents and refunds older, and leaves all others as they are.
    pub fn age_payment(&mut self, payment_id: &str, ms: i64) {
        let operations = format!("{payment_id}/");
        let intents: Vec<String> = self.intents_of(payment_id).map(|intent| intent.id.clone()).collect();
        self.keys.age(ms, |path, body| {
            let is_own = |given: &str| intents.iter().any(|id| id == given);
            let creates = pairs(body).any(|(name, value)| match &*name {
                "metadata[operation_id]" => value.starts_with(&operations),
                "payment_intent" => is_own(&value),
                _ => false,
            });
            creates || path.split('/').any(is_own)
        });
        let refunds = self.refunds.iter_mut().filter(|refund| intents.contains(&refund.payment_intent));
        refunds.for_each(|refund| refund.age(ms));
        let own = self.intents.iter_mut().filter(|intent| intents.contains(&intent.id));
        own.for_each(|intent| intent.age(ms));
    }

    /// Returns every intent, oldest first.
    pub fn intents(&self) -> &[Intent] {
        &self.intents
    }

    /// Returns one intent.
    pub fn intent(&self, id: &str) -> Option<&Intent> {
        self.index(id).ok().map(|index| &self.intents[index])
    }

    /// Returns a payment's intents, oldest first.
    pub fn intents_of<'a>(&'a self, payment_id: &str) -> impl Iterator<Item = &'a Intent> + use<'a> {
        let indexes = self.by_payment.get(payment_id).map_or(&[][..], Vec::as_slice);
        indexes.iter().map(|index| &self.intents[*index])
    }

    /// Returns a payment's intents that are paid or could still be paid: all that are not canceled.
    pub fn paid_or_payable<'a>(&'a self, payment_id: &str) -> impl Iterator<Item = &'a Intent> + use<'a> {
        self.intents_of(payment_id).filter(|intent| intent.is_paid_or_payable())
    }

    /// Returns when an intent's authorization expires, in milliseconds; nothing where none is open.
    pub fn authorization_expires_ms(&self, id: &str) -> Option<i64> {
        self.index(id).ok().and_then(|index| self.authorization_ends_ms(index))
    }

    /// Returns every refund, oldest first.
    pub fn refunds(&self) -> &[Refund] {
        &self.refunds
    }

    /// Returns one refund.
    pub fn refund(&self, id: &str) -> Option<&Refund> {
        self.refund_index(id).ok().map(|index| &self.refunds[index])
    }

    /// Returns an intent's refunds, oldest first, whoever asked for them.
    pub fn refunds_of_intent<'a>(&'a self, id: &'a str) -> impl Iterator<Item = &'a Refund> + use<'a> {
        self.refunds.iter().filter(move |refund| refund.payment_intent == id)
    }

    /// Returns what was refunded of an intent: the sum of its refunds that neither failed nor were canceled.
    pub fn amount_refunded(&self, id: &str) -> i64 {
        let refunds = self.refunds_of_intent(id).filter(|refund| refund.status().holds_money());
        refunds.map(|refund| refund.amount).sum()
    }

    /// Returns everything that was counted.
    pub fn effects(&self) -> &Effects {
        &self.effects
    }
}
