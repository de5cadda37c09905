//! The key layer: the first result of a key is saved once its endpoint starts, and given again for 24 h.

use std::collections::HashMap;

use crate::form::pairs;
use crate::http::Request;

/// The longest key, in characters.
pub(crate) const LONGEST_KEY: usize = 255;

/// A saved result.
#[derive(Clone, Debug)]
pub(crate) struct Saved {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
}

/// What is known of a key.
#[derive(Clone, Debug)]
struct Entry {
    first_ms: i64,
    path: String,
    query: String,
    body: Vec<u8>,
    request: u64,
    result: Option<Saved>,
}

/// What the key layer says to a request.
#[derive(Debug)]
pub(crate) enum Verdict<'a> {
    /// The key is free; `pruned` when an older use of it was forgotten just now.
    Free { pruned: bool },
    /// The saved result, and the number of the request that caused it.
    Replay(&'a Saved, u64),
    /// The first request is still running.
    InUse,
    /// The key was used with other parameters.
    OtherParameters,
    /// The key was used at another endpoint, the one named.
    OtherEndpoint(&'a str),
}

/// The keys of one account.
#[derive(Clone, Debug, Default)]
pub(crate) struct Keys {
    entries: HashMap<String, Entry>,
}

impl Keys {
    /// Judges a request; forgets the key first if it is old enough and not running.
    pub(crate) fn judge(&mut self, now_ms: i64, ttl_ms: i64, key: &str, request: &Request) -> Verdict<'_> {
        let expired = self
            .entries
            .get(key)
            .is_some_and(|entry| entry.result.is_some() && now_ms - entry.first_ms >= ttl_ms);
        if expired {
            self.entries.remove(key);
        }
        let Some(entry) = self.entries.get(key) else {
            return Verdict::Free { pruned: expired };
        };
        if entry.path != request.path {
            return Verdict::OtherEndpoint(&entry.path);
        }
        if !entry.has_parameters_of(request) {
            return Verdict::OtherParameters;
        }
        match &entry.result {
            Some(saved) => Verdict::Replay(saved, entry.request),
            None => Verdict::InUse,
        }
    }

    /// Takes the key for a request whose endpoint starts.
    pub(crate) fn start(&mut self, now_ms: i64, key: &str, request: &Request, number: u64) {
        let entry = Entry {
            first_ms: now_ms,
            path: request.path.clone(),
            query: request.query.clone(),
            body: request.body.clone(),
            request: number,
            result: None,
        };
        self.entries.insert(key.to_owned(), entry);
    }

    /// Saves the result of the request that took the key.
    pub(crate) fn save(&mut self, key: &str, status: u16, body: &[u8]) {
        if let Some(entry) = self.entries.get_mut(key) {
            entry.result = Some(Saved { status, body: body.to_vec() });
        }
    }

    /// Makes every key older whose request is one of those meant, by path and body.
    pub(crate) fn age(&mut self, ms: i64, is_meant: impl Fn(&str, &[u8]) -> bool) {
        let meant = self.entries.values_mut().filter(|entry| is_meant(&entry.path, &entry.body));
        meant.for_each(|entry| entry.first_ms -= ms);
    }
}

impl Entry {
    /// Compares parameters, not bytes: their order does not matter.
    fn has_parameters_of(&self, request: &Request) -> bool {
        if self.query == request.query && self.body == request.body {
            return true;
        }
        sorted(&self.query, &self.body) == sorted(&request.query, &request.body)
    }
}

fn sorted(query: &str, body: &[u8]) -> Vec<(String, String)> {
    let mut all: Vec<_> = pairs(query.as_bytes())
        .chain(pairs(body))
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .collect();
    all.sort();
    all
}
