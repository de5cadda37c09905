//! "Every reply, once": each row of the design's table. The question is always whether the effect may have happened.

use effect::{Fact, Look, Note, Outcome, Status};
use payment::ports::Answer;
use serde_json::json;
use stripe_wire::{HttpReply, TransportError, classify, classify_look};

use crate::sample::{
    OPERATION_ID, declined_intent, error, error_with, expected, fact, intent, question, raw, replayed, reply,
};

fn sent(reply: HttpReply) -> Answer {
    classify(&Ok(reply), &expected())
}

fn note_of(reply: HttpReply) -> Note {
    let answer = sent(reply);
    assert!(answer.facts.is_empty(), "{answer:?}");
    answer.note.expect("a note")
}

fn looked_up(look: Look, reply: HttpReply) -> Answer {
    classify_look(&Ok(reply), &question(look))
}

fn only(fact: Fact) -> Answer {
    Answer { facts: vec![fact], note: None }
}

#[test]
fn a_2xx_with_a_final_status_is_the_fact_it_states() {
    for status in [200, 201, 299] {
        assert_eq!(sent(reply(status, &intent("succeeded"))), only(fact(Some(Outcome::Succeeded))));
        assert_eq!(sent(reply(status, &intent("canceled"))), only(fact(Some(Outcome::Canceled))));
    }
    let replay = replayed(reply(200, &intent("succeeded")));
    assert_eq!(sent(replay), only(fact(Some(Outcome::Succeeded))), "what is final stays final");
}

#[test]
fn a_2xx_with_any_other_status_makes_the_object_known_and_says_how_it_stands() {
    let cases = [
        ("processing", Status::Processing),
        ("requires_action", Status::RequiresAction),
        ("requires_confirmation", Status::Unconfirmed),
        ("requires_payment_method", Status::Unconfirmed),
        ("a_status_of_the_future", Status::Processing),
    ];
    for (status, noted) in cases {
        let answer = Answer { facts: vec![fact(None)], note: Some(Note::Status(noted)) };
        assert_eq!(sent(reply(200, &intent(status))), answer, "{status}");
        // A replay shows the object as it was: it must be looked at.
        let answer = Answer { facts: vec![fact(None)], note: Some(Note::Undecodable) };
        assert_eq!(sent(replayed(reply(200, &intent(status)))), answer, "{status}, replayed");
    }
}

#[test]
fn requires_payment_method_is_a_decline_only_with_the_error_of_an_attempt() {
    let answer = sent(reply(200, &declined_intent("requires_payment_method")));
    assert_eq!(answer.facts, [fact(Some(Outcome::Declined("lost_card".to_owned())))]);
    let answer = sent(reply(200, &intent("requires_payment_method")));
    assert_eq!(answer.facts, [fact(None)]);
}

#[test]
fn an_undecodable_2xx_is_ambiguous_and_looked_up() {
    let other_operation = json!({
        "id": "pi_1", "status": "succeeded", "amount": 500, "currency": "jpy",
        "metadata": { "operation_id": "pay_0/charge/1" }
    });
    let bodies = [
        b"".to_vec(),
        b"OK".to_vec(),
        b"<html>".to_vec(),
        b"null".to_vec(),
        b"[]".to_vec(),
        b"{}".to_vec(),
        br#"{"id":"pi_1","status":"succ"#.to_vec(),
        vec![0xFF, 0xFE],
        other_operation.to_string().into_bytes(),
    ];
    for body in bodies {
        assert_eq!(note_of(raw(200, body.clone())), Note::Undecodable, "{}", String::from_utf8_lossy(&body));
    }
}

#[test]
fn a_402_is_a_decline_of_this_attempt_with_its_most_exact_code() {
    let declined = |code: &str| only(fact(Some(Outcome::Declined(code.to_owned()))));
    let plain = error_with("card_error", "card_declined", intent("requires_payment_method"));
    assert_eq!(sent(reply(402, &plain)), declined("card_declined"));
    let mut exact = plain.clone();
    exact["error"]["decline_code"] = "insufficient_funds".into();
    assert_eq!(sent(reply(402, &exact)), declined("insufficient_funds"));
    assert_eq!(sent(replayed(reply(402, &exact))), declined("insufficient_funds"), "a saved decline is one");
    let of_the_intent = error_with("card_error", "card_declined", declined_intent("requires_payment_method"));
    assert_eq!(sent(reply(402, &of_the_intent)).facts, declined("lost_card").facts);
}

