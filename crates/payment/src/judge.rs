//! Judging: what becomes of the operations whose turn has come.

use effect::{Standing, Status, Time};

use crate::{
    ids::{Kind, OperationKey},
    legal::{NOTHING_TO_CANCEL, PAYMENT_CANCELED, Verdict, verdict},
    money::{Amount, Currency},
    record::{Effect, Operation, Payment},
    state::PaymentState,
};

/// The code of a capture of more than is held.
pub const AMOUNT_ABOVE_AUTHORIZED: &str = "amount_above_authorized";
/// The code of a refund of more than is left.
pub const AMOUNT_ABOVE_REFUNDABLE: &str = "amount_above_refundable";

/// The code of a capture or refund of an amount that the currency does not have.
pub const AMOUNT_NOT_PAYABLE: &str = "amount_not_payable";

/// Decides, in the order of acceptance, each operation that nothing before it holds up any more.
pub(crate) fn judge_what_waits(payment: &mut Payment, now: Time) {
    let mut judged: Option<Vec<(u32, OperationKey)>> = None;
    loop {
        let mut waiting: Vec<(u32, OperationKey)> = payment
            .operations
            .iter()
            .filter(|(_, op)| op.awaits_judgement())
            .map(|(key, op)| (op.seq, key.clone()))
            .collect();
        waiting.sort_unstable();
        // A cancel may end a charge that something in front of it waits for, or become a refund: what waits then is
        // judged again.
        if judged.as_ref() == Some(&waiting) {
            return;
        }
        for (seq, key) in &waiting {
            judge(payment, key, *seq, now);
        }
        judged = Some(waiting);
    }
}

fn judge(payment: &mut Payment, key: &OperationKey, seq: u32, now: Time) {
    assert!(key.kind != Kind::Void, "a void is not judged: it follows its charge");
    if payment.is_held_up(key.kind, seq) {
        return;
    }
    let state = payment.state_before(seq);
    let verdict = verdict(key.kind, state);
    match (key.kind, verdict) {
        (Kind::Charge, Verdict::Runs) => {
            if state == PaymentState::Canceled && payment.was_canceled_by_a_caller(seq) {
                payment.refuse(key, PAYMENT_CANCELED);
            }
        }
        // The finer rules of a cancel are its own: it may be ahead of a charge, or become a refund.
        (Kind::Cancel, Verdict::Runs | Verdict::Waits | Verdict::Refused(_)) => {
            judge_cancel(payment, key, seq, now);
        }
        (Kind::Capture, Verdict::Runs) => judge_capture(payment, key, seq),
        (Kind::Refund, Verdict::Runs) => judge_refund(payment, key, seq),
        (Kind::Charge | Kind::Capture | Kind::Refund, Verdict::Refused(code)) => payment.refuse(key, code),
        (Kind::Charge | Kind::Capture | Kind::Refund, Verdict::Waits)
        | (Kind::Void, Verdict::Runs | Verdict::Waits | Verdict::Refused(_)) => {}
    }
}

fn judge_capture(payment: &mut Payment, key: &OperationKey, seq: u32) {
    let is_authorized = |op: &Operation| op.attempt.standing == Standing::Authorized;
    let Some((target, held, currency)) = payment.charge_before(seq, is_authorized) else { return };
    let Some(operation) = payment.operations.get_mut(key) else { return };
    let Effect::Capture { amount, charge } = &mut operation.effect else { return };
    let asked = amount.unwrap_or(held);
    if let Some(code) = refusal(asked, held.minor(), AMOUNT_ABOVE_AUTHORIZED, currency) {
        return payment.refuse(key, code);
    }
    assert!(
        (1..=held.minor()).contains(&asked.minor()),
        "a capture takes something, and no more than is held"
    );
    assert!(charge.is_none(), "what a capture acts on is decided once");
    *amount = Some(asked);
    *charge = Some(target.reference);
    assert!(!operation.attempt.standing.is_ended(), "what is to run has not ended");
}

fn judge_refund(payment: &mut Payment, key: &OperationKey, seq: u32) {
    let is_captured = |op: &Operation| op.attempt.standing == Standing::Succeeded;
    let Some((target, _, currency)) = payment.charge_before(seq, is_captured) else { return };
    let left = payment.totals_before(seq).refundable();
    let Some(operation) = payment.operations.get_mut(key) else { return };
    let Effect::Refund { amount, charge } = &mut operation.effect else { return };
    let Some(asked) = amount.or_else(|| Amount::try_from(left).ok()) else {
        return payment.refuse(key, AMOUNT_ABOVE_REFUNDABLE);
    };
    if let Some(code) = refusal(asked, left, AMOUNT_ABOVE_REFUNDABLE, currency) {
        return payment.refuse(key, code);
    }
    assert!((1..=left).contains(&asked.minor()), "a refund gives back something, and no more than is left");
    assert!(charge.is_none(), "what a refund acts on is decided once");
    *amount = Some(asked);
    *charge = Some(target.reference);
}

