//! What acts at Stripe besides us: banks, customers, somebody at the dashboard, and Stripe's own webhooks.

use effect::{Fact, Outcome, hours};
use payment::{Command, OperationKey, PaymentId, Reported};

use crate::{
    kinds::Kind,
    state::{Event, State},
};

impl State {
    /// Lets the world act on new intents: payments in `processing` end, and some customers pay after a decline.
    pub(crate) fn plan_actors(&mut self) {
        let Some(intent) =
            self.stripe.intents().iter().max_by_key(|intent| intent.history().last().map(|(at, _)| *at))
        else {
            return;
        };
        let (id, status) = (intent.id.clone(), intent.status());
        let payment = intent.payment_id().parse::<PaymentId>().ok();
        match status {
            stripe_sim::Status::Processing => {
                let at = self.now + self.rng.between(1_000, self.options.processing_ms);
                let succeed = self.rng.chance(500);
                self.schedule(at, Event::SettleProcessing { id: id.clone(), succeed });
                if self.rng.chance(150) {
                    let at = self.now + self.rng.between(1_000, self.options.processing_ms / 2);
                    self.schedule(at, Event::CancelOutside { id: id.clone() });
                }
            }
            stripe_sim::Status::RequiresPaymentMethod => {
                if !self.is_calm() && self.rng.chance(self.options.rates.of(Kind::CustomerPays)) {
                    let soon = *self.rng.pick(&[5_000, 600_000, 7_200_000]);
                    let at = self.now + self.rng.between(0, soon);
                    self.schedule(at, Event::CustomerPays { id: id.clone() });
                }
            }
            stripe_sim::Status::RequiresConfirmation
            | stripe_sim::Status::RequiresAction
            | stripe_sim::Status::RequiresCapture
            | stripe_sim::Status::Succeeded
            | stripe_sim::Status::Canceled => {}
        }
        self.plan_webhooks(&id, payment.as_ref());
    }

    /// Reports an intent's state on the queue: before the reply, late, or twice.
    pub(crate) fn plan_webhooks(&mut self, id: &str, payment: Option<&PaymentId>) {
        let send = |state: &mut Self, after_ms: i64| {
            let at = state.now + after_ms;
            state.schedule(at, Event::Webhook { id: id.to_owned() });
        };
        if self.strikes(Kind::WebhookBefore, payment) {
            send(self, 0);
        }
        if self.strikes(Kind::WebhookAfter, payment) {
            let longest = *self.rng.pick(&[2_000, 600_000, hours(72)]);
            let after = self.rng.between(1, longest);
            send(self, after);
            if self.strikes(Kind::WebhookTwice, payment) {
                let longest = *self.rng.pick(&[100, hours(2)]);
                let again = after + self.rng.between(1, longest);
                send(self, again);
            }
        }
    }

    /// Reports the state of an intent that the world changed.
    pub(crate) fn plan_webhooks_of(&mut self, id: &str) {
        let payment = self.stripe.intent(id).and_then(|intent| intent.payment_id().parse().ok());
        self.plan_webhooks(id, payment.as_ref());
    }

    /// Puts a webhook's fact on the queue: the intent's state as it is now.
    pub(crate) fn deliver_webhook(&mut self, id: &str) {
        let Some(intent) = self.stripe.intent(id) else { return };
        let operation = intent.operation_id().split_once('/').map(|(_, key)| key.to_owned());
        let (Ok(payment_id), Some(Ok(operation))) =
            (intent.payment_id().parse::<PaymentId>(), operation.map(OperationKey::try_from))
        else {
            return;
        };
        let outcome = match intent.status() {
            stripe_sim::Status::Succeeded => Some(Outcome::Succeeded),
            stripe_sim::Status::Canceled => Some(Outcome::Canceled),
            stripe_sim::Status::RequiresPaymentMethod if intent.state().last_error.is_some() => {
                Some(Outcome::Declined("card_declined".to_owned()))
            }
            stripe_sim::Status::RequiresPaymentMethod
            | stripe_sim::Status::RequiresConfirmation
            | stripe_sim::Status::RequiresAction
            | stripe_sim::Status::Processing
            | stripe_sim::Status::RequiresCapture => None,
        };
        let report = intent.history().len() as u64 + self.rng.below(2) * 1_000;
        let source_id = format!("evt_{id}_{report}");
        let fact = Fact { id: id.to_owned(), outcome };
        let command = Command::Fact(Reported { payment_id: payment_id.clone(), operation, fact, source_id });
        let body = command.to_body();
        self.queue.send(self.now, payment_id.as_str(), &command.deduplication_id(), &body);
        self.note(|| format!("webhook {body}"));
        let at = self.now + 5;
        self.schedule(at, Event::Receive);
    }
}
