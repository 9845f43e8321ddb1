//! The actions that are under way, those that failed and wait, and those that somebody undoes again and again.
//!
//! A wave waits for the one before it: of the same subject always, of the same cluster unless what comes before it keeps
//! failing. So a cluster or an object that cannot be changed holds up no other.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use fleetfold_core::Value;
use fleetfold_core::object::document::Identity;
use tokio::sync::watch;
use tokio::task::AbortHandle;

use super::backoff::Backoff;
use super::inbox::{Message, Outbox};
use crate::answer::{count, list, text};
use crate::cluster::{Cluster, Effect, Fault, Target};

/// How often the same change may be made again within a time before somebody else is taken to undo it.
const REPEATS: usize = 3;
const WITHIN: Duration = Duration::from_secs(600);

/// How long it takes at least to look at an object that is no longer what was seen.
const CONFLICT: Duration = Duration::from_millis(100);

/// Where something is done: in a cluster, to an object.
pub type Spot = (String, Identity);

/// One step of a plan, as far as doing it goes.
#[derive(Clone, Debug)]
pub struct Action {
    pub id: String,
    pub subject: String,
    pub cluster: String,
    pub verb: String,
    pub target: Target,
    pub wave: i64,
    pub reason: String,
    value: Value,
}

impl Action {
    pub fn read(value: &Value) -> Action {
        let part = |key| text(value, key).to_owned();
        Action {
            id: part("id"),
            subject: part("subject"),
            cluster: part("cluster"),
            verb: part("verb"),
            target: value.get("target").map(Target::read).unwrap_or_default(),
            wave: count(value, "wave"),
            reason: value.text_at(&["reason", "text"]).to_owned(),
            value: value.clone(),
        }
    }

    pub fn spot(&self) -> Spot {
        (self.cluster.clone(), self.target.identity())
    }

    /// Does it; answers the object as it is now, or nothing where it is deleted.
    pub async fn perform(&self, cluster: &Cluster, effect: Effect) -> Result<Option<Value>, Fault> {
        let precondition = self.value.get("precondition").cloned().unwrap_or_default();
        match self.verb.as_str() {
            "create" => cluster.create(self.value.get("body").unwrap_or(&Value::Null), effect).await.map(Some),
            "patch" => cluster.patch(&self.target, list(&self.value, "patch"), &precondition, effect).await.map(Some),
            "delete" => cluster.delete(&self.target, &precondition, effect).await.map(|()| None),
            verb => Err(Fault::Invalid {
                message: format!("this runner knows no verb `{verb}`; is the module a newer one?"),
            }),
        }
    }
}

#[derive(Debug)]
struct Flight {
    task: AbortHandle,
    subject: String,
    wave: i64,
}

/// Why something waits.
#[derive(Clone, Debug)]
pub struct Delay {
    pub what: String,
    pub fault: Fault,
    backoff: Backoff,
}

/// An object that is changed back again and again.
#[derive(Clone, Debug)]
pub struct Contest {
    pub target: Target,
    /// Who else writes it, where that is known.
    pub managers: Vec<String>,
    until: Instant,
}

#[derive(Debug)]
pub struct Work {
    outbox: Outbox,
    leads: watch::Receiver<bool>,
    flights: BTreeMap<Spot, Flight>,
    delays: BTreeMap<Spot, Delay>,
    /// What was done, and when.
    done: BTreeMap<Spot, VecDeque<(Instant, String)>>,
    contests: BTreeMap<Spot, Contest>,
}

impl Work {
    pub fn new(outbox: &Outbox, leads: &watch::Receiver<bool>) -> Work {
        Work {
            outbox: outbox.clone(),
            leads: leads.clone(),
            flights: BTreeMap::new(),
            delays: BTreeMap::new(),
            done: BTreeMap::new(),
            contests: BTreeMap::new(),
        }
    }

