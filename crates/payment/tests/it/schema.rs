//! Checks values against the part of JSON Schema that our schemas use, and panics on any keyword beyond it.
//!
//! A full validator would change the features of crates that the AWS SDK is built on, and so build all of it twice.
//! `tests/template` holds the schemas against the official meta-schema and a full validator.

use serde_json::{Map, Value};

/// One of our schemas.
pub(crate) struct Schema(Value);

/// Keywords that say nothing about a value.
const ANNOTATIONS: [&str; 5] = ["$schema", "$id", "$defs", "title", "description"];

impl Schema {
    /// Reads a schema.
    pub(crate) fn read(text: &str) -> Self {
        Self(serde_json::from_str(text).unwrap())
    }

    /// Returns the schema as JSON.
    pub(crate) const fn json(&self) -> &Value {
        &self.0
    }

    /// Tells whether the schema takes a value.
    pub(crate) fn takes(&self, value: &Value) -> bool {
        self.holds(&self.0, value)
    }

    /// Parses a text and tells whether the schema takes it; what is no JSON is not taken.
    pub(crate) fn takes_text(&self, text: &str) -> bool {
        serde_json::from_str(text).is_ok_and(|value| self.takes(&value))
    }

    fn holds(&self, schema: &Value, value: &Value) -> bool {
        let rules = schema.as_object().unwrap();
        rules.iter().all(|(keyword, rule)| self.keyword_holds(rules, keyword, rule, value))
    }

    fn keyword_holds(&self, rules: &Map<String, Value>, keyword: &str, rule: &Value, value: &Value) -> bool {
        match keyword {
            _ if ANNOTATIONS.contains(&keyword) => true,
            "$ref" => {
                let pointer = rule.as_str().unwrap().strip_prefix('#').unwrap();
                self.holds(self.0.pointer(pointer).unwrap(), value)
            }
            "oneOf" => list(rule).iter().filter(|branch| self.holds(branch, value)).count() == 1,
            "not" => !self.holds(rule, value),
            "const" => value == rule,
            "enum" => list(rule).contains(value),
            "type" => match rule.as_array() {
                Some(names) => names.iter().any(|name| is_of_type(value, name)),
                None => is_of_type(value, rule),
            },
            "pattern" => value
                .as_str()
                .is_none_or(|text| regex_lite::Regex::new(rule.as_str().unwrap()).unwrap().is_match(text)),
            "minLength" => value.as_str().is_none_or(|text| text.chars().count() >= size(rule)),
            "minimum" => whole(value).is_none_or(|number| number >= whole(rule).unwrap()),
            "maximum" => whole(value).is_none_or(|number| number <= whole(rule).unwrap()),
            "required" => value.as_object().is_none_or(|object| {
                list(rule).iter().all(|name| object.contains_key(name.as_str().unwrap()))
            }),
            "properties" => value.as_object().is_none_or(|object| {
                rule.as_object()
                    .unwrap()
                    .iter()
                    .all(|(name, schema)| object.get(name).is_none_or(|value| self.holds(schema, value)))
            }),
            "additionalProperties" => {
                assert_eq!(rule, false, "only used to refuse what is not named");
                let named = rules["properties"].as_object().unwrap();
                value.as_object().is_none_or(|object| object.keys().all(|name| named.contains_key(name)))
            }
            "items" => value.as_array().is_none_or(|items| items.iter().all(|item| self.holds(rule, item))),
            unknown => panic!("the keyword {unknown} is not checked here"),
        }
    }
}

fn is_of_type(value: &Value, name: &Value) -> bool {
    match name.as_str().unwrap() {
        "null" => value.is_null(),
        "string" => value.is_string(),
        "object" => value.is_object(),
        "array" => value.is_array(),
        // In JSON Schema 500.0 is an integer too.
        "integer" => whole(value).is_some(),
        unknown => panic!("the type {unknown} is not checked here"),
    }
}

fn whole(value: &Value) -> Option<i128> {
    let number = value.as_number()?;
    let exact = number.as_i128();
    exact.or_else(|| number.as_f64().filter(|float| float.fract() == 0.0).map(|float| float as i128))
}

fn list(rule: &Value) -> &[Value] {
    rule.as_array().unwrap()
}

fn size(rule: &Value) -> usize {
    usize::try_from(rule.as_u64().unwrap()).unwrap()
}
