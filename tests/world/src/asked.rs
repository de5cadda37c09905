//! The commands that somebody sends, as they go out.

use payment::{Cancel, Capture, Charge, Command, OperationKey, OrderId, PaymentId, Refund};

use crate::options::{Ask, Order};

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
    #[expect(clippy::unwrap_used, reason = "every order asks for an operation")]
    pub(crate) fn by(order: &Order) -> Self {
        let command = command_of(order);
        let (payment, key) = (command.payment_id(), command.asked().unwrap().key);
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
#[expect(clippy::unwrap_used, reason = "the world's own words are valid names")]
pub fn command_of(order: &Order) -> Command {
    let tenant = "shop".parse().unwrap();
    let of: OrderId = format!("o-{}", order.payment).parse().unwrap();
    let reference = order.reference.parse().unwrap();
    let (causation_id, traceparent) = (None, None);
    let minor = |amount: Option<u64>| amount.map(|amount| amount.try_into().unwrap());
    match order.ask {
        Ask::Charge { payment_method, amount, capture } => Command::Charge(Charge {
            tenant,
            order: of,
            reference,
            amount: amount.try_into().unwrap(),
            currency: "jpy".parse().unwrap(),
            customer: format!("cus_{}", order.payment).parse().unwrap(),
            payment_method: payment_method.parse().unwrap(),
            capture,
            causation_id,
            traceparent,
        }),
        Ask::Capture(amount) => {
            let amount = minor(amount);
            Command::Capture(Capture { tenant, order: of, reference, amount, causation_id, traceparent })
        }
        Ask::Cancel(if_captured) => {
            Command::Cancel(Cancel { tenant, order: of, reference, if_captured, causation_id, traceparent })
        }
        Ask::Refund(amount) => {
            let amount = minor(amount);
            Command::Refund(Refund { tenant, order: of, reference, amount, causation_id, traceparent })
        }
    }
}
