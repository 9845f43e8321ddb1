//! What this runner deletes, until the status of its FleetPlan has it.
//!
//! 1. A delete starts only when the status on the hub counts it. So a runner that is killed right after the delete has
//!    recorded it.
//! 2. For its own plans the runner counts only what is done: what it intends is in the plan itself.
//! 3. What was intended and not started, or refused by the server, is taken back with the next status. What was started
//!    and has no result counts, and so does everything that a runner intended before a restart.

use std::collections::BTreeMap;

use fleetfold_core::api::plan::TakesAnswer;
use fleetfold_crds::RecentDeletes;

use super::recent_deletes::{pruned, record};

#[derive(Debug, Default)]
pub struct DeleteLog {
    /// For how many seconds deletes count.
    window: i64,
    /// What was deleted and is not in the status on the hub yet.
    unsaved: Vec<RecentDeletes>,
    /// What is about to be deleted, by the id of the action.
    intents: BTreeMap<String, Intent>,
    /// What the status on the hub counts and may not be done.
    saved_intents: Vec<RecentDeletes>,
    in_flight: Option<Written>,
}

#[derive(Debug)]
struct Intent {
    entry: RecentDeletes,
    is_saved: bool,
    is_started: bool,
}

/// What a write in flight carries.
#[derive(Debug)]
struct Written {
    unsaved: usize,
    intents: Vec<(String, RecentDeletes)>,
}

impl DeleteLog {
    pub fn set_window(&mut self, seconds: i64) {
        self.window = seconds;
    }

    /// Intends what these actions take, by their ids.
    pub fn intend<'a>(&mut self, actions: impl Iterator<Item = (&'a str, &'a TakesAnswer)>, now: &str) {
        for (id, takes) in actions {
            if !self.intents.contains_key(id) {
                let entry = entry_of(takes, now);
                self.intents.insert(id.to_owned(), Intent { entry, is_saved: false, is_started: false });
            }
        }
    }

    /// Whether the status on the hub counts an action.
    pub fn is_saved(&self, id: &str) -> bool {
        self.window == 0 || self.intents.get(id).is_some_and(|it| it.is_saved)
    }

    /// Whether an intent is not in the status on the hub yet.
    pub fn has_unsaved_intents(&self) -> bool {
        self.window > 0 && self.intents.values().any(|it| !it.is_saved)
    }

    /// Records that an action is done.
    pub fn done(&mut self, id: &str, took: &TakesAnswer, now: &str) {
        self.intents.remove(id);
        record(&mut self.unsaved, took, now);
    }

    /// An action starts: from here on it may be done.
    pub fn started(&mut self, id: &str) {
        if let Some(intent) = self.intents.get_mut(id) {
            intent.is_started = true;
        }
    }

    /// The server refused an action, so nothing was deleted.
    pub fn refused(&mut self, id: &str) {
        if let Some(intent) = self.intents.get_mut(id) {
            intent.is_started = false;
        }
    }

    /// Drops the intents of actions that are no longer planned. Nothing may be in flight.
    pub fn retain_intents(&mut self, is_planned: impl Fn(&str) -> bool) {
        let unsaved = &mut self.unsaved;
        self.intents.retain(|id, intent| {
            if is_planned(id) {
                return true;
            }
            if intent.is_started {
                unsaved.push(intent.entry.clone());
            }
            false
        });
    }

    /// What was deleted, with the list of the status on the hub.
    pub fn done_list(&self, saved: &[RecentDeletes], now: &str) -> Vec<RecentDeletes> {
        let mut all = without(saved, &self.saved_intents);
        all.extend(self.unsaved.iter().cloned());
        pruned(&all, self.window, now)
    }

    /// The list for the next status: also what is about to be deleted.
    pub fn list(&self, saved: &[RecentDeletes], now: &str) -> Vec<RecentDeletes> {
        let mut all = without(saved, &self.saved_intents);
        all.extend(self.unsaved.iter().cloned());
        all.extend(self.intents.values().map(|it| it.entry.clone()));
        pruned(&all, self.window, now)
    }

    /// A write of [`DeleteLog::list`] starts.
    pub fn write_started(&mut self) {
        let intents = self.intents.iter().map(|(id, it)| (id.clone(), it.entry.clone())).collect();
        self.in_flight = Some(Written { unsaved: self.unsaved.len(), intents });
    }

    /// A write ended; whether the hub has it now.
    pub fn write_ended(&mut self, is_saved: bool) {
        let Some(written) = self.in_flight.take().filter(|_| is_saved) else { return };
        self.unsaved.drain(..written.unsaved.min(self.unsaved.len()));
        for (id, _) in &written.intents {
            if let Some(intent) = self.intents.get_mut(id) {
                intent.is_saved = true;
            }
        }
        self.saved_intents = written.intents.into_iter().map(|(_, entry)| entry).collect();
    }
}

fn entry_of(takes: &TakesAnswer, now: &str) -> RecentDeletes {
    RecentDeletes { time: now.to_owned(), objects: takes.objects, clusters: takes.clusters }
}

