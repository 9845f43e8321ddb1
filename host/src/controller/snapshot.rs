//! Reads everything that a plan needs from a hub and its members, once or continuously, and writes nothing.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use fleetfold_core::api::configure::Configure;
use fleetfold_core::api::plan::RecentDeleteInput;
use tokio::sync::watch;

use super::metrics::Metrics;
use super::recent_deletes;
use super::{End, Options, Runner};
use crate::cluster::contacts::FirstContact;
use crate::cluster::{ApiError, Cluster};
use crate::session::{EngineError, Session};

/// How long a snapshot may take; what was not read by then stays unknown.
const SNAPSHOT_TIMEOUT: Duration = Duration::from_secs(60);

/// A workspace with everything that was read, and the problems.
#[derive(Debug)]
pub struct Snapshot {
    pub session: Session,
    /// One line each.
    pub problems: Vec<String>,
    /// The hub and the reachable members.
    pub clusters: Vec<Cluster>,
    /// What was deleted on the hub and its members recently, or why that is not known.
    pub recent_deletes: Result<Vec<RecentDeleteInput>, ApiError>,
}

impl Snapshot {
    /// Prints the problems on standard error.
    pub fn warn(&self) {
        for problem in &self.problems {
            // Standard error may be closed.
            let _ = writeln!(io::stderr(), "warning: {problem}");
        }
    }
}

/// Reads everything that a plan of the hub needs.
///
/// # Errors
///
/// The hub cannot be read at all, or the engine fails.
pub async fn snapshot(
    session: Session,
    hub: &Cluster,
    settings: Configure,
    first_contact: FirstContact,
) -> Result<Snapshot, SnapshotError> {
    hub.probe().await.map_err(SnapshotError::Hub)?;
    let options = read_only(settings, Duration::from_secs(3600), false, first_contact);
    let (_leadership, is_leader) = watch::channel(false);
    let mut runner = Runner::new(session, hub, options, &Arc::new(Metrics::default()), is_leader);
    let (stop, stopped) = watch::channel(false);
    runner.signal_when_synced(stop);
    match tokio::time::timeout(SNAPSHOT_TIMEOUT, runner.run(stopped)).await {
        Ok(End::Lost(error)) => return Err(SnapshotError::Engine(error)),
        Ok(End::Stopped) | Err(_) => {}
    }
    let (mut problems, clusters) = (runner.problems(), runner.clusters());
    let recent_deletes = recent_deletes::of_hub(hub).await;
    if let Err(error) = &recent_deletes {
        problems.push(format!("recent deletes are not counted, because FleetPlans cannot be read: {error}"));
    }
    Ok(Snapshot { session: runner.into_session(), problems, clusters, recent_deletes })
}

/// The state after a complete reconcile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SyncState {
    /// The digest of the plan.
    pub digest: String,
    /// One line each.
    pub problems: Vec<String>,
}

/// Keeps reading what a plan of the hub needs, and sends the state after each complete reconcile. Returns only when the
/// engine lost its workspace.
pub async fn follow(
    session: Session,
    hub: &Cluster,
    (settings, first_contact): (Configure, FirstContact),
    resync: Duration,
    states: watch::Sender<SyncState>,
) -> EngineError {
    let options = read_only(settings, resync, true, first_contact);
    // The senders are kept alive: this runner never leads and never stops.
    let ((_leadership, is_leader), (_stop, stopped)) = (watch::channel(false), watch::channel(false));
    let mut runner = Runner::new(session, hub, options, &Arc::new(Metrics::default()), is_leader);
    runner.follower = Some(states);
    match runner.run(stopped).await {
        End::Lost(error) => error,
        End::Stopped => std::future::pending().await,
    }
}

/// The options of a runner that writes nothing.
fn read_only(settings: Configure, resync: Duration, watch: bool, first_contact: FirstContact) -> Options {
    Options {
        name: String::new(),
        settings,
        engine_digest: String::new(),
        dry_run: true,
        require_approval: false,
        resync,
        watch,
        first_contact,
    }
}

/// Why there is no snapshot.
#[derive(Debug)]
pub enum SnapshotError {
    Hub(ApiError),
    Engine(EngineError),
}
