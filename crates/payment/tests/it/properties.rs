//! Properties of the pure functions, over histories drawn at random from a fixed seed.

use effect::{Rules, Standing, hours};
use payment::{
    Claim, Command, Effect, Kind, Malformed, Operation, OperationKey, Payment, Reported, accept, due,
};
use proptest::{prelude::*, test_runner::RngSeed};

use crate::histories::{NOW, REASONS, Step, commands, facts, histories, keys, payment_after, planned, take};

/// 512 cases, or twice `PROPTEST_CASES`.
pub(crate) fn config() -> ProptestConfig {
    let default = ProptestConfig::default();
    ProptestConfig {
        cases: 2 * default.cases,
        rng_seed: RngSeed::Fixed(20_270_101),
        failure_persistence: None,
        ..default
    }
}

/// Tells whether a machine goes on with an operation by itself.
fn goes_on(payment: &Payment, key: &OperationKey, operation: &Operation) -> bool {
    let acts_on_an_intent = matches!(key.kind, Kind::Capture | Kind::Cancel | Kind::Void);
    !operation.attempt.rests()
        && payment.is_runnable(key, operation)
        && (!acts_on_an_intent || payment.provider_id(key).is_some())
}

/// Tells whether an operation waits for another one that goes on, needs a person, or waits itself.
fn waits(payment: &Payment, key: &OperationKey, operation: &Operation) -> bool {
    payment.operations.iter().any(|(other, ahead)| {
        let is_open = !ahead.attempt.standing.is_ended() || ahead.attempt.review.is_some();
        let is_before = ahead.seq < operation.seq;
        let is_its_charge = payment.charge_of(key) == *other;
        let is_its_cancel = matches!(ahead.effect, Effect::Cancel { .. }) && payment.charge_of(other) == *key;
        // A void was added when its charge had failed: it may be in front of a charge that was accepted before it.
        let voids_one_before = matches!(ahead.effect, Effect::Void { .. });
        other != key && is_open && (is_before || is_its_charge || is_its_cancel || voids_one_before)
    })
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_command_accepted_again_changes_nothing(
        history in histories(), command in commands(), later in 0..hours(100)
    ) {
        let once = accept(Some(&payment_after(&history)), &command, NOW).unwrap();
        let twice = accept(Some(&once), &command, NOW.plus_ms(later)).unwrap();
        prop_assert_eq!(twice, once);
    }

    #[test]
    fn facts_commute_and_repeat_without_effect_on_any_payment(
        history in histories(), facts in prop::collection::vec(facts(), 0..5), seed in any::<u64>()
    ) {
        let payment = payment_after(&history);
        let absorbed = |facts: &[(OperationKey, effect::Fact)]| {
            let steps = facts.iter().map(|(key, fact)| Step::ShowsAFact(key.clone(), fact.clone()));
            let absorbed = steps.fold(payment.clone(), |payment, step| take(Some(payment), &step, NOW));
            planned(absorbed, NOW.plus_ms(hours(1_000)))
        };
        let mut shuffled: Vec<_> = facts.iter().chain(&facts).cloned().collect();
        let len = shuffled.len().max(1) as u64;
        for i in 0..shuffled.len() {
            shuffled.swap(i, (seed.wrapping_mul(i as u64 + 7) % len) as usize);
        }
        prop_assert_eq!(absorbed(&shuffled), absorbed(&facts));
    }

    #[test]
    fn a_reported_fact_accepted_again_changes_nothing(history in histories(), (operation, fact) in facts()) {
        let payment = payment_after(&history);
        let report = Command::Fact(Reported {
            payment_id: payment.id(),
            operation: operation.clone(),
            fact,
            source_id: "evt_1".to_owned(),
        });
        match accept(Some(&payment), &report, NOW) {
            Ok(once) => prop_assert_eq!(accept(Some(&once), &report, NOW).unwrap(), once),
            Err(refused) => prop_assert_eq!(refused, Malformed::UnknownOperation(operation)),
        }
    }

    #[test]
    fn a_plan_planned_again_is_the_same_plan(history in histories(), later in 0..hours(24 * 20)) {
        let now = NOW.plus_ms(later);
        let once = planned(payment_after(&history), now);
        prop_assert_eq!(planned(once.clone(), now), once);
    }

    #[test]
    fn each_operation_ended_or_needs_a_person_or_goes_on_or_waits_for_one_that_does_not_rest_unseen(
        history in histories(), reviewed in prop::option::of((keys(), 0..REASONS.len()))
    ) {
        let mut payment = payment_after(&history);
        if let Some((key, reason)) = reviewed
            && let Some(operation) = payment.operations.get_mut(&key)
        {
            operation.attempt.require_review(REASONS[reason]);
            payment = planned(payment, NOW.plus_ms(hours(1)));
        }
        for (key, operation) in &payment.operations {
            let is_seen = operation.attempt.rests()
                || goes_on(&payment, key, operation)
                || waits(&payment, key, operation);
            prop_assert!(is_seen, "{} is forgotten: {:#?}", key, payment);
        }
        let goes_on = payment.operations.iter().any(|(key, operation)| goes_on(&payment, key, operation));
        let due = due(&payment, None, &Rules::production());
        prop_assert_eq!(due.is_some(), goes_on, "due {:?}, {:#?}", due, payment);
        let all_ended = payment.operations.values().all(|op| op.attempt.standing.is_ended());
        prop_assert!(due.is_some() || all_ended || payment.needs_review(), "{:#?}", payment);
    }

    #[test]
    fn nothing_is_due_while_it_is_claimed_and_what_is_due_stays_due(history in histories(), until in 0..hours(50)) {
        let payment = payment_after(&history);
        let claim = Claim { token: "w-1".to_owned(), until: NOW.plus_ms(until) };
        let (free, claimed) =
            (due(&payment, None, &Rules::production()), due(&payment, Some(&claim), &Rules::production()));
        prop_assert_eq!(claimed, free.map(|at| at.max(claim.until)));
    }

    #[test]
    fn two_charges_that_hold_or_took_money_are_a_persons_case(history in histories()) {
        let payment = payment_after(&history);
        let holds = |op: &Operation| matches!(op.attempt.standing, Standing::Authorized | Standing::Succeeded);
        let held = payment.charges().filter(|(_, op)| holds(op)).count();
        prop_assert!(held <= 1 || payment.needs_review(), "{:#?}", payment);
    }
}
