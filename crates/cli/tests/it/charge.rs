//! `ikkai charge`, `capture`, `cancel`, `refund`.

use anyhow::Result;
use ikkai::{
    args::{CancelArgs, ChargeArgs, OperationArgs, PartArgs, QueueArgs},
    ask::{self, ask},
};
use payment::{CaptureMethod, Command, IfCaptured, PaymentId};

use crate::{Counting, Sent, charge_args};

async fn charge(args: &ChargeArgs, queue: &Sent, random: &Counting) -> Result<PaymentId> {
    ask(&ask::charge(args)?, queue, random).await
}

fn operation(reference: &str) -> OperationArgs {
    OperationArgs {
        tenant: "shop".to_owned(),
        order: "o-1".to_owned(),
        reference: reference.to_owned(),
        queue: QueueArgs { queue_url: None, endpoint_url: None },
    }
}

fn part(reference: &str, amount: Option<&str>) -> PartArgs {
    PartArgs { operation: operation(reference), amount: amount.map(str::to_owned) }
}

#[test]
fn each_operation_is_the_command_of_its_name() {
    let capture = ask::capture(&part("c-1", Some("300"))).unwrap();
    let refund = ask::refund(&part("r-1", None)).unwrap();
    let cancel = |if_captured: &str| {
        ask::cancel(&CancelArgs { operation: operation("x-1"), if_captured: if_captured.to_owned() })
    };
    let Command::Capture(capture) = capture else { panic!("a capture") };
    assert_eq!(capture.amount.map(u64::from), Some(300));
    let Command::Refund(refund) = refund else { panic!("a refund") };
    assert_eq!((refund.reference.as_str(), refund.amount), ("r-1", None));
    let Command::Cancel(cancel_or_refund) = cancel("refund").unwrap() else { panic!("a cancel") };
    assert_eq!(cancel_or_refund.if_captured, IfCaptured::Refund);
    assert!(format!("{:#}", cancel("perhaps").unwrap_err()).contains("expected `refuse` or `refund`"));
    let manual = ask::charge(&ChargeArgs { manual_capture: true, ..charge_args("o-1") }).unwrap();
    let Command::Charge(manual) = manual else { panic!("a charge") };
    assert_eq!(manual.capture, CaptureMethod::Manual);
}

#[test]
fn a_name_that_ikkai_gives_is_refused() {
    for (refused, kind) in [("re_1", "refund"), ("cancel-x", "refund")] {
        let error = ask::refund(&part(refused, None)).unwrap_err();
        assert!(format!("{error:#}").contains(kind), "{refused}: {error:#}");
    }
}

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
    for amount in ["19.99", "-1", "0", "1e3", "", "1000000000000"] {
        let args = ikkai::args::ChargeArgs { amount: amount.to_owned(), ..charge_args("o-1") };
        let error = charge(&args, &Sent::default(), &Counting::default()).await.unwrap_err();
        assert!(format!("{error:#}").contains("amount must be"), "{amount}: {error:#}");
    }
}
