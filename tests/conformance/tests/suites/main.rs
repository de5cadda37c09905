//! Each port's suite on the subjects that every machine can run. LocalStack, which needs a newer Python, is tried by the
//! `conformance` command: `make test` runs it where it can, and says so where it cannot.

mod judging;

use conformance::{EVERYWHERE, Emulators, IN_PROCESS, Port, suite};

#[tokio::test]
async fn the_table_conforms_or_deviates_as_recorded() {
    holds(Port::Table).await;
}

#[tokio::test]
async fn acceptances_conform_or_deviate_as_recorded() {
    holds(Port::Acceptances).await;
}

#[tokio::test]
async fn the_queue_conforms_or_deviates_as_recorded() {
    holds(Port::Queue).await;
}

#[tokio::test]
async fn the_bus_conforms_or_deviates_as_recorded() {
    holds(Port::Bus).await;
}

#[tokio::test]
async fn stripe_conforms_or_deviates_as_recorded() {
    holds(Port::Stripe).await;
}

async fn holds(port: Port) {
    let subjects: Vec<&str> = EVERYWHERE.into_iter().chain(IN_PROCESS).collect();
    let report = suite(port, &subjects, Emulators::shared()).await.expect("the suite runs");
    println!("{report}");
    let faults = report.faults();
    assert!(faults.is_empty(), "{} of {} differ:\n{}", faults.len(), port.name(), faults.join("\n"));
}
