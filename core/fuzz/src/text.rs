//! Targets that read one text: what is read and printed reads back as the same.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use fleetfold_core::Value;
use fleetfold_core::diagnostic::Mode;
use fleetfold_core::engine::select::LabelSelector;
use fleetfold_core::object::Labels;
use fleetfold_core::object::Reference;
use fleetfold_core::object::Timestamp;
use fleetfold_core::value::json;
use fleetfold_core::value::path::{OptionPath, Pointer, RetentionPath};
use fleetfold_core::yaml::{parse, parse_each, place_in, print};

use crate::text_of;

/// 1. Canonical JSON reads back as the same value, and is its own canonical form.
/// 2. Reading beside a like text gives what reading alone gives, be it a value or an error.
pub fn json(data: &[u8]) {
    let Some(text) = text_of(data) else { return };
    let Ok(value) = json::parse(text) else { return };
    reads_back(&value);
    let mut samples = json::Samples::default();
    let sample = format!(r#"{{"metadata":{text}}}"#);
    samples.read(&sample, |_| true).ok();
    for at in (0..sample.len()).filter(|at| sample.is_char_boundary(*at)).step_by(1 + sample.len() / 16) {
        for put in ["", "1", "\"", ",", "e"] {
            let like = format!("{}{put}{}", &sample[..at], sample[at..].chars().skip(1).collect::<String>());
            assert_eq!(samples.read(&like, |_| false), json::parse(&like), "{like} beside {sample}");
        }
    }
}

/// 1. Strict and lenient reading agree on whether the text can be read.
/// 2. A document that is printed as YAML reads back as the same value.
/// 3. The place of a document's root is known.
pub fn yaml(data: &[u8]) {
    let Some(text) = text_of(data) else { return };
    for mode in [Mode::Strict, Mode::Compat] {
        let each = parse_each(text, mode, &mut Vec::new());
        let Ok(all) = parse(text, mode, &mut Vec::new()) else {
            assert!(each.iter().any(Result::is_err), "one way of reading refuses what the other reads: {text}");
            continue;
        };
        assert_eq!(each.len(), all.len(), "{text}");
        for (index, document) in all.iter().enumerate() {
            reads_back(&document.value);
            let printed = print(&document.value);
            let again = parse(&printed, mode, &mut Vec::new()).expect("printed YAML can be read");
            assert_eq!(again.iter().map(|it| &it.value).collect::<Vec<_>>(), [&document.value], "{printed}");
            let _ = place_in(text, index, &Pointer::default());
        }
    }
}

/// Pointers, option paths, retention paths, references and timestamps read back what they print.
pub fn path(data: &[u8]) {
    let Some(text) = text_of(data) else { return };
    round_trips::<Pointer>(text);
    round_trips::<OptionPath>(text);
    round_trips::<RetentionPath>(text);
    round_trips::<Reference>(text);
    round_trips::<Timestamp>(text);
}

/// 1. A selector reads back what it prints, and what it reads back accepts the same labels.
/// 2. It accepts labels of its own keys or refuses them, without a fault.
pub fn selector(data: &[u8]) {
    let Some(text) = text_of(data) else { return };
    let Some(selector) = round_trips::<LabelSelector>(text) else { return };
    let again: LabelSelector = selector.to_string().parse().expect("a printed selector can be read");
    let pairs = text.split(',').filter_map(|it| it.split_once('='));
    let labels: Labels = pairs.map(|(key, value)| (key.trim(), value.trim())).collect();
    for labels in [Labels::default(), labels] {
        assert_eq!(selector.accepts(&labels), again.accepts(&labels), "{text}");
    }
}

fn reads_back(value: &Value) {
    let canonical = value.to_canonical();
    // A double from 2^63 up to 1e21 is written as an integer that the reader refuses; see ARCHITECTURE.md.
    let Ok(again) = json::parse_answer(&canonical) else { return };
    assert_eq!(again.to_canonical(), canonical);
}

fn round_trips<T>(text: &str) -> Option<T>
where
    T: FromStr + Display + PartialEq + Debug,
{
    let value: T = text.parse().ok()?;
    let printed = value.to_string();
    let again: Option<T> = printed.parse().ok();
    assert_eq!(again.as_ref(), Some(&value), "`{text}` is printed as `{printed}`");
    Some(value)
}
