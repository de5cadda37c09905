//! The counts as JSON.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use stripe_sim::{Intent, OperationCount};

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
    rendered["paid_or_payable"] = json!(inner.sim.paid_or_payable(id).count());
    rendered
}

fn count(one: &OperationCount) -> Value {
    json!({
        "intents_created": one.intents_created,
        "intents_succeeded": one.intents_succeeded,
        "intents_canceled": one.intents_canceled,
        "attempts": one.attempts,
        "declines": one.declines,
        "amount_paid": one.amount_paid,
    })
}

/// Renders the intents for inspection.
pub(crate) fn intents(inner: &Inner) -> Value {
    inner.sim.intents().iter().map(intent).collect()
}

/// Renders one intent for inspection.
pub(crate) fn intent(one: &Intent) -> Value {
    let state = one.state();
    json!({
        "id": one.id,
        "operation_id": one.operation_id(),
        "status": state.status.as_str(),
        "amount": one.amount,
        "amount_received": state.amount_received,
        "currency": one.currency,
        "customer": one.customer,
        "metadata": one.metadata,
        "created_ms": one.created_ms,
        "attempts": one.attempts,
    })
}
