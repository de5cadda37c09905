//! The key layer, line by line of the vendor's description.

use stripe_sim::{Begun, Fault, Request, Sim};

use crate::setup::{HOUR, INTENTS, KEY, NOW, charge, error_code, error_type, json, post, sim};

fn send(sim: &mut Sim, now_ms: i64, body: &str, key: &str, fault: Fault) -> stripe_sim::Response {
    sim.handle(now_ms, &post(INTENTS, body, key), fault)
}

#[test]
fn a_success_is_replayed_byte_equal_and_marked() {
    let mut sim = sim();
    let first = send(&mut sim, NOW, &charge("p/charge/1", "pm_card_visa"), "k", Fault::None);
    let second = send(&mut sim, NOW + HOUR, &charge("p/charge/1", "pm_card_visa"), "k", Fault::None);
    assert_eq!((first.status, &first.body), (second.status, &second.body));
    assert!(!first.is_replayed() && second.is_replayed());
    assert_eq!(second.header("Original-Request"), first.header("Request-Id"));
    assert_ne!(second.header("Request-Id"), first.header("Request-Id"));
    assert_eq!(sim.intents().len(), 1);
    assert_eq!(sim.effects().totals.replays, 1);
}

#[test]
fn a_decline_is_replayed_byte_equal_and_marked() {
    let mut sim = sim();
    let body = charge("p/charge/1", "pm_card_chargeDeclined");
    let first = send(&mut sim, NOW, &body, "k", Fault::None);
    let second = send(&mut sim, NOW, &body, "k", Fault::None);
    assert_eq!((first.status, second.status), (402, 402));
    assert_eq!(first.body, second.body);
    assert!(second.is_replayed());
    assert_eq!(sim.effects().totals.declines, 1);
}

#[test]
fn a_replayed_500_is_byte_equal_and_marked() {
    for fault in [Fault::Error500Before, Fault::Error500After, Fault::Error500BetweenCreateAndConfirm] {
        let mut sim = sim();
        let body = charge("p/charge/1", "pm_card_visa");
        let first = send(&mut sim, NOW, &body, "k", fault);
        let second = send(&mut sim, NOW, &body, "k", Fault::None);
        assert_eq!((first.status, second.status), (500, 500), "{fault:?}");
        assert_eq!(first.body, second.body);
        assert!(!first.is_replayed() && second.is_replayed());
        assert_eq!(second.header("Stripe-Should-Retry"), Some("false"));
        assert_eq!(sim.effects().totals.errors_500, 1);
    }
}

#[test]
fn a_state_error_and_a_missing_object_are_saved_since_the_endpoint_had_started() {
    let mut sim = sim();
    send(&mut sim, NOW, &charge("p/charge/1", "pm_card_visa"), "k", Fault::None);
    for (path, status) in [("pi_000001/cancel", 400), ("pi_000099/cancel", 404)] {
        let request = post(&format!("{INTENTS}/{path}"), "", path);
        assert_eq!(sim.handle(NOW, &request, Fault::None).status, status);
        assert!(sim.handle(NOW, &request, Fault::None).is_replayed());
    }
}

#[test]
fn a_refused_parameter_is_not_saved() {
    let mut sim = sim();
    assert_eq!(send(&mut sim, NOW, "amount=x&currency=usd", "k", Fault::None).status, 400);
    let good = send(&mut sim, NOW, &charge("p/charge/1", "pm_card_visa"), "k", Fault::None);
    assert_eq!((good.status, good.is_replayed()), (200, false));
}

#[test]
fn refusals_in_front_of_the_endpoint_are_not_saved() {
    for (fault, status) in
        [(Fault::RateLimit429, 429), (Fault::LockTimeout429, 429), (Fault::Unavailable503Before, 503)]
    {
        let mut sim = sim();
        let body = charge("p/charge/1", "pm_card_visa");
        assert_eq!(send(&mut sim, NOW, &body, "k", fault).status, status);
        assert!(sim.intents().is_empty());
        let again = send(&mut sim, NOW, &body, "k", Fault::None);
        assert_eq!((again.status, again.is_replayed()), (200, false), "{fault:?}");
        assert_eq!(sim.effects().totals.faults.get(&fault), Some(&1));
    }
}

#[test]
fn a_wrong_key_gets_401_and_a_restricted_one_403_and_neither_is_saved() {
    let mut sim = sim();
    sim.settings.restricted_key = Some("rk_test_none".to_owned());
    for (api_key, status) in [("sk_test_wrong", 401), ("rk_test_none", 403)] {
        let request = Request::post(INTENTS, &charge("p/charge/1", "pm_card_visa"), api_key, "k");
        assert_eq!(sim.handle(NOW, &request, Fault::None).status, status);
    }
    let none = Request { authorization: None, ..Request::get(INTENTS, "", KEY) };
    assert_eq!(sim.handle(NOW, &none, Fault::None).status, 401);
    assert!(!send(&mut sim, NOW, &charge("p/charge/1", "pm_card_visa"), "k", Fault::None).is_replayed());
}

