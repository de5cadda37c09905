//! Weighing a command against what is on record: whether it is there already, what it would become, or why not.

use effect::{Rules, Standing, Time};
use payment::{
    Command, Guard, Malformed, OperationKey, Payment, PaymentState, REFUNDED_INSTEAD, Record, accept, plan,
    seal,
};

use crate::{
    corrupt,
    problem::{Problem, ProblemKind},
    read::not_found,
};

/// What the payment's record says to a command.
pub(crate) enum Weighed {
    /// The operation is on record with the same parameters.
    OnRecord,
    /// It is to be recorded so.
    Next(Box<Record>),
}

/// Returns what is to be recorded for a command.
///
/// # Errors
/// Returns why nothing is: the payment's settled state forbids the operation, or its order or ref is on record with
/// other parameters. A refusal is not recorded, as it is on the queue: the caller is told at once, and the key and the
/// ref stay free for when the state has changed.
pub(crate) fn weigh(
    creates: bool,
    record: Option<&Record>,
    command: &Command,
    now: Time,
    rules: &Rules,
) -> Result<Weighed, Problem> {
    let Some(asked) = command.asked() else { return Err(not_found()) };
    if let Some(record) = record {
        let differs = || {
            let detail = "the order or the ref is on record with other parameters";
            Err(Problem::new(ProblemKind::ParametersDiffer, detail).of_payment(&record.id))
        };
        match record.payment.operations.get(&asked.key) {
            Some(held) if held.digest == asked.digest => return Ok(Weighed::OnRecord),
            Some(_) => return differs(),
            // One order is one payment: a further attempt is asked for at its charges.
            None if creates => return differs(),
            None => {}
        }
    }
    let payment = accept(record.map(|record| &record.payment), command, now)
        .map_err(|malformed| of_malformed(&malformed, command))?;
    let payment = plan(payment, now, rules);
    if let Some(code) = refusal(&payment, &asked.key) {
        let state = record.map_or(PaymentState::Created, |record| record.payment.state());
        let detail = format!("the payment is {}: {}", state.as_str(), code.replace('_', " "));
        return Err(Problem::new(ProblemKind::OperationNotAllowed, detail)
            .coded(code)
            .of_payment(&payment.id()));
    }
    // Another worker may be acting: its claim stands.
    let claim = record.and_then(|record| record.claim.clone()).filter(|claim| now < claim.until);
    Ok(Weighed::Next(Box::new(seal(payment, record, claim, Guard::Due, now, rules))))
}

fn of_malformed(malformed: &Malformed, command: &Command) -> Problem {
    match malformed {
        Malformed::TooManyOperations(_) => {
            let detail = "the payment holds as many operations as it may";
            Problem::new(ProblemKind::TooManyOperations, detail).of_payment(&command.payment_id())
        }
        Malformed::UnknownPayment(_) => not_found(),
        Malformed::Collision => corrupt("two orders share a payment id"),
        Malformed::Body(_)
        | Malformed::TooLarge(_)
        | Malformed::Schema
        | Malformed::Money(_)
        | Malformed::Group { .. }
        | Malformed::UnknownOperation(_) => corrupt("a checked request is no command"),
    }
}

/// Returns why an operation that was just planned is refused. A cancel that became a refund is what the refund is.
fn refusal(payment: &Payment, key: &OperationKey) -> Option<String> {
    let attempt = &payment.operations.get(key)?.attempt;
    match (attempt.standing, attempt.code.as_deref()) {
        (Standing::Refused, Some(REFUNDED_INSTEAD)) => refusal(payment, &OperationKey::refund_of(key)),
        (Standing::Refused, code) => Some(code.unwrap_or_default().to_owned()),
        (
            Standing::Pending
            | Standing::Unknown
            | Standing::Failed
            | Standing::Authorized
            | Standing::Succeeded
            | Standing::Canceled,
            _,
        ) => None,
    }
}
