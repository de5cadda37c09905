//! What ends an open intent without an attempt: a capture, a cancel, or the age of its authorization.

use crate::error::ApiError;
use crate::intent::Status;
use crate::limits;
use crate::params::CaptureIntent;
use crate::sim::Sim;

impl Sim {
    /// Takes the money of an authorization; what is not taken is released.
    ///
    /// An amount out of range is judged here and not in front of the key layer, with the intent in its error: so
    /// Stripe was recorded to do (zero is even refused under the name `amount`).
    pub(crate) fn capture(
        &mut self,
        now_ms: i64,
        id: &str,
        wanted: &CaptureIntent,
    ) -> Result<usize, ApiError> {
        let index = self.index(id)?;
        let intent = &mut self.intents[index];
        if intent.status() != Status::RequiresCapture {
            return Err(ApiError::cannot_capture(index, intent));
        }
        let amount = wanted.amount.unwrap_or(intent.amount);
        if amount < 1 {
            return Err(ApiError::capture_out_of_range(index, amount));
        }
        if amount > intent.amount {
            return Err(ApiError::capture_too_large(index));
        }
        limits::check_step("amount_to_capture", amount, &intent.currency)?;
        intent.change(now_ms, |state| {
            state.status = Status::Succeeded;
            state.amount_received = amount;
        });
        let count = self.effects.of(intent);
        count.captures += 1;
        count.amount_captured += amount;
        count.intents_succeeded += 1;
        count.amount_paid += amount;
        Ok(index)
    }

    pub(crate) fn cancel(
        &mut self,
        now_ms: i64,
        id: &str,
        reason: Option<String>,
    ) -> Result<usize, ApiError> {
        let index = self.index(id)?;
        let cancels_processing = self.settings.cancels_processing;
        let intent = &self.intents[index];
        let allowed = match intent.status() {
            Status::RequiresPaymentMethod
            | Status::RequiresConfirmation
            | Status::RequiresAction
            | Status::RequiresCapture => true,
            Status::Processing => cancels_processing,
            Status::Succeeded | Status::Canceled => false,
        };
        if !allowed {
            return Err(ApiError::cannot_cancel(index, intent));
        }
        self.become_canceled(now_ms, index, reason);
        self.effects.of(&self.intents[index]).cancels += 1;
        Ok(index)
    }

    /// Cancels the authorizations that are too old, at the time when they became so.
    pub(crate) fn expire_authorizations(&mut self, now_ms: i64) {
        let mut authorized = std::mem::take(&mut self.authorized);
        authorized.retain(|&index| match self.authorization_ends_ms(index) {
            None => false,
            Some(ends_ms) if ends_ms > now_ms => true,
            Some(ends_ms) => {
                self.become_canceled(ends_ms, index, Some("automatic".to_owned()));
                self.effects.of(&self.intents[index]).intents_expired += 1;
                false
            }
        });
        self.authorized = authorized;
    }

    /// Returns when the authorization ends by its age; nothing for an intent that has none.
    pub(crate) fn authorization_ends_ms(&self, index: usize) -> Option<i64> {
        let (began_ms, state) = self.intents[index].history().last()?;
        let open = state.status == Status::RequiresCapture;
        open.then_some(began_ms + self.settings.authorization_life_ms)
    }

    fn become_canceled(&mut self, at_ms: i64, index: usize, reason: Option<String>) {
        let intent = &mut self.intents[index];
        intent.change(at_ms, |state| {
            state.status = Status::Canceled;
            state.canceled_at_ms = Some(at_ms);
            state.cancellation_reason = reason;
        });
        self.effects.of(intent).intents_canceled += 1;
    }
}
