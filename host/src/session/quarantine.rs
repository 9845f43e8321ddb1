//! The documents that a session puts aside, each with the reason and the time of the next attempt.
//!
//! The delay doubles with each attempt that fails, and ends as soon as the document asks for something else.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use fleetfold_core::Value;
use fleetfold_core::api::Refusal;
use fleetfold_core::object::Reference;
use fleetfold_core::value::Text;
use fleetfold_core::workspace::equal_ignoring_server_fields;

use crate::clock::now;
use crate::engine::refusal;
use crate::target::Target;

const FIRST_WAIT: Duration = Duration::from_secs(30);
const LONGEST_WAIT: Duration = Duration::from_secs(3600);

/// A document that is put aside.
#[derive(Clone, Debug)]
pub struct Quarantined {
    /// `Kind/namespace/name`.
    pub reference: String,
    /// The limit that was exceeded: the code and the message of the engine's error.
    pub code: Text,
    pub message: String,
    /// When it was put aside.
    pub since: String,
    /// The document as it was then. Nothing if it is not known as a value, as documents of files are.
    document: Option<Value>,
    /// Whether it could not even be loaded.
    pub is_unloaded: bool,
    wait: Duration,
    until: Instant,
}

impl Quarantined {
    /// The problem in one line.
    pub fn summary(&self) -> String {
        let Quarantined { reference, message, since, wait, .. } = self;
        format!(
            "{reference} is quarantined since {since}: {message}; it keeps its last state, and is tried again every \
             {wait:?} or when it changes"
        )
    }

    /// The document, to load it again.
    pub fn document(&self) -> Option<&Value> {
        self.document.as_ref()
    }
}

/// All of them, by reference.
#[derive(Clone, Debug, Default)]
pub struct Quarantine(BTreeMap<String, Quarantined>);

impl Quarantine {
    pub fn iter(&self) -> impl Iterator<Item = &Quarantined> {
        self.0.values()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The references, as `configure` takes them.
    pub fn references(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }

    /// Puts a document aside.
    pub fn add(&mut self, reference: String, refusal: &Refusal, document: Option<Value>, is_unloaded: bool) {
        let wait = FIRST_WAIT;
        let entry = Quarantined {
            code: refusal.code.clone(),
            message: refusal.message.clone(),
            since: now(),
            document,
            is_unloaded,
            wait,
            until: Instant::now() + wait,
            reference: reference.clone(),
        };
        self.0.insert(reference, entry);
    }

    /// Puts exactly these documents aside, for a reason that another session knows.
    pub fn replace(&mut self, references: Vec<String>) {
        self.0.retain(|it, _| references.contains(it));
        let refusal = refusal("quarantined-document", "another workspace exceeded a limit on it", "");
        for reference in references {
            if !self.0.contains_key(&reference) {
                self.add(reference, &refusal, None, false);
            }
        }
    }

    /// Takes a document back.
    pub fn release(&mut self, reference: &str) -> Option<Quarantined> {
        self.0.remove(reference)
    }

    /// Doubles the delay after an attempt that failed.
    pub fn postpone(&mut self, reference: &str) {
        if let Some(entry) = self.0.get_mut(reference) {
            entry.wait = (entry.wait * 2).min(LONGEST_WAIT);
            entry.until = Instant::now() + entry.wait;
        }
    }

    /// The documents whose next attempt is due.
    pub fn due(&self) -> Vec<String> {
        let now = Instant::now();
        self.0.values().filter(|it| it.until <= now).map(|it| it.reference.clone()).collect()
    }

    /// When the next attempt is due.
    pub fn next_try(&self) -> Option<Instant> {
        self.0.values().map(|it| it.until).min()
    }

    /// Releases the documents that ask for something else now. Returns whether there were any.
    pub fn loaded(&mut self, documents: &[Value]) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let before = self.0.len();
        for document in documents {
            let identity = Target::of(document).identity();
            self.0.retain(|reference, it| {
                let is_same = it.document.as_ref().is_some_and(|before| equal_ignoring_server_fields(before, document));
                is_same || !Reference::parse(reference).is_ok_and(|it| it.names(&identity))
            });
        }
        self.0.len() < before
    }

    /// Releases the documents that are unloaded. Returns whether there were any.
    pub fn unloaded(&mut self, refs: &[Text]) -> bool {
        let before = self.0.len();
        let named: Vec<Reference> = refs.iter().filter_map(|it| Reference::parse(it).ok()).collect();
        self.0.retain(|reference, _| {
            let Ok(reference) = Reference::parse(reference) else { return true };
            let group = |it: &Reference| it.first().group;
            !named.iter().any(|it| it.names(&reference.of_group(&group(it))))
        });
        self.0.len() < before
    }

    /// Makes every attempt due, for tests.
    #[cfg(test)]
    pub fn expire(&mut self) {
        self.0.values_mut().for_each(|it| it.until = Instant::now());
    }

    /// The delays, for tests.
    #[cfg(test)]
    pub fn waits(&self) -> Vec<Duration> {
        self.0.values().map(|it| it.wait).collect()
    }
}
