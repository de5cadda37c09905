//! From a request to a validated operation: what is refused here is not saved under the key.

use crate::error::ApiError;
use crate::execute::Operation;
use crate::fault::Fault;
use crate::http::Request;
use crate::route::Route;
use crate::sim::Sim;
use crate::{lookup, params};

impl Sim {
    /// Parses the parameters of a request, then asks for its lock.
    pub(crate) fn validate(
        &mut self,
        route: Route,
        id: &str,
        request: &Request,
        fault: Fault,
    ) -> Result<Operation, ApiError> {
        let id = id.to_owned();
        let operation = match route {
            Route::CreateIntent => Operation::Create(Box::new(params::create(&request.body)?)),
            Route::ConfirmIntent => Operation::Confirm { id, confirmation: params::confirm(&request.body)? },
            Route::CaptureIntent => Operation::Capture { id, capture: params::capture(&request.body)? },
            Route::CancelIntent => Operation::Cancel { id, reason: params::cancel(&request.body)? },
            Route::RetrieveIntent => Operation::Retrieve { id },
            Route::ListIntents => Operation::List(lookup::parse_list(&request.query)?),
            Route::SearchIntents => Operation::Search(lookup::parse_search(&request.query)?),
            Route::CreateRefund => Operation::CreateRefund(Box::new(params::refund(&request.body)?)),
            Route::CancelRefund => {
                params::nothing(&request.body)?;
                Operation::CancelRefund { id }
            }
            Route::RetrieveRefund => Operation::RetrieveRefund { id },
            Route::ListRefunds => Operation::ListRefunds(lookup::parse_refund_list(&request.query)?),
            Route::RetrieveAccount => Operation::Account,
            Route::Unknown => {
                return Err(ApiError::unrecognized(request.method.as_str(), &request.path));
            }
        };
        let locked = operation.lock().is_some_and(|lock| self.is_locked(lock));
        if fault == Fault::LockTimeout429 {
            self.effects.totals.fault(fault);
        }
        if locked || fault == Fault::LockTimeout429 {
            self.effects.totals.lock_timeouts += 1;
            return Err(ApiError::lock_timeout());
        }
        Ok(operation)
    }
}
