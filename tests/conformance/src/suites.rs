//! Which subjects each port has.

use anyhow::{Result, bail};
use futures_util::future::{LocalBoxFuture, join_all};

use crate::{
    case::{Outcome, run},
    deviations::{Port, recorded},
    emulators::{Emulators, aws},
    report::Report,
    table,
};

/// Every subject, and the ports that it has.
pub const SUBJECTS: [(&str, &[Port]); 3] =
    [("world", &[Port::Table]), ("ministack", &[Port::Table]), ("moto", &[Port::Table])];

/// How many cases an emulator is tried with at once: each is one process, and answers within the SDK's time.
const AT_ONCE: usize = 4;

/// Tries a port's suite on those of the given subjects that have the port, all at once.
///
/// # Errors
/// Returns an error if an emulator or the recorded deviations cannot be had.
pub async fn suite(port: Port, on: &[&str], emulators: &Emulators) -> Result<Report> {
    let subjects = SUBJECTS.iter().filter(|(subject, ports)| on.contains(subject) && ports.contains(&port));
    let mut running: Vec<LocalBoxFuture<'_, Result<Vec<Outcome>>>> = Vec::new();
    for (subject, _) in subjects {
        running.push(match (port, *subject) {
            (Port::Table, "world") => Box::pin(async {
                Ok(run("world", 1, table::cases(), async |_| Ok(table::WorldTable::new())).await)
            }),
            (Port::Table, subject) => Box::pin(on_dynamo(subject, emulators)),
            (port, subject) => bail!("{} has no subject {subject}", port.name()),
        });
    }
    let outcomes: Result<Vec<Vec<Outcome>>> = join_all(running).await.into_iter().collect();
    Ok(Report::new(port, outcomes?.concat(), &recorded()?))
}

async fn on_dynamo(subject: &'static str, emulators: &Emulators) -> Result<Vec<Outcome>> {
    let endpoint = emulators.endpoint(subject)?;
    let config = aws(endpoint)?;
    table::DynamoTable::warm_up(&config).await?;
    let cases = table::cases();
    Ok(run(subject, AT_ONCE, cases, async |case| table::DynamoTable::new(endpoint, &config, case).await)
        .await)
}
