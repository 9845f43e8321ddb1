//! Runs actions, retries failed ones, and stops repeating a change that another manager keeps reverting.
//!
//! 1. A wave starts after the previous wave of the same subject.
//! 2. A wave starts after the previous wave of the same cluster, except for actions there that keep failing. So a
//!    cluster or an object that cannot be changed delays no other.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use fleetfold_core::Value;
use fleetfold_core::api::plan::TakesAnswer;
use tokio::sync::watch;
use tokio::task::AbortHandle;

use super::action::{Action, ObjectKey};
use super::backoff::Backoff;
use super::events::EventSender;
use crate::cluster::{ApiError, Cluster, Effect};
use crate::target::Target;

/// What the tasks of the executor report.
#[derive(Debug)]
pub enum ActionEvent {
    /// An action ended; with what it left.
    Done {
        cluster: String,
        target: Target,
        id: String,
        /// What it takes, which counts against the limits.
        takes: Option<TakesAnswer>,
        result: Result<Left, ApiError>,
    },
    /// The other field managers of an object whose changes keep being reverted.
    OtherManagers { cluster: String, target: Target, managers: Vec<String> },
}

/// What an action left of its object.
#[derive(Debug)]
pub enum Left {
    /// The object as the server returned it; a deleted one stays until its finalizers are removed.
    Object(Value),
    /// The object is deleted.
    Absent,
    /// The object was deleted, and could not be read since.
    Unknown,
}

/// How often the same change may be repeated within a period before it counts as a conflict with another manager.
const MAX_REPEATS: usize = 3;
const REPEAT_PERIOD: Duration = Duration::from_secs(600);

/// How long a retry waits after a write conflict, while the object is fetched again.
const CONFLICT_BACKOFF: Duration = Duration::from_millis(100);

#[derive(Debug)]
struct InFlight {
    task: AbortHandle,
    subject: String,
    wave: i64,
}

/// A failed write that will be repeated.
#[derive(Clone, Debug)]
pub struct Delay {
    pub what: String,
    pub error: ApiError,
    backoff: Backoff,
}

/// An object that another manager keeps changing back.
#[derive(Clone, Debug)]
pub struct FieldConflict {
    pub target: Target,
    /// The other field managers, once they were read.
    pub other_managers: Vec<String>,
    until: Instant,
}

#[derive(Debug)]
pub struct Executor {
    events: EventSender<ActionEvent>,
    is_leader: watch::Receiver<bool>,
    in_flight: BTreeMap<ObjectKey, InFlight>,
    delays: BTreeMap<ObjectKey, Delay>,
    /// Recent actions by object: when, and which.
    done: BTreeMap<ObjectKey, VecDeque<(Instant, String)>>,
    conflicts: BTreeMap<ObjectKey, FieldConflict>,
}

impl Executor {
    pub fn new(events: EventSender<ActionEvent>, is_leader: &watch::Receiver<bool>) -> Executor {
        Executor {
            events,
            is_leader: is_leader.clone(),
            in_flight: BTreeMap::new(),
            delays: BTreeMap::new(),
            done: BTreeMap::new(),
            conflicts: BTreeMap::new(),
        }
    }

