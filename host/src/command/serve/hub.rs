//! A real hub as a fleet that is served: read and watched as the runner does it, and never written to.
//!
//! What is told of it is what its documents and its members' objects come to ([`Ledger`]), as YAML, with stand-ins for
//! what Secrets hold.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use fleetfold::cluster::connect;
use fleetfold::guest::{Guest, Limits, Module};
use fleetfold::reconcile::{Known, follow as follow_hub};
use fleetfold::serve::edition::{Edition, Source};
use fleetfold::serve::veil::Veil;
use fleetfold::session::Session;
use fleetfold::session::ledger::Ledger;
use fleetfold_core::Value;
use fleetfold_core::object::document::Identity;
use tokio::runtime::Runtime;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use crate::command::Failure;
use crate::command::hub::{HubArgs, runtime};
use crate::render::yaml;
use crate::source::HUB;

/// How long to wait for everything before what is there is shown.
const PATIENCE: Duration = Duration::from_secs(60);

/// The shortest time between two editions: a busy hub must not keep every page loading.
const PACE: Duration = Duration::from_millis(500);

/// The runner's engine answers to nobody who waits.
const DEADLINE: Duration = Duration::from_secs(60);

/// Reads the hub and its members, and goes on following them in the background.
pub fn follow(
    hub: &HubArgs,
    resync: Duration,
    module: &Module,
    limits: Limits,
) -> Result<watch::Receiver<Edition>, Failure> {
    // For as long as the program runs: everything that follows the hub runs on it.
    let runtime: &'static Runtime = Box::leak(Box::new(runtime()?));
    let cluster = runtime.block_on(async {
        let cluster = hub.connect().await?;
        cluster.probe().await?;
        Ok::<_, Failure>(cluster)
    })?;
    let veil = Veil::new().map_err(|error| {
        Failure::new(format_args!("the system gives no random bytes: {error}"), "is /dev/urandom there?")
    })?;
    let name = connect::hub_name(hub.kubeconfig.as_deref(), hub.context.as_deref());
    let teller = Teller { ledger: Arc::default(), veil, name };
    let (ledger, module) = (Arc::clone(&teller.ledger), module.clone());
    let limits = Limits { deadline: limits.deadline.max(DEADLINE), ..limits };
    let (tell, known) = watch::channel(Known::default());
    // The engine stays on one thread, and calls of it hold up nothing else.
    thread::spawn(move || {
        runtime.block_on(async {
            while let Ok(guest) = Guest::new(&module, limits) {
                let session = Session::new(Box::new(guest)).followed(Arc::clone(&ledger));
                // It ends where the engine lost its workspace: everything is read again.
                follow_hub(session, &cluster, resync, tell.clone()).await;
                sleep(Duration::from_secs(5)).await;
            }
        });
    });
    Ok(teller.start(runtime, known))
}

/// Makes editions of what is known.
struct Teller {
    ledger: Arc<Mutex<Ledger>>,
    veil: Veil,
    name: String,
}

impl Teller {
    /// Answers with the first edition, when everything is known or waiting took too long, and goes on with the others.
    fn start(self, runtime: &Runtime, mut known: watch::Receiver<Known>) -> watch::Receiver<Edition> {
        let is_known = runtime.block_on(async { timeout(PATIENCE, known.changed()).await.is_ok() });
        let mut first = known.borrow_and_update().clone();
        if !is_known {
            first.problems.push("not everything could be read yet".to_owned());
        }
        let (mut ledger, mut told) = (self.snapshot(), first);
        let (editions, receiver) = watch::channel(self.edition(&ledger, &told));
        runtime.spawn(async move {
            while known.changed().await.is_ok() {
                let (now, snapshot) = (known.borrow_and_update().clone(), self.snapshot());
                if (snapshot.version, &now) != (ledger.version, &told) {
                    (ledger, told) = (snapshot, now);
                    editions.send_replace(self.edition(&ledger, &told));
                    sleep(PACE).await;
                }
            }
        });
        receiver
    }

    fn snapshot(&self) -> Ledger {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn edition(&self, ledger: &Ledger, known: &Known) -> Edition {
        let mut loads = Vec::new();
        for (kind, text) in self.by_kind(ledger.documents()) {
            loads.push(Value::map([("file", format!("hub/{kind}.yaml")), ("text", text)]));
        }
        for (cluster, seen) in ledger.clusters() {
            let with = |mut fields: Value| {
                if let Some(fields) = fields.as_map_mut() {
                    fields.insert("live", cluster);
                }
                fields
            };
            let folder = if cluster.is_empty() { HUB } else { cluster };
            loads.extend(seen.facts().into_iter().map(with));
            for (kind, text) in self.by_kind(seen.objects()) {
                let file = format!("live/{folder}/{kind}.yaml");
                loads.push(with(Value::map([("file", file), ("text", text)])));
            }
        }
        let warn =
            |problem: &String| Value::map([("severity", "warning"), ("code", "fleet-condition"), ("message", problem)]);
        Edition {
            source: Some(Source::Cluster { name: self.name.clone() }),
            loads,
            settings: vec![Value::map([("configure", ledger.settings())])],
            diagnostics: known.problems.iter().map(warn).collect(),
            digest: Some(known.digest.clone()).filter(|it| !it.is_empty()),
        }
    }

    /// Objects as YAML, a text for each kind; with its group in the name where two groups have the kind.
    fn by_kind<'a>(&self, objects: impl Iterator<Item = (&'a Identity, &'a Value)>) -> BTreeMap<String, String> {
        let mut kinds: BTreeMap<(String, String), String> = BTreeMap::new();
        for (identity, object) in objects {
            let mut object = object.clone();
            self.veil.cover(&mut object);
            if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_map_mut) {
                // Who wrote which field is no part of the fleet, and longer than all the rest.
                metadata.remove("managedFields");
            }
            let text = kinds.entry((identity.kind.to_string(), identity.group.to_string())).or_default();
            if !text.is_empty() {
                text.push_str("---\n");
            }
            text.push_str(&yaml::document(&object));
        }
        let is_shared = |kind: &String| kinds.keys().filter(|(it, _)| it == kind).count() > 1;
        let name = |(kind, group): &(String, String)| match is_shared(kind) && !group.is_empty() {
            true => format!("{kind}.{group}"),
            false => kind.clone(),
        };
        kinds.iter().map(|(kind, text)| (name(kind), text.clone())).collect()
    }
}
