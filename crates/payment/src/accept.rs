//! Accepting commands and absorbing facts: what comes from outside, in any order and any number of times.

use std::collections::btree_map::Entry;

use effect::{Attempt, Fact, Outcome, ReviewReason, Standing, Time};

use crate::{
    command::{Command, Malformed},
    ids::{Kind, OperationKey},
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
        Command::Charge(_) | Command::Capture(_) | Command::Cancel(_) | Command::Refund(_) => {
            accept_operation(stored, command, now)
        }
        Command::Fact(reported) => {
            let unknown = || Malformed::UnknownPayment(reported.payment_id.clone());
            let mut payment = stored.cloned().ok_or_else(unknown)?;
            let has_an_object_of_its_own = matches!(reported.operation.kind, Kind::Charge | Kind::Refund);
            if !has_an_object_of_its_own || !payment.operations.contains_key(&reported.operation) {
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

fn accept_operation(stored: Option<&Payment>, command: &Command, now: Time) -> Result<Payment, Malformed> {
    let asked = command.asked().ok_or(Malformed::Schema)?;
    let mut payment = match stored {
        Some(payment) if payment.tenant != *asked.tenant || payment.order != *asked.order => {
            return Err(Malformed::Collision);
        }
        Some(payment) => payment.clone(),
        None if asked.key.kind == Kind::Charge => Payment::empty(asked.tenant.clone(), asked.order.clone()),
        None => return Err(Malformed::UnknownPayment(command.payment_id())),
    };
    if let Some(held) = payment.operations.get_mut(&asked.key) {
        if held.digest != asked.digest && held.differing.len() < MAX_DIFFERING {
            held.differing.insert(asked.digest);
        }
        return Ok(payment);
    }
    let held = payment.operations.keys().filter(|key| !key.is_reserved()).count();
    if held >= MAX_OPERATIONS {
        return Err(Malformed::TooManyOperations(held));
    }
    assert!(!asked.digest.is_empty(), "every request has a digest");
    let operation = payment.insert(asked.key, asked.effect, asked.digest, now);
    operation.causation_id = asked.causation_id.cloned();
    operation.traceparent = asked.traceparent.cloned();
    Ok(payment)
}

impl Payment {
    /// Records a new pending operation behind all others.
    pub(crate) fn insert(
        &mut self,
        key: OperationKey,
        effect: Effect,
        digest: String,
        now: Time,
    ) -> &mut Operation {
        assert_eq!(key.kind, effect.kind(), "an operation's name says what it does");
        let seq = self.operations.values().map(|op| op.seq).max().unwrap_or(0) + 1;
        assert!(self.operations.values().all(|op| op.seq < seq), "a new operation is behind all others");
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
        match self.operations.entry(key) {
            Entry::Vacant(vacant) => vacant.insert(operation),
            Entry::Occupied(held) => panic!("{} is recorded once", held.key()),
        }
    }

    /// Takes in a fact about a charge's or a refund's object. Commutative and idempotent.
    ///
    /// The object's id decides which operation it belongs to; `about` is the one asked about if no id is known yet.
    pub fn absorb(&mut self, about: &OperationKey, fact: &Fact) {
        let has_it = |op: &Operation| {
            matches!(op.effect, Effect::Charge { .. } | Effect::Refund { .. })
                && op.attempt.ids.contains(&fact.id)
        };
        let owner = self
            .operations
            .iter()
            .find(|(_, op)| has_it(op))
            .map_or_else(|| about.clone(), |(key, _)| key.clone());
        assert!(
            !matches!(owner.kind, Kind::Capture | Kind::Cancel),
            "a capture or cancel has no object of its own"
        );
        match owner.kind {
            Kind::Refund => {
                if let Some(refund) = self.operations.get_mut(&owner) {
                    refund.attempt.absorb_refund(fact);
                }
            }
            Kind::Charge | Kind::Capture | Kind::Cancel | Kind::Void => self.absorb_for_charge(&owner, fact),
        }
    }

    // What our void achieved lives on the void: the charge shows as failed and never announces a cancellation. And
    // what a voided charge's intent may come to hold is about to be released.
    fn absorb_for_charge(&mut self, charge: &OperationKey, fact: &Fact) {
        let void = OperationKey::void_of(charge);
        let is_voided = self.operations.contains_key(&void);
        let canceled_by_void = is_voided && fact.outcome == Some(Outcome::Canceled);
        if canceled_by_void && let Some(void) = self.operations.get_mut(&void) {
            void.attempt.absorb(&Fact { id: fact.id.clone(), outcome: Some(Outcome::Succeeded) });
        }
        let Some(target) = self.operations.get_mut(charge) else { return };
        let is_released = is_voided && fact.outcome == Some(Outcome::Authorized);
        if (canceled_by_void && target.attempt.standing != Standing::Succeeded) || is_released {
            target.attempt.absorb(&Fact { id: fact.id.clone(), outcome: None });
            return;
        }
        target.attempt.absorb(fact);
        let took_money = target.attempt.standing == Standing::Succeeded;
        let void_says_canceled =
            self.operations.get(&void).is_some_and(|op| op.attempt.standing == Standing::Succeeded);
        if took_money
            && void_says_canceled
            && let Some(target) = self.operations.get_mut(charge)
        {
            target.attempt.require_review(ReviewReason::TwoEnds);
        }
    }
}
