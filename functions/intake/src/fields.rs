//! The fields of a JSON body, read strictly: each once, none unknown, each refused by its name and never by its value.

use std::collections::BTreeMap;

use payment::{Amount, InvalidName};
use serde::{Deserialize, Deserializer, de};
use serde_json::value::RawValue;

use crate::problem::{Problem, ProblemKind};

/// The fields of one body that were not taken yet. Values stay as they came until their type is known, so that no
/// number passes through a float.
#[derive(Debug)]
pub(crate) struct Fields(BTreeMap<String, Box<RawValue>>);

impl Fields {
    /// Reads a body; none is an object without fields.
    ///
    /// # Errors
    /// Returns a problem if it is no JSON object, repeats a field, or has one that is not `known`.
    pub(crate) fn read(body: Option<&str>, known: &[&str]) -> Result<Self, Problem> {
        let body = body.unwrap_or("{}");
        let Object(pairs) = serde_json::from_str(body).map_err(|error| not_an_object(&error))?;
        let mut fields = BTreeMap::new();
        for (name, value) in pairs {
            if fields.contains_key(&name) {
                return Err(about(&name, "is given twice"));
            }
            if !known.contains(&name.as_str()) {
                return Err(about(&name, "is not a field of this request"));
            }
            fields.insert(name, value);
        }
        Ok(Self(fields))
    }

    /// Takes a text that must be there.
    pub(crate) fn text<T>(&mut self, name: &'static str) -> Result<T, Problem>
    where
        T: TryFrom<String, Error = InvalidName>,
    {
        self.optional_text(name)?.ok_or_else(|| about(name, "is missing"))
    }

    /// Takes a text that may be absent.
    pub(crate) fn optional_text<T>(&mut self, name: &'static str) -> Result<Option<T>, Problem>
    where
        T: TryFrom<String, Error = InvalidName>,
    {
        let Some(raw) = self.0.remove(name) else { return Ok(None) };
        let text: String = serde_json::from_str(raw.get()).map_err(|_| about(name, "must be a string"))?;
        T::try_from(text).map(Some).map_err(|invalid| about(name, &format!("must be {}", invalid.rule)))
    }

    /// Takes an amount that must be there.
    pub(crate) fn amount(&mut self) -> Result<Amount, Problem> {
        self.optional_amount()?.ok_or_else(|| about("amount", "is missing"))
    }

    /// Takes an amount that may be absent.
    pub(crate) fn optional_amount(&mut self) -> Result<Option<Amount>, Problem> {
        let Some(raw) = self.0.remove("amount") else { return Ok(None) };
        let minor = serde_json::from_str::<u64>(raw.get()).unwrap_or(0);
        Amount::try_from(minor)
            .map(Some)
            .map_err(|invalid| about("amount", &format!("must be {}", invalid.rule)))
    }

    /// Takes one of a few words, the first of which is meant if there is none.
    pub(crate) fn word<T: Copy>(
        &mut self,
        name: &'static str,
        words: [(&'static str, T); 2],
    ) -> Result<T, Problem> {
        let [(first, meant), (second, otherwise)] = words;
        let Some(raw) = self.0.remove(name) else { return Ok(meant) };
        match serde_json::from_str::<String>(raw.get()).ok() {
            Some(word) if word == first => Ok(meant),
            Some(word) if word == second => Ok(otherwise),
            Some(_) | None => Err(about(name, &format!("must be \"{first}\" or \"{second}\""))),
        }
    }
}

/// Describes what is wrong with a field. A name that is none of ours is repeated only if it is a plain one.
pub(crate) fn about(name: &str, what: &str) -> Problem {
    let is_plain = (1..=64).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
        && !payment::looks_like_a_card_number(name);
    if is_plain {
        let detail = format!("the field `{name}` {what}");
        return Problem::new(ProblemKind::InvalidBody, detail).of_field(name);
    }
    Problem::new(ProblemKind::InvalidBody, format!("a field {what}"))
}

// serde_json's own message can quote the input: only its kind and place are kept.
fn not_an_object(error: &serde_json::Error) -> Problem {
    let what = match error.classify() {
        serde_json::error::Category::Data => "must be a JSON object",
        serde_json::error::Category::Syntax => "must be valid JSON",
        serde_json::error::Category::Eof => "ends too early to be JSON",
        serde_json::error::Category::Io => "cannot be read",
    };
    let detail = format!("the body {what} (line {}, column {})", error.line(), error.column());
    Problem::new(ProblemKind::InvalidBody, detail)
}

/// The fields of a JSON object, as they came.
struct Object(Vec<(String, Box<RawValue>)>);

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = Object;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: de::MapAccess<'de>>(self, mut access: A) -> Result<Object, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = access.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Object(pairs))
            }
        }
        deserializer.deserialize_map(Visitor)
    }
}
