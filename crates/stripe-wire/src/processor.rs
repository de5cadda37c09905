//! Stripe as the payment's processor, over any transport.

use effect::{Frozen, Note, ProviderKey};
use payment::{
    Account,
    ports::{Answer, Expected, NoCredentials, Processor, Question, Request},
};

use crate::{
    classify::{classify, classify_look},
    http::{HttpReply, Transport, TransportError},
    prepare::{prepare, prepare_look, prepare_send},
};

/// Stripe, reached through a transport.
#[derive(Debug, Clone)]
pub struct Stripe<T> {
    transport: T,
}

impl<T: Transport> Stripe<T> {
    /// Reaches Stripe through `transport`.
    #[must_use]
    pub const fn new(transport: T) -> Self {
        Self { transport }
    }
}

impl<T: Transport> Processor for Stripe<T> {
    async fn account(&self) -> Result<Account, NoCredentials> {
        self.transport.account().await
    }

    fn prepare(&self, request: &Request, operation_id: &str, key: ProviderKey) -> Frozen {
        prepare(request, operation_id, key)
    }

    async fn send(&self, frozen: &Frozen, expected: &Expected) -> Answer {
        let reply = self.transport.call(&prepare_send(frozen)).await;
        report(&reply, &expected.operation_id);
        classify(&reply, expected)
    }

    async fn look_up(&self, question: &Question) -> Answer {
        let Some(request) = prepare_look(question) else {
            return Answer { facts: Vec::new(), note: Some(Note::NotTold) };
        };
        let reply = self.transport.call(&request).await;
        report(&reply, &question.expected.operation_id);
        classify_look(&reply, question)
    }
}

fn report(reply: &Result<HttpReply, TransportError>, operation_id: &str) {
    match reply {
        Ok(reply) if matches!(reply.status, 401 | 403) => {
            tracing::error!(
                alarm = "credentials",
                status = reply.status,
                operation_id,
                "Stripe refused the credentials"
            );
        }
        Ok(reply) => {
            tracing::info!(status = reply.status, replayed = reply.replayed, operation_id, "Stripe answered");
        }
        Err(error) => tracing::warn!(%error, operation_id, "Stripe did not answer"),
    }
}
