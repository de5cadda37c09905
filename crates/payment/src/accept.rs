//! Accepting commands and absorbing facts: what comes from outside, in any order and any number of times.

use effect::{Attempt, Fact, Outcome, ReviewReason, Standing, Time};

use crate::{
    command::{Charge, Command, Malformed},
    ids::OperationKey,
    record::{Effect, MAX_OPERATIONS, Operation, Payment},
};

/// The most differing requests under one operation id that are each answered by an event.
const MAX_DIFFERING: usize = 8;

/// Takes in a command. Idempotent: a command taken twice changes nothing.
///
/// # Errors
/// Returns why the command can never be recorded: such a message belongs to the dead-letter queue.
pub fn accept(stored: Option<&Payment>, command: &Command, now: Time) -> Result<Payment, Malformed> {
    match command {
        Command::Charge(charge) => {
            let payment = match stored {
                Some(payment) if payment.tenant != charge.tenant || payment.order != charge.order => {
                    return Err(Malformed::Collision);
                }
                Some(payment) => payment.clone(),
                None => Payment::empty(charge.tenant.clone(), charge.order.clone()),
            };
            accept_charge(payment, charge, now)
        }
        Command::Fact(reported) => {
            let unknown = || Malformed::UnknownPayment(reported.payment_id.clone());
            let mut payment = stored.cloned().ok_or_else(unknown)?;
            let is_charge = |op: &Operation| matches!(op.effect, Effect::Charge { .. });
            if !payment.operations.get(&reported.operation).is_some_and(is_charge) {
                return Err(Malformed::UnknownOperation(reported.operation.clone()));
            }
            payment.absorb(&reported.operation, &reported.fact);
            Ok(payment)
        }
        Command::Wake { payment_id, .. } => {
            stored.cloned().ok_or_else(|| Malformed::UnknownPayment(payment_id.clone()))
        }
    }
}

fn accept_charge(mut payment: Payment, charge: &Charge, now: Time) -> Result<Payment, Malformed> {
    let digest = charge.effect_digest();
    if let Some(held) = payment.operations.get_mut(&charge.key()) {
        if held.digest != digest && held.differing.len() < MAX_DIFFERING {
            held.differing.insert(digest);
        }
        return Ok(payment);
    }
    let effect = Effect::Charge {
        amount: charge.amount,
        currency: charge.currency,
        customer: charge.customer.clone(),
        payment_method: charge.payment_method.clone(),
    };
    payment.add(charge.key(), effect, digest, now)?;
    if let Some(operation) = payment.operations.get_mut(&charge.key()) {
        operation.causation_id.clone_from(&charge.causation_id);
        operation.traceparent.clone_from(&charge.traceparent);
    }
    Ok(payment)
}

impl Payment {
    fn add(&mut self, key: OperationKey, effect: Effect, digest: String, now: Time) -> Result<(), Malformed> {
        let held = self.operations.values().filter(|op| !matches!(op.effect, Effect::Void { .. })).count();
        if held >= MAX_OPERATIONS {
            return Err(Malformed::TooManyOperations(held));
        }
        self.insert(key, effect, digest, now);
        Ok(())
    }

    /// Records a new pending operation behind all others.
    pub(crate) fn insert(&mut self, key: OperationKey, effect: Effect, digest: String, now: Time) {
        let seq = self.operations.values().map(|op| op.seq).max().unwrap_or(0) + 1;
        let operation = Operation {
            seq,
            effect,
            digest,
            accepted_at: now,
            attempt: Attempt::default(),
            differing: std::collections::BTreeSet::new(),
            outcomes: std::collections::BTreeMap::new(),
            causation_id: None,
            traceparent: None,
        };
        let replaced = self.operations.insert(key, operation);
        assert!(replaced.is_none(), "an operation is recorded once");
    }

    /// Takes in a fact about a charge's object. Commutative and idempotent.
    ///
    /// The object's id decides which charge it belongs to; `charge` is the one asked about if no id is known yet.
    pub fn absorb(&mut self, charge: &OperationKey, fact: &Fact) {
        let owner = self
            .operations
            .iter()
            .find(|(_, op)| matches!(op.effect, Effect::Charge { .. }) && op.attempt.ids.contains(&fact.id))
            .map_or_else(|| charge.clone(), |(key, _)| key.clone());
        let void = OperationKey::void_of(&owner);
        // What our void achieved lives on the void: the charge shows as failed and never announces a cancellation.
        let voided = fact.outcome == Some(Outcome::Canceled) && self.operations.contains_key(&void);
        if voided && let Some(void) = self.operations.get_mut(&void) {
            void.attempt.absorb(&Fact { id: fact.id.clone(), outcome: Some(Outcome::Succeeded) });
        }
        let Some(target) = self.operations.get_mut(&owner) else { return };
        if voided && target.attempt.standing != Standing::Succeeded {
            target.attempt.absorb(&Fact { id: fact.id.clone(), outcome: None });
            return;
        }
        target.attempt.absorb(fact);
        let took_money = target.attempt.standing == Standing::Succeeded;
        let void_says_canceled =
            self.operations.get(&void).is_some_and(|op| op.attempt.standing == Standing::Succeeded);
        if took_money
            && void_says_canceled
            && let Some(target) = self.operations.get_mut(&owner)
        {
            target.attempt.require_review(ReviewReason::TwoEnds);
        }
    }
}
