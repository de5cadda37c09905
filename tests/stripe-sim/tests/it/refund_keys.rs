//! Refunds behind the key layer, in flight, and struck by the provider's faults.

use stripe_sim::{Begun, Fault, Method, Route};

use crate::setup::{
    HOUR, NOW, REFUNDS, act, authorize, create, error_code, error_type, json, post, refund, refund_request,
    sim,
};

#[test]
fn a_refund_is_replayed_byte_equal_even_after_it_failed() {
    let mut sim = sim();
    create(&mut sim, "p/charge/1", "pm_card_visa");
    let first = refund(&mut sim, "p/refund/1", 700);
    sim.settle_refund(NOW, "re_000001", stripe_sim::RefundStatus::Failed).expect("succeeded before");
    let second = refund(&mut sim, "p/refund/1", 700);
    assert_eq!((first.status, &first.body), (second.status, &second.body));
    assert!(!first.is_replayed() && second.is_replayed());
    assert_eq!(second.header("Original-Request"), first.header("Request-Id"));
    assert_eq!(sim.refunds().len(), 1);
}

#[test]
fn other_parameters_under_the_key_of_a_refund_are_an_idempotency_error() {
    let mut sim = sim();
    create(&mut sim, "p/charge/1", "pm_card_visa");
    refund(&mut sim, "p/refund/1", 700);
    let drifted = refund(&mut sim, "p/refund/1", 701);
    assert_eq!((drifted.status, error_type(&drifted).as_str()), (400, "idempotency_error"));
    let elsewhere =
        sim.handle(NOW, &post(&format!("{REFUNDS}/re_000001/cancel"), "", "p/refund/1"), Fault::None);
    assert_eq!(error_type(&elsewhere), "idempotency_error");
    assert_eq!((sim.amount_refunded("pi_000001"), sim.effects().totals.key_mismatches), (700, 2));
}

#[test]
fn a_refusal_by_the_endpoint_is_saved_and_stays_even_when_money_is_free_again() {
    let mut sim = sim();
    create(&mut sim, "p/charge/1", "pm_card_visa");
    refund(&mut sim, "p/refund/1", 2000);
    assert_eq!(error_code(&refund(&mut sim, "p/refund/2", 500)), "charge_already_refunded");
    sim.settle_refund(NOW, "re_000001", stripe_sim::RefundStatus::Failed).expect("succeeded before");
    let again = refund(&mut sim, "p/refund/2", 500);
    assert_eq!((error_code(&again).as_str(), again.is_replayed()), ("charge_already_refunded", true));
    assert_eq!(refund(&mut sim, "p/refund/3", 500).status, 200);
}

#[test]
fn after_24_h_the_key_of_a_refund_starts_a_second_refund() {
    let mut sim = sim();
    create(&mut sim, "p/charge/1", "pm_card_visa");
    let request = refund_request("p/refund/1", "&amount=700");
    sim.handle(NOW, &request, Fault::None);
    assert!(sim.handle(NOW + 24 * HOUR - 1, &request, Fault::None).is_replayed());
    assert!(!sim.handle(NOW + 24 * HOUR, &request, Fault::None).is_replayed());
    let count = sim.effects().operation("p/refund/1");
    assert_eq!((count.refunds, count.amount_refunded), (2, 1400));
}

#[test]
fn ageing_a_payment_moves_its_refunds_and_their_keys() {
    let mut sim = sim();
    create(&mut sim, "p/charge/1", "pm_card_visa");
    refund(&mut sim, "p/refund/1", 700);
    let outside = post(REFUNDS, "payment_intent=pi_000001&amount=100", "outside");
    sim.handle(NOW, &outside, Fault::None);
    sim.age_payment("p", 25 * HOUR);
    assert!(sim.refunds().iter().all(|refund| refund.created_ms == NOW - 25 * HOUR));
    assert!(sim.refunds()[0].state_at(NOW - 25 * HOUR).is_some());
    assert!(!refund(&mut sim, "p/refund/1", 700).is_replayed());
    assert!(!sim.handle(NOW, &outside, Fault::None).is_replayed());
}

#[test]
fn each_fault_strikes_a_refund_as_it_does_a_create() {
    for (fault, status, refunds) in [
        (Fault::Error500Before, 500, 0),
        (Fault::Error500After, 500, 1),
        (Fault::Error500BetweenCreateAndConfirm, 500, 1),
        (Fault::RateLimit429, 429, 0),
        (Fault::LockTimeout429, 429, 0),
        (Fault::Unavailable503Before, 503, 0),
    ] {
        let mut sim = sim();
        create(&mut sim, "p/charge/1", "pm_card_visa");
        let request = refund_request("p/refund/1", "&amount=700");
        assert_eq!(sim.handle(NOW, &request, fault).status, status, "{fault:?}");
        assert_eq!(sim.effects().operation("p/refund/1").refunds, refunds, "{fault:?}");
        let again = sim.handle(NOW, &request, Fault::None);
        let saved = status == 500;
        assert_eq!((again.status, again.is_replayed()), (if saved { 500 } else { 200 }, saved), "{fault:?}");
        assert_eq!(sim.effects().totals.faults.get(&fault), Some(&1));
    }
}

#[test]
fn a_refund_in_flight_keeps_its_key_and_locks_its_intent() {
    let mut sim = sim();
    create(&mut sim, "p/charge/1", "pm_card_visa");
    let request = refund_request("p/refund/1", "&amount=1500");
    let Begun::Running(ticket) = sim.begin(NOW, &request, Fault::None) else { panic!("running") };
    assert!(sim.refunds().is_empty());
    assert_eq!(error_code(&sim.handle(NOW, &request, Fault::None)), "idempotency_key_in_use");
    assert_eq!(error_code(&refund(&mut sim, "p/refund/2", 1500)), "lock_timeout");
    assert_eq!(json(&sim.finish(NOW + 9, ticket))["status"], "succeeded");
    assert_eq!(sim.refunds()[0].created_ms, NOW + 9);
    assert!(sim.handle(NOW, &request, Fault::None).is_replayed());
    assert_eq!(refund(&mut sim, "p/refund/2", 1500).status, 400);
    assert_eq!(sim.amount_refunded("pi_000001"), 1500);
}

#[test]
fn the_new_requests_are_counted_by_endpoint() {
    let mut sim = sim();
    authorize(&mut sim, "p/charge/1");
    act(&mut sim, NOW, "capture", "");
    refund(&mut sim, "p/refund/1", 100);
    refund(&mut sim, "p/refund/1", 100);
    sim.handle(NOW, &stripe_sim::Request::get(REFUNDS, "", crate::setup::KEY), Fault::None);
    let requests = &sim.effects().totals.requests;
    assert_eq!(requests.get(&(Method::Post, Route::CaptureIntent)), Some(&1));
    assert_eq!(requests.get(&(Method::Post, Route::CreateRefund)), Some(&2));
    assert_eq!(requests.get(&(Method::Get, Route::ListRefunds)), Some(&1));
}
