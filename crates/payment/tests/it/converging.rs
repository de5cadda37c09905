//! One turn of the loop: what is written before a send, what after it, and when nothing may be sent at all.

use effect::{Note, Outcome, ProviderKey, ReviewReason, Standing, Status, hours, minutes, seconds};
use payment::{
    Account, Claim, Converged, Malformed, NotRecorded, OperationKey, PaymentState,
    ports::{LoadError, NoCredentials},
};

use crate::{
    bench::{asked, bench, declined, expects, is_in, is_ours, page, paid, payment_id, shows, teaches, wake},
    histories::NOW,
    payments::{account, key},
};

#[test]
fn a_charge_is_one_intent_one_send_and_one_outcome() {
    let bench = bench();
    assert_eq!(bench.turn(&asked(0), [paid()]), Ok(Converged::Recorded));
    assert_eq!(bench.counts(), (2, 1, 0));

    let intent = &bench.writes.borrow()[0];
    let claim = Claim { token: "w-1".to_owned(), until: NOW.plus_ms(seconds(65)) };
    assert_eq!((intent.version, intent.claim.as_ref(), intent.due_at), (1, Some(&claim), None));
    assert_eq!(intent.payment.account, Some(account()));
    let attempt = &intent.payment.operations[&key(0)].attempt;
    assert_eq!((attempt.first_sent_at, attempt.last_send_until), (Some(NOW), Some(claim.until)));

    let operation_id = key(0).id(&payment_id());
    let (frozen, expected) = bench.sends.borrow()[0].clone();
    assert_eq!(attempt.frozen, Some(frozen.clone()), "what is sent is what was frozen");
    assert_eq!(frozen.key, ProviderKey::derive("prod", &operation_id, 0));
    assert!(frozen.body.starts_with("CreateIntent"), "{}", frozen.body);
    assert_eq!(expected, expects(&key(0)));

    let record = bench.record();
    assert_eq!((record.version, record.claim.as_ref(), record.due_at), (2, None, None));
    assert_eq!(record.payment.state(), PaymentState::Captured);
}

#[test]
fn the_intent_of_a_message_received_again_is_due() {
    let mut bench = bench();
    bench.invocation.is_first_receive = false;
    assert_eq!(bench.turn(&asked(0), [paid()]), Ok(Converged::Recorded));
    assert_eq!(bench.writes.borrow()[0].due_at, Some(NOW.plus_ms(seconds(65))), "when the claim ends");
}

#[test]
fn a_duplicate_of_what_is_done_writes_nothing() {
    let bench = bench();
    bench.turn(&asked(0), [paid()]).unwrap();
    for command in [asked(0), wake()] {
        assert_eq!(bench.turn(&command, []), Ok(Converged::Recorded));
        assert_eq!(bench.counts(), (2, 1, 0));
    }
}

#[test]
fn a_decline_is_voided_in_the_same_turn() {
    let bench = bench();
    let canceled = shows("pi_1", Some(Outcome::Canceled));
    bench.turn(&asked(0), [shows("pi_1", Some(declined())), canceled]).unwrap();
    assert_eq!(bench.counts(), (3, 2, 0), "the outcome and the void's intent are one write");
    let void = OperationKey::void_of(&key(0));
    let (frozen, expected) = bench.sends.borrow()[1].clone();
    assert!(frozen.body.starts_with("CancelIntent { id: \"pi_1\""), "{}", frozen.body);
    assert_eq!(frozen.key, ProviderKey::derive("prod", &void.id(&payment_id()), 0));
    assert_eq!(expected.operation_id, key(0).id(&payment_id()), "it acts on the charge's object");
    let standing = |key| bench.operation(key).attempt.standing;
    assert_eq!((standing(&key(0)), standing(&void)), (Standing::Failed, Standing::Succeeded));
    assert_eq!(bench.record().payment.state(), PaymentState::Failed);
}

