//! What came out: states from the record, effects from the simulated Stripe, events from the bus.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use anyhow::{Context, Result};
use e2e::Stack;
use payment::{PaymentId, PaymentState, Record};
use serde::Deserialize;

use crate::{PAYMENTS, plan::Attempt, trouble::Kills};

/// The outcome of the demo.
pub(crate) struct Report {
    states: BTreeMap<String, usize>,
    events: BTreeMap<String, usize>,
    repeated_events: usize,
    requests: u64,
    lost_replies: u64,
    errors_after: u64,
    attempts: u64,
    intents: u64,
    commands: usize,
    kills: Kills,
    double: usize,
    lost: usize,
    review: usize,
    unsettled: usize,
    disagreeing: usize,
    elapsed: Duration,
}

#[derive(Deserialize)]
struct Counts {
    payments: BTreeMap<String, PaymentCount>,
    sum: OperationCount,
    totals: Totals,
    faults: BTreeMap<String, u64>,
}

#[derive(Deserialize)]
struct OperationCount {
    intents_created: u64,
    attempts: u64,
}

#[derive(Deserialize)]
struct PaymentCount {
    intents_succeeded: u64,
    paid_or_payable: u64,
}

#[derive(Deserialize)]
struct Totals {
    requests: BTreeMap<String, u64>,
}

/// Reads the records of all payments that exist so far.
pub(crate) async fn read_records(stack: &Stack, attempts: &[Attempt]) -> Result<Vec<Record>> {
    let ids: BTreeSet<PaymentId> = attempts.iter().map(|attempt| attempt.charge.payment_id()).collect();
    let mut records = Vec::new();
    for id in ids {
        if let Some(item) = stack.item(id.as_str()).await? {
            records.push(serde_dynamo::from_item(item).context("an item cannot be read")?);
        }
    }
    Ok(records)
}

/// Counts the payments in which every attempt asked for is on record and has ended.
pub(crate) fn count_settled(records: &[Record], attempts: &[Attempt]) -> usize {
    records
        .iter()
        .filter(|record| {
            let asked = attempts.iter().filter(|attempt| attempt.charge.payment_id() == record.id);
            let all_recorded = asked
                .filter(|attempt| !attempt.waits_for_decline)
                .all(|attempt| record.payment.operations.contains_key(&attempt.charge.key()));
            all_recorded && is_settled(record)
        })
        .count()
}

fn is_settled(record: &Record) -> bool {
    record.payment.operations.values().all(|operation| operation.attempt.standing.is_ended())
}

impl Report {
    pub(crate) async fn of(
        stack: &Stack,
        attempts: &[Attempt],
        records: &[Record],
        capture: &str,
        commands: usize,
        kills: Kills,
        elapsed: Duration,
    ) -> Result<Self> {
        let counts: Counts = serde_json::from_value(stack.stripe_get("/_sim/counts").await?)
            .context("stripe-sim's counts are not what the demo reads")?;
        let mut states = BTreeMap::new();
        for record in records {
            *states.entry(format!("{:?}", record.payment.state())).or_default() += 1;
        }
        let (events, repeated_events) = count_events(stack, capture).await?;
        let is_double = |count: &&PaymentCount| count.intents_succeeded > 1 || count.paid_or_payable > 1;
        let paid = |id: &PaymentId| counts.payments.get(id.as_str()).is_some_and(|c| c.intents_succeeded > 0);
        let due: BTreeSet<PaymentId> = attempts
            .iter()
            .filter(|attempt| attempt.pays)
            .map(|attempt| attempt.charge.payment_id())
            .collect();
        let fault = |name: &str| counts.faults.get(name).copied().unwrap_or(0);
        Ok(Self {
            double: counts.payments.values().filter(is_double).count(),
            lost: due.iter().filter(|id| !paid(id)).count(),
            review: records.iter().filter(|record| record.payment.needs_review()).count(),
            unsettled: PAYMENTS - records.iter().filter(|record| is_settled(record)).count(),
            disagreeing: records
                .iter()
                .filter(|record| (record.payment.state() == PaymentState::Captured) != paid(&record.id))
                .count(),
            requests: counts.totals.requests.values().sum(),
            lost_replies: fault("lose_reply_after_effect"),
            errors_after: fault("error_500_after"),
            attempts: counts.sum.attempts,
            intents: counts.sum.intents_created,
            states,
            events,
            repeated_events,
            commands,
            kills,
            elapsed,
        })
    }

    /// Tells whether every payment had its one effect, and only that, and settled.
    pub(crate) fn is_good(&self) -> bool {
        let wrong = self.double + self.lost + self.review + self.unsettled + self.disagreeing;
        // A demo in which nothing went wrong would show nothing.
        wrong == 0 && self.kills.processes > 0 && self.lost_replies * 5 >= self.requests
    }

    pub(crate) fn print(&self) {
        println!();
        for (state, count) in &self.states {
            println!("{:<34} {count:>6}", format!("payments {}", state.to_lowercase()));
        }
        println!("{:<34} {:>6}", "payment intents at Stripe", self.intents);
        println!("{:<34} {:>6}", "attempts to charge at Stripe", self.attempts);
        for (kind, count) in &self.events {
            println!("{:<34} {count:>6}", format!("events {kind}"));
        }
        println!("{:<34} {:>6}", "events published more than once", self.repeated_events);
        println!("{:<34} {:>6}", "requests to Stripe", self.requests);
        println!("{:<34} {:>6}", "replies lost after the effect", self.lost_replies);
        println!("{:<34} {:>6}", "errors after the effect", self.errors_after);
        println!("{:<34} {:>6}", "settle processes killed", self.kills.processes);
        println!("{:<34} {:>6}", "seconds", self.elapsed.as_secs());
        if self.unsettled + self.disagreeing > 0 {
            println!("unsettled={} record-and-Stripe-disagree={}", self.unsettled, self.disagreeing);
        }
        println!(
            "demo: payments={PAYMENTS} commands={} payment_intents={} double={} lost={} review={}",
            self.commands, self.intents, self.double, self.lost, self.review
        );
    }
}

/// Counts events by type, each id once, and how many came more than once.
async fn count_events(stack: &Stack, capture: &str) -> Result<(BTreeMap<String, usize>, usize)> {
    let mut seen = BTreeSet::new();
    let mut by_type: BTreeMap<String, usize> = BTreeMap::new();
    let mut repeated = 0;
    for event in stack.captured(capture).await? {
        let id = event["detail"]["metadata"]["id"].as_str().context("an event without an id")?.to_owned();
        let kind = event["detail-type"].as_str().context("an event without a type")?.to_owned();
        if seen.insert(id) {
            *by_type.entry(kind).or_default() += 1;
        } else {
            repeated += 1;
        }
    }
    Ok((by_type, repeated))
}
