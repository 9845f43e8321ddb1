//! `fleetfold serve`: the engine and a page to try it on, for this machine only.

use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpListener};
use std::process::ExitCode;

use super::{Failure, ModuleArgs, print};

/// Serve the engine and a page to try it on, on this machine only
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fleetfold serve
  fleetfold serve --port 0     on any free port, which is printed")]
pub struct Args {
    /// The port; 0 takes a free one
    #[arg(long, default_value_t = 8470)]
    port: u16,

    #[command(flatten)]
    module: ModuleArgs,
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let module = args.module.load()?;
    // A module that cannot be called is refused before anybody is told the address.
    fleetfold::guest::Guest::new(&module, args.module.limits())?;
    let listener =
        TcpListener::bind((Ipv4Addr::LOCALHOST, args.port)).map_err(|error| cannot_listen(args.port, &error))?;
    let address = listener.local_addr().map_err(|error| cannot_listen(args.port, &error))?;
    print(format_args!("http://{address}\n"))?;
    fleetfold::serve::serve(listener, module, args.module.limits())
        .map_err(|error| cannot_listen(address.port(), &error))?;
    Ok(ExitCode::SUCCESS)
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
