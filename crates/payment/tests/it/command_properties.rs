//! Properties of commands: whatever is written is one by the schema and reads back, whatever is spoiled is judged alike.

use effect::Time;
use payment::{CaptureMethod, Charge, Command, Currency, PaymentId};
use proptest::prelude::*;

use crate::{
    command_schema::{SAMPLES, agree, quoted, with},
    properties::config,
};

/// A currency and an amount to charge in it.
fn money() -> impl Strategy<Value = (Currency, u64)> {
    (prop::sample::select(Currency::all_rules()), any::<u64>()).prop_map(|(rules, n)| {
        let least = rules.minimum.unwrap_or(rules.step).next_multiple_of(rules.step);
        let amounts = (rules.maximum - least) / rules.step + 1;
        (rules.code.parse().unwrap(), least + n % amounts * rules.step)
    })
}

prop_compose! {
    fn charges()(
        tenant in "[A-Za-z0-9_.-]{1,64}",
        order in "[A-Za-z0-9_.:-]{1,128}",
        reference in "[A-Za-z0-9_-]{1,64}",
        (currency, amount) in money(),
        customer in "cus_[A-Za-z0-9_]{1,60}",
        payment_method in "(pm_[A-Za-z0-9_]{3,61}|card_[A-Za-z0-9_]{1,59})",
        manual in any::<bool>(),
        causation_id in proptest::option::of("[a-z][!-~&&[^0-9]]{0,40}"),
        traceparent in proptest::option::of("00-[0-9a-f]{32}-[0-9a-f]{16}-01"),
    ) -> Option<Charge> {
        Some(Charge {
            tenant: tenant.parse().ok()?,
            // A name that happens to look like a card number is none.
            order: order.parse().ok()?,
            reference: reference.parse().ok()?,
            amount: amount.try_into().ok()?,
            currency,
            customer: customer.parse().ok()?,
            payment_method: payment_method.parse().ok()?,
            capture: if manual { CaptureMethod::Manual } else { CaptureMethod::Automatic },
            causation_id,
            traceparent,
        })
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_charge_written_is_one_by_the_schema_and_reads_back(charge in charges()) {
        let command = Command::Charge(charge.unwrap());
        let body = command.to_body();
        prop_assert!(agree(&body), "{}", body);
        prop_assert_eq!(Command::parse(&body).unwrap(), command);
    }

    #[test]
    fn every_wake_written_is_one_by_the_schema_and_reads_back(order in "[a-z]{1,9}", due_at in any::<i64>()) {
        let payment_id = PaymentId::of(&"shop".parse().unwrap(), &order.parse().unwrap());
        let command = Command::Wake { payment_id, due_at: Time(due_at) };
        let body = command.to_body();
        prop_assert!(agree(&body), "{}", body);
        prop_assert_eq!(Command::parse(&body).unwrap(), command);
    }

    #[test]
    fn a_command_with_any_one_field_spoiled_is_judged_alike(
        sample in prop::sample::select(SAMPLES.to_vec()),
        field in prop::sample::select(vec![
            "tenant", "order", "ref", "amount", "customer", "payment_method", "payment_id", "due_at", "type",
            "schema", "capture", "if_captured", "operation", "source_id",
        ]),
        // No digits: a name of digits may look like a card number, and a float like a whole number.
        text in "[ -/:-~é]{0,70}",
    ) {
        agree(&with(sample, field, &quoted(&text)));
    }
}
