//! What is deduplicated by key: resent under that key while it lives, looked up afterwards.

use effect::{
    Attempt, KEY_WINDOW_MS, Keyed, Look, Next, Policy, ReviewReason, Send, Standing, Status, Time, Turn,
    hours, minutes,
};

use crate::situations::{ENDS, NOW, armed, retrieved, rules, sent_ago, turn};

const ID: Option<&str> = Some("pi_1");

fn next(attempt: &Attempt, id: Option<&str>, turn: &Turn) -> Next {
    Keyed::next(attempt, id, turn, &rules())
}

fn due(attempt: &Attempt, id: Option<&str>) -> Option<Time> {
    Keyed::due(attempt, id, NOW, &rules())
}

/// Sent 23 h ago, and so long over that a search shows it.
fn after_the_window() -> Attempt {
    sent_ago(KEY_WINDOW_MS)
}

#[test]
fn what_was_never_sent_is_sent() {
    assert_eq!(next(&Attempt::default(), None, &turn()), Next::Send(Send::Same));
}

#[test]
fn nothing_follows_an_end_or_a_review() {
    for standing in ENDS {
        assert_eq!(next(&Attempt { standing, ..sent_ago(0) }, None, &armed()), Next::Stop, "{standing:?}");
    }
    let reviewed = Attempt { review: Some(ReviewReason::NotFinal), ..sent_ago(0) };
    assert_eq!(next(&reviewed, ID, &armed()), Next::Stop);
}

#[test]
fn candidates_are_checked_from_the_last_on_whatever_else_is_so() {
    let candidates = vec!["pi_1".to_owned(), "pi_2".to_owned()];
    let asking = Turn { candidates, ..turn() };
    let ended = Attempt { standing: Standing::Succeeded, ..sent_ago(0) };
    for attempt in [ended, sent_ago(0), after_the_window()] {
        assert_eq!(next(&attempt, None, &asking), Next::LookUp(Look::Check("pi_2".to_owned())));
        assert_eq!(next(&attempt, None, &Turn { halted: true, ..asking.clone() }), Next::Wait);
    }
}

#[test]
fn an_armed_request_is_sent_once_and_once_more_where_that_may_help() {
    let attempt = sent_ago(0);
    let cases = [
        (0, false, Next::Send(Send::Same)),
        (0, true, Next::Send(Send::Same)),
        (1, false, Next::Wait),
        (1, true, Next::Send(Send::Same)),
        (2, false, Next::Wait),
        (2, true, Next::Wait),
    ];
    for (sends, resend, expected) in cases {
        let turn = Turn { sends, resend, ..armed() };
        assert_eq!(next(&attempt, None, &turn), expected, "{sends} sends, resend {resend}");
    }
}

#[test]
fn an_armed_send_does_not_wait_for_the_next_look() {
    let waiting = Attempt { look_at: Some(NOW.plus_ms(1)), ..sent_ago(0) };
    assert_eq!(next(&waiting, None, &armed()), Next::Send(Send::Same));
    for (sends, resend) in [(0, false), (1, true)] {
        assert_eq!(next(&waiting, None, &Turn { sends, resend, ..turn() }), Next::Wait, "not armed");
    }
}

#[test]
fn an_armed_create_is_not_sent_after_the_window_but_a_confirm_is() {
    let look = Next::LookUp(Look::List);
    assert_eq!(next(&sent_ago(KEY_WINDOW_MS - 1), None, &armed()), Next::Send(Send::Same));
    assert_eq!(next(&after_the_window(), None, &armed()), look);
    let confirm = Attempt { generation: 1, ..after_the_window() };
    assert_eq!(next(&confirm, ID, &armed()), Next::Send(Send::Same));
}

#[test]
fn nothing_is_done_before_the_time_to_look_again_except_in_the_middle_of_a_look() {
    let waiting = |ms| Attempt { look_at: Some(NOW.plus_ms(ms)), ..sent_ago(hours(1)) };
    let resend = Next::Send(Send::Same);
    assert_eq!(next(&waiting(1), None, &turn()), Next::Wait);
    assert_eq!(next(&waiting(0), None, &turn()), resend);
    let going_on = [
        Turn { look_now: true, ..turn() },
        Turn { listed: true, ..turn() },
        Turn { cursor: Some("pi_9".to_owned()), ..turn() },
        Turn { status: Some(Status::Processing), ..turn() },
    ];
    for turn in going_on {
        assert_eq!(next(&waiting(1), None, &turn), resend, "{turn:?}");
        assert_eq!(next(&waiting(1), None, &Turn { halted: true, ..turn.clone() }), Next::Wait, "{turn:?}");
    }
    assert_eq!(next(&waiting(0), None, &Turn { halted: true, ..turn() }), Next::Wait);
}

#[test]
fn a_known_object_is_retrieved_at_any_age_and_never_created_again() {
    for attempt in [sent_ago(0), after_the_window(), sent_ago(10 * KEY_WINDOW_MS)] {
        assert_eq!(next(&attempt, ID, &turn()), Next::LookUp(Look::ById));
        assert_eq!(next(&attempt, ID, &retrieved()), Next::Wait);
    }
}

