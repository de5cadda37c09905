//! Short hands: what a caller asks for, numbered from 0, of the one payment of `shop` for `o-1`.

use payment::{
    Cancel, Capture, CaptureMethod, Charge, Command, IfCaptured, Kind, OperationKey, OrderId, Ref, Refund,
    Tenant,
};

fn tenant() -> Tenant {
    "shop".parse().unwrap()
}

fn order() -> OrderId {
    "o-1".parse().unwrap()
}

fn reference(n: usize) -> Ref {
    (n + 1).to_string().parse().unwrap()
}

pub(crate) fn key(kind: Kind, n: usize) -> OperationKey {
    OperationKey { kind, reference: reference(n) }
}

pub(crate) fn charge(n: usize, amount: u64, capture: CaptureMethod) -> Command {
    Command::Charge(Charge {
        tenant: tenant(),
        order: order(),
        reference: reference(n),
        amount: amount.try_into().unwrap(),
        currency: "jpy".parse().unwrap(),
        customer: "cus_1".parse().unwrap(),
        payment_method: "pm_card_visa".parse().unwrap(),
        capture,
        causation_id: None,
        traceparent: None,
    })
}

pub(crate) fn capture(n: usize, amount: Option<u64>) -> Command {
    Command::Capture(Capture {
        tenant: tenant(),
        order: order(),
        reference: reference(n),
        amount: amount.map(|amount| amount.try_into().unwrap()),
        causation_id: None,
        traceparent: None,
    })
}

pub(crate) fn cancel(n: usize, or_refund: bool) -> Command {
    Command::Cancel(Cancel {
        tenant: tenant(),
        order: order(),
        reference: reference(n),
        if_captured: if or_refund { IfCaptured::Refund } else { IfCaptured::Refuse },
        causation_id: Some(format!("evt-cancel-{n}")),
        traceparent: None,
    })
}

pub(crate) fn refund(n: usize, amount: Option<u64>) -> Command {
    Command::Refund(Refund {
        tenant: tenant(),
        order: order(),
        reference: reference(n),
        amount: amount.map(|amount| amount.try_into().unwrap()),
        causation_id: None,
        traceparent: None,
    })
}
