//! Lists and searches: page by page, each hit checked, and only then does absence mean anything.

use effect::{Attempt, KEY_WINDOW_MS, Note, ReviewReason, Standing, Time, Turn, conclude, minutes};

use crate::situations::{NOW, rules, sent_ago, turn};

fn hits(candidates: &[&str], more: Option<&str>) -> Note {
    let candidates = candidates.iter().map(|id| (*id).to_owned()).collect();
    Note::Hits { candidates, more: more.map(str::to_owned) }
}

fn told(attempt: &mut Attempt, turn: &mut Turn, note: Note) {
    conclude(attempt, note, turn, &rules());
}

/// Unknown, and its key no longer to be used.
fn after_the_window() -> Attempt {
    Attempt { standing: Standing::Unknown, ..sent_ago(KEY_WINDOW_MS) }
}

fn inside_the_window() -> Attempt {
    Attempt { standing: Standing::Unknown, barred: true, ..sent_ago(minutes(5)) }
}

fn listed() -> Turn {
    Turn { listed: true, ..turn() }
}

#[test]
fn pages_are_read_to_the_end_of_the_list_and_then_of_the_search() {
    let (mut attempt, mut turn) = (after_the_window(), turn());
    let seen = |turn: &Turn| (turn.listed, turn.searched, turn.cursor.clone());
    told(&mut attempt, &mut turn, hits(&[], Some("pi_9")));
    assert_eq!(seen(&turn), (false, false, Some("pi_9".to_owned())));
    told(&mut attempt, &mut turn, hits(&[], None));
    assert_eq!(seen(&turn), (true, false, None));
    told(&mut attempt, &mut turn, hits(&[], Some("page_2")));
    assert_eq!(seen(&turn), (true, false, Some("page_2".to_owned())));
    assert_eq!(attempt, after_the_window(), "nothing is concluded before the last page");
    told(&mut attempt, &mut turn, hits(&[], None));
    assert_eq!(seen(&turn), (true, true, None));
    assert_eq!(attempt, Attempt { review: Some(ReviewReason::WindowOver), ..after_the_window() });
}

#[test]
fn hits_are_added_to_those_yet_to_be_checked() {
    let (mut attempt, mut turn) = (after_the_window(), turn());
    told(&mut attempt, &mut turn, hits(&["pi_1", "pi_2"], Some("pi_9")));
    told(&mut attempt, &mut turn, hits(&["pi_3"], None));
    assert_eq!(turn.candidates, ["pi_1", "pi_2", "pi_3"]);
    told(&mut attempt, &mut turn, Note::Checked);
    assert_eq!(turn.candidates, ["pi_1", "pi_2"]);
}

#[test]
fn absence_goes_to_a_person_only_when_the_last_candidate_was_checked() {
    let (mut attempt, mut turn) = (after_the_window(), listed());
    told(&mut attempt, &mut turn, hits(&["pi_1", "pi_2"], None));
    told(&mut attempt, &mut turn, Note::Checked);
    assert_eq!(attempt.review, None);
    told(&mut attempt, &mut turn, Note::Checked);
    assert_eq!((attempt.standing, attempt.review), (Standing::Unknown, Some(ReviewReason::WindowOver)));
}

#[test]
fn a_page_still_to_come_forbids_a_conclusion() {
    for attempt in [after_the_window(), inside_the_window()] {
        let mut open = attempt.clone();
        let mut turn = Turn { searched: true, cursor: Some("page_2".to_owned()), ..listed() };
        told(&mut open, &mut turn, Note::Checked);
        assert_eq!(open, attempt);
    }
}

#[test]
fn a_list_alone_proves_no_absence_after_the_window() {
    let (mut attempt, mut turn) = (after_the_window(), turn());
    told(&mut attempt, &mut turn, hits(&[], None));
    assert_eq!(attempt, after_the_window());
}

#[test]
fn inside_the_window_an_empty_list_is_read_again_later() {
    let (mut attempt, mut turn) = (inside_the_window(), Turn { look_now: true, ..turn() });
    told(&mut attempt, &mut turn, hits(&[], None));
    let again = Attempt { tries: 1, look_at: Some(NOW.plus_ms(minutes(1))), ..inside_the_window() };
    assert_eq!((attempt, turn.look_now), (again, false));
}

#[test]
fn the_window_ends_at_its_last_moment_for_absence_too() {
    let sent_at = |first_sent_at: Time| Attempt { first_sent_at: Some(first_sent_at), ..after_the_window() };
    for (ms, review) in [(0, Some(ReviewReason::WindowOver)), (1, None)] {
        let mut attempt = sent_at(NOW.plus_ms(ms - KEY_WINDOW_MS));
        told(&mut attempt, &mut listed(), hits(&[], None));
        assert_eq!(attempt.review, review);
    }
}

#[test]
fn what_is_known_or_at_rest_is_not_absent() {
    let known = Attempt { ids: ["pi_1".to_owned()].into(), ..after_the_window() };
    let ended = Attempt { standing: Standing::Succeeded, ..after_the_window() };
    let reviewed = Attempt { review: Some(ReviewReason::NotFinal), ..after_the_window() };
    for rests in [known, ended, reviewed] {
        for begun in [KEY_WINDOW_MS, 0] {
            let before = Attempt { first_sent_at: Some(NOW.plus_ms(-begun)), ..rests.clone() };
            let mut attempt = before.clone();
            told(&mut attempt, &mut listed(), hits(&[], None));
            assert_eq!(attempt, before);
        }
    }
}

#[test]
fn candidates_of_an_ended_operation_are_still_counted_down() {
    let ended = Attempt { standing: Standing::Succeeded, ..after_the_window() };
    let (mut attempt, mut turn) = (ended.clone(), turn());
    told(&mut attempt, &mut turn, hits(&["pi_1", "pi_2"], None));
    assert_eq!((turn.listed, turn.candidates.len()), (true, 2));
    told(&mut attempt, &mut turn, Note::Checked);
    assert_eq!((attempt, turn.candidates), (ended, vec!["pi_1".to_owned()]));
}
