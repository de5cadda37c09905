//! What a failed request to the table allows to conclude.

use aws_sdk_dynamodb::{
    error::{ProvideErrorMetadata, SdkError},
    operation::{
        RequestId, put_item::PutItemError, transact_write_items::TransactWriteItemsError,
        update_item::UpdateItemError,
    },
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

/// Why a transaction was not made.
#[derive(Debug)]
pub(super) enum Canceled {
    /// The condition of one of its writes did not hold.
    Condition {
        /// Which of them, from 0; the first, if several did not.
        position: usize,
        /// The item as it stands, if there is one.
        item: Option<Item>,
    },
    /// Anything else: never [`Failure::Condition`].
    Otherwise(Failure),
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

/// Tells what a failed transaction allows to conclude. Its reasons come by position, one for each write.
pub(super) fn of_transaction(error: &SdkError<TransactWriteItemsError, HttpResponse>) -> Canceled {
    let SdkError::ServiceError(service) = error else { return Canceled::Otherwise(of(error)) };
    let TransactWriteItemsError::TransactionCanceledException(canceled) = service.err() else {
        return Canceled::Otherwise(of(error));
    };
    let reasons = canceled.cancellation_reasons();
    let code_of = |wanted: &str| reasons.iter().position(|reason| reason.code() == Some(wanted));
    if let Some(position) = code_of("ConditionalCheckFailed") {
        let item = reasons.get(position).and_then(|reason| reason.item()).cloned();
        return Canceled::Condition { position, item };
    }
    let busy = ["ThrottlingError", "ProvisionedThroughputExceeded"];
    let failure = if code_of("TransactionConflict").is_some() {
        Failure::TransactionConflict
    } else if busy.iter().any(|code| code_of(code).is_some()) {
        Failure::Throttled
    } else {
        Failure::Refused("the transaction was canceled")
    };
    tracing::warn!(?failure, request_id = error.request_id(), "the transaction was not made");
    Canceled::Otherwise(failure)
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
        "TransactionConflictException" | "TransactionInProgressException" => Failure::TransactionConflict,
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

/// Returns a fixed text for a failure.
pub(super) fn why(failure: Failure) -> &'static str {
    match failure {
        Failure::Condition(_) => "a condition failed",
        Failure::TransactionConflict => "a transaction holds the item",
        Failure::Throttled => "the table is busy",
        Failure::Refused(reason) | Failure::Unknown(reason) => reason,
    }
}
