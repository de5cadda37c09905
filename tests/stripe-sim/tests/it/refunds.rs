//! Refunds: their shape, their cap, and how they are looked up.

use serde_json::Value;
use stripe_sim::{Fault, Request};

use crate::setup::{
    HOUR, INTENTS, KEY, NOW, REFUNDS, act, authorize, create, error_code, error_type, get, ids, json, post,
    refund, refund_request, sim,
};

#[test]
fn a_refund_of_all_that_was_paid_has_stripes_shape() {
    let mut sim = sim();
    create(&mut sim, "p/charge/1", "pm_card_visa");
    let reply = sim.handle(NOW, &refund_request("p/refund/1", "&reason=requested_by_customer"), Fault::None);
    let refund = json(&reply);
    assert_eq!(reply.status, 200);
    for (field, value) in [
        ("id", Value::from("re_000001")),
        ("object", "refund".into()),
        ("amount", 2000.into()),
        ("charge", "ch_000001".into()),
        ("created", (NOW / 1000).into()),
        ("currency", "usd".into()),
        ("payment_intent", "pi_000001".into()),
        ("reason", "requested_by_customer".into()),
        ("status", "succeeded".into()),
        ("receipt_number", Value::Null),
    ] {
        assert_eq!(refund[field], value, "{field}");
    }
    assert_eq!(refund["metadata"]["operation_id"], "p/refund/1");
    assert!(refund.get("failure_reason").is_none() && refund.get("pending_reason").is_none());
    let intent = get(&mut sim, NOW, &format!("{INTENTS}/pi_000001"), "");
    assert_eq!((&intent["status"], &intent["amount_received"]), (&"succeeded".into(), &2000.into()));
}

#[test]
fn partial_refunds_add_up_to_what_was_paid_and_no_further() {
    let mut sim = sim();
    create(&mut sim, "p/charge/1", "pm_card_visa");
    assert_eq!(refund(&mut sim, "p/refund/1", 700).status, 200);
    assert_eq!(refund(&mut sim, "p/refund/2", 700).status, 200);
    let over = refund(&mut sim, "p/refund/3", 601);
    let error = &json(&over)["error"];
    assert_eq!((over.status, &error["code"], &error["param"]), (400, &Value::Null, &"amount".into()));
    assert_eq!(error["message"], "Refund amount ($6.01) is greater than unrefunded amount on charge ($6.00)");
    let rest = json(&sim.handle(NOW, &refund_request("p/refund/4", ""), Fault::None));
    assert_eq!(rest["amount"], 600);
    let done = refund(&mut sim, "p/refund/5", 1);
    assert_eq!((done.status, error_code(&done).as_str()), (400, "charge_already_refunded"));
    assert_eq!(error_type(&done), "invalid_request_error");
    assert_eq!(sim.amount_refunded("pi_000001"), 2000);
    let count = sim.effects().payment("p");
    assert_eq!((count.refunds, count.amount_refunded, count.amount_paid), (3, 2000, 2000));
    assert_eq!(sim.effects().operation("p/refund/4").amount_refunded, 600);
    assert_eq!(sim.effects().operation("p/charge/1").refunds, 0);
}

#[test]
fn only_what_was_captured_is_refunded() {
    let mut sim = sim();
    authorize(&mut sim, "p/charge/1");
    let early = refund(&mut sim, "p/refund/0", 100);
    assert_eq!(early.status, 400);
    let message = json(&early)["error"]["message"].as_str().expect("a message").to_owned();
    assert!(message.starts_with("This uncaptured Charge"), "{message}");
    act(&mut sim, NOW, "capture", "amount_to_capture=500");
    assert_eq!(refund(&mut sim, "p/refund/1", 501).status, 400);
    assert_eq!(refund(&mut sim, "p/refund/2", 500).status, 200);
}

#[test]
fn an_intent_that_took_no_money_has_nothing_to_refund() {
    for payment_method in ["pm_card_chargeDeclined", "pm_sim_requires_action", "pm_sim_processing"] {
        let mut sim = sim();
        create(&mut sim, "p/charge/1", payment_method);
        let refused = refund(&mut sim, "p/refund/1", 100);
        assert_eq!((refused.status, error_code(&refused).as_str()), (400, ""), "{payment_method}");
        assert!(sim.refunds().is_empty());
    }
    let mut sim = sim();
    let missing = refund(&mut sim, "p/refund/1", 100);
    assert_eq!((missing.status, error_code(&missing).as_str()), (404, "resource_missing"));
    authorize(&mut sim, "p/charge/1");
    act(&mut sim, NOW, "cancel", "");
    assert_eq!(refund(&mut sim, "p/refund/2", 100).status, 400);
}

