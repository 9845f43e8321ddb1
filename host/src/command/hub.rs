//! The hub: kubectl's flags, and reading a snapshot of it.

use std::path::PathBuf;

use fleetfold::cluster::{Cluster, connect};
use fleetfold::controller::{Snapshot, SnapshotError, snapshot};
use fleetfold::engine::Engine;
use fleetfold::session::Session;
use fleetfold_core::api::configure::Configure;
use tokio::runtime::{Builder, Runtime};

use crate::command::output::Failure;

/// The flags that choose the hub.
#[derive(Debug, Clone, clap::Args)]
pub struct HubArgs {
    /// The kubeconfig of the hub; default: $KUBECONFIG, ~/.kube/config, or the service account of the pod
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,

    /// The context of the kubeconfig
    #[arg(long, value_name = "NAME")]
    pub context: Option<String>,
}

impl HubArgs {
    /// Loads everything that a plan needs from the hub and its members, and prints the problems. Returns the engine and
    /// the requests that it received.
    pub fn load(&self, engine: Box<dyn Engine>) -> Result<(Box<dyn Engine>, Vec<String>), Failure> {
        let runtime = runtime()?;
        let snapshot = runtime.block_on(self.snapshot(engine))?;
        runtime.shutdown_background();
        snapshot.warn();
        Ok(snapshot.session.into_parts())
    }

    /// The same within a runtime; returns the clusters as well.
    pub async fn snapshot(&self, engine: Box<dyn Engine>) -> Result<Snapshot, Failure> {
        let hub = self.connect().await?;
        snapshot(Session::new(engine).keeping(), &hub, Configure::default()).await.map_err(|error| match error {
            SnapshotError::Hub(error) => error.into(),
            SnapshotError::Engine(error) => error.into(),
        })
    }

    pub async fn connect(&self) -> Result<Cluster, Failure> {
        Ok(connect::hub(self.kubeconfig.as_deref(), self.context.as_deref()).await?)
    }
}

/// The runtime of background tasks. Calls of the engine run on the main thread.
pub fn runtime() -> Result<Runtime, Failure> {
    let built = Builder::new_multi_thread().worker_threads(2).enable_all().build();
    built.map_err(|error| {
        Failure::new(format_args!("no threads can be started: {error}"), "is the machine out of memory?")
    })
}
