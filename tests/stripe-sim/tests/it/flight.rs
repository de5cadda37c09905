//! Requests in flight: locks, crashed clients, and the instant of the effect.

use stripe_sim::{Begun, Fault, Request, Sim, Status, Ticket};

use crate::setup::{INTENTS, KEY, NOW, charge, create, error_code, json, post, sim};

fn hold(sim: &mut Sim, request: &Request, fault: Fault) -> Ticket {
    match sim.begin(NOW, request, fault) {
        Begun::Running(ticket) => ticket,
        Begun::Done(response) => panic!("answered at once: {}", response.status),
    }
}

fn cancel(key: &str) -> Request {
    post(&format!("{INTENTS}/pi_000001/cancel"), "", key)
}

#[test]
fn nothing_happens_before_the_finish() {
    let mut sim = sim();
    let request = post(INTENTS, &charge("p/charge/1", "pm_card_visa"), "k");
    let ticket = hold(&mut sim, &request, Fault::None);
    assert!(sim.intents().is_empty());
    sim.finish(NOW + 5_000, ticket);
    assert_eq!(sim.intents()[0].created_ms, NOW + 5_000);
}

#[test]
fn a_request_whose_client_crashed_can_still_be_finished() {
    let mut sim = sim();
    let request = post(INTENTS, &charge("p/charge/1", "pm_card_visa"), "k");
    hold(&mut sim, &request, Fault::None);
    let found: Vec<_> = sim.running().collect();
    assert_eq!(found.len(), 1);
    sim.finish(NOW + 1, found[0]);
    assert_eq!(sim.effects().operation("p/charge/1").intents_succeeded, 1);
    assert!(sim.handle(NOW + 2, &request, Fault::None).is_replayed());
}

#[test]
fn a_second_operation_on_a_locked_intent_gets_a_lock_timeout_which_is_not_saved() {
    let mut sim = sim();
    create(&mut sim, "p/charge/1", "pm_card_chargeDeclined");
    let ticket = hold(&mut sim, &cancel("c1"), Fault::None);
    let confirm = post(&format!("{INTENTS}/pi_000001/confirm"), "payment_method=pm_card_visa", "f1");
    let locked = sim.handle(NOW, &confirm, Fault::None);
    assert_eq!((locked.status, error_code(&locked).as_str()), (429, "lock_timeout"));
    assert_eq!(locked.header("Stripe-Should-Retry"), Some("true"));
    let read = sim.handle(NOW, &Request::get(&format!("{INTENTS}/pi_000001"), "", KEY), Fault::None);
    assert_eq!(read.status, 200);
    sim.finish(NOW, ticket);
    let late = sim.handle(NOW, &confirm, Fault::None);
    assert_eq!((late.status, late.is_replayed()), (400, false));
}

#[test]
fn a_held_cancel_meets_the_customer_who_paid_meanwhile() {
    let mut sim = sim();
    create(&mut sim, "p/charge/1", "pm_card_chargeDeclined");
    let ticket = hold(&mut sim, &cancel("c1"), Fault::None);
    sim.customer_pays(NOW + 1, "pi_000001").expect("payable");
    let late = sim.finish(NOW + 2, ticket);
    assert_eq!(error_code(&late), "payment_intent_unexpected_state");
    assert_eq!(json(&late)["error"]["payment_intent"]["status"], "succeeded");
}

#[test]
fn a_500_before_executes_nothing_and_one_after_executes_everything() {
    let mut sim = sim();
    let before = post(INTENTS, &charge("p/charge/1", "pm_card_visa"), "k1");
    assert_eq!(sim.handle(NOW, &before, Fault::Error500Before).status, 500);
    assert!(sim.intents().is_empty());
    let after = post(INTENTS, &charge("p/charge/1", "pm_card_visa"), "k2");
    assert_eq!(sim.handle(NOW, &after, Fault::Error500After).status, 500);
    assert_eq!(sim.intents()[0].status(), Status::Succeeded);
}

#[test]
fn a_500_between_leaves_an_unconfirmed_intent_with_its_payment_method() {
    let mut sim = sim();
    let request = post(INTENTS, &charge("p/charge/1", "pm_card_visa"), "k");
    let reply = sim.handle(NOW, &request, Fault::Error500BetweenCreateAndConfirm);
    assert_eq!(reply.status, 500);
    let intent = &sim.intents()[0];
    assert_eq!(intent.status(), Status::RequiresConfirmation);
    assert_eq!(intent.state().payment_method.as_deref(), Some("pm_card_visa"));
    assert_eq!(sim.effects().operation("p/charge/1").attempts, 0);
    let confirm = post(&format!("{INTENTS}/pi_000001/confirm"), "", "f1");
    assert_eq!(json(&sim.handle(NOW, &confirm, Fault::None))["status"], "succeeded");
}

#[test]
fn a_reset_account_is_empty_and_old_tickets_stay_strangers() {
    let mut sim = sim();
    let request = post(INTENTS, &charge("p/charge/1", "pm_card_visa"), "k");
    let old = hold(&mut sim, &request, Fault::None);
    sim.reset();
    assert!(!sim.is_running(old));
    let new = hold(&mut sim, &request, Fault::None);
    assert_ne!(old, new);
}
