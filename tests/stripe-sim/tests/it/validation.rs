//! Parameters that are refused before anything executes.

use stripe_sim::{Fault, Method, Request};

use crate::setup::{INTENTS, KEY, NOW, error_code, get, json, post, sim};

#[test]
fn each_bad_parameter_is_named_with_its_code() {
    let charge = "confirm=true&payment_method=pm_card_visa";
    for (body, code, param) in [
        ("currency=usd", "parameter_missing", "amount"),
        ("amount=2000", "parameter_missing", "currency"),
        ("amount=&currency=usd", "parameter_invalid_integer", "amount"),
        ("amount=19.99&currency=usd", "parameter_invalid_integer", "amount"),
        ("amount=1e3&currency=usd", "parameter_invalid_integer", "amount"),
        ("amount=99999999999999999999&currency=usd", "parameter_invalid_integer", "amount"),
        ("amount=0&currency=usd", "parameter_invalid_integer", "amount"),
        ("amount=-1&currency=usd", "parameter_invalid_integer", "amount"),
        ("amount=49&currency=usd", "amount_too_small", "amount"),
        ("amount=100000000&currency=usd", "amount_too_large", "amount"),
        ("amount=2000&currency=xxx", "", "currency"),
        ("amount=2000&currency=usd&colour=red", "parameter_unknown", "colour"),
        ("amount=2000&currency=usd&customer=bob", "resource_missing", "customer"),
        ("amount=2000&currency=usd&payment_method=visa", "resource_missing", "payment_method"),
        ("amount=2000&currency=usd&confirm=yes", "", "confirm"),
        ("amount=2000&currency=usd&confirm=true", "parameter_missing", "payment_method"),
        ("amount=2000&currency=usd&off_session=true", "", "off_session"),
        ("amount=2000&currency=usd&capture_method=never", "", "capture_method"),
    ] {
        let mut sim = sim();
        let reply = sim.handle(NOW, &post(INTENTS, body, "k"), Fault::None);
        assert_eq!((reply.status, error_code(&reply).as_str()), (400, code), "{body}");
        assert_eq!(json(&reply)["error"]["param"], param, "{body}");
        assert_eq!(json(&reply)["error"]["type"], "invalid_request_error");
        assert!(sim.intents().is_empty());
    }
    let reply =
        sim().handle(NOW, &post(INTENTS, &format!("amount=2000&currency=USD&{charge}"), "k"), Fault::None);
    assert_eq!(json(&reply)["currency"], "usd");
}

#[test]
fn an_unknown_url_is_a_404_and_a_bad_list_or_search_a_400() {
    let mut sim = sim();
    let unknown = Request { method: Method::Post, ..Request::get("/v1/charges", "", KEY) };
    assert_eq!(sim.handle(NOW, &unknown, Fault::None).status, 404);
    for (path, query) in [
        (INTENTS, "limit=0"),
        (INTENTS, "limit=101"),
        (INTENTS, "colour=red"),
        (INTENTS, "starting_after=pi_000009"),
        ("/v1/payment_intents/search", ""),
        ("/v1/payment_intents/search", "query=colour:'red'"),
        ("/v1/payment_intents/search", "query=status:'open"),
        ("/v1/payment_intents/search", "query=status:'a'%20OR%20status:'b'"),
    ] {
        let reply = sim.handle(NOW, &Request::get(path, query, KEY), Fault::None);
        assert_eq!(reply.status, 400, "{path}?{query}");
    }
}

#[test]
fn the_account_tells_its_id() {
    assert_eq!(get(&mut sim(), NOW, "/v1/account", "")["id"], "acct_sim");
}
