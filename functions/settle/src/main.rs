//! Wires `settle` to the queue's event, the table, Stripe and the dead-letter queue.

use adapters::{
    DynamoLedger, Metrics, OsRandomness, SecretsManager, SqsDeadLetters, Stripe, StripeHttp, StripeSecret,
    StripeTimeouts, SystemClock, logs, sdk,
    settings::{Environment, SettleSettings},
};
use aws_lambda_events::sqs::SqsEvent;
use effect::Time;
use lambda_runtime::{Error, LambdaEvent, service_fn};
use settle::Settle;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    logs::start();
    serve().await.inspect_err(|error| tracing::error!(%error, "settle stops"))
}

async fn serve() -> Result<(), Error> {
    let env = Environment::of_process();
    let settings = SettleSettings::read(&env)?;
    let aws = sdk::for_lambda(&env)?;
    let secret = StripeSecret::new(SecretsManager::new(&aws), SystemClock, settings.stripe_secret_id);
    let timeouts = StripeTimeouts::within(settings.provider_timeout);
    let metrics = Metrics::of(&settings.converge.stack);
    let settle = &Settle {
        ledger: DynamoLedger::new(&aws, settings.table),
        processor: Stripe::new(StripeHttp::new(settings.stripe_base_url, timeouts, secret, metrics)?),
        dead_letters: SqsDeadLetters::new(&aws, settings.dead_letter_url),
        clock: SystemClock,
        randomness: OsRandomness,
        settings: settings.converge,
    };
    let handle = move |event: LambdaEvent<SqsEvent>| async move {
        let deadline = Time(i64::try_from(event.context.deadline)?);
        let messages = event.payload.records.len();
        let response = settle.handle(event.payload, deadline).await?;
        tracing::info!(messages, come_again = response.batch_item_failures.len(), "batch done");
        Ok::<_, Error>(response)
    };
    lambda_runtime::run(service_fn(handle)).await
}
