//! Which hub is meant, as kubectl's flags say it, and how a command talks to it.

use std::path::PathBuf;

use fleetfold::cluster::{Cluster, Fault, connect};
use tokio::runtime::{Builder, Runtime};

use super::Failure;

/// The hub.
#[derive(Debug, Clone, clap::Args)]
pub struct HubArgs {
    /// The kubeconfig of the hub; without it $KUBECONFIG, ~/.kube/config, or the cluster that this runs in
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,

    /// The context of the kubeconfig
    #[arg(long, value_name = "NAME")]
    pub context: Option<String>,
}

impl HubArgs {
    pub async fn connect(&self) -> Result<Cluster, Failure> {
        Ok(connect::hub(self.kubeconfig.as_deref(), self.context.as_deref()).await?)
    }
}

/// What tasks run on: calls of the engine are on the thread that waits.
pub fn runtime() -> Result<Runtime, Failure> {
    let built = Builder::new_multi_thread().worker_threads(2).enable_all().build();
    built.map_err(|error| Failure::new(format_args!("no threads can be started: {error}"), "is the machine out of memory?"))
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self::new(&fault, fault.hint())
    }
}
