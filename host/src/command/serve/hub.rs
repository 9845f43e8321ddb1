//! Serves a hub: reads and watches it as the runner does, and never writes.
//!
//! A snapshot is the state of the runner's workspace ([`WorkspaceState`]) as YAML, with redacted Secrets.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use fleetfold::cluster::connect;
use fleetfold::controller::{SyncState, follow as follow_hub};
use fleetfold::guest::{Guest, Limits, Module};
use fleetfold::serve::fleet_snapshot::{FleetSnapshot, SettingsFile, Source};
use fleetfold::serve::redaction::Redaction;
use fleetfold::session::Session;
use fleetfold::session::workspace_state::WorkspaceState;
use fleetfold_core::api::Finding;
use fleetfold_core::api::configure::Configure;
use fleetfold_core::diagnostic::Severity;
use fleetfold_core::object::Identity;
use fleetfold_core::object::folder;
use fleetfold_core::object::managed_fields;
use fleetfold_core::object::secrets::SecretValues;
use fleetfold_core::{Value, yaml};
use tokio::runtime::Runtime;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use crate::command::hub::{HubArgs, MemberArgs, runtime};
use crate::command::output::Failure;
use crate::render::json::value_of;
use crate::source::load_of;

/// How long the first snapshot waits for everything to be read.
const FIRST_SYNC_TIMEOUT: Duration = Duration::from_secs(60);

/// The shortest time between two snapshots: a busy hub must not keep every page reloading.
const MIN_INTERVAL: Duration = Duration::from_millis(500);

/// The deadline of the runner's engine: no user waits for its answers.
const ENGINE_DEADLINE: Duration = Duration::from_secs(60);

/// Reads the hub and its members, and keeps watching them in the background.
pub fn follow(
    hub: &HubArgs,
    members: &MemberArgs,
    resync: Duration,
    module: &Module,
    limits: Limits,
) -> Result<watch::Receiver<FleetSnapshot>, Failure> {
    // Leaked: it runs as long as the program.
    let runtime: &'static Runtime = Box::leak(Box::new(runtime()?));
    let cluster = runtime.block_on(async {
        let cluster = hub.connect().await?;
        cluster.probe().await?;
        Ok::<_, Failure>(cluster)
    })?;
    let redaction = Redaction::new().map_err(|error| {
        Failure::new(format_args!("the system gives no random bytes: {error}"), "is /dev/urandom there?")
    })?;
    let name = connect::hub_name(hub.kubeconfig.as_deref(), hub.context.as_deref());
    let publisher = Publisher { state: Arc::default(), redaction, name };
    let (state, module) = (Arc::clone(&publisher.state), module.clone());
    let limits = Limits { deadline: limits.deadline.max(ENGINE_DEADLINE), ..limits };
    let (sender, states) = watch::channel(SyncState::default());
    let first_contact = members.first_contact();
    let settings = members.settings(Configure::default())?;
    // Calls of the engine block, so it has its own thread.
    thread::spawn(move || {
        runtime.block_on(async {
            while let Ok(guest) = Guest::new(&module, limits) {
                let session = Session::new(Box::new(guest)).tracked(Arc::clone(&state));
                // Returns when the engine lost its workspace: everything is read again.
                follow_hub(session, &cluster, (settings.clone(), first_contact), resync, sender.clone()).await;
                sleep(Duration::from_secs(5)).await;
            }
        });
    });
    Ok(publisher.start(runtime, states))
}

/// Makes snapshots of the workspace state.
struct Publisher {
    state: Arc<Mutex<WorkspaceState>>,
    redaction: Redaction,
    name: String,
}

