//! Events: H3 of the field cases, the three payload formats, and whose request it is.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde_json::{Value, json};

use crate::bench::{Bench, payment, posted, request};

const SAMPLES: [(&str, &str); 3] = [
    ("HTTP API", include_str!("../../../../events/intake-http-api.json")),
    ("REST API", include_str!("../../../../events/intake-rest-api.json")),
    ("function URL", include_str!("../../../../events/intake-function-url.json")),
];

#[tokio::test]
async fn the_three_payload_formats_are_one_request() {
    let mut replies = Vec::new();
    for (name, sample) in SAMPLES {
        let bench = Bench::new();
        let reply = bench.handle(&serde_json::from_str(sample).unwrap()).await;
        assert_eq!(reply.status, 202, "{name}: {}", reply.body);
        replies.push(reply);
        assert_eq!(bench.commands().len(), 1);
    }
    assert!(replies.iter().all(|reply| *reply == replies[0]), "{replies:#?}");
}

// H3.
#[tokio::test]
async fn h3_null_or_absent_headers_and_bodies_are_a_defined_error_in_every_format() {
    let bench = Bench::new();
    for (name, sample) in SAMPLES {
        for field in [
            "headers",
            "multiValueHeaders",
            "body",
            "isBase64Encoded",
            "queryStringParameters",
            "pathParameters",
        ] {
            for absent in [true, false] {
                let mut event: Value = serde_json::from_str(sample).unwrap();
                let fields = event.as_object_mut().unwrap();
                if absent {
                    fields.remove(field);
                } else {
                    fields.insert(field.to_owned(), Value::Null);
                }
                if field == "headers" {
                    fields.remove("multiValueHeaders");
                }
                let status = bench.handle(&event).await.status;
                assert!(matches!(status, 202 | 400), "{name} without {field}: {status}");
            }
        }
    }
    let bare = json!({ "requestContext": { "http": { "method": "POST" } } });
    assert_eq!(bench.handle(&bare).await.status, 404);
    let bare =
        json!({ "httpMethod": "POST", "path": "/v1/payments", "requestContext": null, "headers": null });
    assert_eq!(bench.handle(&bare).await.status, 401);
}

#[tokio::test]
async fn an_event_that_is_no_http_request_is_an_error_and_no_reply() {
    let bench = Bench::new();
    let intake = intake::Intake {
        table: &bench.table,
        queue: &bench.sent,
        clock: &bench.clock,
        rules: effect::Rules::production(),
    };
    for event in [json!(null), json!({}), json!([]), json!({ "Records": [] }), json!({ "httpMethod": 5 })] {
        assert!(intake.handle(&event, crate::bench::NOW).await.is_err(), "{event}");
    }
}

#[tokio::test]
async fn a_base64_body_is_the_body_and_what_is_none_is_400() {
    let bench = Bench::new();
    let mut event = posted("/v1/payments", "k-1", &BASE64_STANDARD.encode(payment("o-1").to_string()));
    event["isBase64Encoded"] = json!(true);
    let reply = bench.handle(&event).await;
    assert_eq!(reply.status, 202, "{}", reply.body);
    let plain = bench.post("/v1/payments", "k-1", &payment("o-1")).await;
    assert_eq!((plain.status, plain.body), (202, reply.body));
    for (body, status) in [
        ("%%%".to_owned(), 400),
        (BASE64_STANDARD.encode([0xff, 0xfe, 0x00]), 400),
        (BASE64_STANDARD.encode(vec![b' '; 16 * 1024 + 1]), 413),
        ("A".repeat(30_000), 413),
    ] {
        event["body"] = json!(body);
        assert_eq!(bench.handle(&event).await.status, status);
    }
}

#[tokio::test]
async fn a_stage_in_front_of_the_path_is_no_part_of_it() {
    let bench = Bench::new();
    let mut event = posted("/prod/v1/payments", "k-1", &payment("o-1").to_string());
    assert_eq!(bench.handle(&event).await.status, 404);
    event["requestContext"]["stage"] = json!("prod");
    event["rawPath"] = json!("/prod/v1/payments");
    let answer = bench.handle(&event).await;
    assert_eq!(answer.status, 202, "{}", answer.body);
    // A REST API keeps its stage out of the path by itself.
    let mut rest: Value = serde_json::from_str(SAMPLES[1].1).unwrap();
    rest["requestContext"]["stage"] = json!("v1");
    assert_eq!(bench.handle(&rest).await.status, 202);
}

#[tokio::test]
async fn without_a_tenant_nothing_is_done_whatever_the_body_or_a_header_says() {
    let bench = Bench::new();
    let mut event = posted("/v1/payments", "k-1", &payment("o-1").to_string());
    event["headers"]["x-tenant"] = json!("shop");
    event["requestContext"]["authorizer"] = json!(null);
    let reply = bench.handle(&event).await;
    assert_eq!((reply.status, &reply.json()["code"]), (401, &json!("no_tenant")));
    bench.assert_untouched();
}

#[tokio::test]
async fn somebody_elses_payment_looks_as_if_there_were_none_byte_for_byte() {
    let bench = Bench::new();
    let id = bench.created("o-1").await;
    let unknown = "pay_00000000000000000000000000000000";
    let at = |path: &str, id: &str| path.replace("{id}", id);
    let read = |id: &str| request("GET", &at("/v1/payments/{id}", id), "stall");
    let as_stall = |path: &str| {
        let mut event = posted(path, "k-1", "{}");
        event["requestContext"] = request("POST", path, "stall")["requestContext"].clone();
        event
    };
    assert_eq!(bench.handle(&read(id.as_str())).await, bench.handle(&read(unknown)).await);
    assert_eq!(bench.handle(&read(id.as_str())).await, bench.handle(&read("no id at all")).await);
    for path in ["/v1/payments/{id}/capture", "/v1/payments/{id}/cancel", "/v1/payments/{id}/refunds"] {
        let theirs = bench.handle(&as_stall(&at(path, id.as_str()))).await;
        let nobodys = bench.handle(&as_stall(&at(path, unknown))).await;
        assert_eq!((theirs.status, &theirs), (404, &nobodys));
    }
    assert_eq!(bench.record(&id).payment.operations.len(), 1);
    assert_eq!(bench.table.keys.borrow().len(), 1);
}

#[tokio::test]
async fn another_path_is_404_another_method_405_with_allow_and_every_problem_is_explained() {
    let bench = Bench::new();
    assert_eq!(bench.handle(&request("GET", "/v1/nothing", "shop")).await.json()["code"], "no_such_path");
    let reply = bench.handle(&request("DELETE", "/v1/payments", "shop")).await;
    assert_eq!((reply.status, reply.header("allow")), (405, Some("POST")));
    for kind in intake::ProblemKind::ALL {
        let mut event = request("GET", &format!("/problems/{}", kind.name()), "shop");
        event["requestContext"]["authorizer"] = json!(null);
        let reply = bench.handle(&event).await;
        assert_eq!(reply.status, 200, "anybody may read what {} means", kind.name());
        assert!(reply.body.contains(kind.title()) && reply.body.contains(&kind.status().to_string()));
    }
    assert_eq!(bench.handle(&request("GET", "/problems/none", "shop")).await.status, 404);
}
