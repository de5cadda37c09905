//! `GET`: a payment as it stands, at once or once it has come to rest.

use effect::Time;
use payment::{
    PaymentId, Record, Tenant,
    ports::{Acceptances, Clock, Ledger, Pause, Queue},
};

use crate::{
    Intake, of_load,
    problem::{Problem, ProblemKind},
    reply::Reply,
    request::Request,
    view,
};

/// The longest wait, in seconds: below the 29 s after which every gateway gives up.
pub const MAX_WAIT_S: u32 = 25;

/// What is left of an invocation for its last read and its reply, in milliseconds.
const MARGIN_MS: i64 = 2_000;

/// The first pause between two reads, in milliseconds; it doubles up to the longest.
const FIRST_PAUSE_MS: i64 = 100;

/// The longest pause between two reads, in milliseconds.
const LONGEST_PAUSE_MS: i64 = 1_000;

impl<T: Ledger + Acceptances, Q: Queue, C: Clock + Pause> Intake<T, Q, C> {
    /// Answers with a payment, waiting as long as the request prefers and `deadline` allows.
    pub(crate) async fn read(
        &self,
        request: &Request,
        tenant: &Tenant,
        id: Option<&PaymentId>,
        deadline: Time,
    ) -> Result<Reply, Problem> {
        let wait_s = preferred_wait_s(request);
        let start = self.clock.now();
        let until = start.plus_ms(i64::from(wait_s.unwrap_or(0)) * 1_000).min(deadline.plus_ms(-MARGIN_MS));
        let mut pause_ms = FIRST_PAUSE_MS;
        let record = loop {
            let record = self.payment_of(tenant, id).await?;
            let left_ms = until.since_ms(self.clock.now());
            if left_ms <= 0 || view::is_at_rest(&record) {
                break record;
            }
            self.clock.pause(pause_ms.min(left_ms).unsigned_abs()).await;
            pause_ms = (pause_ms * 2).min(LONGEST_PAUSE_MS);
        };
        let body = view::payment(&record, None, self.clock.now());
        let reply = Reply::new(200, "application/json", body);
        Ok(match wait_s {
            Some(seconds) => reply.with("preference-applied", format!("wait={seconds}")),
            None => reply,
        })
    }

    async fn payment_of(&self, tenant: &Tenant, id: Option<&PaymentId>) -> Result<Record, Problem> {
        let id = id.ok_or_else(not_found)?;
        let found = self.table.load(id).await.map_err(|error| of_load(&error))?;
        owned(found, tenant)
    }
}

/// Returns the record if it is the tenant's own. Somebody else's looks like none.
pub(crate) fn owned(found: Option<Record>, tenant: &Tenant) -> Result<Record, Problem> {
    found.filter(|record| record.payment.tenant == *tenant).ok_or_else(not_found)
}

/// Says that the caller has no such payment.
pub(crate) fn not_found() -> Problem {
    Problem::new(ProblemKind::PaymentNotFound, "you have no payment with this id")
}

// RFC 7240: a preference that is not understood is ignored, and the first of several counts.
fn preferred_wait_s(request: &Request) -> Option<u32> {
    let preferences = request.header("prefer").flat_map(|value| value.split(','));
    let mut waits = preferences.filter_map(|preference| {
        let preference = preference.split(';').next().unwrap_or_default();
        let (name, value) = preference.split_once('=')?;
        name.trim().eq_ignore_ascii_case("wait").then(|| value.trim().trim_matches('"'))
    });
    let seconds = waits.next()?;
    let is_number = !seconds.is_empty() && seconds.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| seconds.parse().unwrap_or(MAX_WAIT_S).min(MAX_WAIT_S))
}
