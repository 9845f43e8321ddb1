//! `fleetfold run`: reconciles a hub and its members.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use fleetfold::args;
use fleetfold::cluster::contacts::FirstContact;
use fleetfold::controller::leader_election::{LeaderElection, own_identity};
use fleetfold::controller::metrics::Metrics;
use fleetfold::controller::metrics_server::{ReconcileAccess, listen};
use fleetfold::controller::{End, Options, Runner};
use fleetfold::engine::Engine;
use fleetfold::guest::{Guest, Module};
use fleetfold::session::Session;
use fleetfold::session::record::{Recorder, Replay, ReplayedPlan, replay};
use fleetfold_core::api::configure::{Configure, KubeFedInput};
use fleetfold_core::workspace::LocalChanges;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;

use super::ModuleArgs;
use super::hub::{HubArgs, MemberArgs, runtime};
use super::limits::LimitArgs;
use super::serve::read_token;
use crate::command::output::{Failure, print};

/// Run the controller: apply the plan of a hub and its members
///
/// Watches the documents of the hub, plans, fetches the live objects that the plan needs, and applies the actions wave
/// by wave, each on condition that the object has not changed since. Logs JSON lines to standard error, and writes
/// conditions to the status of its FleetPlan. Writes nothing when nothing changed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fleetfold run                                              on the hub of the current kubectl context
  fleetfold run --dry-run                                    logs the plan and writes nothing
  fleetfold run --require-approval                           waits for `fleetfold approve`
  fleetfold run --digest-key-file key                        digests do not reveal values of Secrets
  fleetfold run --leader-elect --lease-namespace fleetfold-system
  fleetfold run --dialect greenhouse --max-deletes 20
  fleetfold run --module new.wasm --verify-key public.pem     runs another engine if that key signed it
  fleetfold run --record field.jsonl                         records everything that it reads, Secrets included
  fleetfold run --replay field.jsonl --module new.wasm       replays it offline with another engine")]
pub struct Args {
    #[command(flatten)]
    hub: HubArgs,

    #[command(flatten)]
    members: MemberArgs,

    /// The name of the FleetPlan with the status of this runner
    #[arg(long, default_value = "fleetfold")]
    name: String,

    /// Plan for the documents of this system only; may be given again
    #[arg(long = "dialect", value_name = "NAME")]
    dialects: Vec<String>,

    #[command(flatten)]
    limits: LimitArgs,

    /// Restart workloads that opted in when their certificates are renewed
    #[arg(long)]
    pod_refresher: bool,

    /// Keep fields that others set on the copies of federated objects
    #[arg(long)]
    keep_local_changes: bool,

    /// Log the plan and write nothing
    #[arg(long)]
    dry_run: bool,

    /// Apply only a plan whose digest was approved
    #[arg(long)]
    require_approval: bool,

    /// How often everything is read again, in addition to watches
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = args::duration)]
    resync: Duration,

    /// The address of /metrics, /healthz, /readyz and POST /reconcile
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,

    /// A file with the token that POST /reconcile requires; without it, that works on a loopback address only
    #[arg(long, value_name = "FILE", requires = "listen")]
    reconcile_token_file: Option<PathBuf>,

    /// Use leader election, so that several replicas can run
    #[arg(long)]
    leader_elect: bool,

    /// The namespace of the Lease
    #[arg(long, value_name = "NAMESPACE", default_value = "default", requires = "leader_elect")]
    lease_namespace: String,

    /// Run a second engine in shadow mode and report differences
    #[arg(long, value_name = "FILE")]
    shadow: Option<PathBuf>,

    /// Record everything that is read in this file, Secret data included; the file must not exist
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    /// Replay a record offline, and compare every answer
    #[arg(long, value_name = "FILE", conflicts_with_all = ["record", "shadow", "kubeconfig", "listen", "leader_elect"])]
    replay: Option<PathBuf>,

    /// How much to log: error, warn, info, debug
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    log_level: LevelFilter,

    #[command(flatten)]
    module: ModuleArgs,
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let module = args.module.load()?;
    let mut guest = Guest::new(&module, args.module.limits())?;
    if let Some(file) = &args.replay {
        let key = args.members.digest_key.key()?;
        let replayed = replay(file, &mut guest, key.as_deref()).map_err(|error| Failure::new(&error, error.hint()))?;
        print(replay_report(&replayed, module.digest()))?;
        return Ok(ExitCode::from(u8::from(!replayed.is_same())));
    }
    log(args.log_level);
    let shadow = args.shadow.as_deref().map(|file| args.module.load_other(file)).transpose()?;
    let recorder = args.record.as_deref().map(|file| record(file, &module)).transpose()?;
    let shadow = shadow.map(|it| Guest::new(&it, args.module.limits())).transpose()?;
    let shadow = shadow.map(|it| Box::new(it) as Box<dyn Engine>);
    let session = Session::new(Box::new(guest)).recorded(recorder).shadowed(shadow);
    let runtime = runtime()?;
    let done = runtime.block_on(reconcile(args, session, options(args, &module)?));
    // Does not wait for requests in flight.
    runtime.shutdown_background();
    done
}

