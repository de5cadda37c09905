//! Tries every suite, or some, on every subject, or some, and prints what was seen as one table a port.

use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;
use conformance::{Emulators, IN_PROCESS, LOCALSTACK, Port, SUBJECTS, suite};

/// Holds the world and the adapters, over emulators, against what AWS and Stripe do.
#[derive(Debug, Parser)]
#[command(about)]
struct Args {
    /// A subject to try: world, double, ministack, moto, localstack or stripe-sim. All of them without it.
    #[arg(long = "on", value_name = "SUBJECT", value_parser = subject)]
    on: Vec<&'static str>,
}

fn subject(name: &str) -> Result<&'static str, String> {
    let known = SUBJECTS.iter().map(|(subject, _)| *subject);
    known
        .clone()
        .find(|subject| *subject == name)
        .ok_or_else(|| format!("no such subject; there are {}", known.collect::<Vec<_>>().join(", ")))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<ExitCode> {
    let args = Args::parse();
    let mut subjects = args.on;
    if subjects.is_empty() {
        subjects.extend(SUBJECTS.iter().map(|(subject, _)| *subject));
    }
    if subjects.contains(&LOCALSTACK) && !Emulators::has_localstack() {
        eprintln!("conformance: LocalStack cannot run: it needs Python 3.13 when `make setup` runs");
        return Ok(ExitCode::FAILURE);
    }
    let started: Vec<&str> =
        subjects.iter().copied().filter(|subject| !IN_PROCESS.contains(subject)).collect();
    let emulators = Emulators::start(&started)?;
    let has_subject = |port: &Port| {
        SUBJECTS.iter().any(|(subject, ports)| subjects.contains(subject) && ports.contains(port))
    };
    let ports = Port::ALL.into_iter().filter(has_subject);
    let mut faults = 0;
    for port in ports {
        let report = suite(port, &subjects, &emulators).await?;
        print!("{report}");
        faults += report.faults().len();
    }
    println!("conformance: subjects={} wrong={faults}", subjects.join(","));
    Ok(if faults == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
