//! Properties of the pure functions, over histories drawn at random from a fixed seed.

use std::collections::BTreeSet;

use effect::{Rules, Standing, Time, hours, minutes};
use payment::{
    Amount, Claim, Command, Currency, Effect, Guard, MAX_AMOUNT_MINOR, Malformed, Operation, OperationKey,
    OrderId, Payment, PaymentId, Record, Ref, Reported, SHARDS, Tenant, accept, announced, due, seal,
};
use proptest::{prelude::*, test_runner::RngSeed};

use crate::histories::{NOW, REASONS, Step, charge, facts, histories, key, payment_after, planned, take};

/// 512 cases, or twice `PROPTEST_CASES`.
fn config() -> ProptestConfig {
    let default = ProptestConfig::default();
    ProptestConfig {
        cases: 2 * default.cases,
        rng_seed: RngSeed::Fixed(20_270_101),
        failure_persistence: None,
        ..default
    }
}

/// Tells whether an operation may rest because a person is asked about one before it.
fn is_behind_a_review(payment: &Payment, key: &OperationKey, operation: &Operation) -> bool {
    let in_review =
        |key: &OperationKey| payment.operations.get(key).is_some_and(|op| op.attempt.review.is_some());
    let has_succeeded = |key: &OperationKey| {
        payment.operations.get(key).is_some_and(|op| op.attempt.standing == Standing::Succeeded)
    };
    match &operation.effect {
        // A void goes on beside its charge's review, as long as one object is known that it can cancel.
        Effect::Void { .. } => in_review(&payment.charge_of(key)) && payment.provider_id(key).is_none(),
        Effect::Charge { .. } | Effect::Capture { .. } | Effect::Cancel { .. } | Effect::Refund { .. } => {
            payment.charges().filter(|(_, earlier)| earlier.seq < operation.seq).any(|(earlier, _)| {
                let void = OperationKey::void_of(earlier);
                in_review(earlier) || (in_review(&void) && !has_succeeded(&void))
            })
        }
    }
}