#[test]
fn a_lost_reply_is_resent_once_under_the_same_bytes_and_then_due() {
    let mut bench = bench();
    bench.invocation.jitter_per_mille = 1_000;
    let lost = || teaches(Note::Ambiguous { resend: true });
    bench.turn(&asked(0), [lost(), lost()]).unwrap();
    assert_eq!(bench.counts(), (2, 2, 0));
    assert_eq!(bench.sends.borrow()[0], bench.sends.borrow()[1]);
    let (record, attempt) = (bench.record(), bench.first().attempt);
    assert_eq!((attempt.standing, attempt.tries, record.claim), (Standing::Unknown, 1, None));
    assert_eq!(
        (attempt.look_at, record.due_at),
        (Some(NOW.plus_ms(seconds(75))), Some(NOW.plus_ms(seconds(75))))
    );
}

#[test]
fn a_later_turn_resends_the_frozen_bytes_and_keeps_the_windows_start() {
    let mut bench = bench();
    bench.turn(&asked(0), [teaches(Note::Ambiguous { resend: false })]).unwrap();
    bench.later("w-2", minutes(2));
    bench.turn(&wake(), [teaches(Note::NotDone)]).unwrap();
    assert_eq!(bench.sends.borrow()[0], bench.sends.borrow()[1]);
    let attempt = bench.first().attempt;
    assert_eq!((attempt.standing, attempt.first_sent_at), (Standing::Unknown, Some(NOW)));
    assert_eq!(attempt.last_send_until, Some(NOW.plus_ms(minutes(2) + seconds(65))));
}

#[test]
fn a_first_send_that_was_not_done_leaves_no_trace_of_a_window() {
    let bench = bench();
    bench.turn(&asked(0), [teaches(Note::NotDone)]).unwrap();
    let attempt = bench.first().attempt;
    assert_eq!(
        (attempt.standing, attempt.first_sent_at, attempt.last_send_until),
        (Standing::Pending, None, None)
    );
    assert_eq!(bench.record().due_at, Some(NOW.plus_ms(minutes(1))));
}

#[test]
fn a_refusal_of_a_crashed_workers_request_is_not_believed() {
    let mut bench = bench();
    bench.turn(&asked(0), [teaches(Note::NotDone)]).unwrap();
    // The same record as a worker leaves it that crashed in its send.
    let crashed = bench.writes.borrow()[0].clone();
    *bench.stored.borrow_mut() = Some(crashed);
    bench.later("w-2", minutes(2));
    bench.turn(&wake(), [teaches(Note::Refused("resource_missing".to_owned()))]).unwrap();
    assert_eq!(bench.first().attempt.standing, Standing::Unknown);
}

#[test]
fn an_unconfirmed_intent_is_confirmed_as_the_next_generation() {
    let mut bench = bench();
    let unconfirmed = || is_in("pi_1", Status::Unconfirmed);
    bench.turn(&asked(0), [unconfirmed()]).unwrap();
    bench.later("w-2", hours(1));
    bench.turn(&wake(), [unconfirmed(), teaches(Note::Ambiguous { resend: false })]).unwrap();
    let confirm = bench.sends.borrow()[1].0.clone();
    assert!(confirm.body.starts_with("ConfirmIntent { id: \"pi_1\""), "{}", confirm.body);
    assert_eq!(confirm.key, ProviderKey::derive("prod", &key(0).id(&payment_id()), 1));
    let attempt = bench.first().attempt;
    assert_eq!((attempt.generation, attempt.frozen), (1, Some(confirm)));

    bench.later("w-3", hours(2));
    bench.turn(&wake(), [unconfirmed(), paid()]).unwrap();
    assert_eq!(bench.sends.borrow()[2].0.key, ProviderKey::derive("prod", &key(0).id(&payment_id()), 2));
    assert_eq!(bench.record().payment.state(), PaymentState::Captured);
}