fn judge_cancel(payment: &mut Payment, key: &OperationKey, seq: u32, now: Time) {
    let ends_here = payment.end_what_was_never_sent(seq);
    let can_be_canceled = |op: &Operation| match op.attempt.standing {
        Standing::Authorized => true,
        Standing::Unknown => op.shows_an_open_intent(),
        Standing::Pending
        | Standing::Refused
        | Standing::Failed
        | Standing::Succeeded
        | Standing::Canceled => false,
    };
    if let Some((target, _, _)) = payment.charge_before(seq, can_be_canceled) {
        if let Some(Effect::Cancel { charge, .. }) = payment.operations.get_mut(key).map(|op| &mut op.effect)
        {
            assert!(charge.is_none(), "what a cancel acts on is decided once");
            *charge = Some(target.reference);
        }
    } else if payment.charge_before(seq, |op| op.attempt.standing == Standing::Succeeded).is_some() {
        payment.cancel_came_too_late(key, now);
    } else if ends_here {
        if let Some(operation) = payment.operations.get_mut(key) {
            operation.attempt.end(Standing::Succeeded, None);
        }
    } else {
        payment.refuse(key, NOTHING_TO_CANCEL);
    }
}

// Why a part of a payment cannot be moved: more than there is, or an amount that its currency does not have. A currency
// whose rules are not known any more was known when its charge came: only known rules refuse.
fn refusal(asked: Amount, most: u64, above: &'static str, currency: Currency) -> Option<&'static str> {
    if asked.minor() > most {
        return Some(above);
    }
    let is_payable = currency.rules().is_none() || asked.check_part(currency).is_ok();
    (!is_payable).then_some(AMOUNT_NOT_PAYABLE)
}

impl Payment {
    fn refuse(&mut self, key: &OperationKey, code: &str) {
        if let Some(operation) = self.operations.get_mut(key) {
            assert!(!operation.attempt.was_sent(), "what was sent is not refused by a judgement");
            assert!(operation.attempt.ids.is_empty(), "what has an object is not refused by a judgement");
            operation.attempt.end(Standing::Refused, Some(code));
            assert_eq!(operation.attempt.standing, Standing::Refused, "a refusal stands");
        }
    }

    // What was accepted earlier and may still change what this operation finds.
    fn is_held_up(&self, kind: Kind, seq: u32) -> bool {
        self.operations.values().filter(|op| op.seq < seq).any(|earlier| match (&earlier.effect, kind) {
            (Effect::Void { .. } | Effect::Refund { .. }, _) => false,
            (Effect::Charge { .. }, Kind::Charge) => false,
            (Effect::Charge { .. }, Kind::Cancel) => earlier.holds_up_a_cancel(),
            (Effect::Charge { .. }, Kind::Capture | Kind::Refund | Kind::Void) => {
                let is_settled =
                    earlier.attempt.standing.is_ended() || earlier.attempt.standing == Standing::Authorized;
                !is_settled || earlier.attempt.review.is_some()
            }
            (Effect::Capture { .. } | Effect::Cancel { .. }, _) => {
                !earlier.attempt.standing.is_ended() || earlier.attempt.review.is_some()
            }
        })
    }

    // The latest charge accepted before, of those that fit, with its money.
    fn charge_before(
        &self,
        seq: u32,
        fits: impl Fn(&Operation) -> bool,
    ) -> Option<(OperationKey, Amount, Currency)> {
        let (key, operation) = self
            .charges()
            .filter(|(_, op)| op.seq < seq && fits(op) && op.attempt.review.is_none())
            .last()?;
        match operation.effect {
            Effect::Charge { amount, currency, .. } => Some((key.clone(), amount, currency)),
            Effect::Capture { .. } | Effect::Cancel { .. } | Effect::Refund { .. } | Effect::Void { .. } => {
                None
            }
        }
    }

    // A charge that no worker ever began to send is ended without a call. Tells whether there was one.
    fn end_what_was_never_sent(&mut self, seq: u32) -> bool {
        let mut ended = false;
        for operation in self.operations.values_mut().filter(|op| op.seq < seq && op.is_untouched()) {
            if matches!(operation.effect, Effect::Charge { .. }) {
                assert!(operation.attempt.ids.is_empty(), "what was never sent has no object");
                operation.attempt.end(Standing::Canceled, None);
                ended = true;
            }
        }
        ended
    }

    fn was_canceled_by_a_caller(&self, seq: u32) -> bool {
        self.operations.iter().any(|(key, op)| {
            key.kind == Kind::Cancel
                && !key.is_reserved()
                && op.seq < seq
                && op.attempt.standing == Standing::Succeeded
        })
    }
}

impl Operation {
    // Nothing was sent, and nothing is decided yet.
    fn awaits_judgement(&self) -> bool {
        let is_undecided = match &self.effect {
            Effect::Charge { .. } => true,
            Effect::Capture { charge, .. }
            | Effect::Cancel { charge, .. }
            | Effect::Refund { charge, .. } => charge.is_none(),
            Effect::Void { .. } => false,
        };
        is_undecided && self.is_untouched()
    }

    fn is_untouched(&self) -> bool {
        self.attempt.standing == Standing::Pending
            && !self.attempt.was_sent()
            && self.attempt.review.is_none()
    }

    fn holds_up_a_cancel(&self) -> bool {
        let is_under_way = match self.attempt.standing {
            Standing::Pending => self.attempt.was_sent(),
            Standing::Unknown => !self.shows_an_open_intent(),
            Standing::Refused
            | Standing::Failed
            | Standing::Authorized
            | Standing::Succeeded
            | Standing::Canceled => false,
        };
        is_under_way || self.attempt.review.is_some()
    }

    // The provider's object is known and still waits for somebody: it can be canceled.
    fn shows_an_open_intent(&self) -> bool {
        let waits = match self.attempt.status {
            Some(
                Status::RequiresAction | Status::RequiresCapture | Status::Unconfirmed | Status::Declined,
            ) => true,
            Some(Status::Processing) | None => false,
        };
        waits && self.attempt.ids.len() == 1
    }
}