async fn reconcile(args: &Args, mut session: Session, options: Options) -> Result<ExitCode, Failure> {
    let hub = args.hub.connect().await?;
    hub.probe().await?;
    let metrics = Arc::new(Metrics::default());
    let (stop, stopped) = watch::channel(false);
    let (leadership, is_leader) = watch::channel(!args.leader_elect);
    tokio::spawn(stop_on_signal(stop)?);
    let election = args.leader_elect.then(|| LeaderElection {
        hub: hub.clone(),
        namespace: args.lease_namespace.clone(),
        name: args.name.clone(),
        identity: own_identity(),
    });
    metrics.set_leader(!args.leader_elect);
    // Without an election the sender is kept: dropping it would end the leadership.
    let (election, _leadership) = match election {
        Some(election) => (Some(tokio::spawn(election.run(leadership, stopped.clone()))), None),
        None => (None, Some(leadership)),
    };
    let mut listener = args.listen.map(bind).transpose()?;
    let mut token = args.reconcile_token_file.as_deref().map(read_token).transpose()?;
    let mut pause = Duration::from_secs(1);
    loop {
        let mut runner = Runner::new(session, &hub, options.clone(), &metrics, is_leader.clone());
        if let Some(listener) = listener.take() {
            let reconcile = ReconcileAccess { resyncer: runner.resyncer(), token: token.take() };
            listen(listener, Arc::clone(&metrics), Some(reconcile)).map_err(|error| cannot_listen(&error))?;
        }
        match runner.run(stopped.clone()).await {
            End::Stopped => break,
            End::Lost(error) if error.is_lost => {
                tracing::error!(
                    code = error.code(),
                    hint = error.hint(),
                    "the engine lost its workspace, which is read again: {error}"
                );
                session = runner.into_session();
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(Duration::from_secs(60));
            }
            End::Lost(error) => return Err(error.into()),
        }
    }
    if let Some(election) = election {
        // Releases the lease, unless the hub does not respond.
        let _ = tokio::time::timeout(Duration::from_secs(5), election).await;
    }
    tracing::info!("stopped");
    Ok(ExitCode::SUCCESS)
}

fn options(args: &Args, module: &Module) -> Result<Options, Failure> {
    let settings = Configure {
        dialects: (!args.dialects.is_empty()).then(|| args.dialects.iter().map(Into::into).collect()),
        limits: args.limits.settings(),
        pod_refresher: args.pod_refresher.then_some(true),
        kubefed: args
            .keep_local_changes
            .then(|| KubeFedInput { local_changes: Some(LocalChanges::Keep), ..KubeFedInput::default() }),
        ..Configure::default()
    };
    let settings = args.members.settings(settings)?;
    Ok(Options {
        name: args.name.clone(),
        settings,
        engine_digest: module.digest().to_owned(),
        dry_run: args.dry_run,
        require_approval: args.require_approval,
        resync: args.resync,
        watch: true,
        first_contact: if args.dry_run { args.members.first_contact() } else { FirstContact::Allowed },
    })
}

/// The result of a replay: every plan, and every answer that differs.
fn replay_report(replayed: &Replay, module: &str) -> String {
    let mut out = String::new();
    for ReplayedPlan { line, now, digest, actions, held, needs } in &replayed.plans {
        out.push_str(&format!("line {line}  plan at {now}  {digest}  {actions} actions, {held} held, {needs} needs\n"));
    }
    for it in &replayed.differences {
        let refused = it.refused.as_ref().map(|code| format!(" (refused: {code})")).unwrap_or_default();
        out.push_str(&format!("line {}  {} differs: {} was {}{refused}\n", it.line, it.op, it.now, it.recorded));
    }
    if replayed.is_of_other(module) {
        out.push_str(&format!("recorded with the module {}, replayed with {module}\n", replayed.module));
    }
    if replayed.lacks_digest_key {
        out.push_str(
            "recorded with a digest key: without it (`--digest-key-file`), plans with Secrets have other digests\n",
        );
    }
    out.push_str(&format!("{} requests, {} answers differ\n", replayed.requests, replayed.differences.len()));
    out
}

fn record(file: &Path, module: &Module) -> Result<Recorder, Failure> {
    Recorder::create(file, module.digest()).map_err(|error| {
        let hint = "give a new file in a writable folder";
        Failure::new(format_args!("`{}` cannot be written: {error}", file.display()), hint)
    })
}

/// Logs JSON lines to standard error.
pub fn log(level: LevelFilter) {
    let lines = tracing_subscriber::fmt::layer()
        .json()
        .flatten_event(true)
        .with_current_span(false)
        .with_span_list(false)
        .with_target(false)
        .with_writer(io::stderr);
    // The logs of libraries may contain request bodies.
    let targets = Targets::new().with_default(LevelFilter::ERROR).with_target("fleetfold", level);
    // Fails only if a subscriber is set already.
    let _ = tracing::subscriber::set_global_default(tracing_subscriber::registry().with(lines.with_filter(targets)));
}

pub fn bind(address: SocketAddr) -> Result<TcpListener, Failure> {
    TcpListener::bind(address).map_err(|error| {
        Failure::new(format_args!("cannot listen on {address}: {error}"), "choose another address with `--listen`")
    })
}

pub fn cannot_listen(error: &io::Error) -> Failure {
    Failure::new(format_args!("cannot listen: {error}"), "choose another address")
}

/// Sets `stop` on SIGINT or SIGTERM.
pub fn stop_on_signal(stop: watch::Sender<bool>) -> Result<impl Future<Output = ()>, Failure> {
    let failed =
        |error: io::Error| Failure::new(format_args!("signals cannot be received: {error}"), "see the system's limits");
    let (mut interrupt, mut terminate) =
        (signal(SignalKind::interrupt()).map_err(failed)?, signal(SignalKind::terminate()).map_err(failed)?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        stop.send_replace(true);
    })
}
