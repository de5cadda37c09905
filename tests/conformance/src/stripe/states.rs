//! An intent's states, and what may be done in each.

use anyhow::Result;
use effect::{Look, Note, Outcome, Status};
use payment::{Account, ports::Request};
use stripe_wire::Transport;

use super::{
    DECLINED, PROCESSING, StripeSubject, Trouble, VISA, charge, expect_outcome, expect_unexpected_state, id,
    json, outcome,
};
use crate::{
    case::{Case, cases, expect},
    sources::{ERRORS, INTENTS, LIFECYCLE},
};

pub(super) fn cases<S: StripeSubject>() -> Vec<Case<S>> {
    cases! {
        the_account_is_the_credentials: "an API key belongs to one account and one mode", ERRORS;
        a_confirmed_charge_succeeds_and_carries_its_metadata: "an intent that is created with confirm=true and succeeds is `succeeded`, with the metadata given", INTENTS;
        a_decline_is_a_402_that_names_its_intent: "a card error is a 402 whose error holds the intent, which returns to requires_payment_method", LIFECYCLE;
        a_payment_may_be_processing: "an intent whose payment takes time is `processing`, which is no end", LIFECYCLE;
        a_declined_intent_can_be_canceled: "an intent in requires_payment_method can be canceled", LIFECYCLE;
        a_cancel_of_a_canceled_intent_is_an_unexpected_state: "cancel of a canceled intent is payment_intent_unexpected_state, with the intent", LIFECYCLE;
        a_cancel_of_a_paid_intent_is_an_unexpected_state: "a succeeded intent cannot be canceled: payment_intent_unexpected_state, with the intent", LIFECYCLE;
        an_intent_may_be_created_and_never_confirmed: "a 500 says nothing of what was done: the intent may exist without its confirmation", LIFECYCLE;
        an_intent_that_was_never_confirmed_can_be_confirmed: "an intent in requires_confirmation can be confirmed", LIFECYCLE;
        a_confirm_of_a_paid_intent_is_an_unexpected_state: "a succeeded intent cannot be confirmed: payment_intent_unexpected_state, with the intent", LIFECYCLE;
        a_cancel_of_an_intent_that_is_not_there_is_a_404: "an id that names nothing is resource_missing", ERRORS;
    }
}

async fn the_account_is_the_credentials<S: StripeSubject>(stripe: &S) -> Result<()> {
    let due = Account { id: "acct_sim".to_owned(), live: false };
    expect("the account", &stripe.port().account().await?, &due)
}

async fn a_confirmed_charge_succeeds_and_carries_its_metadata<S: StripeSubject>(stripe: &S) -> Result<()> {
    let charge = charge("a", VISA)?;
    let reply = charge.send(stripe).await?;
    let body = json(&reply)?;
    expect("the status", &body["status"], &"succeeded".into())?;
    expect("the amount", &body["amount"], &2_000.into())?;
    let operation_id = &body["metadata"]["operation_id"];
    expect("the operation id", operation_id, &charge.expected.operation_id.clone().into())?;
    let due = Some((id(&reply)?, Outcome::Succeeded));
    expect("what it means", &outcome(&charge.read(&Ok(reply))), &due)
}

async fn a_decline_is_a_402_that_names_its_intent<S: StripeSubject>(stripe: &S) -> Result<()> {
    let charge = charge("a", DECLINED)?;
    let reply = charge.send(stripe).await?;
    let error = &json(&reply)?["error"];
    expect("the type", &error["type"], &"card_error".into())?;
    expect("the code", &error["code"], &"card_declined".into())?;
    expect("the intent's status", &error["payment_intent"]["status"], &"requires_payment_method".into())?;
    let due = Outcome::Declined("generic_decline".to_owned());
    expect_outcome(stripe, &charge, reply, due).await
}

async fn a_payment_may_be_processing<S: StripeSubject>(stripe: &S) -> Result<()> {
    let charge = charge("a", PROCESSING)?;
    let reply = charge.send(stripe).await?;
    expect("the status", &json(&reply)?["status"], &"processing".into())?;
    let answer = charge.read(&Ok(reply));
    expect("an outcome", &outcome(&answer), &None)?;
    expect("what it means", &answer.note, &Some(Note::Status(Status::Processing)))
}

