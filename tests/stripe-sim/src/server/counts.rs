//! The counts as JSON.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use stripe_sim::{Intent, OperationCount, Refund, RefundStatus, Status};

use crate::shared::Inner;

/// Renders everything that was counted, at the provider and on the network.
pub(crate) fn render(inner: &Inner) -> Value {
    let effects = inner.sim.effects();
    let totals = &effects.totals;
    let operations: BTreeMap<&str, Value> =
        effects.operations.iter().map(|(id, one)| (id.as_str(), count(one))).collect();
    let ids: BTreeSet<&str> = inner.sim.intents().iter().map(Intent::payment_id).collect();
    let payments: BTreeMap<&str, Value> = ids.into_iter().map(|id| (id, payment(inner, id))).collect();
    let requests: BTreeMap<String, u64> = totals
        .requests
        .iter()
        .map(|((method, route), number)| (format!("{} {}", method.as_str(), route.as_str()), *number))
        .collect();
    let mut faults = inner.injected.clone();
    faults.extend(totals.faults.iter().map(|(fault, number)| (fault.as_str(), *number)));
    json!({
        "operations": operations,
        "payments": payments,
        "sum": count(&effects.sum()),
        "totals": {
            "requests": requests,
            "replays": totals.replays,
            "errors_500": totals.errors_500,
            "declines": totals.declines,
            "keys_in_use": totals.keys_in_use,
            "key_mismatches": totals.key_mismatches,
            "keys_pruned": totals.keys_pruned,
            "lock_timeouts": totals.lock_timeouts,
        },
        "faults": faults,
        "running": inner.sim.running().count(),
    })
}

fn payment(inner: &Inner, id: &str) -> Value {
    let mut rendered = count(&inner.sim.effects().payment(id));
    let sim = &inner.sim;
    rendered["paid_or_payable"] = json!(sim.paid_or_payable(id).count());
    // Unlike `amount_refunded`, which knows a refund by its own operation id, this one misses none made outside.
    let refunded: i64 = sim.intents_of(id).map(|intent| sim.amount_refunded(&intent.id)).sum();
    rendered["refunded_on_intents"] = json!(refunded);
    rendered
}

fn count(one: &OperationCount) -> Value {
    json!({
        "intents_created": one.intents_created,
        "intents_succeeded": one.intents_succeeded,
        "intents_canceled": one.intents_canceled,
        "intents_expired": one.intents_expired,
        "cancels": one.cancels,
        "captures": one.captures,
        "amount_captured": one.amount_captured,
        "attempts": one.attempts,
        "declines": one.declines,
        "amount_paid": one.amount_paid,
        "refunds": one.refunds,
        "refunds_failed": one.refunds_failed,
        "refunds_canceled": one.refunds_canceled,
        "amount_refunded": one.amount_refunded,
    })
}

/// Renders the intents for inspection.
pub(crate) fn intents(inner: &Inner) -> Value {
    inner.sim.intents().iter().map(|one| intent(inner, one)).collect()
}

/// Renders the refunds for inspection.
pub(crate) fn refunds(inner: &Inner) -> Value {
    inner.sim.refunds().iter().map(refund).collect()
}

/// Renders one intent for inspection.
pub(crate) fn intent(inner: &Inner, one: &Intent) -> Value {
    let state = one.state();
    let held = state.status == Status::RequiresCapture;
    json!({
        "id": one.id,
        "operation_id": one.operation_id(),
        "status": state.status.as_str(),
        "amount": one.amount,
        "amount_capturable": if held { one.amount } else { 0 },
        "amount_received": state.amount_received,
        "amount_refunded": inner.sim.amount_refunded(&one.id),
        "capture_method": one.capture.as_str(),
        "cancellation_reason": state.cancellation_reason,
        "authorization_expires_ms": inner.sim.authorization_expires_ms(&one.id),
        "currency": one.currency,
        "customer": one.customer,
        "metadata": one.metadata,
        "created_ms": one.created_ms,
        "attempts": one.attempts,
    })
}

/// Renders one refund for inspection.
pub(crate) fn refund(one: &Refund) -> Value {
    let state = one.state();
    let statuses: Vec<&str> = one.history().iter().map(|(_, state)| state.status.as_str()).collect();
    json!({
        "id": one.id,
        "operation_id": one.operation_id(),
        "payment_intent": one.payment_intent,
        "status": state.status.as_str(),
        "statuses": statuses,
        "failure_reason": state.failure_reason,
        "amount": one.amount,
        "currency": one.currency,
        "metadata": one.metadata,
        "created_ms": one.created_ms,
    })
}

/// Returns the status of that name.
pub(crate) fn refund_status(name: &str) -> Option<RefundStatus> {
    const ALL: [RefundStatus; 5] = [
        RefundStatus::Pending,
        RefundStatus::RequiresAction,
        RefundStatus::Succeeded,
        RefundStatus::Failed,
        RefundStatus::Canceled,
    ];
    ALL.into_iter().find(|status| status.as_str() == name)
}
