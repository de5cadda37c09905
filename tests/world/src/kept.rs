//! Seeds that once broke an invariant: every run replays them.

use std::{
    fs::OpenOptions,
    io::{self, Write},
    path::{Path, PathBuf},
};

use crate::draw::Drawing;

const KEPT: &str = include_str!("../seeds.txt");

/// Returns the kept seeds, each with the drawing that gives it its meaning.
///
/// # Panics
/// If a line of the list does not begin with a drawing and a seed.
#[must_use]
pub fn kept_seeds() -> Vec<(Drawing, u64)> {
    let lines = KEPT.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines
        .map(|line| {
            let mut words = line.split(' ');
            let drawing = words.next().unwrap_or_default().parse();
            let seed = words.next().unwrap_or_default().parse();
            match (drawing, seed) {
                (Ok(drawing), Ok(seed)) => (drawing, seed),
                (_, _) => panic!("seeds.txt: `{line}` does not begin with a drawing and a seed"),
            }
        })
        .collect()
}

/// Adds a seed to the list, with what it broke; returns the list's path.
///
/// # Errors
/// Returns why the list cannot be written.
pub fn keep_seed(drawing: Drawing, seed: u64, what: &str) -> io::Result<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds.txt");
    let line = what.lines().next().unwrap_or_default();
    let mut list = OpenOptions::new().append(true).open(&path)?;
    list.write_all(format!("{drawing} {seed} {line}\n").as_bytes())?;
    Ok(path)
}
