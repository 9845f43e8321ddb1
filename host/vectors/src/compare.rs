//! Where an answer differs from the one that is wanted.
//!
//! 1. `ok` must be equal, as canonical JSON.
//! 2. Of `error`, the given fields must be equal.
//! 3. `diagnostics` must be as many, in that order, and of each the given fields must be equal. None given means none.
//! 4. Whatever is wanted, the answer itself must be written canonically.
//!
//! The answer to a `given` request only has to be canonical and have no `error`.

use std::collections::BTreeSet;
use std::fmt;

use fleetfold_core::Value;
use fleetfold_core::value::json;
use fleetfold_core::value::path::Pointer;

use super::DEPTH;
use super::read::Want;

/// One place where an answer is not as wanted. What is not there is nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// A JSON pointer into the answer.
    pub path: String,
    pub want: Option<String>,
    pub got: Option<String>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |side: &Option<String>| side.clone().unwrap_or_else(|| "nothing".to_owned());
        let path = if self.path.is_empty() { "the answer" } else { &self.path };
        write!(f, "{path}\n    want {}\n    got  {}", shown(&self.want), shown(&self.got))
    }
}

/// Compares an answer with what is wanted; empty when all is well.
pub fn compare(want: &Want, answer: &str) -> Vec<Difference> {
    let mut found = Found(Vec::new());
    let root = Pointer::root();
    if let Want::Text(text) = want {
        if text != answer {
            found.add(&root, Some(text.clone()), Some(answer.to_owned()));
        }
        return found.0;
    }
    let Some(got) = found.canonical(answer) else { return found.0 };
    match want {
        Want::Ok { ok, diagnostics } => {
            found.compare(&root.child("ok"), Some(ok), got.get("ok"), Further::Differs);
            let diagnostics = (!diagnostics.is_empty()).then(|| Value::from(diagnostics.clone()));
            let place = root.child("diagnostics");
            found.compare(&place, diagnostics.as_ref(), got.get("diagnostics"), Further::Fine);
            found.nothing_but(&["ok", "diagnostics"], &got);
        }
        Want::Error(error) => {
            found.compare(&root.child("error"), Some(error), got.get("error"), Further::Fine);
            found.nothing_but(&["error"], &got);
        }
        Want::Text(_) => {}
    }
    found.0
}

/// Checks the answer to a `given` request; empty when the set-up succeeded.
pub fn compare_given(answer: &str) -> Vec<Difference> {
    let mut found = Found(Vec::new());
    if let Some(got) = found.canonical(answer) {
        let error = got.get("error");
        if error.is_some() || got.get("ok").is_none() {
            found.add(&Pointer::root().child("error"), None, Some(error.unwrap_or(&got).to_canonical()));
        }
    }
    found.0
}

/// What a key is that a map has and that is not wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Further {
    Differs,
    Fine,
}

struct Found(Vec<Difference>);

impl Found {
    fn add(&mut self, path: &Pointer, want: Option<String>, got: Option<String>) {
        self.0.push(Difference { path: path.to_string(), want, got });
    }

    /// The answer as a value, if it is JSON; it must be written canonically.
    fn canonical(&mut self, answer: &str) -> Option<Value> {
        let root = Pointer::root();
        let Ok(got) = json::parse_within(answer, DEPTH) else {
            self.add(&root, Some("JSON".to_owned()), Some(answer.to_owned()));
            return None;
        };
        let canonical = got.to_canonical();
        if canonical != answer {
            self.add(&root, Some(canonical), Some(answer.to_owned()));
        }
        Some(got)
    }

    fn compare(&mut self, path: &Pointer, want: Option<&Value>, got: Option<&Value>, further: Further) {
        match (want, got) {
            (Some(Value::Map(a)), Some(Value::Map(b))) => {
                let rest = b.keys().filter(|_| further == Further::Differs);
                for key in a.keys().chain(rest).collect::<BTreeSet<_>>() {
                    self.compare(&path.child(key.clone()), a.get(key), b.get(key), further);
                }
            }
            (Some(Value::List(a)), Some(Value::List(b))) => {
                for index in 0..a.len().max(b.len()) {
                    self.compare(&path.child(index.to_string()), a.get(index), b.get(index), further);
                }
            }
            _ => {
                let (want, got) = (want.map(Value::to_canonical), got.map(Value::to_canonical));
                if want != got {
                    self.add(path, want, got);
                }
            }
        }
    }

    fn nothing_but(&mut self, known: &[&str], got: &Value) {
        for (key, value) in got.as_map().into_iter().flat_map(|it| it.iter()) {
            if !known.contains(&key.as_str()) {
                self.add(&Pointer::of([key.clone()]), None, Some(value.to_canonical()));
            }
        }
    }
}
