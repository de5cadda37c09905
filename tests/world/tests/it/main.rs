//! Schedules put together by hand, the simulation's own tests, and what both must notice.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod bench;
mod budget;
mod exhaustive;
mod field_cases_life;
mod field_cases_lookup;
mod field_cases_outbox;
mod field_cases_queue;
mod field_cases_record;
mod field_cases_stripe;
mod notices;
mod payments;
mod scenarios;
mod seed_branches;
mod seed_table;
mod seeds;

use std::num::NonZero;

const JOBS: NonZero<usize> = NonZero::new(2).unwrap();
