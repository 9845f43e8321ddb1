//! The runner: watches the hub, asks the engine, fetches what it needs, and does what it says. It decides nothing.
//!
//! One loop owns the engine. Around it, tasks watch, look, act and write, and tell the loop what came of it
//! ([`inbox`]). Each turn of the loop:
//!
//! 1. [`documents`]: what changed on the hub is loaded; dialects whose kinds cannot all be read wait.
//! 2. [`members`]: clusters are gone to as the engine says; one that does not answer is unknown, never empty.
//! 3. The engine is asked for a plan. [`sights`]: what it must see is looked for, and watched from then on.
//! 4. [`work`]: what may be done is started, wave by wave, each step for exactly the object that was seen.
//! 5. Statuses that are not what they should be are written, with an event for every transition.
//! 6. [`report`]: how all of it stands is written into the runner's own object.
//!
//! A turn without news changes nothing and writes nothing.

mod backoff;
mod conditions;
pub(crate) mod documents;
mod gather;
pub(crate) mod inbox;
pub mod lease;
mod members;
pub mod metrics;
mod report;
mod sights;
mod statuses;
mod turn;
mod work;

pub use gather::{GatherError, Gathered, Known, follow, gather};
pub use report::{APPROVED, OWN_API_VERSION, OWN_KIND};
pub use work::Action;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fleetfold_core::Value;
use tokio::sync::{mpsc, oneshot, watch};

use crate::answer::texts;
use crate::cluster::Cluster;
use crate::session::{Refusal, Session};
use documents::Documents;
use inbox::{Message, Outbox};
use members::Members;
use metrics::Metrics;
use report::Report;
use sights::Sights;
use statuses::Statuses;
use work::Work;

/// How the runner was told to run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The name of the runner's own object on the hub.
    pub name: String,
    /// The settings of the engine, as `configure` takes them.
    pub settings: Value,
    /// Says what would be done, and does nothing.
    pub dry_run: bool,
    /// Does only what was approved by its digest.
    pub require_approval: bool,
    /// How often everything is looked at again.
    pub resync: Duration,
    /// Goes on watching; otherwise what is there now is looked at once.
    pub watch: bool,
}

/// How long to wait for what is being looked for before planning without it: a slow cluster holds up no other for longer.
const GRACE: Duration = Duration::from_secs(3);

/// How often the server is asked for kinds that it did not have.
const SURVEY: Duration = Duration::from_secs(5);

/// How long news is gathered before it is worked on: what is written together arrives together.
const GATHER: Duration = Duration::from_millis(20);

/// How many plans may follow each other while nothing happens outside.
const TURNS: usize = 16;

/// Why the runner ended.
#[derive(Debug)]
pub enum End {
    /// It was asked to.
    Stopped,
    /// The engine lost its workspace, so everything must be loaded again.
    Lost(Refusal),
}

/// The loop and all that it knows.
#[derive(Debug)]
pub struct Runner {
    session: Session,
    options: Options,
    metrics: Arc<Metrics>,
    outbox: Outbox,
    inbox: mpsc::UnboundedReceiver<Message>,
    documents: Documents,
    members: Members,
    sights: Sights,
    work: Work,
    statuses: Statuses,
    report: Report,
    /// The dialects that are wanted, and those that are planned for now.
    wanted: Vec<String>,
    enabled: Option<Vec<String>>,
    /// Whether this one of several runners may write.
    leads: watch::Receiver<bool>,
    /// The plan that is being carried out: its digest, and its actions.
    current: (String, BTreeSet<String>),
    /// The actions that were approved and are not done yet.
    approved: BTreeSet<String>,
    /// The deletes that wait until every document was read again, and those for which it was.
    doubted: BTreeSet<String>,
    sure: BTreeSet<String>,
    /// Something happened since the last plan.
    is_stirred: bool,
    /// Documents changed since it was asked which kinds matter and how clusters are reached.
    has_news: bool,
    surveyed_at: Instant,
    resynced_at: Instant,
    /// Who waits for everything to be looked at again.
    waiting: Vec<oneshot::Sender<()>>,
    /// Told when everything is known that can be.
    known: Option<watch::Sender<bool>>,
    /// Told each time what is known then.
    follower: Option<watch::Sender<Known>>,
    problems: Vec<String>,
}

impl Runner {
    pub fn new(
        session: Session,
        hub: &Cluster,
        options: Options,
        metrics: &Arc<Metrics>,
        leads: watch::Receiver<bool>,
    ) -> Runner {
        let (outbox, inbox) = Outbox::new();
        Runner {
            session,
            metrics: Arc::clone(metrics),
            documents: Documents::new(hub, &outbox),
            members: Members::new(hub, &outbox),
            sights: Sights::new(&outbox, options.watch),
            work: Work::new(&outbox, &leads),
            statuses: Statuses::new(hub, &outbox, &leads),
            report: Report::new(hub, &outbox, &options.name),
            options,
            outbox,
            inbox,
            wanted: Vec::new(),
            enabled: None,
            leads,
            current: Default::default(),
            approved: BTreeSet::new(),
            doubted: BTreeSet::new(),
            sure: BTreeSet::new(),
            is_stirred: true,
            has_news: true,
            surveyed_at: Instant::now(),
            resynced_at: Instant::now(),
            waiting: Vec::new(),
            known: None,
            follower: None,
            problems: Vec::new(),
        }
    }

    /// Tells when everything is known that can be.
    pub fn stop_when_known(&mut self, known: watch::Sender<bool>) {
        self.known = Some(known);
    }

    /// The hub, and the members that can be reached.
    pub fn clusters(&self) -> Vec<Cluster> {
        self.members.all_ready()
    }

