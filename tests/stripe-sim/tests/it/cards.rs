//! What each payment method does.

use serde_json::Value;
use stripe_sim::{Decline, Fault, Outcome, Status};

use crate::setup::{INTENTS, NOW, create, json, post, sim};

#[test]
fn a_good_card_succeeds_in_stripes_shape() {
    let mut sim = sim();
    let reply = create(&mut sim, "p/charge/1", "pm_card_visa");
    let intent = json(&reply);
    assert_eq!(reply.status, 200);
    for (field, value) in [
        ("id", Value::from("pi_000001")),
        ("object", "payment_intent".into()),
        ("status", "succeeded".into()),
        ("amount", 2000.into()),
        ("amount_received", 2000.into()),
        ("amount_capturable", 0.into()),
        ("currency", "usd".into()),
        ("customer", "cus_1".into()),
        ("created", (NOW / 1000).into()),
        ("livemode", false.into()),
        ("latest_charge", "ch_000001".into()),
        ("payment_method", "pm_card_visa".into()),
        ("last_payment_error", Value::Null),
        ("canceled_at", Value::Null),
        ("next_action", Value::Null),
        ("client_secret", "pi_000001_secret_sim".into()),
    ] {
        assert_eq!(intent[field], value, "{field}");
    }
    assert_eq!(intent["metadata"]["operation_id"], "p/charge/1");
    assert_eq!(reply.header("Request-Id"), Some("req_000001"));
}

#[test]
fn a_decline_is_a_402_with_the_whole_intent() {
    for (payment_method, code, decline_code) in [
        ("pm_card_chargeDeclined", "card_declined", "generic_decline"),
        ("pm_card_chargeDeclinedInsufficientFunds", "card_declined", "insufficient_funds"),
        ("pm_card_visa_chargeDeclinedLostCard", "card_declined", "lost_card"),
        ("pm_card_chargeDeclinedExpiredCard", "expired_card", "expired_card"),
        ("pm_card_authenticationRequired", "authentication_required", "authentication_required"),
    ] {
        let mut sim = sim();
        let reply = create(&mut sim, "p/charge/1", payment_method);
        let error = &json(&reply)["error"];
        assert_eq!(reply.status, 402, "{payment_method}");
        assert_eq!(error["type"], "card_error");
        assert_eq!((&error["code"], &error["decline_code"]), (&code.into(), &decline_code.into()));
        assert_eq!(error["charge"], "ch_000001");
        let intent = &error["payment_intent"];
        assert_eq!(intent["status"], "requires_payment_method");
        assert_eq!(intent["payment_method"], Value::Null);
        assert_eq!(intent["last_payment_error"]["decline_code"], decline_code);
        assert_eq!(intent["last_payment_error"]["payment_method"]["id"], payment_method);
        assert_eq!(intent["latest_charge"], "ch_000001");
        assert_eq!(intent["amount_received"], 0);
    }
}

#[test]
fn a_card_that_needs_authentication_asks_for_it_on_session() {
    let mut sim = sim();
    let body = "amount=2000&currency=usd&confirm=true&payment_method=pm_card_authenticationRequired";
    let reply = sim.handle(NOW, &post(INTENTS, body, "k"), Fault::None);
    let intent = json(&reply);
    assert_eq!((reply.status, &intent["status"]), (200, &"requires_action".into()));
    assert_eq!(intent["next_action"]["type"], "use_stripe_sdk");
    sim.customer_pays(NOW, "pi_000001").expect("payable");
    assert_eq!(sim.intents()[0].status(), Status::Succeeded);
}

#[test]
fn an_action_is_required_with_200_off_session_unless_the_request_forbids_it() {
    let mut sim = sim();
    let reply = create(&mut sim, "p/charge/1", "pm_sim_requires_action");
    assert_eq!((reply.status, &json(&reply)["status"]), (200, &"requires_action".into()));
    let body = "amount=2000&currency=usd&confirm=true&payment_method=pm_sim_requires_action\
                &error_on_requires_action=true";
    assert_eq!(sim.handle(NOW, &post(INTENTS, body, "k"), Fault::None).status, 402);
}

#[test]
fn a_processing_payment_settles_either_way_with_its_own_charge() {
    for succeed in [true, false] {
        let mut sim = sim();
        let intent = json(&create(&mut sim, "p/charge/1", "pm_sim_processing"));
        assert_eq!(
            (&intent["status"], &intent["latest_charge"]),
            (&"processing".into(), &"ch_000001".into())
        );
        sim.settle_processing(NOW, "pi_000001", succeed).expect("processing");
        let state = sim.intents()[0].state();
        let settled = if succeed { Status::Succeeded } else { Status::RequiresPaymentMethod };
        assert_eq!(state.status, settled);
        assert_eq!(state.latest_charge.as_deref(), Some("ch_000001"));
        assert_eq!(state.last_error.is_some(), !succeed);
        assert!(sim.settle_processing(NOW, "pi_000001", true).is_err());
    }
}

#[test]
fn an_outcome_can_be_set_for_a_payment_method() {
    let mut sim = sim();
    sim.settings.outcomes.insert("pm_mine".to_owned(), Outcome::Decline(Decline::StolenCard));
    assert_eq!(create(&mut sim, "p/charge/1", "pm_mine").status, 402);
    sim.settings.outcomes.clear();
    assert_eq!(create(&mut sim, "p/charge/2", "pm_mine").status, 200);
}

#[test]
fn a_manual_capture_authorizes_without_taking_money() {
    let mut sim = sim();
    let body = "amount=2000&currency=usd&confirm=true&payment_method=pm_card_visa&capture_method=manual";
    let intent = json(&sim.handle(NOW, &post(INTENTS, body, "k"), Fault::None));
    assert_eq!(intent["status"], "requires_capture");
    assert_eq!((&intent["amount_capturable"], &intent["amount_received"]), (&2000.into(), &0.into()));
    assert_eq!(sim.effects().sum().intents_succeeded, 0);
}
