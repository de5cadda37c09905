//! Lists: the parameters they share, and the page that a caller sees now.

use crate::error::ApiError;
use crate::intent::{Intent, State};
use crate::limits::integer;
use crate::params::bracketed;
use crate::refund::{Refund, RefundState};
use crate::render::seconds;

/// An object that can be listed.
pub(crate) trait Listed {
    /// The part of it that changes.
    type State;
    /// The name that errors use.
    const KIND: &'static str;
    /// What its id begins with.
    const PREFIX: &'static str;

    fn created_ms(&self) -> i64;
    fn now(&self) -> &Self::State;
    fn then(&self, at_ms: i64) -> Option<&Self::State>;

    /// Returns the state that a reader sees who is that far behind.
    fn visible(&self, now_ms: i64, lag_ms: i64) -> Option<&Self::State> {
        if lag_ms <= 0 { Some(self.now()) } else { self.then(now_ms.saturating_sub(lag_ms)) }
    }
}

impl Listed for Intent {
    type State = State;
    const KIND: &'static str = "payment_intent";
    const PREFIX: &'static str = "pi_";

    fn created_ms(&self) -> i64 {
        self.created_ms
    }

    fn now(&self) -> &State {
        self.state()
    }

    fn then(&self, at_ms: i64) -> Option<&State> {
        self.state_at(at_ms)
    }
}

impl Listed for Refund {
    type State = RefundState;
    const KIND: &'static str = "refund";
    const PREFIX: &'static str = "re_";

    fn created_ms(&self) -> i64 {
        self.created_ms
    }

    fn now(&self) -> &RefundState {
        self.state()
    }

    fn then(&self, at_ms: i64) -> Option<&RefundState> {
        self.state_at(at_ms)
    }
}

/// The parameters of every list: a range of creation times, and a page.
#[derive(Clone, Debug)]
pub(crate) struct Paging {
    from_s: i64,
    to_s: i64,
    limit: usize,
    starting_after: Option<String>,
    ending_before: Option<String>,
}

/// One page: the objects, each in the state shown, and whether there are more.
pub(crate) struct Page<'a, T: Listed> {
    pub(crate) shown: Vec<(&'a T, &'a T::State)>,
    pub(crate) has_more: bool,
}

impl Default for Paging {
    fn default() -> Self {
        Paging { from_s: i64::MIN, to_s: i64::MAX, limit: 10, starting_after: None, ending_before: None }
    }
}

impl Paging {
    /// Takes a pair of a query string; one that is no list's at all is refused.
    pub(crate) fn take(&mut self, name: &str, value: &str) -> Result<(), ApiError> {
        match name {
            "limit" => self.limit = limit(value)?,
            "starting_after" => self.starting_after = Some(value.to_owned()),
            "ending_before" => self.ending_before = Some(value.to_owned()),
            "created" => {
                self.from_s = integer(name, value)?;
                self.to_s = self.from_s;
            }
            "created[gte]" => self.from_s = integer(name, value)?,
            "created[gt]" => self.from_s = integer(name, value)?.saturating_add(1),
            "created[lte]" => self.to_s = integer(name, value)?,
            "created[lt]" => self.to_s = integer(name, value)?.saturating_sub(1),
            _ if bracketed(name, "expand").is_some() => {}
            _ => return Err(ApiError::unknown_param(name)),
        }
        Ok(())
    }

    /// Returns the page of the objects wanted, newest first, as a reader sees them who is that far behind.
    pub(crate) fn page<'a, T: Listed>(
        &self,
        objects: &'a [T],
        now_ms: i64,
        lag_ms: i64,
        is_wanted: impl Fn(&T) -> bool,
    ) -> Result<Page<'a, T>, ApiError> {
        let after = cursor(objects, "starting_after", self.starting_after.as_deref())?;
        let before = cursor(objects, "ending_before", self.ending_before.as_deref())?;
        let mut found = objects
            .iter()
            .enumerate()
            .rev()
            .filter(|(index, object)| {
                after.is_none_or(|after| *index < after)
                    && before.is_none_or(|before| *index > before)
                    && (self.from_s..=self.to_s).contains(&seconds(object.created_ms()))
                    && is_wanted(object)
            })
            .filter_map(|(_, object)| Some((object, object.visible(now_ms, lag_ms)?)));
        if before.is_some() {
            let mut shown: Vec<_> = found.collect();
            let skipped = shown.len().saturating_sub(self.limit);
            shown.drain(..skipped);
            return Ok(Page { shown, has_more: skipped > 0 });
        }
        let shown: Vec<_> = found.by_ref().take(self.limit).collect();
        Ok(Page { shown, has_more: found.next().is_some() })
    }
}

/// Parses the size of a page.
pub(crate) fn limit(value: &str) -> Result<usize, ApiError> {
    match usize::try_from(integer("limit", value)?) {
        Ok(limit @ 1..=100) => Ok(limit),
        Ok(_) | Err(_) => {
            let message = "This value must be between 1 and 100.";
            Err(ApiError::invalid(Some("parameter_invalid_integer"), "limit", message))
        }
    }
}

/// Returns the index in an object's id, whether or not it exists.
pub(crate) fn index_of<T: Listed>(id: &str) -> Option<usize> {
    id.strip_prefix(T::PREFIX)?.parse::<usize>().ok()?.checked_sub(1)
}

fn cursor<T: Listed>(objects: &[T], param: &str, id: Option<&str>) -> Result<Option<usize>, ApiError> {
    let Some(id) = id else { return Ok(None) };
    match index_of::<T>(id) {
        Some(index) if index < objects.len() => Ok(Some(index)),
        Some(_) | None => Err(ApiError::no_such_param(T::KIND, param, id)),
    }
}