/// Writes the record after each step of a history, as the loop does; returns the records.
fn written(history: &[Step]) -> Vec<Record> {
    let rules = Rules::production();
    let mut records: Vec<Record> = Vec::new();
    let mut payment = accept(None, &Command::Charge(charge(0, 500)), NOW).unwrap();
    for (n, step) in history.iter().enumerate() {
        let now = NOW.plus_ms(minutes(n as i64));
        payment = planned(take(payment, step, now), now);
        let record = seal(payment, records.last(), None, Guard::Due, now, &rules);
        payment = record.payment.clone();
        records.push(record);
    }
    records
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_command_accepted_again_changes_nothing(
        history in histories(), n in 0..3_usize, amount in 500..503_u64, later in 0..hours(100)
    ) {
        let command = Command::Charge(charge(n, amount));
        let once = accept(Some(&payment_after(&history)), &command, NOW).unwrap();
        let twice = accept(Some(&once), &command, NOW.plus_ms(later)).unwrap();
        prop_assert_eq!(twice, once);
    }

    #[test]
    fn facts_commute_and_repeat_without_effect_on_any_payment(
        history in histories(), facts in prop::collection::vec(facts(), 0..5), seed in any::<u64>()
    ) {
        let payment = payment_after(&history);
        let absorbed = |facts: &[(usize, effect::Fact)]| {
            let steps = facts.iter().map(|(charge, fact)| Step::ShowsAFact { charge: *charge, fact: fact.clone() });
            let absorbed = steps.fold(payment.clone(), |payment, step| take(payment, &step, NOW));
            planned(absorbed, NOW.plus_ms(hours(1)))
        };
        let mut shuffled: Vec<_> = facts.iter().chain(&facts).cloned().collect();
        let len = shuffled.len().max(1) as u64;
        for i in 0..shuffled.len() {
            shuffled.swap(i, (seed.wrapping_mul(i as u64 + 7) % len) as usize);
        }
        prop_assert_eq!(absorbed(&shuffled), absorbed(&facts));
    }

    #[test]
    fn a_reported_fact_accepted_again_changes_nothing(history in histories(), (n, fact) in facts()) {
        let payment = payment_after(&history);
        let report = Command::Fact(Reported {
            payment_id: payment.id(),
            operation: key(n),
            fact,
            source_id: "evt_1".to_owned(),
        });
        match accept(Some(&payment), &report, NOW) {
            Ok(once) => prop_assert_eq!(accept(Some(&once), &report, NOW).unwrap(), once),
            Err(refused) => prop_assert_eq!(refused, Malformed::UnknownOperation(key(n))),
        }
    }

    #[test]
    fn a_plan_planned_again_is_the_same_plan(history in histories(), later in 0..hours(24 * 20)) {
        let now = NOW.plus_ms(later);
        let once = planned(payment_after(&history), now);
        prop_assert_eq!(planned(once.clone(), now), once);
    }

    #[test]
    fn a_payment_is_due_unless_each_operation_ended_or_needs_a_person_or_rests_behind_one_that_does(
        history in histories(), reviewed in prop::option::of((0..3_usize, 0..REASONS.len()))
    ) {
        let mut payment = payment_after(&history);
        if let Some((n, reason)) = reviewed
            && let Some(operation) = payment.operations.get_mut(&key(n))
        {
            operation.attempt.require_review(REASONS[reason]);
            payment = planned(payment, NOW.plus_ms(hours(1)));
        }
        let all_rest = payment
            .operations
            .iter()
            .all(|(key, operation)| operation.attempt.rests() || is_behind_a_review(&payment, key, operation));
        let due = due(&payment, None, &Rules::production());
        prop_assert_eq!(due.is_none(), all_rest, "due {:?}, {:#?}", due, payment);
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
    fn each_outcome_is_announced_once_and_none_is_left_out(history in histories()) {
        let records = written(&history);
        let mut seen = BTreeSet::new();
        for record in &records {
            let events = announced(record);
            let names = record.announce.as_deref().unwrap_or_default().split(' ').filter(|name| !name.is_empty());
            prop_assert_eq!(events.len(), names.count(), "every name is an event");
            for event in events {
                prop_assert_eq!(&event.detail["metadata"]["sequence"], record.version);
                prop_assert!(seen.insert(event.id.clone()), "{} is announced twice", event.id);
            }
        }
        let Some(last) = records.last() else { return Ok(()) };
        for (key, operation) in &last.payment.operations {
            let outcome = match (&operation.effect, operation.attempt.standing) {
                (Effect::Charge { .. }, Standing::Succeeded) => "succeeded",
                (Effect::Charge { .. }, Standing::Failed) => "failed",
                (Effect::Charge { .. }, Standing::Canceled) => "canceled",
                (Effect::Charge { .. }, Standing::Refused) => "refused",
                (Effect::Charge { .. }, Standing::Authorized) => "authorized",
                (_, _) => continue,
            };
            let id = format!("{}:{outcome}", key.id(&last.id));
            prop_assert!(seen.contains(&id), "{} is never announced", id);
        }
    }

    #[test]
    fn a_record_written_and_read_is_the_same_record(history in histories()) {
        for record in written(&history) {
            let text = serde_json::to_string(&record).unwrap();
            prop_assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), record);
        }
    }

    #[test]
    fn no_step_lowers_a_standing(history in histories()) {
        let mut ranks: std::collections::BTreeMap<OperationKey, u8> = std::collections::BTreeMap::new();
        for record in written(&history) {
            for (key, operation) in &record.payment.operations {
                let rank = operation.attempt.standing.rank();
                prop_assert!(ranks.get(key).is_none_or(|held| *held <= rank), "{} fell", key);
                ranks.insert(key.clone(), rank);
            }
        }
    }

    #[test]
    fn money_and_names_print_what_they_were_parsed_from(
        minor in 1..=MAX_AMOUNT_MINOR, code in "[a-z]{3}", tenant in "[A-Za-z_.-][A-Za-z0-9_.-]{0,9}",
        order in "[A-Za-z_.:-][A-Za-z0-9_.:-]{0,11}", reference in "[A-Za-z_-][A-Za-z0-9_-]{0,11}"
    ) {
        let amount: Amount = serde_json::from_str(&minor.to_string()).unwrap();
        prop_assert_eq!((amount.minor(), serde_json::to_string(&amount).unwrap()), (minor, minor.to_string()));
        prop_assert_eq!(code.to_uppercase().parse::<Currency>().unwrap().to_string(), code);
        let (tenant, order): (Tenant, OrderId) = (tenant.parse().unwrap(), order.parse().unwrap());
        prop_assert_eq!(tenant.to_string().parse::<Tenant>().unwrap(), tenant.clone());
        prop_assert_eq!(order.to_string().parse::<OrderId>().unwrap(), order.clone());
        let id = PaymentId::of(&tenant, &order);
        prop_assert_eq!(id.to_string().parse::<PaymentId>().unwrap(), id.clone());
        prop_assert!(id.shard() < SHARDS);
        let key = OperationKey::charge(reference.parse::<Ref>().unwrap());
        prop_assert_eq!(OperationKey::try_from(key.to_string()).unwrap(), key.clone());
        prop_assert_eq!(OperationKey::try_from(OperationKey::void_of(&key).to_string()).unwrap().reference, key.reference);
    }

    #[test]
    fn an_amount_out_of_bounds_is_no_amount(minor in any::<u64>()) {
        let is_amount = Amount::try_from(minor).is_ok();
        prop_assert_eq!(is_amount, (1..=MAX_AMOUNT_MINOR).contains(&minor));
    }

    #[test]
    fn a_command_reads_back_as_it_was_written(n in 0..3_usize, amount in 1..=MAX_AMOUNT_MINOR, due_at in any::<i64>()) {
        for command in [
            Command::Charge(charge(n, amount)),
            Command::Wake { payment_id: charge(n, amount).payment_id(), due_at: Time(due_at) },
        ] {
            prop_assert_eq!(Command::parse(&command.to_body()).unwrap(), command);
        }
    }

    #[test]
    fn no_body_makes_the_parser_panic(body in any::<String>()) {
        let _ = Command::parse(&body);
    }
}
