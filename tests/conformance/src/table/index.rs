//! The index of what is due, and the leases that a sweep takes on it.

use anyhow::Result;
use effect::Time;
use futures_util::future::join;
use payment::{
    Record,
    ports::{Due, DueIndex, Ledger},
};

use super::{
    TableSubject,
    records::{NOW, due, in_shard, leased, next, record},
};
use crate::{
    case::{Case, cases, check, expect, in_time},
    sources::{CONDITIONS, INDEX, QUERY, RETRIES, SPARSE, UPDATE},
};

/// How far a lease moves what is due.
const LEASE_MS: i64 = 900_000;

pub(super) fn cases<S: TableSubject>() -> Vec<Case<S>> {
    cases! {
        what_is_due_comes_earliest_first: "Query returns a partition's items in the order of their sort key, numbers by value", QUERY;
        what_is_due_right_now_is_due_and_what_is_due_later_is_not: "a key condition `<=` includes its bound", QUERY;
        no_more_come_than_asked_for_and_leased_ones_make_way: "Limit bounds the items of a page, in the order of the sort key", QUERY;
        what_is_not_due_is_in_no_index: "an item without an index's key attributes is not in that index", SPARSE;
        a_write_that_drops_due_at_leaves_the_index: "a change of a key attribute is carried over to the index, eventually", INDEX;
        a_write_that_moves_due_at_moves_in_the_index: "a change of a key attribute is carried over to the index, eventually", INDEX;
        each_shard_shows_its_own_alone: "Query reads one partition key value", QUERY;
        a_lease_moves_due_at_keeps_the_value_answered_and_nothing_else: "UpdateItem changes the attributes that it names", UPDATE;
        a_lease_on_a_value_that_was_leased_is_refused: "a write whose condition fails is not made", CONDITIONS;
        of_two_leases_at_once_one_is_given: "conditional writes to one item are serial", CONDITIONS;
        a_lease_whose_reply_is_lost_is_not_denied: "the retry of a conditional write that was made fails on its own item, which ALL_OLD returns", RETRIES;
        a_lease_on_what_is_absent_is_refused_and_makes_no_item: "UpdateItem makes an item where none is, unless its condition fails", UPDATE;
        a_lease_on_what_is_no_longer_due_is_refused: "a condition on an absent attribute is false", CONDITIONS;
    }
}

fn entry(record: &Record) -> Due {
    Due { due_at: record.due_at.unwrap_or_default(), payment_id: record.id.clone() }
}

async fn stored<S: TableSubject>(table: &S, record: Record) -> Result<Record> {
    table.port().save(None, &record).await?;
    Ok(record)
}

async fn seen<S: TableSubject>(table: &S, shard: u8, now: Time, limit: u32) -> Result<Vec<Due>> {
    Ok(table.port().due(shard, now, limit).await?)
}

async fn expect_due<S: TableSubject>(table: &S, shard: u8, now: Time, due: &[Due]) -> Result<()> {
    in_time("what is due", &due.to_vec(), || seen(table, shard, now, 100)).await
}

async fn what_is_due_comes_earliest_first<S: TableSubject>(table: &S) -> Result<()> {
    let mut entries = Vec::new();
    for at in [30, 9, 200, -7, 10, 1_000] {
        entries.push(entry(&stored(table, in_shard(&format!("o{at}"), 3, Time(at))).await?));
    }
    entries.sort_unstable();
    expect_due(table, 3, NOW, &entries).await
}

async fn what_is_due_right_now_is_due_and_what_is_due_later_is_not<S: TableSubject>(table: &S) -> Result<()> {
    let now = stored(table, in_shard("now", 3, NOW)).await?;
    let later = stored(table, in_shard("later", 3, NOW.plus_ms(1))).await?;
    expect_due(table, 3, NOW.plus_ms(1), &[entry(&now), entry(&later)]).await?;
    expect_due(table, 3, NOW, &[entry(&now)]).await?;
    expect_due(table, 3, NOW.plus_ms(-1), &[]).await
}

async fn no_more_come_than_asked_for_and_leased_ones_make_way<S: TableSubject>(table: &S) -> Result<()> {
    let mut entries = Vec::new();
    for at in 0..5 {
        entries.push(entry(&stored(table, in_shard(&format!("o{at}"), 3, Time(at))).await?));
    }
    in_time("the first page", &entries[..2].to_vec(), || seen(table, 3, NOW, 2)).await?;
    for due in &entries[..2] {
        check(table.port().lease(due, NOW.plus_ms(LEASE_MS)).await?, "a lease was refused")?;
    }
    in_time("the second page", &entries[2..4].to_vec(), || seen(table, 3, NOW, 2)).await
}

async fn what_is_not_due_is_in_no_index<S: TableSubject>(table: &S) -> Result<()> {
    let idle = Record { due_at: None, ..in_shard("idle", 3, NOW) };
    stored(table, idle).await?;
    let due = stored(table, in_shard("due", 3, NOW)).await?;
    expect_due(table, 3, NOW, &[entry(&due)]).await
}