#[test]
fn a_402_that_names_no_object_of_ours_is_looked_up() {
    let foreign =
        json!({ "id": "pi_9", "status": "requires_payment_method", "amount": 500, "currency": "jpy" });
    for body in [error("card_error", "card_declined"), error_with("card_error", "card_declined", foreign)] {
        assert_eq!(note_of(reply(402, &body)), Note::SavedError);
    }
    assert_eq!(note_of(raw(402, "")), Note::SavedError);
}

#[test]
fn a_409_in_flight_a_timeout_and_what_nobody_expects_are_ambiguous_and_not_resent_at_once() {
    let ambiguous = Note::Ambiguous { resend: false };
    assert_eq!(note_of(reply(409, &error("invalid_request_error", "idempotency_key_in_use"))), ambiguous);
    for status in [100, 301, 302, 304, 408, 409, 600, 999] {
        assert_eq!(note_of(raw(status, "")), ambiguous, "{status}");
    }
    let timed_out = classify(&Err(TransportError::TimedOut), &expected());
    assert_eq!(timed_out, Answer { facts: Vec::new(), note: Some(ambiguous) });
}

#[test]
fn a_fresh_5xx_and_a_lost_connection_are_ambiguous_and_worth_one_resend() {
    let ambiguous = Note::Ambiguous { resend: true };
    for status in [500, 502, 503, 504, 599] {
        assert_eq!(note_of(raw(status, "")), ambiguous, "{status}");
        let told_not_to = HttpReply { should_retry: Some(false), ..raw(status, "") };
        assert_eq!(note_of(told_not_to), Note::Ambiguous { resend: false }, "{status}, told not to");
    }
    let broken = classify(&Err(TransportError::Broken), &expected());
    assert_eq!(broken, Answer { facts: Vec::new(), note: Some(ambiguous) });
}

#[test]
fn a_replayed_5xx_ends_the_use_of_its_key() {
    for status in [500, 502, 503] {
        assert_eq!(note_of(replayed(reply(status, &error("api_error", "")))), Note::SavedError, "{status}");
    }
}

#[test]
fn a_429_a_401_and_a_403_say_that_this_send_was_not_carried_out() {
    for status in [401, 403, 429] {
        assert_eq!(note_of(raw(status, "")), Note::NotDone, "{status}");
    }
    assert_eq!(note_of(reply(429, &error("invalid_request_error", "lock_timeout"))), Note::NotDone);
    assert_eq!(note_of(reply(400, &error("invalid_request_error", "lock_timeout"))), Note::NotDone);
    let unsent = classify(&Err(TransportError::NoCredentials), &expected());
    assert_eq!(unsent, Answer { facts: Vec::new(), note: Some(Note::NotDone) });
}

#[test]
fn a_400_and_a_404_refuse_the_request_with_a_code_fit_to_be_shown() {
    for status in [400, 404, 422] {
        let refused = note_of(reply(status, &error("invalid_request_error", "resource_missing")));
        assert_eq!(refused, Note::Refused("resource_missing".to_owned()), "{status}");
    }
    let hostile = error("invalid_request_error", "<script>4242 4242\u{202e}Amount_Too_Small");
    assert_eq!(note_of(reply(400, &hostile)), Note::Refused("script42424242mount_oo_mall".to_owned()));
    let Note::Refused(long) = note_of(reply(400, &error("invalid_request_error", &"x".repeat(10_000))))
    else {
        panic!("refused")
    };
    assert_eq!(long.len(), 64);
    assert_eq!(note_of(raw(400, "not json")), Note::Refused("unreadable".to_owned()));
}

#[test]
fn other_parameters_under_our_key_are_our_bug() {
    for code in ["", "idempotency_key_reused"] {
        assert_eq!(note_of(reply(400, &error("idempotency_error", code))), Note::KeyReused);
    }
}