#[test]
fn each_bad_parameter_is_refused_in_front_of_the_key_layer() {
    let mut sim = sim();
    create(&mut sim, "p/charge/1", "pm_card_visa");
    for (body, code, param) in [
        ("amount=100", "", Value::Null),
        ("payment_intent=pi_000001&amount=0", "parameter_invalid_integer", "amount".into()),
        ("payment_intent=pi_000001&amount=-5", "parameter_invalid_integer", "amount".into()),
        ("payment_intent=pi_000001&amount=1.5", "parameter_invalid_integer", "amount".into()),
        ("payment_intent=pi_000001&reason=regret", "", "reason".into()),
        ("payment_intent=pi_000001&colour=red", "parameter_unknown", "colour".into()),
    ] {
        let refused = sim.handle(NOW, &post(REFUNDS, body, "k"), Fault::None);
        assert_eq!((refused.status, error_code(&refused).as_str()), (400, code), "{body}");
        assert_eq!(json(&refused)["error"]["param"], param, "{body}");
    }
    let good = sim.handle(NOW, &post(REFUNDS, "payment_intent=pi_000001", "k"), Fault::None);
    assert_eq!((good.status, good.is_replayed()), (200, false));
}

#[test]
fn amounts_follow_the_rules_of_their_currency() {
    let mut sim = sim();
    for (currency, amount, refunded, message) in [
        ("jpy", 500, 501, "Refund amount (¥501) is greater than unrefunded amount on charge (¥500)"),
        (
            "kwd",
            5000,
            6000,
            "Refund amount (6.000 KWD) is greater than unrefunded amount on charge (5.000 KWD)",
        ),
        ("kwd", 5000, 1001, "Invalid amount: amounts in kwd must be evenly divisible by 10."),
        ("isk", 50_000, 250, "Invalid amount: amounts in isk must be evenly divisible by 100."),
    ] {
        let body = format!("amount={amount}&currency={currency}&confirm=true&payment_method=pm_1");
        let key = format!("{currency} {refunded}");
        let intent = json(&sim.handle(NOW, &post(INTENTS, &body, &key), Fault::None));
        let id = intent["id"].as_str().expect("an id");
        let over = format!("payment_intent={id}&amount={refunded}");
        let refused = sim.handle(NOW, &post(REFUNDS, &over, &format!("r {key}")), Fault::None);
        assert_eq!(json(&refused)["error"]["message"], message);
        let least = format!("payment_intent={id}&amount=100");
        assert_eq!(sim.handle(NOW, &post(REFUNDS, &least, &format!("l {key}")), Fault::None).status, 200);
    }
    for (body, code) in [
        ("amount=9999999999&currency=jpy", ""),
        ("amount=10000000000&currency=jpy", "amount_too_large"),
        ("amount=100000000&currency=kwd", "amount_too_large"),
        ("amount=1001&currency=kwd", ""),
        ("amount=49&currency=jpy", "amount_too_small"),
    ] {
        let reply = sim.handle(NOW, &post(INTENTS, body, body), Fault::None);
        assert_eq!(error_code(&reply), code, "{body}");
    }
}

#[test]
fn refunds_are_retrieved_and_listed_by_intent_in_pages() {
    let mut sim = sim();
    create(&mut sim, "p/charge/1", "pm_card_visa");
    create(&mut sim, "q/charge/1", "pm_card_visa");
    for number in 1..=3 {
        refund(&mut sim, &format!("p/refund/{number}"), 100);
    }
    let other = "payment_intent=pi_000002&amount=50";
    sim.handle(NOW, &post(REFUNDS, other, "o"), Fault::None);
    assert_eq!(get(&mut sim, NOW, &format!("{REFUNDS}/re_000002"), "")["id"], "re_000002");
    let missing = sim.handle(NOW, &Request::get(&format!("{REFUNDS}/re_000009"), "", KEY), Fault::None);
    assert_eq!((missing.status, error_code(&missing).as_str()), (404, "resource_missing"));
    let mut page = |query: &str| get(&mut sim, NOW, REFUNDS, query);
    let first = page("payment_intent=pi_000001&limit=2");
    assert_eq!((ids(&first), &first["has_more"]), (vec!["re_000003", "re_000002"], &true.into()));
    assert_eq!((&first["object"], &first["url"]), (&"list".into(), &REFUNDS.into()));
    let second = page("payment_intent=pi_000001&limit=2&starting_after=re_000002");
    assert_eq!((ids(&second), &second["has_more"]), (vec!["re_000001"], &false.into()));
    let back = page("payment_intent=pi_000001&limit=1&ending_before=re_000001");
    assert_eq!((ids(&back), &back["has_more"]), (vec!["re_000002"], &true.into()));
    assert_eq!(ids(&page("")).len(), 4);
    assert_eq!(ids(&page("payment_intent=pi_000009")).len(), 0);
    for query in ["limit=0", "colour=red", "starting_after=re_000009"] {
        let refused = sim.handle(NOW, &Request::get(REFUNDS, query, KEY), Fault::None);
        assert_eq!(refused.status, 400, "{query}");
    }
}

#[test]
fn a_list_lies_behind_as_far_as_is_set() {
    let mut sim = sim();
    create(&mut sim, "p/charge/1", "pm_card_visa");
    refund(&mut sim, "p/refund/1", 100);
    sim.settings.list_lag_ms = HOUR;
    assert_eq!(ids(&get(&mut sim, NOW + HOUR - 1, REFUNDS, "")).len(), 0);
    assert_eq!(ids(&get(&mut sim, NOW + HOUR, REFUNDS, "")), ["re_000001"]);
    assert_eq!(get(&mut sim, NOW, &format!("{REFUNDS}/re_000001"), "")["status"], "succeeded");
}
