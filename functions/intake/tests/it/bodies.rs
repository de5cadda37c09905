//! Bodies: C9 of the field cases, strict JSON, and what is never echoed.

use serde_json::{Value, json};

use crate::bench::{Bench, charge_1, payment, posted};

const PATH: &str = "/v1/payments";

fn with(field: &str, value: &Value) -> Value {
    let mut body = payment("o-1");
    body[field] = value.clone();
    body
}

/// Posts a text that must be refused with 400; returns the problem.
async fn refusal_of(bench: &Bench, text: &str) -> Value {
    let reply = bench.handle(&posted(PATH, "k-1", text)).await;
    assert_eq!(reply.status, 400, "{text}: {}", reply.body);
    assert_eq!(reply.header("content-type"), Some("application/problem+json"));
    reply.json()
}

// C9.
#[tokio::test]
async fn c9_an_amount_is_a_whole_number_that_the_currency_takes_or_names_its_rule() {
    let bench = Bench::new();
    let body = |amount: &str, currency: &str| {
        format!(
            r#"{{"order":"o-1","amount":{amount},"currency":"{currency}","customer":"cus_1","payment_method":"pm_1"}}"#
        )
    };
    for amount in ["19.99", "1e3", "100.0", "\"1000\"", "0", "-1", "-0", "null", "[1]", "{}", "true"] {
        let problem = refusal_of(&bench, &body(amount, "usd")).await;
        assert_eq!(problem["field"], "amount", "{amount}: {problem}");
        assert!(problem["detail"].as_str().unwrap().contains("whole number of minor units"), "{problem}");
    }
    for (amount, currency, rule) in [
        ("9007199254740993", "usd", "999999999999"),
        ("49", "usd", "at least 50"),
        ("100000000", "usd", "at most 99999999"),
        ("123", "isk", "multiple of 100"),
    ] {
        let problem = refusal_of(&bench, &body(amount, currency)).await;
        assert_eq!(problem["field"], "amount");
        assert!(problem["detail"].as_str().unwrap().contains(rule), "{problem}");
    }
    assert_eq!(refusal_of(&bench, &body("500", "xxx")).await["field"], "currency");
    bench.assert_untouched();

    let reply = bench.handle(&posted(PATH, "k-1", &body("500", "JPY"))).await;
    assert_eq!(reply.status, 202, "{}", reply.body);
    let record = serde_json::to_value(bench.record(&reply.payment_id())).unwrap();
    let charge = &record["operations"][charge_1().to_string()];
    assert_eq!((&charge["amount"], &charge["currency"]), (&json!(500), &json!("jpy")));
}

#[tokio::test]
async fn a_wrong_field_is_refused_by_its_name_and_never_by_its_value() {
    let bench = Bench::new();
    let secret = json!("s3cr3t value!");
    for field in ["order", "ref", "amount", "currency", "customer", "payment_method", "capture"] {
        for wrong in
            [secret.clone(), json!(5.5), json!({ "s3cr3t": 1 }), json!(["s3cr3t"]), json!(null), json!(true)]
        {
            let problem = refusal_of(&bench, &with(field, &wrong).to_string()).await;
            assert_eq!(problem["field"], field, "{wrong}");
            assert!(!problem.to_string().contains("s3cr3t"), "{problem}");
        }
        if !["ref", "capture"].contains(&field) {
            let mut body = payment("o-1");
            body.as_object_mut().unwrap().remove(field);
            let problem = refusal_of(&bench, &body.to_string()).await;
            assert!(problem["field"] == field && problem["detail"].as_str().unwrap().contains("missing"));
        }
    }
    bench.assert_untouched();
}

#[tokio::test]
async fn an_unknown_field_is_refused_and_the_tenant_is_one() {
    let bench = Bench::new();
    for field in ["tenant", "amuont", "causation_id", "traceparent", "schema", "type"] {
        let problem = refusal_of(&bench, &with(field, &json!("stall")).to_string()).await;
        assert_eq!(problem["field"], field);
    }
    let problem = refusal_of(&bench, &with("<script>", &json!(1)).to_string()).await;
    assert!(problem.get("field").is_none() && !problem.to_string().contains("script"));
    bench.assert_untouched();
}

#[tokio::test]
async fn what_is_no_json_object_is_refused_with_its_place() {
    let bench = Bench::new();
    for text in
        ["not json s3cr3t", "[]", "null", "5", "\"s3cr3t\"", "{", "{}{}", "{\"order\":s3cr3t}", "", "  "]
    {
        let problem = refusal_of(&bench, text).await;
        assert_eq!(problem["code"], "invalid_body", "{text}");
        assert!(!problem.to_string().contains("s3cr3t"), "{problem}");
    }
    let deep = format!("{}{}", "[".repeat(8_000), "]".repeat(8_000));
    refusal_of(&bench, &deep).await;
    refusal_of(&bench, &format!("{{\"order\":{deep}}}")).await;
    bench.assert_untouched();
}

#[tokio::test]
async fn a_card_number_anywhere_is_refused_and_not_repeated() {
    let bench = Bench::new();
    let mut texts = vec![
        with("order", &json!("4242424242424242")).to_string(),
        with("note", &json!({ "card": ["x", "4242 4242 4242 4242"] })).to_string(),
        with("4242424242424242", &json!(1)).to_string(),
        "4242-4242-4242-4242".to_owned(),
        payment("o-1").to_string().replace("4200", "4242424242424242"),
    ];
    // Not seen in the text itself, and still no name.
    texts.push(payment("o-1").to_string().replace("o-1", r"\u00342424242424242\u00342"));
    for text in texts {
        let problem = refusal_of(&bench, &text).await;
        assert!(!problem.to_string().contains("4242"), "{problem}");
    }
    bench.assert_untouched();
}

#[tokio::test]
async fn a_body_above_16_kib_is_413_and_one_that_is_not_said_to_be_json_is_415() {
    let bench = Bench::new();
    let fits = format!("{}{}", payment("o-1"), " ".repeat(16 * 1024 - payment("o-1").to_string().len()));
    assert_eq!(bench.handle(&posted(PATH, "k-1", &fits)).await.status, 202);
    let reply = bench.handle(&posted(PATH, "k-2", &format!("{fits} "))).await;
    assert_eq!((reply.status, &reply.json()["code"]), (413, &json!("body_too_large")));

    for content_type in ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""] {
        let mut event = posted(PATH, "k-3", &payment("o-3").to_string());
        event["headers"]["content-type"] = json!(content_type);
        assert_eq!(bench.handle(&event).await.status, 415, "{content_type}");
    }
    let mut event = posted(PATH, "k-3", &payment("o-3").to_string());
    event["headers"]["content-type"] = json!("Application/JSON; charset=utf-8");
    assert_eq!(bench.handle(&event).await.status, 202);
    event["headers"].as_object_mut().unwrap().remove("content-type");
    assert_eq!(bench.handle(&event).await.status, 415);
}
