//! Short hands for the tests.

use serde_json::Value;
use stripe_sim::{Fault, Request, Response, Settings, Sim};

pub(crate) const KEY: &str = "sk_test_sim";
pub(crate) const INTENTS: &str = "/v1/payment_intents";
pub(crate) const REFUNDS: &str = "/v1/refunds";
pub(crate) const HOUR: i64 = 3_600_000;
pub(crate) const NOW: i64 = 1_800_000_000_000;

pub(crate) fn sim() -> Sim {
    Sim::new(Settings { search_lag_ms: 0, ..Settings::default() })
}

/// The body of a confirmed charge of 20.00 USD.
pub(crate) fn charge(operation_id: &str, payment_method: &str) -> String {
    format!(
        "amount=2000&currency=usd&customer=cus_1&confirm=true&off_session=true&payment_method={payment_method}\
         &metadata%5Boperation_id%5D={operation_id}"
    )
}

pub(crate) fn post(path: &str, body: &str, key: &str) -> Request {
    Request::post(path, body, KEY, key)
}

/// Charges at `NOW` under a key equal to the operation id.
pub(crate) fn create(sim: &mut Sim, operation_id: &str, payment_method: &str) -> Response {
    sim.handle(NOW, &post(INTENTS, &charge(operation_id, payment_method), operation_id), Fault::None)
}

/// Authorizes 20.00 USD at `NOW` under a key equal to the operation id.
pub(crate) fn authorize(sim: &mut Sim, operation_id: &str) -> Response {
    let body = format!("{}&capture_method=manual", charge(operation_id, "pm_card_visa"));
    sim.handle(NOW, &post(INTENTS, &body, operation_id), Fault::None)
}

/// Asks at `now_ms` for something of the first intent, under a key equal to what is asked.
pub(crate) fn act(sim: &mut Sim, now_ms: i64, action: &str, body: &str) -> Response {
    let key = format!("{action} {body}");
    sim.handle(now_ms, &post(&format!("{INTENTS}/pi_000001/{action}"), body, &key), Fault::None)
}

/// A refund of the first intent under an operation id, which is its key as well.
pub(crate) fn refund_request(operation_id: &str, rest: &str) -> Request {
    let body = format!("payment_intent=pi_000001&metadata%5Boperation_id%5D={operation_id}{rest}");
    post(REFUNDS, &body, operation_id)
}

/// Refunds an amount of the first intent at `NOW`.
pub(crate) fn refund(sim: &mut Sim, operation_id: &str, amount: i64) -> Response {
    sim.handle(NOW, &refund_request(operation_id, &format!("&amount={amount}")), Fault::None)
}

pub(crate) fn get(sim: &mut Sim, now_ms: i64, path: &str, query: &str) -> Value {
    json(&sim.handle(now_ms, &Request::get(path, query, KEY), Fault::None))
}

pub(crate) fn json(response: &Response) -> Value {
    serde_json::from_slice(&response.body).expect("a JSON body")
}

pub(crate) fn error_code(response: &Response) -> String {
    json(response)["error"]["code"].as_str().unwrap_or_default().to_owned()
}

pub(crate) fn error_type(response: &Response) -> String {
    json(response)["error"]["type"].as_str().unwrap_or_default().to_owned()
}

/// The ids in a page of a list or a search.
pub(crate) fn ids(page: &Value) -> Vec<&str> {
    page["data"].as_array().expect("a page").iter().filter_map(|intent| intent["id"].as_str()).collect()
}