async fn a_write_that_drops_due_at_leaves_the_index<S: TableSubject>(table: &S) -> Result<()> {
    let first = stored(table, in_shard("o", 3, NOW)).await?;
    expect_due(table, 3, NOW, &[entry(&first)]).await?;
    table.port().save(Some(&first), &Record { due_at: None, ..next(&first, "w") }).await?;
    expect_due(table, 3, NOW, &[]).await
}

async fn a_write_that_moves_due_at_moves_in_the_index<S: TableSubject>(table: &S) -> Result<()> {
    let first = stored(table, in_shard("o", 3, NOW)).await?;
    let moved = due(next(&first, "w"), NOW.plus_ms(50));
    table.port().save(Some(&first), &moved).await?;
    expect_due(table, 3, NOW.plus_ms(50), &[entry(&moved)]).await?;
    expect_due(table, 3, NOW.plus_ms(49), &[]).await
}

async fn each_shard_shows_its_own_alone<S: TableSubject>(table: &S) -> Result<()> {
    let mut entries = Vec::new();
    for shard in 0..payment::SHARDS {
        entries.push(entry(&stored(table, in_shard("o", shard, NOW)).await?));
    }
    for (shard, due) in (0..).zip(&entries) {
        expect_due(table, shard, NOW, std::slice::from_ref(due)).await?;
    }
    Ok(())
}

async fn a_lease_moves_due_at_keeps_the_value_answered_and_nothing_else<S: TableSubject>(
    table: &S,
) -> Result<()> {
    let first = stored(table, next(&in_shard("o", 3, NOW), "w")).await?;
    let until = NOW.plus_ms(LEASE_MS);
    check(table.port().lease(&entry(&first), until).await?, "the lease was refused")?;
    let leased = leased(&first, until);
    expect("the item", &table.port().load(&leased.id).await?, &Some(leased.clone()))?;
    expect_due(table, 3, until, &[entry(&leased)]).await?;
    expect_due(table, 3, NOW, &[]).await
}

async fn a_lease_on_a_value_that_was_leased_is_refused<S: TableSubject>(table: &S) -> Result<()> {
    let first = stored(table, in_shard("o", 3, NOW)).await?;
    let seen = entry(&first);
    check(table.port().lease(&seen, NOW.plus_ms(LEASE_MS)).await?, "the lease was refused")?;
    let again = table.port().lease(&seen, NOW.plus_ms(LEASE_MS + 1)).await?;
    check(!again, "a second lease on one value was given")?;
    expect_due(table, 3, NOW.plus_ms(LEASE_MS), &[entry(&due(first, NOW.plus_ms(LEASE_MS)))]).await
}

async fn of_two_leases_at_once_one_is_given<S: TableSubject>(table: &S) -> Result<()> {
    for number in 0..10 {
        let seen = entry(&stored(table, due(record(&format!("o{number}")), NOW)).await?);
        let port = table.port();
        let (one, other) =
            join(port.lease(&seen, NOW.plus_ms(LEASE_MS)), port.lease(&seen, NOW.plus_ms(LEASE_MS + 1)))
                .await;
        expect("leases given", &(u8::from(one?) + u8::from(other?)), &1)?;
    }
    Ok(())
}

async fn a_lease_whose_reply_is_lost_is_not_denied<S: TableSubject>(table: &S) -> Result<()> {
    let first = stored(table, in_shard("o", 3, NOW)).await?;
    let until = NOW.plus_ms(LEASE_MS);
    // That nobody knows is an answer too: no wake is sent, and the payment is due again after the lease.
    let (port, _way) = table.lossy().await?;
    let lease = port.lease(&entry(&first), until).await;
    check(lease != Ok(false), "a lease that was given is denied")?;
    expect_due(table, 3, until, &[entry(&due(first, until))]).await
}

async fn a_lease_on_what_is_absent_is_refused_and_makes_no_item<S: TableSubject>(table: &S) -> Result<()> {
    let absent = in_shard("o", 3, NOW);
    check(!table.port().lease(&entry(&absent), NOW.plus_ms(LEASE_MS)).await?, "the lease was given")?;
    expect("the item", &table.port().load(&absent.id).await?, &None)
}

async fn a_lease_on_what_is_no_longer_due_is_refused<S: TableSubject>(table: &S) -> Result<()> {
    let first = stored(table, in_shard("o", 3, NOW)).await?;
    let done = Record { due_at: None, ..next(&first, "w") };
    table.port().save(Some(&first), &done).await?;
    check(!table.port().lease(&entry(&first), NOW.plus_ms(LEASE_MS)).await?, "the lease was given")?;
    expect("the item", &table.port().load(&done.id).await?, &Some(done.clone()))
}
