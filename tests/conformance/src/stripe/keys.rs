//! The key layer: what is saved under a key, what is not, and for how long.

use anyhow::Result;
use effect::{Note, hours, minutes};
use stripe_wire::{HttpRequest, Transport, TransportError};

use super::{DECLINED, Operation, StripeSubject, Trouble, VISA, charge, expect_replay, id, json};
use crate::{
    case::{Case, cases, expect},
    sources::{ERRORS, IDEMPOTENCY, LOW_LEVEL, RATE_LIMITS},
};

pub(super) fn cases<S: StripeSubject>() -> Vec<Case<S>> {
    cases! {
        the_same_key_and_bytes_replay_the_reply_byte_for_byte: "the first result is saved under the key and returned for every repeat, with Idempotent-Replayed", IDEMPOTENCY;
        a_decline_is_saved_and_replayed: "the result is saved whether it succeeded or failed", IDEMPOTENCY;
        the_same_key_with_other_parameters_is_an_idempotency_error: "parameters that differ from the original request's are an idempotency_error", IDEMPOTENCY;
        the_same_key_at_another_endpoint_is_an_idempotency_error: "parameters that differ from the original request's are an idempotency_error", IDEMPOTENCY;
        a_key_whose_request_is_running_is_a_409_that_is_not_saved: "a conflict with a request that runs under the same key is a 409 and is not saved", IDEMPOTENCY;
        a_lost_reply_was_carried_out_and_is_replayed: "a request whose connection broke may have been carried out; a repeat under its key returns the result", LOW_LEVEL;
        a_connection_that_broke_before_leaves_nothing: "a request that never arrived saves nothing, and a repeat is carried out", LOW_LEVEL;
        no_reply_in_time_means_nothing_and_the_effect_may_follow: "a request goes on when its client has gone", LOW_LEVEL;
        a_500_before_the_effect_is_saved_for_ever: "a 500 is a result that is saved, and must be treated as indeterminate", LOW_LEVEL;
        a_500_after_the_effect_is_saved_for_ever: "a 500 is a result that is saved, and must be treated as indeterminate", LOW_LEVEL;
        too_many_requests_are_refused_before_the_key: "rate limiting runs before the key layer: nothing is saved", RATE_LIMITS;
        a_locked_object_is_refused_and_nothing_is_saved: "lock_timeout is a 429 that is safe to repeat", RATE_LIMITS;
        an_unavailable_stripe_saves_nothing: "a 503 came from in front of the endpoint; whether it was carried out is unknown", LOW_LEVEL;
        refused_credentials_save_nothing: "a request that is not authenticated starts no endpoint", ERRORS;
        refused_parameters_save_nothing: "a request that fails validation is not saved, and may be repeated under its key", IDEMPOTENCY;
        a_key_lives_for_24_hours: "keys are removed when they are at least 24 hours old", IDEMPOTENCY;
        after_its_life_a_key_starts_a_new_request: "a key that was removed starts a new request", IDEMPOTENCY;
    }
}

async fn the_same_key_and_bytes_replay_the_reply_byte_for_byte<S: StripeSubject>(stripe: &S) -> Result<()> {
    let charge = charge("a", VISA)?;
    let first = charge.send(stripe).await?;
    expect("the status", &first.status, &200)?;
    for _ in 0..2 {
        expect_replay(&first, &charge.send(stripe).await?)?;
    }
    expect("what the list shows", &charge.listed(stripe).await?, &vec![id(&first)?])
}

async fn a_decline_is_saved_and_replayed<S: StripeSubject>(stripe: &S) -> Result<()> {
    let charge = charge("a", DECLINED)?;
    let first = charge.send(stripe).await?;
    expect("the status", &first.status, &402)?;
    expect_replay(&first, &charge.send(stripe).await?)?;
    expect("what the list shows", &charge.listed(stripe).await?, &vec![id(&first)?])
}

