//! Planning: what follows from the operations themselves, without anybody asking.

use effect::{ReviewReason, Rules, Standing, Status, Time};

use crate::{
    ids::{Kind, OperationKey},
    judge::judge_what_waits,
    legal::ALREADY_CAPTURED,
    record::{Effect, IfCaptured, Operation, Payment},
    requests::short_digest,
};

/// The code of a void that found its charge paid.
pub const CHARGE_SUCCEEDED: &str = "charge_succeeded";
/// The code of a capture or cancel whose authorization ended otherwise.
pub const AUTHORIZATION_ENDED: &str = "authorization_ended";
/// The code of a capture that found another amount captured.
pub const CAPTURED_OTHERWISE: &str = "captured_otherwise";
/// The code of a cancel that came too late and became the refund it asked for.
pub const REFUNDED_INSTEAD: &str = "refunded_instead";

/// Adds what follows: voids of failed attempts, cancels of unanswered ones, what becomes of the operations whose turn
/// has come, and hand-overs to a person.
#[must_use]
pub fn plan(mut payment: Payment, now: Time, rules: &Rules) -> Payment {
    plan_in_place(&mut payment, now, rules);
    payment
}

/// As [`plan`], for the loop, which plans the same payment anew at every turn.
pub(crate) fn plan_in_place(payment: &mut Payment, now: Time, rules: &Rules) {
    let held = payment.operations.len();
    add_voids(payment, now);
    add_timeouts(payment, now, rules);
    settle_by_state(payment, now);
    judge_what_waits(payment, now);
    hand_over_what_an_earlier_attempt_overtook(payment);
    hand_over_what_never_ends(payment, now, rules);
    assert!(payment.operations.len() >= held, "a plan forgets no operation");
    assert!(payment.operations.len() <= 3 * held, "a void and a timeout for a charge, a refund for a cancel");
}

fn add_voids(payment: &mut Payment, now: Time) {
    let left_behind: Vec<OperationKey> = payment
        .charges()
        .filter(|(_, op)| matches!(op.attempt.standing, Standing::Failed | Standing::Refused))
        .filter(|(_, op)| !op.attempt.ids.is_empty() && op.attempt.review.is_none())
        .map(|(key, _)| key.clone())
        .filter(|key| !payment.operations.contains_key(&OperationKey::void_of(key)))
        .filter(|key| !payment.is_being_canceled(key))
        .collect();
    for charge in left_behind {
        let digest = short_digest(&["void", charge.reference.as_str()]);
        let effect = Effect::Void { charge: charge.reference.clone() };
        payment.insert(OperationKey::void_of(&charge), effect, digest, now);
    }
}

// A customer who never acts would leave an intent that can be paid at any time: it is canceled, as if asked for.
fn add_timeouts(payment: &mut Payment, now: Time, rules: &Rules) {
    let unanswered: Vec<OperationKey> = payment
        .charges()
        .filter(|(_, op)| op.waits_for_its_customer() && op.action_times_out_at(rules) <= now)
        .map(|(key, _)| key.clone())
        .filter(|key| !payment.operations.contains_key(&OperationKey::timeout_of(key)))
        .filter(|key| payment.provider_id(key).is_some() && !payment.is_being_canceled(key))
        .collect();
    for charge in unanswered {
        let digest = short_digest(&["timeout", charge.reference.as_str()]);
        let effect =
            Effect::Cancel { if_captured: IfCaptured::Refuse, charge: Some(charge.reference.clone()) };
        payment.insert(OperationKey::timeout_of(&charge), effect, digest, now);
    }
}

// What acts on a charge's intent ends by what becomes of the charge. One never sent has nothing left to do then.
fn settle_by_state(payment: &mut Payment, now: Time) {
    let open: Vec<(OperationKey, Standing, u64)> = payment
        .operations
        .iter()
        .filter(|(key, op)| {
            matches!(key.kind, Kind::Capture | Kind::Cancel | Kind::Void) && !op.attempt.standing.is_ended()
        })
        .filter_map(|(key, op)| {
            let charge = payment.operations.get(&OperationKey::charge(op.effect.target()?.clone()))?;
            Some((key.clone(), charge.attempt.standing, charge.captured()))
        })
        .collect();
    for (key, charge, captured) in open {
        match charge {
            Standing::Succeeded => meet_a_success(payment, &key, captured, now),
            Standing::Canceled => meet_a_cancellation(payment, &key),
            Standing::Pending
            | Standing::Unknown
            | Standing::Refused
            | Standing::Failed
            | Standing::Authorized => {}
        }
    }
}

fn meet_a_success(payment: &mut Payment, key: &OperationKey, captured: u64, now: Time) {
    let Some(operation) = payment.operations.get_mut(key) else { return };
    assert!(!operation.attempt.standing.is_ended(), "what has ended meets nothing more");
    match &operation.effect {
        Effect::Capture { amount, .. } => {
            let is_ours = operation.attempt.was_sent();
            match amount {
                Some(amount) if is_ours && amount.minor() == captured => {
                    operation.attempt.end(Standing::Succeeded, None);
                }
                Some(_) if is_ours => operation.attempt.end(Standing::Failed, Some(CAPTURED_OTHERWISE)),
                Some(_) | None => operation.attempt.end(Standing::Refused, Some(ALREADY_CAPTURED)),
            }
        }
        Effect::Cancel { .. } => payment.cancel_came_too_late(key, now),
        Effect::Void { .. } => operation.end_without_effect(CHARGE_SUCCEEDED),
        Effect::Charge { .. } | Effect::Refund { .. } => {}
    }
}

