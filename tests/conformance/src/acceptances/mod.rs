//! Acceptances: a caller's key and the payment that its request changes, written together or not at all.

mod double;
mod dynamo;

use std::future::Future;

use anyhow::{Context, Result, bail};
use futures_util::future::{join, join_all};
use payment::{
    OperationKey, PaymentId, Record,
    ports::{AcceptError, Acceptances, Change, KeyId, KeyRecord, Ledger},
};

pub use double::Double;

use crate::{
    case::{Case, cases, check, expect},
    lossy::Lossy,
    sources::{CONDITIONS, CONSISTENCY, TRANSACT, TRANSACT_TOKEN, TTL},
    table::{NOW, due, next, record},
};

/// Where it shows that two of the racing acceptances were made, or parts of both.
const RACE: &str = "after the race";

/// How long a key of the cases lives, in seconds.
const LIFE_S: i64 = 86_400;

/// A table that the suite tries. Each case has one of its own, empty.
pub trait AcceptanceSubject {
    /// Returns what `intake` calls.
    fn port(&self) -> impl Acceptances + Ledger;

    /// Returns the same on a way where the first reply gets lost after its write was made, and the way, to be held as
    /// long, if it is one of its own.
    fn lossy(&self) -> impl Future<Output = Result<(impl Acceptances + Ledger, Option<Lossy>)>>;
}

/// Returns the suite.
#[must_use]
pub fn cases<S: AcceptanceSubject>() -> Vec<Case<S>> {
    cases! {
        a_key_that_was_never_used_is_not_there: "a strongly consistent read shows every write before it", CONSISTENCY;
        key_and_payment_are_written_together_and_read_back_at_once_and_whole: "the writes of a transaction are made all or none; a strongly consistent read shows them", TRANSACT;
        a_key_in_use_keeps_the_payment_unwritten_and_shows_what_it_stands_for: "one failed condition cancels the whole transaction, and its reason holds the item", TRANSACT;
        a_payment_that_changed_keeps_the_key_unwritten_and_is_shown: "one failed condition cancels the whole transaction, and its reason holds the item", TRANSACT;
        a_payment_that_is_gone_keeps_the_key_unwritten: "a condition on an absent item is false, and its reason holds no item", TRANSACT;
        an_expired_key_that_still_lies_there_is_free: "an expired item may be deleted days later; until then a condition can tell", TTL;
        a_key_is_used_until_the_second_at_which_it_expires: "an expired item may be deleted days later; until then a condition can tell", TTL;
        a_key_alone_is_written_and_then_in_use: "a write whose condition fails is not made", CONDITIONS;
        an_acceptance_whose_reply_is_lost_is_told_by_its_token: "a repeat with the same ClientRequestToken within ten minutes succeeds and changes nothing", TRANSACT_TOKEN;
        a_key_alone_whose_reply_is_lost_shows_itself: "the retry of a conditional write that was made fails on its own item, which ALL_OLD returns", CONDITIONS;
        of_two_acceptances_under_one_key_at_once_one_is_made: "transactions are serializable", TRANSACT;
        of_two_acceptances_for_one_payment_at_once_one_is_made: "transactions are serializable", TRANSACT;
        of_eight_equal_acceptances_at_once_one_is_made: "transactions are serializable", TRANSACT;
    }
}

/// Returns a key's record, for an order's payment.
fn key(name: &str, of: &Record) -> Result<KeyRecord> {
    Ok(KeyRecord {
        id: KeyId::of(&"shop".parse()?, "POST", "/v1/payments", name),
        fingerprint: format!("{name} \u{e9} \u{4e00}\u{56de}"),
        payment_id: of.id.clone(),
        operation: OperationKey::charge("1".parse()?),
        body: "{\"a\":\"\\u0000 \\\"quoted\\\"\",\n \"b\": 1}\n".to_owned(),
        expires_at: NOW.epoch_seconds() + LIFE_S,
    })
}

const fn first(next: &Record) -> Option<Change<'_>> {
    Some(Change { expected: None, next })
}

async fn expect_key<S: AcceptanceSubject>(table: &S, id: &KeyId, due: Option<&KeyRecord>) -> Result<()> {
    expect("the key", &table.port().load_key(id).await?, &due.cloned())
}

async fn expect_payment<S: AcceptanceSubject>(table: &S, id: &PaymentId, due: Option<&Record>) -> Result<()> {
    expect("the payment", &table.port().load(id).await?, &due.cloned())
}

/// Accepts an order under a key.
async fn accepted<S: AcceptanceSubject>(table: &S, order: &str, name: &str) -> Result<(Record, KeyRecord)> {
    let payment = due(record(order), NOW);
    let key = key(name, &payment)?;
    table.port().accept(first(&payment), &key, NOW).await?;
    Ok((payment, key))
}

