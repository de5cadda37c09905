//! Commands: what asks for an operation, or wakes a payment. This is the body of a queue message.

use effect::{Fact, Outcome, Time, digest_hex};
use serde::{Deserialize, Serialize};

use crate::{
    currencies::InvalidMoney,
    ids::{OperationKey, PaymentId},
    money::MAX_AMOUNT_MINOR,
    requests::{Cancel, Capture, Charge, Refund},
};

/// The version of the command schema: the value of a message's `schema` field.
pub const COMMAND_SCHEMA: &str = "ikkai.command/1";

/// The longest command body taken, in bytes.
pub const MAX_COMMAND_BYTES: usize = 16 * 1024;

/// What asks for an operation, wakes a payment, or carries a fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// Charges a stored payment method, off session.
    Charge(Charge),
    /// Takes the money that an authorization holds.
    Capture(Capture),
    /// Ends a payment before its money is taken.
    Cancel(Cancel),
    /// Gives money back.
    Refund(Refund),
    /// Looks at a payment again because it is due.
    Wake {
        /// The payment to look at.
        payment_id: PaymentId,
        /// The value of `due_at` that this wake answers.
        due_at: Time,
    },
    /// Says what the provider's state is, as a verified source reported it.
    Fact(Reported),
}

/// A fact on its way to the payment it is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reported {
    /// The payment it is about.
    pub payment_id: PaymentId,
    /// The charge or refund it is about.
    pub operation: OperationKey,
    /// The fact.
    pub fact: Fact,
    /// The source's id of the report: the same report twice is one message.
    pub source_id: String,
}

/// Why a message cannot be a command. The text says what to do and names fields; it never repeats a value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// The body is no command.
    #[error("not a command: {0}")]
    Body(String),
    /// The body is larger than any command.
    #[error("the body has {0} bytes; a command has at most 16384")]
    TooLarge(usize),
    /// The schema is not one this version reads.
    #[error("the field `schema` must be \"ikkai.command/1\"")]
    Schema,
    /// The message is in another payment's group, so its order is not guaranteed.
    #[error("the message group must be the payment id {expected}")]
    Group {
        /// The payment id that the command belongs to.
        expected: PaymentId,
    },
    /// No such payment is recorded.
    #[error("there is no payment {0}; only a charge creates one")]
    UnknownPayment(PaymentId),
    /// The payment holds no such charge or refund.
    #[error("the payment holds no {0}; a fact is about a charge or refund on record")]
    UnknownOperation(OperationKey),
    /// The money is not money that the provider takes.
    #[error(transparent)]
    Money(#[from] InvalidMoney),
    /// The payment holds as many operations as it may.
    #[error("the payment holds {0} operations, the most it may")]
    TooManyOperations(usize),
    /// Two orders share one payment id, which a digest of 128 bits should never show.
    #[error("the payment id belongs to another tenant or order")]
    Collision,
}

impl Command {
    /// Parses a message body.
    ///
    /// # Errors
    /// Returns why the body is no command: not JSON, an unknown or repeated field, a number that is no whole number
    /// of minor units, a name outside its alphabet, another schema.
    pub fn parse(body: &str) -> Result<Self, Malformed> {
        if body.len() > MAX_COMMAND_BYTES {
            return Err(Malformed::TooLarge(body.len()));
        }
        let StrictObject(mut fields) = serde_json::from_str(body).map_err(|error| describe(&error))?;
        match fields.remove("schema") {
            Some(serde_json::Value::String(schema)) if schema == COMMAND_SCHEMA => {}
            Some(_) | None => return Err(Malformed::Schema),
        }
        let command: Self =
            serde_json::from_value(serde_json::Value::Object(fields)).map_err(|error| describe(&error))?;
        command.check()?;
        Ok(command)
    }

    /// Returns the message body of this command.
    #[must_use]
    pub fn to_body(&self) -> String {
        #[derive(Serialize)]
        struct Body<'a> {
            schema: &'a str,
            #[serde(flatten)]
            command: &'a Command,
        }
        // A command holds only strings and integers: writing it cannot fail.
        serde_json::to_string(&Body { schema: COMMAND_SCHEMA, command: self }).unwrap_or_default()
    }

    /// Returns the payment that the command belongs to: its message group.
    #[must_use]
    pub fn payment_id(&self) -> PaymentId {
        match self {
            Self::Wake { payment_id, .. } => payment_id.clone(),
            Self::Fact(reported) => reported.payment_id.clone(),
            Self::Charge(Charge { tenant, order, .. })
            | Self::Capture(Capture { tenant, order, .. })
            | Self::Cancel(Cancel { tenant, order, .. })
            | Self::Refund(Refund { tenant, order, .. }) => PaymentId::of(tenant, order),
        }
    }

    /// Returns the message's deduplication id: the same for a send retry, another for a corrected command.
    #[must_use]
    pub fn deduplication_id(&self) -> String {
        match self {
            Self::Wake { payment_id, due_at } => format!("{payment_id}/wake/{}", due_at.0),
            Self::Fact(reported) => format!("stripe/{}", reported.source_id),
            Self::Charge(_) | Self::Capture(_) | Self::Cancel(_) | Self::Refund(_) => {
                let asked = self.asked();
                asked.map_or_else(String::new, |asked| {
                    digest_hex(&[&asked.key.id(&self.payment_id()), &asked.digest])
                })
            }
        }
    }

    /// Checks what its fields' own types cannot: that the money is money the provider takes, and that the name is not
    /// one that Ikkai gives.
    ///
    /// # Errors
    /// Returns what is wrong, and what to do.
    pub fn check(&self) -> Result<(), Malformed> {
        match self {
            Self::Charge(charge) => charge.check()?,
            Self::Fact(reported) => reported.check()?,
            Self::Capture(_) | Self::Cancel(_) | Self::Refund(_) | Self::Wake { .. } => {}
        }
        match self.asked() {
            Some(asked) if asked.key.is_reserved() => Err(Malformed::Body(format!(
                "the ref of this {} begins like one that Ikkai gives; choose another",
                asked.key.kind.as_str()
            ))),
            Some(_) | None => Ok(()),
        }
    }
}

