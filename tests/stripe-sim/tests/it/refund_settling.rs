//! What becomes of refunds later: pending ones settle, those that succeeded may come back.

use stripe_sim::{Fault, RefundOutcome, RefundStatus, Refusal, Response, Sim};

use crate::setup::{HOUR, NOW, REFUNDS, create, error_code, get, json, post, refund, sim};

fn refunded(sim: &mut Sim, payment_method: &str) -> Response {
    create(sim, "p/charge/1", payment_method);
    refund(sim, "p/refund/1", 1500)
}

#[test]
fn a_pending_refund_holds_its_amount_until_it_fails_or_is_canceled() {
    for (next, failed, canceled) in [(RefundStatus::Failed, 1, 0), (RefundStatus::Canceled, 0, 1)] {
        let mut sim = sim();
        let pending = json(&refunded(&mut sim, "pm_card_pendingRefund"));
        assert_eq!(pending["status"], "pending");
        assert_eq!(pending["pending_reason"], "processing");
        assert_eq!(refund(&mut sim, "p/refund/2", 501).status, 400);
        sim.settle_refund(NOW + 5, "re_000001", next).expect("pending");
        let ended = get(&mut sim, NOW + 5, &format!("{REFUNDS}/re_000001"), "");
        assert_eq!(ended["status"], next.as_str());
        assert_eq!(ended["failure_reason"] == "expired_or_canceled_card", next == RefundStatus::Failed);
        assert!(ended.get("pending_reason").is_none());
        assert_eq!(refund(&mut sim, "p/refund/3", 2000).status, 200);
        let count = sim.effects().payment("p");
        assert_eq!((count.refunds, count.refunds_failed, count.refunds_canceled), (2, failed, canceled));
        assert_eq!((count.amount_refunded, sim.amount_refunded("pi_000001")), (2000, 2000));
    }
}

#[test]
fn a_refund_that_succeeded_can_only_fail_and_then_gives_its_amount_back_once() {
    let mut sim = sim();
    assert_eq!(json(&refunded(&mut sim, "pm_card_visa"))["status"], "succeeded");
    for next in [RefundStatus::Pending, RefundStatus::Canceled, RefundStatus::Succeeded] {
        let refused = sim.settle_refund(NOW, "re_000001", next);
        assert_eq!(refused, Err(Refusal::RefundStatus(RefundStatus::Succeeded)));
    }
    sim.settle_refund(NOW, "re_000001", RefundStatus::Failed).expect("succeeded before");
    let again = sim.settle_refund(NOW, "re_000001", RefundStatus::Failed);
    assert_eq!(again, Err(Refusal::RefundStatus(RefundStatus::Failed)));
    assert_eq!(sim.settle_refund(NOW, "re_000009", RefundStatus::Failed), Err(Refusal::Missing));
    let statuses: Vec<_> = sim.refunds()[0].history().iter().map(|(_, state)| state.status).collect();
    assert_eq!(statuses, [RefundStatus::Succeeded, RefundStatus::Failed]);
    let count = sim.effects().operation("p/refund/1");
    assert_eq!((count.refunds, count.refunds_failed, count.amount_refunded), (1, 1, 0));
}

#[test]
fn each_magic_payment_method_goes_its_course_as_time_passes() {
    for (payment_method, first, last) in [
        ("pm_card_visa", RefundStatus::Succeeded, RefundStatus::Succeeded),
        ("pm_card_pendingRefund", RefundStatus::Pending, RefundStatus::Succeeded),
        ("pm_card_refundFail", RefundStatus::Succeeded, RefundStatus::Failed),
        ("pm_sim_refund_pending_fails", RefundStatus::Pending, RefundStatus::Failed),
        ("pm_sim_refund_pending_canceled", RefundStatus::Pending, RefundStatus::Canceled),
        ("pm_sim_refund_fails", RefundStatus::Failed, RefundStatus::Failed),
        ("pm_sim_refund_requires_action", RefundStatus::RequiresAction, RefundStatus::RequiresAction),
    ] {
        let mut sim = sim();
        assert_eq!(json(&refunded(&mut sim, payment_method))["status"], first.as_str(), "{payment_method}");
        sim.pass_time(NOW + 100 * HOUR);
        assert_eq!(sim.refunds()[0].status(), first, "no delay is set");
        sim.settings.refund_delay_ms = Some(HOUR);
        sim.pass_time(NOW + HOUR - 1);
        assert_eq!(sim.refunds()[0].status(), first, "{payment_method}");
        sim.pass_time(NOW + 2 * HOUR);
        assert_eq!(sim.refunds()[0].status(), last, "{payment_method}");
        let changed_ms = sim.refunds()[0].history().last().expect("a state").0;
        assert_eq!(changed_ms, if first == last { NOW } else { NOW + HOUR });
        let refunded = if last.holds_money() { 1500 } else { 0 };
        assert_eq!(sim.amount_refunded("pi_000001"), refunded, "{payment_method}");
        assert_eq!(sim.effects().sum().amount_refunded, refunded, "{payment_method}");
    }
}

#[test]
fn what_the_bank_decided_stays_as_time_passes() {
    let mut sim = sim();
    sim.settings.refund_delay_ms = Some(HOUR);
    refunded(&mut sim, "pm_sim_refund_pending_fails");
    sim.settle_refund(NOW, "re_000001", RefundStatus::Succeeded).expect("pending");
    sim.pass_time(NOW + 2 * HOUR);
    assert_eq!(sim.refunds()[0].status(), RefundStatus::Succeeded);
}

#[test]
fn an_outcome_can_be_set_for_the_refunds_of_a_payment_method() {
    let mut sim = sim();
    sim.settings.refund_outcomes.insert("pm_card_visa".to_owned(), RefundOutcome::Pend);
    assert_eq!(json(&refunded(&mut sim, "pm_card_visa"))["status"], "pending");
}

#[test]
fn only_a_refund_that_waits_for_the_customer_can_be_canceled_by_a_request() {
    for (payment_method, status) in [
        ("pm_sim_refund_requires_action", 200),
        ("pm_card_pendingRefund", 400),
        ("pm_card_visa", 400),
        ("pm_sim_refund_fails", 400),
    ] {
        let mut sim = sim();
        refunded(&mut sim, payment_method);
        let reply = sim.handle(NOW, &post(&format!("{REFUNDS}/re_000001/cancel"), "", "c"), Fault::None);
        assert_eq!(reply.status, status, "{payment_method}");
        if status == 200 {
            assert_eq!(json(&reply)["status"], "canceled");
            assert_eq!(sim.amount_refunded("pi_000001"), 0);
        }
    }
    let mut sim = sim();
    let missing = sim.handle(NOW, &post(&format!("{REFUNDS}/re_000001/cancel"), "", "c"), Fault::None);
    assert_eq!((missing.status, error_code(&missing).as_str()), (404, "resource_missing"));
    let unknown = sim.handle(NOW, &post(&format!("{REFUNDS}/re_000001/cancel"), "a=b", "d"), Fault::None);
    assert_eq!(error_code(&unknown), "parameter_unknown");
}