async fn a_key_that_was_never_used_is_not_there<S: AcceptanceSubject>(table: &S) -> Result<()> {
    expect_key(table, &key("k", &record("o"))?.id, None).await
}

async fn key_and_payment_are_written_together_and_read_back_at_once_and_whole<S: AcceptanceSubject>(
    table: &S,
) -> Result<()> {
    let (payment, held) = accepted(table, "o", "k").await?;
    expect_key(table, &held.id, Some(&held)).await?;
    expect_payment(table, &payment.id, Some(&payment)).await?;
    let (second, other) = (next(&payment, "w"), key("k2", &payment)?);
    let change = Change { expected: Some(&payment), next: &second };
    table.port().accept(Some(change), &other, NOW).await?;
    expect_key(table, &other.id, Some(&other)).await?;
    expect_payment(table, &payment.id, Some(&second)).await
}

async fn a_key_in_use_keeps_the_payment_unwritten_and_shows_what_it_stands_for<S: AcceptanceSubject>(
    table: &S,
) -> Result<()> {
    let (_, held) = accepted(table, "o", "k").await?;
    let other = record("p");
    let again = KeyRecord { fingerprint: "another".to_owned(), ..key("k", &other)? };
    let refused = table.port().accept(first(&other), &again, NOW).await;
    expect("the acceptance", &refused, &Err(AcceptError::KeyTaken(Box::new(held.clone()))))?;
    expect_payment(table, &other.id, None).await?;
    expect_key(table, &held.id, Some(&held)).await
}

async fn a_payment_that_changed_keeps_the_key_unwritten_and_is_shown<S: AcceptanceSubject>(
    table: &S,
) -> Result<()> {
    let (payment, _) = accepted(table, "o", "k").await?;
    let late = key("k2", &payment)?;
    let unread = Record { version: 7, ..payment.clone() };
    let then = next(&unread, "w");
    let changes =
        [Change { expected: None, next: &payment }, Change { expected: Some(&unread), next: &then }];
    for change in changes {
        let refused = table.port().accept(Some(change), &late, NOW).await;
        let due = Err(AcceptError::Changed(Some(Box::new(payment.clone()))));
        expect("the acceptance", &refused, &due)?;
        expect_key(table, &late.id, None).await?;
    }
    expect_payment(table, &payment.id, Some(&payment)).await
}

async fn a_payment_that_is_gone_keeps_the_key_unwritten<S: AcceptanceSubject>(table: &S) -> Result<()> {
    let gone = record("o");
    let (then, key) = (next(&gone, "w"), key("k", &gone)?);
    let refused = table.port().accept(Some(Change { expected: Some(&gone), next: &then }), &key, NOW).await;
    expect("the acceptance", &refused, &Err(AcceptError::Changed(None)))?;
    expect_key(table, &key.id, None).await?;
    expect_payment(table, &gone.id, None).await
}

async fn an_expired_key_that_still_lies_there_is_free<S: AcceptanceSubject>(table: &S) -> Result<()> {
    accepted(table, "o", "k").await?;
    let later = NOW.plus_ms(LIFE_S * 1_000);
    let other = record("p");
    let again =
        KeyRecord { expires_at: later.epoch_seconds() + LIFE_S, body: "new".to_owned(), ..key("k", &other)? };
    table.port().accept(first(&other), &again, later).await?;
    expect_key(table, &again.id, Some(&again)).await?;
    expect_payment(table, &other.id, Some(&other)).await
}

async fn a_key_is_used_until_the_second_at_which_it_expires<S: AcceptanceSubject>(table: &S) -> Result<()> {
    let (payment, held) = accepted(table, "o", "k").await?;
    let (last, over) = (NOW.plus_ms(LIFE_S * 1_000 - 1), NOW.plus_ms(LIFE_S * 1_000));
    let taken = Err(AcceptError::KeyTaken(Box::new(held)));
    let again = KeyRecord { body: "new".to_owned(), ..key("k", &payment)? };
    expect("in the last second", &table.port().accept(None, &again, last).await, &taken)?;
    expect("a second later", &table.port().accept(None, &again, over).await, &Ok(()))
}

