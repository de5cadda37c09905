//! Authorizations: captured, canceled, or too old.

use serde_json::Value;
use stripe_sim::{Begun, Fault, Status};

use crate::setup::{HOUR, INTENTS, NOW, act, authorize, create, error_code, get, json, post, sim};

const DAY: i64 = 24 * HOUR;

#[test]
fn a_full_capture_takes_the_authorized_amount_with_the_same_charge() {
    let mut sim = sim();
    let held = json(&authorize(&mut sim, "p/charge/1"));
    assert_eq!((&held["status"], &held["capture_method"]), (&"requires_capture".into(), &"manual".into()));
    let captured = json(&act(&mut sim, NOW, "capture", ""));
    for (field, value) in [
        ("status", Value::from("succeeded")),
        ("amount", 2000.into()),
        ("amount_received", 2000.into()),
        ("amount_capturable", 0.into()),
        ("latest_charge", held["latest_charge"].clone()),
    ] {
        assert_eq!(captured[field], value, "{field}");
    }
    let count = sim.effects().operation("p/charge/1");
    assert_eq!((count.captures, count.amount_captured, count.amount_paid), (1, 2000, 2000));
    assert_eq!((count.attempts, count.intents_succeeded), (1, 1));
}

#[test]
fn a_partial_capture_releases_the_rest() {
    let mut sim = sim();
    authorize(&mut sim, "p/charge/1");
    let captured = json(&act(&mut sim, NOW, "capture", "amount_to_capture=500&final_capture=true"));
    assert_eq!((&captured["amount"], &captured["amount_received"]), (&2000.into(), &500.into()));
    assert_eq!(captured["amount_capturable"], 0);
    let again = act(&mut sim, NOW, "capture", "amount_to_capture=100");
    assert_eq!(error_code(&again), "payment_intent_unexpected_state");
    let count = sim.effects().operation("p/charge/1");
    assert_eq!((count.captures, count.amount_captured, count.amount_paid), (1, 500, 500));
}

#[test]
fn a_capture_out_of_range_is_refused_with_the_intent_and_leaves_it_open() {
    let mut sim = sim();
    authorize(&mut sim, "p/charge/1");
    for (amount, code, param) in [
        ("2001", "amount_too_large", Value::Null),
        ("0", "parameter_invalid_integer", "amount".into()),
        ("-1", "", "amount_to_capture".into()),
    ] {
        let refused = act(&mut sim, NOW, "capture", &format!("amount_to_capture={amount}"));
        assert_eq!((refused.status, error_code(&refused).as_str()), (400, code), "{amount}");
        let error = &json(&refused)["error"];
        assert_eq!(error["param"], param, "{amount}");
        assert_eq!(error["payment_intent"]["status"], "requires_capture");
        assert_eq!(error["payment_intent"]["amount_capturable"], 2000);
    }
    for (body, param) in [
        ("amount_to_capture=1e3", "amount_to_capture"),
        ("final_capture=false", "final_capture"),
        ("colour=red", "colour"),
    ] {
        assert_eq!(json(&act(&mut sim, NOW, "capture", body))["error"]["param"], param);
    }
    assert_eq!(sim.effects().sum().captures, 0);
    assert_eq!(json(&act(&mut sim, NOW, "capture", ""))["status"], "succeeded");
}

#[test]
fn a_capture_in_any_other_status_is_an_unexpected_state_with_the_intent() {
    for (payment_method, status) in [
        ("pm_card_visa", "succeeded"),
        ("pm_card_chargeDeclined", "requires_payment_method"),
        ("pm_sim_requires_action", "requires_action"),
        ("pm_sim_processing", "processing"),
    ] {
        let mut sim = sim();
        create(&mut sim, "p/charge/1", payment_method);
        let refused = act(&mut sim, NOW, "capture", "");
        assert_eq!((refused.status, error_code(&refused).as_str()), (400, "payment_intent_unexpected_state"));
        assert_eq!(json(&refused)["error"]["payment_intent"]["status"], status);
    }
    let mut sim = sim();
    let missing = act(&mut sim, NOW, "capture", "");
    assert_eq!((missing.status, error_code(&missing).as_str()), (404, "resource_missing"));
}

#[test]
fn a_cancel_releases_an_authorization_and_the_next_capture_meets_it() {
    let mut sim = sim();
    authorize(&mut sim, "p/charge/1");
    let canceled = json(&act(&mut sim, NOW, "cancel", ""));
    assert_eq!((&canceled["status"], &canceled["amount_capturable"]), (&"canceled".into(), &0.into()));
    let late = act(&mut sim, NOW, "capture", "");
    assert_eq!(error_code(&late), "payment_intent_unexpected_state");
    assert_eq!(json(&late)["error"]["payment_intent"]["status"], "canceled");
    let count = sim.effects().operation("p/charge/1");
    assert_eq!((count.cancels, count.intents_canceled, count.intents_expired), (1, 1, 0));
    assert_eq!((count.captures, count.amount_paid), (0, 0));
}

