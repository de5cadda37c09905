//! The ledger: conditional writes, and what a refused or a lost one tells.

use anyhow::{Result, bail};
use futures_util::future::{join, join_all};
use payment::{
    Record,
    ports::{Due, DueIndex, Ledger, SaveError},
};

use super::{
    TableSubject,
    records::{NOW, due, full, leased, next, record},
};
use crate::{
    case::{Case, cases, check, expect},
    sources::{ALL_OLD, CONDITIONS, CONSISTENCY, LIMITS, RETRIES, TRANSACTIONS, TYPES},
};

pub(super) fn cases<S: TableSubject>() -> Vec<Case<S>> {
    cases! {
        what_was_never_written_is_not_there: "a read of an absent item returns none", CONSISTENCY;
        a_first_write_is_read_back_at_once_and_whole: "a consistent read reflects every write that was acknowledged; a number has up to 38 digits, a string any Unicode", TYPES;
        a_first_write_onto_an_item_is_refused_and_shows_it: "attribute_not_exists on the key fails where an item is, and ALL_OLD returns that item", ALL_OLD;
        a_write_under_the_version_read_replaces_the_item: "PutItem replaces the whole item if its condition holds", CONDITIONS;
        a_write_under_another_version_is_refused_and_shows_the_item: "ConditionalCheckFailedException carries the item as it stands with ALL_OLD", ALL_OLD;
        a_refused_write_changes_nothing: "a write whose condition fails is not made", CONDITIONS;
        a_write_that_expects_an_item_where_none_is_is_refused_without_one: "a condition on an absent attribute is false, and ALL_OLD has no item to return", ALL_OLD;
        of_two_writes_under_one_version_one_is_made_and_the_other_sees_it: "conditional writes to one item are serial: the loser's condition is tried on the winner's item", CONDITIONS;
        of_sixteen_first_writes_at_once_one_is_made: "conditional writes to one item are serial", CONDITIONS;
        of_two_chains_of_writes_no_version_is_lost: "conditional writes to one item are serial", CONDITIONS;
        a_first_write_whose_reply_is_lost_shows_itself: "the retry of a conditional write that was made fails on its own item, which ALL_OLD returns", RETRIES;
        a_later_write_whose_reply_is_lost_shows_itself: "the retry of a conditional write that was made fails on its own item, which ALL_OLD returns", RETRIES;
        a_write_after_a_lease_is_refused_and_shows_it: "a condition may name any attribute; ALL_OLD returns the item as it stands", ALL_OLD;
        a_write_that_has_seen_the_lease_moves_or_drops_what_is_due: "a condition that holds lets the whole item be replaced", CONDITIONS;
        an_item_above_400_kb_is_certainly_not_written: "an item has at most 400 KB, names included; a larger one is a ValidationException", LIMITS;
        a_write_amid_transactions_on_its_item_may_be_refused: "a write to an item that a transaction in progress holds fails with TransactionConflictException", TRANSACTIONS;
    }
}

async fn stored<S: TableSubject>(table: &S, record: &Record) -> Result<Record> {
    table.port().save(None, record).await?;
    Ok(record.clone())
}

async fn expect_stored<S: TableSubject>(table: &S, due: &Record) -> Result<()> {
    expect("the item", &table.port().load(&due.id).await?, &Some(due.clone()))
}

fn conflict(with: Option<&Record>) -> Result<(), SaveError> {
    Err(SaveError::Conflict(with.cloned().map(Box::new)))
}

async fn what_was_never_written_is_not_there<S: TableSubject>(table: &S) -> Result<()> {
    expect("an absent item", &table.port().load(&record("absent").id).await?, &None)
}

async fn a_first_write_is_read_back_at_once_and_whole<S: TableSubject>(table: &S) -> Result<()> {
    for record in [full(), record("bare")] {
        table.port().save(None, &record).await?;
        expect_stored(table, &record).await?;
    }
    Ok(())
}

