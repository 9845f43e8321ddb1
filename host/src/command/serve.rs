//! `fleetfold serve`: the engine and a page to try it on, for this machine only.

use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::process::ExitCode;

use fleetfold::guest::Guest;
use fleetfold_core::Value;

use super::fleet::Fleet;
use super::{Failure, ModuleArgs, Screen, print};
use crate::render::plan::summary;
use fleetfold::quantity::now;

/// Serve the engine and a page to try it on, on this machine only
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fleetfold serve
  fleetfold serve -f fleet     with these documents loaded, and a summary of their plan
  fleetfold serve --port 0     on any free port, which is printed")]
pub struct Args {
    /// A file or folder of documents to begin with; may be given again
    #[arg(short = 'f', long = "filename", value_name = "FILE")]
    files: Vec<PathBuf>,

    /// The port; 0 takes a free one
    #[arg(long, default_value_t = 8470)]
    port: u16,

    #[command(flatten)]
    module: ModuleArgs,
}

pub fn run(args: &Args, screen: Screen) -> Result<ExitCode, Failure> {
    let module = args.module.load()?;
    // A module that cannot be called is refused before anybody is told the address.
    let guest = Guest::new(&module, args.module.limits())?;
    let loaded = if args.files.is_empty() { Vec::new() } else { load(args, guest, screen)? };
    let listener =
        TcpListener::bind((Ipv4Addr::LOCALHOST, args.port)).map_err(|error| cannot_listen(args.port, &error))?;
    let address = listener.local_addr().map_err(|error| cannot_listen(args.port, &error))?;
    print(format_args!("http://{address}\n"))?;
    fleetfold::serve::serve(listener, module, args.module.limits(), loaded)
        .map_err(|error| cannot_listen(address.port(), &error))?;
    Ok(ExitCode::SUCCESS)
}

/// Loads the documents, says what their plan comes to, and answers the requests that load them.
fn load(args: &Args, guest: Guest, screen: Screen) -> Result<Vec<String>, Failure> {
    let mut fleet = Fleet::load(&args.files, Box::new(guest))?;
    let plan = fleet.ask("plan", Value::map([("now", now())]))?;
    fleet.tell(screen.err);
    print(summary(&plan, screen.out))?;
    Ok(fleet.into_requests())
}

fn cannot_listen(port: u16, error: &std::io::Error) -> Failure {
    match error.kind() {
        ErrorKind::AddrInUse => Failure::new(
            format_args!("port {port} is in use"),
            "is another `fleetfold serve` running? choose a port with `--port`, or let `--port 0` find one",
        ),
        ErrorKind::PermissionDenied => {
            Failure::new(format_args!("port {port} is not allowed"), "choose a port from 1024 on with `--port`")
        }
        _ => Failure::new(format_args!("cannot serve on port {port}: {error}"), "choose a port with `--port`"),
    }
}
