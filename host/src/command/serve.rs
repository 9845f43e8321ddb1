//! `fleetfold serve`: serves the page and the engine, over files or a hub.

mod file_events;
mod folder;
mod hub;

use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use fleetfold::args;
use fleetfold::bounded_read::{MAX_CREDENTIALS, read_text_file};
use fleetfold::clock::now;
use fleetfold::guest::{Guest, Module};
use fleetfold::serve::fleet_snapshot::{FleetSnapshot, SettingsFile};
use fleetfold::serve::token::Token;
use fleetfold::serve::{AccessPolicy, serve};
use fleetfold_core::api::plan::PlanRequest;
use tokio::sync::watch;

use super::ModuleArgs;
use super::fleet::{Fleet, SizeArgs};
use super::hub::{HubArgs, MemberArgs};
use crate::command::output::{Failure, Screen, print, warn};
use crate::render::plan::summary;

/// Serve the page and the engine, over files or a hub; never writes
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fleetfold serve                          an empty workspace
  fleetfold serve -f fleet                 these documents, reloaded when they change
  fleetfold serve --from-cluster           the hub of the current kubectl context, watched
  fleetfold serve --port 0                 on a free port, which is printed
  fleetfold serve --token-file token       with a token that stays the same; open `/?token=` with it
  fleetfold serve -f fleet --address 0.0.0.0 --host fleet.example
                                           for other machines, with the printed token")]
pub struct Args {
    /// A file or folder of documents, read again whenever it changes; may be given again
    #[arg(short = 'f', long = "filename", value_name = "FILE")]
    files: Vec<PathBuf>,

    #[command(flatten)]
    sizes: SizeArgs,

    /// Serve a hub and its members; Secret data is redacted
    #[arg(long, conflicts_with = "files")]
    from_cluster: bool,

    #[command(flatten)]
    hub: HubArgs,

    #[command(flatten)]
    members: MemberArgs,

    /// How often the hub and its members are read again, in addition to watches
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = args::duration, requires = "from_cluster")]
    resync: Duration,

    /// The address to listen on
    #[arg(long, value_name = "IP", default_value_t = Ipv4Addr::LOCALHOST.to_string())]
    address: String,

    /// The port; 0 takes a free one
    #[arg(long, default_value_t = 8470)]
    port: u16,

    /// A file with the token that requests need; default: a random token, in the printed address
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,

    /// Require no token, so that every user of this machine can read the fleet; on a loopback address only
    #[arg(long, conflicts_with = "token_file")]
    no_token: bool,

    /// A host name of this machine, with a port or for any port; may be given again
    #[arg(long = "host", value_name = "NAME")]
    hosts: Vec<String>,

    #[command(flatten)]
    module: ModuleArgs,
}

pub fn run(args: &Args, screen: Screen) -> Result<ExitCode, Failure> {
    if !args.from_cluster && args.hub.is_given() {
        let hint = "add `--from-cluster`, or leave the hub out";
        return Err(Failure::new("a hub is named, and it is not read", hint));
    }
    if !args.from_cluster && args.members.digest_key.is_given() {
        let hint = "add `--from-cluster`, or leave `--digest-key-file` out: the page plans over files without a key";
        return Err(Failure::new("a digest key is given, and no hub is read", hint));
    }
    let address = read_address(&args.address)?;
    if args.no_token && !address.is_loopback() {
        let hint = "leave `--no-token` out, or listen on 127.0.0.1";
        return Err(Failure::new(format_args!("without a token, `{address}` would be open to other machines"), hint));
    }
    let given = args.token_file.as_deref().map(read_token).transpose()?;
    let module = args.module.load()?;
    // Fails before the address is printed if the module cannot be called.
    let guest = Guest::new(&module, args.module.limits())?;
    let listener =
        TcpListener::bind((address, args.port)).map_err(|error| cannot_listen(address, args.port, &error))?;
    let bound = listener.local_addr().map_err(|error| cannot_listen(address, args.port, &error))?;
    let snapshots = watch_fleet(args, &module)?;
    if let Some(snapshots) = &snapshots {
        print_summary(&snapshots.borrow().clone(), guest, screen)?;
    }
    let is_generated = given.is_none() && !args.no_token;
    let token = if is_generated { Some(Token::random().map_err(|error| no_random_token(&error))?) } else { given };
    let shown = token.as_ref().filter(|_| is_generated);
    print(url(bound, args.hosts.first(), shown))?;
    let policy = AccessPolicy { names: args.hosts.clone(), token };
    serve(listener, module, args.module.limits(), policy, snapshots)
        .map_err(|error| cannot_listen(address, bound.port(), &error))?;
    Ok(ExitCode::SUCCESS)
}

