//! Reads a real hub once: everything that a plan needs, from it and from its members, and nothing is written.

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
    let options = Options {
        name: String::new(),
        settings,
        dry_run: true,
        require_approval: false,
        resync: Duration::from_secs(3600),
        watch: false,
    };
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

/// Why nothing could be read.
#[derive(Debug)]
pub enum GatherError {
    Hub(Fault),
    Engine(Refusal),
}
