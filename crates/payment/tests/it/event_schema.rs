//! What is announced is what the published schema of events says, and every field of it is documented.

use std::collections::BTreeSet;

use effect::{Outcome, ReviewReason};
use payment::{CaptureMethod, Event, announced};
use proptest::prelude::*;
use serde_json::Value;

use crate::{
    asking::charge,
    histories::{histories, records},
    properties::config,
    schema::Schema,
    story::{CHARGE, Story},
    tables::stories,
};

fn schema() -> Schema {
    Schema::read(include_str!("../../../../events/schemas/event-1.schema.json"))
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
    let unclear = Story::begins(CaptureMethod::Automatic).sends(CHARGE);
    let resolved = unclear
        .needs_a_person(CHARGE, ReviewReason::WindowOver)
        .asks(charge(0, 501, CaptureMethod::Automatic))
        .shows(CHARGE, Some(Outcome::Succeeded));
    let told =
        [stories(), vec![Story::unanswered(), resolved]].concat().into_iter().flat_map(|story| story.told);
    let told: Vec<Event> = told.collect();
    told.iter().for_each(check);
    let kinds: BTreeSet<&str> = told.iter().map(|event| event.kind.as_str()).collect();
    let schema = schema();
    let listed = &schema.json()["properties"]["metadata"]["properties"]["type"]["enum"];
    let listed: BTreeSet<&str> =
        listed.as_array().unwrap().iter().map(|kind| kind.as_str().unwrap()).collect();
    assert_eq!(kinds, listed, "the schema lists what is published, and no more");
}

#[test]
fn an_event_that_lacks_a_field_is_none_by_the_schema() {
    let event = &Story::captured().told[0];
    for part in ["metadata", "data"] {
        for name in names(&event.detail[part]) {
            let mut detail = event.detail.clone();
            detail[part].as_object_mut().unwrap().remove(name);
            assert!(!schema().takes(&detail), "{part}.{name}");
        }
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn whatever_happens_is_announced_by_the_schema(history in histories()) {
        for record in records(&history) {
            announced(&record).iter().for_each(check);
        }
    }
}
