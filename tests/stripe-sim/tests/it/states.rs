//! Confirm and cancel, from every status.

use stripe_sim::{Fault, Refusal, Response, Sim, Status};

use crate::setup::{INTENTS, NOW, create, error_code, json, post, sim};

fn act(sim: &mut Sim, action: &str, body: &str, key: &str) -> Response {
    sim.handle(NOW + 1_500, &post(&format!("{INTENTS}/pi_000001/{action}"), body, key), Fault::None)
}

#[test]
fn a_cancel_works_from_every_open_status() {
    for payment_method in ["pm_card_chargeDeclined", "pm_sim_requires_action", "pm_sim_processing"] {
        let mut sim = sim();
        create(&mut sim, "p/charge/1", payment_method);
        let canceled = json(&act(&mut sim, "cancel", "cancellation_reason=abandoned", "c"));
        assert_eq!(canceled["status"], "canceled", "{payment_method}");
        assert_eq!(canceled["canceled_at"], (NOW + 1_500) / 1000);
        assert_eq!(canceled["cancellation_reason"], "abandoned");
        assert_eq!(sim.customer_pays(NOW, "pi_000001"), Err(Refusal::Status(Status::Canceled)));
    }
    for rest in
        ["", "&payment_method=pm_card_visa", "&payment_method=pm_1&confirm=true&capture_method=manual"]
    {
        let mut sim = sim();
        sim.handle(NOW, &post(INTENTS, &format!("amount=2000&currency=usd{rest}"), "k"), Fault::None);
        assert_eq!(json(&act(&mut sim, "cancel", "", "c"))["status"], "canceled", "{rest}");
    }
}

#[test]
fn a_cancel_of_a_succeeded_or_canceled_intent_is_an_unexpected_state_with_the_intent() {
    for (payment_method, first, status) in
        [("pm_card_visa", None, "succeeded"), ("pm_card_chargeDeclined", Some("c1"), "canceled")]
    {
        let mut sim = sim();
        create(&mut sim, "p/charge/1", payment_method);
        if let Some(key) = first {
            act(&mut sim, "cancel", "", key);
        }
        let refused = act(&mut sim, "cancel", "", "c2");
        assert_eq!(refused.status, 400);
        assert_eq!(error_code(&refused), "payment_intent_unexpected_state");
        assert_eq!(json(&refused)["error"]["payment_intent"]["status"], status);
    }
}

#[test]
fn a_processing_intent_refuses_its_cancel_where_the_setting_says_so() {
    let mut sim = sim();
    sim.settings.cancels_processing = false;
    create(&mut sim, "p/charge/1", "pm_sim_processing");
    assert_eq!(error_code(&act(&mut sim, "cancel", "", "c")), "payment_intent_unexpected_state");
}

#[test]
fn a_confirm_with_a_payment_method_works_after_a_decline() {
    let mut sim = sim();
    create(&mut sim, "p/charge/1", "pm_card_chargeDeclined");
    let bare = act(&mut sim, "confirm", "", "f0");
    assert_eq!(error_code(&bare), "payment_intent_unexpected_state");
    let paid = json(&act(&mut sim, "confirm", "payment_method=pm_card_visa&off_session=true", "f1"));
    assert_eq!((&paid["status"], &paid["last_payment_error"]), (&"succeeded".into(), &().into()));
    assert_eq!(sim.effects().operation("p/charge/1").attempts, 2);
}

#[test]
fn a_confirm_works_from_requires_confirmation_with_another_payment_method() {
    let mut sim = sim();
    let body = "amount=2000&currency=usd&payment_method=pm_card_visa";
    let created = json(&sim.handle(NOW, &post(INTENTS, body, "k"), Fault::None));
    assert_eq!(created["status"], "requires_confirmation");
    let declined = act(&mut sim, "confirm", "payment_method=pm_card_chargeDeclined", "f");
    assert_eq!(declined.status, 402);
}

#[test]
fn a_confirm_of_a_succeeded_canceled_or_processing_intent_is_an_unexpected_state() {
    for (payment_method, cancels) in
        [("pm_card_visa", false), ("pm_card_chargeDeclined", true), ("pm_sim_processing", false)]
    {
        let mut sim = sim();
        create(&mut sim, "p/charge/1", payment_method);
        if cancels {
            act(&mut sim, "cancel", "", "c");
        }
        let refused = act(&mut sim, "confirm", "payment_method=pm_card_visa", "f");
        assert_eq!((refused.status, error_code(&refused).as_str()), (400, "payment_intent_unexpected_state"));
        assert!(json(&refused)["error"]["payment_intent"]["id"] == "pi_000001");
    }
}

#[test]
fn a_missing_intent_is_a_404() {
    let mut sim = sim();
    for id in ["pi_000001", "pi_1", "nonsense", "pi_0000000000000000000000001"] {
        let missing = sim.handle(NOW, &post(&format!("{INTENTS}/{id}/cancel"), "", id), Fault::None);
        assert_eq!((missing.status, error_code(&missing).as_str()), (404, "resource_missing"));
    }
    create(&mut sim, "p/charge/1", "pm_card_visa");
    let other_spelling = sim.handle(NOW, &post(&format!("{INTENTS}/pi_1/cancel"), "", "x"), Fault::None);
    assert_eq!(other_spelling.status, 404);
}
