//! Bodies that no client expects.

use serde::Deserialize;

/// A way to spoil a reply's body; the status and the other headers stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Hostile {
    /// No body at all.
    Empty,
    /// A proxy's error page.
    Html,
    /// JSON that ends in the middle.
    Truncated,
    /// Bytes that are not UTF-8.
    NotUtf8,
    /// JSON of another type.
    WrongType,
    /// Arrays in arrays, 20,000 deep.
    Deep,
    /// A megabyte of JSON.
    Huge,
    /// A connection that closes in the middle of the body.
    CutOff,
}

impl Hostile {
    pub(crate) const ALL: [Hostile; 8] = [
        Hostile::Empty,
        Hostile::Html,
        Hostile::Truncated,
        Hostile::NotUtf8,
        Hostile::WrongType,
        Hostile::Deep,
        Hostile::Huge,
        Hostile::CutOff,
    ];

    /// Returns the spoilt body.
    pub(crate) fn spoil(self, body: &[u8]) -> Vec<u8> {
        match self {
            Hostile::Empty => Vec::new(),
            Hostile::Html => b"<html><body><h1>502 Bad Gateway</h1></body></html>".to_vec(),
            Hostile::Truncated | Hostile::CutOff => body[..body.len() / 2].to_vec(),
            Hostile::NotUtf8 => [&[0xff, 0xfe, 0x00, 0xc3, 0x28][..], body].concat(),
            Hostile::WrongType => b"[null, 1, \"payment_intent\"]".to_vec(),
            Hostile::Deep => vec![b'['; 20_000],
            Hostile::Huge => format!("{{\"padding\":\"{}\"}}", "x".repeat(1 << 20)).into_bytes(),
        }
    }
}
