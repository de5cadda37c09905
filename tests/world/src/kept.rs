//! Seeds that once broke an invariant: every run replays them.

use std::{
    fs::OpenOptions,
    io::{self, Write},
    path::{Path, PathBuf},
};

const KEPT: &str = include_str!("../seeds.txt");

/// Returns the kept seeds.
///
/// # Panics
/// If a line of the list does not begin with a seed.
#[must_use]
pub fn kept_seeds() -> Vec<u64> {
    let lines = KEPT.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines
        .map(|line| match line.split(' ').next().unwrap_or_default().parse() {
            Ok(seed) => seed,
            Err(_) => panic!("seeds.txt: `{line}` does not begin with a seed"),
        })
        .collect()
}

/// Adds a seed to the list, with what it broke; returns the list's path.
///
/// # Errors
/// Returns why the list cannot be written.
pub fn keep_seed(seed: u64, what: &str) -> io::Result<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds.txt");
    let line = what.lines().next().unwrap_or_default();
    OpenOptions::new().append(true).open(&path)?.write_all(format!("{seed} {line}\n").as_bytes())?;
    Ok(path)
}
