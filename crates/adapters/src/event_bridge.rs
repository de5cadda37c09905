//! EventBridge: the bus on which outcomes are announced.

use aws_sdk_eventbridge::{
    Client,
    error::{ProvideErrorMetadata, SdkError},
    operation::RequestId,
    types::{PutEventsRequestEntry, PutEventsResultEntry},
};
use aws_types::SdkConfig;
use payment::ports::{BUS_MAX_BYTES, BUS_MAX_ENTRIES, Bus, BusEntry, SendError};

/// Puts events on one bus, under one source.
#[derive(Debug, Clone)]
pub struct EventBridgeBus {
    client: Client,
    bus: String,
    source: String,
}

impl EventBridgeBus {
    /// Puts events on `bus` as `source`.
    #[must_use]
    pub fn new(aws: &SdkConfig, bus: String, source: String) -> Self {
        Self { client: Client::new(aws), bus, source }
    }
}

impl Bus for EventBridgeBus {
    async fn put(&self, entries: &[BusEntry]) -> Result<Vec<bool>, SendError> {
        assert!(entries.len() <= BUS_MAX_ENTRIES, "a publish takes {BUS_MAX_ENTRIES} entries at the most");
        let bytes: usize = entries.iter().map(BusEntry::size_bytes).sum();
        assert!(bytes <= BUS_MAX_BYTES, "a publish takes {BUS_MAX_BYTES} bytes at the most");
        if entries.is_empty() {
            return Ok(Vec::new());
        }
        let requested = entries.iter().map(|entry| {
            PutEventsRequestEntry::builder()
                .event_bus_name(&self.bus)
                .source(&self.source)
                .detail_type(entry.detail_type)
                .detail(&entry.detail)
                .build()
        });
        let put = self.client.put_events().set_entries(Some(requested.collect()));
        let reply = put.send().await.map_err(|error| failure(&error))?;
        Ok(taken(entries, reply.entries()))
    }
}

/// Tells for each entry whether the bus took it: a reply of 200 can hold refusals, and only an event id is a receipt.
fn taken(entries: &[BusEntry], results: &[PutEventsResultEntry]) -> Vec<bool> {
    let mut taken = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        let result = results.get(index);
        let is_taken = result.is_some_and(|result| {
            result.error_code().is_none() && result.event_id().is_some_and(|id| !id.is_empty())
        });
        if !is_taken {
            let code = result.and_then(PutEventsResultEntry::error_code);
            tracing::warn!(event_id = entry.id, code, "the bus did not take an event");
        }
        taken.push(is_taken);
    }
    taken
}

fn failure<E: ProvideErrorMetadata, R>(error: &SdkError<E, R>) -> SendError {
    let SdkError::ServiceError(service) = error else {
        return SendError("no usable reply from the bus");
    };
    let code = service.err().code().unwrap_or_default();
    // The message is left out: it may quote the event.
    tracing::warn!(code, request_id = service.err().meta().request_id(), "the bus refused");
    match code {
        "AccessDeniedException" => SendError("access denied"),
        "ResourceNotFoundException" => SendError("there is no such bus"),
        _ => SendError("refused"),
    }
}

#[cfg(test)]
mod tests {
    use aws_smithy_runtime_api::client::behavior_version::BehaviorVersion;

    use super::*;

    fn entries(n: usize) -> Vec<BusEntry> {
        let entry =
            |i| BusEntry { id: format!("e{i}"), detail_type: "PaymentCaptured", detail: "{}".to_owned() };
        (0..n).map(entry).collect()
    }

    fn refused(code: &str) -> PutEventsResultEntry {
        PutEventsResultEntry::builder().error_code(code).error_message("why").build()
    }

    fn accepted(id: &str) -> PutEventsResultEntry {
        PutEventsResultEntry::builder().event_id(id).build()
    }

    #[test]
    fn each_entry_is_judged_by_its_own_result() {
        let results = [accepted("1"), refused("ThrottlingException"), accepted("3")];
        assert_eq!(taken(&entries(3), &results), [true, false, true]);
    }

    #[test]
    fn an_entry_without_an_event_id_was_not_taken() {
        let results = [PutEventsResultEntry::builder().build(), accepted("")];
        assert_eq!(taken(&entries(3), &results), [false, false, false]);
    }

    #[tokio::test]
    #[should_panic(expected = "10 entries at the most")]
    async fn more_entries_than_one_publish_takes_are_a_bug() {
        let aws = SdkConfig::builder().behavior_version(BehaviorVersion::latest()).build();
        let bus = EventBridgeBus::new(&aws, "bus".to_owned(), "source".to_owned());
        let _ = bus.put(&entries(11)).await;
    }
}
