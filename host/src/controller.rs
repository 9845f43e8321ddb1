//! The runner: watches the hub, requests plans from the engine, fetches what they need, and applies them. It decides
//! nothing itself.
//!
//! One loop owns the engine. Background tasks watch, fetch and write, and report to the loop with [`events`]. Each
//! [`reconcile`]:
//!
//! 1. [`documents`]: changed documents of the hub are loaded; a dialect waits until all of its kinds can be read.
//! 2. [`members`]: connects to members with the credentials that the engine names; the state of an unreachable member
//!    is unknown, never empty.
//! 3. The engine returns a plan. [`live_cache`] fetches the objects that it needs, and watches them from then on.
//! 4. [`executor`] starts actions wave by wave, each with the uid and resourceVersion that the plan was made for.
//! 5. [`statuses`]: changed statuses are written, with an event for every transition.
//! 6. [`fleet_plan`]: conditions are written to the runner's FleetPlan.
//!
//! A reconcile without a change writes nothing.

mod action;
mod backoff;
mod conditions;
mod delete_log;
pub(crate) mod documents;
pub(crate) mod events;
mod executor;
mod fleet_plan;
mod handle;
pub mod leader_election;
mod live_cache;
mod members;
pub mod metrics;
pub mod metrics_server;
pub mod recent_deletes;
mod reconcile;
mod snapshot;
mod statuses;

pub use action::Action;
pub use fleet_plan::APPROVED_ANNOTATION;
pub use fleet_plan::status::{fleet_plan_target, read_status};
pub use snapshot::{Snapshot, SnapshotError, SyncState, follow, snapshot};

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fleetfold_core::api::configure::Configure;
use fleetfold_core::value::Text;
use tokio::sync::{mpsc, oneshot, watch};

use crate::cluster::Cluster;
use crate::cluster::contacts::FirstContact;
use crate::session::{EngineError, Session};
use backoff::Backoff;
use documents::Documents;
use events::{EventQueue, EventSender};
use executor::Executor;
use fleet_plan::FleetPlan;
use handle::Event;
use live_cache::LiveCache;
use members::Members;
use metrics::Metrics;
use statuses::Statuses;

/// How the runner works.
#[derive(Clone, Debug)]
pub struct Options {
    /// The name of the runner's FleetPlan on the hub.
    pub name: String,
    /// The settings of the engine.
    pub settings: Configure,
    /// The digest of the engine's module; empty if it is not known.
    pub engine_digest: String,
    /// Logs the plan and writes nothing.
    pub dry_run: bool,
    /// Applies only a plan whose digest was approved.
    pub require_approval: bool,
    /// How often everything is read again.
    pub resync: Duration,
    /// Keeps watching; otherwise everything is read once.
    pub watch: bool,
    /// Whether members are connected to that were never connected to before.
    pub first_contact: FirstContact,
}

/// How long a plan waits for a fetch or a connection: a slow cluster delays the others no longer than this.
const FETCH_GRACE: Duration = Duration::from_secs(3);

/// How often the hub is asked for kinds that it did not serve.
const DISCOVERY_INTERVAL: Duration = Duration::from_secs(5);

/// How long events are collected before they are handled: objects that are written together arrive together.
const BATCH_WINDOW: Duration = Duration::from_millis(20);

/// How many plans may follow each other without an event from outside.
const MAX_CONSECUTIVE_PLANS: usize = 16;

/// Why the runner ended.
#[derive(Debug)]
pub enum End {
    /// It received a stop signal.
    Stopped,
    /// The engine lost its workspace, so everything must be loaded again.
    Lost(EngineError),
}

