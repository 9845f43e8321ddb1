//! `fleetfold webhook`: the validating admission webhook.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use fleetfold::admission::Admission;
use fleetfold::admission::certificate;
use fleetfold::admission::pool::StartEngine;
use fleetfold::controller::metrics::Metrics;
use fleetfold::controller::metrics_server::listen;
use fleetfold::engine::Engine;
use fleetfold::guest::{Guest, GuestError};
use fleetfold::http_server::{self, HttpLimits};
use fleetfold::tls::{TlsFiles, TlsListener};
use fleetfold_core::api::configure::Configure;
use fleetfold_core::engine::select::cluster_set::Stage;
use tokio::sync::watch;
use tracing_subscriber::filter::LevelFilter;

use super::ModuleArgs;
use super::hub::{HubArgs, KubeFedArgs, runtime};
use super::limits::ChangeLimitArgs;
use super::run::{bind, cannot_listen, log, stop_on_signal};
use crate::command::output::Failure;

/// Run the validating webhook: checks label permissions, rejects contradictory manifests, denies changes above a limit
///
/// Serves `POST /admit` over TLS, with `/healthz` and `/readyz`. Reads the documents of the hub, and checks permissions
/// with SubjectAccessReviews. The certificate is reloaded when its files change. With limits, a create, update or
/// delete that would change more objects in clusters is denied: register the webhook for deletes, too.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fleetfold webhook --cert tls.crt --key tls.key
  fleetfold webhook --cert tls.crt --key tls.key --listen 0.0.0.0:8443 --stage transitional
  fleetfold webhook --cert tls.crt --key tls.key --client-ca api-server-ca.crt --metrics 0.0.0.0:8080
  fleetfold webhook --cert tls.crt --key tls.key --max-deletes 5 --max-delete-percent 10")]
pub struct Args {
    #[command(flatten)]
    hub: HubArgs,

    #[command(flatten)]
    kubefed: KubeFedArgs,

    /// The address of the webhook
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8443")]
    listen: SocketAddr,

    /// The address of /metrics and /healthz, without TLS
    #[arg(long, value_name = "ADDRESS")]
    metrics: Option<SocketAddr>,

    /// The certificate, as PEM
    #[arg(long, value_name = "FILE")]
    cert: PathBuf,

    /// Its key, as PEM
    #[arg(long, value_name = "FILE")]
    key: PathBuf,

    /// The authorities of client certificates, as PEM; only clients with a certificate of theirs are accepted
    ///
    /// The API server presents a certificate if its file for `--admission-control-config-file` names a kubeconfig for
    /// this webhook. Probes cannot: use `/readyz` of `--metrics`. The file is reloaded when it changes.
    #[arg(long, value_name = "FILE")]
    client_ca: Option<PathBuf>,

    /// Check the documents of this system only; may be given again
    #[arg(long = "dialect", value_name = "NAME")]
    dialects: Vec<String>,

    /// Which rules cluster sets follow: transitional or full
    #[arg(long, value_name = "STAGE", default_value = "full", value_parser = stage())]
    stage: Stage,

    #[command(flatten)]
    limits: ChangeLimitArgs,

    /// How much to log: error, warn, info, debug
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    log_level: LevelFilter,

    #[command(flatten)]
    module: ModuleArgs,
}

fn stage() -> impl TypedValueParser<Value = Stage> {
    PossibleValuesParser::new(Stage::TEXTS).map(|word| match word.as_str() {
        "transitional" => Stage::Transitional,
        _ => Stage::Full,
    })
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let module = args.module.load()?;
    let limits = args.module.limits();
    log(args.log_level);
    let runtime = runtime()?;
    let start = move || -> Result<Box<dyn Engine>, GuestError> { Ok(Box::new(Guest::new(&module, limits)?)) };
    let engine: StartEngine = Arc::new(start);
    let done = runtime.block_on(serve(args, &engine));
    runtime.shutdown_background();
    done
}

async fn serve(args: &Args, engine: &StartEngine) -> Result<ExitCode, Failure> {
    let hub = args.hub.connect().await?;
    hub.probe().await?;
    let metrics = Arc::new(Metrics::default());
    let (stop, stopped) = watch::channel(false);
    tokio::spawn(stop_on_signal(stop)?);
    if let Some(address) = args.metrics {
        listen(bind(address)?, Arc::clone(&metrics), None).map_err(|error| cannot_listen(&error))?;
    }
    let settings = Configure {
        stage: Some(args.stage),
        dialects: (!args.dialects.is_empty()).then(|| args.dialects.iter().map(Into::into).collect()),
        ..Configure::default()
    };
    let settings = args.kubefed.settings(settings);
    let mut admission = Admission::new(engine, &hub, &settings, &metrics)?.limited(args.limits.limits());
    let files = TlsFiles { cert: args.cert.clone(), key: args.key.clone(), client_ca: args.client_ca.clone() };
    let listener = TlsListener::new(bind(args.listen)?, files).map_err(|error| Failure::new(&error, error.hint()))?;
    tokio::spawn(certificate::report(listener.validity(), Arc::clone(&metrics)));
    tracing::info!(address = %args.listen, "guards changes");
    let (stop_server, server_stopped) = watch::channel(false);
    let server = http_server::serve(listener, admission.routes(&hub), HttpLimits::default(), server_stopped);
    let mut server = tokio::spawn(server);
    tokio::select! {
        () = admission.run(stopped) => {}
        _ = &mut server => return Err(Failure::new("reviews are no longer answered", "see the log")),
    }
    // Lets running reviews finish.
    stop_server.send_replace(true);
    let _ = tokio::time::timeout(Duration::from_millis(200), server).await;
    tracing::info!("stopped");
    Ok(ExitCode::SUCCESS)
}
