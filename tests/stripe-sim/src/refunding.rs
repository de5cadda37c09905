//! What the refund endpoints do, and what becomes of refunds later.

use crate::error::ApiError;
use crate::intent::Status;
use crate::limits;
use crate::paging;
use crate::params::CreateRefund;
use crate::refund::{Refund, RefundState, RefundStatus, built_in_outcome};
use crate::sim::Sim;

impl Sim {
    pub(crate) fn refund_index(&self, id: &str) -> Result<usize, ApiError> {
        paging::index_of::<Refund>(id)
            .filter(|index| self.refunds.get(*index).is_some_and(|refund| refund.id == id))
            .ok_or_else(|| ApiError::no_such_refund(id))
    }

    /// Refunds a part of what was paid, or all that is left.
    pub(crate) fn create_refund(&mut self, now_ms: i64, wanted: CreateRefund) -> Result<usize, ApiError> {
        let paid = self.index(&wanted.payment_intent)?;
        let intent = &self.intents[paid];
        match intent.status() {
            Status::Succeeded => {}
            Status::RequiresCapture => return Err(ApiError::uncaptured_charge(&intent.id)),
            Status::RequiresPaymentMethod
            | Status::RequiresConfirmation
            | Status::RequiresAction
            | Status::Processing
            | Status::Canceled => return Err(ApiError::no_charge_to_refund(&intent.id)),
        }
        let state = intent.state();
        let left = state.amount_received - self.amount_refunded(&intent.id);
        if left <= 0 {
            return Err(ApiError::already_refunded(state.latest_charge.as_deref().unwrap_or_default()));
        }
        let amount = wanted.amount.unwrap_or(left);
        if amount > left {
            return Err(ApiError::refund_too_large(amount, left, &intent.currency));
        }
        limits::check_step("amount", amount, &intent.currency)?;
        let payment_method = state.payment_method.as_deref().unwrap_or_default();
        let set = self.settings.refund_outcomes.get(payment_method).copied();
        let (first, later) = set.unwrap_or_else(|| built_in_outcome(payment_method)).course();
        let index = self.refunds.len();
        let refund = Refund {
            id: format!("re_{:06}", index + 1),
            created_ms: now_ms,
            amount,
            currency: intent.currency.clone(),
            payment_intent: intent.id.clone(),
            charge: state.latest_charge.clone(),
            metadata: wanted.metadata,
            reason: wanted.reason,
            later,
            history: vec![(now_ms, RefundState::of(first))],
        };
        let count = self.effects.of_operation(refund.operation_id());
        count.refunds += 1;
        count.amount_refunded += amount;
        count.end_refund(first, amount);
        if later.is_some() {
            self.unsettled_refunds.push(index);
        }
        self.refunds.push(refund);
        Ok(index)
    }

    /// Cancels a refund that waits for the customer: "you can't cancel refunds in other states"
    /// (<https://docs.stripe.com/api/refunds/cancel>).
    pub(crate) fn cancel_refund(&mut self, now_ms: i64, id: &str) -> Result<usize, ApiError> {
        let index = self.refund_index(id)?;
        if self.refunds[index].status() != RefundStatus::RequiresAction {
            return Err(ApiError::cannot_cancel_refund());
        }
        self.change_refund(now_ms, index, RefundStatus::Canceled);
        Ok(index)
    }

    /// Gives a refund its next status, which is also the end of what it would have become by itself.
    pub(crate) fn change_refund(&mut self, at_ms: i64, index: usize, next: RefundStatus) {
        let refund = &mut self.refunds[index];
        refund.later = None;
        refund.history.push((at_ms, RefundState::of(next)));
        self.effects.of_operation(refund.operation_id()).end_refund(next, refund.amount);
    }

    /// Ends the refunds whose time has come, where time is set to do so.
    pub(crate) fn end_refunds(&mut self, now_ms: i64) {
        let Some(delay_ms) = self.settings.refund_delay_ms else { return };
        let mut unsettled = std::mem::take(&mut self.unsettled_refunds);
        unsettled.retain(|&index| {
            let refund = &self.refunds[index];
            let ends_ms = refund.created_ms + delay_ms;
            let Some(next) = refund.later else { return false };
            if ends_ms > now_ms {
                return true;
            }
            self.change_refund(ends_ms, index, next);
            false
        });
        self.unsettled_refunds = unsettled;
    }
}
