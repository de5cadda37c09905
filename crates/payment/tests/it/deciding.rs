//! The next step of a turn: what it depends on, and who goes first.

use effect::{Look, ReviewReason, Send, Standing, Time, minutes, seconds};
use payment::{
    Claim, Guard, Kind, Limits, OperationKey, Payment, Record, Step, Turn, accept, decide, due, seal,
};

use crate::{
    asking,
    histories::NOW,
    payments::{asked_for, declined_first, ended, key, rules, seen, sent, standing, void, with},
};

const LIMITS: Limits = Limits { provider_timeout_ms: seconds(20), write_margin_ms: seconds(3) };

/// Enough for a call and two writes, for a call and one write, and for no call.
const TWO: i64 = seconds(26);
const ONE: i64 = seconds(23);
const NONE: i64 = seconds(23) - 1;

fn turn(left_ms: i64) -> Turn {
    let effect = effect::Turn { now: NOW, ..effect::Turn::default() };
    Turn { token: "w-1".to_owned(), deadline: NOW.plus_ms(left_ms), effect, ..Turn::default() }
}

fn claimed(left_ms: i64) -> Turn {
    Turn { claimed: true, ..turn(left_ms) }
}

fn armed(left_ms: i64) -> Turn {
    let mut turn = Turn { focus: Some(key(0)), ..claimed(left_ms) };
    turn.effect.armed = true;
    turn
}

fn stored(payment: &Payment) -> Record {
    seal(payment.clone(), None, None, Guard::Due, NOW, &rules())
}

/// The step when the record holds the payment as it is.
fn step(payment: &Payment, turn: &Turn) -> Step {
    let record = stored(payment);
    decide(&record.payment.clone(), Some(&record), turn, LIMITS, &rules())
}

#[test]
fn the_time_left_covers_a_call_and_so_many_writes() {
    for (left, writes, has_time) in [(TWO, 2, true), (TWO - 1, 2, false), (ONE, 1, true), (NONE, 1, false)] {
        assert_eq!(turn(left).has_time_for(LIMITS, writes), has_time, "{left} ms, {writes} writes");
    }
    assert!(Turn { calls: 31, ..turn(TWO) }.has_time_for(LIMITS, 2));
    for calls in [32, 33] {
        assert!(!Turn { calls, ..turn(TWO) }.has_time_for(LIMITS, 2), "{calls} calls");
    }
}

#[test]
fn a_claim_outlives_the_invocation_by_a_grace() {
    assert_eq!(turn(ONE).claim(), Claim { token: "w-1".to_owned(), until: NOW.plus_ms(ONE + seconds(5)) });
}

#[test]
fn turning_to_another_operation_forgets_what_was_learned_about_the_first() {
    let mut turn = armed(TWO);
    turn.effect.jitter_per_mille = 7;
    turn.focus_on(&key(0));
    assert!(turn.effect.armed, "the same operation");
    turn.focus_on(&key(1));
    let anew = (turn.effect.armed, turn.effect.now, turn.effect.jitter_per_mille);
    assert_eq!((anew, turn.focus), ((false, NOW, 7), Some(key(1))));
}

#[test]
fn only_what_a_search_covers_is_searched_for() {
    let unsearchable = |key: &OperationKey| claimed(TWO).renewed_for(key).unsearchable;
    assert!(unsearchable(&asking::key(Kind::Refund, 0)));
    assert!(!unsearchable(&key(0)) && !unsearchable(&void(0)));
}

#[test]
fn a_charge_behind_an_open_cancel_waits_for_it_unless_it_was_sent_before() {
    let taken = |payment: &Payment, command| accept(Some(payment), &command, NOW).unwrap();
    let charged =
        |payment: &Payment| taken(payment, asking::charge(1, 500, payment::CaptureMethod::Automatic));
    let is_runnable = |payment: &Payment| payment.is_runnable(&key(1), &payment.operations[&key(1)]);
    let first = ended(asked_for(1), &key(0), Standing::Refused);
    let canceled = taken(&first, asking::cancel(0, false));
    let cancel = asking::key(Kind::Cancel, 0);
    let behind = charged(&canceled);
    assert!(!is_runnable(&behind));
    assert!(is_runnable(&sent(behind.clone(), &key(1))), "what was sent is followed up");
    assert!(is_runnable(&ended(behind, &cancel, Standing::Refused)));
    assert!(is_runnable(&taken(&charged(&first), asking::cancel(0, false))), "it came before the cancel");
}

