//! Wires `intake` to the HTTP API's events, the table and the command queue.

use adapters::{
    DynamoLedger, SqsQueue, SystemClock, logs, sdk,
    settings::{Environment, IntakeSettings},
};
use effect::Time;
use intake::Intake;
use lambda_runtime::{Error, LambdaEvent, service_fn};
use serde_json::Value;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    logs::start();
    serve().await.inspect_err(|error| tracing::error!(%error, "intake stops"))
}

async fn serve() -> Result<(), Error> {
    let env = Environment::of_process();
    let settings = IntakeSettings::read(&env)?;
    let aws = sdk::for_lambda(&env)?;
    let intake = &Intake {
        table: DynamoLedger::new(&aws, settings.table),
        queue: SqsQueue::new(&aws, settings.queue_url),
        clock: SystemClock,
        rules: settings.rules,
    };
    let handle = move |event: LambdaEvent<Value>| async move {
        let deadline = Time(i64::try_from(event.context.deadline)?);
        Ok::<_, Error>(Box::pin(intake.handle(&event.payload, deadline)).await?)
    };
    lambda_runtime::run(service_fn(handle)).await
}
