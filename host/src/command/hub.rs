//! The hub: kubectl's flags, and reading a snapshot of it.

use std::path::PathBuf;

use fleetfold::cluster::contacts::FirstContact;
use fleetfold::cluster::{Cluster, connect};
use fleetfold::controller::{Snapshot, SnapshotError, snapshot};
use fleetfold::engine::Engine;
use fleetfold::session::Session;
use fleetfold_core::api::configure::{Configure, KubeFedInput};
use fleetfold_core::api::plan::RecentDeleteInput;
use tokio::runtime::{Builder, Runtime};

use super::digest_key::DigestKeyArgs;
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

/// A workspace with a hub in it.
pub struct LoadedHub {
    pub engine: Box<dyn Engine>,
    /// The requests that the engine received.
    pub requests: Vec<String>,
    /// What the runners of the hub deleted recently.
    pub recent_deletes: Vec<RecentDeleteInput>,
}

impl HubArgs {
    /// Whether a hub is named.
    pub fn is_given(&self) -> bool {
        self.kubeconfig.is_some() || self.context.is_some()
    }

    pub async fn connect(&self) -> Result<Cluster, Failure> {
        Ok(connect::hub(self.kubeconfig.as_deref(), self.context.as_deref()).await?)
    }
}

/// The flag that chooses KubeFed's control planes.
#[derive(Debug, Clone, clap::Args)]
pub struct KubeFedArgs {
    /// Take KubeFedClusters of this namespace as members; may be given again; default: kube-federation-system
    #[arg(long = "kubefed-namespace", value_name = "NAME")]
    kubefed_namespaces: Vec<String>,
}

impl KubeFedArgs {
    /// The settings of the engine, with those of the flag.
    pub fn settings(&self, settings: Configure) -> Configure {
        if self.kubefed_namespaces.is_empty() {
            return settings;
        }
        let namespaces = Some(self.kubefed_namespaces.iter().map(Into::into).collect());
        Configure { kubefed: Some(KubeFedInput { namespaces, ..settings.kubefed.unwrap_or_default() }), ..settings }
    }
}

/// The flags that choose the members, and whether to connect to them.
#[derive(Debug, Clone, clap::Args)]
pub struct MemberArgs {
    #[command(flatten)]
    kubefed: KubeFedArgs,

    /// Send credentials to members without TLS, or with a certificate that is not checked
    #[arg(long)]
    insecure_endpoints: bool,

    /// Connect to members that no runner has connected to before
    ///
    /// Without it, a command that only reads sends credentials only where `fleetfold run` sent them before, as the
    /// status of its FleetPlan records.
    #[arg(long)]
    contact_members: bool,

    #[command(flatten)]
    pub digest_key: DigestKeyArgs,
}

impl MemberArgs {
    /// The settings of the engine, with those of the flags.
    pub fn settings(&self, settings: Configure) -> Result<Configure, Failure> {
        let insecure_endpoints = self.insecure_endpoints.then_some(true);
        self.digest_key.settings(self.kubefed.settings(Configure { insecure_endpoints, ..settings }))
    }

    /// Whether a command that only reads connects to members for the first time.
    pub fn first_contact(&self) -> FirstContact {
        if self.contact_members { FirstContact::Allowed } else { FirstContact::Refused }
    }

    /// Loads everything that a plan needs from the hub and its members, and prints the problems.
    pub fn load(&self, hub: &HubArgs, engine: Box<dyn Engine>) -> Result<LoadedHub, Failure> {
        let runtime = runtime()?;
        let snapshot = runtime.block_on(self.snapshot(hub, engine))?;
        runtime.shutdown_background();
        snapshot.warn();
        let Snapshot { session, recent_deletes, .. } = snapshot;
        let (engine, requests) = session.into_parts();
        Ok(LoadedHub { engine, requests, recent_deletes: recent_deletes.unwrap_or_default() })
    }

    /// The same within a runtime; returns the clusters as well.
    pub async fn snapshot(&self, hub: &HubArgs, engine: Box<dyn Engine>) -> Result<Snapshot, Failure> {
        let settings = self.settings(Configure::default())?;
        let hub = hub.connect().await?;
        let session = Session::new(engine).keeping();
        snapshot(session, &hub, settings, self.first_contact()).await.map_err(|error| match error {
            SnapshotError::Hub(error) => error.into(),
            SnapshotError::Engine(error) => error.into(),
        })
    }
}

/// The runtime of background tasks. Calls of the engine run on the main thread.
pub fn runtime() -> Result<Runtime, Failure> {
    let built = Builder::new_multi_thread().worker_threads(2).enable_all().build();
    built.map_err(|error| {
        Failure::new(format_args!("no threads can be started: {error}"), "is the machine out of memory?")
    })
}
