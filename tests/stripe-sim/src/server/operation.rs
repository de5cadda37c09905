//! Whose request it is: what scripted faults and the log go by.

use stripe_sim::{Request, Sim};

/// Returns the operation id that a create or a refund carries; else that of the object the path names, or of the
/// intent that a parameter names.
pub(crate) fn operation_id(sim: &Sim, request: &Request) -> String {
    if let Some(id) = parameter(&request.body, "metadata[operation_id]") {
        return id;
    }
    let of_intent = |id: &str| sim.intent(id).map(|intent| intent.operation_id().to_owned());
    let of_refund = |id: &str| sim.refund(id).map(|refund| refund.operation_id().to_owned());
    let named = request.path.split('/').nth(3).unwrap_or_default();
    of_intent(named)
        .or_else(|| of_refund(named))
        .or_else(|| of_intent(&parameter(&request.body, "payment_intent")?))
        .or_else(|| of_intent(&parameter(request.query.as_bytes(), "payment_intent")?))
        .unwrap_or_default()
}

fn parameter(form: &[u8], name: &str) -> Option<String> {
    form_urlencoded::parse(form).find(|(given, _)| given == name).map(|(_, value)| value.into_owned())
}