    /// The actions of a plan that may start now.
    pub fn ready<'a>(&self, actions: &'a [Action]) -> Vec<&'a Action> {
        let (mut of_subject, mut of_cluster) = (First::default(), First::default());
        for action in actions {
            of_subject.note(&action.subject, action.wave);
            if !self.delays.contains_key(&action.spot()) {
                of_cluster.note(&action.cluster, action.wave);
            }
        }
        for ((cluster, _), flight) in &self.flights {
            of_subject.note(&flight.subject, flight.wave);
            of_cluster.note(cluster, flight.wave);
        }
        let may = |it: &&Action| {
            let spot = it.spot();
            of_subject.allows(&it.subject, it.wave)
                && of_cluster.allows(&it.cluster, it.wave)
                && !self.flights.contains_key(&spot)
                && self.delays.get(&spot).is_none_or(|delay| delay.backoff.is_over())
                && self.contests.get(&spot).is_none_or(|contest| contest.until <= Instant::now())
        };
        actions.iter().filter(may).collect()
    }

    /// Starts an action, unless the same was done so often that somebody must be undoing it.
    pub fn start(&mut self, action: &Action, cluster: &Cluster) -> bool {
        let spot = action.spot();
        if self.is_contested(&spot, action) {
            let contest =
                Contest { target: action.target.clone(), managers: Vec::new(), until: Instant::now() + WITHIN };
            self.contests.insert(spot.clone(), contest);
            self.done.remove(&spot);
            let (cluster, outbox, target) = (cluster.clone(), self.outbox.clone(), action.target.clone());
            tokio::spawn(async move {
                let managers = cluster.other_managers(&target).await.unwrap_or_default();
                outbox.send(Message::Rivals { cluster: cluster.name().to_owned(), target, managers });
            });
            return false;
        }
        let (outbox, cluster, doing, leads) =
            (self.outbox.clone(), cluster.clone(), action.clone(), self.leads.clone());
        let task = tokio::spawn(async move {
            let Some(done) = while_leading(leads, doing.perform(&cluster, Effect::Real)).await else { return };
            let Action { cluster, target, id, .. } = doing;
            outbox.send(Message::Acted { cluster, target, id, done });
        });
        let flight = Flight { task: task.abort_handle(), subject: action.subject.clone(), wave: action.wave };
        self.flights.insert(spot, flight);
        true
    }

    fn is_contested(&mut self, spot: &Spot, action: &Action) -> bool {
        let Some(done) = self.done.get_mut(spot) else { return false };
        done.retain(|(at, _)| at.elapsed() < WITHIN);
        done.iter().filter(|(_, id)| *id == action.id).count() >= REPEATS
    }

    /// Takes in who else writes an object.
    pub fn rivals(&mut self, cluster: &str, target: &Target, managers: Vec<String>) {
        if let Some(contest) = self.contests.get_mut(&(cluster.to_owned(), target.identity())) {
            contest.managers = managers;
        }
    }

    /// Takes in that an action was done.
    pub fn done(&mut self, cluster: &str, target: &Target, id: &str) {
        let spot = (cluster.to_owned(), target.identity());
        self.flights.remove(&spot);
        self.delays.remove(&spot);
        self.contests.remove(&spot);
        let done = self.done.entry(spot).or_default();
        done.push_back((Instant::now(), id.to_owned()));
        while done.len() > REPEATS {
            done.pop_front();
        }
    }

    /// Takes in that an action failed; answers whether it failed otherwise before.
    pub fn failed(&mut self, cluster: &str, target: &Target, fault: &Fault) -> bool {
        let spot = (cluster.to_owned(), target.identity());
        self.flights.remove(&spot);
        self.delay(spot, format!("{target}{}", in_cluster(cluster)), fault)
    }

    /// Takes in that a status could not be written; answers whether it failed otherwise before.
    pub fn status_failed(&mut self, target: &Target, fault: &Fault) -> bool {
        self.delay(status_spot(target), format!("the status of {target}"), fault)
    }

    fn delay(&mut self, spot: Spot, what: String, fault: &Fault) -> bool {
        let earlier = self.delays.remove(&spot);
        let backoff = match (fault, &earlier) {
            (Fault::Busy { after }, _) => Backoff::after(*after),
            (_, Some(earlier)) => earlier.backoff.further(),
            // Whoever was faster is looked at meanwhile, and the action is planned anew.
            (Fault::Conflict { .. }, None) => Backoff::after(CONFLICT),
            (_, None) => Backoff::first(),
        };
        let is_news = earlier.is_none_or(|it| it.fault != *fault);
        self.delays.insert(spot, Delay { what, fault: fault.clone(), backoff });
        is_news
    }

    /// Whether a status waits.
    pub fn is_status_delayed(&self, target: &Target) -> bool {
        self.delays.get(&status_spot(target)).is_some_and(|it| !it.backoff.is_over())
    }

    /// Takes in that a status is as it should be.
    pub fn status_done(&mut self, target: &Target) {
        self.delays.remove(&status_spot(target));
    }

    /// Lets go of delays and contests whose action is no longer planned.
    pub fn keep_only(&mut self, actions: &[Action], statuses: &[Target]) {
        let mut spots: Vec<Spot> = actions.iter().map(Action::spot).collect();
        spots.extend(statuses.iter().map(status_spot));
        spots.sort();
        let is_planned = |spot: &Spot| spots.binary_search(spot).is_ok();
        self.delays.retain(|spot, _| is_planned(spot));
        self.contests.retain(|spot, it| is_planned(spot) || it.until > Instant::now());
    }

    /// Stops everything at once: what was sent may still be done, and will be seen.
    pub fn abort(&mut self) {
        std::mem::take(&mut self.flights).into_values().for_each(|it| it.task.abort());
    }

    /// Whether something is about to be tried again, as somebody else was faster.
    pub fn is_outrun(&self) -> bool {
        let soon = |it: &Delay| matches!(it.fault, Fault::Conflict { .. }) && it.backoff.is_short();
        self.delays.values().any(soon)
    }

    pub fn in_flight(&self) -> usize {
        self.flights.len()
    }

    /// What keeps failing. That somebody else was faster is nothing to tell.
    pub fn delays(&self) -> impl Iterator<Item = &Delay> {
        self.delays.values().filter(|it| !matches!(it.fault, Fault::Conflict { .. }))
    }

    pub fn contests(&self) -> impl Iterator<Item = (&str, &Contest)> {
        self.contests.iter().map(|((cluster, _), it)| (cluster.as_str(), it))
    }

    /// When something that waits may be tried again.
    pub fn next_try(&self) -> Option<Instant> {
        let waits = self.delays.values().map(|it| it.backoff.until()).chain(self.contests.values().map(|it| it.until));
        waits.filter(|it| *it > Instant::now()).min()
    }
}

