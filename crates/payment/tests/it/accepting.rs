//! Commands and facts as they come: what is recorded, what is refused, and which operation a fact is about.

use effect::{Fact, Outcome, ReviewReason, Standing, minutes};
use payment::{Charge, Command, MAX_OPERATIONS, Malformed, Payment, PaymentId, Reported, accept};

use crate::{
    asking,
    histories::NOW,
    payments::{asked_for, charge, declined_first, ended, key, planned_at, seen, sent, standing, void, with},
};

fn taken(payment: Option<&Payment>, charge: Charge) -> Result<Payment, Malformed> {
    accept(payment, &Command::Charge(charge), NOW)
}

fn reported(payment: &Payment, operation: payment::OperationKey) -> Command {
    let fact = Fact { id: "pi_1".to_owned(), outcome: Some(Outcome::Succeeded) };
    Command::Fact(Reported { payment_id: payment.id(), operation, fact, source_id: "evt_1".to_owned() })
}

#[test]
fn a_charge_is_recorded_with_what_it_came_with_behind_all_others() {
    let traced =
        Charge { causation_id: Some("evt-9".into()), traceparent: Some("00-1".into()), ..charge(0, 500) };
    let payment = taken(None, traced).unwrap();
    let payment = taken(Some(&payment), charge(2, 500)).unwrap();
    let payment = taken(Some(&payment), charge(1, 500)).unwrap();
    let operations: Vec<_> = payment.in_order().iter().map(|key| payment.operations[key].clone()).collect();
    assert_eq!(payment.in_order(), [key(0), key(2), key(1)], "in the order of their acceptance");
    assert_eq!(operations.iter().map(|op| op.seq).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(payment.charges().map(|(_, op)| op.seq).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(
        (operations[0].accepted_at, operations[0].digest.clone()),
        (NOW, charge(0, 500).effect_digest())
    );
    assert_eq!(operations[0].causation_id.as_deref(), Some("evt-9"));
    assert_eq!(operations[0].traceparent.as_deref(), Some("00-1"));
    assert_eq!((operations[1].causation_id.clone(), standing(&payment, &key(1))), (None, Standing::Pending));
}

#[test]
fn another_tenant_or_order_under_one_id_is_a_collision() {
    let held = asked_for(1);
    let other_tenant = Charge { tenant: "mall".parse().unwrap(), ..charge(0, 500) };
    let other_order = Charge { order: "o-2".parse().unwrap(), ..charge(0, 500) };
    for other in [other_tenant, other_order] {
        assert_eq!(taken(Some(&held), other), Err(Malformed::Collision));
    }
    assert_eq!(taken(Some(&held), charge(0, 500)), Ok(held));
}

#[test]
fn differing_requests_are_counted_once_each_and_up_to_eight() {
    let mut payment = asked_for(1);
    for n in 1..=10 {
        payment = taken(Some(&payment), charge(0, 500 + n)).unwrap();
        payment = taken(Some(&payment), charge(0, 500 + n)).unwrap();
        let differing = payment.operations[&key(0)].differing.len() as u64;
        assert_eq!(differing, n.min(8), "after {n}");
    }
    assert_eq!(taken(Some(&payment), charge(0, 500)), Ok(payment), "the request itself does not differ");
}

#[test]
fn a_payment_holds_a_hundred_charges_and_their_voids_besides() {
    let mut full = asked_for(MAX_OPERATIONS);
    assert_eq!(taken(Some(&full), charge(MAX_OPERATIONS, 500)), Err(Malformed::TooManyOperations(100)));
    assert_eq!(taken(Some(&full), charge(7, 500)), Ok(full.clone()), "one of them again");
    let last = key(MAX_OPERATIONS - 1);
    full.operations.remove(&last);
    let declined = Some(Outcome::Declined("card_declined".to_owned()));
    let voided = planned_at(seen(sent(full, &key(0)), 0, "pi_1", declined), NOW);
    assert!(voided.operations.contains_key(&void(0)));
    assert!(taken(Some(&voided), charge(MAX_OPERATIONS - 1, 500)).is_ok(), "a void takes no place");
}

#[test]
fn only_a_charge_creates_a_payment_and_a_fact_is_about_a_charge_on_record() {
    let payment = declined_first();
    let wake = Command::Wake { payment_id: payment.id(), due_at: NOW };
    for command in [&wake, &reported(&payment, key(0))] {
        assert_eq!(accept(None, command, NOW), Err(Malformed::UnknownPayment(payment.id())));
    }
    let followers = [asking::capture(0, None), asking::cancel(0, true), asking::refund(0, Some(1))];
    for command in &followers {
        assert_eq!(accept(None, command, NOW), Err(Malformed::UnknownPayment(command.payment_id())));
        assert!(accept(Some(&payment), command, NOW).is_ok());
    }
    assert_eq!(accept(Some(&payment), &wake, NOW), Ok(payment.clone()));
    for other in [key(9), void(0)] {
        let refused = Err(Malformed::UnknownOperation(other.clone()));
        assert_eq!(accept(Some(&payment), &reported(&payment, other), NOW), refused);
    }
    let paid = accept(Some(&payment), &reported(&payment, key(0)), NOW).unwrap();
    assert_eq!(standing(&paid, &key(0)), Standing::Succeeded);
    assert_eq!(payment.id(), PaymentId::of(&payment.tenant, &payment.order));
}

#[test]
fn a_fact_belongs_to_the_charge_that_holds_its_object_and_else_to_the_one_asked_about() {
    let held = seen(sent(asked_for(2), &key(0)), 0, "pi_1", None);
    let paid = Some(Outcome::Succeeded);
    let moved = seen(held.clone(), 1, "pi_1", paid.clone());
    assert_eq!(
        (standing(&moved, &key(0)), standing(&moved, &key(1))),
        (Standing::Succeeded, Standing::Pending)
    );
    let other = seen(held.clone(), 1, "pi_2", paid.clone());
    assert_eq!(
        (standing(&other, &key(0)), standing(&other, &key(1))),
        (Standing::Unknown, Standing::Succeeded)
    );
    assert_eq!(seen(held.clone(), 9, "pi_9", paid), held, "of no charge on record");
}

#[test]
fn what_a_void_achieved_lives_on_the_void() {
    let voided = seen(declined_first(), 0, "pi_1", Some(Outcome::Canceled));
    assert_eq!(
        (standing(&voided, &key(0)), standing(&voided, &void(0))),
        (Standing::Failed, Standing::Succeeded)
    );
    assert_eq!(voided.operations[&key(0)].attempt.review, None);
    let unvoided = seen(sent(asked_for(1), &key(0)), 0, "pi_1", Some(Outcome::Canceled));
    assert_eq!(standing(&unvoided, &key(0)), Standing::Canceled);
    assert!(!unvoided.operations.contains_key(&void(0)));
}

#[test]
fn a_void_does_not_succeed_by_any_other_fact() {
    let outcomes = [None, Some(Outcome::Succeeded), Some(Outcome::Declined("a".to_owned()))];
    for outcome in outcomes {
        let payment = seen(declined_first(), 0, "pi_1", outcome);
        assert_eq!(standing(&payment, &void(0)), Standing::Pending);
    }
}

#[test]
fn an_intent_both_paid_and_voided_needs_a_person_whichever_comes_first() {
    let (paid, canceled) = (Some(Outcome::Succeeded), Some(Outcome::Canceled));
    let orders = [[paid.clone(), canceled.clone()], [canceled, paid.clone()]];
    for order in orders {
        let payment =
            order.into_iter().fold(declined_first(), |payment, fact| seen(payment, 0, "pi_1", fact));
        let attempt = &payment.operations[&key(0)].attempt;
        assert_eq!((attempt.standing, attempt.review), (Standing::Succeeded, Some(ReviewReason::TwoEnds)));
    }
    let only_paid = seen(declined_first(), 0, "pi_1", paid.clone());
    assert_eq!(only_paid.operations[&key(0)].attempt.review, None, "its void never took effect");
    let failed_void = ended(declined_first(), &void(0), Standing::Failed);
    assert_eq!(seen(failed_void, 0, "pi_1", paid).operations[&key(0)].attempt.review, None);
    let still_failed = ended(declined_first(), &void(0), Standing::Succeeded);
    assert_eq!(seen(still_failed, 0, "pi_1", None).operations[&key(0)].attempt.review, None);
}

#[test]
fn a_second_object_that_is_canceled_is_seen_on_the_voided_charge() {
    let payment = seen(declined_first(), 0, "pi_2", Some(Outcome::Canceled));
    let attempt = &payment.operations[&key(0)].attempt;
    assert_eq!((attempt.ids.len(), attempt.review), (2, Some(ReviewReason::TwoIds)));
    let late =
        with(declined_first(), &key(0), |attempt| attempt.last_send_until = Some(NOW.plus_ms(minutes(9))));
    assert_eq!(standing(&seen(late, 0, "pi_2", Some(Outcome::Canceled)), &key(0)), Standing::Failed);
}