#[test]
fn a_send_is_armed_with_time_for_two_writes_and_made_with_time_for_one() {
    let unsent = asked_for(1);
    assert_eq!(step(&unsent, &turn(TWO)), Step::Arm(key(0), Send::Same));
    assert_eq!(step(&unsent, &turn(TWO - 1)), Step::Stop);
    let intent = sent(asked_for(1), &key(0));
    assert_eq!(step(&intent, &armed(ONE)), Step::Send(key(0)));
    assert_eq!(step(&intent, &armed(NONE)), Step::Save, "the claim is given back");
}

#[test]
fn a_look_up_is_claimed_with_time_for_two_writes_and_made_with_time_for_one() {
    let known = seen(sent(asked_for(1), &key(0)), 0, "pi_1", None);
    assert_eq!(step(&known, &turn(TWO)), Step::Claim(key(0)));
    assert_eq!(step(&known, &turn(TWO - 1)), Step::Stop);
    assert_eq!(step(&known, &claimed(ONE)), Step::LookUp(key(0), Look::ById));
    assert_eq!(step(&known, &claimed(NONE)), Step::Save, "the claim is given back");
    assert_eq!(step(&known, &Turn { calls: 32, ..claimed(TWO) }), Step::Save);
}

#[test]
fn what_is_armed_goes_first() {
    // The void comes after the charge in order; the charge is known and would be looked at.
    let payment =
        with(sent(declined_first(), &void(0)), &key(0), |attempt| attempt.standing = Standing::Unknown);
    let turn = Turn { focus: Some(void(0)), ..armed(TWO) };
    assert_eq!(step(&payment, &turn), Step::Send(void(0)));
    let focused = Turn { focus: Some(void(0)), ..claimed(TWO) };
    assert_eq!(step(&payment, &focused), Step::LookUp(key(0), Look::ById), "focused, not armed");
}

#[test]
fn what_was_learned_counts_for_the_operation_in_focus_alone() {
    let known = seen(sent(asked_for(1), &key(0)), 0, "pi_1", None);
    let mut retrieved = claimed(TWO);
    retrieved.effect.retrieved = true;
    let look = Step::LookUp(key(0), Look::ById);
    assert_eq!(step(&known, &Turn { focus: Some(key(0)), ..retrieved.clone() }), Step::Save);
    assert_eq!(step(&known, &Turn { focus: Some(key(1)), ..retrieved.clone() }), look);
    assert_eq!(step(&known, &retrieved), look);
    let waiting = with(known, &key(0), |attempt| attempt.look_at = Some(NOW));
    assert_eq!(step(&waiting, &Turn { focus: Some(key(1)), ..claimed(TWO) }), look, "the time is the turn's");
}

#[test]
fn a_claim_of_another_worker_allows_only_what_is_learned_to_be_saved() {
    let payment = asked_for(1);
    let record = |token: &str, until| {
        let claim = Some(Claim { token: token.to_owned(), until });
        Record { claim, ..stored(&payment) }
    };
    let step =
        |record: &Record, payment: &Payment| decide(payment, Some(record), &turn(TWO), LIMITS, &rules());
    let held = record("w-2", NOW.plus_ms(1));
    assert_eq!(step(&held, &held.payment), Step::Busy);
    assert_eq!(step(&held, &asked_for(2)), Step::Save);
    let arm = Step::Arm(key(0), Send::Same);
    for free in [record("w-2", NOW), record("w-1", NOW.plus_ms(1)), stored(&payment)] {
        assert_eq!(step(&free, &free.payment), arm);
    }
}

#[test]
fn a_claim_is_anothers_until_it_ends() {
    let claim = Claim { token: "w-1".to_owned(), until: NOW };
    let record = Record { claim: Some(claim), ..stored(&asked_for(1)) };
    let held = |token: &str, at: Time| record.is_claimed_by_another(token, at);
    assert!(held("w-2", NOW.plus_ms(-1)) && !held("w-2", NOW) && !held("w-2", NOW.plus_ms(1)));
    assert!(!held("w-1", NOW.plus_ms(-1)) && !held("w-1", NOW.plus_ms(1)));
    assert!(!stored(&asked_for(1)).is_claimed_by_another("w-2", NOW));
}

