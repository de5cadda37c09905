//! What must still be stored for a record to replace it.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use payment::Record;

use super::{item::Item, time};

/// A condition expression with what it refers to.
pub(super) struct Condition {
    /// The expression.
    pub(super) expression: &'static str,
    /// Its names, if it has any.
    pub(super) names: Option<HashMap<String, String>>,
    /// Its values, if it has any.
    pub(super) values: Option<Item>,
}

impl Condition {
    /// Demands that the stored record still is `expected` (`None`: that there is none).
    pub(super) fn unchanged(expected: Option<&Record>) -> Self {
        let Some(held) = expected else {
            return Self { expression: "attribute_not_exists(pk)", names: None, values: None };
        };
        let mut values = Item::from([(":version".to_owned(), AttributeValue::N(held.version.to_string()))]);
        // A sweep may have leased the payment since it was read: what is not due cannot be leased.
        let expression = if let Some(due_at) = held.due_at {
            values.insert(":due_at".to_owned(), time(due_at));
            "#version = :version AND due_at = :due_at"
        } else {
            "#version = :version"
        };
        let names = HashMap::from([("#version".to_owned(), "version".to_owned())]);
        Self { expression, names: Some(names), values: Some(values) }
    }
}
