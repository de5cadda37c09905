//! Recorded deviations: where a subject differs from the real service, as data in `deviations.toml`.

use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

/// A port that has a suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Port {
    /// The table: ledger and due index.
    Table,
    /// The table: a caller's key and a payment's record in one transaction.
    Acceptances,
    /// The queue, and where dead letters are set aside.
    Queue,
    /// The event bus.
    Bus,
    /// Stripe.
    Stripe,
}

impl Port {
    /// Every port.
    pub const ALL: [Self; 5] = [Self::Table, Self::Acceptances, Self::Queue, Self::Bus, Self::Stripe];

    /// Returns the port's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Acceptances => "acceptances",
            Self::Queue => "queue",
            Self::Bus => "bus",
            Self::Stripe => "stripe",
        }
    }
}

/// One case that one subject is known to fail.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deviation {
    /// The port.
    pub port: Port,
    /// The subject.
    pub subject: String,
    /// The case, which says what the real service does and where that is written.
    pub case: String,
    /// What the subject does instead.
    pub does: String,
    /// A part of what the case then reports: another failure is not this deviation.
    pub shows: String,
    /// It is a race, and so shows in some runs only: a run without it is no fault. Only for what cannot be forced.
    #[serde(default)]
    pub sometimes: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    deviation: Vec<Deviation>,
}

/// Reads the recorded deviations.
///
/// # Errors
/// Returns an error if the file cannot be read.
pub fn recorded() -> Result<Vec<Deviation>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("deviations.toml");
    let text = std::fs::read_to_string(&path).context("deviations.toml cannot be read")?;
    Ok(toml::from_str::<File>(&text).context("deviations.toml is not what it should be")?.deviation)
}
