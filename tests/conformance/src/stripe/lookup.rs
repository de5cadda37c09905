//! Looking up: retrieve, list and search.

use anyhow::Result;
use effect::{Look, Note, Outcome, hours, minutes, seconds};
use payment::ports::Question;
use stripe_wire::{HttpRequest, Method, Transport, classify_look, prepare_look};

use super::{StripeSubject, Trouble, VISA, charge, id, json, outcome};
use crate::{
    case::{Case, cases, expect},
    sources::{ERRORS, INTENTS, LIST, SEARCH},
};

pub(super) fn cases<S: StripeSubject>() -> Vec<Case<S>> {
    cases! {
        a_retrieve_shows_the_intent_as_it_is: "a retrieve returns the object's state", INTENTS;
        a_retrieve_of_what_is_not_there_is_a_404_and_tells_nothing: "an id that names nothing is resource_missing", ERRORS;
        a_list_shows_a_charge_at_once: "lists are not subject to search's delay", SEARCH;
        a_list_shows_its_customer_alone: "`customer` limits the list to one customer's intents", LIST;
        a_list_keeps_to_its_time: "`created` limits the list, its bounds included with gte and lte", LIST;
        a_list_has_pages_newest_first: "`starting_after` continues behind an object; `has_more` tells of a further page", LIST;
        a_search_lags_behind: "search is eventually consistent, usually within a minute", SEARCH;
        a_search_finds_its_operation_alone: "metadata['key']:'value' matches the exact value", SEARCH;
        a_lost_answer_is_no_information: "a read has no effect, and its failure says nothing", ERRORS;
    }
}

async fn a_retrieve_shows_the_intent_as_it_is<S: StripeSubject>(stripe: &S) -> Result<()> {
    let charge = charge("a", VISA)?;
    let intent = id(&charge.send(stripe).await?)?;
    let looked = charge.look(stripe, Look::ById, Some(&intent)).await?;
    expect("what it means", &outcome(&looked), &Some((intent, Outcome::Succeeded)))
}

async fn a_retrieve_of_what_is_not_there_is_a_404_and_tells_nothing<S: StripeSubject>(
    stripe: &S,
) -> Result<()> {
    let charge = charge("a", VISA)?;
    let looked = charge.look(stripe, Look::ById, Some("pi_999999")).await?;
    expect("what it means", &looked.note, &Some(Note::NotTold))?;
    expect("facts", &looked.facts, &vec![])
}

async fn a_list_shows_a_charge_at_once<S: StripeSubject>(stripe: &S) -> Result<()> {
    stripe.search_lags(hours(1)).await?;
    let charge = charge("a", VISA)?;
    let intent = id(&charge.send(stripe).await?)?;
    expect("what the list shows", &charge.listed(stripe).await?, &vec![intent])
}

async fn a_list_shows_its_customer_alone<S: StripeSubject>(stripe: &S) -> Result<()> {
    let (one, other) = (charge("a", VISA)?, charge("b", VISA)?);
    one.send(stripe).await?;
    other.send(stripe).await?;
    let page = list(stripe, "customer=cus_a&limit=100").await?;
    let customers: Vec<&str> =
        page["data"].as_array().into_iter().flatten().filter_map(|i| i["customer"].as_str()).collect();
    expect("the customers", &customers, &vec!["cus_a"])
}

async fn list<S: StripeSubject>(stripe: &S, query: &str) -> Result<serde_json::Value> {
    let request = HttpRequest {
        method: Method::Get,
        path: "/v1/payment_intents".to_owned(),
        query: query.to_owned(),
        idempotency_key: None,
        api_version: stripe_wire::API_VERSION.to_owned(),
        body: String::new(),
    };
    json(&stripe.port().call(&request).await?)
}

async fn a_list_keeps_to_its_time<S: StripeSubject>(stripe: &S) -> Result<()> {
    let charge = charge("a", VISA)?;
    let reply = charge.send(stripe).await?;
    let created = json(&reply)?["created"].as_i64().unwrap_or_default();
    let ranges = [(created, created, 1), (created + 1, created + 60, 0), (created - 60, created - 1, 0)];
    for (from, to, count) in ranges {
        let page =
            list(stripe, &format!("customer=cus_a&created%5Bgte%5D={from}&created%5Blte%5D={to}")).await?;
        expect("how many the list shows", &page["data"].as_array().map(Vec::len), &Some(count))?;
    }
    Ok(())
}

async fn a_list_has_pages_newest_first<S: StripeSubject>(stripe: &S) -> Result<()> {
    let charge = charge("a", VISA)?;
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.insert(0, id(&charge.send(stripe).await?)?);
        // A new request under the same key, once the key is gone.
        stripe.pass(hours(25)).await?;
    }
    let mut paged = Vec::new();
    let mut query = "customer=cus_a&limit=2".to_owned();
    loop {
        let page = list(stripe, &query).await?;
        let data: Vec<String> = page["data"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|i| Some(i["id"].as_str()?.to_owned()))
            .collect();
        let Some(last) = data.last() else { break };
        query = format!("customer=cus_a&limit=2&starting_after={last}");
        paged.extend(data);
        if page["has_more"] == false {
            break;
        }
    }
    expect("all pages", &paged, &ids)
}

async fn a_search_lags_behind<S: StripeSubject>(stripe: &S) -> Result<()> {
    stripe.search_lags(minutes(1)).await?;
    let charge = charge("a", VISA)?;
    let intent = id(&charge.send(stripe).await?)?;
    expect("what a search shows at once", &charge.searched(stripe).await?, &vec![])?;
    stripe.pass(minutes(1) + seconds(5)).await?;
    expect("what a search shows later", &charge.searched(stripe).await?, &vec![intent])
}

async fn a_search_finds_its_operation_alone<S: StripeSubject>(stripe: &S) -> Result<()> {
    let (one, longer) = (charge("a", VISA)?, charge("ab", VISA)?);
    let intent = id(&one.send(stripe).await?)?;
    longer.send(stripe).await?;
    expect("what the search shows", &one.searched(stripe).await?, &vec![intent])?;
    expect("what it shows of none", &charge("c", VISA)?.searched(stripe).await?, &vec![])
}

async fn a_lost_answer_is_no_information<S: StripeSubject>(stripe: &S) -> Result<()> {
    let charge = charge("a", VISA)?;
    charge.send(stripe).await?;
    for trouble in [Trouble::ReplyLost, Trouble::ErrorBefore, Trouble::RateLimited] {
        let now = stripe.now().await?;
        let question = Question {
            look: Look::List,
            id: None,
            from: now.plus_ms(-hours(1)),
            to: now.plus_ms(hours(1)),
            cursor: None,
            expected: charge.expected.clone(),
        };
        stripe.trouble(trouble).await?;
        let Some(request) = prepare_look(&question) else { continue };
        let answer = classify_look(&stripe.port().call(&request).await, &question);
        expect("what it means", &answer.note, &Some(Note::NotTold))?;
    }
    Ok(())
}