    /// The actions that may start now.
    pub fn ready<'a>(&self, actions: &'a [Action]) -> Vec<&'a Action> {
        let (mut of_subject, mut of_cluster) = (FirstWaves::default(), FirstWaves::default());
        for action in actions {
            of_subject.add(&action.subject, action.wave);
            if !self.delays.contains_key(&action.key()) {
                of_cluster.add(&action.cluster, action.wave);
            }
        }
        for ((cluster, _), task) in &self.in_flight {
            of_subject.add(&task.subject, task.wave);
            of_cluster.add(cluster, task.wave);
        }
        let may_start = |it: &&Action| {
            let key = it.key();
            of_subject.allows(&it.subject, it.wave)
                && of_cluster.allows(&it.cluster, it.wave)
                && !self.in_flight.contains_key(&key)
                && self.delays.get(&key).is_none_or(|delay| delay.backoff.is_over())
                && self.conflicts.get(&key).is_none_or(|conflict| conflict.until <= Instant::now())
        };
        actions.iter().filter(may_start).collect()
    }

    /// Starts an action, unless it was repeated so often that another manager must be reverting it.
    pub fn start(&mut self, action: &Action, cluster: &Cluster) -> bool {
        let key = action.key();
        if self.is_conflicting(&key, action) {
            let conflict = FieldConflict {
                target: action.target.clone(),
                other_managers: Vec::new(),
                until: Instant::now() + REPEAT_PERIOD,
            };
            self.conflicts.insert(key.clone(), conflict);
            self.done.remove(&key);
            let (cluster, events, target) = (cluster.clone(), self.events.clone(), action.target.clone());
            tokio::spawn(async move {
                let managers = cluster.other_managers(&target).await.unwrap_or_default();
                events.send(ActionEvent::OtherManagers { cluster: cluster.name().to_owned(), target, managers });
            });
            return false;
        }
        let (events, cluster, running, is_leader) =
            (self.events.clone(), cluster.clone(), action.clone(), self.is_leader.clone());
        let task = tokio::spawn(async move {
            let Some(result) = while_leader(is_leader, apply(&running, &cluster)).await else { return };
            let Action { cluster, target, id, takes, .. } = running;
            events.send(ActionEvent::Done { cluster, target, id, takes, result });
        });
        let started = InFlight { task: task.abort_handle(), subject: action.subject.clone(), wave: action.wave };
        self.in_flight.insert(key, started);
        true
    }

    fn is_conflicting(&mut self, key: &ObjectKey, action: &Action) -> bool {
        let Some(done) = self.done.get_mut(key) else { return false };
        done.retain(|(at, _)| at.elapsed() < REPEAT_PERIOD);
        done.iter().filter(|(_, id)| *id == action.id).count() >= MAX_REPEATS
    }

    pub fn set_other_managers(&mut self, cluster: &str, target: &Target, managers: Vec<String>) {
        if let Some(conflict) = self.conflicts.get_mut(&(cluster.to_owned(), target.identity())) {
            conflict.other_managers = managers;
        }
    }

    /// Records a successful action.
    pub fn done(&mut self, cluster: &str, target: &Target, id: &str) {
        let key = (cluster.to_owned(), target.identity());
        self.in_flight.remove(&key);
        self.delays.remove(&key);
        self.conflicts.remove(&key);
        let done = self.done.entry(key).or_default();
        done.push_back((Instant::now(), id.to_owned()));
        while done.len() > MAX_REPEATS {
            done.pop_front();
        }
    }

    /// Schedules a retry of a failed action; returns whether the error is a new one.
    pub fn failed(&mut self, cluster: &str, target: &Target, error: &ApiError) -> bool {
        let key = (cluster.to_owned(), target.identity());
        self.in_flight.remove(&key);
        self.delay(key, format!("{target}{}", in_cluster(cluster)), error)
    }

    /// Schedules a retry of a failed status write; returns whether the error is a new one.
    pub fn status_failed(&mut self, target: &Target, error: &ApiError) -> bool {
        self.delay(status_key(target), format!("the status of {target}"), error)
    }

    fn delay(&mut self, key: ObjectKey, what: String, error: &ApiError) -> bool {
        let earlier = self.delays.remove(&key);
        let backoff = match (error, &earlier) {
            (ApiError::Busy { after }, _) => Backoff::after(*after),
            (_, Some(earlier)) => earlier.backoff.further(),
            // The object is fetched meanwhile, and the next plan has the action for its new version.
            (ApiError::Conflict { .. }, None) => Backoff::after(CONFLICT_BACKOFF),
            (_, None) => Backoff::first(),
        };
        let is_news = earlier.is_none_or(|it| it.error != *error);
        self.delays.insert(key, Delay { what, error: error.clone(), backoff });
        is_news
    }

    /// Whether a status write is backing off.
    pub fn is_status_delayed(&self, target: &Target) -> bool {
        self.delays.get(&status_key(target)).is_some_and(|it| !it.backoff.is_over())
    }

    /// Records a successful status write.
    pub fn status_done(&mut self, target: &Target) {
        self.delays.remove(&status_key(target));
    }

    /// Drops delays and conflicts of actions that are no longer planned.
    pub fn retain_planned(&mut self, actions: &[Action], statuses: &[Target]) {
        let mut keys: Vec<ObjectKey> = actions.iter().map(Action::key).collect();
        keys.extend(statuses.iter().map(status_key));
        keys.sort();
        let is_planned = |key: &ObjectKey| keys.binary_search(key).is_ok();
        self.delays.retain(|key, _| is_planned(key));
        self.conflicts.retain(|key, it| is_planned(key) || it.until > Instant::now());
    }

    /// Cancels all running actions. A request that was sent may still take effect; the next fetch shows it.
    pub fn abort(&mut self) {
        std::mem::take(&mut self.in_flight).into_values().for_each(|it| it.task.abort());
    }

    /// Whether a write is about to be repeated after a conflict.
    pub fn is_retrying_conflict(&self) -> bool {
        let soon = |it: &Delay| matches!(it.error, ApiError::Conflict { .. }) && it.backoff.is_short();
        self.delays.values().any(soon)
    }

    pub fn in_flight(&self) -> usize {
        self.in_flight.len()
    }

    /// The writes that keep failing, except for write conflicts, which are expected.
    pub fn delays(&self) -> impl Iterator<Item = &Delay> {
        self.delays.values().filter(|it| !matches!(it.error, ApiError::Conflict { .. }))
    }

    pub fn conflicts(&self) -> impl Iterator<Item = (&str, &FieldConflict)> {
        self.conflicts.iter().map(|((cluster, _), it)| (cluster.as_str(), it))
    }

    /// When the next delay or conflict is over.
    pub fn next_try(&self) -> Option<Instant> {
        let waits = self.delays.values().map(|it| it.backoff.until()).chain(self.conflicts.values().map(|it| it.until));
        waits.filter(|it| *it > Instant::now()).min()
    }
}

