//! Wires `publish` to the table's stream, the event bus and the quarantine queue.

use adapters::{
    EventBridgeBus, SqsDeadLetters, logs, sdk,
    settings::{Environment, PublishSettings},
};
use aws_lambda_events::dynamodb::Event;
use lambda_runtime::{Error, LambdaEvent, service_fn};
use publish::Publish;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    logs::start();
    serve().await.inspect_err(|error| tracing::error!(%error, "publish stops"))
}

async fn serve() -> Result<(), Error> {
    let env = Environment::of_process();
    let settings = PublishSettings::read(&env)?;
    let aws = sdk::for_lambda(&env)?;
    let publish = &Publish {
        bus: EventBridgeBus::new(&aws, settings.bus, settings.source),
        quarantine: SqsDeadLetters::new(&aws, settings.quarantine_url),
    };
    let handle = move |event: LambdaEvent<Event>| async move {
        let records = event.payload.records.len();
        let response = publish.handle(event.payload).await?;
        tracing::info!(records, stopped = !response.batch_item_failures.is_empty(), "batch done");
        Ok::<_, Error>(response)
    };
    lambda_runtime::run(service_fn(handle)).await
}
