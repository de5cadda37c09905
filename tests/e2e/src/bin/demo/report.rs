//! What came out: states from the record, effects from the simulated Stripe, events from the bus.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use anyhow::{Context, Result};
use e2e::Stack;
use payment::{PaymentId, Record};
use serde::Deserialize;

use crate::{
    PAYMENTS,
    plan::{Must, Order, Route},
    trouble::Kills,
    ways::{Http, Sender},
};

/// The outcome of the demo.
pub(crate) struct Report {
    states: BTreeMap<String, usize>,
    events: BTreeMap<String, usize>,
    repeated_events: usize,
    requests: u64,
    lost_replies: u64,
    errors_after: u64,
    sum: Count,
    commands: usize,
    http: Http,
    http_intents: u64,
    kills: Kills,
    double: usize,
    lost: usize,
    review: usize,
    unsettled: usize,
    disagreeing: usize,
    elapsed: Duration,
}

/// What stripe-sim counted.
#[derive(Deserialize)]
struct Counts {
    operations: BTreeMap<String, Count>,
    payments: BTreeMap<PaymentId, Count>,
    sum: Count,
    totals: Totals,
    faults: BTreeMap<String, u64>,
}

/// Effects of one payment, or of all.
#[derive(Default, Clone, Copy, Deserialize)]
#[serde(default)]
struct Count {
    intents_created: u64,
    intents_succeeded: u64,
    attempts: u64,
    amount_paid: u64,
    captures: u64,
    cancels: u64,
    refunds: u64,
    amount_refunded: u64,
    paid_or_payable: u64,
    refunded_on_intents: u64,
}

#[derive(Deserialize)]
struct Totals {
    requests: BTreeMap<String, u64>,
}

impl Count {
    /// Tells whether something happened that was not asked for, or was asked for once and happened again.
    fn is_above(&self, must: &Must) -> bool {
        self.intents_succeeded > must.paid
            || self.paid_or_payable > 1
            || self.amount_paid > must.amount_paid
            || self.captures > must.captures
            || self.refunds > must.refunds
            || self.refunded_on_intents > must.amount_refunded
    }

    /// Tells whether something did not happen that was asked for. Money that is still held though it was to be let go
    /// is of this kind.
    fn is_below(&self, must: &Must) -> bool {
        self.intents_succeeded < must.paid
            || self.amount_paid < must.amount_paid
            || self.captures < must.captures
            || self.cancels < must.cancels
            || self.refunds < must.refunds
            || self.refunded_on_intents < must.amount_refunded
            || self.paid_or_payable > must.paid
    }
}

/// Reads the records of all payments that exist so far.
pub(crate) async fn read_records(stack: &Stack, orders: &[Order]) -> Result<BTreeMap<PaymentId, Record>> {
    let mut records = BTreeMap::new();
    for order in orders {
        if let Some(item) = stack.item(order.payment_id.as_str()).await? {
            let record = serde_dynamo::from_item(item).context("an item cannot be read")?;
            records.insert(order.payment_id.clone(), record);
        }
    }
    Ok(records)
}

/// Counts the payments in which everything asked for is on record and has ended.
pub(crate) fn count_settled(records: &BTreeMap<PaymentId, Record>, orders: &[Order]) -> usize {
    let is_settled =
        |order: &&Order| records.get(&order.payment_id).is_some_and(|record| order.is_settled(record));
    orders.iter().filter(is_settled).count()
}

impl Report {
    pub(crate) async fn of(
        stack: &Stack,
        orders: &[Order],
        records: &BTreeMap<PaymentId, Record>,
        capture: &str,
        sender: &Sender<'_>,
        kills: Kills,
        elapsed: Duration,
    ) -> Result<Self> {
        let counts: Counts = serde_json::from_value(stack.stripe_get("/_sim/counts").await?)
            .context("stripe-sim's counts are not what the demo reads")?;
        let mut states = BTreeMap::new();
        for record in records.values() {
            *states.entry(record.payment.state().as_str().replace('_', " ")).or_default() += 1;
        }
        let (events, repeated_events) = count_events(stack, capture).await?;
        let count = |id: &PaymentId| counts.payments.get(id).copied().unwrap_or_default();
        let agrees = |(id, record): &(&PaymentId, &Record)| {
            let (recorded, counted) = (record.payment.totals(), count(id));
            (recorded.captured, recorded.refunded) == (counted.amount_paid, counted.refunded_on_intents)
        };
        let fault = |name: &str| counts.faults.get(name).copied().unwrap_or(0);
        let over_http = orders.iter().flat_map(|order| {
            let steps = order.steps.iter().filter(|step| step.route == Route::Http);
            steps.filter_map(|step| Some(step.command.asked()?.key.id(&order.payment_id)))
        });
        let intents = |id: String| counts.operations.get(&id).map_or(0, |count| count.intents_created);
        Ok(Self {
            double: orders.iter().filter(|order| count(&order.payment_id).is_above(&order.must)).count(),
            lost: orders.iter().filter(|order| count(&order.payment_id).is_below(&order.must)).count(),
            review: records.values().filter(|record| record.payment.needs_review()).count(),
            unsettled: PAYMENTS - count_settled(records, orders),
            disagreeing: records.iter().filter(|record| !agrees(record)).count(),
            requests: counts.totals.requests.values().sum(),
            lost_replies: fault("lose_reply_after_effect"),
            errors_after: fault("error_500_after"),
            sum: counts.sum,
            http: sender.http(),
            http_intents: over_http.map(intents).sum(),
            commands: sender.commands(),
            states,
            events,
            repeated_events,
            kills,
            elapsed,
        })
    }

