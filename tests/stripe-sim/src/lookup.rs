//! Lists and searches: what a caller can see, and how far it lies behind.

use crate::error::ApiError;
use crate::form::pairs;
use crate::intent::Intent;
use crate::paging::{Listed, Paging, limit};
use crate::params::bracketed;
use crate::query::Query;
use crate::refund::Refund;
use crate::refund_object::RefundObject;
use crate::render::{self, IntentObject, ListPage, SearchPage};
use crate::settings::Settings;

/// The parameters of a list of intents.
#[derive(Clone, Debug, Default)]
pub(crate) struct ListIntents {
    customer: Option<String>,
    paging: Paging,
}

/// The parameters of a list of refunds.
#[derive(Clone, Debug, Default)]
pub(crate) struct ListRefunds {
    payment_intent: Option<String>,
    paging: Paging,
}

/// The parameters of a search.
#[derive(Clone, Debug)]
pub(crate) struct SearchIntents {
    query: Query,
    limit: usize,
    page: usize,
}

/// Parses the query string of a list of intents.
pub(crate) fn parse_list(query: &str) -> Result<ListIntents, ApiError> {
    let mut parsed = ListIntents::default();
    for (name, value) in pairs(query.as_bytes()) {
        match &*name {
            "customer" => parsed.customer = Some(value.into_owned()),
            _ => parsed.paging.take(&name, &value)?,
        }
    }
    Ok(parsed)
}

/// Parses the query string of a list of refunds.
pub(crate) fn parse_refund_list(query: &str) -> Result<ListRefunds, ApiError> {
    let mut parsed = ListRefunds::default();
    for (name, value) in pairs(query.as_bytes()) {
        match &*name {
            "payment_intent" => parsed.payment_intent = Some(value.into_owned()),
            _ => parsed.paging.take(&name, &value)?,
        }
    }
    Ok(parsed)
}

/// Parses the query string of a search.
pub(crate) fn parse_search(query: &str) -> Result<SearchIntents, ApiError> {
    let mut parsed = SearchIntents { query: Query::default(), limit: 10, page: 0 };
    let mut given = false;
    for (name, value) in pairs(query.as_bytes()) {
        match &*name {
            "query" => {
                parsed.query = Query::parse(&value)?;
                given = true;
            }
            "limit" => parsed.limit = limit(&value)?,
            "page" => {
                let number = value.strip_prefix("page_").and_then(|number| number.parse().ok());
                parsed.page = number.ok_or_else(|| ApiError::no_such_param("page", "page", &value))?;
            }
            _ if bracketed(&name, "expand").is_some() => {}
            _ => return Err(ApiError::unknown_param(&name)),
        }
    }
    if given { Ok(parsed) } else { Err(ApiError::missing("query")) }
}

/// Returns the intents that a list shows now, newest first, each in the state shown.
pub(crate) fn list(
    now_ms: i64,
    wanted: &ListIntents,
    intents: &[Intent],
    settings: &Settings,
) -> Result<Vec<u8>, ApiError> {
    let is_wanted = |intent: &Intent| wanted.customer.is_none() || wanted.customer == intent.customer;
    let page = wanted.paging.page(intents, now_ms, settings.list_lag_ms, is_wanted)?;
    let object = |&(intent, state): &(_, _)| IntentObject::of(intent, state, settings.livemode);
    let data = page.shown.iter().map(object).collect();
    let url = "/v1/payment_intents";
    Ok(render::json(&ListPage { object: "list", data, has_more: page.has_more, url }))
}

/// Returns the refunds that a list shows now, newest first, each in the state shown.
pub(crate) fn list_refunds(
    now_ms: i64,
    wanted: &ListRefunds,
    refunds: &[Refund],
    settings: &Settings,
) -> Result<Vec<u8>, ApiError> {
    let is_wanted =
        |refund: &Refund| wanted.payment_intent.as_ref().is_none_or(|id| *id == refund.payment_intent);
    let page = wanted.paging.page(refunds, now_ms, settings.list_lag_ms, is_wanted)?;
    let data = page.shown.iter().map(|(refund, state)| RefundObject::of(refund, state)).collect();
    let url = "/v1/refunds";
    Ok(render::json(&ListPage { object: "list", data, has_more: page.has_more, url }))
}

/// Returns what the search index knows, each intent in the state in which it was indexed.
pub(crate) fn search(
    now_ms: i64,
    wanted: &SearchIntents,
    intents: &[Intent],
    settings: &Settings,
) -> Vec<u8> {
    let mut found = intents
        .iter()
        .rev()
        .filter_map(|intent| Some((intent, intent.visible(now_ms, settings.search_lag_ms)?)))
        .filter(|(intent, state)| wanted.query.matches(intent, state))
        .skip(wanted.page.saturating_mul(wanted.limit));
    let data: Vec<_> = found
        .by_ref()
        .take(wanted.limit)
        .map(|(intent, state)| IntentObject::of(intent, state, settings.livemode))
        .collect();
    let has_more = found.next().is_some();
    let next_page = has_more.then(|| format!("page_{}", wanted.page + 1));
    let url = "/v1/payment_intents/search";
    render::json(&SearchPage { object: "search_result", data, has_more, next_page, url })
}
