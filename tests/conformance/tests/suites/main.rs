//! Each port's suite on the subjects that every machine can run. LocalStack, which needs a newer Python, is tried by the
//! `conformance` command: `make test` runs it where it can, and says so where it cannot.

use conformance::{EVERYWHERE, Emulators, Port, suite};

#[tokio::test]
async fn the_table_conforms_or_deviates_as_recorded() {
    holds(Port::Table).await;
}

async fn holds(port: Port) {
    let subjects: Vec<&str> = EVERYWHERE.into_iter().chain(["world"]).collect();
    let report = suite(port, &subjects, Emulators::shared()).await.expect("the suite runs");
    println!("{report}");
    let faults = report.faults();
    assert!(faults.is_empty(), "{} of {} differ:\n{}", faults.len(), port.name(), faults.join("\n"));
}
