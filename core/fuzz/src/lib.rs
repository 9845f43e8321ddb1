//! What must hold for any input: one function a target, which panics where it does not.
//!
//! `npm run fuzz` runs each of them under libFuzzer, and `npm test` replays the inputs of [`corpus`]. An input that
//! fails is added to the corpus together with the fix.

pub mod corpus;
mod engine;
mod memory;
mod text;

pub use engine::{cel, history, patch, redact, request};
pub use memory::memory;
pub use text::{json, path, selector, yaml};

/// A target by its name.
pub type Target = fn(&[u8]);

/// Every target.
pub const TARGETS: [(&str, Target); 10] = [
    ("cel", cel),
    ("history", history),
    ("json", json),
    ("memory", memory),
    ("patch", patch),
    ("path", path),
    ("redact", redact),
    ("request", request),
    ("selector", selector),
    ("yaml", yaml),
];

/// The input as text. Most targets read text, and what is not UTF-8 is the business of [`request`].
fn text_of(data: &[u8]) -> Option<&str> {
    std::str::from_utf8(data).ok()
}

/// The input as two texts, cut at the first line break.
fn two_texts(data: &[u8]) -> Option<(&str, &str)> {
    text_of(data)?.split_once('\n')
}
