//! The query language of the search: clauses joined by `AND`.

use crate::error::ApiError;
use crate::intent::{Intent, State};
use crate::limits::integer;
use crate::render::seconds;

/// How a clause compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Compare {
    Equal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// What a clause looks at.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Field {
    Metadata(String),
    Status,
    Customer,
    Currency,
    Amount,
    Created,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Clause {
    field: Field,
    compare: Compare,
    value: String,
    number: i64,
}

/// A parsed search query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Query {
    clauses: Vec<Clause>,
}

impl Query {
    /// Parses a query, or says what is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<Self, ApiError> {
        let wrong = || {
            let message = format!("We were unable to parse your search query: {text}");
            ApiError::invalid(None, "query", message)
        };
        let mut rest = text.trim_start();
        let mut clauses = Vec::new();
        loop {
            let (field, after) = field(rest).ok_or_else(wrong)?;
            let (compare, after) = compare(after).ok_or_else(wrong)?;
            let (value, after) = value(after).ok_or_else(wrong)?;
            let number = match field {
                Field::Amount | Field::Created => integer("query", &value)?,
                Field::Metadata(_) | Field::Status | Field::Customer | Field::Currency => {
                    if compare != Compare::Equal {
                        return Err(wrong());
                    }
                    0
                }
            };
            clauses.push(Clause { field, compare, value, number });
            rest = after.trim_start();
            if rest.is_empty() {
                return Ok(Query { clauses });
            }
            let joined = rest.get(..3).is_some_and(|word| word.eq_ignore_ascii_case("and"));
            rest = if joined { rest[3..].trim_start() } else { return Err(wrong()) };
        }
    }

    /// Tells whether an intent in the given indexed state matches every clause.
    pub(crate) fn matches(&self, intent: &Intent, state: &State) -> bool {
        self.clauses.iter().all(|clause| match &clause.field {
            Field::Metadata(key) => intent.metadata.get(key) == Some(&clause.value),
            Field::Status => state.status.as_str() == clause.value,
            Field::Customer => intent.customer.as_ref() == Some(&clause.value),
            Field::Currency => intent.currency == clause.value,
            Field::Amount => clause.compare.holds(intent.amount, clause.number),
            Field::Created => clause.compare.holds(seconds(intent.created_ms), clause.number),
        })
    }
}

impl Compare {
    fn holds(self, left: i64, right: i64) -> bool {
        match self {
            Compare::Equal => left == right,
            Compare::Less => left < right,
            Compare::LessOrEqual => left <= right,
            Compare::Greater => left > right,
            Compare::GreaterOrEqual => left >= right,
        }
    }
}

fn field(text: &str) -> Option<(Field, &str)> {
    if let Some(rest) = text.strip_prefix("metadata[") {
        let (key, rest) = value(rest)?;
        return Some((Field::Metadata(key), rest.strip_prefix(']')?));
    }
    let end = text.find(|c: char| !c.is_ascii_lowercase() && c != '_')?;
    let field = match &text[..end] {
        "status" => Field::Status,
        "customer" => Field::Customer,
        "currency" => Field::Currency,
        "amount" => Field::Amount,
        "created" => Field::Created,
        _ => return None,
    };
    Some((field, &text[end..]))
}

fn compare(text: &str) -> Option<(Compare, &str)> {
    const SIGNS: [(&str, Compare); 6] = [
        (":", Compare::Equal),
        ("=", Compare::Equal),
        (">=", Compare::GreaterOrEqual),
        ("<=", Compare::LessOrEqual),
        (">", Compare::Greater),
        ("<", Compare::Less),
    ];
    SIGNS.iter().find_map(|(sign, compare)| text.strip_prefix(sign).map(|rest| (*compare, rest)))
}

/// Takes a quoted value with backslash escapes, or a bare one up to a space.
fn value(text: &str) -> Option<(String, &str)> {
    let quote = text.chars().next()?;
    if quote != '\'' && quote != '"' {
        let end = text.find(|c: char| c.is_whitespace() || c == ']').unwrap_or(text.len());
        return (end > 0).then(|| (text[..end].to_owned(), &text[end..]));
    }
    let mut taken = String::new();
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => {
                taken.push(c);
                escaped = false;
            }
            '\\' => escaped = true,
            _ if c == quote => return Some((taken, &text[at + 1..])),
            _ => taken.push(c),
        }
    }
    None
}
