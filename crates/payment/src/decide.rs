//! Deciding: the next step for a payment in this turn, and when to look at it again.

use effect::{ByState, CLAIM_GRACE_MS, Keyed, Look, Next, Policy, Rules, Send, Time};

use crate::{
    ids::{Kind, OperationKey},
    record::{Claim, Effect, Operation, Payment, Record},
};

/// How long the worker's own calls may take, in milliseconds: a call starts only if the time left covers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Timeout of one provider request.
    pub provider_timeout_ms: i64,
    /// Time kept for one write of the record.
    pub write_margin_ms: i64,
}

/// This invocation's own state about a payment. It is never stored.
#[derive(Debug, Clone, Default)]
pub struct Turn {
    /// Names the invocation in the claim.
    pub token: String,
    /// When the invocation is killed.
    pub deadline: Time,
    /// The stored record holds this invocation's claim.
    pub claimed: bool,
    /// The operation being worked on.
    pub focus: Option<OperationKey>,
    /// What this turn learned about it; starts anew with each focus.
    pub effect: effect::Turn,
    /// Port calls to the provider so far.
    pub calls: u32,
}

/// What to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Record the intent to send, under a claim.
    Arm(OperationKey, Send),
    /// Send the armed request.
    Send(OperationKey),
    /// Record a claim, to be allowed to look up.
    Claim(OperationKey),
    /// Ask the provider.
    LookUp(OperationKey, Look),
    /// Record what is known now, without a claim.
    Save,
    /// Another worker is acting: leave it alone.
    Busy,
    /// Nothing to do in this turn.
    Stop,
}

/// The most provider calls one invocation makes for one payment.
const MAX_CALLS: u32 = 32;

impl Turn {
    /// Returns the claim that this invocation makes.
    #[must_use]
    pub fn claim(&self) -> Claim {
        Claim { token: self.token.clone(), until: self.deadline.plus_ms(CLAIM_GRACE_MS) }
    }

    /// Turns to an operation, forgetting what was learned about another.
    pub fn focus_on(&mut self, key: &OperationKey) {
        if self.focus.as_ref() != Some(key) {
            self.effect = self.renewed_for(key);
            self.focus = Some(key.clone());
            assert!(!self.effect.armed && self.effect.sends == 0, "another operation is not armed yet");
        }
    }

    /// Returns what a turn knows about an operation before it has learned anything.
    #[must_use]
    pub fn renewed_for(&self, key: &OperationKey) -> effect::Turn {
        // The provider's search covers payment intents, not refunds.
        effect::Turn { unsearchable: key.kind == Kind::Refund, ..self.effect.renewed() }
    }

    fn about(&self, key: &OperationKey) -> effect::Turn {
        if self.focus.as_ref() == Some(key) { self.effect.clone() } else { self.renewed_for(key) }
    }

    /// Tells whether the time left covers a provider call and `writes` writes of the record.
    #[must_use]
    pub fn has_time_for(&self, limits: Limits, writes: i64) -> bool {
        let needed = limits.provider_timeout_ms + writes * limits.write_margin_ms;
        self.effect.now.plus_ms(needed) <= self.deadline && self.calls < MAX_CALLS
    }
}

/// Returns the next step for the payment as planned, given the record it was planned from.
#[must_use]
pub fn decide(
    payment: &Payment,
    stored: Option<&Record>,
    turn: &Turn,
    limits: Limits,
    rules: &Rules,
) -> Step {
    let is_dirty = stored.is_none_or(|record| record.payment != *payment);
    if stored.is_some_and(|record| record.is_claimed_by_another(&turn.token, turn.effect.now)) {
        return if is_dirty { Step::Save } else { Step::Busy };
    }
    // What is on record as about to be sent goes first: the claim was made for it.
    let armed = turn.focus.clone().filter(|_| turn.effect.armed);
    assert!(armed.is_none() || turn.claimed, "what is armed is claimed");
    assert!(limits.provider_timeout_ms >= 0 && limits.write_margin_ms >= 0, "calls and writes take time");
    for key in armed.into_iter().chain(payment.in_order()) {
        let Some(operation) = payment.operations.get(&key) else { continue };
        if !payment.is_runnable(&key, operation) {
            continue;
        }
        let about = turn.about(&key);
        match next_of(payment, &key, operation, &about, rules) {
            Next::Stop | Next::Wait => {}
            Next::Send(_) if about.armed && turn.has_time_for(limits, 1) => return Step::Send(key),
            Next::Send(send) if !about.armed && turn.has_time_for(limits, 2) => return Step::Arm(key, send),
            Next::LookUp(look) if turn.claimed && turn.has_time_for(limits, 1) => {
                return Step::LookUp(key, look);
            }
            Next::LookUp(_) if !turn.claimed && turn.has_time_for(limits, 2) => return Step::Claim(key),
            Next::Send(_) | Next::LookUp(_) => {}
        }
    }
    // A record that a crashed first receive left without `due_at` is guarded by this message alone, which is about
    // to be acknowledged.
    let is_unguarded =
        stored.is_some_and(|record| record.due_at.is_none()) && due(payment, None, rules).is_some();
    if is_dirty || turn.claimed || is_unguarded { Step::Save } else { Step::Stop }
}

