//! Which orders the demo has, what is asked for each, and what must come of it at Stripe.

use effect::Standing;
use payment::{
    Amount, Cancel, Capture, CaptureMethod, Charge, Command, IfCaptured, OperationKey, PaymentId, Record,
    Refund,
};

/// One order.
#[derive(Debug, Clone)]
pub(crate) struct Order {
    /// The payment it becomes.
    pub(crate) payment_id: PaymentId,
    /// What is asked, in this order.
    pub(crate) steps: Vec<Step>,
    /// What Stripe must have counted of it in the end.
    pub(crate) must: Must,
}

/// The way of a command to `settle`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Route {
    Queue,
    OrderConfirmed,
    DirectInvoke,
    Http,
}

/// One command, its way, and when it is sent.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    pub(crate) command: Command,
    pub(crate) route: Route,
    pub(crate) after: After,
}

/// What a command waits for before it is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum After {
    Nothing,
    /// The payment is on record, whatever became of it so far.
    Record,
    /// The first attempt has failed.
    Decline,
}

/// The effects an order must have at Stripe: no fewer and no more.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Must {
    pub(crate) paid: u64,
    pub(crate) amount_paid: u64,
    pub(crate) captures: u64,
    pub(crate) cancels: u64,
    pub(crate) refunds: u64,
    pub(crate) amount_refunded: u64,
}

/// Returns the orders. Of ten, one is held and taken in full, one held, taken in part and refunded twice, one held and
/// canceled, one taken at once and refunded in three parts, two are declined, one of them then paid by a second card
/// whose charge is, every other time, recorded at once behind the first; the others are paid and no more.
pub(crate) fn orders(count: usize) -> Vec<Order> {
    (0..count).map(order).collect()
}

fn order(number: usize) -> Order {
    let (decade, digit) = (number / 10, number % 10);
    let routes = [Route::Queue, Route::OrderConfirmed, Route::DirectInvoke, Route::Http];
    let mut route = routes[(decade + digit) % routes.len()];
    if route == Route::OrderConfirmed && digit < 3 {
        // An order's event cannot ask to hold the money.
        route = Route::Queue;
    }
    let method = if matches!(digit, 4 | 9) { "pm_card_chargeDeclined" } else { "pm_card_visa" };
    let first = Charge {
        // The HTTP API knows its caller.
        tenant: if route == Route::Http { name("shop") } else { name("demo") },
        order: name(&format!("order-{number:03}")),
        reference: name("1"),
        amount: amount(1_000 + number as u64),
        currency: name("jpy"),
        customer: name(&format!("cus_{number:03}")),
        payment_method: name(method),
        capture: if digit < 3 { CaptureMethod::Manual } else { CaptureMethod::Automatic },
        causation_id: None,
        traceparent: None,
    };
    let whole = first.amount.minor();
    let paid = Must { paid: 1, amount_paid: whole, ..Must::default() };
    let (further, must) = match digit {
        0 => (vec![capture(&first, None)], Must { captures: 1, ..paid }),
        1 => (
            vec![capture(&first, Some(700)), refund(&first, "a", Some(200)), refund(&first, "b", Some(300))],
            Must { captures: 1, amount_paid: 700, refunds: 2, amount_refunded: 500, ..paid },
        ),
        2 => (vec![cancel(&first)], Must { cancels: 1, ..Must::default() }),
        3 => (
            vec![
                refund(&first, "a", Some(300)),
                refund(&first, "b", Some(500)),
                refund(&first, "rest", None),
            ],
            Must { refunds: 3, amount_refunded: whole, ..paid },
        ),
        4 => {
            let second =
                Charge { reference: name("2"), payment_method: name("pm_card_visa"), ..first.clone() };
            (vec![Command::Charge(second)], paid)
        }
        9 => (Vec::new(), Must::default()),
        _ => (Vec::new(), paid),
    };
    let after = match (digit, decade % 2) {
        (4, 0) => After::Decline,
        (4, _) => After::Nothing,
        _ => After::Record,
    };
    let payment_id = first.payment_id();
    let mut steps = vec![Step { command: Command::Charge(first), route, after: After::Nothing }];
    steps.extend(further.into_iter().map(|command| Step { command, route: Route::Queue, after }));
    Order { payment_id, steps, must }
}

fn capture(charge: &Charge, part: Option<u64>) -> Command {
    Command::Capture(Capture {
        tenant: charge.tenant.clone(),
        order: charge.order.clone(),
        reference: name("shipped"),
        amount: part.map(amount),
        causation_id: None,
        traceparent: None,
    })
}

fn cancel(charge: &Charge) -> Command {
    Command::Cancel(Cancel {
        tenant: charge.tenant.clone(),
        order: charge.order.clone(),
        reference: name("withdrawn"),
        if_captured: IfCaptured::default(),
        causation_id: None,
        traceparent: None,
    })
}

fn refund(charge: &Charge, reference: &str, part: Option<u64>) -> Command {
    Command::Refund(Refund {
        tenant: charge.tenant.clone(),
        order: charge.order.clone(),
        reference: name(reference),
        amount: part.map(amount),
        causation_id: None,
        traceparent: None,
    })
}

#[expect(clippy::unwrap_used, reason = "the demo's own words are valid names")]
fn name<T: std::str::FromStr<Err: std::fmt::Debug>>(word: &str) -> T {
    word.parse().unwrap()
}

#[expect(clippy::unwrap_used, reason = "the demo's own amounts are valid")]
fn amount(minor: u64) -> Amount {
    minor.try_into().unwrap()
}

impl Order {
    /// Tells whether everything asked for is on record and has ended.
    pub(crate) fn is_settled(&self, record: &Record) -> bool {
        let operations = &record.payment.operations;
        let is_recorded =
            |step: &Step| step.command.asked().is_some_and(|asked| operations.contains_key(&asked.key));
        self.steps.iter().all(is_recorded)
            && operations.values().all(|operation| operation.attempt.standing.is_ended())
    }
}

impl Step {
    /// Tells whether its time has come, given the payment's record.
    pub(crate) fn is_ready(&self, record: Option<&Record>) -> bool {
        match self.after {
            After::Nothing => true,
            After::Record => record.is_some(),
            After::Decline => record.is_some_and(|record| {
                let first = record.payment.operations.get(&OperationKey::charge(name("1")));
                first.is_some_and(|operation| operation.attempt.standing == Standing::Failed)
            }),
        }
    }
}
