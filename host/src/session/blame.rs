//! Finds the documents on which a call exceeds a limit.
//!
//! A document can be left out without a consequence (`quarantined` of `configure`), so the call is repeated with some
//! of them left out:
//!
//! 1. Subjects whose documents changed since the last good call come first: if the call succeeds without them, the
//!    search is among them.
//! 2. Otherwise all subjects are left out and let in again from the first on. The search halves the range until the
//!    first subject is found with which the call fails. It is blamed if the call also fails with that subject alone.
//! 3. With the blamed subjects left out, the call is repeated in full. If it fails again, the search goes on.
//! 4. Where two subjects fail alone, the cause may be a document that both depend on, such as an override. The search
//!    then is among the documents without which no dialect waits, the largest last. A document is blamed instead of the
//!    subjects if the call succeeds without it, if no subject that is known to be good depends on it, and if the call
//!    fails with the last subject that depends on it alone.
//! 5. Where the call fails even without subjects, the search is among all documents that are not subjects.
//! 6. Where no subject fails alone, and the call fails once more, they are too much together: the call is answered with
//!    as many of the first ones as the limits allow.
//! 7. The number of calls and their time are limited. What was found by then counts; without an answer the error stays
//!    an error.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use fleetfold_core::Value;
use fleetfold_core::api::configure::Configure;
use fleetfold_core::api::load::Load;
use fleetfold_core::api::plan::{PlanAnswer, PlanRequest};
use fleetfold_core::api::subjects::Subjects;
use fleetfold_core::api::{Answered, read_response, request_text};
use fleetfold_core::diagnostic::Code;
use fleetfold_core::yaml;

use crate::meta::Meta;
use crate::target::Target;

/// How many calls one search may make.
const MAX_CALLS: usize = 80;

/// How long one search may take; the call that is running then ends.
const MAX_TIME: Duration = Duration::from_secs(60);

/// How many subjects one search may blame one by one.
const MAX_BLAMED: usize = 16;

/// Leaves out every subject.
const ALL: &str = "*";

/// The longest deadline of a call that is only a trial.
const LONGEST_TRIAL: Duration = Duration::from_secs(2);

/// A workspace in which calls can be tried.
pub trait Workbench {
    /// Sends a request. Returns nothing if the workspace was lost.
    fn send(&mut self, request: &str, deadline: Option<Duration>) -> Option<String>;

    /// Loads the workspace again if it was lost. Returns whether it is there.
    fn restore(&mut self) -> bool;

    /// How long a call may take; nothing without a limit.
    fn deadline(&self) -> Option<Duration>;

    /// All loaded documents.
    fn loaded_documents(&self) -> Vec<LoadedDocument>;
}

/// A loaded document, as `subjects` names it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LoadedDocument {
    /// The length of its text.
    size: usize,
    reference: String,
}

impl LoadedDocument {
    pub fn of(document: &Value) -> LoadedDocument {
        let reference = Target::of(document).identity().to_string();
        LoadedDocument { size: document.to_canonical().len(), reference }
    }
}

/// The documents that a request loads. Observed objects are no documents.
pub fn documents_of(load: &Load) -> Vec<LoadedDocument> {
    if load.live.is_some() {
        return Vec::new();
    }
    let text = load.text.as_deref().unwrap_or_default();
    let parsed = yaml::parse_each(text, Default::default(), &mut Vec::new()).into_iter().flatten().map(|it| it.value);
    let given = load.documents.iter().flatten().cloned();
    let items = |it: Value| Meta::of(&it).list_items().map_or_else(|| vec![it.clone()], <[Value]>::to_vec);
    parsed.chain(given).flat_map(items).map(|it| LoadedDocument::of(&it)).collect()
}

/// What a search found.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The blamed documents, as `subjects` names them.
    pub blamed: Vec<String>,
    /// The answer without them; nothing if the call still fails.
    pub response: Option<String>,
}

/// Searches for the documents on which `request` fails. `quarantined` are left out already, and `changed` are the
/// documents that changed since the last good call. Afterwards the workspace may be lost, and its quarantine is
/// undefined.
pub fn search(bench: &mut dyn Workbench, request: &str, quarantined: &[String], changed: &BTreeSet<String>) -> Found {
    let trial_deadline = bench.deadline().map(|it| (it / 4).min(LONGEST_TRIAL));
    let mut search = Search {
        bench,
        request,
        calls: MAX_CALLS,
        until: Instant::now() + MAX_TIME,
        quarantined,
        subjects: Vec::new(),
        found: Found::default(),
    };
    if let Some(subjects) = search.subjects() {
        search.subjects = subjects;
        search.run(changed, trial_deadline);
    }
    search.found
}