/// Returns when the payment is to be looked at again; `None` if no machine has anything left to do.
///
/// While `claim` is held nothing else can act, so nothing is due before it ends.
#[must_use]
pub fn due(payment: &Payment, claim: Option<&Claim>, rules: &Rules) -> Option<Time> {
    let earliest = payment
        .operations
        .iter()
        .filter(|(key, operation)| payment.is_runnable(key, operation))
        .filter_map(|(key, operation)| {
            let id = payment.provider_id(key);
            match operation.effect {
                Effect::Charge { .. } | Effect::Refund { .. } => {
                    let look = Keyed::due(&operation.attempt, id, operation.accepted_at, rules)?;
                    let waits = operation.waits_for_its_customer();
                    Some(if waits { look.min(operation.action_times_out_at(rules)) } else { look })
                }
                Effect::Capture { .. } | Effect::Cancel { .. } | Effect::Void { .. } => {
                    ByState::due(&operation.attempt, id, operation.accepted_at, rules)
                }
            }
        })
        .min()?;
    Some(claim.map_or(earliest, |claim| earliest.max(claim.until)))
}

fn next_of(
    payment: &Payment,
    key: &OperationKey,
    operation: &Operation,
    turn: &effect::Turn,
    rules: &Rules,
) -> Next {
    let id = payment.provider_id(key);
    match operation.effect {
        Effect::Charge { .. } | Effect::Refund { .. } => Keyed::next(&operation.attempt, id, turn, rules),
        Effect::Capture { .. } | Effect::Cancel { .. } | Effect::Void { .. } => {
            ByState::next(&operation.attempt, id, turn, rules)
        }
    }
}

impl Payment {
    /// Tells whether what must come before an operation has come.
    ///
    /// A charge whose intent is being canceled is left to the cancel. What acts on a charge runs once it is decided on
    /// which one; a refund needs the one object that took the money.
    #[must_use]
    pub fn is_runnable(&self, key: &OperationKey, operation: &Operation) -> bool {
        match &operation.effect {
            Effect::Void { .. } => true,
            Effect::Charge { .. } => {
                self.is_first_to_take_money(key, operation)
                    && !self.is_being_canceled(key)
                    && !self.comes_behind_a_cancel(operation)
            }
            Effect::Capture { charge, .. } | Effect::Cancel { charge, .. } => charge.is_some(),
            Effect::Refund { charge, .. } => {
                charge.is_some() && self.provider_id(&self.charge_of(key)).is_some()
            }
        }
    }

    /// Tells whether no earlier attempt can take money any more.
    ///
    /// A further attempt begins only when every earlier one ended without money, is in no review, and had its intent
    /// canceled where it had one: so at most one intent of a payment can ever end paid.
    pub(crate) fn is_first_to_take_money(&self, key: &OperationKey, charge: &Operation) -> bool {
        // Of all earlier ones, so in any order: this is asked for each charge at each step.
        self.operations
            .iter()
            .filter(|(_, earlier)| matches!(earlier.effect, Effect::Charge { .. }))
            .filter(|(other, earlier)| *other != key && earlier.seq < charge.seq)
            .all(|(other, earlier)| self.is_out_of_the_way(other, earlier))
    }

    fn comes_behind_a_cancel(&self, charge: &Operation) -> bool {
        let is_open_cancel = |op: &Operation| {
            matches!(op.effect, Effect::Cancel { .. })
                && !op.attempt.standing.is_ended()
                && op.seq < charge.seq
        };
        !charge.attempt.was_sent() && self.operations.values().any(is_open_cancel)
    }

    fn is_out_of_the_way(&self, key: &OperationKey, charge: &Operation) -> bool {
        let void = self.operations.get(&OperationKey::void_of(key));
        let nothing_left_to_pay = charge.attempt.ids.is_empty()
            || charge.attempt.standing == effect::Standing::Canceled
            || void.is_some_and(|op| op.attempt.standing == effect::Standing::Succeeded);
        charge.attempt.standing.ended_without_effect()
            && charge.attempt.review.is_none()
            && nothing_left_to_pay
    }
}