async fn a_key_alone_is_written_and_then_in_use<S: AcceptanceSubject>(table: &S) -> Result<()> {
    let (payment, _) = accepted(table, "o", "k").await?;
    let alone = key("k2", &payment)?;
    table.port().accept(None, &alone, NOW).await?;
    expect_key(table, &alone.id, Some(&alone)).await?;
    let again = KeyRecord { body: "new".to_owned(), ..alone.clone() };
    let refused = table.port().accept(None, &again, NOW).await;
    expect("the acceptance", &refused, &Err(AcceptError::KeyTaken(Box::new(alone.clone()))))?;
    expect_key(table, &alone.id, Some(&alone)).await?;
    expect_payment(table, &payment.id, Some(&payment)).await
}

async fn an_acceptance_whose_reply_is_lost_is_told_by_its_token<S: AcceptanceSubject>(
    table: &S,
) -> Result<()> {
    let payment = record("o");
    let key = key("k", &payment)?;
    let (port, _way) = table.lossy().await?;
    let told = port.accept(first(&payment), &key, NOW).await;
    expect_key(table, &key.id, Some(&key)).await?;
    expect_payment(table, &payment.id, Some(&payment)).await?;
    expect("the acceptance", &told, &Ok(()))
}

async fn a_key_alone_whose_reply_is_lost_shows_itself<S: AcceptanceSubject>(table: &S) -> Result<()> {
    let alone = key("k", &record("o"))?;
    let (port, _way) = table.lossy().await?;
    let told = port.accept(None, &alone, NOW).await;
    expect_key(table, &alone.id, Some(&alone)).await?;
    expect("the acceptance", &told, &Err(AcceptError::KeyTaken(Box::new(alone))))
}

/// Tells whether a loser of a race learned what it may learn.
fn lost(told: &Result<(), AcceptError>, held: &AcceptError) -> bool {
    told.as_ref().is_err_and(|error| error == held || *error == AcceptError::Contended)
}

async fn of_two_acceptances_under_one_key_at_once_one_is_made<S: AcceptanceSubject>(table: &S) -> Result<()> {
    let (one, other) = (record("o"), record("p"));
    let (one_key, other_key) = (key("k", &one)?, key("k", &other)?);
    let port = table.port();
    let (told_one, told_other) =
        join(port.accept(first(&one), &one_key, NOW), port.accept(first(&other), &other_key, NOW)).await;
    let (made, made_key, left_out, told) = match (&told_one, &told_other) {
        (Ok(()), _) => (one, one_key, other, told_other),
        (_, Ok(())) => (other, other_key, one, told_one),
        (_, _) => bail!("neither was made: {told_one:?}, {told_other:?}"),
    };
    let taken = AcceptError::KeyTaken(Box::new(made_key.clone()));
    let end = async {
        check(lost(&told, &taken), &format!("the loser: {told:?}"))?;
        expect_key(table, &made_key.id, Some(&made_key)).await?;
        expect_payment(table, &made.id, Some(&made)).await?;
        expect_payment(table, &left_out.id, None).await
    };
    end.await.context(RACE)
}

async fn of_two_acceptances_for_one_payment_at_once_one_is_made<S: AcceptanceSubject>(
    table: &S,
) -> Result<()> {
    let payment = record("o");
    let (one, other) = (key("k1", &payment)?, key("k2", &payment)?);
    let port = table.port();
    let (told_one, told_other) =
        join(port.accept(first(&payment), &one, NOW), port.accept(first(&payment), &other, NOW)).await;
    let (made, left_out, told) = match (&told_one, &told_other) {
        (Ok(()), _) => (one, other, told_other),
        (_, Ok(())) => (other, one, told_one),
        (_, _) => bail!("neither was made: {told_one:?}, {told_other:?}"),
    };
    let changed = AcceptError::Changed(Some(Box::new(payment.clone())));
    let end = async {
        check(lost(&told, &changed), &format!("the loser: {told:?}"))?;
        expect_key(table, &made.id, Some(&made)).await?;
        expect_key(table, &left_out.id, None).await?;
        expect_payment(table, &payment.id, Some(&payment)).await
    };
    end.await.context(RACE)
}

async fn of_eight_equal_acceptances_at_once_one_is_made<S: AcceptanceSubject>(table: &S) -> Result<()> {
    let payment = record("o");
    let key = key("k", &payment)?;
    let port = table.port();
    let all = join_all((0..8).map(|_| port.accept(first(&payment), &key, NOW))).await;
    let taken = AcceptError::KeyTaken(Box::new(key.clone()));
    let end = async {
        expect("how many were made", &all.iter().filter(|told| told.is_ok()).count(), &1)?;
        let stray = all.iter().find(|told| told.is_err() && !lost(told, &taken));
        expect("what a loser learned besides", &stray, &None)?;
        expect_key(table, &key.id, Some(&key)).await?;
        expect_payment(table, &payment.id, Some(&payment)).await
    };
    end.await.context(RACE)
}
