//! The stack itself: what is deployed runs, dies and comes back.

use std::time::Duration;

use anyhow::Result;
use e2e::{Function, Stack, eventually};
use serde_json::json;

use crate::crash::mortal_stack;

const LIMIT: Duration = Duration::from_secs(10);

#[tokio::test]
async fn a_killed_function_comes_back() -> Result<()> {
    // Nobody else needs this stack's sweep: a publish killed in its work publishes again, as others would see.
    let stack = mortal_stack();
    assert_eq!(stack.invoke(Function::Sweep, &json!({})).await?.error, None);
    assert!(stack.kill(Function::Sweep)? > 0);
    let gone = || async { Ok(stack.processes(Function::Sweep)?.is_empty().then_some(())) };
    eventually("the killed processes are gone", LIMIT, gone).await?;
    assert_eq!(stack.invoke(Function::Sweep, &json!({})).await?.error, None);
    Ok(())
}

#[tokio::test]
async fn an_event_on_the_bus_is_captured() -> Result<()> {
    let stack = Stack::shared();
    let capture = stack.capture("captured-events").await?;
    let entry = aws_sdk_eventbridge::types::PutEventsRequestEntry::builder()
        .event_bus_name(&stack.outputs().bus_name)
        .source("test")
        .detail_type("Nothing")
        .detail(r#"{"a":1}"#)
        .build();
    stack.eventbridge().put_events().entries(entry).send().await?;
    let probe = || async { Ok(stack.captured(&capture).await?.into_iter().next()) };
    let event = eventually("the event arrives", LIMIT, probe).await?;
    assert_eq!(event["detail"], json!({ "a": 1 }));
    Ok(())
}
