//! The message of a verdict: one line of limited length.

use crate::diagnostic::Diagnostic;
use crate::value::collections::SortedSet;

/// How many reasons a denial gives.
const REASONS: usize = 5;
/// The length limit of one message, in characters: quoted values may be of any length.
const REASON: usize = 1_000;
/// How many warnings there are, and how many characters each has: API servers drop what is longer.
const WARNINGS: usize = 20;
const WARNING: usize = 120;

/// A finding in a sentence: what, where, and what to do about it.
pub fn sentence(finding: &Diagnostic) -> String {
    let Diagnostic { message, at, hint, .. } = finding;
    let place = at.path.as_ref().map(ToString::to_string).filter(|it| !it.is_empty());
    let place = place.map(|it| format!(" (at {it})")).unwrap_or_default();
    let hint = hint.as_ref().map(|it| format!("; {it}")).unwrap_or_default();
    format!("{message}{place}{hint}")
}

/// Reasons in a row, the rest of them counted.
pub fn listed<'a>(reasons: impl ExactSizeIterator<Item = &'a str>) -> String {
    let more = reasons.len().saturating_sub(REASONS);
    let mut shown: Vec<String> = reasons.take(REASONS).map(|it| cut(it, REASON)).collect();
    if more > 0 {
        shown.push(format!("and {more} more"));
    }
    shown.join("; ")
}

/// Warnings, each once; of too many the last one counts those that are left out.
pub fn shortened<'a>(warnings: impl Iterator<Item = &'a str>) -> Vec<String> {
    let (mut seen, mut shown) = (SortedSet::new(), Vec::new());
    shown.extend(warnings.map(|it| cut(it, WARNING)).filter(|it| seen.insert(it.clone())));
    if shown.len() > WARNINGS {
        let more = shown.split_off(WARNINGS.saturating_sub(1)).len();
        shown.push(format!("and {more} more warnings"));
    }
    shown
}

/// A name among others: `a`, `a and b`, `a, b and c`.
pub fn series(names: &[String], word: &str) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} {word} {last}", first.join(", ")),
    }
}

/// The text on one line, of at most so many characters, cut after a word where there is one.
fn cut(text: &str, most: usize) -> String {
    let line: String =
        text.chars().map(|it| if it.is_control() { ' ' } else { it }).take(most.saturating_add(1)).collect();
    if line.chars().count() <= most {
        return line;
    }
    let kept: String = line.chars().take(most.saturating_sub(1)).collect();
    // A word that was cut right after its end is complete.
    let whole = line.chars().nth(most.saturating_sub(1)).is_some_and(char::is_whitespace);
    let end = if whole { kept.len() } else { kept.rfind(' ').unwrap_or(kept.len()) };
    format!("{}…", kept.get(..end).unwrap_or(&kept).trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_after_a_word() {
        assert_eq!(cut("one two three", 13), "one two three");
        assert_eq!(cut("one two three", 12), "one two…");
        assert_eq!(cut("one two three", 8), "one two…");
        assert_eq!(cut("one two three", 7), "one…");
        assert_eq!(cut("onetwothree", 5), "onet…");
        assert_eq!(cut("one\ntwo", 10), "one two");
        assert_eq!(cut("ééééé", 4), "ééé…");
    }

    #[test]
    fn many_reasons_and_warnings_are_counted() {
        let many: Vec<String> = (0..30).map(|it| it.to_string()).collect();
        assert_eq!(listed(many.iter().map(String::as_str)), "0; 1; 2; 3; 4; and 25 more");
        let shown = shortened(many.iter().chain(&many).map(String::as_str));
        assert_eq!(shown.len(), WARNINGS);
        assert_eq!(shown.last().map(String::as_str), Some("and 11 more warnings"));
    }
}
