//! Properties of the money: no step of ours gives back more than was taken.

use payment::{Effect, Payment};
use proptest::prelude::*;

use crate::{
    histories::{Step, histories, moments},
    properties::config,
};

/// What the refunds that were decided on, and neither refused nor ended without effect, add up to.
fn promised(payment: &Payment) -> u64 {
    let open = payment.operations.values().filter(|op| !op.attempt.standing.ended_without_effect());
    open.map(|op| match &op.effect {
        Effect::Refund { amount: Some(amount), charge: Some(_) } => amount.minor(),
        Effect::Refund { .. }
        | Effect::Charge { .. }
        | Effect::Capture { .. }
        | Effect::Cancel { .. }
        | Effect::Void { .. } => 0,
    })
    .sum()
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn no_more_is_promised_back_than_was_taken_unless_the_provider_itself_says_so(history in histories()) {
        let mut was_within = true;
        for moment in moments(&history) {
            let is_within = |payment: &Payment| promised(payment) <= payment.totals().captured;
            let facts_say_so = matches!(moment.step, Step::ShowsAFact(..));
            prop_assert!(is_within(&moment.taken) || facts_say_so || !was_within, "{:#?}", moment.taken);
            let grew = moment.before.as_ref().is_some_and(|before| promised(&moment.planned) > promised(before));
            prop_assert!(is_within(&moment.planned) || !is_within(&moment.taken) || !grew, "{:#?}", moment.planned);
            was_within = is_within(&moment.planned);
        }
    }

    #[test]
    fn totals_are_those_of_the_operations(history in histories()) {
        for moment in moments(&history) {
            let totals = moment.planned.totals();
            prop_assert!(totals.refunded <= totals.reserved);
            prop_assert_eq!(totals.refundable(), totals.captured.saturating_sub(totals.reserved));
        }
    }
}
