//! `fleetfold example`: generates a large fleet.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::command::output::{Failure, print};
use crate::render::counted;

/// Generate a large mixed fleet: documents of Greenhouse, OCM and KubeFed for many clusters
///
/// The same number generates the same bytes. With a folder, the live state of the first clusters and of the hub is
/// written to `live/`; without one, only the documents are printed to standard output.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fleetfold example --clusters 1000 --dir fleet
  fleetfold example --clusters 10 | fleetfold lint -f -")]
pub struct Args {
    /// The number of clusters
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    clusters: u32,

    /// The folder to write to; it must be new or empty
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let Some(folder) = &args.dir else {
        fleetfold_example::fleet(args.clusters, |path, text| {
            let start = if text.starts_with("---\n") { "" } else { "---\n" };
            if path.starts_with("live/") { Ok(()) } else { print(format_args!("{start}{text}")) }
        })?;
        return Ok(ExitCode::SUCCESS);
    };
    if fs::read_dir(folder).is_ok_and(|mut it| it.next().is_some()) {
        let message = format!("`{}` is not empty", folder.display());
        return Err(Failure::new(message, "give a new folder: files of another fleet would stay among these"));
    }
    let mut files = 0;
    fleetfold_example::fleet(args.clusters, |path, text| {
        files += 1;
        write(&folder.join(path), text).map_err(|error| {
            Failure::new(format_args!("`{}` cannot be written: {error}", folder.display()), "give a writable folder")
        })
    })?;
    let clusters = counted(i64::from(args.clusters), "cluster");
    print(format_args!("{clusters} in {}, written to {}\n", counted(files, "file"), folder.display()))?;
    Ok(ExitCode::SUCCESS)
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text)
}
