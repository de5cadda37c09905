//! The durable state itself: ranks, ends, what is stored of it, and what an ended one keeps.

use effect::{
    Attempt, CLAIM_GRACE_MS, KEY_WINDOW_MS, MAX_CLOCK_SKEW_MS, ReviewReason, Rules, Standing, Time,
    digest_hex, hours, minutes, seconds,
};

use crate::situations::{ENDS, NOW, frozen, sent_ago};

/// Every standing, and how it ranks, whether it is an end, and whether it moved no money.
const STANDINGS: [(Standing, u8, bool, bool); 7] = [
    (Standing::Pending, 0, false, false),
    (Standing::Unknown, 1, false, false),
    (Standing::Refused, 2, true, true),
    (Standing::Failed, 3, true, true),
    (Standing::Authorized, 4, false, false),
    (Standing::Succeeded, 5, true, false),
    (Standing::Canceled, 5, true, true),
];

#[test]
fn standings_rank_and_end_as_written() {
    for (standing, rank, is_ended, without_effect) in STANDINGS {
        let told = (standing.rank(), standing.is_ended(), standing.ended_without_effect());
        assert_eq!(told, (rank, is_ended, without_effect), "{standing:?}");
    }
}

#[test]
fn it_rests_once_it_ended_or_a_person_is_asked() {
    for (standing, _, is_ended, _) in STANDINGS {
        assert_eq!(Attempt { standing, ..sent_ago(0) }.rests(), is_ended, "{standing:?}");
        assert!(Attempt { standing, review: Some(ReviewReason::WindowOver), ..sent_ago(0) }.rests());
    }
}

#[test]
fn a_send_is_one_that_may_have_started_and_opens_the_window() {
    let within = |attempt: &Attempt, ms| attempt.is_inside_window(NOW.plus_ms(ms), KEY_WINDOW_MS);
    assert!(!Attempt::default().was_sent());
    assert!(within(&Attempt::default(), 10 * KEY_WINDOW_MS), "never sent");
    assert!(sent_ago(0).was_sent());
    assert!(within(&sent_ago(0), KEY_WINDOW_MS - 1));
    assert!(!within(&sent_ago(0), KEY_WINDOW_MS));
    assert!(within(&sent_ago(0), -KEY_WINDOW_MS), "a clock that is behind");
}

#[test]
fn an_end_by_another_operation_never_lowers_the_standing() {
    for (held, rank, ..) in STANDINGS {
        for end in ENDS.into_iter().filter(|end| held != Standing::Authorized || end.rank() > rank) {
            let mut attempt = Attempt { standing: held, code: Some("old".to_owned()), ..sent_ago(0) };
            attempt.end(end, Some("already_paid"));
            let expected = if end.rank() > rank { end } else { held };
            assert_eq!((attempt.standing, attempt.code.as_deref()), (expected, Some("already_paid")));
        }
    }
    let mut attempt = Attempt { code: Some("old".to_owned()), ..sent_ago(0) };
    attempt.end(Standing::Succeeded, None);
    assert_eq!(attempt.code, None);
}

#[test]
#[should_panic(expected = "an operation ends in a final standing")]
fn nothing_ends_in_an_open_standing() {
    Attempt::default().end(Standing::Unknown, None);
}

#[test]
#[should_panic(expected = "an end ends it")]
fn what_is_held_is_not_refused_by_another_operation() {
    Attempt { standing: Standing::Authorized, ..sent_ago(0) }.end(Standing::Refused, None);
}

#[test]
fn an_ended_operation_keeps_a_digest_of_its_body_and_no_next_look() {
    let body_after_sealing = |body: &str, standing| {
        let frozen = Some(frozen(body));
        let mut attempt = Attempt { standing, frozen, look_at: Some(NOW), ..Attempt::default() };
        attempt.seal_if_ended();
        attempt.end(if attempt.standing.is_ended() { standing } else { Standing::Failed }, None);
        (attempt.look_at, attempt.frozen.unwrap().body)
    };
    let digest = digest_hex(&["amount=500"]);
    let not_hexadecimal = "x".repeat(64);
    for standing in ENDS {
        assert_eq!(body_after_sealing("amount=500", standing), (None, digest.clone()));
        assert_eq!(body_after_sealing(&digest, standing), (None, digest.clone()), "a digest stays");
        for text in [&not_hexadecimal, "abc123", &format!("{digest}0")] {
            assert_eq!(body_after_sealing(text, standing).1, digest_hex(&[text]), "{text} is no digest");
        }
    }
}

#[test]
fn an_open_operation_keeps_its_body_and_its_next_look() {
    for standing in [Standing::Pending, Standing::Unknown] {
        let open = Attempt { standing, look_at: Some(NOW), ..sent_ago(0) };
        let mut attempt = open.clone();
        attempt.seal_if_ended();
        assert_eq!(attempt, open);
    }
}

#[test]
fn what_is_not_so_is_not_stored() {
    let stored = |attempt: &Attempt| serde_json::to_value(attempt).unwrap();
    assert_eq!(stored(&Attempt::default()), serde_json::json!({ "standing": "pending" }));
    let counted = Attempt { generation: 2, tries: 3, barred: true, ..Attempt::default() };
    let fields = serde_json::json!({ "standing": "pending", "generation": 2, "tries": 3, "barred": true });
    assert_eq!(stored(&counted), fields);
    assert_eq!(serde_json::from_value::<Attempt>(fields).unwrap(), counted);
}

// Keys and digests of one release must be those of the next: a resend under another key is another charge.
#[test]
fn a_digest_is_the_same_in_every_release() {
    let pinned = "ec80c7251aea5afdf6263110681487f6b353757f92cdfb06e899740354a53a6c";
    assert_eq!(digest_hex(&["amount=500"]), pinned);
    let key = frozen("").key;
    assert_eq!(key.as_str(), "f0eea5e346732d6a95d4f8d4049c59478782736db94efdbe8cd6dab50f079f81");
}

#[test]
fn times_are_counted_in_milliseconds_and_never_overflow() {
    assert_eq!((seconds(2), minutes(2), hours(2)), (2_000, 120_000, 7_200_000));
    assert_eq!((Time(5).plus_ms(7), Time(5).plus_ms(-7)), (Time(12), Time(-2)));
    assert_eq!(Time(i64::MAX).plus_ms(1), Time(i64::MAX));
    assert_eq!((Time(12).since_ms(Time(5)), Time(5).since_ms(Time(12))), (7, -7));
    assert_eq!(Time(i64::MIN).since_ms(Time(1)), i64::MIN);
    let seconds = [(1_999, 1), (2_000, 2), (-1, -1), (0, 0)];
    assert!(seconds.iter().all(|(ms, whole)| Time(*ms).epoch_seconds() == *whole));
}

#[test]
fn the_deployments_numbers_are_the_designs() {
    let rules = Rules {
        schedule_ms: vec![60_000, 300_000, 1_800_000, 7_200_000],
        longest_execution_ms: 600_000,
        search_lag_ms: 3_600_000,
        not_final_after_ms: 15 * 24 * 3_600_000,
        processing_ms: 7_200_000,
        authorization_look_ms: 4 * 24 * 3_600_000,
        authorization_again_ms: 12 * 3_600_000,
        action_timeout_ms: 24 * 3_600_000,
    };
    assert_eq!(Rules::production(), rules);
    assert_eq!((KEY_WINDOW_MS, CLAIM_GRACE_MS, MAX_CLOCK_SKEW_MS), (82_800_000, 5_000, 300_000));
}
