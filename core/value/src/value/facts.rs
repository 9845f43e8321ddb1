//! Facts about the content of a map, cached with the map.
//!
//! Clusters share most of their maps in memory. So a hash, or whether a Secret is inside, is computed once for all of
//! them, and not once per cluster. Any mutable access to a map clears its facts; a change further down goes through all
//! maps around it, which clear theirs too.

use std::hash::Hasher;
use std::sync::atomic::{AtomicU64, Ordering};

/// A question about the content of a map that is yes or no.
#[derive(Clone, Copy, Debug)]
pub enum Fact {
    /// Whether redaction has something to do.
    HoldsSecret,
    /// Whether it may have, which is sooner known.
    MayHoldSecret,
}

/// Nothing that an atomic holds is read together with another: relaxed is enough.
const ORDER: Ordering = Ordering::Relaxed;

/// The hash in the upper bits, where zero is unknown; below it two bits for each fact: known, and true.
#[derive(Debug, Default)]
pub struct Facts(AtomicU64);

const KNOWN: u64 = 1;
const TRUE: u64 = 2;
const HASH: u64 = !15;

impl Facts {
    pub fn forget(&mut self) {
        *self.0.get_mut() = 0;
    }

    /// The hash, computed if it is unknown.
    pub fn hash(&self, work_out: impl FnOnce() -> u64) -> u64 {
        let known = self.0.load(ORDER) & HASH;
        if known != 0 {
            return known;
        }
        // Zero is unknown; any other value does.
        let hash = Some(work_out() & HASH).filter(|it| *it != 0).unwrap_or(1 << 63);
        self.0.fetch_or(hash, ORDER);
        hash
    }

    /// A fact, computed if it is unknown.
    pub fn is(&self, fact: Fact, work_out: impl FnOnce() -> bool) -> bool {
        let at = match fact {
            Fact::HoldsSecret => 0,
            Fact::MayHoldSecret => 2,
        };
        let known = self.0.load(ORDER) >> at;
        if known & KNOWN != 0 {
            return known & TRUE != 0;
        }
        let is = work_out();
        self.0.fetch_or((if is { KNOWN | TRUE } else { KNOWN }) << at, ORDER);
        is
    }
}

/// A copy has the same content.
impl Clone for Facts {
    fn clone(&self) -> Facts {
        Facts(AtomicU64::new(self.0.load(ORDER)))
    }
}

/// Hashes eight bytes at a time. It need not withstand attacks: equal hashes are compared. The standard hasher would be
/// slower, and its keys random.
#[derive(Debug, Default)]
pub struct WordHasher(u64);

impl Hasher for WordHasher {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks();
        words.iter().for_each(|word| self.write_u64(u64::from_le_bytes(*word)));
        if !rest.is_empty() {
            self.write_u64(rest.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)));
        }
    }

    fn write_u8(&mut self, byte: u8) {
        self.write_u64(byte.into());
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn write_isize(&mut self, number: isize) {
        self.write_u64(number as u64);
    }

    fn write_i64(&mut self, number: i64) {
        self.write_u64(number.cast_unsigned());
    }

    fn write_u64(&mut self, word: u64) {
        const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(ODD);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use std::hash::{Hash, Hasher};

    use super::*;
    use crate::value::{Map, Value, json};

    fn hash_of(value: &Value) -> u64 {
        let mut hasher = WordHasher::default();
        value.hash(&mut hasher);
        hasher.finish()
    }

    fn parse(text: &str) -> Value {
        json::parse(text).expect("a test writes JSON")
    }

    /// Works out everything about a value, changes it, and compares with a value that was never different.
    #[track_caller]
    fn check(change: impl FnOnce(&mut Value), want: &str) {
        let mut value = parse(r#"{"a":{"b":[{"c":1}],"d":"x"},"e":2}"#);
        let says_x = |it: &Map| it.get("d").is_some_and(|it| it == &Value::text("x"));
        let mut known = vec![hash_of(&value)];
        known.push(u64::from(value.get("a").and_then(Value::as_map).unwrap().is(Fact::HoldsSecret, says_x)));
        change(&mut value);
        assert_eq!(value, parse(want));
        assert_eq!(hash_of(&value), hash_of(&parse(want)), "{want}");
        if let Some(map) = value.get("a").and_then(Value::as_map) {
            assert_eq!(map.is(Fact::HoldsSecret, says_x), says_x(map), "{want}");
        }
    }

    #[test]
    fn a_change_forgets_what_was_known() {
        let a = |it: &mut Value| it.get_mut("a").unwrap().clone();
        check(|_| {}, r#"{"a":{"b":[{"c":1}],"d":"x"},"e":2}"#);
        check(|it| *it.get_mut("e").unwrap() = 3_i64.into(), r#"{"a":{"b":[{"c":1}],"d":"x"},"e":3}"#);
        check(|it| drop(it.as_map_mut().unwrap().remove("a")), r#"{"e":2}"#);
        check(
            |it| drop(it.get_mut("a").unwrap().as_map_mut().unwrap().insert("d", "y")),
            r#"{"a":{"b":[{"c":1}],"d":"y"},"e":2}"#,
        );
        check(
            |it| it.get_mut("a").unwrap().as_map_mut().unwrap().retain(|key, _| key == "d"),
            r#"{"a":{"d":"x"},"e":2}"#,
        );
        check(
            |it| {
                let list = it.get_mut("a").and_then(|it| it.get_mut("b")).and_then(Value::as_list_mut).unwrap();
                drop(list[0].as_map_mut().unwrap().insert("c", 9_i64));
            },
            r#"{"a":{"b":[{"c":9}],"d":"x"},"e":2}"#,
        );
        check(
            |it| {
                let map = it.get_mut("a").unwrap().as_map_mut().unwrap();
                *map.entry_or("f", || Value::Null).unwrap() = true.into();
                map.iter_mut().filter(|(key, _)| *key == "d").for_each(|(_, value)| *value = Value::Null);
            },
            r#"{"a":{"b":[{"c":1}],"d":null,"f":true},"e":2}"#,
        );
        // Of two that share it, the other one stays.
        check(
            |it| {
                let mut copy = a(it);
                copy.as_map_mut().unwrap().insert("d", "z");
            },
            r#"{"a":{"b":[{"c":1}],"d":"x"},"e":2}"#,
        );
    }

    #[test]
    fn equal_numbers_have_one_hash_in_maps_too() {
        assert_eq!(hash_of(&parse(r#"{"a":1}"#)), hash_of(&parse(r#"{"a":1.0}"#)));
    }
}