/// A list without these amounts, which are among its newest entries.
fn without(list: &[RecentDeletes], amounts: &[RecentDeletes]) -> Vec<RecentDeletes> {
    let total = |part: fn(&RecentDeletes) -> i64| amounts.iter().map(part).fold(0, i64::saturating_add);
    let (mut objects, mut clusters) = (total(|it| it.objects), total(|it| it.clusters));
    let mut rest: Vec<RecentDeletes> = list.to_vec();
    for entry in rest.iter_mut().rev() {
        let (fewer_objects, fewer_clusters) = (objects.min(entry.objects), clusters.min(entry.clusters));
        entry.objects -= fewer_objects;
        entry.clusters -= fewer_clusters;
        objects -= fewer_objects;
        clusters -= fewer_clusters;
    }
    rest.retain(|it| it.objects != 0 || it.clusters != 0);
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: &str = "2026-01-01T10:00:00Z";

    fn one() -> TakesAnswer {
        TakesAnswer { objects: 1, clusters: 0 }
    }

    fn log(intended: &[&str]) -> DeleteLog {
        let mut log = DeleteLog::default();
        log.set_window(3600);
        log.intend(intended.iter().map(|it| (*it, Box::leak(Box::new(one())) as &TakesAnswer)), NOW);
        log
    }

    fn objects(list: &[RecentDeletes]) -> i64 {
        list.iter().map(|it| it.objects).sum()
    }

    /// Writes the list to the status; the status afterwards.
    fn write(log: &mut DeleteLog, status: &[RecentDeletes]) -> Vec<RecentDeletes> {
        let list = log.list(status, NOW);
        log.write_started();
        log.write_ended(true);
        list
    }

    #[test]
    fn a_delete_starts_only_when_the_status_counts_it() {
        let mut log = log(&["a", "b"]);
        assert!(!log.is_saved("a") && log.has_unsaved_intents());
        log.write_started();
        log.write_ended(false);
        assert!(!log.is_saved("a"), "a write that failed saved nothing");
        let status = write(&mut log, &[]);
        assert!(log.is_saved("a") && log.is_saved("b") && !log.is_saved("c") && !log.has_unsaved_intents());
        assert_eq!(objects(&status), 2);
    }

    #[test]
    fn a_runner_that_is_killed_after_a_delete_has_counted_it() {
        let mut killed = log(&["a", "b"]);
        let status = write(&mut killed, &[]);
        // Killed before the delete of `a` was recorded: the next runner has the status alone.
        assert_eq!(objects(&log(&[]).done_list(&status, NOW)), 2);
    }

    #[test]
    fn a_plan_does_not_count_what_it_plans_itself() {
        let mut log = log(&["a", "b"]);
        let earlier = [RecentDeletes { time: NOW.to_owned(), objects: 3, clusters: 0 }];
        let status = write(&mut log, &earlier);
        assert_eq!(objects(&status), 5);
        assert_eq!(objects(&log.done_list(&status, NOW)), 3);
        log.done("a", &one(), NOW);
        assert_eq!(objects(&log.done_list(&status, NOW)), 4);
        // Nothing counts twice, before and after the next status.
        let status = write(&mut log, &status);
        assert_eq!((objects(&status), objects(&log.done_list(&status, NOW))), (5, 4));
        log.done("b", &one(), NOW);
        let status = write(&mut log, &status);
        assert_eq!((objects(&status), objects(&log.done_list(&status, NOW))), (5, 5));
        assert_eq!(write(&mut log, &status), status, "a settled list stays as it is");
    }

    #[test]
    fn what_was_intended_and_is_no_longer_planned_is_taken_back() {
        let mut log = log(&["a", "b"]);
        let status = write(&mut log, &[]);
        log.retain_intents(|id| id == "b");
        assert_eq!(objects(&write(&mut log, &status)), 1);
    }

    #[test]
    fn what_was_started_and_has_no_result_counts() {
        let mut log = log(&["a", "b"]);
        let status = write(&mut log, &[]);
        ["a", "b"].iter().for_each(|it| log.started(it));
        log.refused("b");
        log.retain_intents(|_| false);
        assert_eq!(objects(&log.done_list(&status, NOW)), 1);
        assert_eq!(objects(&write(&mut log, &status)), 1);
    }

    #[test]
    fn deletes_that_others_record_meanwhile_stay() {
        let mut log = log(&["a"]);
        let mut status = write(&mut log, &[]);
        status.push(RecentDeletes { time: "2026-01-01T10:01:00Z".to_owned(), objects: 2, clusters: 0 });
        assert_eq!(objects(&log.done_list(&status, NOW)), 2);
        log.done("a", &one(), NOW);
        assert_eq!(objects(&write(&mut log, &status)), 3);
    }

    #[test]
    fn without_a_window_nothing_waits_for_the_status() {
        let mut log = log(&["a"]);
        log.set_window(0);
        assert!(log.is_saved("a") && !log.has_unsaved_intents());
    }
}
