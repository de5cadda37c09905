//! The commands that somebody sends, as they go out.

use payment::{Charge, Command, OperationKey, PaymentId};

use crate::options::Order;

/// An order's command, with the names that follow from it. They are digests: each is taken once a run.
pub(crate) struct Asked {
    pub(crate) payment: PaymentId,
    pub(crate) key: OperationKey,
    /// The operation's durable identity.
    pub(crate) operation: String,
    pub(crate) deduplication_id: String,
    pub(crate) body: String,
}

impl Asked {
    pub(crate) fn by(order: &Order) -> Self {
        let charge = command_of(order);
        let (payment, key) = (charge.payment_id(), charge.key());
        let command = Command::Charge(charge);
        Self {
            operation: key.id(&payment),
            deduplication_id: command.deduplication_id(),
            body: command.to_body(),
            payment,
            key,
        }
    }
}

/// Returns the command of an order.
///
/// # Panics
/// If the order's words are no valid names.
#[must_use]
pub fn command_of(order: &Order) -> Charge {
    #[expect(clippy::unwrap_used, reason = "the world's own words are valid names")]
    Charge {
        tenant: "shop".parse().unwrap(),
        order: format!("o-{}", order.payment).parse().unwrap(),
        reference: order.reference.parse().unwrap(),
        amount: order.amount.try_into().unwrap(),
        currency: "jpy".parse().unwrap(),
        customer: format!("cus_{}", order.payment).parse().unwrap(),
        payment_method: order.payment_method.parse().unwrap(),
        causation_id: None,
        traceparent: None,
    }
}