struct Search<'a> {
    bench: &'a mut dyn Workbench,
    request: &'a str,
    calls: usize,
    until: Instant,
    quarantined: &'a [String],
    /// All subjects, in the order of the engine.
    subjects: Vec<String>,
    found: Found,
}

impl Search<'_> {
    fn run(&mut self, changed: &BTreeSet<String>, trial_deadline: Option<Duration>) {
        let candidates = self.candidates();
        let recent: Vec<String> = candidates.iter().filter(|it| changed.contains(*it)).cloned().collect();
        // Where everything changed, as after the first load, it says nothing.
        let is_recent = !recent.is_empty() && recent.len() < candidates.len();
        if is_recent && self.passes(self.out_with(&recent), None).is_some() {
            self.run_recent(&recent);
            if self.is_over() {
                return;
            }
        }
        let mut deadline = trial_deadline;
        if self.passes(self.out_with(&candidates), deadline).is_none() {
            deadline = None;
            if self.passes(self.out_with(&candidates), None).is_none() && !self.run_documents(&candidates) {
                return;
            }
        }
        if self.found.response.is_none() {
            self.run_subjects(deadline);
        }
    }

    /// The subjects that are neither quarantined nor blamed.
    fn candidates(&self) -> Vec<String> {
        let is_in = |it: &&String| !self.quarantined.contains(it) && !self.found.blamed.contains(it);
        self.subjects.iter().filter(is_in).cloned().collect()
    }

    /// Rule 1. The other subjects are computed in each of these calls, so each has the time of a full one.
    fn run_recent(&mut self, recent: &[String]) {
        while !self.is_over() {
            let rest: Vec<String> = recent.iter().filter(|it| !self.found.blamed.contains(it)).cloned().collect();
            let Some(index) = self.first_failing(&rest, &self.out(), None) else { return };
            self.blame(&rest[index..=index]);
        }
    }

    /// Rules 2, 3, 4 and 6.
    fn run_subjects(&mut self, mut deadline: Option<Duration>) {
        let mut alone = 0;
        while !self.is_over() {
            let rest = self.candidates();
            let Some(index) = self.first_failing(&rest, &self.out(), deadline) else { return };
            let others: Vec<String> = rest.iter().filter(|it| **it != rest[index]).cloned().collect();
            if self.passes(self.out_with(&others), deadline).is_none() {
                self.blame(&rest[index..=index]);
                alone += 1;
                if alone == 2 && self.run_layers(&rest[..index]) {
                    return;
                }
            } else if deadline.is_some() {
                // A short trial says nothing about what is too much only together.
                deadline = None;
            } else {
                // A call may have exceeded a limit for another reason, such as a machine that was busy for a moment.
                self.found.response = self.passes(self.out(), None);
                if self.found.response.is_none() {
                    self.blame(&rest[index..]);
                }
                return;
            }
        }
    }

    /// Rule 4. `good` are subjects with which the call succeeds. Returns whether a document is blamed in place of the
    /// subjects.
    fn run_layers(&mut self, good: &[String]) -> bool {
        let (_, layers) = self.documents();
        let quarantined = self.quarantined.to_vec();
        if layers.is_empty() || self.passes(with(&quarantined, &layers), None).is_none() {
            return false;
        }
        let Some(index) = self.first_failing(&layers, &quarantined, None) else { return false };
        let blamed = &layers[index..=index];
        let Some(response) = self.passes(with(&quarantined, blamed), None) else { return false };
        // Subjects that depend on it would not be computed.
        let Some(lost) = self.quarantined_in_plan(with(&quarantined, blamed)) else { return false };
        if good.iter().any(|it| lost.contains(it)) {
            return false;
        }
        // One more of them, alone: the last one, as the first ones are blamed.
        let candidates = self.candidates();
        if let Some(probe) = candidates.iter().rfind(|it| lost.contains(*it)) {
            let others: Vec<String> = self.subjects.iter().filter(|it| *it != probe).cloned().collect();
            if self.found.response.is_some() || self.passes(with(&quarantined, &others), None).is_some() {
                return false;
            }
        }
        self.found = Found { blamed: blamed.to_vec(), response: Some(response) };
        true
    }

    /// Rule 5. Returns whether the call succeeds without a document and without the subjects.
    fn run_documents(&mut self, subjects: &[String]) -> bool {
        let (others, layers) = self.documents();
        // The dialects of a blamed document that is no layer wait, so layers are blamed first.
        let documents = [others, layers].concat();
        let out = self.out_with(subjects);
        if self.passes(with(&out, &documents), None).is_none() {
            return false;
        }
        let Some(index) = self.first_failing(&documents, &out, None) else { return false };
        let blamed = &documents[index..=index];
        if self.passes(with(&out, blamed), None).is_none() {
            return false;
        }
        self.blame(blamed);
        true
    }

    /// The documents that are no subjects: those without which dialects wait, and the others, each with the largest
    /// last.
    fn documents(&mut self) -> (Vec<String>, Vec<String>) {
        let mut documents = self.bench.loaded_documents();
        documents.sort();
        let is_in = |it: &String| !self.quarantined.contains(it) && !self.subjects.contains(it);
        let documents: Vec<String> = documents.into_iter().map(|it| it.reference).filter(is_in).collect();
        let all = with(&[ALL.to_owned()], &documents);
        let waited_for = self.quarantined_in_plan(all).unwrap_or_else(|| documents.iter().cloned().collect());
        documents.into_iter().partition(|it| waited_for.contains(it))
    }

    /// The documents that a plan names as quarantined, or as dependent on what is, while these are left out.
    fn quarantined_in_plan(&mut self, out: Vec<String>) -> Option<BTreeSet<String>> {
        self.quarantine(out)?;
        let response = self.bench.send(&request_text(&PlanRequest::default()), None)?;
        let Answered::<PlanAnswer> { findings, .. } = read_response::<PlanRequest>(&response).ok()?.ok()?;
        let quarantined = findings.into_iter().filter(|it| it.code == Code::QuarantinedDocument.as_str());
        Some(quarantined.filter_map(|it| it.at?.document).collect())
    }

    /// Blames these, and repeats the call in full.
    fn blame(&mut self, documents: &[String]) {
        self.found.blamed.extend_from_slice(documents);
        self.found.response = self.passes(self.out(), None);
    }

    /// What is left out already.
    fn out(&self) -> Vec<String> {
        with(self.quarantined, &self.found.blamed)
    }

    fn out_with(&self, further: &[String]) -> Vec<String> {
        with(&self.out(), further)
    }

    /// All subjects, found without computing any.
    fn subjects(&mut self) -> Option<Vec<String>> {
        self.quarantine(vec![ALL.to_owned()])?;
        let response = self.bench.send(&request_text(&Subjects::default()), None)?;
        let answered = read_response::<Subjects>(&response).ok()?.ok()?;
        Some(answered.answer.subjects.into_iter().map(|it| it.subject).collect())
    }

    /// The index of the first of `candidates` with which the call fails when those after it are left out. The call
    /// succeeds without all of them, and fails with all of them.
    fn first_failing(&mut self, candidates: &[String], out: &[String], deadline: Option<Duration>) -> Option<usize> {
        let (mut good, mut bad) = (0, candidates.len());
        while bad.saturating_sub(good) > 1 {
            let middle = good + (bad - good) / 2;
            match self.passes(with(out, &candidates[middle..]), deadline) {
                Some(_) => good = middle,
                None if self.calls == 0 => return None,
                None => bad = middle,
            }
        }
        bad.checked_sub(1)
    }

    /// The response to the call while these are left out; nothing if it fails.
    fn passes(&mut self, quarantined: Vec<String>, deadline: Option<Duration>) -> Option<String> {
        if Instant::now() >= self.until {
            self.calls = 0;
        }
        self.calls = self.calls.checked_sub(1)?;
        self.quarantine(quarantined)?;
        self.bench.send(self.request, deadline)
    }

    fn quarantine(&mut self, references: Vec<String>) -> Option<()> {
        let quarantined = Some(references.into_iter().map(Into::into).collect());
        let configure = Configure { quarantined, ..Configure::default() };
        self.bench.restore().then_some(())?;
        self.bench.send(&request_text(&configure), None).map(drop)
    }

    /// Whether there is an answer, or there must be no further calls.
    fn is_over(&self) -> bool {
        self.found.response.is_some() || self.calls == 0 || self.found.blamed.len() >= MAX_BLAMED
    }
}

