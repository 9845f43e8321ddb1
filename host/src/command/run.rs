//! `fleetfold run`: reconciles a hub and its members.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use fleetfold::engine::Engine;
use fleetfold::guest::{Guest, Module};
use fleetfold::quantity;
use fleetfold::reconcile::lease::{Lease, own_identity};
use fleetfold::reconcile::metrics::{Metrics, listen};
use fleetfold::reconcile::{End, Options, Runner};
use fleetfold::session::Session;
use fleetfold::session::record::{PlanMet, Recorder, Replay, replay};
use fleetfold_core::Value;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;

use super::hub::{HubArgs, runtime};
use super::limits::LimitArgs;
use super::{Failure, ModuleArgs, load_module, print};

/// Reconcile a hub and its members: do what `plan` says, and nothing else
///
/// Watches the documents on the hub, plans, fetches what the plan needs from the hub and its members, and acts wave by wave,
/// each step for exactly the object that was seen. What it does is told as JSON lines on standard error and in the status of
/// the FleetPlan of its name. Nothing is written when nothing changed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fleetfold run                                              on the hub that kubectl talks to
  fleetfold run --dry-run                                    says what it would do
  fleetfold run --require-approval                           waits for `fleetfold approve`
  fleetfold run --leader-elect --lease-namespace fleetfold-system
  fleetfold run --dialect greenhouse --max-deletes 20
  fleetfold run --record field.jsonl                         writes down all that it reads, Secrets included
  fleetfold run --replay field.jsonl --module new.wasm       the same again, offline, by another engine")]
pub struct Args {
    #[command(flatten)]
    hub: HubArgs,

    /// The name of the FleetPlan that tells how this runner stands
    #[arg(long, default_value = "fleetfold")]
    name: String,

    /// Act on the documents of this system only; may be given again
    #[arg(long = "dialect", value_name = "NAME")]
    dialects: Vec<String>,

    #[command(flatten)]
    limits: LimitArgs,

    /// Restart workloads that ask for it when their certificates are renewed
    #[arg(long)]
    pod_refresher: bool,

    /// Say what would be done, and write nothing
    #[arg(long)]
    dry_run: bool,

    /// Do nothing but what was approved by its digest
    #[arg(long)]
    require_approval: bool,

    /// How often everything is looked at again, whatever the watches say
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = quantity::duration)]
    resync: Duration,

    /// Where /metrics, /healthz, /readyz and POST /reconcile are served
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,

    /// Write only while holding a Lease, so that several can run
    #[arg(long)]
    leader_elect: bool,

    /// The namespace of the Lease
    #[arg(long, value_name = "NAMESPACE", default_value = "default", requires = "leader_elect")]
    lease_namespace: String,

    /// Plan with this engine too, tell where it differs, and never act on it
    #[arg(long, value_name = "FILE")]
    shadow: Option<PathBuf>,

    /// Write everything that is read into this file, which must not exist; it holds what Secrets hold
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    /// Put what was recorded to the engine again, offline, and compare every answer
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
        let replayed = replay(file, &mut guest).map_err(|error| Failure::new(&error, error.hint()))?;
        print(told(&replayed, module.digest()))?;
        return Ok(ExitCode::from(u8::from(!replayed.is_same())));
    }
    log(args.log_level);
    let shadow = args.shadow.as_deref().map(|file| load_module(Some(file))).transpose()?;
    let recorder = args.record.as_deref().map(|file| record(file, &module)).transpose()?;
    let shadow = shadow.map(|it| Guest::new(&it, args.module.limits())).transpose()?;
    let shadow = shadow.map(|it| Box::new(it) as Box<dyn Engine>);
    let session = Session::new(Box::new(guest)).recorded(recorder).shadowed(shadow);
    let runtime = runtime()?;
    let done = runtime.block_on(reconcile(args, session));
    // Not waiting for requests that nobody waits for.
    runtime.shutdown_background();
    done
}