#[test]
fn rate_limiting_runs_before_the_key_layer_even_for_a_saved_result() {
    let mut sim = sim();
    let body = charge("p/charge/1", "pm_card_visa");
    send(&mut sim, NOW, &body, "k", Fault::None);
    assert_eq!(send(&mut sim, NOW, &body, "k", Fault::RateLimit429).status, 429);
    assert!(send(&mut sim, NOW, &body, "k", Fault::None).is_replayed());
}

#[test]
fn a_saved_result_is_replayed_whatever_fault_the_endpoint_would_have() {
    let mut sim = sim();
    let body = charge("p/charge/1", "pm_card_visa");
    send(&mut sim, NOW, &body, "k", Fault::None);
    for fault in [Fault::Error500Before, Fault::Error500After, Fault::LockTimeout429] {
        assert_eq!(send(&mut sim, NOW, &body, "k", fault).status, 200);
    }
    assert!(sim.effects().totals.faults.is_empty());
}

#[test]
fn other_parameters_under_the_same_key_are_an_idempotency_error() {
    let mut sim = sim();
    let body = charge("p/charge/1", "pm_card_visa");
    send(&mut sim, NOW, &body, "k", Fault::None);
    let drifted = send(&mut sim, NOW, &format!("{body}&description=x"), "k", Fault::None);
    assert_eq!((drifted.status, error_type(&drifted).as_str()), (400, "idempotency_error"));
    let elsewhere = sim.handle(NOW, &post(&format!("{INTENTS}/pi_000001/cancel"), "", "k"), Fault::None);
    assert_eq!((elsewhere.status, error_type(&elsewhere).as_str()), (400, "idempotency_error"));
    assert_eq!(sim.effects().totals.key_mismatches, 2);
    assert!(send(&mut sim, NOW, &body, "k", Fault::None).is_replayed());
}

#[test]
fn the_order_of_parameters_does_not_matter() {
    let mut sim = sim();
    send(&mut sim, NOW, "amount=2000&currency=usd", "k", Fault::None);
    assert!(send(&mut sim, NOW, "currency=usd&amount=2000", "k", Fault::None).is_replayed());
}

#[test]
fn a_key_in_flight_answers_409_which_is_not_saved() {
    let mut sim = sim();
    let request = post(INTENTS, &charge("p/charge/1", "pm_card_visa"), "k");
    let Begun::Running(ticket) = sim.begin(NOW, &request, Fault::None) else { panic!("running") };
    let meanwhile = sim.handle(NOW + 1, &request, Fault::None);
    assert_eq!((meanwhile.status, error_code(&meanwhile).as_str()), (409, "idempotency_key_in_use"));
    assert_eq!(meanwhile.header("Stripe-Should-Retry"), Some("true"));
    let first = sim.finish(NOW + 2, ticket);
    let replayed = sim.handle(NOW + 3, &request, Fault::None);
    assert!(replayed.is_replayed());
    assert_eq!(first.body, replayed.body);
    assert_eq!(sim.intents().len(), 1);
}

#[test]
fn a_key_lives_until_24_h_and_then_starts_a_new_request() {
    let mut sim = sim();
    let body = charge("p/charge/1", "pm_card_visa");
    send(&mut sim, NOW, &body, "k", Fault::None);
    assert!(send(&mut sim, NOW + 24 * HOUR - 1, &body, "k", Fault::None).is_replayed());
    let late = send(&mut sim, NOW + 24 * HOUR, &body, "k", Fault::None);
    assert!(!late.is_replayed());
    assert_eq!(json(&late)["id"], "pi_000002");
    assert_eq!(sim.effects().operation("p/charge/1").intents_succeeded, 2);
    assert_eq!(sim.effects().totals.keys_pruned, 1);
}

#[test]
fn a_key_of_255_characters_is_taken_and_one_more_is_refused() {
    let mut sim = sim();
    let body = "amount=2000&currency=usd";
    assert_eq!(send(&mut sim, NOW, body, &"k".repeat(255), Fault::None).status, 200);
    assert_eq!(send(&mut sim, NOW, body, &"k".repeat(256), Fault::None).status, 400);
    assert_eq!(sim.intents().len(), 1);
}

#[test]
fn a_get_never_passes_the_key_layer() {
    let mut sim = sim();
    let request = Request { idempotency_key: Some("k".to_owned()), ..Request::get(INTENTS, "", KEY) };
    sim.handle(NOW, &request, Fault::None);
    assert!(!sim.handle(NOW, &request, Fault::None).is_replayed());
}

#[test]
fn posts_without_a_key_are_separate_requests() {
    let mut sim = sim();
    let request = Request { idempotency_key: None, ..post(INTENTS, "amount=2000&currency=usd", "") };
    sim.handle(NOW, &request, Fault::None);
    sim.handle(NOW, &request, Fault::None);
    assert_eq!(sim.intents().len(), 2);
}
