//! The judge itself: it is red when a deviation is not recorded, when a recorded one no longer shows, and when it shows
//! as something else.

use conformance::{Deviation, Outcome, Port, Report, Verdict};

fn outcome(result: Result<(), &str>) -> Outcome {
    Outcome {
        subject: "emulator",
        case: "a_case",
        says: "it holds",
        source: "a document",
        result: result.map_err(str::to_owned),
    }
}

fn deviation() -> Deviation {
    Deviation {
        port: Port::Queue,
        subject: "emulator".to_owned(),
        case: "a_case".to_owned(),
        does: "it does not hold".to_owned(),
        shows: "seen: 2".to_owned(),
        sometimes: false,
    }
}

fn faults(result: Result<(), &str>, recorded: &[Deviation]) -> Vec<String> {
    Report::new(Port::Queue, vec![outcome(result)], recorded).faults()
}

#[test]
fn what_holds_conforms() {
    let report = Report::new(Port::Queue, vec![outcome(Ok(()))], &[]);
    assert_eq!(report.verdict("emulator", "a_case"), Some(&Verdict::Conforms));
    assert!(report.faults().is_empty());
}

#[test]
fn a_deviation_that_is_not_recorded_is_a_fault() {
    let faults = faults(Err("seen: 2, not 1"), &[]);
    assert!(faults[0].contains("a deviation that is not recorded: seen: 2, not 1"), "{faults:?}");
    assert!(faults[0].contains("the real service: it holds (a document)"), "{faults:?}");
}

#[test]
fn a_recorded_deviation_that_shows_is_none() {
    let report = Report::new(Port::Queue, vec![outcome(Err("seen: 2, not 1"))], &[deviation()]);
    assert_eq!(report.verdict("emulator", "a_case"), Some(&Verdict::Deviates));
    assert!(report.faults().is_empty());
    let printed = report.to_string();
    assert!(printed.contains("emulator deviates in `a case`: it does not hold"), "{printed}");
}

#[test]
fn a_recorded_deviation_that_no_longer_shows_is_a_fault() {
    let faults = faults(Ok(()), &[deviation()]);
    assert!(faults[0].contains("a recorded deviation no longer shows: it does not hold"), "{faults:?}");
}

#[test]
fn another_failure_is_not_the_recorded_deviation() {
    let faults = faults(Err("connection refused"), &[deviation()]);
    assert!(faults[0].contains("not the recorded deviation (`seen: 2`): connection refused"), "{faults:?}");
}

#[test]
fn a_race_may_show_or_not() {
    let race = Deviation { sometimes: true, ..deviation() };
    let report = Report::new(Port::Queue, vec![outcome(Ok(()))], std::slice::from_ref(&race));
    assert_eq!(report.verdict("emulator", "a_case"), Some(&Verdict::ConformsThisTime));
    assert!(report.faults().is_empty());
    assert!(faults(Err("seen: 2, not 1"), std::slice::from_ref(&race)).is_empty());
    assert_eq!(faults(Err("connection refused"), &[race]).len(), 1);
}

#[test]
fn a_recorded_deviation_of_no_case_is_a_fault() {
    let dangling = Deviation { case: "no_such_case".to_owned(), ..deviation() };
    let faults = faults(Ok(()), &[dangling]);
    assert_eq!(faults, ["emulator: no case `no_such_case`"]);
}

#[test]
fn a_deviation_of_another_port_or_subject_excuses_nothing() {
    let of_bus = Deviation { port: Port::Bus, ..deviation() };
    let of_other = Deviation { subject: "other".to_owned(), ..deviation() };
    assert_eq!(faults(Err("seen: 2, not 1"), &[of_bus, of_other]).len(), 1);
}
