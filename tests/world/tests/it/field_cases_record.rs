//! Field cases B: the durable record, its claim and its conditions.

use effect::{CLAIM_GRACE_MS, Standing, hours, minutes, seconds};
use payment::{Converged, NotRecorded, ports::SaveError};

use crate::bench::{Bench, Call, DECLINED, FUNCTION_TIMEOUT_MS, VISA, Write, charge};

const CLAIM_MS: i64 = FUNCTION_TIMEOUT_MS + CLAIM_GRACE_MS;

/// A worker claims, Stripe carries the charge out, and the worker dies before it can write that down.
fn killed_mid_effect() -> Bench {
    let bench = Bench::new();
    bench.script_calls([Call::Kills]);
    bench.deliver_and_die(&charge("1", VISA));
    assert_eq!(bench.take_calls(), ["create"]);
    bench
}

#[test]
fn b1_before_the_claim_ends_nobody_calls_and_the_message_is_reported() {
    for age in [0, CLAIM_MS - seconds(1), CLAIM_MS - 1] {
        let bench = killed_mid_effect();
        bench.pass_to(age);
        assert_eq!(bench.redeliver(&charge("1", VISA)), Err(NotRecorded::ClaimedElsewhere), "{age} ms");
        assert!(bench.take_calls().is_empty(), "{age} ms");
    }
}

#[test]
fn b1_from_the_claim_s_end_on_the_same_key_and_the_same_bytes_show_what_happened() {
    for age in [CLAIM_MS, CLAIM_MS + 1, CLAIM_MS + seconds(1)] {
        let bench = killed_mid_effect();
        bench.pass_to(age);
        assert_eq!(bench.shown("charge/1"), Standing::Unknown, "a lease says nothing about money");
        assert_eq!(bench.redeliver(&charge("1", VISA)), Ok(Converged::Recorded));
        assert_eq!(bench.take_calls(), ["create"], "{age} ms");
        bench.assert_every_create_is_the_same();
        assert_eq!((bench.standing("charge/1"), bench.intents()), (Standing::Succeeded, 1));
    }
}

#[test]
fn b1_a_day_later_it_is_looked_up() {
    let bench = killed_mid_effect();
    bench.pass_to(hours(24));
    assert_eq!(bench.redeliver(&charge("1", VISA)), Ok(Converged::Recorded));
    assert_eq!(bench.take_calls(), ["list", "retrieve"]);
    assert_eq!((bench.standing("charge/1"), bench.intents()), (Standing::Succeeded, 1));
}

#[test]
fn b1_a_worker_killed_before_its_first_write_leaves_nothing_and_its_message_comes_again() {
    let bench = Bench::new();
    bench.script_writes([Write::Kills]);
    bench.deliver_and_die(&charge("1", VISA));
    assert!(bench.records().is_empty() && bench.take_calls().is_empty());
    assert_eq!(bench.redeliver(&charge("1", VISA)), Ok(Converged::Recorded));
    assert_eq!((bench.standing("charge/1"), bench.intents()), (Standing::Succeeded, 1));
}

#[test]
fn b3_a_lost_reply_to_the_intent_s_write_is_known_as_our_own_and_the_charge_goes_on() {
    let bench = Bench::new();
    bench.script_writes([Write::LosesReply]);
    assert_eq!(bench.deliver(&charge("1", VISA)), Ok(Converged::Recorded));
    assert_eq!(bench.take_calls(), ["create"]);
    assert_eq!((bench.standing("charge/1"), bench.intents()), (Standing::Succeeded, 1));
}

#[test]
fn b3_an_intent_that_another_worker_wrote_first_is_left_to_it() {
    let bench = Bench::new();
    bench.before_the_next_write(|bench| {
        bench.script_calls([Call::Kills]);
        bench.deliver_and_die(&charge("1", VISA));
        assert_eq!(bench.take_calls(), ["create"]);
    });
    assert_eq!(bench.deliver(&charge("1", VISA)), Err(NotRecorded::ClaimedElsewhere));
    assert!(bench.take_calls().is_empty(), "the loser calls nobody");
    bench.pass(minutes(6));
    bench.redeliver(&charge("1", VISA)).unwrap();
    assert_eq!((bench.standing("charge/1"), bench.intents()), (Standing::Succeeded, 1));
}

#[test]
fn b3_a_payment_that_another_worker_finished_first_is_done() {
    let bench = Bench::new();
    bench.before_the_next_write(|bench| {
        bench.deliver(&charge("1", VISA)).unwrap();
        bench.take_calls();
    });
    assert_eq!(bench.deliver(&charge("1", VISA)), Ok(Converged::Recorded));
    assert!(bench.take_calls().is_empty());
    assert_eq!(bench.intents(), 1);
}

#[test]
fn b3_a_lost_reply_to_the_final_write_is_success_and_no_error() {
    let bench = Bench::new();
    bench.script_writes([Write::Works, Write::LosesReply]);
    assert_eq!(bench.deliver(&charge("1", VISA)), Ok(Converged::Recorded));
    let record = bench.record();
    assert_eq!((bench.standing("charge/1"), record.version, record.claim), (Standing::Succeeded, 2, None));
    assert_eq!(bench.announced(), ["PaymentCaptured charge/1"]);
}

