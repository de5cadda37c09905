//! What is idempotent by the state of its object: looked at, and repeated where that is unchanged.

use effect::{Attempt, ByState, Look, Next, Policy, ReviewReason, Send, Status, Turn, hours};

use crate::situations::{ENDS, NOW, armed, retrieved, rules, sent_ago, turn};

const ID: Option<&str> = Some("pi_1");

fn next(attempt: &Attempt, id: Option<&str>, turn: &Turn) -> Next {
    ByState::next(attempt, id, turn, &rules())
}

#[test]
fn nothing_follows_an_end_or_a_review_and_without_an_object_there_is_nothing_to_act_on() {
    for standing in ENDS {
        assert_eq!(next(&Attempt { standing, ..sent_ago(0) }, ID, &armed()), Next::Stop, "{standing:?}");
    }
    let reviewed = Attempt { review: Some(ReviewReason::NotFinal), ..sent_ago(0) };
    assert_eq!(next(&reviewed, ID, &armed()), Next::Stop);
    assert_eq!(next(&Attempt::default(), None, &armed()), Next::Wait);
    assert_eq!(next(&sent_ago(0), None, &turn()), Next::Wait);
}

#[test]
fn it_is_sent_first_and_looked_at_afterwards() {
    assert_eq!(next(&Attempt::default(), ID, &turn()), Next::Send(Send::Same));
    assert_eq!(next(&sent_ago(0), ID, &armed()), Next::Send(Send::Same));
    for ago in [0, hours(100)] {
        assert_eq!(next(&sent_ago(ago), ID, &turn()), Next::LookUp(Look::ById), "at any age");
    }
    assert_eq!(next(&sent_ago(0), ID, &Turn { sends: 1, ..armed() }), Next::LookUp(Look::ById));
}

#[test]
fn it_waits_for_the_time_to_look_again() {
    let waiting = Attempt { look_at: Some(NOW.plus_ms(1)), ..Attempt::default() };
    assert_eq!(next(&waiting, ID, &turn()), Next::Wait);
    assert_eq!(next(&waiting, ID, &Turn { look_now: true, ..turn() }), Next::Send(Send::Same));
    assert_eq!(next(&Attempt::default(), ID, &Turn { halted: true, ..turn() }), Next::Wait);
}

#[test]
fn an_unchanged_object_is_acted_on_again_under_a_new_key_but_not_twice_in_one_turn() {
    let unchanged = Turn { status: Some(Status::RequiresCapture), ..retrieved() };
    assert_eq!(next(&sent_ago(0), ID, &unchanged), Next::Send(Send::NextGeneration));
    assert_eq!(next(&sent_ago(0), ID, &Turn { armed: true, sends: 1, ..unchanged }), Next::Wait);
    assert_eq!(next(&sent_ago(0), ID, &retrieved()), Next::Wait, "no status: a fact settles it");
}

#[test]
fn it_is_due_at_its_acceptance_or_at_the_next_look_while_it_has_an_object_and_is_open() {
    let due = |attempt: &Attempt, id| ByState::due(attempt, id, NOW, &rules());
    let look_at = Some(NOW.plus_ms(7));
    let looking = Attempt { look_at, ..sent_ago(0) };
    assert_eq!(due(&sent_ago(hours(1)), ID), Some(NOW));
    assert_eq!(due(&looking, ID), look_at);
    assert_eq!(due(&looking, None), None);
    for standing in ENDS {
        assert_eq!(due(&Attempt { standing, ..looking.clone() }, ID), None, "{standing:?}");
    }
    assert_eq!(due(&Attempt { review: Some(ReviewReason::KeyReused), ..looking }, ID), None);
}