#[test]
fn an_unexpected_state_is_looked_at_and_what_the_reply_shows_is_adopted() {
    let unexpected = |body| sent(reply(400, &body));
    let code = "payment_intent_unexpected_state";
    let bare = unexpected(error("invalid_request_error", code));
    assert_eq!(bare, Answer { facts: Vec::new(), note: Some(Note::UnexpectedState) });
    let shown = unexpected(error_with("invalid_request_error", code, intent("succeeded")));
    let facts = vec![fact(Some(Outcome::Succeeded))];
    assert_eq!(shown, Answer { facts, note: Some(Note::UnexpectedState) });
    let foreign = json!({ "id": "pi_9", "status": "succeeded", "amount": 9_999, "currency": "jpy",
        "metadata": { "operation_id": OPERATION_ID } });
    assert!(unexpected(error_with("invalid_request_error", code, foreign)).facts.is_empty());
}

#[test]
fn a_retrieve_is_believed_only_if_it_shows_our_object() {
    let answer = looked_up(Look::ById, reply(200, &intent("succeeded")));
    assert_eq!(answer, only(fact(Some(Outcome::Succeeded))));
    let mut foreign = intent("succeeded");
    foreign["amount"] = 501.into();
    let answer = looked_up(Look::ById, reply(200, &foreign));
    assert_eq!(answer, Answer { facts: Vec::new(), note: Some(Note::NotTold) });
}

#[test]
fn a_candidate_that_is_not_ours_is_checked_off_without_a_trace() {
    let check = || Look::Check("pi_1".to_owned());
    let ours = looked_up(check(), reply(200, &intent("processing")));
    assert_eq!(ours, Answer { facts: vec![fact(None)], note: Some(Note::Checked) });
    for (field, value) in [("amount", json!(501)), ("currency", json!("usd")), ("metadata", json!({}))] {
        let mut foreign = intent("succeeded");
        foreign[field] = value;
        let answer = looked_up(check(), reply(200, &foreign));
        assert_eq!(answer, Answer { facts: Vec::new(), note: Some(Note::Checked) }, "{field}");
    }
}

#[test]
fn a_list_and_a_search_give_candidates_and_where_they_go_on() {
    let other = json!({ "id": "pi_2", "metadata": { "operation_id": "pay_0/charge/1" } });
    let strange = json!({ "id": "../x", "metadata": { "operation_id": OPERATION_ID } });
    let page = |more: bool| json!({ "data": [intent("succeeded"), strange, other], "has_more": more });
    let hits = |more: Option<&str>| {
        let more = more.map(str::to_owned);
        let note = Note::Hits { candidates: vec!["pi_1".to_owned()], more };
        Answer { facts: Vec::new(), note: Some(note) }
    };
    assert_eq!(looked_up(Look::List, reply(200, &page(false))), hits(None));
    assert_eq!(looked_up(Look::List, reply(200, &page(true))), hits(Some("pi_2")));
    let mut search = page(true);
    search["next_page"] = "page_2".into();
    assert_eq!(looked_up(Look::Search, reply(200, &search)), hits(Some("page_2")));
}

#[test]
fn a_look_up_without_a_readable_2xx_tells_nothing_and_least_of_all_absence() {
    let nothing = Answer { facts: Vec::new(), note: Some(Note::NotTold) };
    for look in [Look::ById, Look::List, Look::Search, Look::Check("pi_1".to_owned())] {
        for status in [301, 400, 401, 403, 404, 409, 429, 500, 503] {
            let body = error("invalid_request_error", "resource_missing");
            assert_eq!(looked_up(look.clone(), reply(status, &body)), nothing, "{look:?} {status}");
        }
        for body in ["", "{}", "[]", "<html>", r#"{"data":"none"}"#] {
            assert_eq!(looked_up(look.clone(), raw(200, body)), nothing, "{look:?} {body}");
        }
        for error in [TransportError::Broken, TransportError::TimedOut, TransportError::NoCredentials] {
            assert_eq!(classify_look(&Err(error), &question(look.clone())), nothing, "{look:?} {error}");
        }
    }
    let cut_short = json!({ "data": [], "has_more": true });
    assert_eq!(looked_up(Look::List, reply(200, &cut_short)), nothing, "more, and no way to it");
    assert_eq!(looked_up(Look::Search, reply(200, &cut_short)), nothing);
}
