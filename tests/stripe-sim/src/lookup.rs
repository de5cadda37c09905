//! Lists and searches: what a caller can see, and how far it lies behind.

use crate::error::ApiError;
use crate::form::pairs;
use crate::intent::{Intent, State};
use crate::limits::integer;
use crate::params::bracketed;
use crate::query::Query;
use crate::render::{self, IntentObject, ListPage, SearchPage, seconds};
use crate::settings::Settings;

/// The parameters of a list.
#[derive(Clone, Debug)]
pub(crate) struct ListIntents {
    customer: Option<String>,
    from_s: i64,
    to_s: i64,
    limit: usize,
    starting_after: Option<String>,
    ending_before: Option<String>,
}

/// The parameters of a search.
#[derive(Clone, Debug)]
pub(crate) struct SearchIntents {
    query: Query,
    limit: usize,
    page: usize,
}

/// Parses the query string of a list.
pub(crate) fn parse_list(query: &str) -> Result<ListIntents, ApiError> {
    let mut parsed = ListIntents {
        customer: None,
        from_s: i64::MIN,
        to_s: i64::MAX,
        limit: 10,
        starting_after: None,
        ending_before: None,
    };
    for (name, value) in pairs(query.as_bytes()) {
        match &*name {
            "customer" => parsed.customer = Some(value.into_owned()),
            "limit" => parsed.limit = limit(&value)?,
            "starting_after" => parsed.starting_after = Some(value.into_owned()),
            "ending_before" => parsed.ending_before = Some(value.into_owned()),
            "created" => {
                parsed.from_s = integer(&name, &value)?;
                parsed.to_s = parsed.from_s;
            }
            "created[gte]" => parsed.from_s = integer(&name, &value)?,
            "created[gt]" => parsed.from_s = integer(&name, &value)?.saturating_add(1),
            "created[lte]" => parsed.to_s = integer(&name, &value)?,
            "created[lt]" => parsed.to_s = integer(&name, &value)?.saturating_sub(1),
            _ if bracketed(&name, "expand").is_some() => {}
            _ => return Err(ApiError::unknown_param(&name)),
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

fn limit(value: &str) -> Result<usize, ApiError> {
    match usize::try_from(integer("limit", value)?) {
        Ok(limit @ 1..=100) => Ok(limit),
        Ok(_) | Err(_) => {
            let message = "This value must be between 1 and 100.";
            Err(ApiError::invalid(Some("parameter_invalid_integer"), "limit", message))
        }
    }
}

/// Returns the index in an intent's id, whether or not it exists.
pub(crate) fn index_of(id: &str) -> Option<usize> {
    id.strip_prefix("pi_")?.parse::<usize>().ok()?.checked_sub(1)
}

/// Returns the intents that a list shows now, newest first, each in the state shown.
pub(crate) fn list(
    now_ms: i64,
    wanted: &ListIntents,
    intents: &[Intent],
    settings: &Settings,
) -> Result<Vec<u8>, ApiError> {
    let cursor = |param: &str, id: &Option<String>| match id {
        None => Ok(None),
        Some(id) => match index_of(id) {
            Some(index) if index < intents.len() => Ok(Some(index)),
            Some(_) | None => Err(ApiError::no_such_param("payment_intent", param, id)),
        },
    };
    let after = cursor("starting_after", &wanted.starting_after)?;
    let before = cursor("ending_before", &wanted.ending_before)?;
    let in_range = |intent: &Intent| {
        (wanted.from_s..=wanted.to_s).contains(&seconds(intent.created_ms))
            && (wanted.customer.is_none() || wanted.customer == intent.customer)
    };
    let mut found = intents
        .iter()
        .enumerate()
        .rev()
        .filter(|(index, intent)| {
            after.is_none_or(|after| *index < after)
                && before.is_none_or(|before| *index > before)
                && in_range(intent)
        })
        .filter_map(|(_, intent)| Some((intent, visible(intent, now_ms, settings.list_lag_ms)?)));
    let mut data: Vec<_> = if before.is_some() {
        let all: Vec<_> = found.by_ref().collect();
        let skipped = all.len().saturating_sub(wanted.limit);
        return Ok(page(&all[skipped..], skipped > 0, settings));
    } else {
        found.by_ref().take(wanted.limit).collect()
    };
    let has_more = found.next().is_some();
    data.truncate(wanted.limit);
    Ok(page(&data, has_more, settings))
}

fn page(data: &[(&Intent, &State)], has_more: bool, settings: &Settings) -> Vec<u8> {
    let data =
        data.iter().map(|(intent, state)| IntentObject::of(intent, state, settings.livemode)).collect();
    render::json(&ListPage { object: "list", data, has_more, url: "/v1/payment_intents" })
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
        .filter_map(|intent| Some((intent, visible(intent, now_ms, settings.search_lag_ms)?)))
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

fn visible(intent: &Intent, now_ms: i64, lag_ms: i64) -> Option<&State> {
    if lag_ms <= 0 { Some(intent.state()) } else { intent.state_at(now_ms.saturating_sub(lag_ms)) }
}