/// Does something as long as this runner leads; what is not done then is dropped on the spot.
pub async fn while_leading<T>(mut leads: watch::Receiver<bool>, doing: impl Future<Output = T>) -> Option<T> {
    tokio::select! {
        biased;
        _ = leads.wait_for(|it| !*it) => None,
        done = doing => Some(done),
    }
}

/// The first wave of each subject or cluster that has anything to do.
#[derive(Default)]
struct First<'a>(BTreeMap<&'a str, i64>);

impl<'a> First<'a> {
    fn note(&mut self, of: &'a str, wave: i64) {
        let first = self.0.entry(of).or_insert(wave);
        *first = wave.min(*first);
    }

    fn allows(&self, of: &str, wave: i64) -> bool {
        self.0.get(of).is_none_or(|first| wave <= *first)
    }
}

/// The status of an object is written apart from the object.
fn status_spot(target: &Target) -> Spot {
    ("/status".to_owned(), target.identity())
}

/// ` in <cluster>`, and nothing for the hub.
pub fn in_cluster(cluster: &str) -> String {
    if cluster.is_empty() { String::new() } else { format!(" in {cluster}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn action(subject: &str, cluster: &str, name: &str, wave: i64) -> Action {
        let target =
            Target { api_version: "v1".into(), kind: "Thing".into(), namespace: String::new(), name: name.into() };
        Action {
            id: format!("{subject}{name}"),
            subject: subject.into(),
            cluster: cluster.into(),
            verb: "create".into(),
            target,
            wave,
            reason: String::new(),
            value: Value::Null,
        }
    }

    fn work() -> Work {
        Work::new(&Outbox::new().0, &watch::channel(true).1)
    }

    fn names(work: &Work, actions: &[Action]) -> String {
        work.ready(actions).iter().map(|it| it.target.name.as_str()).collect()
    }

    #[test]
    fn a_wave_waits_for_the_one_before_it_of_its_subject_or_cluster() {
        let work = work();
        let actions =
            [action("s", "x", "a", 0), action("s", "y", "b", 1), action("t", "x", "c", 1), action("t", "y", "d", 0)];
        assert_eq!(names(&work, &actions), "ad");
    }

    #[test]
    fn what_keeps_failing_holds_up_its_own_subject_only() {
        let mut work = work();
        let actions = [action("s", "x", "a", 0), action("s", "x", "b", 1), action("t", "x", "c", 1)];
        work.failed("x", &actions[0].target, &Fault::Forbidden { message: String::new() });
        assert_eq!(names(&work, &actions), "c");
    }

    #[test]
    fn the_same_change_over_and_over_is_a_contest() {
        let mut work = work();
        let again = action("s", "x", "a", 0);
        for _ in 0..REPEATS {
            assert!(!work.is_contested(&again.spot(), &again));
            work.done("x", &again.target, &again.id);
        }
        assert!(work.is_contested(&again.spot(), &again));
    }
}
