//! Tests of the operator's tool over a table and a queue in memory.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod charge;
mod command_line;
mod list;
mod show;
mod watch;

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
};

use effect::{Fact, Frozen, Outcome, ProviderKey, ReviewReason, Rules, Time, minutes, seconds};
use ikkai::args::ChargeArgs;
use payment::{
    Account, Claim, Command, Guard, OperationKey, Payment, PaymentId, Record, accept, plan,
    ports::{Clock, Ledger, LoadError, Message, Queue, Randomness, SaveError, SendError},
    seal,
};

/// 2026-11-30T09:15:03Z.
pub(crate) const NOW: Time = Time(1_796_030_103_000);

/// A table whose records change with each round of reads.
#[derive(Default)]
pub(crate) struct Table {
    records: RefCell<BTreeMap<PaymentId, Vec<Result<Record, LoadError>>>>,
}

impl Table {
    /// Holds one record.
    pub(crate) fn with(record: &Record) -> Self {
        let table = Self::default();
        table.then(&record.id, Ok(record.clone()));
        table
    }

    /// Answers the next read of a payment so; the last answer repeats.
    pub(crate) fn then(&self, id: &PaymentId, answer: Result<Record, LoadError>) {
        self.records.borrow_mut().entry(id.clone()).or_default().push(answer);
    }
}

impl Ledger for Table {
    async fn load(&self, id: &PaymentId) -> Result<Option<Record>, LoadError> {
        let mut records = self.records.borrow_mut();
        let Some(answers) = records.get_mut(id) else { return Ok(None) };
        let answer = if answers.len() > 1 { answers.remove(0) } else { answers[0].clone() };
        answer.map(Some)
    }

    async fn save(&self, _expected: Option<&Record>, _next: &Record) -> Result<(), SaveError> {
        panic!("the tool never writes the table")
    }
}

/// A queue that remembers what it was sent.
#[derive(Default)]
pub(crate) struct Sent(pub(crate) RefCell<Vec<Message>>);

impl Queue for Sent {
    async fn send(&self, message: &Message) -> Result<(), SendError> {
        self.0.borrow_mut().push(message.clone());
        Ok(())
    }
}

/// A clock that a test moves.
pub(crate) struct TestClock(pub(crate) Cell<Time>);

impl TestClock {
    /// Lets a second pass.
    pub(crate) fn tick(&self) {
        self.0.set(self.0.get().plus_ms(seconds(1)));
    }
}

impl Clock for TestClock {
    fn now(&self) -> Time {
        self.0.get()
    }
}

/// Counts instead of drawing.
#[derive(Default)]
pub(crate) struct Counting(Cell<u32>);

impl Randomness for Counting {
    fn jitter_per_mille(&self) -> u16 {
        0
    }

    fn token(&self) -> String {
        self.0.set(self.0.get() + 1);
        self.0.get().to_string()
    }
}

/// A charge as the command line gives it.
pub(crate) fn charge_args(order: &str) -> ChargeArgs {
    ChargeArgs {
        tenant: "shop".to_owned(),
        order: order.to_owned(),
        amount: "4200".to_owned(),
        currency: "JPY".to_owned(),
        customer: "cus_1".to_owned(),
        payment_method: "pm_card_visa".to_owned(),
        reference: None,
        manual_capture: false,
        queue: ikkai::args::QueueArgs { queue_url: None, endpoint_url: None },
    }
}

/// A payment that was just accepted.
pub(crate) fn accepted(order: &str) -> Payment {
    let body = format!(
        r#"{{"schema":"ikkai.command/1","type":"charge","tenant":"shop","order":"{order}","amount":4200,
        "currency":"jpy","customer":"cus_1","payment_method":"pm_card_visa","causation_id":"evt-1"}}"#
    );
    accept(None, &Command::parse(&body).unwrap(), NOW.plus_ms(minutes(-5))).unwrap()
}

/// The record of a payment after one more write.
pub(crate) fn written(payment: Payment, claim: Option<Claim>) -> Record {
    let rules = Rules::production();
    let at = NOW.plus_ms(minutes(-3));
    seal(plan(payment, at, &rules), None, claim, Guard::Due, at, &rules)
}

/// The name of the one charge.
pub(crate) fn first() -> OperationKey {
    OperationKey::charge("1".parse().unwrap())
}

/// A record of a charge that was sent and has no outcome.
pub(crate) fn sent(order: &str, claim: Option<Claim>) -> Record {
    let mut payment = accepted(order);
    payment.account = Some(Account { id: "acct_1".to_owned(), live: false });
    let attempt = &mut payment.operations.get_mut(&first()).unwrap().attempt;
    attempt.frozen = Some(Frozen {
        key: ProviderKey::derive("test", "charge/1", 0),
        path: "/v1/payment_intents".to_owned(),
        body: "amount=4200".to_owned(),
        api_version: "2025-09-30.clover".to_owned(),
    });
    attempt.first_sent_at = Some(NOW.plus_ms(minutes(-4)));
    attempt.last_send_until = Some(NOW.plus_ms(minutes(-3)));
    written(payment, claim)
}

/// A record of a payment whose one charge ended so.
pub(crate) fn ended(order: &str, outcome: Outcome) -> Record {
    let mut payment = accepted(order);
    payment.absorb(&first(), &Fact { id: "pi_1".to_owned(), outcome: Some(outcome) });
    written(payment, None)
}

/// A record of a payment that needs a person.
pub(crate) fn in_review(order: &str) -> Record {
    let mut payment = sent(order, None).payment;
    let attempt = &mut payment.operations.get_mut(&first()).unwrap().attempt;
    attempt.tries = 9;
    attempt.require_review(ReviewReason::WindowOver);
    written(payment, None)
}
