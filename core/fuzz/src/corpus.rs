//! The inputs that are kept: one file a target, one input a line, as JSON strings.
//!
//! A line that begins with `x` holds bytes that are not UTF-8, in hexadecimal digits.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use fleetfold_core::Value;
use fleetfold_core::value::json;

/// The file of a target.
pub fn file(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(format!("{target}.jsonl"))
}

/// The kept inputs of a target.
///
/// # Errors
///
/// The file cannot be read, or a line of it is neither a JSON string nor hexadecimal digits.
pub fn read(target: &str) -> io::Result<Vec<Vec<u8>>> {
    fs::read_to_string(file(target))?.lines().map(|line| input(line).ok_or_else(|| bad(target, line))).collect()
}

fn bad(target: &str, line: &str) -> io::Error {
    io::Error::other(format!("the corpus of `{target}` has a line that cannot be read: {line}"))
}

fn input(line: &str) -> Option<Vec<u8>> {
    if let Some(digits) = line.strip_prefix('x') {
        let pairs = digits.as_bytes().chunks(2);
        return pairs.map(|it| u8::from_str_radix(std::str::from_utf8(it).ok()?, 16).ok()).collect();
    }
    match json::parse(line).ok()? {
        Value::Text(text) => Some(text.as_bytes().to_vec()),
        _ => None,
    }
}
