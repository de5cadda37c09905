//! The two tables of the payment's life: each row is reached, nothing else happens, and the document shows them.

use std::{collections::BTreeSet, fmt::Write as _, fs, path::Path};

use effect::{Note, Outcome, Standing, Status};
use payment::{CaptureMethod, Kind, OperationKey, PaymentState, TRANSITIONS, Verdict, verdict};
use proptest::prelude::*;

use crate::{
    asking::{cancel, capture, charge, refund},
    histories::{histories, moments},
    properties::config,
    story::{CANCEL, CAPTURE, CHARGE, REFUND, Story, named},
};

fn declined() -> Option<Outcome> {
    Some(Outcome::Declined("card_declined".to_owned()))
}

/// A payment that has come to a state, with nothing else under way.
fn in_state(state: PaymentState) -> Story {
    let automatic = || Story::begins(CaptureMethod::Automatic);
    match state {
        PaymentState::Created => automatic(),
        PaymentState::Authorizing => automatic().sends(CHARGE),
        PaymentState::Authorized => Story::authorized(),
        PaymentState::Capturing => Story::authorized().asks(capture(1, None)).sends((Kind::Capture, 1)),
        PaymentState::Captured => Story::captured(),
        PaymentState::Refunding => Story::captured().asks(refund(1, Some(1_000))).sends((Kind::Refund, 1)),
        PaymentState::PartiallyRefunded => {
            in_state(PaymentState::Refunding).shows((Kind::Refund, 1), Some(Outcome::Succeeded))
        }
        PaymentState::Refunded => {
            let story = Story::captured().asks(refund(1, None)).sends((Kind::Refund, 1));
            story.shows((Kind::Refund, 1), Some(Outcome::Succeeded))
        }
        PaymentState::Failed => {
            let story = automatic().sends(CHARGE).shows(CHARGE, declined());
            let void = OperationKey::void_of(&named(CHARGE));
            story.sends_key(&void).shows(CHARGE, Some(Outcome::Canceled))
        }
        PaymentState::Canceled => automatic().sends(CHARGE).shows(CHARGE, Some(Outcome::Canceled)),
    }
}

/// What really becomes of an operation that is asked for in a state.
fn outcome(kind: Kind, state: PaymentState) -> Verdict {
    let story = in_state(state);
    assert_eq!(story.state(), state);
    let (name, command) = match kind {
        Kind::Charge => ((kind, 1), charge(1, 10_000, CaptureMethod::Automatic)),
        Kind::Capture => (CAPTURE, capture(0, None)),
        Kind::Cancel => (CANCEL, cancel(0, false)),
        // Something is left to refund but after a full refund, where the amount decides.
        Kind::Refund => (REFUND, refund(0, Some(1_000))),
        Kind::Void => unreachable!("nobody asks for a void"),
    };
    let story = story.asks(command);
    let operation = &story.record.payment.operations[&named(name)];
    let runs = operation.attempt.standing == Standing::Succeeded
        || (kind != Kind::Charge && story.is_decided(name))
        || (kind == Kind::Charge && story.record.payment.is_runnable(&named(name), operation));
    match &operation.attempt.code {
        Some(code) => {
            let known = refusals().into_iter().find(|known| known == code);
            Verdict::Refused(known.unwrap_or(payment::AMOUNT_ABOVE_REFUNDABLE))
        }
        None if runs => Verdict::Runs,
        None => Verdict::Waits,
    }
}

fn refusals() -> Vec<&'static str> {
    let all = Kind::ALL.into_iter().flat_map(|kind| PaymentState::ALL.map(|state| verdict(kind, state)));
    all.filter_map(|verdict| match verdict {
        Verdict::Refused(code) => Some(code),
        Verdict::Runs | Verdict::Waits => None,
    })
    .collect()
}

#[test]
fn every_verdict_is_what_becomes_of_the_operation() {
    for kind in [Kind::Charge, Kind::Capture, Kind::Cancel, Kind::Refund] {
        for state in PaymentState::ALL {
            let expected = match (kind, state) {
                // The first charge is what creates the payment: a second one waits for it.
                (Kind::Charge, PaymentState::Created) => Verdict::Waits,
                // It may run, and finds nothing left.
                (Kind::Refund, PaymentState::Refunded) => Verdict::Refused(payment::AMOUNT_ABOVE_REFUNDABLE),
                (kind, state) => verdict(kind, state),
            };
            assert_eq!(outcome(kind, state), expected, "{kind:?} {state:?}");
        }
    }
}

