//! Wires `sweep` to the schedule, the table's due index and the command queue, and reports what waits.

use adapters::{
    DynamoLedger, Metrics, SqsQueue, SystemClock, logs, sdk,
    settings::{self, Environment},
};
use effect::Time;
use lambda_runtime::{Error, LambdaEvent, service_fn};
use serde::de::IgnoredAny;
use sweep::{Sweep, SweepSettings};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    logs::start();
    serve().await.inspect_err(|error| tracing::error!(%error, "sweep stops"))
}

async fn serve() -> Result<(), Error> {
    let env = Environment::of_process();
    let settings = settings::SweepSettings::read(&env)?;
    let aws = sdk::for_lambda(&env)?;
    let metrics = &Metrics::of(&settings.stack);
    let sweep = &Sweep {
        index: DynamoLedger::new(&aws, settings.table),
        queue: SqsQueue::new(&aws, settings.queue_url),
        clock: SystemClock,
        settings: SweepSettings {
            lease_ms: settings.lease_ms,
            wakes: settings.wakes,
            margin_ms: 2 * i64::from(sdk::CALL_TIMEOUT_MS),
        },
    };
    let handle = move |event: LambdaEvent<IgnoredAny>| async move {
        let deadline = Time(i64::try_from(event.context.deadline)?);
        let swept = sweep.handle(deadline).await?;
        metrics.count("DueBacklog", swept.due.into());
        metrics.count("OpenReviews", sweep.index.open_reviews().await?);
        tracing::info!(?swept, "sweep done");
        Ok::<_, Error>(())
    };
    lambda_runtime::run(service_fn(handle)).await
}
