//! What one call teaches: each note changes the attempt and the turn by so much, and by nothing else.

use effect::{Attempt, Note, ReviewReason, Standing, Status, Time, Turn, conclude, hours, minutes};

use crate::situations::{ENDS, NOW, armed, frozen, retrieved, rules, sent_ago, turn};

fn told(attempt: &Attempt, note: Note, turn: &Turn) -> (Attempt, Turn) {
    let (mut attempt, mut turn) = (attempt.clone(), turn.clone());
    conclude(&mut attempt, note, &mut turn, &rules());
    (attempt, turn)
}

#[track_caller]
fn expect(told: &(Attempt, Turn), attempt: &Attempt, turn: &Turn) {
    assert_eq!(told.0, *attempt);
    assert_eq!(format!("{:?}", told.1), format!("{turn:?}"));
}

/// Sent by this turn, at the first send of all.
fn fresh() -> Turn {
    Turn { fresh: true, sends: 1, ..armed() }
}

fn pending() -> Attempt {
    sent_ago(0)
}

/// The attempt after a first turn without an outcome: looked at again after a minute.
fn counted(attempt: Attempt) -> Attempt {
    Attempt { tries: 1, look_at: Some(NOW.plus_ms(minutes(1))), ..attempt }
}

fn unknown(attempt: Attempt) -> Attempt {
    Attempt { standing: Standing::Unknown, ..counted(attempt) }
}

fn ambiguous(turn: Turn) -> Turn {
    Turn { ambiguous: true, counted: true, resend: false, ..turn }
}

#[test]
fn an_ambiguous_send_is_unknown_and_sent_again_only_where_that_may_help() {
    for resend in [false, true] {
        let before = Turn { resend: !resend, ..fresh() };
        let told = told(&pending(), Note::Ambiguous { resend }, &before);
        expect(&told, &unknown(pending()), &Turn { resend, ..ambiguous(fresh()) });
    }
}

#[test]
fn what_cannot_be_read_is_unknown_and_looked_up_at_once() {
    let resending = Turn { resend: true, ..fresh() };
    let told = told(&pending(), Note::Undecodable, &resending);
    expect(&told, &unknown(pending()), &Turn { look_now: true, ..ambiguous(fresh()) });
}

#[test]
fn a_saved_error_bars_the_key_and_is_looked_up_at_once() {
    let resending = Turn { resend: true, ..fresh() };
    let told = told(&pending(), Note::SavedError, &resending);
    let barred = Attempt { barred: true, ..unknown(pending()) };
    expect(&told, &barred, &Turn { look_now: true, ..ambiguous(fresh()) });
}

#[test]
fn an_unexpected_state_is_retrieved_at_once() {
    let turn = Turn { retrieved: true, resend: true, ..fresh() };
    let told = told(&pending(), Note::UnexpectedState, &turn);
    expect(&told, &unknown(pending()), &Turn { look_now: true, ..ambiguous(fresh()) });
}

#[test]
fn a_first_send_that_was_not_done_closes_the_window_that_it_opened() {
    let told = told(&pending(), Note::NotDone, &Turn { resend: true, ..fresh() });
    let unsent = Attempt { first_sent_at: None, last_send_until: None, ..pending() };
    expect(&told, &counted(unsent), &Turn { counted: true, ..fresh() });
}

#[test]
fn a_send_that_was_not_done_says_nothing_about_the_others() {
    let unknown = Attempt { standing: Standing::Unknown, ..pending() };
    let cases = [
        (pending(), Turn { fresh: false, ..fresh() }),
        (pending(), Turn { ambiguous: true, ..fresh() }),
        (pending(), Turn { armed: false, ..fresh() }),
        (unknown, fresh()),
    ];
    for (attempt, turn) in cases {
        let told = told(&attempt, Note::NotDone, &turn);
        expect(&told, &counted(attempt), &Turn { counted: true, ..turn });
    }
}

#[test]
fn a_refusal_ends_what_was_never_ambiguous() {
    let open = Attempt { look_at: Some(NOW.plus_ms(7)), frozen: Some(frozen("amount=500")), ..pending() };
    let told = told(&open, Note::Refused("resource_missing".into()), &Turn { resend: true, ..fresh() });
    let mut refused = open;
    refused.end(Standing::Refused, Some("resource_missing"));
    assert_eq!((refused.look_at, refused.code.as_deref()), (None, Some("resource_missing")));
    expect(&told, &refused, &fresh());
}

#[test]
fn a_refusal_after_an_ambiguous_send_leaves_it_unknown() {
    let sent_before = Attempt { standing: Standing::Unknown, ..pending() };
    let cases = [
        (pending(), Turn { fresh: false, ..fresh() }),
        (pending(), Turn { ambiguous: true, ..fresh() }),
        (sent_before, fresh()),
    ];
    for (attempt, turn) in cases {
        let resending = Turn { resend: true, ..turn.clone() };
        let told = told(&attempt, Note::Refused("resource_missing".into()), &resending);
        expect(&told, &unknown(attempt), &ambiguous(turn));
    }
}

#[test]
fn a_reused_key_and_a_changed_account_need_a_person() {
    let reviewed = |reason, attempt| Attempt { review: Some(reason), standing: Standing::Unknown, ..attempt };
    for attempt in [pending(), Attempt::default()] {
        let told = told(&attempt, Note::KeyReused, &fresh());
        expect(&told, &reviewed(ReviewReason::KeyReused, attempt), &fresh());
    }
    let changed = told(&pending(), Note::AccountChanged, &turn());
    expect(&changed, &reviewed(ReviewReason::AccountChanged, pending()), &turn());
    let unsent = told(&Attempt::default(), Note::AccountChanged, &turn());
    let held = Attempt { review: Some(ReviewReason::AccountChanged), ..Attempt::default() };
    expect(&unsent, &held, &turn());
}

