//! Which hub is meant, as kubectl's flags say it, and how a command talks to it.

use std::path::PathBuf;

use fleetfold::cluster::{Cluster, Fault, connect};
use fleetfold::engine::Engine;
use fleetfold::reconcile::{GatherError, Gathered, gather};
use fleetfold::session::Session;
use fleetfold_core::Value;
use tokio::runtime::{Builder, Runtime};

use super::Failure;
use super::fleet::Fleet;

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
    /// Reads everything from the hub and its members that a plan needs; what could not be read is told.
    pub fn gather(&self, engine: Box<dyn Engine>) -> Result<Fleet, Failure> {
        let runtime = runtime()?;
        let gathered = runtime.block_on(self.read(engine))?;
        runtime.shutdown_background();
        gathered.tell();
        let (engine, requests) = gathered.session.into_parts();
        Ok(Fleet::over(engine, requests))
    }

    /// The same inside of a runtime, with the clusters that were read.
    pub async fn read(&self, engine: Box<dyn Engine>) -> Result<Gathered, Failure> {
        let hub = self.connect().await?;
        let settings = Value::map([] as [(&str, Value); 0]);
        gather(Session::new(engine).keeping(), &hub, settings).await.map_err(|error| match error {
            GatherError::Hub(fault) => fault.into(),
            GatherError::Engine(refusal) => Failure::new(&refusal, &refusal.hint),
        })
    }

    pub async fn connect(&self) -> Result<Cluster, Failure> {
        Ok(connect::hub(self.kubeconfig.as_deref(), self.context.as_deref()).await?)
    }
}

/// What tasks run on: calls of the engine are on the thread that waits.
pub fn runtime() -> Result<Runtime, Failure> {
    let built = Builder::new_multi_thread().worker_threads(2).enable_all().build();
    built.map_err(|error| {
        Failure::new(format_args!("no threads can be started: {error}"), "is the machine out of memory?")
    })
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self::new(&fault, fault.hint())
    }
}
