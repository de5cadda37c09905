//! Bodies of messages: what of them is taken, what is left out, and what a refusal says.

use effect::{Fact, Outcome, Time};
use payment::{Charge, Command, MAX_COMMAND_BYTES, Malformed, Reported};

use crate::{
    bench::{asked, payment_id, wake},
    histories::NOW,
    payments::{charge, key},
};

fn reported(id: &str, source: &str, outcome: Option<Outcome>) -> Reported {
    let fact = Fact { id: id.to_owned(), outcome };
    Reported { payment_id: payment_id(), operation: key(0), fact, source_id: source.to_owned() }
}

fn reads_back(report: &Reported) -> bool {
    let command = Command::Fact(report.clone());
    let read = Command::parse(&command.to_body());
    assert!(read.is_err() || read == Ok(command));
    read.is_ok()
}

/// The charge as read from a body that carries this beside it.
fn read_with(field: &str, raw: &str) -> Charge {
    let body = asked(0).to_body().replacen('{', &format!("{{\"{field}\":{raw},"), 1);
    let Command::Charge(charge) = Command::parse(&body).unwrap() else { panic!("a charge") };
    charge
}

fn refusal(body: &str) -> String {
    Command::parse(body).unwrap_err().to_string()
}

#[test]
fn a_body_is_read_up_to_its_longest_length() {
    let padded = |bytes: usize| format!("{:bytes$}", asked(0).to_body());
    assert_eq!(Command::parse(&padded(MAX_COMMAND_BYTES)), Ok(asked(0)));
    assert_eq!(Command::parse(&padded(MAX_COMMAND_BYTES + 1)), Err(Malformed::TooLarge(16_385)));
}

#[test]
fn a_reported_fact_is_taken_if_every_id_and_code_is_plain() {
    let code = |text: &str| Some(Outcome::Declined(text.to_owned()));
    let long = "x".repeat(64);
    let taken = [
        reported("pi_1", "evt_1", None),
        reported("pi_1", "evt_1", Some(Outcome::Succeeded)),
        reported("pi_1", "evt_1", Some(Outcome::Canceled)),
        reported("pi_1", "evt_1", code("card_declined")),
        reported(&long, &"x".repeat(100), code(&long)),
    ];
    for report in taken {
        assert!(reads_back(&report), "{report:?}");
    }
    let longer = "x".repeat(65);
    let mut refused = vec![reported("pi_1", &"x".repeat(101), None)];
    for bad in ["", "pi-1", "pi 1", "pi/1", "4242424242424242", &longer] {
        refused.push(reported(bad, "evt_1", None));
        refused.push(reported("pi_1", "evt_1", code(bad)));
        if bad != longer {
            refused.push(reported("pi_1", bad, None));
        }
    }
    for report in refused {
        assert!(!reads_back(&report), "{report:?}");
    }
}

#[test]
fn messages_name_their_payment_and_what_makes_them_the_same() {
    let report = Command::Fact(reported("pi_1", "evt_1", None));
    for command in [asked(0), wake(), report.clone()] {
        assert_eq!(command.payment_id(), payment_id());
    }
    assert_eq!(report.deduplication_id(), "stripe/evt_1");
    assert_eq!(wake().deduplication_id(), format!("{}/wake/{}", payment_id(), NOW.0));
    let later = Command::Wake { payment_id: payment_id(), due_at: Time(7) };
    assert_eq!(later.deduplication_id(), format!("{}/wake/7", payment_id()));
    let ids = [asked(0), asked(1), Command::Charge(charge(0, 501))].map(|command| command.deduplication_id());
    assert!(ids.iter().all(|id| id.len() == 64));
    assert!(ids[0] != ids[1] && ids[0] != ids[2]);
}

// A digest of another release that differs would refuse the same order as another request.
#[test]
fn the_digest_of_an_effect_is_the_same_in_every_release() {
    assert_eq!(charge(0, 500).effect_digest(), "6f427676ff7a3fb6c708eff9a40b05d8");
    assert_eq!(charge(0, 500).effect_digest(), charge(1, 500).effect_digest(), "the ref is no part of it");
}

#[test]
fn a_causation_that_cannot_be_carried_is_left_out() {
    let carried = |raw: &str| read_with("causation_id", raw).causation_id;
    let longest = "x".repeat(128);
    for text in ["evt-1", "!", "~", &longest] {
        assert_eq!(carried(&format!("\"{text}\"")).as_deref(), Some(text));
    }
    for text in ["", "a b", "é", "4242424242424242", &"x".repeat(129)] {
        assert_eq!(carried(&format!("\"{text}\"")), None, "{text}");
    }
    for raw in ["null", "5", "true", "[\"evt-1\"]", "{}"] {
        assert_eq!(carried(raw), None, "{raw}");
    }
}

#[test]
fn a_trace_that_is_no_w3c_trace_is_left_out() {
    let carried = |text: &str| read_with("traceparent", &format!("\"{text}\"")).traceparent;
    let (trace, span) = ("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331");
    let good = format!("00-{trace}-{span}-01");
    assert_eq!(carried(&good), Some(good.clone()));
    let bad = [
        format!("0-{trace}-{span}-01"),
        format!("00-{}-{span}-01", &trace[1..]),
        format!("00-{trace}0-{span}-01"),
        format!("00-{trace}-{}-01", &span[1..]),
        format!("00-{trace}-{span}-1"),
        format!("00-{trace}-{span}-0g"),
        format!("00-{trace}-{span}-0A"),
        format!("00-{trace}-{span}"),
        format!("00-{trace}-{span}-01-00"),
        String::new(),
    ];
    for text in bad {
        assert_eq!(carried(&text), None, "{text}");
    }
}

#[test]
fn a_refusal_says_what_and_where_and_never_a_value() {
    let body = asked(0).to_body();
    assert_eq!(refusal("{"), "not a command: the JSON ends too early at line 1 column 1");
    assert_eq!(refusal("\n oops"), "not a command: not valid JSON at line 2 column 2");
    assert_eq!(refusal("[]"), "not a command: a field has a wrong type or value at line 1 column 0");
    let twice = body.replacen('{', "{\"amount\":5,", 1);
    assert!(refusal(&twice).starts_with("not a command: a field is given twice at line 1 column "));
    assert_eq!(
        refusal(&body.replace("500", "\"secret\"")),
        "not a command: a field has a wrong type or value"
    );
    let unknown = refusal(&body.replace("\"amount\"", "\"amuont\""));
    assert!(unknown.starts_with("not a command: unknown field `amuont`, expected"), "{unknown}");
    assert!(!unknown.contains(" at line "), "no place is known: {unknown}");
    let card = refusal(&body.replace("\"amount\"", "\"4242424242424242\""));
    assert_eq!(card, "not a command: a field has a wrong type or value");
}