#[test]
fn b3_a_final_write_that_the_sdk_gives_up_on_is_reported_and_found_made() {
    let bench = Bench::new();
    bench.script_writes([Write::Works, Write::GivesUp]);
    assert_eq!(bench.deliver(&charge("1", VISA)), Err(NotRecorded::Table("reply lost")));
    bench.take_calls();
    assert_eq!(bench.redeliver(&charge("1", VISA)), Ok(Converged::Recorded));
    assert!(bench.take_calls().is_empty());
    assert_eq!(bench.announced(), ["PaymentCaptured charge/1"]);
}

#[test]
fn b3_an_intent_s_write_that_the_sdk_gives_up_on_sends_nothing_yet() {
    let bench = Bench::new();
    bench.script_writes([Write::GivesUp]);
    assert_eq!(bench.deliver(&charge("1", VISA)), Err(NotRecorded::Table("reply lost")));
    assert!(bench.take_calls().is_empty());
    bench.pass(minutes(6));
    bench.redeliver(&charge("1", VISA)).unwrap();
    assert_eq!((bench.standing("charge/1"), bench.intents()), (Standing::Succeeded, 1));
}

#[test]
fn b6_a_stale_worker_s_failure_does_not_overwrite_the_new_owner_s_success() {
    let bench = Bench::new();
    bench.script_calls([Call::TimesOut]);
    bench.while_in_flight(|bench| {
        bench.pass(CLAIM_MS);
        bench.redeliver(&charge("1", VISA)).unwrap();
    });
    assert_eq!(bench.deliver(&charge("1", VISA)), Ok(Converged::Recorded), "it ends cleanly");
    let record = bench.record();
    assert_eq!((bench.standing("charge/1"), record.due_at, record.claim), (Standing::Succeeded, None, None));
    assert_eq!(bench.announced(), ["PaymentCaptured charge/1"], "and says nothing of its own");
    assert_eq!(
        bench.take_tally().refused,
        2,
        "the redelivery's first write, and the stale worker's only one"
    );
}

#[test]
fn b6_a_stale_worker_cannot_extend_its_claim() {
    let bench = Bench::new();
    bench.while_in_flight(|bench| {
        bench.pass(CLAIM_MS);
        bench.redeliver(&charge("1", DECLINED)).unwrap();
        assert_eq!(bench.take_calls(), ["create", "create", "cancel"]);
    });
    // It wakes with the decline in hand and would claim anew, to send the void that has been sent already.
    assert_eq!(bench.deliver(&charge("1", DECLINED)), Ok(Converged::Recorded));
    assert!(bench.take_calls().is_empty());
    assert_eq!(bench.record().claim, None);
    assert_eq!(bench.effects().intents_canceled, 1);
    assert_eq!(bench.announced(), ["PaymentFailed charge/1"]);
}

#[test]
fn b6_a_stale_worker_s_fact_still_counts() {
    let bench = Bench::new();
    bench.while_in_flight(|bench| {
        // The other worker's clock is ahead: for the first one its claim still runs.
        bench.skew(CLAIM_MS);
        bench.script_calls([Call::TimesOut]);
        bench.redeliver(&charge("1", VISA)).unwrap();
        assert_eq!(bench.standing("charge/1"), Standing::Unknown);
        bench.skew(0);
    });
    bench.deliver(&charge("1", VISA)).unwrap();
    assert_eq!(
        bench.standing("charge/1"),
        Standing::Succeeded,
        "what the provider's state is does not go stale"
    );
    assert_eq!(bench.record().due_at, None);
}

#[test]
fn b8_an_outcome_that_cannot_be_saved_is_reported_and_found_again_under_the_same_key() {
    let bench = Bench::new();
    let throttled = || Write::Fails(SaveError::NotDone("throttled"));
    bench.script_writes([Write::Works, throttled()]);
    assert_eq!(bench.deliver(&charge("1", VISA)), Err(NotRecorded::Table("throttled")));
    for _ in 0..3 {
        bench.pass(minutes(6));
        bench.script_writes([Write::Works, throttled()]);
        assert_eq!(bench.redeliver(&charge("1", VISA)), Err(NotRecorded::Table("throttled")));
        assert_eq!(bench.standing("charge/1"), Standing::Pending);
    }
    bench.pass(minutes(6));
    assert_eq!(bench.redeliver(&charge("1", VISA)), Ok(Converged::Recorded));
    bench.assert_every_create_is_the_same();
    assert_eq!((bench.standing("charge/1"), bench.intents()), (Standing::Succeeded, 1));
}

/// Blows a reply up to half a megabyte.
fn inflate(reply: &mut stripe_wire::HttpReply) {
    let mut body: serde_json::Value = serde_json::from_slice(&reply.body).unwrap();
    let noise = "x".repeat(500_000);
    body["description"] = noise.clone().into();
    if body.get("error").is_some() {
        body["error"]["message"] = noise.clone().into();
        body["error"]["decline_code"] = noise.clone().into();
        body["error"]["code"] = noise.clone().into();
        body["error"]["payment_intent"]["last_payment_error"]["decline_code"] = noise.into();
    }
    reply.body = serde_json::to_vec(&body).unwrap();
}

#[test]
fn b8_what_is_stored_of_a_reply_is_bounded_however_large_the_reply() {
    for (card, standing) in [(VISA, Standing::Succeeded), (DECLINED, Standing::Failed)] {
        let bench = Bench::new();
        bench.script_calls([Call::Garbles(inflate)]);
        bench.deliver(&charge("1", card)).unwrap();
        assert_eq!(bench.standing("charge/1"), standing);
        let bytes = serde_json::to_vec(&bench.record()).unwrap().len();
        assert!(bytes < 4_096, "{bytes} bytes");
    }
}
