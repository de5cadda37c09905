//! Which fault strikes which request: the script first, then chance from one seed.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use stripe_sim::Request;

use crate::hostile::Hostile;
use crate::plan::{Kind, Plan, Scripted};

/// What happens to one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Strike {
    pub(crate) kind: Kind,
    pub(crate) hostile: Hostile,
    pub(crate) delay_ms: u64,
    pub(crate) delay_reply_ms: u64,
}

/// The plan and where it stands.
#[derive(Debug)]
pub(crate) struct Faults {
    plan: Plan,
    rng: SmallRng,
}

impl Default for Faults {
    fn default() -> Self {
        Faults::new(Plan::default())
    }
}

impl Faults {
    pub(crate) fn new(plan: Plan) -> Self {
        let rng = SmallRng::seed_from_u64(plan.seed);
        Faults { plan, rng }
    }

    /// Adds scripted faults behind those that are left; all else of the plan stays.
    pub(crate) fn add(&mut self, script: Vec<Scripted>) {
        self.plan.script.extend(script);
    }

    /// Returns how many scripted faults are left.
    pub(crate) fn scripted_left(&self) -> u32 {
        self.plan.script.iter().map(|scripted| scripted.times).sum()
    }

    /// Draws the fault of the next request, whose operation id is `operation_id`.
    ///
    /// Takes the same number of draws for every request, so that one request's luck does not move another's.
    pub(crate) fn strike(&mut self, request: &Request, operation_id: &str) -> Strike {
        let chance = self.chance();
        let Some(at) = self.plan.script.iter().position(|it| it.matches(request, operation_id)) else {
            return chance;
        };
        let scripted = &mut self.plan.script[at];
        scripted.times -= 1;
        let strike = Strike {
            kind: scripted.fault,
            hostile: scripted.hostile.unwrap_or(chance.hostile),
            delay_ms: scripted.delay_ms,
            delay_reply_ms: scripted.delay_reply_ms,
        };
        if scripted.times == 0 {
            self.plan.script.remove(at);
        }
        strike
    }

    fn chance(&mut self) -> Strike {
        let per_mille = &self.plan.per_mille;
        let kinds = [
            (Kind::ResetBefore, per_mille.reset_before),
            (Kind::LoseReplyAfterEffect, per_mille.lose_reply_after_effect),
            (Kind::Error500Before, per_mille.error_500_before),
            (Kind::Error500After, per_mille.error_500_after),
            (Kind::Error500Between, per_mille.error_500_between),
            (Kind::RateLimit, per_mille.rate_limit),
            (Kind::LockTimeout, per_mille.lock_timeout),
            (Kind::Unavailable503, per_mille.unavailable_503),
            (Kind::HostileBody, per_mille.hostile_body),
        ];
        let mut kind = Kind::None;
        for (candidate, odds) in kinds {
            if self.rng.random_range(0..1000) < odds && kind == Kind::None {
                kind = candidate;
            }
        }
        let (shortest, longest) = self.plan.delay_ms;
        let hostile = Hostile::ALL[self.rng.random_range(0..Hostile::ALL.len())];
        let delayed = self.rng.random_range(0..1000) < per_mille.delay;
        let delay_ms = self.rng.random_range(shortest..=longest.max(shortest));
        Strike { kind, hostile, delay_ms: if delayed { delay_ms } else { 0 }, delay_reply_ms: 0 }
    }
}

impl Scripted {
    fn matches(&self, request: &Request, operation_id: &str) -> bool {
        let of_operation = |wanted: &String| {
            operation_id
                .strip_prefix(wanted.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.times > 0
            && self.method.as_ref().is_none_or(|method| method == request.method.as_str())
            && self.path_prefix.as_ref().is_none_or(|prefix| request.path.starts_with(prefix.as_str()))
            && self.operation_id.as_ref().is_none_or(of_operation)
    }
}
