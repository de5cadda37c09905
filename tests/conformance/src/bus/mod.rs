//! The event bus.

mod event_bridge;
mod world;

use std::{collections::BTreeMap, future::Future};

use anyhow::Result;
use payment::ports::{BUS_MAX_ENTRIES, Bus, BusEntry};
use serde_json::{Value, json};

pub use event_bridge::EventBridge;
pub use world::WorldBus;

use crate::{
    case::{Case, cases, check, expect, in_time},
    lossy::Lossy,
    sources::{BUS_DELIVERY, ENTRY, PUT_EVENTS, RESULT_ENTRY},
};

/// A bus that the suite tries. Each case has one of its own.
pub trait BusSubject {
    /// What our functions call.
    type Port: Bus;

    /// Returns the port.
    fn port(&self) -> &Self::Port;

    /// Returns another way to the same bus, on which every entry is refused in a reply of 200.
    fn refusing(&self) -> impl Future<Output = Result<Self::Port>>;

    /// Returns the port on a way where the first reply gets lost after the entries were taken, and the way, to be held
    /// as long, if it is one of its own.
    fn lossy(&self) -> impl Future<Output = Result<(Self::Port, Option<Lossy>)>>;

    /// Returns the details of the events that have arrived so far.
    fn arrived(&self) -> impl Future<Output = Result<Vec<String>>>;
}

/// Returns the suite.
#[must_use]
pub fn cases<S: BusSubject>() -> Vec<Case<S>> {
    cases! {
        an_event_arrives_with_its_detail_unchanged: "the detail is delivered as the JSON that was put", ENTRY;
        ten_entries_are_taken_by_one_put: "a request holds up to 10 entries", PUT_EVENTS;
        entries_of_256_kb_in_all_are_taken_by_one_put: "the entries of a request have 256 KB in all at least", PUT_EVENTS;
        nothing_is_put_without_entries: "a request without entries is not made", PUT_EVENTS;
        an_entry_that_is_refused_is_told_and_does_not_arrive: "a reply of 200 can hold failed entries, each with an error code and no event id", RESULT_ENTRY;
        a_detail_that_is_no_json_is_refused_alone: "MalformedDetail, in that entry's place; the others are taken", RESULT_ENTRY;
        a_detail_that_is_no_object_is_refused_alone: "Detail is a valid JSON object, or the entry is MalformedDetail; the others are taken", ENTRY;
        the_same_event_put_twice_arrives_twice: "each entry taken is an event with an id of its own: nothing is deduplicated", BUS_DELIVERY;
        what_is_told_as_taken_has_arrived_even_if_a_reply_was_lost: "the retry of a put whose reply was lost puts the entries again", BUS_DELIVERY;
    }
}

fn entry(detail: &str) -> BusEntry {
    BusEntry { id: detail.to_owned(), detail_type: "PaymentCaptured", detail: detail.to_owned() }
}

fn numbered(number: usize) -> BusEntry {
    entry(&json!({ "number": number }).to_string())
}

/// How often each detail has arrived, by its content and not its spelling.
async fn counts<S: BusSubject>(bus: &S) -> Result<BTreeMap<String, u32>> {
    let mut counts = BTreeMap::new();
    for detail in bus.arrived().await? {
        let read: Value = serde_json::from_str(&detail).unwrap_or(Value::String(detail));
        *counts.entry(read.to_string()).or_default() += 1;
    }
    Ok(counts)
}

fn once(entries: &[BusEntry]) -> BTreeMap<String, u32> {
    entries.iter().map(|entry| (entry.detail.clone(), 1)).collect()
}

async fn an_event_arrives_with_its_detail_unchanged<S: BusSubject>(bus: &S) -> Result<()> {
    let detail = json!({
        "data": { "amount": 9_007_199_254_740_993_i64, "text": "é 一回 😀 \"<&>\"\n", "none": null },
        "metadata": { "id": "pay_1/charge/1:succeeded", "sequence": u64::MAX },
    });
    let entry = entry(&detail.to_string());
    expect("taken", &bus.port().put(std::slice::from_ref(&entry)).await?, &vec![true])?;
    in_time("what arrived", &once(&[entry]), || counts(bus)).await
}

async fn ten_entries_are_taken_by_one_put<S: BusSubject>(bus: &S) -> Result<()> {
    let entries: Vec<BusEntry> = (0..BUS_MAX_ENTRIES).map(numbered).collect();
    expect("taken", &bus.port().put(&entries).await?, &vec![true; BUS_MAX_ENTRIES])?;
    in_time("what arrived", &once(&entries), || counts(bus)).await
}

async fn entries_of_256_kb_in_all_are_taken_by_one_put<S: BusSubject>(bus: &S) -> Result<()> {
    let large = |number| entry(&json!({ "number": number, "text": "x".repeat(127 * 1024) }).to_string());
    let entries = [large(1), large(2)];
    expect("taken", &bus.port().put(&entries).await?, &vec![true, true])?;
    in_time("how many arrived", &2, async || Ok(counts(bus).await?.len())).await
}

async fn nothing_is_put_without_entries<S: BusSubject>(bus: &S) -> Result<()> {
    expect("taken", &bus.port().put(&[]).await?, &vec![])
}

async fn an_entry_that_is_refused_is_told_and_does_not_arrive<S: BusSubject>(bus: &S) -> Result<()> {
    let refused = bus.refusing().await?.put(&[numbered(1)]).await?;
    expect("taken", &refused, &vec![false])?;
    let after = [numbered(2)];
    expect("taken after it", &bus.port().put(&after).await?, &vec![true])?;
    in_time("what arrived", &once(&after), || counts(bus)).await
}

async fn expect_refused<S: BusSubject>(bus: &S, malformed: &str) -> Result<()> {
    let entries = [numbered(1), entry(malformed), numbered(2)];
    expect("taken", &bus.port().put(&entries).await?, &vec![true, false, true])?;
    in_time("what arrived", &once(&[numbered(1), numbered(2)]), || counts(bus)).await
}

async fn a_detail_that_is_no_json_is_refused_alone<S: BusSubject>(bus: &S) -> Result<()> {
    expect_refused(bus, "{\"number\": 1").await
}

async fn a_detail_that_is_no_object_is_refused_alone<S: BusSubject>(bus: &S) -> Result<()> {
    expect_refused(bus, "[1, 2]").await
}

async fn the_same_event_put_twice_arrives_twice<S: BusSubject>(bus: &S) -> Result<()> {
    for _ in 0..2 {
        expect("taken", &bus.port().put(&[numbered(1)]).await?, &vec![true])?;
    }
    in_time("what arrived", &BTreeMap::from([(numbered(1).detail, 2)]), || counts(bus)).await
}

async fn what_is_told_as_taken_has_arrived_even_if_a_reply_was_lost<S: BusSubject>(bus: &S) -> Result<()> {
    let entry = numbered(1);
    // That it failed is an answer too: the outbox puts it again.
    let (port, _way) = bus.lossy().await?;
    let taken = port.put(std::slice::from_ref(&entry)).await;
    check(taken.is_err() || taken == Ok(vec![true]), "an entry that was taken is told as refused")?;
    if taken.is_err() {
        return Ok(());
    }
    in_time("that it arrived", &true, async || Ok(counts(bus).await?.contains_key(&entry.detail))).await
}
