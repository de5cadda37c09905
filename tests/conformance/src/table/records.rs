//! Records for the cases.

use effect::{Attempt, Frozen, ProviderKey, ReviewReason, Standing, Status, Time};
use payment::{Account, Announced, CaptureMethod, Claim, Effect, Operation, OperationKey, Payment, Record};

/// When the cases' time starts.
pub(crate) const NOW: Time = Time(1_800_000_000_000);

/// Returns an order's record in its first version: nothing is on it, and nothing due.
#[expect(clippy::expect_used, reason = "the suite's own words are valid names")]
pub(crate) fn record(order: &str) -> Record {
    let payment = Payment::empty("shop".parse().expect("a tenant"), order.parse().expect("an order"));
    Record {
        id: payment.id(),
        version: 1,
        updated_at: NOW,
        payment,
        claim: None,
        due_at: None,
        woken_for: None,
        review_at: None,
        announce: None,
    }
}

/// Returns the record that a worker writes after `held`.
pub(crate) fn next(held: &Record, by: &str) -> Record {
    let claim = Some(Claim { token: by.to_owned(), until: NOW.plus_ms(60_000) });
    Record { version: held.version + 1, updated_at: NOW.plus_ms(1), claim, ..held.clone() }
}

/// Returns the record with a time at which it is due.
pub(crate) fn due(record: Record, at: Time) -> Record {
    Record { due_at: Some(at), ..record }
}

/// Returns the record as a sweep leaves it that answers what is due.
pub(super) fn leased(record: &Record, until: Time) -> Record {
    Record { due_at: Some(until), woken_for: record.due_at, ..record.clone() }
}

/// Returns an order's record that is due, in a given shard of the index.
#[expect(clippy::expect_used, reason = "one order in eight falls into each shard")]
pub(super) fn in_shard(name: &str, shard: u8, at: Time) -> Record {
    let candidates = (0..10_000).map(|number| record(&format!("{name}-{number}")));
    let found = candidates.into_iter().find(|record| record.id.shard() == shard);
    due(found.expect("an order of the shard"), at)
}

/// Returns a record with every attribute set, each at an extreme of what it may hold.
#[expect(clippy::expect_used, reason = "the suite's own words are valid names")]
pub(super) fn full() -> Record {
    let bare = record("full");
    let charge = Operation {
        seq: 1,
        effect: Effect::Charge {
            amount: 99_999_999.try_into().expect("an amount"),
            currency: "eur".parse().expect("a currency"),
            customer: "cus_1".parse().expect("a customer"),
            payment_method: "pm_123".parse().expect("a payment method"),
            capture: CaptureMethod::Manual,
        },
        digest: "d".repeat(64),
        accepted_at: NOW,
        attempt: Attempt {
            standing: Standing::Failed,
            review: Some(ReviewReason::TwoIds),
            frozen: Some(Frozen {
                key: ProviderKey::derive("conformance", bare.id.as_str(), 3),
                path: "/v1/payment_intents".to_owned(),
                body: "amount=99999999&description=%C3%A9 é 一回 😀\n".to_owned(),
                api_version: "2025-09-30.clover".to_owned(),
            }),
            generation: u32::MAX,
            first_sent_at: Some(Time(0)),
            last_send_until: Some(Time(i64::MAX)),
            tries: u32::MAX,
            look_at: Some(Time(-5)),
            barred: true,
            ids: ["pi_1".to_owned(), "pi_2".to_owned()].into(),
            status: Some(Status::Declined),
            code: Some("card_declined".to_owned()),
            moved: Some(u64::MAX),
        },
        differing: ["e".repeat(64)].into(),
        outcomes: [("failed".to_owned(), Announced { version: u64::MAX, time: Time(i64::MIN) })].into(),
        causation_id: Some("cause".to_owned()),
        traceparent: Some("00-1-2-01".to_owned()),
    };
    let mut payment = bare.payment;
    payment.operations.insert(OperationKey::charge("1".parse().expect("a ref")), charge);
    payment.account = Some(Account { id: "acct_1".to_owned(), live: true });
    Record {
        payment,
        version: u64::MAX,
        claim: Some(Claim { token: "t".to_owned(), until: Time(3) }),
        due_at: Some(NOW),
        woken_for: Some(Time(i64::MIN)),
        review_at: Some(Time(5)),
        announce: Some("a b".to_owned()),
        ..record("full")
    }
}
