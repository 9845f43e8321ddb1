//! Reads a real hub, once or as long as somebody looks: everything that a plan needs, from it and from its members, and
//! nothing is written.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use fleetfold_core::Value;
use tokio::sync::watch;

use super::metrics::Metrics;
use super::{End, Options, Runner};
use crate::cluster::{Cluster, Fault};
use crate::session::{Refusal, Session};

/// How long reading everything may take before what is missing is left unknown.
const PATIENCE: Duration = Duration::from_secs(60);

/// A workspace with everything that was read, and what could not be.
#[derive(Debug)]
pub struct Gathered {
    pub session: Session,
    /// What is wrong, in a line each.
    pub problems: Vec<String>,
    /// The hub, and the members that could be reached.
    pub clusters: Vec<Cluster>,
}

impl Gathered {
    /// Tells on standard error what could not be read.
    pub fn tell(&self) {
        for problem in &self.problems {
            // Nobody is left to tell if standard error is closed.
            let _ = writeln!(io::stderr(), "warning: {problem}");
        }
    }
}

/// Reads everything that a plan of the hub needs.
///
/// # Errors
///
/// The hub cannot be read at all, or the engine fails.
pub async fn gather(session: Session, hub: &Cluster, settings: Value) -> Result<Gathered, GatherError> {
    hub.probe().await.map_err(GatherError::Hub)?;
    let options = reading(settings, Duration::from_secs(3600), false);
    let (_leads, leads) = watch::channel(false);
    let mut runner = Runner::new(session, hub, options, &Arc::new(Metrics::default()), leads);
    let (stop, stopped) = watch::channel(false);
    runner.stop_when_known(stop);
    match tokio::time::timeout(PATIENCE, runner.run(stopped)).await {
        Ok(End::Lost(refusal)) => return Err(GatherError::Engine(refusal)),
        Ok(End::Stopped) | Err(_) => {}
    }
    let (problems, clusters) = (runner.problems(), runner.clusters());
    Ok(Gathered { session: runner.into_session(), problems, clusters })
}

/// What is known each time when everything is known that can be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// The digest of the plan.
    pub digest: String,
    /// What is wrong, in a line each.
    pub problems: Vec<String>,
}

/// Goes on reading what a plan of the hub needs, and tells `known` each time when everything is known. Answers when the
/// engine lost its workspace; otherwise it never ends.
pub async fn follow(session: Session, hub: &Cluster, resync: Duration, known: watch::Sender<Known>) -> Refusal {
    let options = reading(Value::map([] as [(&str, Value); 0]), resync, true);
    // Both ends are kept: nobody leads, and nobody says stop.
    let ((_leads, leads), (_stop, stopped)) = (watch::channel(false), watch::channel(false));
    let mut runner = Runner::new(session, hub, options, &Arc::new(Metrics::default()), leads);
    runner.follower = Some(known);
    match runner.run(stopped).await {
        End::Lost(refusal) => refusal,
        End::Stopped => std::future::pending().await,
    }
}

/// A runner that decides nothing and does nothing.
fn reading(settings: Value, resync: Duration, watch: bool) -> Options {
    Options { name: String::new(), settings, dry_run: true, require_approval: false, resync, watch }
}

/// Why nothing could be read.
#[derive(Debug)]
pub enum GatherError {
    Hub(Fault),
    Engine(Refusal),
}
