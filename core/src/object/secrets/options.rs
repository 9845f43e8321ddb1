//! Values that documents give to options of the type `secret`, where a reference belongs. `lint` reports them, and an
//! excerpt must not show them.
//!
//! The texts are not loaded, and may be broken or of any file, so the options are found by their shape: an entry with
//! `type: secret` and a `name` declares one, and an entry with that `name` or `path` sets it.

use crate::diagnostic::Mode;
use crate::value::Value;
use crate::value::collections::SortedSet;
use crate::yaml;

/// Shorter values are in too many lines.
const MIN_LENGTH: usize = 3;

/// The values in these texts.
pub(super) fn values(texts: &[&str]) -> SortedSet<String> {
    let mut names = SortedSet::new();
    // Most texts have no definition, and need not be parsed.
    for text in texts.iter().filter(|it| it.contains("options") && it.contains("secret")) {
        documents(text, |it| each_map(it, &mut |map| names.extend(secret_option(map))));
    }
    let mut values = SortedSet::new();
    if !names.is_empty() {
        for text in texts.iter().filter(|text| names.iter().any(|it| text.contains(it.as_str()))) {
            documents(text, |it| each_map(it, &mut |map| strings(given(map, &names), &mut values)));
        }
    }
    values
}

fn documents(text: &str, mut visit: impl FnMut(&Value)) {
    let parsed = yaml::parse_each(text, Mode::Strict, &mut Vec::new());
    parsed.into_iter().filter_map(Result::ok).for_each(|it| visit(&it.value));
}

/// The name of an option of a definition that is a secret.
fn secret_option(map: &Value) -> Option<String> {
    (map.text_at(&["type"]) == "secret").then(|| map.text_at(&["name"]).to_owned()).filter(|it| !it.is_empty())
}

/// The value that an entry gives to one of these options.
fn given<'a>(map: &'a Value, names: &SortedSet<String>) -> Option<&'a Value> {
    let is_of = |key| names.contains(map.text_at(&[key]));
    map.get("value").filter(|_| is_of("name") || is_of("path"))
}

/// The strings in a value, and other scalars as they are written.
fn strings(value: Option<&Value>, out: &mut SortedSet<String>) {
    let Some(value) = value else { return };
    match value.as_text() {
        // Each line of a block.
        Some(text) => out.extend(text.lines().map(str::trim).filter(|it| it.len() >= MIN_LENGTH).map(str::to_owned)),
        None => {
            let parts = value.as_list().into_iter().flatten();
            parts
                .chain(value.as_map().into_iter().flat_map(|it| it.iter().map(|(_, it)| it)))
                .for_each(|it| strings(Some(it), out));
            if value.as_list().is_none() && value.as_map().is_none() {
                out.extend(Some(value.to_canonical()).filter(|it| it.len() >= MIN_LENGTH));
            }
        }
    }
}

fn each_map(value: &Value, visit: &mut impl FnMut(&Value)) {
    if let Some(map) = value.as_map() {
        visit(value);
        map.iter().for_each(|(_, it)| each_map(it, visit));
    }
    value.as_list().into_iter().flatten().for_each(|it| each_map(it, visit));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_secret_options_are_found_in_other_documents() {
        let definition = "spec:\n  options:\n  - {name: a.token, type: secret}\n  - {name: size, type: int}\n";
        let preset =
            "plugin:\n  optionValues:\n  - name: a.token\n    value: hunter2\n  - {name: size, value: 12345}\n";
        let others = "overrides: [{path: a.token, value: 777654321}]\n---\n- {name: a.token, value: {b: [deep]}}\n";
        let found = values(&[definition, preset, others]);
        assert!(["hunter2", "deep"].iter().all(|it| found.contains(*it)), "{found:?}");
        assert!(!found.contains("12345") && found.len() == 3, "{found:?}");
        assert!(values(&[preset, others]).is_empty());
    }
}
