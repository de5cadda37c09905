//! The sample stream batch is what a real charge writes, and `publish` makes a documented event of it.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod charge;

use std::cell::RefCell;

use adapters::ledger::to_item;
use payment::ports::{Bus, BusEntry, DeadLetter, DeadLetters, SendError};
use publish::Publish;
use serde_dynamo::AttributeValue;
use serde_json::Value;

const SAMPLE: &str = include_str!("../../../../events/publish-captured.json");

/// A bus that takes everything.
#[derive(Default)]
struct Taken(RefCell<Vec<BusEntry>>);

impl Bus for Taken {
    async fn put(&self, entries: &[BusEntry]) -> Result<Vec<bool>, SendError> {
        self.0.borrow_mut().extend_from_slice(entries);
        Ok(vec![true; entries.len()])
    }
}

/// A quarantine that nothing may reach.
struct Nothing;

impl DeadLetters for Nothing {
    async fn set_aside(&self, letter: &DeadLetter) -> Result<(), SendError> {
        panic!("set aside: {}", letter.reason)
    }
}

#[tokio::test]
async fn the_sample_image_is_the_item_that_a_real_charge_writes() {
    let record = charge::captured().await;
    let item: std::collections::HashMap<String, AttributeValue> =
        to_item(&record).unwrap().into_iter().map(|(name, value)| (name, value.into())).collect();
    let sample: Value = serde_json::from_str(SAMPLE).unwrap();
    let held = &sample["Records"][0]["dynamodb"]["NewImage"];
    let written = serde_json::to_value(&item).unwrap();
    assert_eq!(*held, written, "the sample must hold:\n{}", serde_json::to_string_pretty(&written).unwrap());
    assert_eq!(sample["Records"][0]["dynamodb"]["Keys"]["pk"], written["pk"]);
}

#[tokio::test]
async fn the_sample_is_published_as_one_event() {
    let publish = Publish { bus: Taken::default(), quarantine: Nothing };
    let response = publish.handle(serde_json::from_str(SAMPLE).unwrap()).await.unwrap();
    assert!(response.batch_item_failures.is_empty());
    let entries = publish.bus.0.into_inner();
    let [entry] = entries.try_into().unwrap();
    assert_eq!(entry.detail_type, "PaymentCaptured");
    let detail: Value = serde_json::from_str(&entry.detail).unwrap();
    assert_eq!(detail["metadata"]["id"], entry.id.as_str());
    assert_eq!(detail["data"]["order"], "o-1001");
}
