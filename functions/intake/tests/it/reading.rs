//! Reading a payment: at once, or once it has come to rest.

use effect::Standing;
use payment::PaymentId;
use serde_json::json;

use crate::bench::{Bench, NOW, Reply, charge_1, request};

async fn read(bench: &Bench, id: &PaymentId, prefer: &str) -> Reply {
    let mut event = request("GET", &format!("/v1/payments/{id}"), "shop");
    event["headers"]["Prefer"] = json!(prefer);
    bench.handle(&event).await
}

#[tokio::test]
async fn a_payment_is_read_as_it_stands() {
    let bench = Bench::new();
    let id = bench.created("o-1").await;
    let reply = bench.get(&format!("/v1/payments/{id}")).await;
    assert_eq!((reply.status, reply.header("preference-applied")), (200, None));
    assert_eq!(reply.json()["operations"][0]["operation"], "charge/1");
    assert_eq!(reply.json().get("accepted"), None);
    assert_eq!(bench.clock.0.get(), NOW);
}

#[tokio::test]
async fn with_a_wait_it_is_answered_when_time_is_over_and_no_later() {
    let bench = Bench::new();
    let id = bench.created("o-1").await;
    for (prefer, applied) in
        [("wait=3", 3), ("respond-async, Wait = \"2\" ; x", 2), ("wait=600", 25), ("wait=0", 0)]
    {
        let start = bench.clock.0.get();
        let reply = read(&bench, &id, prefer).await;
        assert_eq!(reply.status, 200);
        assert_eq!(reply.header("preference-applied"), Some(format!("wait={applied}").as_str()), "{prefer}");
        assert_eq!(bench.clock.0.get().since_ms(start), applied * 1_000, "{prefer}");
    }
    for ignored in ["wait=-1", "wait=", "wait=soon", "wait", "handling=strict", ""] {
        let start = bench.clock.0.get();
        let reply = read(&bench, &id, ignored).await;
        assert_eq!((reply.status, reply.header("preference-applied")), (200, None), "{ignored}");
        assert_eq!(bench.clock.0.get(), start);
    }
}

#[tokio::test]
async fn what_has_come_to_rest_is_answered_at_once() {
    let bench = Bench::new();
    for (order, standing) in
        [("a", Standing::Succeeded), ("b", Standing::Canceled), ("c", Standing::Authorized)]
    {
        let id = bench.created(order).await;
        bench.change(&id, |payment| {
            payment.operations.get_mut(&charge_1()).unwrap().attempt.standing = standing;
        });
        let start = bench.clock.0.get();
        assert_eq!(read(&bench, &id, "wait=10").await.header("preference-applied"), Some("wait=10"));
        assert_eq!(bench.clock.0.get(), start, "{standing:?}");
    }
    let id = bench.created("review").await;
    bench.change(&id, |payment| {
        let charge = payment.operations.get_mut(&charge_1()).unwrap();
        charge.attempt.standing = Standing::Unknown;
        charge.attempt.review = Some(effect::ReviewReason::WindowOver);
    });
    let reply = read(&bench, &id, "wait=10").await;
    assert_eq!(reply.json()["needs_review"], true);
    assert_eq!(reply.json()["operations"][0]["review"], "window_over");
}

#[tokio::test]
async fn nobody_waits_for_a_payment_that_is_not_there() {
    let bench = Bench::new();
    let id = PaymentId::of(&"shop".parse().unwrap(), &"o-1".parse().unwrap());
    assert_eq!(read(&bench, &id, "wait=10").await.status, 404);
    assert_eq!(bench.clock.0.get(), NOW);
}
