//! What acts at Stripe besides us: banks, customers, somebody at the dashboard, and Stripe's own webhooks.

use effect::{Fact, Outcome, hours, minutes};
use payment::{Command, OperationKey, PaymentId, Reported};

use crate::{
    kinds::Kind,
    state::{Event, State},
};

impl State {
    /// Lets the world act on what a request has just changed: payments in `processing` end, some customers pay after a
    /// decline or act when asked, authorizations expire, and refunds become final.
    pub(crate) fn plan_actors(&mut self, path: &str) {
        if path.starts_with("/v1/refunds") {
            return self.plan_refund();
        }
        // Of two that changed in the same millisecond, the one that the request names, or else the one just made.
        let named = path.split('/').nth(3);
        let changed = |intent: &&stripe_sim::Intent| {
            (intent.history().last().map(|(at, _)| *at), named == Some(intent.id.as_str()))
        };
        let Some(intent) = self.stripe.intents().iter().max_by_key(changed) else { return };
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
            stripe_sim::Status::RequiresAction => {
                if self.rng.chance(500) {
                    let at = self.now + self.rng.between(1_000, hours(30));
                    self.schedule(at, Event::CustomerPays { id: id.clone() });
                } else {
                    self.struck(Kind::CustomerAbsent, payment.as_ref());
                }
            }
            stripe_sim::Status::RequiresCapture => {
                self.let_time_pass_for(&id);
                if self.strikes(Kind::CapturedOutside, payment.as_ref()) {
                    let at = self.now + self.rng.between(0, minutes(10));
                    self.schedule(at, Event::CaptureOutside { id: id.clone() });
                }
            }
            stripe_sim::Status::RequiresConfirmation
            | stripe_sim::Status::Succeeded
            | stripe_sim::Status::Canceled => {}
        }
        self.plan_webhooks(&id, payment.as_ref());
    }

    /// Sees to it that an authorization expires in its time.
    pub(crate) fn let_time_pass_for(&mut self, id: &str) {
        if let Some(at) = self.stripe.authorization_expires_ms(id) {
            self.schedule(at, Event::TimePasses { id: id.to_owned() });
        }
    }

    fn plan_refund(&mut self) {
        let Some(refund) = self.stripe.refunds().last() else { return };
        let (id, status) = (refund.id.clone(), refund.status());
        let payment = refund.payment_id().parse::<PaymentId>().ok();
        if status == stripe_sim::RefundStatus::Pending {
            self.struck(Kind::RefundPending, payment.as_ref());
        }
        let at = self.now + self.options.refund_delay_ms;
        self.schedule(at, Event::TimePasses { id: id.clone() });
        self.plan_webhooks(&id, payment.as_ref());
    }

    /// Lets time alone act on an intent or refund, and reports what it did.
    pub(crate) fn pass_time(&mut self, id: &str) {
        let changes = |state: &Self| {
            let intent = state.stripe.intent(id).map(|intent| intent.history().len());
            intent.or_else(|| state.stripe.refund(id).map(|refund| refund.history().len()))
        };
        let before = changes(self);
        self.stripe.pass_time(self.now);
        if changes(self) == before {
            return;
        }
        let payment = self.payment_of_object(id);
        let is_refund_lost = self.stripe.refund(id).is_some_and(|refund| !refund.status().holds_money());
        if is_refund_lost {
            self.struck(Kind::RefundFailed, payment.as_ref());
        } else if self.stripe.intent(id).is_some() {
            self.struck(Kind::Expired, payment.as_ref());
        }
        self.note(|| format!("time passes for {id}"));
        self.plan_webhooks(id, payment.as_ref());
    }

    /// Lets somebody at the dashboard capture an authorization, some of it or all.
    pub(crate) fn capture_outside(&mut self, id: &str) {
        let Some(intent) = self.stripe.intent(id) else { return };
        let amount = if self.rng.chance(500) { intent.amount } else { intent.amount / 2 };
        let path = format!("/v1/payment_intents/{id}/capture");
        let body = format!("amount_to_capture={amount}");
        let request =
            stripe_sim::Request::post(&path, &body, "sk_test_sim", &format!("outside-capture-{id}"));
        let reply = self.stripe.handle(self.now, &request, stripe_sim::Fault::None);
        if reply.status == 200 {
            self.note(|| format!("{id} is captured outside: {amount}"));
            self.captured_outside.insert(id.to_owned());
            self.plan_webhooks_of(id);
        }
    }

    /// Returns the payment that an intent or refund belongs to.
    pub(crate) fn payment_of_object(&self, id: &str) -> Option<PaymentId> {
        let intent = self.stripe.intent(id).map(|intent| intent.payment_id());
        intent.or_else(|| self.stripe.refund(id).map(stripe_sim::Refund::payment_id))?.parse().ok()
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
        let payment = self.payment_of_object(id);
        self.plan_webhooks(id, payment.as_ref());
    }

    /// Puts a webhook's fact on the queue: the object's state as it is now.
    pub(crate) fn deliver_webhook(&mut self, id: &str) {
        let (operation, outcome, changes) = if let Some(intent) = self.stripe.intent(id) {
            (intent.operation_id(), outcome_of(intent), intent.history().len())
        } else if let Some(refund) = self.stripe.refund(id) {
            (refund.operation_id(), outcome_of_refund(refund.status()), refund.history().len())
        } else {
            return;
        };
        let Some((payment_id, operation)) = operation.split_once('/') else { return };
        let (Ok(payment_id), Ok(operation)) =
            (payment_id.parse::<PaymentId>(), OperationKey::try_from(operation.to_owned()))
        else {
            return;
        };
        let report = changes as u64 + self.rng.below(2) * 1_000;
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

fn outcome_of(intent: &stripe_sim::Intent) -> Option<Outcome> {
    match intent.status() {
        stripe_sim::Status::Succeeded => {
            let received = intent.state().amount_received;
            let part = u64::try_from(received).ok().filter(|_| received < intent.amount);
            Some(part.map_or(Outcome::Succeeded, Outcome::Partly))
        }
        stripe_sim::Status::Canceled => Some(Outcome::Canceled),
        stripe_sim::Status::RequiresCapture => Some(Outcome::Authorized),
        stripe_sim::Status::RequiresPaymentMethod if intent.state().last_error.is_some() => {
            Some(Outcome::Declined("card_declined".to_owned()))
        }
        stripe_sim::Status::RequiresPaymentMethod
        | stripe_sim::Status::RequiresConfirmation
        | stripe_sim::Status::RequiresAction
        | stripe_sim::Status::Processing => None,
    }
}

fn outcome_of_refund(status: stripe_sim::RefundStatus) -> Option<Outcome> {
    match status {
        stripe_sim::RefundStatus::Succeeded => Some(Outcome::Succeeded),
        stripe_sim::RefundStatus::Failed => Some(Outcome::Declined("expired_or_canceled_card".to_owned())),
        stripe_sim::RefundStatus::Canceled => Some(Outcome::Canceled),
        stripe_sim::RefundStatus::Pending | stripe_sim::RefundStatus::RequiresAction => None,
    }
}
