//! Facts: what the provider's state is. Absorbing one is commutative and idempotent.

use serde::{Deserialize, Serialize};

use crate::{
    attempt::{Attempt, ReviewReason, Standing},
    laws::Found,
};

/// What the provider's object with this id is, as far as its source could tell.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Fact {
    /// The provider's id of the object.
    pub id: String,
    /// Its end, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
}

/// An end of the effect, as the provider states it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// This attempt was declined, with the provider's code. The object itself can still be paid. Of a refund: it
    /// failed.
    Declined(String),
    /// The money is held, to be captured.
    Authorized,
    /// The effect happened, in full.
    Succeeded,
    /// The effect happened for this amount, in minor units: less than was asked.
    Partly(u64),
    /// The object was canceled: it can never take effect.
    Canceled,
}

impl Attempt {
    /// Takes in a fact about a payment intent. The order of facts, and how often each comes, does not matter.
    pub fn absorb(&mut self, fact: &Fact) {
        let found = Found::before(self);
        match &fact.outcome {
            None => self.raise_seen(),
            Some(Outcome::Declined(code)) => self.absorb_decline(code),
            Some(Outcome::Authorized) => self.absorb_authorization(),
            Some(Outcome::Succeeded) => self.absorb_end(Standing::Succeeded),
            Some(Outcome::Partly(amount)) => self.absorb_part(*amount),
            Some(Outcome::Canceled) => self.absorb_end(Standing::Canceled),
        }
        self.remember(&fact.id);
        found.assert_kept_by_fact(self, &fact.id, Standing::rank);
    }

    /// Takes in a fact about a refund, which has ranks of its own (see [`Standing::refund_rank`]).
    pub fn absorb_refund(&mut self, fact: &Fact) {
        let found = Found::before(self);
        match &fact.outcome {
            None | Some(Outcome::Authorized) => self.raise_seen(),
            Some(Outcome::Declined(code)) => {
                let held = self.code.as_deref().filter(|_| self.standing == Standing::Failed);
                if held.is_none_or(|held| code.as_str() < held) {
                    self.code = Some(code.clone());
                }
                self.absorb_refund_end(Standing::Failed);
            }
            Some(Outcome::Succeeded) => self.absorb_refund_end(Standing::Succeeded),
            Some(Outcome::Partly(amount)) => {
                self.hold_less(*amount);
                self.absorb_refund_end(Standing::Succeeded);
            }
            Some(Outcome::Canceled) => self.absorb_refund_end(Standing::Canceled),
        }
        self.remember(&fact.id);
        found.assert_kept_by_fact(self, &fact.id, Standing::refund_rank);
    }

    fn remember(&mut self, id: &str) {
        if !self.ids.contains(id) {
            self.ids.insert(id.to_owned());
        }
        if self.ids.len() > 1 {
            self.require_review(ReviewReason::TwoIds);
        }
        self.seal_if_ended();
    }

    /// Asks for a person. The graver of two reasons stays, whichever came first. What was sent is unknown by that.
    pub fn require_review(&mut self, reason: ReviewReason) {
        if self.was_sent() {
            self.raise(Standing::Unknown);
        }
        if self.review.is_none_or(|held| gravity(reason) > gravity(held)) {
            self.review = Some(reason);
        }
        assert!(self.review.is_some(), "a review asked for is on record");
    }

    // An object that exists means that something was sent: no later reply may call the operation refused.
    fn raise_seen(&mut self) {
        self.raise(Standing::Unknown);
    }

    fn absorb_decline(&mut self, code: &str) {
        let held_a_decline = self.standing == Standing::Failed;
        self.raise(Standing::Failed);
        // Two codes can reach one attempt (a confirm after a decline); the smaller one stays, in either order.
        let replaces = !held_a_decline || self.code.as_deref().is_none_or(|held| code < held);
        if self.standing == Standing::Failed && replaces {
            self.code = Some(code.to_owned());
        }
        self.clear_review();
    }

    fn absorb_authorization(&mut self) {
        self.raise(Standing::Authorized);
        if self.standing == Standing::Authorized {
            self.code = None;
        }
        self.clear_review();
    }

    // Two amounts for one object cannot both be right: the smaller one lets less be refunded.
    fn absorb_part(&mut self, amount: u64) {
        self.hold_less(amount);
        self.absorb_end(Standing::Succeeded);
    }

    fn hold_less(&mut self, amount: u64) {
        self.moved = Some(self.moved.map_or(amount, |held| held.min(amount)));
    }

    fn absorb_refund_end(&mut self, end: Standing) {
        if end.refund_rank() > self.standing.refund_rank() {
            self.standing = end;
        }
        if self.standing != Standing::Failed {
            self.code = None;
        }
        self.status = None;
        self.clear_review();
    }

    fn absorb_end(&mut self, end: Standing) {
        if self.standing.rank() == end.rank() && self.standing != end {
            self.standing = Standing::Succeeded;
            self.require_review(ReviewReason::TwoEnds);
            return;
        }
        self.raise(end);
        self.code = None;
        self.status = None;
        self.clear_review();
    }

    pub(crate) fn clear_review(&mut self) {
        if self.review.is_some_and(ReviewReason::is_cleared_by_a_fact) {
            self.review = None;
        }
    }
}

