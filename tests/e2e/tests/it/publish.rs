//! The outbox: a stream record handed over again is the same event again.

use std::collections::HashMap;

use anyhow::{Context, Result, bail};
use aws_sdk_dynamodb::types::AttributeValue;
use e2e::{Function, Stack, eventually};
use serde_json::{Map, Value, json};

use crate::order::{LIMIT, Order};

#[tokio::test]
async fn a_stream_record_handed_over_twice_publishes_one_event_id_twice() -> Result<()> {
    let stack = Stack::shared();
    let order = Order::new(stack, "published-twice").await?;
    order.send(&order.charge).await?;
    let first = order.announced("PaymentCaptured").await?;

    let item = stack.item(&order.payment_id()).await?.context("no record")?;
    let record = json!({
        "eventID": "c81e728d9d4c2f636f067f89cc14862c", "eventName": "MODIFY", "eventVersion": "1.1",
        "eventSource": "aws:dynamodb", "awsRegion": "us-east-1",
        "dynamodb": {
            "ApproximateCreationDateTime": 1_796_030_103,
            "Keys": { "pk": { "S": order.payment_id() } },
            "NewImage": image(&item)?,
            "SequenceNumber": "4421584500000000017450439091",
            "SizeBytes": 1061,
            "StreamViewType": "NEW_IMAGE",
        },
    });
    for _ in 0..2 {
        let invoked = stack.invoke(Function::Publish, &json!({ "Records": [record] })).await?;
        assert_eq!(invoked.error, None, "{}", invoked.payload);
        assert_eq!(invoked.payload["batchItemFailures"], json!([]));
    }
    let probe = || async {
        let events = order.events().await?;
        Ok((events.len() >= 3).then_some(events))
    };
    let events = eventually("the event is published twice more", LIMIT, probe).await?;
    assert_eq!(events.len(), 3, "{events:#?}");
    for event in events {
        assert_eq!(
            (event.kind, event.id, event.detail),
            (first.kind.clone(), first.id.clone(), first.detail.clone())
        );
    }
    Ok(())
}

/// An item as a stream record shows it.
fn image(item: &HashMap<String, AttributeValue>) -> Result<Value> {
    let fields = item.iter().map(|(name, value)| Ok((name.clone(), attribute(value)?)));
    Ok(Value::Object(fields.collect::<Result<Map<_, _>>>()?))
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the enum belongs to the SDK and grows")]
fn attribute(value: &AttributeValue) -> Result<Value> {
    Ok(match value {
        AttributeValue::S(text) => json!({ "S": text }),
        AttributeValue::N(number) => json!({ "N": number }),
        AttributeValue::Bool(flag) => json!({ "BOOL": flag }),
        AttributeValue::L(list) => json!({ "L": list.iter().map(attribute).collect::<Result<Vec<_>>>()? }),
        AttributeValue::M(map) => json!({ "M": image(map)? }),
        other => bail!("a record holds no {other:?}"),
    })
}
