//! Workers that die between effect and record: the queue's visibility timeout brings the batch again.

use std::{sync::OnceLock, time::Duration};

use anyhow::{Context, Result};
use e2e::{Function, Options, Stack, eventually};
use effect::Standing;
use payment::{CaptureMethod, PaymentState};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use tokio::sync::{Mutex, MutexGuard};

use crate::order::{LIMIT, Order};

/// The visibility timeout of the local stage, and what the queue, the batch and a busy machine may add to it.
const COMES_AGAIN: Duration = Duration::from_secs(60 + 30);

/// The stack whose workers may be killed. Whatever runs on it when they are comes again 60 s later.
pub(crate) fn mortal_stack() -> &'static Stack {
    static MORTAL: OnceLock<Stack> = OnceLock::new();
    let options = Options { stack: "ikkai-mortal".to_owned(), ..Options::default() };
    MORTAL.get_or_init(|| match Stack::start(&options) {
        Ok(stack) => stack,
        Err(error) => panic!("{error:#}"),
    })
}

/// Keeps killers and those who want to live apart.
pub(crate) async fn truce() -> MutexGuard<'static, ()> {
    static TRUCE: Mutex<()> = Mutex::const_new(());
    TRUCE.lock().await
}

/// How a worker ends.
enum Blow {
    /// SIGKILL.
    Kill,
    /// It stops in its tracks, as a frozen sandbox does, until Lambda's timeout ends it.
    Freeze,
}

/// Sends a charge, and ends its worker when the effect has happened and nothing of it is on record.
async fn struck(stack: &'static Stack, name: &str, blow: Blow) -> Result<Order> {
    let order = Order::new(stack, name).await?;
    order.script(json!({ "fault": "none", "delay_reply_ms": 2_500 })).await?;
    order.send(&order.charge).await?;
    let has_effect = || async { Ok((order.counted("intents_succeeded").await? == 1).then_some(())) };
    eventually("the effect has happened", LIMIT, has_effect).await?;
    match blow {
        Blow::Kill => assert!(stack.kill(Function::Settle)? > 0, "no worker to kill"),
        Blow::Freeze => {
            for pid in stack.processes(Function::Settle)? {
                kill_process(Pid::from_raw(pid).context("no process has the id 0")?, Signal::STOP)?;
            }
        }
    }
    let gone = || async { Ok(stack.processes(Function::Settle)?.is_empty().then_some(())) };
    eventually("the worker has ended", LIMIT, gone).await?;
    let record = order.record().await?.context("the intent was not recorded before the send")?;
    assert_eq!(order.operation(&record)?.attempt.standing, Standing::Pending, "the blow came too late");
    assert_eq!((record.version, record.due_at), (1, None), "redelivery alone guards it");
    assert!(record.claim.is_some());
    Ok(order)
}

#[tokio::test]
async fn a_batch_whose_worker_was_killed_or_froze_after_the_effect_comes_again_and_charges_nothing_more()
-> Result<()> {
    let stack = mortal_stack();
    let orders = {
        let _truce = truce().await;
        [struck(stack, "killed", Blow::Kill).await?, struck(stack, "frozen", Blow::Freeze).await?]
    };
    for order in orders {
        let is_captured = |record: &payment::Record| record.payment.state() == PaymentState::Captured;
        let record = order.recorded("the batch came again", COMES_AGAIN, is_captured).await?;
        // The intent, the intent of the same request again, its outcome.
        assert_eq!(record.version, 3);
        order.assert_one_request_made_one_intent(2).await?;
        let posts = order.posts().await?;
        assert_eq!(posts.iter().map(|post| post.replayed).collect::<Vec<_>>(), [false, true]);
        let apart_ms = posts[1].at_ms - posts[0].at_ms;
        assert!(apart_ms > 50_000, "it came again after {apart_ms} ms: not by the visibility timeout");
        order.announced("PaymentCaptured").await?;
        order.fence().await?;
        assert_eq!(order.kinds().await?, ["PaymentCaptured", "OperationRefused"]);
    }
    Ok(())
}

#[tokio::test]
async fn a_capture_whose_replies_were_lost_and_whose_worker_was_killed_comes_again_and_takes_nothing_more()
-> Result<()> {
    let stack = mortal_stack();
    let mut order = Order::new(stack, "killed-capture").await?;
    order.charge.capture = CaptureMethod::Manual;
    {
        let _truce = truce().await;
        order.send(&order.charge).await?;
        order.announced("PaymentAuthorized").await?;
        let path = "/v1/payment_intents/";
        order
            .script(json!({ "fault": "lose_reply_after_effect", "method": "POST", "path_prefix": path }))
            .await?;
        order
            .script(
                json!({ "fault": "none", "method": "POST", "path_prefix": path, "delay_reply_ms": 2_500 }),
            )
            .await?;
        order.ask(&order.capture(4_000)?).await?;
        let sent_again = || async { Ok((order.posts_to("/capture").await?.len() == 2).then_some(())) };
        eventually("the capture is sent again", LIMIT, sent_again).await?;
        assert!(stack.kill(Function::Settle)? > 0, "no worker to kill");
        let gone = || async { Ok(stack.processes(Function::Settle)?.is_empty().then_some(())) };
        eventually("the worker has ended", LIMIT, gone).await?;
        let record = order.record().await?.context("there is no record")?;
        assert_eq!(record.payment.state(), PaymentState::Capturing, "the kill came too late");
        assert!(record.claim.is_some());
    }
    let is_captured = |record: &payment::Record| record.payment.state() == PaymentState::Captured;
    let record = order.recorded("the batch came again", COMES_AGAIN, is_captured).await?;
    assert_eq!(record.payment.totals().captured, 4_000);

    let posts = order.posts_to("/capture").await?;
    assert_eq!(posts.iter().map(|post| post.replayed).collect::<Vec<_>>(), [false, true], "{posts:#?}");
    assert_eq!(order.counted("captures").await?, 1);
    assert_eq!(order.counted("amount_paid").await?, 4_000);
    let captured = order.announced("PaymentCaptured").await?;
    assert_eq!(captured.detail["data"]["amount"], 4_000);
    order.fence().await?;
    assert_eq!(order.kinds().await?, ["PaymentAuthorized", "PaymentCaptured", "OperationRefused"]);
    Ok(())
}