#[test]
fn a_status_is_noted_and_says_when_to_look_again() {
    let later = |ms| Some(NOW.plus_ms(ms));
    let just_sent = pending();
    let long_ago = sent_ago(hours(1));
    let over = minutes(1) + rules().longest_execution_ms;
    let cases = [
        (Status::Processing, &just_sent, later(rules().processing_ms)),
        (Status::RequiresAction, &just_sent, later(minutes(1))),
        (Status::RequiresCapture, &just_sent, later(minutes(1))),
        (Status::Declined, &just_sent, later(minutes(1))),
        (Status::Unconfirmed, &just_sent, later(over)),
        (Status::Unconfirmed, &long_ago, later(minutes(1))),
        (Status::Unconfirmed, &Attempt::default(), later(minutes(1))),
    ];
    for (status, attempt, look_at) in cases {
        let told = told(attempt, Note::Status(status), &Turn { resend: true, ..fresh() });
        let noted = Attempt { status: Some(status), look_at, ..unknown(attempt.clone()) };
        let turn = Turn { retrieved: true, status: Some(status), counted: true, ..fresh() };
        expect(&told, &noted, &turn);
    }
}

#[test]
fn a_hold_seen_unchanged_is_looked_at_before_it_may_expire_and_then_again_and_again() {
    let look_ms = rules().authorization_look_ms;
    let again = NOW.plus_ms(rules().authorization_again_ms);
    let held = |ms| Attempt { standing: Standing::Authorized, ..sent_ago(ms) };
    let cases = [
        (held(look_ms - 1), NOW.plus_ms(1)),
        (held(look_ms), again),
        (held(look_ms + 1), again),
        (Attempt { first_sent_at: None, ..held(0) }, NOW.plus_ms(look_ms)),
    ];
    for (attempt, look_at) in cases {
        let told = told(&attempt, Note::Status(Status::RequiresCapture), &turn());
        assert_eq!(told.0.look_at, Some(look_at), "{attempt:?}");
        // What acts on the hold is repeated soon, if it finds it as it was.
        let acting = Attempt { standing: Standing::Unknown, ..attempt };
        let told = self::told(&acting, Note::Status(Status::RequiresCapture), &turn());
        assert_eq!(told.0.look_at, Some(NOW.plus_ms(minutes(1))));
    }
}

#[test]
fn a_renewed_turn_keeps_its_clock_and_its_chance_and_nothing_it_learned() {
    let learned = Turn { jitter_per_mille: 7, retrieved: true, resend: true, ..fresh() };
    let kept = Turn { now: NOW, jitter_per_mille: 7, ..Turn::default() };
    assert_eq!(format!("{:?}", learned.renewed()), format!("{kept:?}"));
}

#[test]
fn a_look_up_that_failed_ends_the_turn_and_teaches_nothing() {
    let looking = Turn { candidates: vec!["pi_1".into()], cursor: Some("pi_9".into()), ..retrieved() };
    let told = told(&pending(), Note::NotTold, &looking);
    expect(&told, &counted(pending()), &Turn { halted: true, counted: true, ..retrieved() });
}

#[test]
fn an_ended_operation_learns_nothing_from_its_own_calls() {
    let notes = [
        Note::Ambiguous { resend: true },
        Note::Undecodable,
        Note::SavedError,
        Note::NotDone,
        Note::Refused("resource_missing".into()),
        Note::KeyReused,
        Note::UnexpectedState,
        Note::Status(Status::Processing),
        Note::NotTold,
        Note::AccountChanged,
    ];
    for (note, standing) in notes.iter().flat_map(|note| ENDS.map(|standing| (note, standing))) {
        let ended = Attempt { standing, ..pending() };
        let told = told(&ended, note.clone(), &Turn { resend: true, ..fresh() });
        expect(&told, &ended, &fresh());
    }
}

#[test]
fn each_turn_without_an_outcome_counts_once_and_delays_the_next_look() {
    let times = |tries, already| {
        let attempt = Attempt { tries, ..pending() };
        let turn = Turn { counted: already, ..fresh() };
        told(&attempt, Note::Ambiguous { resend: false }, &turn).0
    };
    let after = |ms| Some(NOW.plus_ms(ms));
    let cases = [
        (0, false, (1, after(minutes(1)))),
        (1, false, (2, after(minutes(5)))),
        (1, true, (1, after(minutes(1)))),
        (2, true, (2, after(minutes(5)))),
        (0, true, (0, after(minutes(1)))),
        (u32::MAX, false, (u32::MAX, after(hours(2)))),
    ];
    for (tries, already, expected) in cases {
        let attempt = times(tries, already);
        assert_eq!((attempt.tries, attempt.look_at), expected, "{tries} tries, counted {already}");
    }
}

#[test]
fn the_next_look_is_delayed_by_the_turns_own_jitter() {
    let turn = Turn { jitter_per_mille: 1_000, ..fresh() };
    let (attempt, _) = told(&pending(), Note::NotTold, &turn);
    assert_eq!(attempt.look_at.map(|at| at.since_ms(NOW)), Some(75_000));
    assert_eq!(attempt.look_at.map(Time::epoch_seconds), Some(1_900_000_075));
}