/// Runs a future while this replica is the leader; drops it when leadership is lost.
pub async fn while_leader<T>(mut is_leader: watch::Receiver<bool>, running: impl Future<Output = T>) -> Option<T> {
    tokio::select! {
        biased;
        _ = is_leader.wait_for(|it| !*it) => None,
        result = running => Some(result),
    }
}

/// Applies an action. A delete ends with what the server has then: the action stays in flight until that is known,
/// since the next plan would delete the object once more.
async fn apply(action: &Action, cluster: &Cluster) -> Result<Left, ApiError> {
    if let Some(object) = action.apply(cluster, Effect::Real).await? {
        return Ok(Left::Object(object));
    }
    Ok(match cluster.get(&action.target).await {
        Ok(Some(object)) => Left::Object(object),
        Ok(None) => Left::Absent,
        Err(_) => Left::Unknown,
    })
}

/// The first wave of each subject or cluster that has actions left.
#[derive(Default)]
struct FirstWaves<'a>(BTreeMap<&'a str, i64>);

impl<'a> FirstWaves<'a> {
    fn add(&mut self, of: &'a str, wave: i64) {
        let first = self.0.entry(of).or_insert(wave);
        *first = wave.min(*first);
    }

    fn allows(&self, of: &str, wave: i64) -> bool {
        self.0.get(of).is_none_or(|first| wave <= *first)
    }
}

/// The key of an object's status, which is written separately.
fn status_key(target: &Target) -> ObjectKey {
    ("/status".to_owned(), target.identity())
}

/// ` in <cluster>`, and nothing for the hub.
pub fn in_cluster(cluster: &str) -> String {
    if cluster.is_empty() { String::new() } else { format!(" in {cluster}") }
}

#[cfg(test)]
mod tests {
    use super::super::events::EventQueue;
    use super::*;

    fn action(subject: &str, cluster: &str, name: &str, wave: i64) -> Action {
        Action {
            id: format!("{subject}{name}"),
            subject: subject.into(),
            cluster: cluster.into(),
            verb: "create".into(),
            target: Target { api_version: "v1".into(), kind: "Thing".into(), name: name.into(), ..Target::default() },
            wave,
            ..Action::default()
        }
    }

    fn executor() -> Executor {
        Executor::new(EventQueue::<ActionEvent>::new().0.sender(), &watch::channel(true).1)
    }

    fn names(executor: &Executor, actions: &[Action]) -> String {
        executor.ready(actions).iter().map(|it| it.target.name.as_str()).collect()
    }

    #[test]
    fn a_wave_waits_for_the_previous_one_of_its_subject_or_cluster() {
        let executor = executor();
        let actions =
            [action("s", "x", "a", 0), action("s", "y", "b", 1), action("t", "x", "c", 1), action("t", "y", "d", 0)];
        assert_eq!(names(&executor, &actions), "ad");
    }

    #[test]
    fn a_failing_action_delays_only_its_own_subject() {
        let mut executor = executor();
        let actions = [action("s", "x", "a", 0), action("s", "x", "b", 1), action("t", "x", "c", 1)];
        executor.failed("x", &actions[0].target, &ApiError::Forbidden { message: String::new() });
        assert_eq!(names(&executor, &actions), "c");
    }

    #[test]
    fn a_change_that_is_repeated_too_often_is_a_conflict() {
        let mut executor = executor();
        let again = action("s", "x", "a", 0);
        for _ in 0..MAX_REPEATS {
            assert!(!executor.is_conflicting(&again.key(), &again));
            executor.done("x", &again.target, &again.id);
        }
        assert!(executor.is_conflicting(&again.key(), &again));
    }
}
