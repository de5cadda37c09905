//! What is legal when: which operation runs, waits or is refused in which state, and how a payment's state may change.
//!
//! Both tables are printed in ARCHITECTURE.md, from here.

use crate::{ids::Kind, state::PaymentState};

/// The code of an operation that finds the money taken already.
pub const ALREADY_PAID: &str = "already_paid";
/// The code of a charge that finds the money held already.
pub const ALREADY_AUTHORIZED: &str = "already_authorized";
/// The code of a charge that comes after the caller's cancel.
pub const PAYMENT_CANCELED: &str = "payment_canceled";
/// The code of a capture or cancel that finds the money taken already.
pub const ALREADY_CAPTURED: &str = "already_captured";
/// The code of a capture that finds no authorization.
pub const NOT_AUTHORIZED: &str = "not_authorized";
/// The code of a refund that finds no money taken.
pub const NOT_CAPTURED: &str = "not_captured";
/// The code of a cancel that finds a payment which ended without money.
pub const NOTHING_TO_CANCEL: &str = "nothing_to_cancel";

/// What becomes of an operation whose turn has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It runs.
    Runs,
    /// It waits for what is under way.
    Waits,
    /// It is refused, with this code, before any call.
    Refused(&'static str),
}

/// Returns what becomes of an operation, given the state that everything accepted before it adds up to.
///
/// Two finer rules are in [`plan`](crate::plan()): a cancel does not wait for a charge that waits for its customer,
/// and a charge after the caller's own cancel is refused.
#[must_use]
pub const fn verdict(kind: Kind, state: PaymentState) -> Verdict {
    use PaymentState::{
        Authorized, Authorizing, Canceled, Captured, Capturing, Created, Failed, PartiallyRefunded, Refunded,
        Refunding,
    };
    use Verdict::{Refused, Runs, Waits};
    match (kind, state) {
        (Kind::Charge, Created | Failed | Canceled) => Runs,
        (Kind::Charge, Authorizing | Capturing) => Waits,
        (Kind::Charge, Authorized) => Refused(ALREADY_AUTHORIZED),
        (Kind::Charge, Captured | Refunding | PartiallyRefunded | Refunded) => Refused(ALREADY_PAID),

        (Kind::Capture, Created | Authorizing | Capturing) => Waits,
        (Kind::Capture, Authorized) => Runs,
        (Kind::Capture, Captured | Refunding | PartiallyRefunded | Refunded) => Refused(ALREADY_CAPTURED),
        (Kind::Capture, Failed | Canceled) => Refused(NOT_AUTHORIZED),

        (Kind::Cancel, Created | Authorized) => Runs,
        (Kind::Cancel, Authorizing | Capturing) => Waits,
        (Kind::Cancel, Captured | Refunding | PartiallyRefunded | Refunded) => Refused(ALREADY_CAPTURED),
        (Kind::Cancel, Failed | Canceled) => Refused(NOTHING_TO_CANCEL),

        (Kind::Refund, Created | Authorizing | Capturing) => Waits,
        (Kind::Refund, Captured | Refunding | PartiallyRefunded | Refunded) => Runs,
        (Kind::Refund, Authorized | Failed | Canceled) => Refused(NOT_CAPTURED),

        (Kind::Void, _) => Runs,
    }
}

const fn runs(kind: Kind, state: PaymentState) -> bool {
    matches!(verdict(kind, state), Verdict::Runs)
}

