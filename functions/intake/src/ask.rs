//! What a POST asks for: its body, read and held to the rules of money, and the command it becomes.

use payment::{
    Amount, Cancel, Capture, CaptureMethod, Charge, Command, Currency, CustomerId, IfCaptured, InvalidMoney,
    Kind, OrderId, PaymentMethodId, Ref, Refund, Tenant,
};

use crate::{
    fields::{Fields, about},
    problem::Problem,
};

/// A charge that is asked for.
#[derive(Debug)]
pub(crate) struct ChargeAsked {
    amount: Amount,
    currency: Currency,
    customer: CustomerId,
    payment_method: PaymentMethodId,
    capture: CaptureMethod,
}

/// An operation that is asked for.
#[derive(Debug)]
pub(crate) enum Ask {
    /// A charge.
    Charge(ChargeAsked),
    /// A capture, of all that is held if no amount is given.
    Capture(Option<Amount>),
    /// A cancel.
    Cancel(IfCaptured),
    /// A refund, of all that is left if no amount is given.
    Refund(Option<Amount>),
}

impl Ask {
    /// Reads the body of a request for a payment: its order, its first charge's ref if it has one, and the charge.
    pub(crate) fn read_payment(body: Option<&str>) -> Result<(OrderId, Option<Ref>, Self), Problem> {
        let known = ["order", "ref", "amount", "currency", "customer", "payment_method", "capture"];
        let mut fields = Fields::read(body, &known)?;
        let order = fields.text("order")?;
        let reference = fields.optional_text("ref")?;
        Ok((order, reference, Self::Charge(charge(&mut fields)?)))
    }

    /// Reads the body of a request for one more operation: its ref, if it has one, and what it is to do.
    pub(crate) fn read_operation(kind: Kind, body: Option<&str>) -> Result<(Option<Ref>, Self), Problem> {
        match kind {
            Kind::Charge => {
                let known = ["ref", "amount", "currency", "customer", "payment_method", "capture"];
                let mut fields = Fields::read(body, &known)?;
                let reference = fields.text("ref")?;
                Ok((Some(reference), Self::Charge(charge(&mut fields)?)))
            }
            Kind::Capture => {
                let mut fields = Fields::read(body, &["ref", "amount"])?;
                Ok((fields.optional_text("ref")?, Self::Capture(fields.optional_amount()?)))
            }
            Kind::Cancel | Kind::Void => {
                let mut fields = Fields::read(body, &["ref", "if_captured"])?;
                let words = [("refuse", IfCaptured::Refuse), ("refund", IfCaptured::Refund)];
                Ok((fields.optional_text("ref")?, Self::Cancel(fields.word("if_captured", words)?)))
            }
            Kind::Refund => {
                let mut fields = Fields::read(body, &["ref", "amount"])?;
                Ok((fields.optional_text("ref")?, Self::Refund(fields.optional_amount()?)))
            }
        }
    }

    /// Checks the amount of a capture or refund against the rules of the payment's currency.
    pub(crate) fn check_part(&self, currency: Option<Currency>) -> Result<(), Problem> {
        match (self, currency) {
            (Self::Capture(Some(amount)) | Self::Refund(Some(amount)), Some(currency)) => {
                amount.check_part(currency).map_err(|invalid| of_money(&invalid))
            }
            (Self::Capture(_) | Self::Refund(_) | Self::Cancel(_) | Self::Charge(_), _) => Ok(()),
        }
    }

    /// Returns the command.
    ///
    /// # Errors
    /// Returns a problem if the ref is one that Ikkai or the provider gives.
    pub(crate) fn command(
        &self,
        tenant: Tenant,
        order: OrderId,
        reference: Ref,
        traceparent: Option<String>,
    ) -> Result<Command, Problem> {
        let causation_id = None;
        let command = match self {
            Self::Charge(charge) => Command::Charge(Charge {
                tenant,
                order,
                reference,
                amount: charge.amount,
                currency: charge.currency,
                customer: charge.customer.clone(),
                payment_method: charge.payment_method.clone(),
                capture: charge.capture,
                causation_id,
                traceparent,
            }),
            &Self::Capture(amount) => {
                Command::Capture(Capture { tenant, order, reference, amount, causation_id, traceparent })
            }
            &Self::Cancel(if_captured) => {
                Command::Cancel(Cancel { tenant, order, reference, if_captured, causation_id, traceparent })
            }
            &Self::Refund(amount) => {
                Command::Refund(Refund { tenant, order, reference, amount, causation_id, traceparent })
            }
        };
        match command.asked() {
            Some(asked) if asked.key.is_reserved() => {
                Err(about("ref", "must not begin as the names that Ikkai and Stripe give"))
            }
            Some(_) | None => Ok(command),
        }
    }
}

fn charge(fields: &mut Fields) -> Result<ChargeAsked, Problem> {
    let (amount, currency): (Amount, Currency) = (fields.amount()?, fields.text("currency")?);
    amount.check_charge(currency).map_err(|invalid| of_money(&invalid))?;
    Ok(ChargeAsked {
        amount,
        currency,
        customer: fields.text("customer")?,
        payment_method: fields.text("payment_method")?,
        capture: fields
            .word("capture", [("automatic", CaptureMethod::Automatic), ("manual", CaptureMethod::Manual)])?,
    })
}

fn of_money(invalid: &InvalidMoney) -> Problem {
    Problem::new(crate::problem::ProblemKind::InvalidBody, invalid.to_string()).of_field(invalid.field())
}
