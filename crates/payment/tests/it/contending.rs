//! Writes that meet another's: facts are taken along, notes are dropped, and our own write is recognised.

use effect::{Note, Outcome, Standing, Status, Time, hours, minutes, seconds};
use payment::{Claim, Command, Converged, Guard, NotRecorded, Payment, Record, Reported, accept, seal};

use crate::{
    bench::{Bench, Fate, asked, bench, fact, is_in, overtaken, page, paid, payment_id, teaches, wake},
    histories::NOW,
    payments::{charge, key},
};

fn fails(bench: &Bench, error: payment::ports::SaveError) -> Result<Converged, NotRecorded> {
    bench.fates.borrow_mut().push_back(Fate::Fails(error));
    bench.turn(&asked(0), [])
}

/// The record after another worker's write on top of it.
fn written_by_another(record: &Record, change: impl FnOnce(&mut Payment)) -> Record {
    let mut payment = record.payment.clone();
    change(&mut payment);
    let rules = effect::Rules::production();
    seal(payment, Some(record), record.claim.clone(), Guard::Due, record.updated_at, &rules)
}

/// A record that another order's worker could have written first.
fn already_asked() -> Record {
    let payment = accept(None, &asked(0), NOW.plus_ms(-7)).unwrap();
    seal(payment, None, None, Guard::Due, NOW.plus_ms(-7), &effect::Rules::production())
}

/// A bench whose charge is under way by another worker, met so much later.
fn claimed_by_another(later_ms: i64) -> Bench {
    let mut bench = bench();
    bench.turn(&asked(0), [paid()]).unwrap();
    let intent = bench.writes.borrow()[0].clone();
    *bench.stored.borrow_mut() = Some(intent);
    bench.writes.borrow_mut().clear();
    bench.later("w-2", later_ms);
    bench
}

#[test]
fn a_failed_write_is_told_by_its_kind() {
    use payment::ports::SaveError;
    let bench = bench();
    assert_eq!(fails(&bench, SaveError::NotDone("throttled")), Err(NotRecorded::Table("throttled")));
    assert_eq!(fails(&bench, SaveError::Unknown("timeout")), Err(NotRecorded::Table("timeout")));
    assert_eq!(fails(&bench, SaveError::Corrupt("no pk")), Err(NotRecorded::Corrupt("no pk")));
    assert_eq!(bench.counts(), (0, 0, 0));
}

#[test]
fn the_record_met_by_the_first_write_is_the_one_decided_on() {
    let bench = bench();
    *bench.stored.borrow_mut() = Some(already_asked());
    bench.turn(&asked(0), [paid()]).unwrap();
    assert_eq!((bench.record().version, bench.first().accepted_at), (3, NOW.plus_ms(-7)));
}

#[test]
fn our_own_write_whose_reply_was_lost_has_won() {
    let leases = [None, Some(NOW.plus_ms(minutes(15)))];
    for leased_until in leases {
        let bench = bench();
        bench.fates.borrow_mut().push_back(Fate::TakenUnseen { leased_until });
        bench.turn(&asked(0), [teaches(Note::NotDone)]).unwrap();
        assert_eq!(bench.sends.borrow().len(), 1);
        assert_eq!(bench.record().version, 2, "the intent was not written again");
        assert_eq!(bench.first().attempt.first_sent_at, None, "so the send was the first of all");
    }
}

#[test]
fn a_record_that_keeps_changing_is_given_up_after_the_settings_number_of_conflicts() {
    let contended = |conflicts: u64| {
        let bench = bench();
        let overtaken = (1..=conflicts).map(|n| overtaken(Some(Record { version: n, ..already_asked() })));
        bench.fates.borrow_mut().extend(overtaken);
        let answers = (conflicts < 6).then(paid);
        (bench.turn(&asked(0), answers), bench.sends.borrow().len())
    };
    assert_eq!(contended(1), (Ok(Converged::Recorded), 1));
    assert_eq!(contended(5), (Ok(Converged::Recorded), 1));
    assert_eq!(contended(6), (Err(NotRecorded::Contended), 0));
}

#[test]
fn a_record_that_vanished_rejects_what_it_was_about() {
    let mut bench = bench();
    *bench.stored.borrow_mut() = Some(already_asked());
    bench.later("w-2", minutes(1));
    bench.fates.borrow_mut().push_back(overtaken(None));
    let unknown = payment::Malformed::UnknownPayment(payment_id());
    assert_eq!(bench.turn(&wake(), []), Ok(Converged::Rejected(unknown)));
}

#[test]
fn a_fact_survives_a_conflict_and_our_claim_is_recognised() {
    let bench = bench();
    let first = charge(0, 501);
    bench.fates.borrow_mut().push_back(Fate::Taken);
    // Between the intent and the outcome somebody else records a differing request, and keeps our claim.
    bench.turn(&asked(0), [paid()]).unwrap();
    let intent = bench.writes.borrow()[0].clone();
    let overtaking = written_by_another(&intent, |payment| {
        *payment = accept(Some(payment), &Command::Charge(first.clone()), NOW).unwrap();
    });
    let bench = crate::bench::bench();
    bench.fates.borrow_mut().extend([Fate::Taken, overtaken(Some(overtaking))]);
    bench.turn(&asked(0), [paid()]).unwrap();
    let record = bench.record();
    assert_eq!((record.version, record.claim.as_ref()), (3, None));
    assert_eq!((bench.first().attempt.standing, bench.first().differing.len()), (Standing::Succeeded, 1));
    assert_eq!(bench.counts(), (2, 1, 0));
}