// What must hold of the table whatever else it says.
const _: () = {
    assert!(!runs(Kind::Charge, PaymentState::Authorizing), "no second charge beside an unknown one");
    assert!(!runs(Kind::Charge, PaymentState::Authorized), "no second charge beside money held");
    assert!(!runs(Kind::Charge, PaymentState::Capturing), "no second charge beside a capture");
    assert!(!runs(Kind::Charge, PaymentState::Captured), "no second charge behind money taken");
    assert!(!runs(Kind::Charge, PaymentState::Refunding), "no second charge beside a refund");
    assert!(
        !runs(Kind::Charge, PaymentState::PartiallyRefunded),
        "no second charge behind a refund of a part"
    );
    assert!(!runs(Kind::Charge, PaymentState::Refunded), "no second charge behind a refund");
    assert!(!runs(Kind::Capture, PaymentState::Authorizing), "no capture of what may not be held");
    assert!(!runs(Kind::Capture, PaymentState::Capturing), "no second capture beside a first");
    assert!(!runs(Kind::Capture, PaymentState::Captured), "no second capture behind a first");
    assert!(!runs(Kind::Refund, PaymentState::Authorizing), "no refund of what may not be taken");
    assert!(!runs(Kind::Refund, PaymentState::Authorized), "no refund of money held");
    assert!(!runs(Kind::Refund, PaymentState::Capturing), "no refund beside a capture");
    assert!(!runs(Kind::Refund, PaymentState::Failed), "no refund of what was not paid");
    assert!(!runs(Kind::Refund, PaymentState::Canceled), "no refund of what was canceled");
    assert!(!runs(Kind::Cancel, PaymentState::Captured), "no cancel of money taken");
    assert!(runs(Kind::Charge, PaymentState::Failed), "a decline is followed by another card");
    assert!(runs(Kind::Capture, PaymentState::Authorized), "money held can be taken");
    assert!(runs(Kind::Cancel, PaymentState::Authorized), "money held can be released");
    assert!(runs(Kind::Refund, PaymentState::Captured), "money taken can be given back");
};

/// Every direct change of a payment's state, with what causes it.
pub const TRANSITIONS: &[(PaymentState, PaymentState, &str)] = {
    use PaymentState::{
        Authorized, Authorizing, Canceled, Captured, Capturing, Created, Failed, PartiallyRefunded, Refunded,
        Refunding,
    };
    &[
        (Created, Authorizing, "a charge is about to be sent"),
        (Created, Canceled, "a cancel before anything was sent"),
        (Authorizing, Created, "the send was certainly not carried out"),
        (Authorizing, Authorized, "the provider holds the money, for a manual capture"),
        (Authorizing, Captured, "the provider took the money"),
        (Authorizing, Failed, "declined or refused"),
        (Authorizing, Canceled, "canceled before the customer acted, or at the provider"),
        (Authorized, Capturing, "a capture is recorded"),
        (Authorized, Captured, "captured outside"),
        (Authorized, Canceled, "a cancel, or the authorization expired"),
        (Capturing, Authorized, "the capture was refused"),
        (Capturing, Captured, "the provider took the money"),
        (Capturing, Canceled, "the authorization had ended"),
        (Captured, Refunding, "a refund is recorded"),
        (Refunding, Captured, "the refund was refused or failed"),
        (Refunding, PartiallyRefunded, "a part is given back"),
        (Refunding, Refunded, "all is given back"),
        (PartiallyRefunded, Refunding, "a further refund is recorded"),
        (PartiallyRefunded, Captured, "a refund failed after it had succeeded"),
        (Refunded, PartiallyRefunded, "one of several refunds failed after it had succeeded"),
        (Refunded, Captured, "the refund failed after it had succeeded"),
        (Failed, Authorizing, "a further charge"),
        (Failed, Authorized, "a customer authorizes after a decline"),
        (Failed, Captured, "a customer pays after a decline"),
        (Failed, Canceled, "canceled at the provider after a decline"),
        (Canceled, Authorizing, "a further charge, if no caller canceled"),
        (Canceled, Captured, "the provider reported both ends: a person's case"),
    ]
};

/// For each state, a bit for each state that any number of changes leads to, itself included.
const REACHED: [u16; PaymentState::ALL.len()] = {
    let mut reached = [0_u16; PaymentState::ALL.len()];
    let mut state = 0;
    while state < reached.len() {
        reached[state] = 1 << state;
        state += 1;
    }
    // Each round reaches one change further: as many rounds as there are states reach them all.
    let mut round = 0;
    while round < reached.len() {
        let mut row = 0;
        while row < TRANSITIONS.len() {
            let (from, to, _) = TRANSITIONS[row];
            reached[from as usize] |= reached[to as usize];
            row += 1;
        }
        round += 1;
    }
    reached
};

impl PaymentState {
    /// Tells whether one write may take a payment from this state to another: it may cover several changes, since an
    /// outcome and the next intent share a write.
    #[must_use]
    pub const fn may_become(self, other: Self) -> bool {
        REACHED[self as usize] & (1 << other as usize) != 0
    }
}