    /// Tells whether every payment had its one effect, and only that, and settled.
    pub(crate) fn is_good(&self) -> bool {
        let wrong = self.double + self.lost + self.review + self.unsettled + self.disagreeing;
        let Http { accepted, replayed, refused } = self.http;
        let is_http_good = accepted > 0 && (replayed, refused) == (accepted, accepted);
        let is_http_single = self.http_intents == accepted as u64;
        // A demo in which nothing went wrong would show nothing.
        wrong == 0
            && is_http_good
            && is_http_single
            && self.kills.processes > 0
            && self.lost_replies * 5 >= self.requests
    }

    pub(crate) fn print(&self) {
        println!();
        for (state, count) in &self.states {
            println!("{:<34} {count:>6}", format!("payments {state}"));
        }
        println!("{:<34} {:>6}", "payment intents at Stripe", self.sum.intents_created);
        println!("{:<34} {:>6}", "attempts to charge at Stripe", self.sum.attempts);
        println!("{:<34} {:>6}", "captures at Stripe", self.sum.captures);
        println!("{:<34} {:>6}", "cancels at Stripe", self.sum.cancels);
        println!("{:<34} {:>6}", "refunds at Stripe", self.sum.refunds);
        println!("{:<34} {:>6}", "yen taken at Stripe", self.sum.amount_paid);
        println!("{:<34} {:>6}", "yen given back at Stripe", self.sum.amount_refunded);
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
            "http: payments={} repeats_replayed_byte_for_byte={} other_bodies_refused_422={} payment_intents={}",
            self.http.accepted, self.http.replayed, self.http.refused, self.http_intents
        );
        println!(
            "demo: payments={PAYMENTS} commands={} payment_intents={} captures={} refunds={} double={} lost={} review={}",
            self.commands,
            self.sum.intents_created,
            self.sum.captures,
            self.sum.refunds,
            self.double,
            self.lost,
            self.review
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

#[cfg(test)]
mod tests {
    use super::*;

    const MUST: Must =
        Must { paid: 1, amount_paid: 700, captures: 1, cancels: 0, refunds: 2, amount_refunded: 500 };

    fn counted() -> Count {
        Count {
            intents_succeeded: 1,
            paid_or_payable: 1,
            amount_paid: 700,
            captures: 1,
            refunds: 2,
            refunded_on_intents: 500,
            ..Count::default()
        }
    }

    #[test]
    fn what_was_asked_for_is_neither_double_nor_lost() {
        assert!(!counted().is_above(&MUST) && !counted().is_below(&MUST));
    }

    #[test]
    fn one_effect_or_one_yen_more_is_double_and_one_less_is_lost() {
        let fields: [fn(&mut Count) -> &mut u64; 5] = [
            |count| &mut count.intents_succeeded,
            |count| &mut count.amount_paid,
            |count| &mut count.captures,
            |count| &mut count.refunds,
            |count| &mut count.refunded_on_intents,
        ];
        for (number, field) in fields.into_iter().enumerate() {
            let (mut more, mut less) = (counted(), counted());
            *field(&mut more) += 1;
            *field(&mut less) -= 1;
            assert!(more.is_above(&MUST) && !more.is_below(&MUST), "field {number}");
            assert!(less.is_below(&MUST) && !less.is_above(&MUST), "field {number}");
        }
    }

    #[test]
    fn a_second_intent_that_can_be_paid_is_double_and_money_still_held_after_a_cancel_is_lost() {
        let payable_twice = Count { paid_or_payable: 2, ..counted() };
        assert!(payable_twice.is_above(&MUST));
        let canceled = Must { cancels: 1, ..Must::default() };
        assert!(Count { paid_or_payable: 1, ..Count::default() }.is_below(&canceled));
    }
}
