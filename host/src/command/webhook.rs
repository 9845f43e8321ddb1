//! `fleetfold webhook`: the validating admission webhook.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use fleetfold::admission::Admission;
use fleetfold::controller::metrics::{Metrics, listen};
use fleetfold::guest::Guest;
use fleetfold::session::Session;
use fleetfold::tls::TlsListener;
use fleetfold_core::api::configure::Configure;
use fleetfold_core::engine::select::cluster_set::Stage;
use tokio::sync::watch;
use tracing_subscriber::filter::LevelFilter;

use super::ModuleArgs;
use super::hub::{HubArgs, runtime};
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
  fleetfold webhook --cert tls.crt --key tls.key --max-deletes 5 --max-delete-percent 10")]
pub struct Args {
    #[command(flatten)]
    hub: HubArgs,

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
    let guest = Guest::new(&module, args.module.limits())?;
    log(args.log_level);
    let runtime = runtime()?;
    let done = runtime.block_on(serve(args, Session::new(Box::new(guest))));
    runtime.shutdown_background();
    done
}

async fn serve(args: &Args, session: Session) -> Result<ExitCode, Failure> {
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
    let mut admission = Admission::new(session, &hub, settings, &metrics).limited(args.limits.limits());
    let listener = TlsListener::new(bind(args.listen)?, args.cert.clone(), args.key.clone())
        .map_err(|error| Failure::new(&error, error.hint()))?;
    tracing::info!(address = %args.listen, "guards changes");
    let mut server = tokio::spawn(axum::serve(listener, admission.routes(&hub)).into_future());
    loop {
        let mut until = stopped.clone();
        let ended = tokio::select! {
            ended = admission.run(stopped.clone()) => ended,
            _ = until.wait_for(|it| *it) => Ok(()),
            _ = &mut server => return Err(Failure::new("reviews are no longer answered", "see the log")),
        };
        let Err(error) = ended else { break };
        if !error.is_lost {
            return Err(error.into());
        }
        tracing::error!(
            code = error.code(),
            hint = error.hint(),
            "the engine lost its workspace, which is read again: {error}"
        );
        tokio::time::sleep(Duration::from_secs(1)).await;
        admission.restart(&hub);
    }
    // Lets running reviews finish.
    tokio::time::sleep(Duration::from_millis(200)).await;
    server.abort();
    tracing::info!("stopped");
    Ok(ExitCode::SUCCESS)
}
