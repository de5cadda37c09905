//! The main job on real parts: what is asked becomes one charge and one announcement.

use std::time::Duration;

use anyhow::Result;
use e2e::{Function, Stack, eventually};
use serde_json::{Value, json};

const LIMIT: Duration = Duration::from_secs(30);

fn charge(order: &str) -> Value {
    json!({
        "tenant": "shop",
        "order": order,
        "amount": 500,
        "currency": "eur",
        "customer": "cus_QxR7mYb2",
        "payment_method": "pm_card_visa",
    })
}

#[tokio::test]
async fn an_event_delivered_three_times_becomes_one_charge_and_one_announcement() -> Result<()> {
    let stack = Stack::shared();
    let capture = stack.capture("captured-charge").await?;
    for _ in 0..3 {
        stack.invoke_async(Function::Enqueue, &charge("e2e-thrice")).await?;
    }
    let is_ours = |event: &Value| event["detail"]["data"]["order"] == "e2e-thrice";
    let probe = || async { Ok(stack.captured(&capture).await?.into_iter().find(is_ours)) };
    let event = eventually("the outcome is announced", LIMIT, probe).await?;
    assert_eq!(event["detail-type"], "PaymentCaptured");
    let counts = stack.stripe_get("/_sim/counts").await?;
    assert_eq!(counts["sum"]["intents_succeeded"], 1, "{counts}");
    Ok(())
}
