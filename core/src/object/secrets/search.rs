//! Finds any of many texts in another one, in one pass (the algorithm of Wu and Manber).

use crate::value::sorting::sort;

/// The texts that are searched for. All of them are at least [`MIN`] bytes long.
#[derive(Clone, Default)]
pub struct Search {
    /// In the order of their bytes.
    patterns: Vec<Pattern>,
    /// Of each pattern the longest other one that it begins with. All that a text begins with are on one such chain, so
    /// that they are found without looking at every pattern with the same first bytes.
    beginnings: Vec<Option<usize>>,
    /// How far the window may move on, by a hash of its last two bytes. Empty if there are no patterns.
    shifts: Vec<u8>,
}

/// A text that is searched for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pattern {
    pub bytes: Box<[u8]>,
    /// Whether it counts only where no letter or digit is next to it.
    pub is_word: bool,
}

/// The length of the window. A shorter pattern is not searched for.
pub const MIN: usize = 6;

const SHIFTS: usize = 1 << 13;

/// The longest shift: the window less the two compared bytes, plus one.
const FARTHEST: u8 = 5;

fn slot(first: u8, second: u8) -> usize {
    (usize::from(first) << 5 ^ usize::from(second)) % SHIFTS
}

impl Search {
    pub fn of(mut patterns: Vec<Pattern>) -> Search {
        patterns.retain(|it| it.bytes.len() >= MIN);
        if patterns.is_empty() {
            return Search::default();
        }
        sort(&mut patterns);
        patterns.dedup();
        let mut shifts = vec![FARTHEST; SHIFTS];
        for pattern in &patterns {
            let window = pattern.bytes.get(..MIN).unwrap_or_default();
            for (shift, pair) in (0..FARTHEST).rev().zip(window.windows(2)) {
                if let [first, second] = pair
                    && let Some(slot) = shifts.get_mut(slot(*first, *second))
                {
                    *slot = shift.min(*slot);
                }
            }
        }
        Search { beginnings: beginnings(&patterns), patterns, shifts }
    }

    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Where the first pattern is: its start and its end, and whether it is a word. The longest one counts where
    /// several start at one place.
    pub fn find(&self, text: &[u8]) -> Option<(usize, usize, bool)> {
        if self.is_empty() {
            return None;
        }
        let mut end = MIN;
        while let Some(window) = text.get(..end).and_then(<[u8]>::last_chunk::<MIN>) {
            let [.., first, second] = window;
            let shift = self.shifts.get(slot(*first, *second)).copied().unwrap_or_default();
            if shift > 0 {
                end = end.saturating_add(usize::from(shift));
                continue;
            }
            let start = end.saturating_sub(MIN);
            if let Some((end, is_word)) = self.longest_at(text, start) {
                return Some((start, end, is_word));
            }
            end = end.saturating_add(1);
        }
        None
    }

    fn longest_at(&self, text: &[u8], start: usize) -> Option<(usize, bool)> {
        let rest = text.get(start..)?;
        // Whatever the rest begins with comes before it, and is a beginning of the last pattern that does.
        let last = self.patterns.partition_point(|it| *it.bytes <= *rest).checked_sub(1)?;
        let shared = self.patterns.get(last)?.bytes.iter().zip(rest).take_while(|(a, b)| a == b).count();
        let mut at = Some(last);
        while let Some(index) = at {
            let pattern = self.patterns.get(index)?;
            let end = start.saturating_add(pattern.bytes.len());
            if pattern.bytes.len() <= shared && (!pattern.is_word || is_word(text, start, end)) {
                return Some((end, pattern.is_word));
            }
            at = self.beginnings.get(index).copied().flatten();
        }
        None
    }
}

fn beginnings(patterns: &[Pattern]) -> Vec<Option<usize>> {
    let mut all = Vec::with_capacity(patterns.len());
    // The patterns that the last one begins with, and itself.
    let mut chain: Vec<(usize, &Pattern)> = Vec::new();
    for (index, pattern) in patterns.iter().enumerate() {
        while chain.pop_if(|(_, it)| !pattern.bytes.starts_with(&it.bytes)).is_some() {}
        all.push(chain.last().map(|(index, _)| *index));
        chain.push((index, pattern));
    }
    all
}

/// Whether no letter or digit is next to a part of a text. The letter of an escape, as in `\n`, does not count.
fn is_word(text: &[u8], start: usize, end: usize) -> bool {
    let before = text.get(..start).unwrap_or_default();
    let is_apart = match before {
        [.., b'\\', b'n' | b't' | b'r' | b'b' | b'f'] => true,
        [.., last] => !last.is_ascii_alphanumeric(),
        [] => true,
    };
    is_apart && !text.get(end).is_some_and(u8::is_ascii_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(patterns: &[&str], is_word: bool) -> Search {
        Search::of(patterns.iter().map(|it| Pattern { bytes: it.as_bytes().into(), is_word }).collect())
    }

    #[test]
    fn every_pattern_is_found_wherever_it_is() {
        let patterns = ["hunter2hunter3", "hunter2", "abcabcabd", "xyxyxyxy", "ünïcödé"];
        let search = search(&patterns, false);
        for pattern in patterns {
            for before in 0..20 {
                for after in [0, 1, 7] {
                    let text = format!("{}{pattern}{}", "-".repeat(before), "+".repeat(after));
                    assert_eq!(search.find(text.as_bytes()), Some((before, before + pattern.len(), false)), "{text}");
                }
            }
        }
    }

    #[test]
    fn the_longest_of_many_with_one_beginning_is_found() {
        let numbered: Vec<String> = (0..300).map(|it| format!("value-{it}")).collect();
        let search = search(&numbered.iter().map(String::as_str).collect::<Vec<_>>(), false);
        for (text, want) in [
            ("a value-29 b", Some("value-29")),
            ("a value-299", Some("value-299")),
            ("value-300", Some("value-30")),
            ("value-2x", Some("value-2")),
            ("value-x", None),
        ] {
            let found = search.find(text.as_bytes()).and_then(|(start, end, _)| text.get(start..end));
            assert_eq!(found, want, "{text}");
        }
    }

    #[test]
    fn what_is_not_there_is_not_found() {
        let search = search(&["hunter2", "short"], false);
        for text in ["", "h", "hunter", "hunter1", "unter2", "short", "hunterhunter"] {
            assert_eq!(search.find(text.as_bytes()), None, "{text}");
        }
        assert_eq!(Search::default().find(b"hunter2"), None);
    }

    #[test]
    fn a_word_ends_where_letters_and_digits_do() {
        let search = search(&["hunter2"], true);
        for (text, want) in [
            ("hunter22 hunter2", Some((9, 16, true))),
            ("xhunter2", None),
            ("a\\nhunter2", Some((3, 10, true))),
            ("\"hunter2\"", Some((1, 8, true))),
        ] {
            assert_eq!(search.find(text.as_bytes()), want, "{text}");
        }
    }
}