#[test]
fn a_cancel_of_a_captured_intent_is_an_unexpected_state() {
    let mut sim = sim();
    authorize(&mut sim, "p/charge/1");
    act(&mut sim, NOW, "capture", "");
    assert_eq!(error_code(&act(&mut sim, NOW, "cancel", "")), "payment_intent_unexpected_state");
    assert_eq!(sim.effects().sum().cancels, 0);
}

#[test]
fn an_authorization_ends_by_its_age_at_that_instant_whoever_looks_later() {
    let mut sim = sim();
    authorize(&mut sim, "p/charge/1");
    assert_eq!(sim.authorization_expires_ms("pi_000001"), Some(NOW + 7 * DAY));
    let before = get(&mut sim, NOW + 7 * DAY - 1, &format!("{INTENTS}/pi_000001"), "");
    assert_eq!(before["status"], "requires_capture");
    let after = get(&mut sim, NOW + 9 * DAY, &format!("{INTENTS}/pi_000001"), "");
    assert_eq!((&after["status"], &after["cancellation_reason"]), (&"canceled".into(), &"automatic".into()));
    assert_eq!(after["canceled_at"], (NOW + 7 * DAY) / 1000);
    assert_eq!(sim.authorization_expires_ms("pi_000001"), None);
    let late = act(&mut sim, NOW + 9 * DAY, "capture", "");
    assert_eq!(error_code(&late), "payment_intent_unexpected_state");
    let count = sim.effects().operation("p/charge/1");
    assert_eq!((count.intents_expired, count.intents_canceled, count.cancels), (1, 1, 0));
}

#[test]
fn the_life_of_an_authorization_can_be_set_and_ageing_shortens_it() {
    let mut sim = sim();
    sim.settings.authorization_life_ms = DAY;
    authorize(&mut sim, "p/charge/1");
    authorize(&mut sim, "q/charge/1");
    sim.age_payment("p", DAY);
    sim.pass_time(NOW);
    let statuses: Vec<_> = sim.intents().iter().map(stripe_sim::Intent::status).collect();
    assert_eq!(statuses, [Status::Canceled, Status::RequiresCapture]);
    sim.pass_time(NOW + DAY);
    assert_eq!(sim.intents()[1].status(), Status::Canceled);
}

#[test]
fn a_capture_held_in_flight_meets_the_end_of_the_authorization() {
    let mut sim = sim();
    sim.settings.authorization_life_ms = HOUR;
    authorize(&mut sim, "p/charge/1");
    let capture = post(&format!("{INTENTS}/pi_000001/capture"), "", "c");
    let Begun::Running(ticket) = sim.begin(NOW, &capture, Fault::None) else { panic!("running") };
    let cancel = act(&mut sim, NOW, "cancel", "");
    assert_eq!((cancel.status, error_code(&cancel).as_str()), (429, "lock_timeout"));
    let late = sim.finish(NOW + HOUR, ticket);
    assert_eq!(error_code(&late), "payment_intent_unexpected_state");
    assert!(sim.handle(NOW + HOUR, &capture, Fault::None).is_replayed());
}

#[test]
fn a_capture_passes_the_key_layer_and_the_faults_of_a_create() {
    for (fault, status, captures) in [
        (Fault::Error500Before, 500, 0),
        (Fault::Error500After, 500, 1),
        (Fault::Error500BetweenCreateAndConfirm, 500, 1),
        (Fault::RateLimit429, 429, 0),
        (Fault::LockTimeout429, 429, 0),
        (Fault::Unavailable503Before, 503, 0),
    ] {
        let mut sim = sim();
        authorize(&mut sim, "p/charge/1");
        let capture = post(&format!("{INTENTS}/pi_000001/capture"), "amount_to_capture=700", "c");
        assert_eq!(sim.handle(NOW, &capture, fault).status, status, "{fault:?}");
        assert_eq!(sim.effects().sum().captures, captures, "{fault:?}");
        let again = sim.handle(NOW, &capture, Fault::None);
        let saved = status == 500;
        assert_eq!((again.status, again.is_replayed()), (if saved { 500 } else { 200 }, saved), "{fault:?}");
        let drifted = post(&format!("{INTENTS}/pi_000001/capture"), "amount_to_capture=800", "c");
        assert_eq!(sim.handle(NOW, &drifted, Fault::None).status, 400);
        assert_eq!(sim.effects().totals.key_mismatches, 1);
    }
}

#[test]
fn a_customer_who_pays_a_manual_intent_authorizes_it() {
    let mut sim = sim();
    let body =
        "amount=2000&currency=usd&capture_method=manual&confirm=true&payment_method=pm_sim_requires_action";
    sim.handle(NOW, &post(INTENTS, body, "k"), Fault::None);
    sim.customer_pays(NOW, "pi_000001").expect("payable");
    assert_eq!(sim.intents()[0].status(), Status::RequiresCapture);
    sim.pass_time(NOW + 7 * DAY);
    assert_eq!(sim.intents()[0].status(), Status::Canceled);
}