    /// What was wrong when everything was known, in a line each.
    pub fn problems(&self) -> Vec<String> {
        self.problems.clone()
    }

    /// Where others ask for everything to be looked at again.
    pub fn resyncer(&self) -> Resyncer {
        Resyncer(self.outbox.clone())
    }

    /// Runs until it is asked to stop, or the engine loses its workspace.
    pub async fn run(&mut self, mut stop: watch::Receiver<bool>) -> End {
        if let Err(refusal) = self.begin() {
            return End::Lost(refusal);
        }
        let mut leads = self.leads.clone();
        loop {
            let wake = tokio::time::Instant::from_std(self.next_wake());
            tokio::select! {
                biased;
                _ = stop.wait_for(|it| *it) => break,
                changed = leads.changed() => self.lead(changed.is_ok() && *leads.borrow_and_update()),
                message = self.inbox.recv() => {
                    let Some(message) = message else { break };
                    if let Err(refusal) = self.take_all(message).await {
                        return End::Lost(refusal);
                    }
                }
                () = tokio::time::sleep_until(wake) => self.wake(),
            }
            // What is answered without asking anybody makes another plan at once. An engine that goes on asking for the same
            // gets no more than this until something happens.
            for _ in 0..TURNS {
                if let Err(refusal) = self.turn() {
                    return End::Lost(refusal);
                }
            }
        }
        self.work.abort();
        End::Stopped
    }

    /// The engine's workspace, for whoever goes on asking.
    pub fn into_session(self) -> Session {
        self.session
    }

    /// Tells the engine its settings, and finds out what to watch.
    fn begin(&mut self) -> Result<(), Refusal> {
        let settings = self.session.ask("configure", self.options.settings.clone())?;
        self.wanted = texts(&settings.ok, "dialects").into_iter().map(str::to_owned).collect();
        if self.options.watch {
            self.report.watch();
        }
        self.ask_kinds()?;
        self.survey();
        self.has_news = true;
        Ok(())
    }

    /// Takes in a message and all that came with it.
    async fn take_all(&mut self, first: Message) -> Result<(), Refusal> {
        self.take(first)?;
        let until = tokio::time::Instant::now() + GATHER;
        while let Ok(Some(message)) = tokio::time::timeout_at(until, self.inbox.recv()).await {
            self.take(message)?;
        }
        while let Ok(message) = self.inbox.try_recv() {
            self.take(message)?;
        }
        Ok(())
    }

    /// Starts or stops writing.
    fn lead(&mut self, leads: bool) {
        self.metrics.leads(leads);
        tracing::info!(
            leads,
            "{}",
            if leads { "leads: writes from now on" } else { "no longer leads: writes nothing" }
        );
        if !leads {
            self.work.abort();
            self.statuses.abort();
            self.approved.clear();
            self.doubted.clear();
        }
        self.is_stirred = true;
    }

    fn may_write(&self) -> bool {
        !self.options.dry_run && *self.leads.borrow()
    }

    /// When something must be done though nothing was told.
    fn next_wake(&self) -> Instant {
        let mut wake = (self.surveyed_at + SURVEY).min(self.resynced_at + self.options.resync);
        for next in [self.members.next_try(), self.sights.next_try(), self.work.next_try(), self.report.next_try()] {
            wake = next.map_or(wake, |it| it.min(wake));
        }
        if self.sights.is_looking(GRACE) || self.members.is_connecting(GRACE) {
            wake = wake.min(Instant::now() + GRACE);
        }
        // A time that has passed and was not enough must not become a loop without rest.
        wake.max(Instant::now() + Duration::from_millis(50))
    }

    fn wake(&mut self) {
        self.is_stirred = true;
        self.members.try_again();
        for cluster in self.members.all_ready() {
            self.sights.retry(&cluster);
        }
        if self.surveyed_at.elapsed() >= SURVEY {
            self.survey();
            self.documents.relist_faulty();
        }
        if self.resynced_at.elapsed() >= self.options.resync {
            self.resync();
        }
    }

    fn survey(&mut self) {
        self.surveyed_at = Instant::now();
        self.documents.survey();
    }

    /// Looks at everything in every cluster again.
    fn resync(&mut self) {
        (self.resynced_at, self.is_stirred) = (Instant::now(), true);
        self.metrics.resynced();
        self.documents.relist();
        self.members.check_access();
        for cluster in self.members.all_ready() {
            self.sights.look_at_all_again(&cluster);
        }
    }
}

/// Asks a runner to look at everything again.
#[derive(Clone, Debug)]
pub struct Resyncer(Outbox);

impl Resyncer {
    /// Comes back when everything was looked at, and what there was to do is done or under way.
    pub async fn resync(&self) {
        let (done, waits) = oneshot::channel();
        self.0.send(Message::Resync(done));
        // The runner may end before it is done.
        let _ = waits.await;
    }
}

/// Whether a version is another and not an older one. Versions are numbers that grow; what is no number is only another one.
fn is_newer(version: &str, known: Option<&str>) -> bool {
    let Some(known) = known else { return true };
    match (version.parse::<u128>(), known.parse::<u128>()) {
        (Ok(version), Ok(known)) => version > known,
        _ => version != known,
    }
}

#[cfg(test)]
mod tests {
    use super::is_newer;

    #[test]
    fn versions_grow() {
        assert!(is_newer("10", Some("9")));
        assert!(!is_newer("9", Some("10")));
        assert!(!is_newer("9", Some("9")));
        assert!(is_newer("a", Some("b")));
        assert!(is_newer("1", None));
    }
}
