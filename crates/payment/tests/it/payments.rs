//! Payments put together by hand, to be put before the pure functions.

use effect::{Attempt, Fact, Frozen, Outcome, ProviderKey, Rules, Standing, Time, minutes};
use payment::{
    Account, CaptureMethod, Charge, Command, Kind, Operation, OperationKey, Payment, accept, plan,
};

use crate::{asking, histories::NOW};

/// The n-th charge, whose money is taken at once.
pub(crate) fn charge(n: usize, amount: u64) -> Charge {
    let Command::Charge(charge) = asking::charge(n, amount, CaptureMethod::Automatic) else {
        panic!("a charge")
    };
    charge
}

pub(crate) fn key(n: usize) -> OperationKey {
    asking::key(Kind::Charge, n)
}

pub(crate) fn account() -> Account {
    Account { id: "acct_1".to_owned(), live: false }
}

pub(crate) fn rules() -> Rules {
    Rules::production()
}

pub(crate) fn void(n: usize) -> OperationKey {
    OperationKey::void_of(&key(n))
}

/// A payment with so many charges, none of them sent.
pub(crate) fn asked_for(charges: usize) -> Payment {
    (1..charges).fold(accept(None, &Command::Charge(charge(0, 500)), NOW).unwrap(), |payment, n| {
        accept(Some(&payment), &Command::Charge(charge(n, 500)), NOW).unwrap()
    })
}

pub(crate) fn operation<'a>(payment: &'a mut Payment, key: &OperationKey) -> &'a mut Operation {
    payment.operations.get_mut(key).unwrap()
}

/// The payment with an attempt changed.
pub(crate) fn with(mut payment: Payment, key: &OperationKey, change: impl FnOnce(&mut Attempt)) -> Payment {
    change(&mut operation(&mut payment, key).attempt);
    payment
}

/// The payment with an operation sent.
pub(crate) fn sent(mut payment: Payment, key: &OperationKey) -> Payment {
    arm(&mut payment, key, NOW);
    payment
}

/// Records the intent to send an operation, as the loop does.
pub(crate) fn arm(payment: &mut Payment, key: &OperationKey, now: Time) {
    payment.account = Some(account());
    let provider_key = ProviderKey::derive("prod", &key.id(&payment.id()), 0);
    let frozen = Frozen {
        key: provider_key,
        path: key.to_string(),
        body: "amount=500".to_owned(),
        api_version: "2025-01-01".to_owned(),
    };
    let attempt = &mut operation(payment, key).attempt;
    attempt.frozen = attempt.frozen.take().or(Some(frozen));
    attempt.first_sent_at = attempt.first_sent_at.or(Some(now));
    attempt.last_send_until = attempt.last_send_until.max(Some(now.plus_ms(minutes(1))));
}

pub(crate) fn ended(payment: Payment, key: &OperationKey, standing: Standing) -> Payment {
    with(sent(payment, key), key, |attempt| attempt.end(standing, None))
}

pub(crate) fn seen(mut payment: Payment, n: usize, id: &str, outcome: Option<Outcome>) -> Payment {
    payment.absorb(&key(n), &Fact { id: id.to_owned(), outcome });
    payment
}

pub(crate) fn planned_at(payment: Payment, now: Time) -> Payment {
    plan(payment, now, &rules())
}

/// Two charges; the first was sent, declined, and has its void, which is still to be sent.
pub(crate) fn declined_first() -> Payment {
    let declined = Some(Outcome::Declined("card_declined".to_owned()));
    planned_at(seen(sent(asked_for(2), &key(0)), 0, "pi_1", declined), NOW)
}

pub(crate) fn standing(payment: &Payment, key: &OperationKey) -> Standing {
    payment.operations[key].attempt.standing
}
