//! Counts by operation and by payment, and ageing.

use stripe_sim::{Fault, Method, OperationCount, Route, Status};

use crate::setup::{HOUR, INTENTS, NOW, charge, create, post, sim};

#[test]
fn effects_are_counted_by_operation_and_summed_by_payment() {
    let mut sim = sim();
    create(&mut sim, "p/charge/1", "pm_card_chargeDeclined");
    create(&mut sim, "p/charge/2", "pm_card_visa");
    create(&mut sim, "p", "pm_card_visa");
    create(&mut sim, "p-other/charge/1", "pm_card_visa");
    create(&mut sim, "p0/charge/1", "pm_card_visa");
    let declined =
        OperationCount { intents_created: 1, attempts: 1, declines: 1, ..OperationCount::default() };
    assert_eq!(sim.effects().operation("p/charge/1"), declined);
    let payment = sim.effects().payment("p");
    assert_eq!((payment.intents_created, payment.intents_succeeded, payment.amount_paid), (3, 2, 4000));
    assert_eq!(sim.effects().sum().intents_created, 5);
    assert_eq!(sim.effects().operation("nobody"), OperationCount::default());
}

#[test]
fn a_customers_payment_counts_as_paid_without_an_attempt_of_ours() {
    let mut sim = sim();
    create(&mut sim, "p/charge/1", "pm_card_chargeDeclined");
    sim.customer_pays(NOW, "pi_000001").expect("payable");
    let count = sim.effects().operation("p/charge/1");
    assert_eq!((count.attempts, count.intents_succeeded, count.amount_paid), (1, 1, 2000));
    assert!(sim.customer_pays(NOW, "pi_000001").is_err());
    assert!(sim.customer_pays(NOW, "pi_000009").is_err());
}

#[test]
fn an_intent_is_paid_or_payable_until_it_is_canceled() {
    let mut sim = sim();
    create(&mut sim, "p/charge/1", "pm_card_chargeDeclined");
    create(&mut sim, "p/charge/2", "pm_card_visa");
    assert_eq!(sim.paid_or_payable("p").count(), 2);
    sim.handle(NOW, &post(&format!("{INTENTS}/pi_000001/cancel"), "", "c"), Fault::None);
    let left: Vec<_> = sim.paid_or_payable("p").map(|intent| intent.id.as_str()).collect();
    assert_eq!(left, ["pi_000002"]);
    assert_eq!(sim.intents_of("p").count(), 2);
    assert_eq!(sim.effects().operation("p/charge/1").intents_canceled, 1);
}

#[test]
fn requests_are_counted_by_method_and_endpoint() {
    let mut sim = sim();
    create(&mut sim, "p/charge/1", "pm_card_visa");
    create(&mut sim, "p/charge/1", "pm_card_visa");
    let totals = &sim.effects().totals;
    assert_eq!(totals.requests.get(&(Method::Post, Route::CreateIntent)), Some(&2));
    assert_eq!(totals.replays, 1);
}

#[test]
fn ageing_moves_keys_and_intents_together() {
    let mut sim = sim();
    create(&mut sim, "p/charge/1", "pm_card_visa");
    sim.age(25 * HOUR);
    assert_eq!(sim.intents()[0].created_ms, NOW - 25 * HOUR);
    assert!(sim.intents()[0].state_at(NOW - 25 * HOUR).is_some());
    assert!(!create(&mut sim, "p/charge/1", "pm_card_visa").is_replayed());
}

#[test]
fn the_same_calls_give_the_same_bytes() {
    let run = || {
        let mut sim = sim();
        let mut bytes = Vec::new();
        for (at, pm) in [(0, "pm_card_visa"), (1, "pm_card_chargeDeclined"), (2, "pm_sim_processing")] {
            let id = format!("p{at}/charge/1");
            let reply = sim.handle(NOW + at, &post(INTENTS, &charge(&id, pm), &id), Fault::None);
            bytes.extend(format!("{:?}", reply.headers).into_bytes());
            bytes.extend(reply.body);
        }
        (bytes, sim.effects().clone())
    };
    assert_eq!(run(), run());
}

#[test]
fn the_history_keeps_every_state() {
    let mut sim = sim();
    create(&mut sim, "p/charge/1", "pm_sim_processing");
    sim.settle_processing(NOW + 5, "pi_000001", true).expect("processing");
    let statuses: Vec<_> = sim.intents()[0].history().iter().map(|(_, state)| state.status).collect();
    assert_eq!(statuses, [Status::RequiresConfirmation, Status::Processing, Status::Succeeded]);
}
