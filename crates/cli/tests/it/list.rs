//! `ikkai list`.

use effect::{Time, minutes, seconds};
use ikkai::list::{self, Listed};
use payment::{
    PaymentId, PaymentState,
    ports::{Census, CensusPage, Counted, Due, DueIndex, LoadError, Open, ReviewIndex},
};

use crate::{NOW, TestClock};

/// An index of forty payments, and a table of pages.
struct Index;

fn payment(n: usize) -> PaymentId {
    PaymentId::of(&"shop".parse().unwrap(), &format!("o-{n}").parse().unwrap())
}

// The later its number, the earlier it is due.
fn entries(shard: u8, limit: u32) -> Vec<(Time, PaymentId)> {
    let mut entries: Vec<_> = (0..40)
        .map(|n| (NOW.plus_ms(-seconds(n)), payment(n as usize)))
        .filter(|(_, id)| id.shard() == shard)
        .collect();
    entries.sort_unstable();
    entries.truncate(limit as usize);
    entries
}

impl DueIndex for Index {
    async fn due(&self, shard: u8, now: Time, limit: u32) -> Result<Vec<Due>, LoadError> {
        assert!(now > NOW.plus_ms(minutes(60 * 24 * 365)), "what is due later is listed too");
        Ok(entries(shard, limit).into_iter().map(|(due_at, payment_id)| Due { due_at, payment_id }).collect())
    }

    async fn lease(&self, _due: &Due, _until: Time) -> Result<bool, LoadError> {
        panic!("a list leases nothing")
    }
}

impl ReviewIndex for Index {
    async fn in_review(&self, shard: u8, limit: u32) -> Result<Vec<Open>, LoadError> {
        Ok(entries(shard, limit).into_iter().map(|(since, payment_id)| Open { since, payment_id }).collect())
    }
}

impl Census for Index {
    async fn page(&self, start: Option<&str>) -> Result<CensusPage, LoadError> {
        let page = |n: usize, state, needs_review, next: Option<&str>| CensusPage {
            payments: vec![Counted { payment_id: payment(n), state, needs_review }],
            next: next.map(str::to_owned),
        };
        Ok(match start {
            None => page(1, Some(PaymentState::PartiallyRefunded), false, Some("key_1")),
            Some("key_1") => page(2, Some(PaymentState::Authorizing), true, Some("pay_2")),
            Some(_) => page(3, None, false, None),
        })
    }
}

#[tokio::test]
async fn the_earliest_of_all_shards_come_first_and_no_more_than_asked() {
    let expected: Vec<Listed> = (0..7)
        .map(|n| Listed { at: NOW.plus_ms(-seconds(39 - n)), payment_id: payment(39 - n as usize) })
        .collect();
    assert_eq!(list::due(&Index, 7).await.unwrap(), expected);
    assert_eq!(list::review(&Index, 7).await.unwrap(), expected);
    assert_eq!(list::review(&Index, 1_000).await.unwrap().len(), 40);
}

#[tokio::test]
async fn a_list_says_when_in_text_and_in_json() {
    let listed = list::due(&Index, 1).await.unwrap();
    let clock = TestClock(std::cell::Cell::new(NOW));
    let text = list::print(&listed, "due_at", false, &clock).unwrap();
    assert!(text.contains(payment(39).as_str()) && text.contains("due_at 2026-11-30T09:14:24"), "{text}");
    let json: serde_json::Value =
        serde_json::from_str(&list::print(&listed, "due_at", true, &clock).unwrap()).unwrap();
    assert_eq!(json["due_at"], NOW.plus_ms(-seconds(39)).0);
}

#[tokio::test]
async fn everything_is_listed_page_by_page_and_what_cannot_be_read_is_named() {
    let mut lines = Vec::new();
    let count = list::all(&Index, false, |line| {
        lines.push(line.to_owned());
        Ok(())
    });
    assert_eq!(count.await.unwrap(), 3);
    assert!(lines[0].ends_with("partially_refunded") && lines[1].ends_with("needs a person"), "{lines:?}");
    assert!(lines[2].ends_with("unreadable"), "{lines:?}");
}