/// Stories that between them take every transition.
pub(crate) fn stories() -> Vec<Story> {
    let automatic = || Story::begins(CaptureMethod::Automatic);
    let ends_of_refunds =
        |story: Story| story.shows(REFUND, Some(Outcome::Succeeded)).shows(REFUND, declined());
    let declined_while_canceled = || Story::unanswered().asks(cancel(0, false)).shows(CHARGE, declined());
    vec![
        automatic().asks(cancel(0, false)),
        automatic().sends(CHARGE).notes(CHARGE, Note::NotDone),
        automatic().sends(CHARGE).shows(CHARGE, declined()).shows(CHARGE, Some(Outcome::Succeeded)),
        automatic()
            .sends(CHARGE)
            .shows(CHARGE, Some(Outcome::Canceled))
            .shows(CHARGE, Some(Outcome::Succeeded)),
        in_state(PaymentState::Failed).asks(charge(1, 10_000, CaptureMethod::Automatic)),
        in_state(PaymentState::Canceled).asks(charge(1, 10_000, CaptureMethod::Automatic)),
        declined_while_canceled().shows(CHARGE, Some(Outcome::Authorized)),
        declined_while_canceled().shows(CHARGE, Some(Outcome::Canceled)),
        Story::authorized().shows(CHARGE, Some(Outcome::Succeeded)),
        Story::authorized().shows(CHARGE, Some(Outcome::Canceled)),
        Story::authorized().asks(capture(0, None)).sends(CAPTURE).refuses(CAPTURE),
        Story::authorized().asks(capture(0, None)).sends(CAPTURE).shows(CHARGE, Some(Outcome::Succeeded)),
        Story::authorized().asks(capture(0, None)).sends(CAPTURE).shows(CHARGE, Some(Outcome::Canceled)),
        Story::captured().asks(refund(0, None)).sends(REFUND).refuses(REFUND),
        ends_of_refunds(Story::captured().asks(refund(0, None)).sends(REFUND)),
        ends_of_refunds(Story::captured().asks(refund(0, Some(3_000))).sends(REFUND)),
        ends_of_refunds(in_state(PaymentState::PartiallyRefunded).asks(refund(0, None)).sends(REFUND)),
    ]
}

#[test]
fn every_transition_is_taken_and_no_other() {
    let taken: BTreeSet<_> = stories().into_iter().flat_map(|story| story.changes).collect();
    let listed: BTreeSet<_> = TRANSITIONS.iter().map(|(from, to, _)| (*from, *to)).collect();
    assert_eq!(taken, listed);
    assert_eq!(listed.len(), TRANSITIONS.len(), "each is listed once");
}

proptest! {
    #![proptest_config(config())]

    // A fact can settle a charge and so begin what waited for it, and a late one can skip what nobody told.
    #[test]
    fn every_change_is_a_listed_one_or_two_of_them_at_once(history in histories()) {
        let is_listed = |from, to| TRANSITIONS.iter().any(|(a, b, _)| (*a, *b) == (from, to));
        for moment in moments(&history) {
            let Some(before) = moment.before else { continue };
            for (from, to) in [(before.state(), moment.taken.state()), (moment.taken.state(), moment.planned.state())] {
                let by_two = || PaymentState::ALL.iter().any(|mid| is_listed(from, *mid) && is_listed(*mid, to));
                prop_assert!(from == to || is_listed(from, to) || by_two(), "{:?} to {:?}", from, to);
            }
        }
    }
}

fn transitions() -> String {
    let mut table = String::from("| from | to | when |\n|---|---|---|\n");
    for (from, to, when) in TRANSITIONS {
        writeln!(table, "| {} | {} | {when} |", from.as_str(), to.as_str()).unwrap();
    }
    table
}

fn verdicts() -> String {
    let kinds = [Kind::Charge, Kind::Capture, Kind::Cancel, Kind::Refund];
    let mut table =
        String::from("| state before it | charge | capture | cancel | refund |\n|---|---|---|---|---|\n");
    for state in PaymentState::ALL {
        write!(table, "| {} |", state.as_str()).unwrap();
        for kind in kinds {
            match verdict(kind, state) {
                Verdict::Runs => table.push_str(" runs |"),
                Verdict::Waits => table.push_str(" waits |"),
                Verdict::Refused(code) => write!(table, " `{code}` |").unwrap(),
            }
        }
        table.push('\n');
    }
    table
}

fn with_block(document: &str, name: &str, table: &str) -> String {
    let (begin, end) = (format!("<!-- {name}:begin -->\n"), format!("<!-- {name}:end -->"));
    let (head, rest) = document.split_once(&begin).unwrap();
    let (_, tail) = rest.split_once(&end).unwrap();
    format!("{head}{begin}{table}{end}{tail}")
}

#[test]
fn the_document_shows_the_tables_of_the_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ARCHITECTURE.md");
    let shown = fs::read_to_string(&path).unwrap();
    let current = with_block(&with_block(&shown, "transitions", &transitions()), "verdicts", &verdicts());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &current).unwrap();
    } else {
        assert_eq!(shown, current, "run UPDATE_DOCS=1 cargo test -p payment the_document_shows");
    }
}

#[test]
fn a_charge_declined_after_it_waited_for_its_customer_is_voided() {
    let story = Story::unanswered().shows(CHARGE, declined());
    assert!(story.record.payment.operations.contains_key(&OperationKey::void_of(&named(CHARGE))));
    let processing = Story::begins(CaptureMethod::Automatic).sends(CHARGE).shows(CHARGE, None);
    let processing = processing.notes(CHARGE, Note::Status(Status::Processing)).asks(cancel(0, false));
    assert!(!processing.is_decided(CANCEL), "what the provider works on cannot be canceled");
}
