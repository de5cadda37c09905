//! `ikkai charge`.

use ikkai::charge::charge;
use payment::Command;

use crate::{Counting, Sent, charge_args};

#[tokio::test]
async fn a_charge_is_one_message_in_its_payments_group() {
    let queue = Sent::default();
    let id = charge(&charge_args("o-1"), &queue, &Counting::default()).await.unwrap();
    let [message] = queue.0.into_inner().try_into().unwrap();
    let command = Command::parse(&message.body).unwrap();
    assert_eq!((&message.group, &command.payment_id()), (&id, &id));
}

#[tokio::test]
async fn a_person_who_sends_again_is_not_swallowed_by_the_queue() {
    let (queue, random) = (Sent::default(), Counting::default());
    for _ in 0..2 {
        charge(&charge_args("o-1"), &queue, &random).await.unwrap();
    }
    let messages = queue.0.into_inner();
    assert_ne!(messages[0].deduplication_id, messages[1].deduplication_id);
    assert_eq!(messages[0].body, messages[1].body, "the record knows the operation again");
    assert!(messages[0].deduplication_id.len() <= 128);
}

#[tokio::test]
async fn a_further_attempt_is_named_by_its_ref() {
    let queue = Sent::default();
    let mut args = charge_args("o-1");
    args.reference = Some("second".to_owned());
    charge(&args, &queue, &Counting::default()).await.unwrap();
    assert!(queue.0.borrow()[0].body.contains(r#""ref":"second""#));
}

#[tokio::test]
async fn what_is_wrong_is_named_and_never_repeated() {
    let card = "4242424242424242";
    for (field, spoil) in [
        ("amount", (|args, value| args.amount = value) as fn(&mut ikkai::args::ChargeArgs, String)),
        ("order", |args, value| args.order = value),
        ("currency", |args, value| args.currency = value),
        ("customer", |args, value| args.customer = value),
        ("payment_method", |args, value| args.payment_method = value),
        ("ref", |args, value| args.reference = Some(value)),
    ] {
        let mut args = charge_args("o-1");
        spoil(&mut args, card.to_owned());
        let queue = Sent::default();
        let error = charge(&args, &queue, &Counting::default()).await.unwrap_err();
        let said = format!("{error:#}");
        assert!(said.contains(field) && !said.contains("4242"), "{said}");
        assert!(queue.0.borrow().is_empty());
    }
    for amount in ["19.99", "-1", "0", "1e3", "", "100000000"] {
        let args = ikkai::args::ChargeArgs { amount: amount.to_owned(), ..charge_args("o-1") };
        let error = charge(&args, &Sent::default(), &Counting::default()).await.unwrap_err();
        assert!(format!("{error:#}").contains("amount must be"), "{amount}: {error:#}");
    }
}
