//! Properties of names, money and messages: what is written reads back as it was.

use effect::Time;
use payment::{
    Amount, CaptureMethod, Command, Currency, MAX_AMOUNT_MINOR, OperationKey, OrderId, PaymentId, Ref,
    SHARDS, Tenant,
};
use proptest::prelude::*;

use crate::{
    asking::{cancel, capture, charge, refund},
    properties::config,
};

proptest! {
    #![proptest_config(config())]

    #[test]
    fn money_and_names_print_what_they_were_parsed_from(
        minor in 1..=MAX_AMOUNT_MINOR, code in "[a-z]{3}", tenant in "[A-Za-z_.-][A-Za-z0-9_.-]{0,9}",
        order in "[A-Za-z_.:-][A-Za-z0-9_.:-]{0,11}", reference in "[A-Za-z_-][A-Za-z0-9_-]{0,11}"
    ) {
        let amount: Amount = serde_json::from_str(&minor.to_string()).unwrap();
        prop_assert_eq!((amount.minor(), serde_json::to_string(&amount).unwrap()), (minor, minor.to_string()));
        prop_assert_eq!(code.to_uppercase().parse::<Currency>().unwrap().to_string(), code);
        let (tenant, order): (Tenant, OrderId) = (tenant.parse().unwrap(), order.parse().unwrap());
        prop_assert_eq!(tenant.to_string().parse::<Tenant>().unwrap(), tenant.clone());
        prop_assert_eq!(order.to_string().parse::<OrderId>().unwrap(), order.clone());
        let id = PaymentId::of(&tenant, &order);
        prop_assert_eq!(id.to_string().parse::<PaymentId>().unwrap(), id.clone());
        prop_assert!(id.shard() < SHARDS);
        let key = OperationKey::charge(reference.parse::<Ref>().unwrap());
        prop_assert_eq!(OperationKey::try_from(key.to_string()).unwrap(), key.clone());
        prop_assert_eq!(OperationKey::try_from(OperationKey::void_of(&key).to_string()).unwrap().reference, key.reference);
    }

    #[test]
    fn an_amount_out_of_bounds_is_no_amount(minor in any::<u64>()) {
        let is_amount = Amount::try_from(minor).is_ok();
        prop_assert_eq!(is_amount, (1..=MAX_AMOUNT_MINOR).contains(&minor));
    }

    #[test]
    fn a_command_reads_back_as_it_was_written(
        n in 0..3_usize, amount in 50..=99_999_999_u64, all in any::<bool>(), due_at in any::<i64>()
    ) {
        let part = Some(amount).filter(|_| !all);
        let payment_id = charge(n, amount, CaptureMethod::Automatic).payment_id();
        for command in [
            charge(n, amount, CaptureMethod::Automatic),
            charge(n, amount, CaptureMethod::Manual),
            capture(n, part),
            cancel(n, all),
            refund(n, part),
            Command::Wake { payment_id, due_at: Time(due_at) },
        ] {
            prop_assert_eq!(Command::parse(&command.to_body()).unwrap(), command);
        }
    }

    #[test]
    fn no_body_makes_the_parser_panic(body in any::<String>()) {
        let _ = Command::parse(&body);
    }
}
