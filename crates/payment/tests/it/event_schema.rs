//! What is announced is what the published schema of events says, and every field of it is documented.

use std::collections::BTreeSet;

use effect::{Fact, Outcome, ReviewReason, Rules, Standing, Time, minutes};
use payment::{Command, Event, Guard, Payment, Record, accept, announced, plan, seal};
use proptest::prelude::*;
use serde_json::Value;

use crate::schema::Schema;

const NOW: Time = Time(1_900_000_000_123);

fn schema() -> Schema {
    Schema::read(include_str!("../../../../events/schemas/event-1.schema.json"))
}

/// What may happen to the charge between two writes.
#[derive(Debug, Clone)]
enum Happening {
    Ends(Standing, Option<&'static str>),
    IsSeen(Fact),
    NeedsAPerson(ReviewReason),
    ComesAgainWithOtherParameters(u64),
    IsAskedForAgain,
}

fn command(reference: &str, amount: u64) -> Command {
    let body = format!(
        r#"{{"schema":"ikkai.command/1","type":"charge","tenant":"shop","order":"o-1","ref":"{reference}",
        "amount":{amount},"currency":"jpy","customer":"cus_1","payment_method":"pm_card_visa",
        "causation_id":"evt-1"}}"#
    );
    Command::parse(&body).unwrap()
}

fn happen(payment: &Payment, happening: &Happening) -> Payment {
    let mut payment = payment.clone();
    let key = payment.in_order()[0].clone();
    match happening {
        Happening::Ends(standing, code) => {
            payment.operations.get_mut(&key).unwrap().attempt.end(*standing, *code);
        }
        Happening::IsSeen(fact) => payment.absorb(&key, fact),
        Happening::NeedsAPerson(reason) => {
            payment.operations.get_mut(&key).unwrap().attempt.require_review(*reason);
        }
        Happening::ComesAgainWithOtherParameters(amount) => {
            payment = accept(Some(&payment), &command("1", *amount), NOW).unwrap();
        }
        Happening::IsAskedForAgain => payment = accept(Some(&payment), &command("2", 500), NOW).unwrap(),
    }
    payment
}

/// Writes the record after each happening; returns every event announced.
fn events_of(happenings: &[Happening]) -> Vec<Event> {
    let rules = Rules::production();
    let mut record: Option<Record> = None;
    let mut payment = accept(None, &command("1", 500), NOW).unwrap();
    let mut events = Vec::new();
    for happening in happenings {
        payment = plan(happen(&payment, happening), NOW, &rules);
        let next = seal(payment.clone(), record.as_ref(), None, Guard::Due, NOW.plus_ms(minutes(1)), &rules);
        events.extend(announced(&next));
        payment = next.payment.clone();
        record = Some(next);
    }
    events
}

fn happenings() -> impl Strategy<Value = Happening> {
    let outcome = prop_oneof![
        Just(None),
        Just(Some(Outcome::Succeeded)),
        Just(Some(Outcome::Canceled)),
        Just(Some(Outcome::Declined("card_declined".to_owned()))),
    ];
    prop_oneof![
        Just(Happening::Ends(Standing::Refused, Some("parameter_invalid"))),
        Just(Happening::Ends(Standing::Failed, None)),
        ("pi_[ab]", outcome).prop_map(|(id, outcome)| Happening::IsSeen(Fact { id, outcome })),
        prop_oneof![
            Just(ReviewReason::WindowOver),
            Just(ReviewReason::NotFinal),
            Just(ReviewReason::KeyReused),
            Just(ReviewReason::AccountChanged),
        ]
        .prop_map(Happening::NeedsAPerson),
        (501_u64..510).prop_map(Happening::ComesAgainWithOtherParameters),
        Just(Happening::IsAskedForAgain),
    ]
}

fn names(object: &Value) -> BTreeSet<&str> {
    object.as_object().unwrap().keys().map(String::as_str).collect()
}

fn check(event: &Event) {
    let schema = schema();
    assert!(schema.takes(&event.detail), "{}", event.detail);
    assert_eq!(event.detail["metadata"]["id"], event.id.as_str());
    assert_eq!(event.detail["metadata"]["type"], event.kind.as_str());
    for part in ["metadata", "data"] {
        let documented = &schema.json()["properties"][part]["properties"];
        assert_eq!(names(&event.detail[part]), names(documented), "every field is documented");
    }
}

#[test]
fn every_kind_of_event_is_one_by_the_schema() {
    let seen = |outcome| Happening::IsSeen(Fact { id: "pi_a".to_owned(), outcome });
    let all = [
        events_of(&[seen(Some(Outcome::Succeeded))]),
        events_of(&[seen(Some(Outcome::Declined("card_declined".to_owned())))]),
        events_of(&[seen(Some(Outcome::Canceled))]),
        events_of(&[Happening::Ends(Standing::Refused, Some("parameter_invalid"))]),
        events_of(&[Happening::ComesAgainWithOtherParameters(501)]),
        events_of(&[Happening::NeedsAPerson(ReviewReason::WindowOver), seen(Some(Outcome::Succeeded))]),
    ]
    .concat();
    all.iter().for_each(check);
    let kinds: BTreeSet<&str> = all.iter().map(|event| event.kind.as_str()).collect();
    let schema = schema();
    let listed = &schema.json()["properties"]["metadata"]["properties"]["type"]["enum"];
    let listed: BTreeSet<&str> =
        listed.as_array().unwrap().iter().map(|kind| kind.as_str().unwrap()).collect();
    assert_eq!(kinds, listed, "the schema lists what is published, and no more");
}

#[test]
fn an_event_that_lacks_a_field_is_none_by_the_schema() {
    let event = &events_of(&[Happening::Ends(Standing::Failed, None)])[0];
    for part in ["metadata", "data"] {
        for name in names(&event.detail[part]) {
            let mut detail = event.detail.clone();
            detail[part].as_object_mut().unwrap().remove(name);
            assert!(!schema().takes(&detail), "{part}.{name}");
        }
    }
}

proptest! {
    #[test]
    fn whatever_happens_is_announced_by_the_schema(story in proptest::collection::vec(happenings(), 1..8)) {
        events_of(&story).iter().for_each(check);
    }
}