impl Publisher {
    /// Waits for the first snapshot, with everything or after the timeout, and sends the others from the background.
    fn start(self, runtime: &Runtime, mut states: watch::Receiver<SyncState>) -> watch::Receiver<FleetSnapshot> {
        let is_synced = runtime.block_on(async { timeout(FIRST_SYNC_TIMEOUT, states.changed()).await.is_ok() });
        let mut first = states.borrow_and_update().clone();
        if !is_synced {
            first.problems.push("some objects have not been read yet".to_owned());
        }
        let (mut state, mut synced) = (self.state(), first);
        let (snapshots, receiver) = watch::channel(self.fleet_snapshot(&state, &synced));
        runtime.spawn(async move {
            while states.changed().await.is_ok() {
                let (now, current) = (states.borrow_and_update().clone(), self.state());
                if (current.version, &now) != (state.version, &synced) {
                    (state, synced) = (current, now);
                    snapshots.send_replace(self.fleet_snapshot(&state, &synced));
                    sleep(MIN_INTERVAL).await;
                }
            }
        });
        receiver
    }

    fn state(&self) -> WorkspaceState {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn fleet_snapshot(&self, state: &WorkspaceState, synced: &SyncState) -> FleetSnapshot {
        let mut loads = Vec::new();
        let secrets = secret_values(state);
        for (kind, text) in self.by_kind(state.documents(), &secrets) {
            loads.push(load_of(&format!("hub/{kind}.yaml"), &text, None));
        }
        for (cluster, observed) in state.clusters() {
            loads.extend(observed.loads(cluster));
            for (kind, text) in self.by_kind(observed.objects(), &secrets) {
                let file = format!("{}/{}/{kind}.yaml", folder::LIVE, folder::folder_of(cluster));
                loads.push(load_of(&file, &text, Some(cluster)));
            }
        }
        // The key is for those who plan with the real Secrets.
        let settings = Configure { digest_key: None, ..state.settings().clone() };
        let warn = |problem: &String| Finding {
            at: None,
            code: "fleet-condition".into(),
            hint: None,
            message: problem.clone(),
            severity: Severity::Warning,
        };
        FleetSnapshot {
            source: Some(Source::Cluster { name: self.name.clone() }),
            loads,
            settings: vec![SettingsFile { configure: value_of(&settings), ..SettingsFile::default() }],
            diagnostics: synced.problems.iter().map(warn).collect(),
            digest: Some(synced.digest.clone()).filter(|it| !it.is_empty()),
        }
    }

    /// Objects as YAML, one text per kind. The name includes the group where two groups have the kind.
    fn by_kind<'a>(
        &self,
        objects: impl Iterator<Item = (&'a Identity, &'a Value)>,
        secrets: &SecretValues,
    ) -> BTreeMap<String, String> {
        let mut kinds: BTreeMap<(String, String), String> = BTreeMap::new();
        for (identity, object) in objects {
            let mut object = object.clone();
            self.redaction.pseudonymize(&mut object);
            // What Secrets hold are pseudonyms now; copies of it in other objects are not.
            secrets.mask(&mut object);
            // The page plans with other field managers too, as the runner does; the rest of them was not kept.
            managed_fields::reduce(&mut object);
            let text = kinds.entry((identity.kind.to_string(), identity.group.to_string())).or_default();
            if !text.is_empty() {
                text.push_str("---\n");
            }
            text.push_str(&yaml::print(&object));
        }
        let is_shared = |kind: &String| kinds.keys().filter(|(it, _)| it == kind).count() > 1;
        let name = |(kind, group): &(String, String)| match is_shared(kind) && !group.is_empty() {
            true => format!("{kind}.{group}"),
            false => kind.clone(),
        };
        kinds.iter().map(|(kind, text)| (name(kind), text.clone())).collect()
    }
}

/// What the Secrets of a workspace hold.
fn secret_values(state: &WorkspaceState) -> SecretValues {
    let observed = || state.clusters().flat_map(|(_, it)| it.objects());
    let names: BTreeSet<&str> =
        state.documents().flat_map(|(it, _)| [it.name.as_str(), it.namespace.as_str()]).collect();
    let objects = state.documents().chain(observed()).map(|(_, object)| object);
    SecretValues::of(objects, |it| names.contains(it))
}
