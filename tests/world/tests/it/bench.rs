//! A bench for single schedules: everything outside the functions, at rest between calls, each fault put in by hand.
//!
//! Every port call completes at once, so a test runs a turn to its end by polling it a single time; a worker that is
//! to die simply never gets its reply. What happens "meanwhile" is a closure run inside the call.

mod functions;
mod provider;
mod table;

use std::{
    cell::RefCell,
    collections::VecDeque,
    future::Future,
    pin::pin,
    rc::Rc,
    task::{Context, Poll, Waker},
};

use effect::{Fact, Outcome, ReviewReason, Rules, Standing, Time, seconds};
use payment::{
    CaptureMethod, Charge, Command, Converged, IfCaptured, Invocation, Limits, NotRecorded, Operation,
    OperationKey, Record, Reported, Settings, converge,
    ports::{Clock, Processor, Randomness},
};
use stripe_wire::Stripe;
use world::{Ask, Order, command_of};

pub(crate) use functions::{Put, in_group, message, publish_records, stream_record};
pub(crate) use provider::Call;
pub(crate) use table::{Tally, Write};

pub(crate) const START: Time = Time(1_800_000_000_000);
pub(crate) const FUNCTION_TIMEOUT_MS: i64 = seconds(60);
pub(crate) const VISA: &str = "pm_card_visa";
pub(crate) const DECLINED: &str = "pm_card_chargeDeclined";
pub(crate) const PROCESSING: &str = "pm_sim_processing";
pub(crate) const ACTION: &str = "pm_sim_requires_action";

type Meanwhile = Box<dyn FnOnce(&Bench)>;

/// The ports of every worker, and the world behind them.
#[derive(Clone)]
pub(crate) struct Bench(Rc<RefCell<Outside>>);

struct Outside {
    now: Time,
    skew_ms: i64,
    time_left_ms: i64,
    tokens: u64,
    table: table::Table,
    provider: provider::Provider,
    mail: functions::Mail,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self(Rc::new(RefCell::new(Outside {
            now: START,
            skew_ms: 0,
            time_left_ms: FUNCTION_TIMEOUT_MS,
            tokens: 0,
            table: table::Table::default(),
            provider: provider::Provider::new(),
            mail: functions::Mail::default(),
        })))
    }

    fn with<T>(&self, f: impl FnOnce(&mut Outside) -> T) -> T {
        f(&mut self.0.borrow_mut())
    }

    /// Delivers a command for the first time, alone.
    pub(crate) fn deliver(&self, charge: &Charge) -> Result<Converged, NotRecorded> {
        self.turn(&Stripe::new(self.clone()), &Command::Charge(charge.clone()), true).expect("nobody dies")
    }

    /// Delivers a command again, as the queue does after a visibility timeout.
    pub(crate) fn redeliver(&self, charge: &Charge) -> Result<Converged, NotRecorded> {
        self.turn(&Stripe::new(self.clone()), &Command::Charge(charge.clone()), false).expect("nobody dies")
    }

    /// Delivers a command to a worker that dies where the script says.
    pub(crate) fn deliver_and_die(&self, charge: &Charge) {
        let turn = self.turn(&Stripe::new(self.clone()), &Command::Charge(charge.clone()), true);
        assert!(turn.is_none(), "the worker ended alive: {turn:?}");
    }

    /// Delivers any command for the first time, alone; it is recorded.
    pub(crate) fn ask(&self, command: &Command) {
        let turn = self.turn(&Stripe::new(self.clone()), command, true).expect("nobody dies");
        assert_eq!(turn, Ok(Converged::Recorded));
    }

    /// Delivers a verified report of what a charge's object is.
    pub(crate) fn report(&self, charge: &Charge, id: &str, outcome: Outcome) {
        self.report_of(&charge.key(), id, outcome);
    }

    /// Delivers a verified report of what an operation's object is.
    pub(crate) fn report_of(&self, operation: &OperationKey, id: &str, outcome: Outcome) {
        let fact = Fact { id: id.to_owned(), outcome: Some(outcome) };
        let report = Command::Fact(Reported {
            payment_id: charge("1", VISA).payment_id(),
            operation: operation.clone(),
            fact,
            source_id: "evt_1".to_owned(),
        });
        let turn = self.turn(&Stripe::new(self.clone()), &report, true).expect("nobody dies");
        assert_eq!(turn, Ok(Converged::Recorded));
    }

    /// Runs one turn on any processor; nothing if its worker died.
    pub(crate) fn turn<P: Processor>(
        &self,
        processor: &P,
        command: &Command,
        is_first_receive: bool,
    ) -> Option<Result<Converged, NotRecorded>> {
        let invocation = Invocation {
            token: self.token(),
            deadline: self.now().plus_ms(self.with(|outside| outside.time_left_ms)),
            jitter_per_mille: 0,
            is_first_receive,
        };
        let settings = settings();
        let turn = converge(self, processor, self, &settings, &invocation, command);
        poll_once(turn)
    }

    /// Lets time pass.
    pub(crate) fn pass(&self, ms: i64) {
        self.with(|outside| outside.now = outside.now.plus_ms(ms));
    }

    /// Lets time pass until `ms` after the start.
    pub(crate) fn pass_to(&self, ms: i64) {
        self.with(|outside| outside.now = START.plus_ms(ms));
    }

    /// Tells whether more than `ms` have passed since the start.
    pub(crate) fn now_is_after(&self, ms: i64) -> bool {
        self.with(|outside| outside.now >= START.plus_ms(ms))
    }

    /// Sets how much of its time an invocation has left when a turn begins.
    pub(crate) fn leave_time(&self, ms: i64) {
        self.with(|outside| outside.time_left_ms = ms);
    }

    /// Sets every worker's clock off from true time, which the provider keeps.
    pub(crate) fn skew(&self, ms: i64) {
        self.with(|outside| outside.skew_ms = ms);
    }

    /// Lets time pass until the payment is due, and wakes it through the sweep and the queue.
    pub(crate) fn wake(&self) {
        let due_at = self.record().due_at.expect("the payment is due some time");
        self.with(|outside| outside.now = outside.now.max(due_at));
        self.sweep().unwrap();
        let failed = self.settle_queue();
        assert!(failed.is_empty(), "the wake was recorded: {failed:?}");
    }

    /// Wakes the payment as often as it is due, until no machine has anything left to do.
    pub(crate) fn wake_until_it_rests(&self) {
        for _ in 0..300 {
            if self.record().due_at.is_none() {
                return;
            }
            self.wake();
        }
        panic!("it never rests: {:?}", self.record());
    }

    /// Returns the record of the one payment.
    pub(crate) fn record(&self) -> Record {
        let records = self.records();
        assert_eq!(records.len(), 1, "one payment is recorded");
        records[0].clone()
    }

    pub(crate) fn operation(&self, name: &str) -> Operation {
        let key = OperationKey::try_from(name.to_owned()).unwrap();
        self.record().payment.operations.get(&key).unwrap_or_else(|| panic!("{name} is recorded")).clone()
    }

    pub(crate) fn standing(&self, name: &str) -> Standing {
        self.operation(name).attempt.standing
    }

    pub(crate) fn review(&self, name: &str) -> Option<ReviewReason> {
        self.operation(name).attempt.review
    }

    /// Returns what an operator is shown: an intent without an outcome and without a live claim is `unknown`.
    pub(crate) fn shown(&self, name: &str) -> Standing {
        let record = self.record();
        let is_claimed = record.is_claimed_by_another("", self.now());
        self.operation(name).shown_standing(is_claimed)
    }
}