fn meet_a_cancellation(payment: &mut Payment, key: &OperationKey) {
    let Some(operation) = payment.operations.get_mut(key) else { return };
    assert!(!operation.attempt.standing.is_ended(), "what has ended meets nothing more");
    match &operation.effect {
        Effect::Capture { .. } => operation.end_without_effect(AUTHORIZATION_ENDED),
        Effect::Cancel { .. } | Effect::Void { .. } => operation.attempt.end(Standing::Succeeded, None),
        Effect::Charge { .. } | Effect::Refund { .. } => {}
    }
}

// An attempt is sent only once every earlier one can take no money. If one of those comes back all the same, sending
// again could take it twice, and what was sent may have taken it already.
fn hand_over_what_an_earlier_attempt_overtook(payment: &mut Payment) {
    let overtaken: Vec<OperationKey> = payment
        .charges()
        .filter(|(_, op)| op.attempt.was_sent() && !op.attempt.standing.ended_without_effect())
        .filter(|(key, op)| !payment.is_first_to_take_money(key, op))
        .map(|(key, _)| key.clone())
        .collect();
    for key in overtaken {
        if let Some(operation) = payment.operations.get_mut(&key) {
            operation.attempt.require_review(ReviewReason::EarlierCameBack);
        }
    }
}

fn hand_over_what_never_ends(payment: &mut Payment, now: Time, rules: &Rules) {
    for operation in payment.operations.values_mut() {
        let known = !operation.attempt.ids.is_empty() || acts_on_an_intent(&operation.effect);
        // How long an authorization lasts is the provider's affair: it is looked at until it ends.
        let is_held = operation.attempt.standing == Standing::Authorized;
        let too_long = now.since_ms(operation.accepted_at) >= rules.not_final_after_ms;
        if known && too_long && !is_held && operation.attempt.was_sent() && !operation.attempt.rests() {
            operation.attempt.require_review(ReviewReason::NotFinal);
        }
    }
}

const fn acts_on_an_intent(effect: &Effect) -> bool {
    match effect {
        Effect::Capture { .. } | Effect::Cancel { .. } | Effect::Void { .. } => true,
        Effect::Charge { .. } | Effect::Refund { .. } => false,
    }
}

impl Payment {
    /// Ends a cancel that found the money taken: refused, or turned into the refund that it asked for.
    pub(crate) fn cancel_came_too_late(&mut self, cancel: &OperationKey, now: Time) {
        let Some(operation) = self.operations.get_mut(cancel) else { return };
        let Effect::Cancel { if_captured, .. } = &operation.effect else { return };
        match if_captured {
            IfCaptured::Refuse => operation.end_without_effect(ALREADY_CAPTURED),
            IfCaptured::Refund => {
                operation.end_without_effect(REFUNDED_INSTEAD);
                let (causation_id, traceparent) =
                    (operation.causation_id.clone(), operation.traceparent.clone());
                let refund = OperationKey::refund_of(cancel);
                if !self.operations.contains_key(&refund) {
                    let digest = short_digest(&["refund", "all"]);
                    let effect = Effect::Refund { amount: None, charge: None };
                    let inserted = self.insert(refund, effect, digest, now);
                    inserted.causation_id = causation_id;
                    inserted.traceparent = traceparent;
                }
            }
        }
    }

    /// Tells whether a cancel of this charge's intent is under way.
    pub(crate) fn is_being_canceled(&self, charge: &OperationKey) -> bool {
        self.operations.values().any(|op| {
            matches!(&op.effect, Effect::Cancel { charge: Some(target), .. } if *target == charge.reference)
                && !op.attempt.standing.is_ended()
        })
    }
}

impl Operation {
    /// Ends it: refused if it was never sent, failed if it was.
    pub(crate) fn end_without_effect(&mut self, code: &str) {
        let standing = if self.attempt.was_sent() { Standing::Failed } else { Standing::Refused };
        assert!(self.attempt.moved.is_none(), "what moved money had an effect");
        self.attempt.end(standing, Some(code));
        assert!(self.attempt.standing.ended_without_effect(), "it ended, and without effect");
    }

    /// Tells whether nothing but the customer's action can go on.
    #[must_use]
    pub const fn waits_for_its_customer(&self) -> bool {
        matches!(self.attempt.standing, Standing::Unknown)
            && matches!(self.attempt.status, Some(Status::RequiresAction))
            && self.attempt.review.is_none()
    }

    /// Returns when waiting for the customer ends.
    pub(crate) const fn action_times_out_at(&self, rules: &Rules) -> Time {
        self.accepted_at.plus_ms(rules.action_timeout_ms)
    }
}
