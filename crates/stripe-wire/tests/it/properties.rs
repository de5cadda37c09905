//! Properties of the reading of replies, over hostile ones drawn at random from a fixed seed.

use effect::{Look, ProviderKey};
use payment::ports::{Answer, Request};
use proptest::{prelude::*, test_runner::RngSeed};
use serde_json::{Value, json};
use stripe_wire::{HttpReply, classify, classify_look, prepare};

use crate::sample::{OPERATION_ID, expected, question};

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 2_000,
        rng_seed: RngSeed::Fixed(20_270_101),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

fn looks() -> impl Strategy<Value = Look> {
    prop::sample::select(vec![Look::ById, Look::List, Look::Search, Look::Check("pi_1".to_owned())])
}

fn statuses() -> impl Strategy<Value = u16> {
    prop_oneof![Just(200), Just(400), Just(402), Just(409), Just(500), any::<u16>()]
}

fn reply(status: u16, flags: (bool, Option<bool>), body: Vec<u8>) -> HttpReply {
    HttpReply { status, replayed: flags.0, should_retry: flags.1, body }
}

/// An intent each of whose fields is ours, somebody else's, missing or of a wrong type.
fn intents() -> impl Strategy<Value = Value> {
    let ours_or =
        |ours: Value, others: Vec<Value>| prop_oneof![3 => Just(ours), 1 => prop::sample::select(others)];
    let operation_id = ours_or(
        json!(OPERATION_ID),
        vec![json!("pay_00112233445566778899aabbccddeeff/charge/2"), json!(""), json!(null), json!(1)],
    );
    let amount =
        ours_or(json!(500), vec![json!(501), json!(5), json!("500"), json!(500.5), json!(-500), json!(null)]);
    let currency = ours_or(json!("jpy"), vec![json!("usd"), json!(""), json!(null), json!(392)]);
    let id =
        ours_or(json!("pi_1"), vec![json!(""), json!("../../account"), json!("pi 1"), json!(null), json!(7)]);
    let status = prop::sample::select(vec![
        json!("succeeded"),
        json!("canceled"),
        json!("requires_payment_method"),
        json!("processing"),
        json!("?"),
        json!(null),
    ]);
    let error = prop::sample::select(vec![
        json!(null),
        json!({}),
        json!({ "code": "card_declined" }),
        json!({ "code": null, "decline_code": "LOST card" }),
        json!("declined"),
    ]);
    (operation_id, amount, currency, id, status, error).prop_map(
        |(operation_id, amount, currency, id, status, error)| {
            json!({ "id": id, "status": status, "amount": amount, "currency": currency,
                "metadata": { "operation_id": operation_id }, "last_payment_error": error })
        },
    )
}

fn is_ours(intent: &Value) -> bool {
    intent["metadata"]["operation_id"] == OPERATION_ID
        && intent["amount"] == 500
        && intent["currency"] == "jpy"
        && intent["id"] == "pi_1"
}

fn assert_no_fact_but_of_ours(answer: &Answer, intent: &Value) -> Result<(), TestCaseError> {
    if !is_ours(intent) {
        prop_assert!(answer.facts.is_empty(), "{:?} from {}", answer, intent);
    }
    for fact in &answer.facts {
        prop_assert_eq!(fact.id.as_str(), "pi_1");
    }
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn no_bytes_make_the_reading_panic_or_state_a_fact(
        status in statuses(), flags in any::<(bool, Option<bool>)>(), body in any::<Vec<u8>>(), look in looks()
    ) {
        let reply = Ok(reply(status, flags, body));
        let (sent, looked_up) = (classify(&reply, &expected()), classify_look(&reply, &question(look)));
        prop_assert!(sent.facts.is_empty() && looked_up.facts.is_empty());
        prop_assert!(sent.note.is_some() && looked_up.note.is_some(), "every reply means something");
    }

    #[test]
    fn an_object_that_is_not_ours_in_every_respect_is_never_a_fact(
        status in statuses(), flags in any::<(bool, Option<bool>)>(), intent in intents(), look in looks()
    ) {
        let bare = Ok(reply(status, flags, intent.to_string().into_bytes()));
        assert_no_fact_but_of_ours(&classify(&bare, &expected()), &intent)?;
        assert_no_fact_but_of_ours(&classify_look(&bare, &question(look)), &intent)?;
    }

    #[test]
    fn nor_is_one_inside_an_error_or_a_list(
        status in statuses(), flags in any::<(bool, Option<bool>)>(), intent in intents(), look in looks(),
        kind in "[a-z_]{0,20}", code in prop::sample::select(vec!["card_declined", "payment_intent_unexpected_state", ""])
    ) {
        let error = json!({ "error": { "type": kind, "code": code, "payment_intent": intent } });
        let in_an_error = Ok(reply(status, flags, error.to_string().into_bytes()));
        assert_no_fact_but_of_ours(&classify(&in_an_error, &expected()), &intent)?;
        let page = json!({ "data": [intent], "has_more": flags.0 });
        let in_a_list = Ok(reply(status, flags, page.to_string().into_bytes()));
        prop_assert!(classify(&in_a_list, &expected()).facts.is_empty());
        prop_assert!(classify_look(&in_a_list, &question(look)).facts.is_empty(), "a hit must be fetched first");
    }

    #[test]
    fn a_body_cut_off_anywhere_states_no_fact(intent in intents(), cut in 0.0..1.0_f64) {
        let whole = intent.to_string().into_bytes();
        let length = (whole.len() as f64 * cut) as usize;
        let reply = Ok(reply(200, (false, None), whole[..length].to_vec()));
        prop_assert!(classify(&reply, &expected()).facts.is_empty());
    }

    #[test]
    fn the_same_request_is_the_same_bytes(
        minor in 1..=payment::MAX_AMOUNT_MINOR, currency in "[a-z]{3}", n in 0..1_000_u32, generation in 0..3_u32
    ) {
        let request = || Request::CreateIntent {
            amount: minor.try_into().expect("an amount"),
            currency: currency.parse().expect("a currency"),
            customer: format!("cus_{n}").parse().expect("a customer"),
            payment_method: format!("pm_{n}").parse().expect("a method"),
            capture: payment::CaptureMethod::Automatic,
        };
        let frozen = || prepare(&request(), OPERATION_ID, ProviderKey::derive("prod", OPERATION_ID, generation));
        prop_assert_eq!(frozen(), frozen());
        let start = format!("amount={minor}&currency={currency}&");
        prop_assert!(frozen().body.starts_with(&start), "whole minor units, never a float");
    }
}