fn with(out: &[String], further: &[String]) -> Vec<String> {
    out.iter().chain(further).cloned().collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Calls cost time by subject, and have a limit.
    struct Costs {
        costs: BTreeMap<String, u32>,
        /// What the call costs without any subject.
        base: u32,
        limit: u32,
        quarantined: Vec<String>,
        is_lost: bool,
        calls: usize,
    }

    impl Workbench for Costs {
        fn send(&mut self, request: &str, _: Option<Duration>) -> Option<String> {
            assert!(!self.is_lost, "a lost workspace is loaded again first");
            if let Some(list) = request.split(r#""quarantined":["#).nth(1) {
                let list = list.trim_end_matches("]}");
                self.quarantined = list.split(',').map(|it| it.trim_matches('"').to_owned()).collect();
                return Some(String::new());
            }
            if request.contains("subjects") {
                let subject = |it: &String| format!(r#"{{"dialect":"d","subject":"{it}"}}"#);
                let subjects: Vec<String> = self.costs.keys().map(subject).collect();
                return Some(format!(r#"{{"ok":{{"subjects":[{}]}}}}"#, subjects.join(",")));
            }
            self.calls += 1;
            let is_in = |it: &&String| !self.quarantined.contains(it);
            let cost: u32 = self.costs.iter().filter(|(it, _)| is_in(it)).map(|(_, cost)| cost).sum();
            self.is_lost = self.base + cost > self.limit;
            (!self.is_lost).then(|| "answer".to_owned())
        }

        fn restore(&mut self) -> bool {
            self.is_lost = false;
            true
        }

        fn deadline(&self) -> Option<Duration> {
            None
        }

        fn loaded_documents(&self) -> Vec<LoadedDocument> {
            Vec::new()
        }
    }

    #[track_caller]
    fn check(costs: &[(&str, u32)], changed: &[&str], want: &[&str], is_answered: bool) -> usize {
        let costs = costs.iter().map(|(name, cost)| ((*name).to_owned(), *cost)).collect();
        let mut bench = Costs { costs, base: 0, limit: 10, quarantined: Vec::new(), is_lost: true, calls: 0 };
        let changed = changed.iter().map(|it| (*it).to_owned()).collect();
        let found = search(&mut bench, r#"{"op":"plan"}"#, &[], &changed);
        assert_eq!(found.blamed, want);
        assert_eq!(found.response.is_some(), is_answered);
        bench.calls
    }

    #[test]
    fn the_cause_is_found_by_halves() {
        check(&[("a", 1), ("b", 99), ("c", 1)], &[], &["b"], true);
        check(&[("a", 99)], &[], &["a"], true);
        check(&[("a", 99), ("b", 1), ("c", 1), ("d", 99)], &[], &["a", "d"], true);
    }

    #[test]
    fn of_subjects_that_are_too_much_together_the_first_ones_stay() {
        check(&[("a", 4), ("b", 4), ("c", 4), ("d", 4)], &[], &["c", "d"], true);
        // One that is too much alone is still the only cause.
        check(&[("a", 4), ("b", 4), ("c", 11), ("d", 1)], &[], &["c"], true);
        check(&[("a", 4), ("b", 4), ("c", 11), ("d", 4)], &[], &["c", "d"], true);
    }

    #[test]
    fn a_call_that_succeeds_again_blames_nothing() {
        check(&[("a", 1), ("b", 1)], &[], &[], true);
    }

    #[test]
    fn after_the_first_load_everything_changed_and_the_cause_is_searched_as_usual() {
        check(&[("a", 4), ("b", 4), ("c", 4), ("d", 4)], &["a", "b", "c", "d"], &["c", "d"], true);
    }

    #[test]
    fn the_documents_of_a_request_are_those_of_its_texts_and_lists() {
        let list = "{kind: List, apiVersion: v1, items: [{kind: B, metadata: {name: b}}]}\n";
        let text = format!("{{kind: A, metadata: {{name: a}}}}\n---\n{list}");
        let load = Load { text: Some(text.into()), ..Load::default() };
        let names = |load: &Load| documents_of(load).into_iter().map(|it| it.reference).collect::<Vec<_>>();
        assert_eq!(names(&load), ["A/a", "B/b"]);
        assert_eq!(names(&Load { live: Some("eu".into()), ..load }), [""; 0]);
    }

    #[test]
    fn the_document_that_changed_is_blamed_first() {
        let calls = check(&[("a", 4), ("b", 4), ("c", 4)], &["c"], &["c"], true);
        assert_eq!(calls, 2);
        check(&[("a", 1), ("b", 99), ("c", 1)], &["a"], &["b"], true);
    }

    #[test]
    fn nothing_is_blamed_where_the_call_fails_without_any_subject() {
        let costs = [("a".to_owned(), 1)].into();
        let mut bench = Costs { costs, base: 11, limit: 10, quarantined: Vec::new(), is_lost: true, calls: 0 };
        let found = search(&mut bench, r#"{"op":"plan"}"#, &[], &BTreeSet::new());
        assert_eq!(found, Found { blamed: Vec::new(), response: None });
    }
}