/// Sends what must meet another request's key, and then that other request again.
async fn expect_key_reused<S: StripeSubject>(stripe: &S, altered: fn(&mut HttpRequest)) -> Result<()> {
    let charge = charge("a", VISA)?;
    let first = charge.send(stripe).await?;
    let mut request = charge.request();
    altered(&mut request);
    let refused = stripe.port().call(&request).await;
    expect("what it means", &charge.read(&refused).note, &Some(Note::KeyReused))?;
    let refused = refused?;
    expect("the status", &refused.status, &400)?;
    expect("the type", &json(&refused)?["error"]["type"], &"idempotency_error".into())?;
    expect_replay(&first, &charge.send(stripe).await?)?;
    expect("what the list shows", &charge.listed(stripe).await?, &vec![id(&first)?])
}

async fn the_same_key_with_other_parameters_is_an_idempotency_error<S: StripeSubject>(
    stripe: &S,
) -> Result<()> {
    expect_key_reused(stripe, |request| request.body = request.body.replace("amount=2000", "amount=2001"))
        .await
}

async fn the_same_key_at_another_endpoint_is_an_idempotency_error<S: StripeSubject>(
    stripe: &S,
) -> Result<()> {
    expect_key_reused(stripe, |request| request.path = "/v1/payment_intents/pi_000001/confirm".to_owned())
        .await
}

async fn a_key_whose_request_is_running_is_a_409_that_is_not_saved<S: StripeSubject>(
    stripe: &S,
) -> Result<()> {
    let charge = charge("a", VISA)?;
    let request = charge.request();
    let [first, meanwhile] = stripe.call_while_running(&request, &request).await?;
    let note = charge.read(&meanwhile).note;
    expect("what it means", &note, &Some(Note::Ambiguous { resend: false }))?;
    let (first, meanwhile) = (first?, meanwhile?);
    expect("the first status", &first.status, &200)?;
    expect("the status meanwhile", &meanwhile.status, &409)?;
    expect("the code", &json(&meanwhile)?["error"]["code"], &"idempotency_key_in_use".into())?;
    expect_replay(&first, &charge.send(stripe).await?)
}

/// Sends into trouble, and then again without; returns both replies.
async fn send_twice<S: StripeSubject>(
    stripe: &S,
    charge: &Operation,
    trouble: Trouble,
) -> Result<(Result<stripe_wire::HttpReply, TransportError>, stripe_wire::HttpReply)> {
    stripe.trouble(trouble).await?;
    let first = charge.send(stripe).await;
    stripe.finish().await?;
    Ok((first, charge.send(stripe).await?))
}

async fn a_lost_reply_was_carried_out_and_is_replayed<S: StripeSubject>(stripe: &S) -> Result<()> {
    let charge = charge("a", VISA)?;
    let (first, again) = send_twice(stripe, &charge, Trouble::ReplyLost).await?;
    expect("the first reply", &first, &Err(TransportError::Broken))?;
    expect("the status and whether it is replayed", &(again.status, again.replayed), &(200, true))?;
    expect("what the list shows", &charge.listed(stripe).await?, &vec![id(&again)?])
}

async fn a_connection_that_broke_before_leaves_nothing<S: StripeSubject>(stripe: &S) -> Result<()> {
    let charge = charge("a", VISA)?;
    stripe.trouble(Trouble::Reset).await?;
    expect("the first reply", &charge.send(stripe).await, &Err(TransportError::Broken))?;
    expect("what the list shows", &charge.listed(stripe).await?, &vec![])?;
    let again = charge.send(stripe).await?;
    expect("the status and whether it is replayed", &(again.status, again.replayed), &(200, false))
}

async fn no_reply_in_time_means_nothing_and_the_effect_may_follow<S: StripeSubject>(
    stripe: &S,
) -> Result<()> {
    let charge = charge("a", VISA)?;
    let (first, again) = send_twice(stripe, &charge, Trouble::Slow).await?;
    let note = charge.read(&first).note;
    expect("the first reply", &first, &Err(TransportError::TimedOut))?;
    expect("what it means", &note, &Some(Note::Ambiguous { resend: false }))?;
    expect("the status and whether it is replayed", &(again.status, again.replayed), &(200, true))
}

