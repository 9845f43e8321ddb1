//! Finds the subjects on which a call exceeds a limit.
//!
//! A subject can be left out without a consequence (`quarantined` of `configure`), so the call is repeated with some of
//! them left out:
//!
//! 1. Subjects whose documents changed since the last good call come first: if the call succeeds without them, the
//!    search is among them.
//! 2. Otherwise all subjects are left out and let in again from the first on. The search halves the range until the
//!    first subject is found with which the call fails. It is blamed only if the call also fails with that subject
//!    alone: a fleet that is too large for the limits is nobody's fault.
//! 3. With the blamed subjects left out, the call is repeated in full. If it fails again, the search goes on.
//! 4. The number of calls and their time are limited. What was found by then counts; without an answer the error stays
//!    an error.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use fleetfold_core::api::configure::Configure;
use fleetfold_core::api::subjects::Subjects;
use fleetfold_core::api::{read_response, request_text};

/// How many calls one search may make.
const MAX_CALLS: usize = 80;

/// How long one search may take; the call that is running then ends.
const MAX_TIME: Duration = Duration::from_secs(60);

/// How many subjects one search may blame.
const MAX_BLAMED: usize = 16;

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
}

/// What a search found.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The blamed subjects, as `subjects` names them.
    pub blamed: Vec<String>,
    /// The answer without them; nothing if the call still fails.
    pub response: Option<String>,
}

/// Searches for the subjects on which `request` fails. `quarantined` are left out already, and `changed` are the
/// documents that changed since the last good call. Afterwards the workspace may be lost, and its quarantine is
/// undefined.
pub fn search(bench: &mut dyn Workbench, request: &str, quarantined: &[String], changed: &BTreeSet<String>) -> Found {
    let trial_deadline = bench.deadline().map(|it| (it / 4).min(LONGEST_TRIAL));
    let mut search = Search { bench, request, calls: MAX_CALLS, until: Instant::now() + MAX_TIME, trial_deadline };
    let mut found = Found::default();
    let Some(subjects) = search.subjects() else { return found };
    let candidates: Vec<&String> = subjects.iter().filter(|it| !quarantined.contains(it)).collect();
    let mut out = quarantined.to_vec();
    let recent: Vec<&String> = candidates.iter().copied().filter(|it| changed.contains(*it)).collect();
    if !recent.is_empty() && search.passes(with(&out, &recent), None).is_some() {
        // The other subjects are computed in each of these calls, so each has the time of a full one.
        loop {
            let recent: Vec<&String> = recent.iter().copied().filter(|it| !found.blamed.contains(it)).collect();
            let Some(blamed) = search.first_failing(&recent, &mut out, None) else { break };
            found.blamed.push(blamed);
            found.response = search.passes(out.clone(), None);
            if found.response.is_some() || search.is_over(&found) {
                return found;
            }
        }
    }
    // With nothing computed, the call must succeed.
    let rest: Vec<&String> = candidates.into_iter().filter(|it| !found.blamed.contains(it)).collect();
    if search.passes(with(&out, &rest), trial_deadline).is_none() {
        return found;
    }
    while !search.is_over(&found) {
        let rest: Vec<&String> = rest.iter().copied().filter(|it| !found.blamed.contains(it)).collect();
        let Some(blamed) = search.first_failing(&rest, &mut out, trial_deadline) else { break };
        let others: Vec<&String> = rest.iter().copied().filter(|it| **it != blamed).collect();
        let known: Vec<String> = out.iter().filter(|it| **it != blamed).cloned().collect();
        if search.passes(with(&known, &others), trial_deadline).is_some() {
            break;
        }
        found.blamed.push(blamed);
        found.response = search.passes(out.clone(), None);
        if found.response.is_some() {
            break;
        }
    }
    found
}

struct Search<'a> {
    bench: &'a mut dyn Workbench,
    request: &'a str,
    calls: usize,
    until: Instant,
    trial_deadline: Option<Duration>,
}

impl Search<'_> {
    /// All subjects in the order of the engine, found without computing any.
    fn subjects(&mut self) -> Option<Vec<String>> {
        self.quarantine(vec!["*".to_owned()])?;
        let response = self.bench.send(&request_text(&Subjects::default()), self.trial_deadline)?;
        let answered = read_response::<Subjects>(&response).ok()?.ok()?;
        Some(answered.answer.subjects.into_iter().map(|it| it.subject).collect())
    }

    /// The first of `candidates` with which the call fails when those after it are left out; adds it to `out`. The call
    /// succeeds without all of them, and fails with all of them.
    fn first_failing(
        &mut self,
        candidates: &[&String],
        out: &mut Vec<String>,
        deadline: Option<Duration>,
    ) -> Option<String> {
        let (mut good, mut bad) = (0, candidates.len());
        while bad - good > 1 {
            let middle = good + (bad - good) / 2;
            match self.passes(with(out, &candidates[middle..]), deadline) {
                Some(_) => good = middle,
                None if self.calls == 0 => return None,
                None => bad = middle,
            }
        }
        let blamed = (*candidates.get(bad.checked_sub(1)?)?).clone();
        out.push(blamed.clone());
        Some(blamed)
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

    fn is_over(&self, found: &Found) -> bool {
        self.calls == 0 || found.blamed.len() >= MAX_BLAMED
    }
}

fn with(out: &[String], further: &[&String]) -> Vec<String> {
    out.iter().chain(further.iter().copied()).cloned().collect()
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
    fn a_fleet_that_is_too_large_is_nobodys_fault() {
        check(&[("a", 4), ("b", 4), ("c", 4), ("d", 4)], &[], &[], false);
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