#[test]
fn a_note_is_dropped_by_a_conflict_and_the_request_sent_again_under_the_claim_still_held() {
    let once = bench();
    once.turn(&asked(0), [paid()]).unwrap();
    let intent = once.writes.borrow()[0].clone();
    let overtaking = written_by_another(&intent, |payment| {
        *payment = accept(Some(payment), &Command::Charge(charge(0, 501)), NOW).unwrap();
    });
    let mut bench = bench();
    bench.invocation.jitter_per_mille = 1_000;
    bench.fates.borrow_mut().extend([Fate::Taken, overtaken(Some(overtaking))]);
    let lost = || teaches(Note::Ambiguous { resend: false });
    bench.turn(&asked(0), [lost(), lost()]).unwrap();
    let attempt = bench.first().attempt;
    assert_eq!((attempt.standing, attempt.tries), (Standing::Unknown, 1));
    assert_eq!(attempt.look_at, Some(NOW.plus_ms(seconds(75))));
    assert_eq!(bench.sends.borrow()[0], bench.sends.borrow()[1]);
}

#[test]
fn a_look_up_goes_on_under_the_claim_still_held_after_a_conflict() {
    let mut bench = bench();
    bench.turn(&asked(0), [is_in("pi_1", Status::RequiresAction)]).unwrap();
    bench.later("w-2", hours(1));
    // The conflict meets the outcome; the object has to be retrieved again, for the note is gone.
    let seen = bench.record();
    let claim = Some(Claim { token: "w-2".to_owned(), until: NOW.plus_ms(hours(1) + seconds(65)) });
    let overtaking = Record { version: seen.version + 2, claim, announce: None, ..seen };
    bench.fates.borrow_mut().extend([Fate::Taken, overtaken(Some(overtaking))]);
    let action = || is_in("pi_1", Status::RequiresAction);
    let before = bench.counts().0;
    bench.turn(&wake(), [action(), action()]).unwrap();
    assert_eq!(bench.counts().0 - before, 2, "one claim, one outcome: no second claim");
    assert_eq!(bench.record().claim, None);
}

#[test]
fn what_another_worker_is_doing_is_left_alone_and_comes_again_unless_it_is_due() {
    let bench = claimed_by_another(seconds(1));
    assert_eq!(bench.turn(&asked(0), []), Err(NotRecorded::ClaimedElsewhere));
    let unguarded = bench.record();
    *bench.stored.borrow_mut() = Some(Record { due_at: Some(NOW), ..unguarded.clone() });
    assert_eq!(bench.turn(&wake(), []), Ok(Converged::Recorded));
    let settled = written_by_another(&unguarded, |payment| {
        payment.absorb(&key(0), &fact("pi_1", Some(Outcome::Succeeded)));
    });
    *bench.stored.borrow_mut() = Some(Record { claim: unguarded.claim, due_at: None, ..settled });
    assert_eq!(bench.turn(&wake(), []), Ok(Converged::Recorded), "nothing is left to be done");
    assert_eq!(bench.counts().0, 0);
}

#[test]
fn what_is_learned_beside_another_worker_is_recorded_under_its_claim() {
    let bench = claimed_by_another(seconds(1));
    let held = bench.record().claim;
    let report = Command::Fact(Reported {
        payment_id: payment_id(),
        operation: key(0),
        fact: fact("pi_1", Some(Outcome::Succeeded)),
        source_id: "evt_1".to_owned(),
    });
    assert_eq!(bench.turn(&report, []), Ok(Converged::Recorded));
    let record = bench.record();
    assert_eq!((record.claim, bench.first().attempt.standing), (held, Standing::Succeeded));
    assert_eq!(bench.counts().0, 1);
}

#[test]
fn a_claim_that_ran_out_holds_nobody_back() {
    let bench = claimed_by_another(seconds(65));
    bench.turn(&asked(0), [paid()]).unwrap();
    assert_eq!((bench.first().attempt.standing, bench.record().claim), (Standing::Succeeded, None));
}

#[test]
fn a_write_needs_its_margin_unless_the_claim_is_ours() {
    let ended = |left_ms: i64| {
        let mut bench = bench();
        bench.invocation.deadline = NOW.plus_ms(left_ms);
        (bench.turn(&asked(0), []), bench.counts())
    };
    assert_eq!(ended(seconds(3)), (Ok(Converged::Recorded), (1, 0, 0)), "recorded, and due");
    assert_eq!(ended(seconds(3) - 1), (Err(NotRecorded::NoTime), (0, 0, 0)));

    let late = bench();
    late.call_ms.set(seconds(59));
    assert_eq!(late.turn(&asked(0), [paid()]), Ok(Converged::Recorded), "an outcome is worth a try");
    assert_eq!(late.record().updated_at, Time(NOW.0 + seconds(59)));

    let pages = bench();
    pages.turn(&asked(0), [teaches(Note::SavedError), page(&[], None)]).unwrap();
    assert_eq!(pages.first().attempt.tries, 1);
}