/// The snapshots to serve; nothing where no fleet is given.
fn watch_fleet(args: &Args, module: &Module) -> Result<Option<watch::Receiver<FleetSnapshot>>, Failure> {
    if args.from_cluster {
        return hub::follow(&args.hub, &args.members, args.resync, module, args.module.limits()).map(Some);
    }
    let has_files = !args.files.is_empty();
    has_files.then(|| folder::follow(&args.files, args.sizes.max_file_size, module, args.module.limits())).transpose()
}

/// Prints the findings and a summary of the plan.
fn print_summary(snapshot: &FleetSnapshot, guest: Guest, screen: Screen) -> Result<(), Failure> {
    let mut fleet = Fleet::new(Box::new(guest));
    for load in &snapshot.loads {
        fleet.add_text(load.file.as_deref().unwrap_or_default(), load.text.as_deref().unwrap_or_default());
        fleet.call(load)?;
    }
    for settings in &snapshot.settings {
        let SettingsFile { configure, file, text, .. } = settings;
        let file = file.as_deref().unwrap_or_default();
        fleet.add_text(file, text.as_deref().unwrap_or_default());
        fleet.configure(configure.clone()).map_err(|failure| failure.within(file))?;
    }
    let plan = fleet.call(&PlanRequest { now: Some(now().into()), ..PlanRequest::default() })?;
    fleet.print_findings(screen.err);
    for problem in &snapshot.diagnostics {
        warn(&problem.message);
    }
    print(summary(&plan, screen.out))
}

/// The URL to open. For an unspecified address, that of the loopback interface.
fn url(bound: SocketAddr, host: Option<&String>, token: Option<&Token>) -> String {
    let address = if bound.ip().is_unspecified() { Ipv4Addr::LOCALHOST.into() } else { bound.ip() };
    let authority = match host {
        Some(host) if host.contains(':') => host.clone(),
        Some(host) => format!("{host}:{}", bound.port()),
        None => SocketAddr::new(address, bound.port()).to_string(),
    };
    let token = token.map(|it| format!("/?token={}", it.as_str())).unwrap_or_default();
    format!("http://{authority}{token}\n")
}

fn read_address(given: &str) -> Result<IpAddr, Failure> {
    match given {
        "localhost" => Ok(Ipv4Addr::LOCALHOST.into()),
        _ => given.trim_matches(['[', ']']).parse().map_err(|_| {
            Failure::new(
                format_args!("`{given}` is not an address"),
                "give an IP address of this machine, or 0.0.0.0 for all; names go with `--host`",
            )
        }),
    }
}

pub fn read_token(file: &Path) -> Result<Token, Failure> {
    let hint = "write at least 16 letters and digits into it, as `openssl rand -hex 24` does";
    let refuse = |problem: &dyn std::fmt::Display| {
        Failure::new(format_args!("the token file `{}` cannot be used: {problem}", file.display()), hint)
    };
    let read = read_text_file(file, MAX_CREDENTIALS).map_err(|error| refuse(&error))?;
    Token::read(&read).map_err(|problem| refuse(&problem))
}

fn no_random_token(error: &std::io::Error) -> Failure {
    Failure::new(format_args!("cannot generate a token: {error}"), "give one with `--token-file`")
}

fn cannot_listen(address: IpAddr, port: u16, error: &std::io::Error) -> Failure {
    match error.kind() {
        ErrorKind::AddrInUse => Failure::new(
            format_args!("port {port} is in use"),
            "is another `fleetfold serve` running? choose a port with `--port`, or let `--port 0` find one",
        ),
        ErrorKind::PermissionDenied => {
            Failure::new(format_args!("port {port} is not allowed"), "choose a port from 1024 on with `--port`")
        }
        ErrorKind::AddrNotAvailable => Failure::new(
            format_args!("`{address}` is not an address of this machine"),
            "give a local address with `--address`, or 0.0.0.0 for all",
        ),
        _ => Failure::new(format_args!("cannot serve on port {port}: {error}"), "choose a port with `--port`"),
    }
}
