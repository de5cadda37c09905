//! What a failed request to the table allows to conclude.

use aws_sdk_dynamodb::{
    error::{ProvideErrorMetadata, SdkError},
    operation::{RequestId, put_item::PutItemError, update_item::UpdateItemError},
};
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;

use super::item::Item;

/// What one failed attempt allows to conclude.
#[derive(Debug)]
pub(super) enum Failure {
    /// The condition did not hold; this is the item as it stands, if there is one.
    Condition(Option<Item>),
    /// Another transaction had the item: certainly not written, worth another attempt at once.
    TransactionConflict,
    /// The table is busy: certainly not written, worth another attempt soon.
    Throttled,
    /// Refused: certainly not written, and the same request will be refused again.
    Refused(&'static str),
    /// No reply that tells: it may have been written.
    Unknown(&'static str),
}

/// The part of an operation's own errors that carries the stored item.
pub(super) trait ConditionalError {
    /// Returns the item returned with a failed condition; `None` if the condition is not what failed.
    fn condition_failed(&self) -> Option<Option<&Item>>;
}

impl ConditionalError for PutItemError {
    fn condition_failed(&self) -> Option<Option<&Item>> {
        if let Self::ConditionalCheckFailedException(failed) = self { Some(failed.item()) } else { None }
    }
}

impl ConditionalError for UpdateItemError {
    fn condition_failed(&self) -> Option<Option<&Item>> {
        if let Self::ConditionalCheckFailedException(failed) = self { Some(failed.item()) } else { None }
    }
}

/// Tells what a failed conditional write allows to conclude.
pub(super) fn of_write<E>(error: &SdkError<E, HttpResponse>) -> Failure
where
    E: ConditionalError + ProvideErrorMetadata,
{
    if let SdkError::ServiceError(service) = error
        && let Some(item) = service.err().condition_failed()
    {
        return Failure::Condition(item.cloned());
    }
    of(error)
}

/// Tells what any failed request allows to conclude.
pub(super) fn of<E: ProvideErrorMetadata>(error: &SdkError<E, HttpResponse>) -> Failure {
    let service = match error {
        SdkError::ConstructionFailure(_) => return Failure::Refused("the request could not be built"),
        SdkError::TimeoutError(_) => return Failure::Unknown("no reply in time"),
        SdkError::DispatchFailure(_) => return Failure::Unknown("the connection failed"),
        SdkError::ServiceError(service) => service,
        SdkError::ResponseError(_) | _ => return Failure::Unknown("the reply cannot be read"),
    };
    let code = service.err().code().unwrap_or_default();
    let failure = match code {
        "TransactionConflictException" => Failure::TransactionConflict,
        "ProvisionedThroughputExceededException" | "RequestLimitExceeded" | "ThrottlingException" => {
            Failure::Throttled
        }
        _ if service.raw().status().is_server_error() => Failure::Unknown("the table failed"),
        "AccessDeniedException" => Failure::Refused("access denied"),
        "ResourceNotFoundException" => Failure::Refused("there is no such table"),
        "ValidationException" => Failure::Refused("the request is not valid, or the item too large"),
        _ => Failure::Refused("refused"),
    };
    // The message is left out: it may quote the item.
    tracing::warn!(code, request_id = error.request_id(), "the table did not do it");
    failure
}