/// The loop and its state.
#[derive(Debug)]
pub struct Runner {
    session: Session,
    options: Options,
    metrics: Arc<Metrics>,
    queue: EventQueue<Event>,
    events: mpsc::UnboundedReceiver<Event>,
    documents: Documents,
    members: Members,
    live_cache: LiveCache,
    executor: Executor,
    statuses: Statuses,
    fleet_plan: FleetPlan,
    /// The dialects to plan for, and those of which all kinds can be read.
    wanted: Vec<Text>,
    enabled: Option<Vec<Text>>,
    /// Whether this replica may write.
    is_leader: watch::Receiver<bool>,
    /// The plan that is being applied: its digest and its actions.
    current: (String, BTreeSet<String>),
    /// The approved actions that are still planned.
    approved: BTreeSet<String>,
    /// The deletes that wait for a relist of all documents, and those that were planned again after one.
    unconfirmed: BTreeSet<String>,
    confirmed: BTreeSet<String>,
    /// When a reconcile is tried again that exceeded a limit of the engine.
    stalled: Option<Backoff>,
    /// The warnings of the last plan, which were logged.
    warned: BTreeSet<String>,
    /// An event arrived since the last plan.
    dirty: bool,
    /// Documents changed since the kinds and endpoints were requested.
    documents_changed: bool,
    discovered_at: Instant,
    resynced_at: Instant,
    /// Signalled after the next complete resync.
    resync_waiters: Vec<oneshot::Sender<()>>,
    /// Set once everything that can be read was read.
    synced: Option<watch::Sender<bool>>,
    /// Receives the state after every complete reconcile.
    follower: Option<watch::Sender<SyncState>>,
    problems: Vec<String>,
}

impl Runner {
    pub fn new(
        session: Session,
        hub: &Cluster,
        options: Options,
        metrics: &Arc<Metrics>,
        is_leader: watch::Receiver<bool>,
    ) -> Runner {
        let (queue, events) = EventQueue::new();
        Runner {
            session,
            metrics: Arc::clone(metrics),
            documents: Documents::new(hub, queue.sender()),
            members: Members::new(hub, queue.sender(), options.first_contact),
            live_cache: LiveCache::new(queue.sender(), options.watch),
            executor: Executor::new(queue.sender(), &is_leader),
            statuses: Statuses::new(hub, queue.sender(), &is_leader),
            fleet_plan: FleetPlan::new(hub, queue.sender(), &options.name, &options.engine_digest),
            options,
            queue,
            events,
            wanted: Vec::new(),
            enabled: None,
            is_leader,
            current: Default::default(),
            approved: BTreeSet::new(),
            unconfirmed: BTreeSet::new(),
            confirmed: BTreeSet::new(),
            stalled: None,
            warned: BTreeSet::new(),
            dirty: true,
            documents_changed: true,
            discovered_at: Instant::now(),
            resynced_at: Instant::now(),
            resync_waiters: Vec::new(),
            synced: None,
            follower: None,
            problems: Vec::new(),
        }
    }

    /// Sets `synced` once everything that can be read was read.
    pub fn signal_when_synced(&mut self, synced: watch::Sender<bool>) {
        self.synced = Some(synced);
    }

    /// The hub and the reachable members.
    pub fn clusters(&self) -> Vec<Cluster> {
        self.members.all_ready()
    }

    /// The problems of the last complete reconcile, one line each.
    pub fn problems(&self) -> Vec<String> {
        self.problems.clone()
    }

    /// A handle that requests a resync.
    pub fn resyncer(&self) -> Resyncer {
        Resyncer(self.queue.sender())
    }

    /// Runs until `stop` is set or the engine loses its workspace.
    pub async fn run(&mut self, mut stop: watch::Receiver<bool>) -> End {
        if let Err(error) = self.begin() {
            return End::Lost(error);
        }
        let mut is_leader = self.is_leader.clone();
        loop {
            let wake = tokio::time::Instant::from_std(self.next_wake());
            tokio::select! {
                biased;
                _ = stop.wait_for(|it| *it) => break,
                changed = is_leader.changed() => self.set_leader(changed.is_ok() && *is_leader.borrow_and_update()),
                event = self.events.recv() => {
                    let Some(event) = event else { break };
                    if let Err(error) = self.handle_batch(event).await {
                        return End::Lost(error);
                    }
                }
                () = tokio::time::sleep_until(wake) => self.wake(),
            }
            // A need that the documents meet calls for another plan at once. The limit stops an engine that keeps
            // requesting the same object.
            for _ in 0..MAX_CONSECUTIVE_PLANS {
                match self.reconcile() {
                    Ok(()) => {}
                    Err(error) if !error.is_lost && error.is_limit() && self.options.watch => self.stall(&error),
                    Err(error) => return End::Lost(error),
                }
            }
        }
        self.executor.abort();
        End::Stopped
    }

    /// Plans again later, since no document is the cause that a plan exceeds a limit of the engine.
    fn stall(&mut self, error: &EngineError) {
        tracing::error!(code = error.code(), hint = error.hint(), "cannot plan: {error}");
        self.metrics.ready(false);
        self.stalled = Some(self.stalled.map_or_else(Backoff::first, Backoff::further));
        self.dirty = true;
    }