async fn expect_saved_error<S: StripeSubject>(stripe: &S, trouble: Trouble, objects: usize) -> Result<()> {
    let charge = charge("a", VISA)?;
    let (first, again) = send_twice(stripe, &charge, trouble).await?;
    let first = first?;
    expect("the status", &first.status, &500)?;
    expect_replay(&first, &again)?;
    expect("what the replay means", &charge.read(&Ok(again)).note, &Some(Note::SavedError))?;
    expect("how many the list shows", &charge.listed(stripe).await?.len(), &objects)
}

async fn a_500_before_the_effect_is_saved_for_ever<S: StripeSubject>(stripe: &S) -> Result<()> {
    expect_saved_error(stripe, Trouble::ErrorBefore, 0).await
}

async fn a_500_after_the_effect_is_saved_for_ever<S: StripeSubject>(stripe: &S) -> Result<()> {
    expect_saved_error(stripe, Trouble::ErrorAfter, 1).await
}

async fn expect_not_saved<S: StripeSubject>(
    stripe: &S,
    trouble: Trouble,
    status: u16,
    note: Note,
) -> Result<()> {
    let charge = charge("a", VISA)?;
    let (first, again) = send_twice(stripe, &charge, trouble).await?;
    expect("what it means", &charge.read(&first).note, &Some(note))?;
    expect("the status", &first?.status, &status)?;
    expect("the status and whether it is replayed", &(again.status, again.replayed), &(200, false))?;
    expect("what the list shows", &charge.listed(stripe).await?, &vec![id(&again)?])
}

async fn too_many_requests_are_refused_before_the_key<S: StripeSubject>(stripe: &S) -> Result<()> {
    expect_not_saved(stripe, Trouble::RateLimited, 429, Note::NotDone).await?;
    // Even a saved result is not replayed then.
    stripe.trouble(Trouble::RateLimited).await?;
    let charge = charge("a", VISA)?;
    expect("the status of a repeat", &charge.send(stripe).await?.status, &429)?;
    expect("whether it is replayed later", &charge.send(stripe).await?.replayed, &true)
}

async fn a_locked_object_is_refused_and_nothing_is_saved<S: StripeSubject>(stripe: &S) -> Result<()> {
    expect_not_saved(stripe, Trouble::Locked, 429, Note::NotDone).await
}

async fn an_unavailable_stripe_saves_nothing<S: StripeSubject>(stripe: &S) -> Result<()> {
    expect_not_saved(stripe, Trouble::Unavailable, 503, Note::Ambiguous { resend: true }).await
}

async fn refused_credentials_save_nothing<S: StripeSubject>(stripe: &S) -> Result<()> {
    let charge = charge("a", VISA)?;
    stripe.refuse_credentials(true).await?;
    let refused = charge.send(stripe).await;
    stripe.refuse_credentials(false).await?;
    expect("what it means", &charge.read(&refused).note, &Some(Note::NotDone))?;
    expect("the status", &refused?.status, &401)?;
    let again = charge.send(stripe).await?;
    expect("the status and whether it is replayed", &(again.status, again.replayed), &(200, false))
}

async fn refused_parameters_save_nothing<S: StripeSubject>(stripe: &S) -> Result<()> {
    let charge = charge("a", VISA)?;
    let mut request = charge.request();
    request.body = request.body.replace("currency=eur", "currency=zzz");
    let refused = stripe.port().call(&request).await?;
    expect("the status", &refused.status, &400)?;
    let again = charge.send(stripe).await?;
    expect("the status and whether it is replayed", &(again.status, again.replayed), &(200, false))
}

async fn a_key_lives_for_24_hours<S: StripeSubject>(stripe: &S) -> Result<()> {
    let charge = charge("a", VISA)?;
    let first = charge.send(stripe).await?;
    stripe.pass(hours(24) - minutes(1)).await?;
    expect_replay(&first, &charge.send(stripe).await?)
}

async fn after_its_life_a_key_starts_a_new_request<S: StripeSubject>(stripe: &S) -> Result<()> {
    let charge = charge("a", VISA)?;
    let first = charge.send(stripe).await?;
    stripe.pass(hours(24) + minutes(1)).await?;
    let second = charge.send(stripe).await?;
    expect("the status and whether it is replayed", &(second.status, second.replayed), &(200, false))?;
    expect("what the list shows", &charge.listed(stripe).await?, &vec![id(&second)?, id(&first)?])
}
