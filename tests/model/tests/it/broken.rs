//! The protocol with one rule broken: the checker must find what goes wrong, each time.

use model::{Breakage, Protocol, System, always, explore};

const ONE: &str = "at most one intent is paid or can be paid";
const PAID: &str = "at most one intent is paid";
const DOWN: &str = "no standing moves down";
const SETTLES: &str = "without faults everything settles";

/// Explores the broken protocol and asks for a way to break `harm`.
fn is_caught(rule: Breakage, harm: &str) {
    // Only a worker that read before another wrote can overwrite what that one wrote.
    let with_old_readings = rule == Breakage::UnconditionalWrite;
    let system = System { protocol: Protocol { broken: Some(rule) }, with_old_readings, ..System::default() };
    let properties: Vec<_> = always().into_iter().filter(|property| property.name == harm).collect();
    assert_eq!(properties.len(), 1, "there is no property {harm:?}");
    let report = explore(&system, &properties, &[]);
    let broken =
        report.broken.unwrap_or_else(|| panic!("{rule:?}: {} states, and no counterexample", report.states));
    println!("{rule:?} breaks {harm:?} in {} steps\n  {}", broken.trace.len() - 1, broken.trace.join("\n  "));
}

#[test]
fn the_checker_notices_a_new_key_for_each_send() {
    is_caught(Breakage::NewKeyPerSend, ONE);
}

#[test]
fn the_checker_notices_an_effect_before_its_record() {
    is_caught(Breakage::EffectBeforeRecord, ONE);
}

#[test]
fn the_checker_notices_an_unconditional_write() {
    is_caught(Breakage::UnconditionalWrite, DOWN);
    is_caught(Breakage::UnconditionalWrite, ONE);
}

#[test]
fn the_checker_notices_a_resend_after_the_window() {
    is_caught(Breakage::WindowIgnored, ONE);
}

#[test]
fn the_checker_notices_a_window_judged_at_the_save_only() {
    is_caught(Breakage::WindowJudgedAtTheSaveOnly, ONE);
}

#[test]
fn the_checker_notices_a_window_without_a_margin() {
    is_caught(Breakage::NoMarginBehindTheWindow, ONE);
}

#[test]
fn the_checker_notices_a_timeout_taken_for_a_failure() {
    is_caught(Breakage::TimeoutIsFailure, ONE);
}

#[test]
fn the_checker_notices_a_further_attempt_without_a_void() {
    is_caught(Breakage::FurtherAttemptWithoutVoid, PAID);
}

#[test]
fn the_checker_notices_an_absence_taken_for_proof() {
    is_caught(Breakage::AbsenceIsProof, ONE);
}

#[test]
fn the_checker_notices_a_window_restarted_by_a_429() {
    is_caught(Breakage::NotDoneForgetsTheFirstSend, ONE);
}

#[test]
fn the_checker_notices_a_400_believed_despite_an_earlier_send() {
    is_caught(Breakage::RefusedDespiteAnEarlierSend, ONE);
}

#[test]
fn the_checker_notices_a_failure_that_no_success_can_lift() {
    is_caught(Breakage::FailedIsForEver, SETTLES);
}

#[test]
fn the_checker_notices_a_void_assumed_from_a_lost_reply() {
    is_caught(Breakage::VoidIsAssumed, ONE);
}
