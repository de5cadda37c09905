//! A case: one sentence about a port, what the real service does with its source, and a body that tries it.

use std::{future::Future, pin::Pin, time::Duration};

use anyhow::{Result, bail};
use futures_util::stream::{self, StreamExt};

/// How long one case may take: far more than any needs.
const LIMIT: Duration = Duration::from_secs(120);

/// How long what comes in its own time is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// What tries a case on one subject.
pub type Body<S> = for<'a> fn(&'a S) -> Pin<Box<dyn Future<Output = Result<()>> + 'a>>;

/// One sentence that must hold of every subject of a port.
pub struct Case<S> {
    /// The sentence, as the function that tries it is called.
    pub name: &'static str,
    /// What the real service does.
    pub says: &'static str,
    /// Where that is written.
    pub source: &'static str,
    /// Tries it.
    pub body: Body<S>,
}

/// Lists cases: `name: "what the real service does", "where that is written";`
macro_rules! cases {
    ($($name:ident: $says:expr, $source:expr;)*) => {
        vec![$($crate::case::Case {
            name: stringify!($name),
            says: $says,
            source: $source,
            body: |subject| Box::pin($name(subject)),
        }),*]
    };
}
pub(crate) use cases;

/// What came of one case on one subject.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The subject.
    pub subject: &'static str,
    /// The case.
    pub case: &'static str,
    /// What the real service does.
    pub says: &'static str,
    /// Where that is written.
    pub source: &'static str,
    /// What differed, if anything did.
    pub result: Result<(), String>,
}

/// Tries the cases on one subject, each on a fresh one of its own, as many `at_once` as the subject bears.
///
/// Their outcomes are in the cases' order.
pub async fn run<S, F>(
    subject: &'static str,
    at_once: usize,
    cases: Vec<Case<S>>,
    fresh: impl Fn(&'static str) -> F,
) -> Vec<Outcome>
where
    F: Future<Output = Result<S>>,
{
    let numbered = cases.into_iter().enumerate();
    let attempts = numbered.map(async |(number, case)| (number, attempt(subject, case, &fresh).await));
    let mut outcomes: Vec<(usize, Outcome)> =
        stream::iter(attempts).buffer_unordered(at_once).collect().await;
    outcomes.sort_unstable_by_key(|(number, _)| *number);
    outcomes.into_iter().map(|(_, outcome)| outcome).collect()
}

async fn attempt<S, F>(subject: &'static str, case: Case<S>, fresh: &impl Fn(&'static str) -> F) -> Outcome
where
    F: Future<Output = Result<S>>,
{
    let trying = async {
        let made = fresh(case.name).await?;
        (case.body)(&made).await
    };
    let result = match tokio::time::timeout(LIMIT, trying).await {
        Ok(tried) => tried.map_err(|error| format!("{error:#}")),
        Err(_) => Err(format!("not over after {LIMIT:?}")),
    };
    Outcome { subject, case: case.name, says: case.says, source: case.source, result }
}

/// Fails unless what was seen is what is due.
pub(crate) fn expect<T: PartialEq + std::fmt::Debug>(what: &str, seen: &T, due: &T) -> Result<()> {
    if seen != due {
        bail!("{what}: {seen:?}, not {due:?}");
    }
    Ok(())
}

/// Fails unless a condition holds.
pub(crate) fn check(holds: bool, otherwise: &str) -> Result<()> {
    if !holds {
        bail!("{otherwise}");
    }
    Ok(())
}

/// Looks until what is seen is what is due, as where a service promises no more than that it will be.
pub(crate) async fn in_time<T, F>(what: &str, due: &T, look: impl Fn() -> F) -> Result<()>
where
    T: PartialEq + std::fmt::Debug,
    F: Future<Output = Result<T>>,
{
    let looking = async {
        loop {
            if look().await? == *due {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    match tokio::time::timeout(PATIENCE, looking).await {
        Ok(seen) => seen,
        Err(_) => expect(what, &look().await?, due),
    }
}