async fn a_first_write_onto_an_item_is_refused_and_shows_it<S: TableSubject>(table: &S) -> Result<()> {
    let first = stored(table, &full()).await?;
    let refused = table.port().save(None, &Record { version: 1, ..record("full") }).await;
    expect("the second first write", &refused, &conflict(Some(&first)))
}

async fn a_write_under_the_version_read_replaces_the_item<S: TableSubject>(table: &S) -> Result<()> {
    let first = stored(table, &due(record("o"), NOW)).await?;
    let second = Record { due_at: None, ..next(&first, "w") };
    table.port().save(Some(&first), &second).await?;
    expect_stored(table, &second).await
}

async fn a_write_under_another_version_is_refused_and_shows_the_item<S: TableSubject>(
    table: &S,
) -> Result<()> {
    let first = stored(table, &record("o")).await?;
    let second = next(&first, "w1");
    table.port().save(Some(&first), &second).await?;
    let refused = table.port().save(Some(&first), &next(&first, "w2")).await;
    expect("the late write", &refused, &conflict(Some(&second)))
}

async fn a_refused_write_changes_nothing<S: TableSubject>(table: &S) -> Result<()> {
    let first = stored(table, &record("o")).await?;
    let unread = Record { version: 7, ..first.clone() };
    let refused = table.port().save(Some(&unread), &next(&unread, "w")).await;
    expect("the write", &refused, &conflict(Some(&first)))?;
    expect_stored(table, &first).await
}

async fn a_write_that_expects_an_item_where_none_is_is_refused_without_one<S: TableSubject>(
    table: &S,
) -> Result<()> {
    for held in [record("o"), due(record("p"), NOW)] {
        let refused = table.port().save(Some(&held), &next(&held, "w")).await;
        expect("the write", &refused, &conflict(None))?;
        expect("the item", &table.port().load(&held.id).await?, &None)?;
    }
    Ok(())
}

async fn of_two_writes_under_one_version_one_is_made_and_the_other_sees_it<S: TableSubject>(
    table: &S,
) -> Result<()> {
    let first = stored(table, &record("o")).await?;
    let (one, other) = (next(&first, "w1"), next(&first, "w2"));
    let port = table.port();
    match join(port.save(Some(&first), &one), port.save(Some(&first), &other)).await {
        (Ok(()), refused) => {
            expect("the loser", &refused, &conflict(Some(&one)))?;
            expect_stored(table, &one).await
        }
        (refused, Ok(())) => {
            expect("the loser", &refused, &conflict(Some(&other)))?;
            expect_stored(table, &other).await
        }
        (one, other) => bail!("neither write was made: {one:?}, {other:?}"),
    }
}

async fn of_sixteen_first_writes_at_once_one_is_made<S: TableSubject>(table: &S) -> Result<()> {
    let records: Vec<Record> =
        (0..16).map(|writer| Record { announce: Some(writer.to_string()), ..record("o") }).collect();
    let saves = join_all(records.iter().map(|record| table.port().save(None, record))).await;
    let made: Vec<usize> = (0..16).filter(|writer| saves[*writer].is_ok()).collect();
    expect("writes made", &made.len(), &1)?;
    let winner = &records[made[0]];
    for refused in saves.iter().filter(|save| save.is_err()) {
        expect("a loser", refused, &conflict(Some(winner)))?;
    }
    expect_stored(table, winner).await
}

async fn of_two_chains_of_writes_no_version_is_lost<S: TableSubject>(table: &S) -> Result<()> {
    const EACH: u64 = 15;
    let first = stored(table, &record("o")).await?;
    let chain = async |by: &str| -> Result<()> {
        let mut held = first.clone();
        for _ in 0..EACH {
            loop {
                let mine = next(&held, by);
                match table.port().save(Some(&held), &mine).await {
                    Ok(()) => {
                        held = mine;
                        break;
                    }
                    Err(SaveError::Conflict(Some(current))) => held = *current,
                    Err(other) => return Err(other.into()),
                }
            }
        }
        Ok(())
    };
    let (one, other) = join(chain("w1"), chain("w2")).await;
    one.and(other)?;
    let versions = table.port().load(&first.id).await?.map(|record| record.version);
    expect("the version", &versions, &Some(first.version + 2 * EACH))
}