/// The numbers of the AWS stage.
pub(crate) fn settings() -> Settings {
    Settings {
        stack: "bench".to_owned(),
        rules: Rules::production(),
        limits: Limits { provider_timeout_ms: seconds(20), write_margin_ms: seconds(3) },
        conflicts: 5,
    }
}

/// A charge of 500 yen for the one order, under a ref, with a card that decides the outcome.
pub(crate) fn charge(reference: &str, card: &str) -> Charge {
    Charge {
        tenant: "shop".parse().unwrap(),
        order: "o-1".parse().unwrap(),
        reference: reference.parse().unwrap(),
        amount: 500.try_into().unwrap(),
        currency: "jpy".parse().unwrap(),
        customer: "cus_1".parse().unwrap(),
        payment_method: card.parse().unwrap(),
        capture: payment::CaptureMethod::Automatic,
        causation_id: None,
        traceparent: None,
    }
}

/// The same charge for another order.
pub(crate) fn of_order(order: &str, charge: Charge) -> Charge {
    Charge { order: order.parse().unwrap(), ..charge }
}

/// Returns the durable id of a charge.
pub(crate) fn operation_id(charge: &Charge) -> String {
    charge.key().id(&charge.payment_id())
}

/// Polls a future that waits for nothing; nothing comes of it if it never ends.
pub(crate) fn poll_once<F: Future>(future: F) -> Option<F::Output> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => Some(output),
        Poll::Pending => None,
    }
}

fn next_of<T>(script: &mut VecDeque<T>, usual: T) -> T {
    script.pop_front().unwrap_or(usual)
}

impl Clock for Bench {
    fn now(&self) -> Time {
        self.with(|outside| outside.now.plus_ms(outside.skew_ms))
    }
}

impl Randomness for Bench {
    fn jitter_per_mille(&self) -> u16 {
        0
    }

    fn token(&self) -> String {
        self.with(|outside| {
            outside.tokens += 1;
            format!("w-{}", outside.tokens)
        })
    }
}

/// A charge of 10,000 yen for the one order.
pub(crate) fn charge_of_10_000(capture: CaptureMethod) -> Command {
    Command::Charge(Charge { amount: 10_000.try_into().unwrap(), capture, ..charge("1", VISA) })
}

/// A refund of the one order, of an amount or of all that is left.
pub(crate) fn refund(reference: &'static str, amount: Option<u64>) -> Command {
    follows(reference, Ask::Refund(amount))
}

/// A capture of the one order, of an amount or of all that is held.
pub(crate) fn capture(reference: &'static str, amount: Option<u64>) -> Command {
    follows(reference, Ask::Capture(amount))
}

/// A cancel of the one order.
pub(crate) fn cancel(reference: &'static str, if_captured: IfCaptured) -> Command {
    follows(reference, Ask::Cancel(if_captured))
}

fn follows(reference: &'static str, ask: Ask) -> Command {
    command_of(&Order { payment: 1, reference, ask, at: 0 })
}