async fn reconcile(args: &Args, mut session: Session) -> Result<ExitCode, Failure> {
    let hub = args.hub.connect().await?;
    hub.probe().await?;
    let metrics = Arc::new(Metrics::default());
    let (stop, stopped) = watch::channel(false);
    let (leads, leading) = watch::channel(!args.leader_elect);
    tokio::spawn(stop_when_asked(stop)?);
    let lease = args.leader_elect.then(|| Lease {
        hub: hub.clone(),
        namespace: args.lease_namespace.clone(),
        name: args.name.clone(),
        identity: own_identity(),
    });
    metrics.leads(!args.leader_elect);
    // Kept: a runner without rivals leads as long as there is somebody who says so.
    let (held, _leads) = match lease {
        Some(lease) => (Some(tokio::spawn(lease.hold(leads, stopped.clone()))), None),
        None => (None, Some(leads)),
    };
    let mut listener = args.listen.map(bind).transpose()?;
    let mut pause = Duration::from_secs(1);
    loop {
        let mut runner = Runner::new(session, &hub, options(args), &metrics, leading.clone());
        if let Some(listener) = listener.take() {
            listen(listener, Arc::clone(&metrics), Some(runner.resyncer())).map_err(|error| cannot_listen(&error))?;
        }
        match runner.run(stopped.clone()).await {
            End::Stopped => break,
            End::Lost(refusal) if refusal.is_lost => {
                tracing::error!(
                    code = refusal.code,
                    hint = refusal.hint,
                    "the engine lost its workspace, which is read again: {refusal}"
                );
                session = runner.into_session();
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(Duration::from_secs(60));
            }
            End::Lost(refusal) => return Err(Failure::new(&refusal, &refusal.hint)),
        }
    }
    if let Some(held) = held {
        // The lease is let go, unless the hub does not answer.
        let _ = tokio::time::timeout(Duration::from_secs(5), held).await;
    }
    tracing::info!("stopped");
    Ok(ExitCode::SUCCESS)
}

fn options(args: &Args) -> Options {
    let mut settings = vec![];
    if !args.dialects.is_empty() {
        settings.push(("dialects", Value::list(args.dialects.iter().map(String::as_str))));
    }
    settings.extend(args.limits.settings().map(|limits| ("limits", limits)));
    if args.pod_refresher {
        settings.push(("podRefresher", true.into()));
    }
    Options {
        name: args.name.clone(),
        settings: Value::map(settings),
        dry_run: args.dry_run,
        require_approval: args.require_approval,
        resync: args.resync,
        watch: true,
    }
}

/// What came of a replay: every plan, and every answer that is another one now.
fn told(replayed: &Replay, module: &str) -> String {
    let mut out = String::new();
    for PlanMet { line, now, digest, actions, held, needs } in &replayed.plans {
        out.push_str(&format!("line {line}  plan at {now}  {digest}  {actions} actions, {held} held, {needs} needs\n"));
    }
    for it in &replayed.differences {
        let refused = it.refused.as_ref().map(|code| format!(" (refused: {code})")).unwrap_or_default();
        out.push_str(&format!("line {}  {} differs: {} was {}{refused}\n", it.line, it.op, it.now, it.recorded));
    }
    if replayed.is_of_other(module) {
        out.push_str(&format!("recorded with the module {}, replayed with {module}\n", replayed.module));
    }
    out.push_str(&format!("{} requests, {} answers differ\n", replayed.requests, replayed.differences.len()));
    out
}

fn record(file: &Path, module: &Module) -> Result<Recorder, Failure> {
    Recorder::create(file, module.digest()).map_err(|error| {
        let hint = "give a file that does not exist yet, in a folder of yours";
        Failure::new(format_args!("`{}` cannot be written: {error}", file.display()), hint)
    })
}

/// Logs as JSON lines.
pub fn log(level: LevelFilter) {
    let lines = tracing_subscriber::fmt::layer()
        .json()
        .flatten_event(true)
        .with_current_span(false)
        .with_span_list(false)
        .with_target(false)
        .with_writer(io::stderr);
    // What libraries say on the way is not for here: it may hold what is sent.
    let own = Targets::new().with_default(LevelFilter::ERROR).with_target("fleetfold", level);
    // A program has one log; a second one would be a mistake in this program, and is left out.
    let _ = tracing::subscriber::set_global_default(tracing_subscriber::registry().with(lines.with_filter(own)));
}

pub fn bind(address: SocketAddr) -> Result<TcpListener, Failure> {
    TcpListener::bind(address).map_err(|error| {
        Failure::new(format_args!("cannot listen on {address}: {error}"), "choose another address with `--listen`")
    })
}

pub fn cannot_listen(error: &io::Error) -> Failure {
    Failure::new(format_args!("cannot listen: {error}"), "choose another address")
}

/// Says when the process is asked to stop.
pub fn stop_when_asked(stop: watch::Sender<bool>) -> Result<impl Future<Output = ()>, Failure> {
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
