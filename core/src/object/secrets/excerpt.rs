//! The lines of source texts that a message may show.

use super::copies::{mentions_secret, read};
use super::options;
use super::text::redact_text;
use super::values::SecretValues;
use crate::value::Value;
use crate::value::collections::SortedSet;

/// What may be shown of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Excerpt {
    Line(String),
    /// The line is in a document that is or may be a Secret, or has a value of one in it.
    Redacted,
}

/// What may be shown of the lines of some texts.
#[derive(Clone, Debug, Default)]
pub struct Excerpts {
    values: SecretValues,
    /// What options of the type `secret` are set to.
    options: SortedSet<String>,
}

impl Excerpts {
    /// The excerpts of texts that are shown together: what the Secrets of one hold is not shown from another, and
    /// neither are plain values of options of the type `secret`.
    ///
    /// # Example
    ///
    /// ```
    /// use fleetfold_core::object::secrets::{Excerpt, Excerpts};
    ///
    /// let text = "kind: Secret\nmetadata:\n  name: db\nstringData:\n  password: hunter2\n---\nkind: Pod\n# hunter2\n";
    /// let excerpts = Excerpts::of([text]);
    /// assert_eq!(excerpts.line(text, 3), Some(Excerpt::Line("  name: db".into())));
    /// assert_eq!(excerpts.line(text, 5), Some(Excerpt::Redacted));
    /// assert_eq!(excerpts.line(text, 7), Some(Excerpt::Line("kind: Pod".into())));
    /// assert_eq!(excerpts.line(text, 8), Some(Excerpt::Redacted));
    /// assert_eq!(excerpts.line(text, 9), None);
    /// ```
    pub fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Excerpts {
        let texts: Vec<&str> = texts.into_iter().collect();
        let mut secrets: Vec<Value> = Vec::new();
        for text in &texts {
            let parts = parts(text).filter(|it| mentions_secret(it)).filter_map(|it| read(it).ok());
            secrets.extend(parts.flatten().map(|it| it.value));
        }
        Excerpts { values: SecretValues::of(&secrets, |_| false), options: options::values(&texts) }
    }

    /// A line of a text, counted from one. In a document that is or may be a Secret, only lines are shown that
    /// redaction leaves as they are.
    pub fn line(&self, text: &str, number: usize) -> Option<Excerpt> {
        let mut before = 0;
        for part in parts(text) {
            let lines = part.lines().count();
            let within = number.checked_sub(before)?.checked_sub(1)?;
            if let Some(line) = part.lines().nth(within) {
                let is_kept = redact_text(part).text.lines().nth(within) == Some(line);
                let has_option = || self.options.iter().any(|it| line.contains(it.as_str()));
                let is_shown = is_kept && !self.values.is_in(line) && !has_option();
                return Some(if is_shown { Excerpt::Line(line.to_owned()) } else { Excerpt::Redacted });
            }
            before = before.saturating_add(lines);
        }
        None
    }
}

/// The parts of a text that are read on their own.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let end = text.get(1..).and_then(|it| it.find("\n---")).map(|it| it.saturating_add(2));
        let (part, after) = end.and_then(|it| text.split_at_checked(it)).map_or((text, None), |(a, b)| (a, Some(b)));
        rest = after;
        Some(part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of a text that are shown.
    fn shown(text: &str) -> Vec<usize> {
        let excerpts = Excerpts::of([text]);
        let is_shown = |number: &usize| matches!(excerpts.line(text, *number), Some(Excerpt::Line(_)));
        (1..=text.lines().count()).filter(is_shown).collect()
    }

    #[test]
    fn a_broken_document_shows_no_line_unless_it_is_of_another_kind() {
        assert_eq!(shown("kind: Secret\ndata: {a: hunter2}\ndata: {}\n---\nkind: Pod\nspec: [\n"), [4, 5, 6]);
        assert_eq!(shown("metadata:\n  name: a\nstringData: {a: [hunter2\n"), [0; 0]);
        assert_eq!(shown("knd: Secret\nstringData: {a: [hunter2\n"), [0; 0]);
        assert_eq!(shown("kind: \"Sec\\u0072et\"\nstringData: {a: [hunter2\n"), [0; 0]);
        assert_eq!(shown("kind: Pod\nspec: {a: [b\n"), [1, 2]);
        assert_eq!(shown("{\"kind\": \"Pod\",\n\"spec\": {\n"), [1, 2]);
    }

    #[test]
    fn a_document_that_may_be_a_secret_shows_none_of_its_contents() {
        assert_eq!(shown("metadata:\n  name: a\nstringData:\n  a: hunter2\n"), [1, 2, 3]);
        assert_eq!(shown("kind: secret\ndata:\n  a: hunter2\n"), [1, 2]);
        assert_eq!(shown("kind: Secret\nstringData: {pin: 0777654321, other: hunter2}\n"), [1]);
        assert_eq!(shown("name: a\nversion: 1\n"), [1, 2]);
    }

    #[test]
    fn the_lines_of_every_part_are_counted() {
        let text = "---\nkind: Pod\n---\nkind: Secret\ndata:\n  a: aHVudGVyMg==\n---\nkind: Node\nspec: hunter2";
        assert_eq!(shown(text), [1, 2, 3, 4, 5, 7, 8]);
    }
}
