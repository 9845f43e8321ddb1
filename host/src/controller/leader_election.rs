//! Leader election with a Lease. The leader stops writing at once when it cannot renew the lease in time.

use std::time::{Duration, Instant};

use fleetfold_core::Value;
use fleetfold_core::api::plan::Precondition;
use fleetfold_core::engine::patch::Verb;
use tokio::sync::watch;

use crate::clock::{micro_time, now};
use crate::cluster::{ApiError, Cluster, Effect, operation};
use crate::meta::Meta;
use crate::target::Target;

/// How long a lease is valid, how often it is renewed, and after how long without a renewal the leader gives up: well
/// before another replica may take over.
const LEASE_DURATION: Duration = Duration::from_secs(15);
const RENEW_INTERVAL: Duration = Duration::from_secs(3);
const RENEW_DEADLINE: Duration = Duration::from_secs(10);

/// One replica's part in the election.
#[derive(Clone, Debug)]
pub struct LeaderElection {
    pub hub: Cluster,
    pub namespace: String,
    pub name: String,
    /// The identity of this replica.
    pub identity: String,
}

/// The last observed version of the lease. Its age is measured with the local clock, since clocks differ.
struct Observed {
    version: String,
    since: Instant,
}

impl LeaderElection {
    /// Takes part until `stop` is set, then releases the lease so that no other replica has to wait.
    pub async fn run(self, is_leader: watch::Sender<bool>, mut stop: watch::Receiver<bool>) {
        let mut observed: Option<Observed> = None;
        let mut renewed: Option<Instant> = None;
        loop {
            let attempt = tokio::time::timeout(attempt_timeout(renewed), self.attempt(&mut observed)).await;
            match attempt {
                Ok(Ok(true)) => renewed = Some(Instant::now()),
                Ok(Ok(false)) => renewed = None,
                Ok(Err(error)) => {
                    tracing::warn!(
                        code = error.code(),
                        hint = error.hint(),
                        "cannot hold the lease {}: {error}",
                        self.name
                    );
                }
                Err(_) => tracing::warn!("cannot hold the lease {}: timed out", self.name),
            }
            let holds = renewed.is_some_and(|it| it.elapsed() < RENEW_DEADLINE);
            is_leader.send_if_modified(|it| std::mem::replace(it, holds) != holds);
            tokio::select! {
                _ = stop.wait_for(|it| *it) => break,
                () = tokio::time::sleep(RENEW_INTERVAL.min(attempt_timeout(renewed))) => {}
            }
        }
        is_leader.send_replace(false);
        if renewed.is_some() {
            self.release().await;
        }
    }

    /// Acquires or renews the lease; returns whether this replica holds it.
    async fn attempt(&self, observed: &mut Option<Observed>) -> Result<bool, ApiError> {
        let Some(live) = self.hub.get(&self.target()).await? else {
            return match self.hub.create(&self.body(), Effect::Real).await {
                Ok(_) => Ok(true),
                Err(ApiError::Conflict { .. }) => Ok(false),
                Err(error) => Err(error),
            };
        };
        let version = Meta::of(&live).resource_version().to_owned();
        if observed.as_ref().is_none_or(|it| it.version != version) {
            *observed = Some(Observed { version: version.clone(), since: Instant::now() });
        }
        let holder = Meta::of(&live).spec().map_or("", |it| it.text_at(&["holderIdentity"]));
        let is_stale = observed.as_ref().is_some_and(|it| it.since.elapsed() >= LEASE_DURATION);
        if holder != self.identity && !holder.is_empty() && !is_stale {
            return Ok(false);
        }
        let spec = operation(Verb::Add, "/spec", Some(self.spec(&self.identity)));
        let precondition = Precondition { resource_version: Some(version.into()), uid: None };
        match self.hub.patch(&self.target(), &[spec], Some(&precondition), Effect::Real).await {
            Ok(_) => Ok(true),
            Err(ApiError::Conflict { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    async fn release(&self) {
        let spec = operation(Verb::Add, "/spec", Some(self.spec("")));
        let holder = operation(Verb::Test, "/spec/holderIdentity", Some(self.identity.as_str().into()));
        if let Err(error) = self.hub.patch(&self.target(), &[holder, spec], None, Effect::Real).await {
            tracing::warn!(code = error.code(), "cannot release the lease {}: {error}", self.name);
        }
    }

    fn target(&self) -> Target {
        Target {
            api_version: "coordination.k8s.io/v1".into(),
            kind: "Lease".into(),
            namespace: self.namespace.clone(),
            name: self.name.clone(),
        }
    }

    fn spec(&self, holder: &str) -> Value {
        let seconds = i64::try_from(LEASE_DURATION.as_secs()).unwrap_or(i64::MAX);
        Value::map([
            ("holderIdentity", Value::text(holder)),
            ("leaseDurationSeconds", seconds.into()),
            ("renewTime", micro_time(&now()).into()),
        ])
    }

    fn body(&self) -> Value {
        let Target { api_version, kind, namespace, name } = self.target();
        Value::map([
            ("apiVersion", Value::text(api_version)),
            ("kind", kind.into()),
            ("metadata", Value::map([("name", name), ("namespace", namespace)])),
            ("spec", self.spec(&self.identity)),
        ])
    }
}

/// How long one attempt may take, so that the leader gives up in time.
fn attempt_timeout(renewed: Option<Instant>) -> Duration {
    const LEAST: Duration = Duration::from_millis(100);
    renewed.map_or(RENEW_DEADLINE, |it| RENEW_DEADLINE.saturating_sub(it.elapsed())).clamp(LEAST, RENEW_DEADLINE / 2)
}

/// A unique identity of this process: the pod name, or host name and process id.
pub fn own_identity() -> String {
    let of_machine = || {
        let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
        format!("{host}_{}", std::process::id())
    };
    std::env::var("POD_NAME").ok().filter(|it| !it.is_empty()).unwrap_or_else(of_machine)
}
