//! What goes out, byte for byte: a change here changes requests that live keys are waiting for.

use effect::{Look, ProviderKey};
use payment::ports::Request;
use stripe_wire::{API_VERSION, Method, prepare, prepare_look, prepare_send};

use crate::sample::{OPERATION_ID, question};

/// SHA-256 of `prod`, the operation id and `0`, each behind its length as eight big-endian bytes.
const KEY: &str = "66a8919d815e9efeadb2ad77ddb2f8c56e658df1f77548c4f2d97ebb91919729";

fn key() -> ProviderKey {
    ProviderKey::derive("prod", OPERATION_ID, 0)
}

fn create() -> Request {
    Request::CreateIntent {
        amount: 500.try_into().expect("an amount"),
        currency: "jpy".parse().expect("a currency"),
        customer: "cus_1".parse().expect("a customer"),
        payment_method: "pm_card_visa".parse().expect("a method"),
        capture: payment::CaptureMethod::Automatic,
    }
}

#[test]
fn a_create_is_these_bytes_for_ever() {
    let frozen = prepare(&create(), OPERATION_ID, key());
    assert_eq!(frozen.path, "/v1/payment_intents");
    assert_eq!(
        frozen.body,
        "amount=500&currency=jpy&customer=cus_1&payment_method=pm_card_visa&confirm=true&off_session=true\
         &metadata%5Boperation_id%5D=pay_00112233445566778899aabbccddeeff%2Fcharge%2F1"
    );
    assert_eq!((frozen.key.as_str(), frozen.api_version.as_str()), (KEY, "2025-09-30.clover"));
    assert_eq!(prepare(&create(), OPERATION_ID, key()), frozen);
}

#[test]
fn a_confirm_and_a_cancel_are_these_bytes_for_ever() {
    let id = || "pi_1".to_owned();
    let payment_method = "pm_card_visa".parse().expect("a method");
    let confirm = prepare(&Request::ConfirmIntent { id: id(), payment_method }, OPERATION_ID, key());
    assert_eq!(confirm.path, "/v1/payment_intents/pi_1/confirm");
    assert_eq!(confirm.body, "payment_method=pm_card_visa&off_session=true");
    let cancel = prepare(&Request::CancelIntent { id: id() }, OPERATION_ID, key());
    assert_eq!((cancel.path.as_str(), cancel.body.as_str()), ("/v1/payment_intents/pi_1/cancel", ""));
}

#[test]
fn what_is_sent_is_what_was_frozen() {
    let frozen = prepare(&create(), OPERATION_ID, key());
    let request = prepare_send(&frozen);
    assert_eq!(request.method, Method::Post);
    assert_eq!((request.path, request.query.as_str(), request.body), (frozen.path, "", frozen.body));
    assert_eq!(request.idempotency_key.as_deref(), Some(frozen.key.as_str()));
    assert_eq!(request.api_version, frozen.api_version);
}

#[test]
fn questions_are_these_bytes_and_carry_no_key() {
    let asked = |look| prepare_look(&question(look)).expect("a question");
    let by_id = asked(Look::ById);
    assert_eq!((by_id.path.as_str(), by_id.query.as_str()), ("/v1/payment_intents/pi_1", ""));
    assert_eq!(asked(Look::Check("pi_2".to_owned())).path, "/v1/payment_intents/pi_2");
    let list = asked(Look::List);
    assert_eq!(list.path, "/v1/payment_intents");
    assert_eq!(
        list.query,
        "customer=cus_1&created%5Bgte%5D=1800000000&created%5Blte%5D=1800003600&limit=100"
    );
    let search = asked(Look::Search);
    assert_eq!(search.path, "/v1/payment_intents/search");
    assert_eq!(
        search.query,
        "query=metadata%5B%27operation_id%27%5D%3A%27pay_00112233445566778899aabbccddeeff%2Fcharge%2F1%27&limit=100"
    );
    for request in [by_id, list, search] {
        assert_eq!((request.method, request.idempotency_key, request.body.as_str()), (Method::Get, None, ""));
        assert_eq!(request.api_version, API_VERSION);
    }
}

#[test]
fn a_further_page_names_where_the_last_one_ended() {
    let mut list = question(Look::List);
    list.cursor = Some("pi_7".to_owned());
    let query = prepare_look(&list).expect("a question").query;
    assert!(query.ends_with("&starting_after=pi_7"), "{query}");
    let mut search = question(Look::Search);
    search.cursor = Some("a+b&c".to_owned());
    let query = prepare_look(&search).expect("a question").query;
    assert!(query.ends_with("&page=a%2Bb%26c"), "{query}");
}

#[test]
fn nothing_is_asked_by_an_id_that_nobody_knows() {
    let mut unknown = question(Look::ById);
    unknown.id = None;
    assert_eq!(prepare_look(&unknown), None);
}