impl Reported {
    // Ids and codes go into the record, into paths and into events.
    fn check(&self) -> Result<(), Malformed> {
        let is_id = |text: &str, longest: usize| {
            (1..=longest).contains(&text.len())
                && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
                && !crate::ids::looks_like_a_card_number(text)
        };
        let is_plain = match &self.fact.outcome {
            Some(Outcome::Declined(code)) => is_id(code, 64),
            Some(Outcome::Partly(amount)) => *amount <= MAX_AMOUNT_MINOR,
            Some(Outcome::Authorized | Outcome::Succeeded | Outcome::Canceled) | None => true,
        };
        if is_id(&self.fact.id, 64) && is_id(&self.source_id, 100) && is_plain {
            return Ok(());
        }
        let rule =
            "ids and codes of a fact are 1 to 64 of A-Z a-z 0-9 _, and its amount is at most 999999999999";
        Err(Malformed::Body(rule.to_owned()))
    }
}

// serde_json's own message can quote the input (a string where a number was due), which may be a card number: only
// its kind and place are kept, and our own errors, which never quote.
fn describe(error: &serde_json::Error) -> Malformed {
    let text = error.to_string();
    let own = ["missing field", "unknown field", "unknown variant", "must be ", "twice", "duplicate field"];
    let place = if error.line() > 0 {
        format!(" at line {} column {}", error.line(), error.column())
    } else {
        String::new()
    };
    // Cut before it is judged: a cut can make a card number of what was too long for one.
    let short: String = text.split(" at line ").next().unwrap_or_default().chars().take(200).collect();
    let safe = own.iter().any(|known| short.contains(known)) && !crate::ids::looks_like_a_card_number(&short);
    if safe {
        return Malformed::Body(format!("{short}{place}"));
    }
    let kind = match error.classify() {
        serde_json::error::Category::Data => "a field has a wrong type or value",
        serde_json::error::Category::Syntax => "not valid JSON",
        serde_json::error::Category::Eof => "the JSON ends too early",
        serde_json::error::Category::Io => "unreadable",
    };
    Malformed::Body(format!("{kind}{place}"))
}

/// A JSON object whose fields are distinct: one parse decides what is hashed *and* what is done.
struct StrictObject(serde_json::Map<String, serde_json::Value>);

impl<'de> Deserialize<'de> for StrictObject {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = StrictObject;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(
                self,
                mut access: A,
            ) -> Result<StrictObject, A::Error> {
                let mut map = serde_json::Map::new();
                while let Some((key, value)) = access.next_entry::<String, serde_json::Value>()? {
                    if map.insert(key, value).is_some() {
                        return Err(serde::de::Error::custom("a field is given twice"));
                    }
                }
                Ok(StrictObject(map))
            }
        }
        deserializer.deserialize_map(Visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(crate) const SAMPLE: &str = r#"{"schema":"ikkai.command/1","type":"charge","tenant":"shop","order":"o-1",
        "amount":500,"currency":"JPY","customer":"cus_1","payment_method":"pm_card_visa"}"#;

    fn parsed(body: &str) -> Command {
        Command::parse(body).unwrap()
    }

    fn refusal(body: &str) -> String {
        Command::parse(body).unwrap_err().to_string()
    }

    #[test]
    fn a_charge_reads_and_writes_to_the_same_command() {
        let command = parsed(SAMPLE);
        assert_eq!(parsed(&command.to_body()), command);
        let Command::Charge(charge) = &command else { panic!("a charge") };
        assert_eq!((charge.reference.as_str(), charge.currency.as_str()), ("1", "jpy"));
    }

    #[test]
    fn a_refusal_names_the_field_and_never_repeats_a_value() {
        assert!(refusal(&SAMPLE.replace("\"amount\"", "\"amuont\"")).contains("amuont"));
        assert!(refusal(&SAMPLE.replace("500", "19.99")).contains("wrong type"));
        assert!(refusal(&SAMPLE.replace("500", "0")).contains("amount must be"));
        assert!(refusal(&SAMPLE.replace("500", "500,\"amount\":9900")).contains("twice"));
        assert!(refusal(&SAMPLE.replace("command/1", "command/9")).contains("schema"));
        assert!(refusal("not json").contains("not valid JSON"));
        for body in [SAMPLE.replace("o-1", "4242424242424242"), SAMPLE.replace("500", "\"4242424242424242\"")]
        {
            assert!(!refusal(&body).contains("4242"), "{}", refusal(&body));
        }
        assert!(refusal(&" ".repeat(20_000)).contains("20000"));
        // Too long a run of digits for a card, until the refusal is cut short.
        let long = format!("\"{}{}\"", "x".repeat(169), "42".repeat(16));
        assert!(!refusal(&SAMPLE.replace("\"amount\"", &long)).contains("4242"));
    }

    #[test]
    fn the_deduplication_id_follows_the_effect_and_not_the_trace() {
        let id = |body: &str| parsed(body).deduplication_id();
        let traced = SAMPLE.replace("500", "500,\"causation_id\":\"evt-9\"");
        assert_eq!(id(SAMPLE), id(&traced));
        assert_ne!(id(SAMPLE), id(&SAMPLE.replace("500", "501")));
        assert_ne!(id(SAMPLE), id(&SAMPLE.replace("o-1", "o-2")));
        assert!(id(SAMPLE).len() <= 128);
    }
}
