//! Which of several runners writes: the one that holds a Lease. It stops at once when it cannot renew it in time.

use std::time::{Duration, Instant};

use fleetfold_core::Value;
use tokio::sync::watch;

use crate::cluster::{Cluster, Effect, Fault, Target};
use crate::quantity::now;

/// How long a lease holds without being renewed; how often it is renewed; and when whoever fails to gives up, well before
/// others may take it.
const DURATION: Duration = Duration::from_secs(15);
const RENEW: Duration = Duration::from_secs(3);
const DEADLINE: Duration = Duration::from_secs(10);

/// A lease that several runners want.
#[derive(Clone, Debug)]
pub struct Lease {
    pub hub: Cluster,
    pub namespace: String,
    pub name: String,
    /// Who this runner is.
    pub identity: String,
}

/// What was last seen of the lease: time is counted from when it changed here, since clocks differ.
struct Observed {
    version: String,
    since: Instant,
}

impl Lease {
    /// Takes part, until asked to stop: then it lets go, so that another need not wait.
    pub async fn hold(self, leads: watch::Sender<bool>, mut stop: watch::Receiver<bool>) {
        let mut observed: Option<Observed> = None;
        let mut renewed: Option<Instant> = None;
        loop {
            let attempt = tokio::time::timeout(patience(renewed), self.attempt(&mut observed)).await;
            match attempt {
                Ok(Ok(true)) => renewed = Some(Instant::now()),
                Ok(Ok(false)) => renewed = None,
                Ok(Err(fault)) => {
                    tracing::warn!(
                        code = fault.code(),
                        hint = fault.hint(),
                        "the lease {} cannot be held: {fault}",
                        self.name
                    );
                }
                Err(_) => tracing::warn!("the lease {} cannot be held: no answer", self.name),
            }
            let holds = renewed.is_some_and(|it| it.elapsed() < DEADLINE);
            leads.send_if_modified(|it| std::mem::replace(it, holds) != holds);
            tokio::select! {
                _ = stop.wait_for(|it| *it) => break,
                () = tokio::time::sleep(RENEW.min(patience(renewed))) => {}
            }
        }
        leads.send_replace(false);
        if renewed.is_some() {
            self.release().await;
        }
    }

    /// Takes or renews the lease; answers whether it is held now.
    async fn attempt(&self, observed: &mut Option<Observed>) -> Result<bool, Fault> {
        let Some(live) = self.hub.get(&self.target()).await? else {
            return match self.hub.create(&self.body(), Effect::Real).await {
                Ok(_) => Ok(true),
                Err(Fault::Conflict { .. }) => Ok(false),
                Err(fault) => Err(fault),
            };
        };
        let version = live.text_at(&["metadata", "resourceVersion"]).to_owned();
        if observed.as_ref().is_none_or(|it| it.version != version) {
            *observed = Some(Observed { version: version.clone(), since: Instant::now() });
        }
        let holder = live.text_at(&["spec", "holderIdentity"]);
        let is_stale = observed.as_ref().is_some_and(|it| it.since.elapsed() >= DURATION);
        if holder != self.identity && !holder.is_empty() && !is_stale {
            return Ok(false);
        }
        let operation =
            Value::map([("op", Value::text("add")), ("path", "/spec".into()), ("value", self.spec(&self.identity))]);
        let precondition = Value::map([("resourceVersion", version)]);
        match self.hub.patch(&self.target(), &[operation], &precondition, Effect::Real).await {
            Ok(_) => Ok(true),
            Err(Fault::Conflict { .. }) => Ok(false),
            Err(fault) => Err(fault),
        }
    }

    async fn release(&self) {
        let operation = Value::map([("op", Value::text("add")), ("path", "/spec".into()), ("value", self.spec(""))]);
        let test = Value::map([("op", "test"), ("path", "/spec/holderIdentity"), ("value", &self.identity)]);
        if let Err(fault) = self.hub.patch(&self.target(), &[test, operation], &Value::Null, Effect::Real).await {
            tracing::warn!(code = fault.code(), "the lease {} cannot be let go: {fault}", self.name);
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
        let moment = now().replace('Z', ".000000Z");
        let seconds = i64::try_from(DURATION.as_secs()).unwrap_or(i64::MAX);
        Value::map([
            ("holderIdentity", Value::text(holder)),
            ("leaseDurationSeconds", seconds.into()),
            ("renewTime", moment.into()),
        ])
    }

    fn body(&self) -> Value {
        let mut body = self.target().to_value();
        if let Some(fields) = body.as_map_mut() {
            fields.remove("name");
            fields.remove("namespace");
            fields.insert("metadata", Value::map([("name", self.name.as_str()), ("namespace", &self.namespace)]));
            fields.insert("spec", self.spec(&self.identity));
        }
        body
    }
}

/// How long to wait for anything, so that whoever holds the lease gives up in time.
fn patience(renewed: Option<Instant>) -> Duration {
    const LEAST: Duration = Duration::from_millis(100);
    renewed.map_or(DEADLINE, |it| DEADLINE.saturating_sub(it.elapsed())).clamp(LEAST, DEADLINE / 2)
}

/// A name for this process that no other has: the pod's, or the machine's with the process.
pub fn own_identity() -> String {
    let of_machine = || {
        let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
        format!("{host}_{}", std::process::id())
    };
    std::env::var("POD_NAME").ok().filter(|it| !it.is_empty()).unwrap_or_else(of_machine)
}
