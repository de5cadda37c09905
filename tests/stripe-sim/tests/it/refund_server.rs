//! Captures and refunds over sockets: the network's faults, the counts and the control API.

use serde_json::{Value, json};

use crate::client::{Seen, Server};
use crate::setup::{INTENTS, REFUNDS, charge};

fn refund(server: &Server, operation_id: &str, amount: i64) -> std::io::Result<Seen> {
    let body = format!("payment_intent=pi_000001&amount={amount}&metadata%5Boperation_id%5D={operation_id}");
    server.send("POST", REFUNDS, operation_id, &body)
}

fn authorize(server: &Server) {
    let body = format!("{}&capture_method=manual", charge("p/charge/1", "pm_card_visa"));
    assert_eq!(server.send("POST", INTENTS, "p/charge/1", &body).expect("a reply").status, 200);
}

#[test]
fn a_refund_whose_reply_is_lost_is_made_once() {
    let server = Server::start();
    server.charge("p/charge/1").expect("a reply");
    server.script(json!([{ "fault": "lose_reply_after_effect", "operation_id": "p/refund/1" }]));
    assert!(refund(&server, "p/refund/1", 700).is_err());
    let again = refund(&server, "p/refund/1", 700).expect("a reply");
    assert_eq!((again.status, again.is_replayed()), (200, true));
    let counts = server.counts();
    let operation = &counts["operations"]["p/refund/1"];
    assert_eq!((&operation["refunds"], &operation["amount_refunded"]), (&1.into(), &700.into()));
    let payment = &counts["payments"]["p"];
    assert_eq!((&payment["amount_refunded"], &payment["refunded_on_intents"]), (&700.into(), &700.into()));
    assert_eq!(counts["totals"]["requests"]["POST refund"], 2);
}

#[test]
fn a_capture_whose_reply_is_lost_is_made_once() {
    let server = Server::start();
    authorize(&server);
    server.script(json!([{ "fault": "lose_reply_after_effect", "path_prefix": format!("{INTENTS}/pi_000001/capture") }]));
    let capture =
        || server.send("POST", &format!("{INTENTS}/pi_000001/capture"), "c", "amount_to_capture=700");
    assert!(capture().is_err());
    assert!(capture().expect("a reply").is_replayed());
    let payment = &server.counts()["payments"]["p"];
    for (field, value) in [("captures", 1), ("amount_captured", 700), ("amount_paid", 700), ("cancels", 0)] {
        assert_eq!(payment[field], value, "{field}");
    }
}

#[test]
fn each_fault_finds_the_refund_that_its_operation_id_names() {
    let server = Server::start();
    server.charge("p/charge/1").expect("a reply");
    let kinds = ["rate_limit", "lock_timeout", "unavailable_503", "error_500_after"];
    server.script(kinds.iter().map(|kind| json!({ "fault": kind, "operation_id": "p/refund/1" })).collect());
    assert_eq!(refund(&server, "p/refund/2", 100).expect("a reply").status, 200);
    let seen: Vec<_> = (0..5).map(|_| refund(&server, "p/refund/1", 700).expect("a reply").status).collect();
    assert_eq!(seen, [429, 429, 503, 500, 500]);
    assert_eq!(server.counts()["operations"]["p/refund/1"]["refunds"], 1);
    server.script(json!([
        { "fault": "reset_before", "operation_id": "p/refund/2" },
        { "fault": "hostile_body", "hostile": "html", "operation_id": "p/charge" }
    ]));
    assert!(server.send("GET", &format!("{REFUNDS}/re_000001"), "", "").is_err());
    let list = server.send("GET", &format!("{REFUNDS}?payment_intent=pi_000001"), "", "").expect("a reply");
    assert!(serde_json::from_slice::<Value>(&list.body).is_err());
    assert_eq!(server.control("GET", "/faults", &Value::Null)["scripted_left"], 0);
}

#[test]
fn refunds_settle_over_the_control_api() {
    let server = Server::start();
    server.control("PUT", "/settings", &json!({ "refund_outcomes": { "pm_card_visa": "pend" } }));
    server.charge("p/charge/1").expect("a reply");
    assert_eq!(refund(&server, "p/refund/1", 700).expect("a reply").json()["status"], "pending");
    let failed = server.control("POST", "/refunds/re_000001/settle", &json!({ "status": "failed" }));
    assert_eq!((&failed["status"], &failed["statuses"]), (&"failed".into(), &json!(["pending", "failed"])));
    for (path, status, expected) in [
        ("/_sim/refunds/re_000001/settle", "succeeded", 409),
        ("/_sim/refunds/re_000009/settle", "succeeded", 404),
        ("/_sim/refunds/re_000001/settle", "lost", 400),
    ] {
        let body = json!({ "status": status }).to_string();
        assert_eq!(server.send("POST", path, "", &body).expect("a reply").status, expected, "{status}");
    }
    let refunds = server.control("GET", "/refunds", &Value::Null);
    assert_eq!(refunds["refunds"][0]["operation_id"], "p/refund/1");
    let sum = &server.counts()["sum"];
    assert_eq!(
        (&sum["refunds"], &sum["refunds_failed"], &sum["amount_refunded"]),
        (&1.into(), &1.into(), &0.into())
    );
}

#[test]
fn time_settles_refunds_and_ends_authorizations_as_set() {
    let server = Server::start();
    let hour = 3_600_000;
    server.control("PUT", "/settings", &json!({ "refund_delay_ms": hour, "authorization_life_ms": hour }));
    authorize(&server);
    let held = server.control("GET", "/intents", &Value::Null)["intents"][0].clone();
    assert_eq!((&held["amount_capturable"], &held["capture_method"]), (&2000.into(), &"manual".into()));
    assert!(held["authorization_expires_ms"].is_number());
    let paid = charge("q/charge/1", "pm_card_refundFail");
    server.send("POST", INTENTS, "q", &paid).expect("a reply");
    server.send("POST", REFUNDS, "r", "payment_intent=pi_000002&amount=500").expect("a reply");
    server.control("POST", "/clock", &json!({ "advance_ms": hour }));
    let ended = server.control("GET", "/intents", &Value::Null)["intents"][0].clone();
    assert_eq!((&ended["status"], &ended["cancellation_reason"]), (&"canceled".into(), &"automatic".into()));
    assert_eq!(server.control("GET", "/refunds", &Value::Null)["refunds"][0]["status"], "failed");
    let counts = server.counts();
    assert_eq!(counts["operations"]["p/charge/1"]["intents_expired"], 1);
    assert_eq!(counts["payments"]["q"]["refunded_on_intents"], 0);
}
