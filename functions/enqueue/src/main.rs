//! Wires `enqueue` to asynchronous invokes and the command queue.

use adapters::{
    SqsQueue, logs, sdk,
    settings::{EnqueueSettings, Environment},
};
use enqueue::Enqueue;
use lambda_runtime::{Error, LambdaEvent, service_fn};
use serde_json::value::RawValue;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    logs::start();
    serve().await.inspect_err(|error| tracing::error!(%error, "enqueue stops"))
}

async fn serve() -> Result<(), Error> {
    let env = Environment::of_process();
    let settings = EnqueueSettings::read(&env)?;
    let aws = sdk::for_lambda(&env)?;
    let enqueue = &Enqueue { queue: SqsQueue::new(&aws, settings.queue_url) };
    let handle = move |event: LambdaEvent<Box<RawValue>>| async move {
        enqueue.handle(&event.payload).await?;
        tracing::info!("command sent");
        Ok::<_, Error>(())
    };
    lambda_runtime::run(service_fn(handle)).await
}
