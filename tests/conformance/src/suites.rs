//! Which subjects each port has.

use anyhow::{Result, bail};
use futures_util::future::{LocalBoxFuture, join_all};

use crate::{
    acceptances, bus,
    case::{Case, Outcome, run},
    deviations::{Port, recorded},
    emulators::{Emulators, LOCALSTACK, aws},
    queue,
    report::Report,
    stripe, table,
};

/// Every subject, and the ports that it has.
pub const SUBJECTS: [(&str, &[Port]); 6] = [
    ("world", &[Port::Table, Port::Queue, Port::Bus, Port::Stripe]),
    ("double", &[Port::Acceptances]),
    ("ministack", &[Port::Table, Port::Acceptances, Port::Queue, Port::Bus]),
    ("moto", &[Port::Table, Port::Acceptances]),
    (LOCALSTACK, &[Port::Queue, Port::Bus]),
    ("stripe-sim", &[Port::Stripe]),
];

/// The subjects that run in the caller's own process: no emulator is started for them.
pub const IN_PROCESS: [&str; 2] = ["world", "double"];

/// How many cases an emulator is tried with at once: each is one process, and answers within the SDK's time.
const AT_ONCE: usize = 4;

/// How many cases a queue is tried with at once: they wait for the most part.
const QUEUES_AT_ONCE: usize = 10;

/// Tries a port's suite on those of the given subjects that have the port, all at once.
///
/// # Errors
/// Returns an error if an emulator or the recorded deviations cannot be had.
pub async fn suite(port: Port, on: &[&str], emulators: &Emulators) -> Result<Report> {
    let recorded = recorded()?;
    if let Some(stray) = recorded.iter().find(|deviation| !has(&deviation.subject, deviation.port)) {
        bail!("a deviation is recorded of {}, which has no {}", stray.subject, stray.port.name());
    }
    let subjects = SUBJECTS.iter().filter(|(subject, ports)| on.contains(subject) && ports.contains(&port));
    let mut running: Vec<LocalBoxFuture<'_, Result<Vec<Outcome>>>> = Vec::new();
    for (subject, _) in subjects {
        running.push(match (port, *subject) {
            (Port::Table, "world") => Box::pin(async {
                Ok(run("world", 1, table::cases(), async |_| Ok(table::WorldTable::default())).await)
            }),
            (Port::Queue, "world") => Box::pin(async {
                Ok(run("world", 1, queue::cases(), async |_| Ok(queue::WorldQueue::default())).await)
            }),
            (Port::Bus, "world") => Box::pin(async {
                Ok(run("world", 1, bus::cases(), async |_| Ok(bus::WorldBus::default())).await)
            }),
            (Port::Stripe, "world") => Box::pin(async {
                Ok(run("world", 1, stripe::cases(), async |_| Ok(stripe::WorldStripe::default())).await)
            }),
            (Port::Acceptances, "double") => Box::pin(async {
                Ok(run("double", 1, acceptances::cases(), async |_| Ok(acceptances::Double::default())).await)
            }),
            (Port::Table, subject) => Box::pin(on_dynamo(subject, table::cases(), emulators)),
            (Port::Acceptances, subject) => Box::pin(on_dynamo(subject, acceptances::cases(), emulators)),
            (Port::Queue, subject) => Box::pin(on_sqs(subject, emulators)),
            (Port::Bus, subject) => Box::pin(on_event_bridge(subject, emulators)),
            (Port::Stripe, subject) => Box::pin(on_stripe_sim(subject, emulators)),
        });
    }
    let outcomes: Result<Vec<Vec<Outcome>>> = join_all(running).await.into_iter().collect();
    Ok(Report::new(port, outcomes?.concat(), &recorded))
}

fn has(subject: &str, port: Port) -> bool {
    SUBJECTS.iter().any(|(name, ports)| *name == subject && ports.contains(&port))
}

async fn on_dynamo(
    subject: &'static str,
    cases: Vec<Case<table::DynamoTable>>,
    emulators: &Emulators,
) -> Result<Vec<Outcome>> {
    let endpoint = emulators.endpoint(subject)?;
    let config = aws(endpoint)?;
    table::DynamoTable::warm_up(&config).await?;
    Ok(run(subject, AT_ONCE, cases, async |case| table::DynamoTable::new(endpoint, &config, case).await)
        .await)
}

async fn on_sqs(subject: &'static str, emulators: &Emulators) -> Result<Vec<Outcome>> {
    let config = aws(emulators.endpoint(subject)?)?;
    queue::FifoQueue::warm_up(&config).await?;
    let cases = queue::cases();
    Ok(run(subject, QUEUES_AT_ONCE, cases, async |case| queue::FifoQueue::new(&config, case).await).await)
}

async fn on_event_bridge(subject: &'static str, emulators: &Emulators) -> Result<Vec<Outcome>> {
    let endpoint = emulators.endpoint(subject)?;
    let config = aws(endpoint)?;
    bus::EventBridge::warm_up(&config).await?;
    queue::FifoQueue::warm_up(&config).await?;
    let cases = bus::cases();
    Ok(run(subject, AT_ONCE, cases, async |case| bus::EventBridge::new(endpoint, &config, case).await).await)
}

async fn on_stripe_sim(subject: &'static str, emulators: &Emulators) -> Result<Vec<Outcome>> {
    let url = emulators.endpoint(subject)?;
    Ok(run(subject, 1, stripe::cases(), async |_| stripe::HttpStripe::new(url).await).await)
}