    /// The engine with its workspace, for further requests.
    pub fn into_session(self) -> Session {
        self.session
    }

    /// Configures the engine and finds the kinds to watch.
    fn begin(&mut self) -> Result<(), EngineError> {
        self.session.reset();
        let settings = self.session.change(self.options.settings.clone())?.answer;
        self.fleet_plan.set_delete_window(settings.limits.window_seconds);
        self.wanted = settings.dialects;
        if self.options.watch {
            self.fleet_plan.watch();
        }
        self.refresh_kinds()?;
        self.discover();
        self.documents_changed = true;
        Ok(())
    }

    /// Handles an event and those that arrive within the batch window.
    async fn handle_batch(&mut self, first: Event) -> Result<(), EngineError> {
        self.handle(first)?;
        let until = tokio::time::Instant::now() + BATCH_WINDOW;
        while let Ok(Some(event)) = tokio::time::timeout_at(until, self.events.recv()).await {
            self.handle(event)?;
        }
        while let Ok(event) = self.events.try_recv() {
            self.handle(event)?;
        }
        Ok(())
    }

    /// Starts or stops writing.
    fn set_leader(&mut self, is_leader: bool) {
        self.metrics.set_leader(is_leader);
        tracing::info!(
            leads = is_leader,
            "{}",
            if is_leader { "became the leader: writes from now on" } else { "no longer the leader: writes nothing" }
        );
        if !is_leader {
            self.executor.abort();
            self.statuses.abort();
            self.approved.clear();
            self.unconfirmed.clear();
        }
        self.dirty = true;
    }

    fn may_write(&self) -> bool {
        !self.options.dry_run && *self.is_leader.borrow()
    }

    /// When to reconcile without an event.
    fn next_wake(&self) -> Instant {
        let mut wake = (self.discovered_at + DISCOVERY_INTERVAL).min(self.resynced_at + self.options.resync);
        for next in [
            self.members.next_try(),
            self.live_cache.next_try(),
            self.executor.next_try(),
            self.fleet_plan.next_try(),
            self.session.quarantine().next_try(),
            self.stalled.map(Backoff::until),
        ] {
            wake = next.map_or(wake, |it| it.min(wake));
        }
        if self.live_cache.is_fetching(FETCH_GRACE) || self.members.is_connecting(FETCH_GRACE) {
            wake = wake.min(Instant::now() + FETCH_GRACE);
        }
        // A deadline in the past must not become a busy loop.
        wake.max(Instant::now() + Duration::from_millis(50))
    }

    fn wake(&mut self) {
        self.dirty = true;
        self.members.retry();
        for cluster in self.members.all_ready() {
            self.live_cache.retry(&cluster);
        }
        if self.discovered_at.elapsed() >= DISCOVERY_INTERVAL {
            self.discover();
            self.documents.relist_failed();
        }
        if self.resynced_at.elapsed() >= self.options.resync {
            self.resync();
        }
    }

    fn discover(&mut self) {
        self.discovered_at = Instant::now();
        self.documents.discover();
    }

    /// Reads everything in every cluster again.
    fn resync(&mut self) {
        (self.resynced_at, self.dirty) = (Instant::now(), true);
        self.metrics.resynced();
        self.documents.relist();
        self.members.check_credentials();
        for cluster in self.members.all_ready() {
            self.live_cache.refetch_all(&cluster);
        }
    }
}

/// Requests a resync of a runner.
#[derive(Clone, Debug)]
pub struct Resyncer(EventSender<oneshot::Sender<()>>);

impl Resyncer {
    /// Returns after everything was read again and the resulting actions were started.
    pub async fn resync(&self) {
        let (done, waiter) = oneshot::channel();
        self.0.send(done);
        // The runner may stop before the resync is complete.
        let _ = waiter.await;
    }
}

/// Whether a resourceVersion is newer than the known one. Numeric versions are ordered; any other version is newer if
/// it differs.
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
    fn newer_versions_are_larger_numbers() {
        assert!(is_newer("10", Some("9")));
        assert!(!is_newer("9", Some("10")));
        assert!(!is_newer("9", Some("9")));
        assert!(is_newer("a", Some("b")));
        assert!(is_newer("1", None));
    }
}