const fn gravity(reason: ReviewReason) -> u8 {
    match reason {
        ReviewReason::WindowOver => 0,
        ReviewReason::NotFinal => 1,
        ReviewReason::AccountChanged => 2,
        ReviewReason::KeyReused => 3,
        ReviewReason::EarlierCameBack => 4,
        ReviewReason::TwoIds => 5,
        ReviewReason::TwoEnds => 6,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn facts() -> impl Strategy<Value = Vec<Fact>> {
        let outcome = prop_oneof![
            Just(None),
            Just(Some(Outcome::Authorized)),
            Just(Some(Outcome::Succeeded)),
            (1_u64..3).prop_map(|amount| Some(Outcome::Partly(amount))),
            Just(Some(Outcome::Canceled)),
            "[ab]".prop_map(|code| Some(Outcome::Declined(code))),
        ];
        let fact = (prop_oneof![9 => Just("pi_1"), 1 => Just("pi_2")], outcome)
            .prop_map(|(id, outcome)| Fact { id: id.to_owned(), outcome });
        prop::collection::vec(fact, 0..6)
    }

    fn absorbed(facts: &[Fact]) -> Attempt {
        let mut attempt = Attempt::default();
        for fact in facts {
            attempt.absorb(fact);
        }
        attempt
    }

    fn absorbed_of_a_refund(facts: &[Fact]) -> Attempt {
        let mut attempt = Attempt::default();
        for fact in facts {
            attempt.absorb_refund(fact);
        }
        attempt
    }

    proptest! {
        #[test]
        fn facts_commute_and_repeat_without_effect(facts in facts(), seed in any::<u64>()) {
            let once = absorbed(&facts);
            let mut shuffled: Vec<Fact> = facts.iter().chain(facts.iter()).cloned().collect();
            let len = shuffled.len().max(1) as u64;
            for i in 0..shuffled.len() {
                let j = (seed.wrapping_mul(i as u64 + 7) % len) as usize;
                shuffled.swap(i, j);
            }
            prop_assert_eq!(absorbed(&shuffled), once);
            prop_assert_eq!(absorbed_of_a_refund(&shuffled), absorbed_of_a_refund(&facts));
        }

        #[test]
        fn no_fact_lowers_the_standing(facts in facts()) {
            let (mut charge, mut refund) = (Attempt::default(), Attempt::default());
            for fact in &facts {
                let before = (charge.standing.rank(), refund.standing.refund_rank());
                charge.absorb(fact);
                refund.absorb_refund(fact);
                prop_assert!(charge.standing.rank() >= before.0);
                prop_assert!(refund.standing.refund_rank() >= before.1);
            }
        }
    }

    #[test]
    fn both_ends_of_one_object_count_as_succeeded_and_go_to_a_person() {
        let fact = |outcome| Fact { id: "pi_1".into(), outcome: Some(outcome) };
        let attempt = absorbed(&[fact(Outcome::Canceled), fact(Outcome::Succeeded)]);
        assert_eq!((attempt.standing, attempt.review), (Standing::Succeeded, Some(ReviewReason::TwoEnds)));
    }

    #[test]
    fn a_refund_may_fail_after_it_succeeded_and_not_the_other_way_round() {
        let fact = |outcome| Fact { id: "re_1".into(), outcome: Some(outcome) };
        let facts = [fact(Outcome::Declined("expired_or_canceled_card".into())), fact(Outcome::Succeeded)];
        let attempt = absorbed_of_a_refund(&facts);
        assert_eq!((attempt.standing, attempt.review), (Standing::Failed, None));
        assert_eq!(attempt.code.as_deref(), Some("expired_or_canceled_card"));
    }

    #[test]
    fn an_authorization_is_no_end_and_a_capture_of_a_part_keeps_its_amount() {
        let fact = |outcome| Fact { id: "pi_1".into(), outcome: Some(outcome) };
        let held = absorbed(&[fact(Outcome::Authorized)]);
        assert!(!held.standing.is_ended());
        assert_eq!(absorbed(&[fact(Outcome::Authorized), fact(Outcome::Canceled)]).review, None);
        let captured = absorbed(&[fact(Outcome::Partly(300)), fact(Outcome::Authorized)]);
        assert_eq!((captured.standing, captured.moved), (Standing::Succeeded, Some(300)));
    }

    #[test]
    fn a_fact_settles_an_exhausted_search_but_not_two_objects() {
        let success = Fact { id: "pi_1".into(), outcome: Some(Outcome::Succeeded) };
        for reason in [ReviewReason::WindowOver, ReviewReason::NotFinal] {
            let mut attempt = Attempt { review: Some(reason), ..Attempt::default() };
            attempt.absorb(&success);
            assert_eq!((attempt.standing, attempt.review), (Standing::Succeeded, None));
        }
        for reason in [ReviewReason::TwoIds, ReviewReason::TwoEnds, ReviewReason::KeyReused] {
            let mut attempt = Attempt { review: Some(reason), ..Attempt::default() };
            attempt.absorb(&success);
            assert_eq!((attempt.standing, attempt.review), (Standing::Succeeded, Some(reason)));
        }
    }
}