/// A write whose reply is lost: it was made, and the caller is shown it or is told that nobody knows.
fn expect_made(save: &Result<(), SaveError>, written: &Record) -> Result<()> {
    match save {
        Err(SaveError::Unknown(_)) => Ok(()),
        other => expect("the write", other, &conflict(Some(written))),
    }
}

async fn a_first_write_whose_reply_is_lost_shows_itself<S: TableSubject>(table: &S) -> Result<()> {
    let first = due(record("o"), NOW);
    let (port, _way) = table.lossy().await?;
    expect_made(&port.save(None, &first).await, &first)?;
    expect_stored(table, &first).await
}

async fn a_later_write_whose_reply_is_lost_shows_itself<S: TableSubject>(table: &S) -> Result<()> {
    let first = stored(table, &due(record("o"), NOW)).await?;
    let second = next(&first, "w");
    let (port, _way) = table.lossy().await?;
    expect_made(&port.save(Some(&first), &second).await, &second)?;
    expect_stored(table, &second).await
}

async fn read_and_leased<S: TableSubject>(table: &S) -> Result<(Record, Record)> {
    let first = stored(table, &due(record("o"), NOW)).await?;
    let lease = Due { due_at: NOW, payment_id: first.id.clone() };
    check(table.port().lease(&lease, NOW.plus_ms(900_000)).await?, "the lease was refused")?;
    Ok((first.clone(), leased(&first, NOW.plus_ms(900_000))))
}

async fn a_write_after_a_lease_is_refused_and_shows_it<S: TableSubject>(table: &S) -> Result<()> {
    let (read, now) = read_and_leased(table).await?;
    let kept = next(&read, "w");
    let moved = due(kept.clone(), NOW.plus_ms(5));
    let dropped = Record { due_at: None, ..kept.clone() };
    for write in [kept, moved, dropped] {
        let refused = table.port().save(Some(&read), &write).await;
        expect("the write", &refused, &conflict(Some(&now)))?;
    }
    expect_stored(table, &now).await
}

async fn a_write_that_has_seen_the_lease_moves_or_drops_what_is_due<S: TableSubject>(
    table: &S,
) -> Result<()> {
    let (_, now) = read_and_leased(table).await?;
    let moved = due(next(&now, "w"), NOW.plus_ms(5));
    table.port().save(Some(&now), &moved).await?;
    expect_stored(table, &moved).await?;
    let dropped = Record { due_at: None, ..next(&moved, "w") };
    table.port().save(Some(&moved), &dropped).await?;
    expect_stored(table, &dropped).await
}

async fn an_item_above_400_kb_is_certainly_not_written<S: TableSubject>(table: &S) -> Result<()> {
    let announcing = |bytes| Record { announce: Some("x".repeat(bytes)), ..record("o") };
    let refused = table.port().save(None, &announcing(400 * 1024)).await;
    check(matches!(refused, Err(SaveError::NotDone(_))), &format!("the write: {}", kind(&refused)))?;
    expect("the item", &table.port().load(&record("o").id).await?, &None)?;
    table.port().save(None, &announcing(399 * 1024)).await?;
    Ok(())
}

/// Names a write's result without the record that it may carry.
fn kind(save: &Result<(), SaveError>) -> String {
    match save {
        Ok(()) => "made".to_owned(),
        Err(error) => error.to_string(),
    }
}

async fn a_write_amid_transactions_on_its_item_may_be_refused<S: TableSubject>(table: &S) -> Result<()> {
    let first = stored(table, &record("o")).await?;
    let conflicts = table.transaction_conflicts(&first).await?;
    check(conflicts > 0, "no write was ever refused for a transaction")
}
