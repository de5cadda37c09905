//! The server: what a client sees of each fault, and what was counted.

use std::io::Write;
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::Server;
use crate::setup::{INTENTS, KEY, charge};

#[test]
fn a_lost_reply_is_a_connection_error_whose_effect_is_counted_and_replayed() {
    let server = Server::start();
    server.script(json!([{ "fault": "lose_reply_after_effect" }]));
    assert!(server.charge("p/charge/1").is_err());
    let counts = server.counts();
    assert_eq!(counts["operations"]["p/charge/1"]["intents_succeeded"], 1);
    assert_eq!(counts["payments"]["p"]["paid_or_payable"], 1);
    assert_eq!(counts["faults"]["lose_reply_after_effect"], 1);
    let again = server.charge("p/charge/1").expect("a reply");
    assert_eq!((again.status, again.is_replayed()), (200, true));
    assert_eq!(server.counts()["sum"]["intents_created"], 1);
}

#[test]
fn a_reset_before_has_no_effect() {
    let server = Server::start();
    server.script(json!([{ "fault": "reset_before" }]));
    assert!(server.charge("p/charge/1").is_err());
    assert_eq!(server.counts()["sum"]["intents_created"], 0);
    assert!(!server.charge("p/charge/1").expect("a reply").is_replayed());
}

#[test]
fn each_scripted_provider_fault_is_injected_once_in_order() {
    let server = Server::start();
    let kinds = ["rate_limit", "lock_timeout", "unavailable_503", "error_500_between"];
    server.script(kinds.iter().map(|kind| json!({ "fault": kind })).collect());
    let seen: Vec<_> = (0..5).map(|_| server.charge("p/charge/1").expect("a reply").status).collect();
    assert_eq!(seen, [429, 429, 503, 500, 500]);
    let counts = server.counts();
    for kind in kinds {
        assert_eq!(counts["faults"][kind], 1, "{kind}");
    }
    assert_eq!(counts["totals"]["replays"], 1);
    let intents = server.control("GET", "/intents", &Value::Null);
    assert_eq!(intents["intents"][0]["status"], "requires_confirmation");
}

#[test]
fn a_scripted_fault_waits_for_the_request_it_names() {
    let server = Server::start();
    server.script(json!([
        { "fault": "error_500_before", "operation_id": "p2", "method": "POST", "path_prefix": INTENTS },
        { "fault": "rate_limit", "path_prefix": "/v1/payment_intents/pi_000001/cancel" }
    ]));
    assert_eq!(server.charge("p1/charge/1").expect("a reply").status, 200);
    assert_eq!(server.charge("p2/charge/1").expect("a reply").status, 500);
    let cancel = format!("{INTENTS}/pi_000001/cancel");
    assert_eq!(server.send("POST", &cancel, "c", "").expect("a reply").status, 429);
    assert_eq!(server.control("GET", "/faults", &Value::Null)["scripted_left"], 0);
}

#[test]
fn a_fault_that_is_added_leaves_those_that_are_scripted_already() {
    let server = Server::start();
    server.script(json!([{ "fault": "rate_limit", "operation_id": "p1" }]));
    let added = json!([{ "fault": "unavailable_503", "operation_id": "p2" }]);
    assert_eq!(server.control("POST", "/faults", &added)["scripted_left"], 2);
    assert_eq!(server.charge("p2/charge/1").expect("a reply").status, 503);
    assert_eq!(server.charge("p1/charge/1").expect("a reply").status, 429);
}

#[test]
fn the_effect_of_a_slow_request_outlives_its_client_and_its_key_is_in_use_meanwhile() {
    let server = Server::start();
    server.script(json!([{ "fault": "none", "delay_ms": 600 }]));
    let mut impatient = TcpStream::connect(&server.address).expect("a connection");
    let body = charge("p/charge/1", "pm_card_visa");
    let length = body.len();
    write!(
        impatient,
        "POST {INTENTS} HTTP/1.1\r\nHost: sim\r\nAuthorization: Bearer {KEY}\r\nIdempotency-Key: p/charge/1\r\n\
         Content-Length: {length}\r\n\r\n{body}"
    )
    .expect("sent");
    while server.counts()["running"] != 1 {
        thread::sleep(Duration::from_millis(5));
    }
    drop(impatient);
    assert_eq!(server.charge("p/charge/1").expect("a reply").status, 409);
    while server.counts()["running"] != 0 {
        thread::sleep(Duration::from_millis(20));
    }
    assert!(server.charge("p/charge/1").expect("a reply").is_replayed());
    assert_eq!(server.counts()["sum"]["intents_succeeded"], 1);
}

