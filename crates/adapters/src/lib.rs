//! Adapters: what connects the ports of [`payment::ports`] and [`stripe_wire::Transport`] to AWS and to Stripe.
//!
//! One module for each capability. Nothing here decides anything about a payment; errors and logs hold fixed texts
//! and codes, never items, bodies or secrets.

pub mod clock;
pub mod event_bridge;
pub mod ledger;
pub mod logs;
pub mod metrics;
pub mod queue;
pub mod random;
pub mod sdk;
pub mod secrets;
pub mod settings;
pub mod stripe_http;
#[cfg(test)]
mod test_http;
mod tls;

pub use aws_types::SdkConfig;
pub use clock::SystemClock;
pub use event_bridge::EventBridgeBus;
pub use ledger::DynamoLedger;
pub use metrics::Metrics;
pub use queue::{SqsDeadLetters, SqsQueue};
pub use random::OsRandomness;
pub use secrets::{SecretStore, SecretsManager, StripeSecret};
pub use stripe_http::{StripeHttp, StripeTimeouts};
pub use stripe_wire::Stripe;