async fn a_declined_intent_can_be_canceled<S: StripeSubject>(stripe: &S) -> Result<()> {
    let charge = charge("a", DECLINED)?;
    let intent = id(&charge.send(stripe).await?)?;
    let canceled = charge.act(stripe, &Request::CancelIntent { id: intent.clone() }, "cancel").await?;
    expect("the intent", &id(&canceled)?, &intent)?;
    expect_outcome(stripe, &charge, canceled, Outcome::Canceled).await
}

/// Acts on an intent in a state that does not allow it: refused, and the reply says what the state is.
async fn expect_refused_by_state<S: StripeSubject>(
    stripe: &S,
    payment_method: &str,
    requests: impl Fn(String) -> Vec<Request>,
    due: Outcome,
) -> Result<()> {
    let charge = charge("a", payment_method)?;
    let intent = id(&charge.send(stripe).await?)?;
    let mut last = None;
    for (number, request) in requests(intent.clone()).iter().enumerate() {
        last = Some(charge.act(stripe, request, &format!("act {number}")).await?);
    }
    let Some(refused) = last else { return Ok(()) };
    expect("the intent", &id(&refused)?, &intent)?;
    expect_unexpected_state(stripe, &charge, refused, due).await
}

async fn a_cancel_of_a_canceled_intent_is_an_unexpected_state<S: StripeSubject>(stripe: &S) -> Result<()> {
    let twice = |id: String| vec![Request::CancelIntent { id: id.clone() }, Request::CancelIntent { id }];
    expect_refused_by_state(stripe, DECLINED, twice, Outcome::Canceled).await
}

async fn a_cancel_of_a_paid_intent_is_an_unexpected_state<S: StripeSubject>(stripe: &S) -> Result<()> {
    let once = |id| vec![Request::CancelIntent { id }];
    expect_refused_by_state(stripe, VISA, once, Outcome::Succeeded).await
}

async fn a_confirm_of_a_paid_intent_is_an_unexpected_state<S: StripeSubject>(stripe: &S) -> Result<()> {
    let payment_method: payment::PaymentMethodId = VISA.parse()?;
    let once = |id| vec![Request::ConfirmIntent { id, payment_method: payment_method.clone() }];
    expect_refused_by_state(stripe, VISA, once, Outcome::Succeeded).await
}

/// Creates an intent that is never confirmed, and finds it.
async fn unconfirmed<S: StripeSubject>(stripe: &S, charge: &super::Operation) -> Result<String> {
    stripe.trouble(Trouble::ErrorBetween).await?;
    expect("the status", &charge.send(stripe).await?.status, &500)?;
    let mut listed = charge.listed(stripe).await?;
    expect("how many the list shows", &listed.len(), &1)?;
    Ok(listed.remove(0))
}

async fn an_intent_may_be_created_and_never_confirmed<S: StripeSubject>(stripe: &S) -> Result<()> {
    let charge = charge("a", VISA)?;
    let intent = unconfirmed(stripe, &charge).await?;
    let looked = charge.look(stripe, Look::ById, Some(&intent)).await?;
    expect("an outcome", &outcome(&looked), &None)?;
    expect("what it means", &looked.note, &Some(Note::Status(Status::Unconfirmed)))
}

async fn an_intent_that_was_never_confirmed_can_be_confirmed<S: StripeSubject>(stripe: &S) -> Result<()> {
    let charge = charge("a", VISA)?;
    let intent = unconfirmed(stripe, &charge).await?;
    let confirm = Request::ConfirmIntent { id: intent.clone(), payment_method: VISA.parse()? };
    let confirmed = charge.act(stripe, &confirm, "confirm").await;
    expect("what it means", &outcome(&charge.read(&confirmed)), &Some((intent, Outcome::Succeeded)))
}

async fn a_cancel_of_an_intent_that_is_not_there_is_a_404<S: StripeSubject>(stripe: &S) -> Result<()> {
    let charge = charge("a", VISA)?;
    let cancel = Request::CancelIntent { id: "pi_999999".to_owned() };
    let refused = charge.act(stripe, &cancel, "cancel").await?;
    expect("the status", &refused.status, &404)?;
    expect("the code", &json(&refused)?["error"]["code"], &"resource_missing".into())
}
