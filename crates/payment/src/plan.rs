//! Planning: what follows from the operations themselves, without anybody asking.

use effect::{ReviewReason, Rules, Standing, Time, digest_hex};

use crate::{
    ids::OperationKey,
    record::{Effect, Payment},
};

/// The code of a charge refused because an earlier one took the money.
pub const ALREADY_PAID: &str = "already_paid";

/// The code of a void that found its charge paid.
pub const CHARGE_SUCCEEDED: &str = "charge_succeeded";

/// Adds what follows: voids of failed attempts, refusals behind a success, and hand-overs to a person.
#[must_use]
pub fn plan(mut payment: Payment, now: Time, rules: &Rules) -> Payment {
    plan_in_place(&mut payment, now, rules);
    payment
}

/// As [`plan`], for the loop, which plans the same payment anew at every turn.
pub(crate) fn plan_in_place(payment: &mut Payment, now: Time, rules: &Rules) {
    add_voids(payment, now);
    settle_voids(payment);
    refuse_behind_a_success(payment);
    hand_over_what_an_earlier_attempt_overtook(payment);
    hand_over_what_never_ends(payment, now, rules);
}

fn add_voids(payment: &mut Payment, now: Time) {
    let left_behind: Vec<OperationKey> = payment
        .charges()
        .filter(|(_, op)| matches!(op.attempt.standing, Standing::Failed | Standing::Refused))
        .filter(|(_, op)| !op.attempt.ids.is_empty() && op.attempt.review.is_none())
        .map(|(key, _)| key.clone())
        .filter(|key| !payment.operations.contains_key(&OperationKey::void_of(key)))
        .collect();
    for charge in left_behind {
        let effect = Effect::Void { charge: charge.reference.clone() };
        let mut digest = digest_hex(&["void", charge.reference.as_str()]);
        digest.truncate(32);
        payment.insert(OperationKey::void_of(&charge), effect, digest, now);
    }
}

// A sent void ends only by its target's final state; one never sent has nothing left to do once that is final.
fn settle_voids(payment: &mut Payment) {
    let ended: Vec<(OperationKey, Standing)> = payment
        .operations
        .iter()
        .filter(|(_, op)| matches!(op.effect, Effect::Void { .. }) && !op.attempt.standing.is_ended())
        .filter_map(|(key, _)| {
            let charge = payment.operations.get(&payment.charge_of(key))?;
            Some((key.clone(), charge.attempt.standing))
        })
        .collect();
    for (key, target) in ended {
        let Some(void) = payment.operations.get_mut(&key) else { continue };
        match target {
            Standing::Succeeded if void.attempt.was_sent() => {
                void.attempt.end(Standing::Failed, Some(CHARGE_SUCCEEDED));
            }
            Standing::Succeeded => void.attempt.end(Standing::Refused, Some(CHARGE_SUCCEEDED)),
            Standing::Canceled => void.attempt.end(Standing::Succeeded, None),
            Standing::Pending | Standing::Unknown | Standing::Refused | Standing::Failed => {}
        }
    }
}

fn refuse_behind_a_success(payment: &mut Payment) {
    let paid = payment.charges().any(|(_, op)| op.attempt.standing == Standing::Succeeded);
    if !paid {
        return;
    }
    for operation in payment.operations.values_mut() {
        let never_sent = operation.attempt.standing == Standing::Pending && !operation.attempt.was_sent();
        if never_sent && matches!(operation.effect, Effect::Charge { .. }) {
            operation.attempt.end(Standing::Refused, Some(ALREADY_PAID));
        }
    }
}

// An attempt is sent only once every earlier one can take no money. If one of those comes back all the same, sending
// again could take it twice, and what was sent may have taken it already.
fn hand_over_what_an_earlier_attempt_overtook(payment: &mut Payment) {
    let overtaken: Vec<OperationKey> = payment
        .charges()
        .filter(|(_, op)| op.attempt.was_sent() && !op.attempt.standing.is_ended())
        .filter(|(key, op)| !payment.is_runnable(key, op))
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
        let known = !operation.attempt.ids.is_empty() || matches!(operation.effect, Effect::Void { .. });
        let too_long = now.since_ms(operation.accepted_at) >= rules.not_final_after_ms;
        if known && too_long && operation.attempt.was_sent() && !operation.attempt.rests() {
            operation.attempt.require_review(ReviewReason::NotFinal);
        }
    }
}