#[test]
fn an_unconfirmed_object_is_confirmed_once_nothing_of_ours_can_run_any_more() {
    let unconfirmed = Turn { status: Some(Status::Unconfirmed), ..retrieved() };
    let confirm = Next::Send(Send::NextGeneration);
    let over = minutes(1) + rules().longest_execution_ms;
    assert_eq!(next(&sent_ago(over), ID, &unconfirmed), confirm);
    assert_eq!(next(&sent_ago(10 * KEY_WINDOW_MS), ID, &unconfirmed), confirm, "at any age");
    assert_eq!(next(&Attempt::default(), ID, &unconfirmed), confirm, "nothing of ours was sent");
    assert_eq!(next(&sent_ago(over - 1), ID, &unconfirmed), Next::Wait);
    let already_sent = Turn { armed: true, sends: 1, ..unconfirmed };
    assert_eq!(next(&sent_ago(over), ID, &already_sent), Next::Wait);
    for status in [Status::Processing, Status::RequiresAction, Status::RequiresCapture, Status::Declined] {
        let turn = Turn { status: Some(status), ..retrieved() };
        assert_eq!(next(&sent_ago(over), ID, &turn), Next::Wait, "{status:?}");
    }
}

#[test]
fn inside_the_window_it_is_resent_or_listed_where_the_key_is_barred() {
    let last_moment = sent_ago(KEY_WINDOW_MS - 1);
    assert_eq!(next(&last_moment, None, &turn()), Next::Send(Send::Same));
    let barred = Attempt { barred: true, ..last_moment };
    assert_eq!(next(&barred, None, &turn()), Next::LookUp(Look::List));
    assert_eq!(next(&barred, None, &Turn { listed: true, ..turn() }), Next::Wait);
}

#[test]
fn after_the_window_it_is_listed_then_searched_once_the_search_can_show_it() {
    let listed = Turn { listed: true, ..turn() };
    let cases = [
        (turn(), Next::LookUp(Look::List)),
        (listed.clone(), Next::LookUp(Look::Search)),
        (Turn { searched: true, ..listed.clone() }, Next::Wait),
        (Turn { searched: true, ..turn() }, Next::LookUp(Look::List)),
    ];
    for barred in [false, true] {
        let attempt = Attempt { barred, ..after_the_window() };
        for (turn, expected) in &cases {
            assert_eq!(next(&attempt, None, turn), *expected, "{turn:?}");
        }
    }
    let until = NOW.plus_ms(-rules().search_lag_ms);
    let sent_again = |until| Attempt { last_send_until: Some(until), ..after_the_window() };
    assert_eq!(next(&sent_again(until), None, &turn()), Next::LookUp(Look::List));
    assert_eq!(next(&sent_again(until.plus_ms(1)), None, &turn()), Next::Wait);
}

#[test]
fn it_is_due_at_its_acceptance_or_at_the_next_look_and_never_when_it_rests() {
    let look_at = Some(NOW.plus_ms(7));
    assert_eq!(due(&Attempt::default(), None), Some(NOW));
    assert_eq!(due(&Attempt { look_at, ..sent_ago(0) }, None), look_at);
    for standing in ENDS {
        assert_eq!(due(&Attempt { standing, look_at, ..sent_ago(0) }, None), None, "{standing:?}");
    }
    assert_eq!(due(&Attempt { review: Some(ReviewReason::TwoIds), look_at, ..sent_ago(0) }, ID), None);
}

#[test]
fn after_the_window_it_is_due_when_the_search_can_show_it() {
    let looking = |ms: i64| Attempt { look_at: Some(NOW.plus_ms(KEY_WINDOW_MS + ms)), ..sent_ago(0) };
    let stalled = |ms| Attempt { last_send_until: Some(NOW.plus_ms(KEY_WINDOW_MS)), ..looking(ms) };
    let searchable = NOW.plus_ms(KEY_WINDOW_MS + rules().search_lag_ms);
    assert_eq!(due(&stalled(-1), None), stalled(-1).look_at, "still inside the window");
    assert_eq!(due(&stalled(0), None), Some(searchable));
    assert_eq!(due(&stalled(hours(2)), None), stalled(hours(2)).look_at, "later anyway");
    assert_eq!(due(&looking(0), None), looking(0).look_at, "searchable long since");
    assert_eq!(due(&stalled(0), ID), stalled(0).look_at, "a known object needs no search");
    for unsent in
        [Attempt { first_sent_at: None, ..stalled(0) }, Attempt { last_send_until: None, ..stalled(0) }]
    {
        assert_eq!(due(&unsent, None), unsent.look_at);
    }
}

#[test]
fn a_hold_that_nobody_looked_at_is_left_alone_until_it_may_expire() {
    let look_ms = rules().authorization_look_ms;
    let held = |ms| Attempt { standing: Standing::Authorized, ..sent_ago(ms) };
    let by_id = Next::LookUp(Look::ById);
    assert_eq!(next(&held(look_ms - 1), ID, &turn()), Next::Wait);
    assert_eq!(next(&held(look_ms), ID, &turn()), by_id);
    assert_eq!(next(&held(look_ms + 1), ID, &turn()), by_id);
    let looked_at = Attempt { look_at: Some(NOW), ..held(0) };
    assert_eq!(next(&looked_at, ID, &turn()), by_id, "what a look has planned is done");
    let unknown = Attempt { standing: Standing::Unknown, ..held(0) };
    assert_eq!(next(&unknown, ID, &turn()), by_id, "a hold alone can wait");
    let never_sent = Attempt { first_sent_at: None, ..held(0) };
    assert_eq!(next(&never_sent, ID, &turn()), by_id);
}