#[test]
fn nothing_is_saved_but_what_is_new_or_claimed_or_unguarded() {
    let done = ended(asked_for(1), &key(0), Standing::Succeeded);
    let waiting = with(sent(asked_for(1), &key(0)), &key(0), |a| a.look_at = Some(NOW.plus_ms(1)));
    let unguarded = |payment: &Payment| Record { due_at: None, ..stored(payment) };
    let step = |record: Option<&Record>, payment: &Payment, turn: &Turn| {
        decide(payment, record, turn, LIMITS, &rules())
    };
    for payment in [&done, &waiting] {
        let record = stored(payment);
        let payment = &record.payment;
        assert_eq!(step(Some(&record), payment, &turn(TWO)), Step::Stop);
        assert_eq!(step(Some(&record), payment, &claimed(TWO)), Step::Save);
        assert_eq!(step(None, payment, &turn(TWO)), Step::Save);
        assert_eq!(step(Some(&stored(&asked_for(2))), payment, &turn(TWO)), Step::Save);
    }
    let sealed = |payment: &Payment| stored(payment).payment;
    assert_eq!(step(Some(&unguarded(&done)), &sealed(&done), &turn(TWO)), Step::Stop, "nothing to guard");
    assert_eq!(step(Some(&unguarded(&waiting)), &sealed(&waiting), &turn(TWO)), Step::Save);
}

#[test]
fn a_further_attempt_begins_when_every_earlier_one_is_out_of_the_way() {
    let known = |standing: Standing| {
        with(ended(asked_for(2), &key(0), standing), &key(0), |attempt| {
            attempt.ids.insert("pi_1".to_owned());
        })
    };
    let reviewed = |payment| with(payment, &key(0), |attempt| attempt.review = Some(ReviewReason::TwoIds));
    let failed = ended(asked_for(2), &key(0), Standing::Failed);
    let begins = [
        failed.clone(),
        ended(asked_for(2), &key(0), Standing::Refused),
        ended(asked_for(2), &key(0), Standing::Canceled),
        known(Standing::Canceled),
        ended(declined_first(), &void(0), Standing::Succeeded),
    ];
    let waits = [
        asked_for(2),
        sent(asked_for(2), &key(0)),
        seen(sent(asked_for(2), &key(0)), 0, "pi_1", None),
        ended(asked_for(2), &key(0), Standing::Succeeded),
        known(Standing::Failed),
        declined_first(),
        ended(declined_first(), &void(0), Standing::Failed),
        reviewed(failed),
        reviewed(known(Standing::Canceled)),
        reviewed(ended(declined_first(), &void(0), Standing::Succeeded)),
    ];
    let second_is_runnable = |payment: &Payment| payment.is_runnable(&key(1), &payment.operations[&key(1)]);
    for payment in &begins {
        assert!(second_is_runnable(payment), "{payment:#?}");
        assert_eq!(step(payment, &turn(TWO)), Step::Arm(key(1), Send::Same));
    }
    for payment in &waits {
        assert!(!second_is_runnable(payment), "{payment:#?}");
        assert_ne!(step(payment, &turn(TWO)), Step::Arm(key(1), Send::Same));
        assert!(payment.is_runnable(&key(0), &payment.operations[&key(0)]), "a later one is in nobody's way");
    }
    assert_eq!(standing(&begins[0], &key(1)), Standing::Pending);
    let voided = declined_first();
    assert!(voided.is_runnable(&void(0), &voided.operations[&void(0)]));
}

#[test]
fn what_is_due_first_decides_and_what_cannot_run_is_not_due() {
    let at = |ms| Some(NOW.plus_ms(ms));
    let payment = with(declined_first(), &void(0), |attempt| attempt.look_at = Some(NOW.plus_ms(5)));
    assert_eq!(due(&payment, None, &rules()), at(5), "the second charge waits for the void");
    let both = with(payment, &key(0), |attempt| {
        attempt.standing = Standing::Unknown;
        attempt.look_at = Some(NOW.plus_ms(3));
    });
    assert_eq!(due(&both, None, &rules()), at(3));
    let claim = |ms| Claim { token: "w-2".to_owned(), until: NOW.plus_ms(ms) };
    assert_eq!(due(&both, Some(&claim(2)), &rules()), at(3));
    assert_eq!(due(&both, Some(&claim(9)), &rules()), at(9));
    let done = ended(asked_for(1), &key(0), Standing::Succeeded);
    assert_eq!(due(&done, Some(&claim(9)), &rules()), None);
    assert_eq!(due(&asked_for(1), Some(&claim(minutes(1))), &rules()), at(minutes(1)));
}