#[test]
fn a_confirm_is_sent_although_the_create_was_barred() {
    let mut bench = bench();
    let unconfirmed = || is_in("pi_1", Status::Unconfirmed);
    let found = [teaches(Note::SavedError), page(&["pi_1"], None), is_ours("pi_1", None), unconfirmed()];
    bench.turn(&asked(0), found).unwrap();
    assert!(bench.first().attempt.barred);
    bench.later("w-2", hours(1));
    bench.turn(&wake(), [unconfirmed(), teaches(Note::NotDone)]).unwrap();
    assert!(!bench.first().attempt.barred, "the new key has no saved error");
}

#[test]
fn another_account_goes_to_a_person_and_is_never_sent_to() {
    let mut bench = bench();
    bench.turn(&asked(0), [teaches(Note::Ambiguous { resend: false })]).unwrap();
    let (old, live) = (account(), Account { live: true, ..account() });
    let other = Account { id: "acct_2".to_owned(), ..account() };
    let unsettled = bench.record();
    for changed in [live, other] {
        *bench.stored.borrow_mut() = Some(unsettled.clone());
        *bench.account.borrow_mut() = Ok(changed);
        bench.later("w-2", minutes(2));
        assert_eq!(bench.turn(&wake(), []), Ok(Converged::Recorded));
        assert_eq!(bench.first().attempt.review, Some(ReviewReason::AccountChanged));
        assert_eq!(bench.record().payment.account, Some(old.clone()));
    }
    assert_eq!(bench.sends.borrow().len(), 1);
}

#[test]
fn without_credentials_nothing_is_sent_or_asked_and_it_is_due_later() {
    let mut bench = bench();
    bench.invocation.jitter_per_mille = 1_000;
    *bench.account.borrow_mut() = Err(NoCredentials("no secret"));
    assert_eq!(bench.turn(&asked(0), []), Ok(Converged::Recorded));
    assert_eq!(bench.counts(), (1, 0, 0));
    assert_eq!(bench.first().attempt.look_at, Some(NOW.plus_ms(seconds(75))));

    *bench.account.borrow_mut() = Ok(account());
    bench.later("w-2", minutes(2));
    bench.turn(&wake(), [is_in("pi_1", Status::RequiresAction)]).unwrap();
    *bench.account.borrow_mut() = Err(NoCredentials("no secret"));
    bench.later("w-3", hours(1));
    let asked_before = bench.counts().2;
    assert_eq!(bench.turn(&wake(), []), Ok(Converged::Recorded));
    assert_eq!(bench.counts().2, asked_before);
    assert!(bench.record().due_at > Some(NOW.plus_ms(hours(1))));
}

#[test]
fn an_intent_without_time_left_to_send_is_taken_back() {
    let bench = bench();
    bench.write_ms.set(seconds(40));
    assert_eq!(bench.turn(&asked(0), []), Ok(Converged::Recorded));
    assert_eq!(bench.counts(), (2, 0, 0));
    let attempt = bench.first().attempt;
    assert_eq!((attempt.standing, attempt.first_sent_at, attempt.tries), (Standing::Pending, None, 1));
    assert_eq!((attempt.look_at, bench.record().claim), (Some(NOW.plus_ms(seconds(100))), None));
}

#[test]
fn what_cannot_be_recorded_is_rejected_and_what_could_not_be_read_comes_again() {
    let bench = bench();
    let unknown = Malformed::UnknownPayment(payment_id());
    assert_eq!(bench.turn(&wake(), []), Ok(Converged::Rejected(unknown)));
    *bench.load_error.borrow_mut() = Some(LoadError::Unavailable("throttled"));
    assert_eq!(bench.turn(&wake(), []), Err(NotRecorded::Table("throttled")));
    *bench.load_error.borrow_mut() = Some(LoadError::Corrupt("no pk"));
    assert_eq!(bench.turn(&wake(), []), Err(NotRecorded::Corrupt("no pk")));
    assert_eq!(bench.counts(), (0, 0, 0));
}
