//! `fleetfold module annotate`: adds a custom section to a module.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use fleetfold_module::{Form, KUBEWARDEN_METADATA};

use super::super::sourced_document::SourcedDocument;
use super::{flawed, metadata, read};
use crate::command::output::{Failure, Screen, ignore_closed_pipe, warn};
use crate::render::finding::Severity;
use crate::source::{MAX_FILE_SIZE, name_of, read_text};

/// Add Kubewarden metadata, or other data, to a module as a custom section
///
/// The metadata is checked first. A section of that name is replaced, and everything else stays as it is, byte for
/// byte.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fleetfold module annotate policy.wasm --metadata metadata.yml -o annotated.wasm
  fleetfold module annotate policy.wasm --metadata metadata.yml --in-place
  fleetfold module annotate policy.wasm --section licenses --data LICENSE -o - > annotated.wasm")]
pub struct Args {
    /// A module or component, or `-` for standard input
    file: PathBuf,

    /// The metadata of a policy for Kubewarden, as YAML
    #[arg(short, long, value_name = "FILE", required_unless_present = "section")]
    metadata: Option<PathBuf>,

    /// Add the bytes of `--data` as the custom section of this name instead
    #[arg(long, value_name = "NAME", requires = "data", conflicts_with = "metadata")]
    section: Option<String>,

    /// The file with the data of `--section`
    #[arg(long, value_name = "FILE", requires = "section")]
    data: Option<PathBuf>,

    /// The file to write; `-` is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,

    /// Overwrite the input file
    #[arg(long, conflicts_with = "output")]
    in_place: bool,
}

pub fn run(args: &Args, screen: Screen) -> Result<ExitCode, Failure> {
    let output = if args.in_place { &args.file } else { &args.output };
    check_places(args, output)?;
    let module = read(&args.file)?;
    let data = match (&args.section, &args.data, &args.metadata) {
        (Some(section), Some(data), _) => Some((section.as_str(), read(data)?)),
        (_, _, Some(file)) => policy_metadata(file, screen)?.map(|data| (KUBEWARDEN_METADATA, data)),
        _ => return Err(Failure::new("no data to add", "give `--metadata`, or `--section` and `--data`")),
    };
    let Some((section, data)) = data else { return Ok(ExitCode::from(2)) };
    let name = name_of(&args.file);
    let found = fleetfold_module::inspect(&module).map_err(|flaw| flawed(&name, &flaw))?;
    if found.form == Form::Component && section == KUBEWARDEN_METADATA {
        warn(&format!("`{name}` is a component, and Kubewarden runs modules"));
    }
    let annotated = fleetfold_module::annotate(&module, section, &data).map_err(|flaw| flawed(&name, &flaw))?;
    write(output, &annotated)?;
    Ok(ExitCode::SUCCESS)
}

/// The metadata as Kubewarden reads it; prints findings, and returns nothing if there are errors.
fn policy_metadata(file: &Path, screen: Screen) -> Result<Option<Vec<u8>>, Failure> {
    let written = SourcedDocument::read(&name_of(file), read_text(file, MAX_FILE_SIZE)?)?;
    let findings = metadata::check(&written);
    for finding in &findings {
        // A closed standard error is ignored.
        let _ = io::stderr().write_all(finding.render(&written.texts(), screen.err).as_bytes());
    }
    let is_wrong = findings.iter().any(|it| it.severity == Severity::Error);
    Ok((!is_wrong).then(|| metadata::complete(written.value().clone()).to_canonical().into_bytes()))
}

/// Rejects arguments that would lose data: two readers of standard input, binary output on a terminal, or overwriting
/// the input.
fn check_places(args: &Args, output: &Path) -> Result<(), Failure> {
    let is_stream = |path: &Path| path.as_os_str() == "-";
    let given = [Some(&args.file), args.metadata.as_ref(), args.data.as_ref()];
    if given.into_iter().flatten().filter(|it| is_stream(it)).count() > 1 {
        return Err(Failure::new("standard input is given twice", "give `-` for one of the files"));
    }
    if is_stream(output) {
        let hint = "give `-o FILE`, or send it to a file or a program";
        let is_screen = io::stdout().is_terminal();
        return if is_screen { Err(Failure::new("cannot write a module to a terminal", hint)) } else { Ok(()) };
    }
    if !args.in_place && is_same(&args.file, output) {
        let message = format!("`{}` is the input, and would be overwritten", output.display());
        return Err(Failure::new(message, "give `--in-place` to overwrite it, or another file"));
    }
    Ok(())
}

fn is_same(a: &Path, b: &Path) -> bool {
    let id = |path: &Path| fs::metadata(path).map(|it| (it.dev(), it.ino())).ok();
    id(a).is_some() && id(a) == id(b)
}

/// Writes a temporary file, then renames it: a reader finds the old file or the new one, never a part.
pub fn write(output: &Path, bytes: &[u8]) -> Result<(), Failure> {
    if output.as_os_str() == "-" {
        let mut out = io::stdout().lock();
        return ignore_closed_pipe(out.write_all(bytes).and_then(|()| out.flush())).map(|_| ());
    }
    let unwritable = |error: io::Error| {
        let message = format!("`{}` cannot be written: {error}", output.display());
        Failure::new(message, "is there such a folder, and may you write to it?")
    };
    // A link stays; its target is replaced.
    let target = fs::canonicalize(output).unwrap_or_else(|_| output.to_path_buf());
    let name = target.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let half = target.with_file_name(format!(".{name}.{}.new", std::process::id()));
    let written = fs::write(&half, bytes).and_then(|()| match fs::metadata(&target) {
        Ok(before) => fs::set_permissions(&half, before.permissions()),
        Err(_) => Ok(()),
    });
    let done = written.and_then(|()| fs::rename(&half, &target));
    if done.is_err() {
        let _ = fs::remove_file(&half);
    }
    done.map_err(unwritable)
}