#[test]
fn hostile_bodies_keep_their_status_and_effect() {
    let server = Server::start();
    let kinds = ["empty", "html", "truncated", "not_utf8", "wrong_type", "deep", "huge", "cut_off"];
    server.script(kinds.iter().map(|kind| json!({ "fault": "hostile_body", "hostile": kind })).collect());
    for (number, kind) in kinds.iter().enumerate() {
        let seen = server.charge(&format!("p{number}/charge/1")).expect("a head");
        assert_eq!(seen.status, 200, "{kind}");
        let usable = serde_json::from_slice::<Value>(&seen.body).is_ok_and(|body| body["id"].is_string());
        assert!(!usable, "{kind}");
        let promised =
            seen.head.to_ascii_lowercase().contains(&format!("content-length: {}", seen.body.len()));
        assert_eq!(promised, *kind != "cut_off", "{kind}");
    }
    assert_eq!(server.counts()["sum"]["intents_succeeded"], kinds.len());
}

#[test]
fn chance_strikes_the_same_requests_under_the_same_seed() {
    let run = |seed: u64| {
        let server = Server::start();
        let per_mille = json!({ "lose_reply_after_effect": 300, "error_500_after": 200, "rate_limit": 200 });
        server.control("PUT", "/faults", &json!({ "seed": seed, "per_mille": per_mille }));
        let outcomes: Vec<_> = (0..40)
            .map(|number| server.charge(&format!("p{number}/charge/1")).map_or(0, |seen| seen.status))
            .collect();
        outcomes
    };
    let first = run(7);
    assert_eq!(first, run(7));
    assert_ne!(first, run(8));
    for status in [0, 200, 429, 500] {
        assert!(first.contains(&status), "{status} never happened");
    }
}

#[test]
fn the_log_shows_byte_equal_resends() {
    let server = Server::start();
    server.script(json!([{ "fault": "lose_reply_after_effect" }]));
    drop(server.charge("p/charge/1"));
    server.charge("p/charge/1").expect("a reply");
    let log = server.control("GET", "/requests?limit=2", &Value::Null);
    let (first, second) = (&log["requests"][0], &log["requests"][1]);
    assert_eq!(first["body_hex"], second["body_hex"]);
    assert_eq!(first["idempotency_key"], "p/charge/1");
    assert_eq!((&first["fault"], &second["fault"]), (&"lose_reply_after_effect".into(), &"none".into()));
    assert_eq!((&first["replayed"], &second["replayed"]), (&false.into(), &true.into()));
    assert_eq!(first["response_body"], second["response_body"]);
    assert_eq!((&second["operation_id"], &second["status"]), (&"p/charge/1".into(), &200.into()));
}

#[test]
fn age_and_clock_let_a_key_end() {
    let server = Server::start();
    server.charge("p/charge/1").expect("a reply");
    server.control("POST", "/age", &json!({ "ms": 23 * 3_600_000 }));
    assert!(server.charge("p/charge/1").expect("a reply").is_replayed());
    server.control("POST", "/clock", &json!({ "advance_ms": 3_600_000 }));
    assert!(!server.charge("p/charge/1").expect("a reply").is_replayed());
    assert_eq!(server.counts()["sum"]["intents_succeeded"], 2);
}

#[test]
fn one_payment_ages_alone() {
    let server = Server::start();
    for operation in ["p1/charge/1", "p2/charge/1"] {
        server.charge(operation).expect("a reply");
    }
    server.control("POST", "/age", &json!({ "ms": 25 * 3_600_000, "payment_id": "p1" }));
    let intents = server.control("GET", "/intents", &Value::Null);
    let created = |index: usize| intents["intents"][index]["created_ms"].as_i64().expect("a time");
    assert!(created(1) - created(0) >= 25 * 3_600_000);
    assert!(!server.charge("p1/charge/1").expect("a reply").is_replayed());
    assert!(server.charge("p2/charge/1").expect("a reply").is_replayed());
}

#[test]
fn actors_settings_and_reset_work_over_http() {
    let server = Server::start();
    let outcomes = json!({ "pm_card_visa": "process", "pm_sim_x": "insufficient_funds" });
    server.control("PUT", "/settings", &json!({ "outcomes": outcomes, "livemode": true }));
    assert_eq!(server.charge("p/charge/1").expect("a reply").json()["status"], "processing");
    let settled = server.control("POST", "/intents/pi_000001/settle", &json!({ "succeed": false }));
    assert_eq!(settled["status"], "requires_payment_method");
    let paid = server.control("POST", "/intents/pi_000001/pay", &json!({}));
    assert_eq!(paid["status"], "succeeded");
    let again = server.send("POST", "/_sim/intents/pi_000001/pay", "", "{}").expect("a reply");
    assert_eq!(again.status, 409);
    server.control("POST", "/reset", &json!({}));
    assert_eq!(server.counts()["sum"]["intents_created"], 0);
    assert_eq!(server.send("GET", "/_sim/nonsense", "", "").expect("a reply").status, 404);
    assert_eq!(server.control("GET", "/health", &Value::Null)["status"], "ok");
}
