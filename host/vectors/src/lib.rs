//! Runs the vectors of the specification against an engine and reports where it differs.
//!
//! A vector is one JSON file: a request and the answer that is wanted, or several in a row as `steps` of one workspace.
//! Its `given` requests set that workspace up: they run first and only have to succeed. A folder of vectors is a stage.
//! Every vector begins in an empty workspace.
#![forbid(unsafe_code)]

mod compare;
mod read;
mod report;
#[cfg(test)]
mod tests;
mod version;

pub use compare::Difference;
pub use read::{Step, Vector, Want};
pub use report::{Counts, Failure, Outcome, Report};

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};

use fleetfold_core::Workspace;
use fleetfold_core::value::json;
use fleetfold_core::value::text::hex;
use sha2::{Digest, Sha256};

/// A vector holds a request, and an answer documents, that may be as deep as the contract allows.
const DEPTH: usize = 2 * json::MAX_DEPTH;

/// So many vectors in a row in which the engine was stopped end a run: each may take the deadline of a call.
const MAX_STOPPED: usize = 5;

/// What vectors run against: one workspace of an engine.
pub trait Engine {
    fn call(&mut self, request: &[u8]) -> String;

    /// Replaces the workspace by an empty one.
    fn fresh(&mut self);

    /// Whether the last call was stopped, so that nothing is left of the workspace.
    fn is_fresh(&self) -> bool {
        false
    }
}

impl Engine for Workspace {
    fn call(&mut self, request: &[u8]) -> String {
        self.call_bytes(Some(request))
    }

    fn fresh(&mut self) {
        *self = Workspace::default();
    }
}

/// Runs every `*.json` file under `folder`, in the order of their paths.
///
/// A run ends early when the engine had to be stopped in [`MAX_STOPPED`] vectors in a row.
///
/// # Errors
///
/// When a folder cannot be read, holds no vector at all, or has a `VERSION` that is not a version. A bad vector is a
/// failure in the report.
pub fn run<E: Engine + ?Sized>(folder: &Path, engine: &mut E) -> io::Result<Report> {
    let version = version::read(folder)?;
    let (mut answers, mut names) = (Sha256::new(), BTreeMap::new());
    let files = files(folder)?;
    let total = files.len();
    let (mut outcomes, mut stopped) = (Vec::new(), 0);
    for (file, path) in files {
        let stage = file.rsplit_once('/').map_or(".", |(stage, _)| stage).to_owned();
        let mut was_stopped = false;
        let failures = match read(&path).and_then(|vector| check_name(&file, vector, &mut names)) {
            Ok(vector) => vector.run(engine, |answer, is_stopped| {
                was_stopped |= is_stopped;
                answers.update(answer.as_bytes());
                answers.update(b"\n");
            }),
            // A vector that is not one has no answer that could be right.
            Err(problem) => vec![Failure::Vector(problem)],
        };
        outcomes.push(Outcome { file, stage, failures });
        stopped = if was_stopped { stopped + 1 } else { 0 };
        if stopped == MAX_STOPPED {
            break;
        }
    }
    let unrun = total - outcomes.len();
    // A digest over a part of the answers would be taken for that of the suite.
    let digest = (unrun == 0).then(|| format!("sha256:{}", hex(&answers.finalize())));
    Ok(Report { version, outcomes, unrun, digest })
}

/// Every vector under `folder` by the path of its file, in the order in which [`run`] puts them.
///
/// # Errors
///
/// As [`run`], and a file that is not a vector.
pub fn load(folder: &Path) -> io::Result<Vec<(String, Vector)>> {
    let load = |(file, path): (String, PathBuf)| {
        let vector = read(&path).map_err(|problem| io::Error::other(format!("{file}: {problem}")))?;
        Ok((file, vector))
    };
    files(folder)?.into_iter().map(load).collect()
}

/// The requests of every vector under `folder`, in the order in which [`run`] puts them: what a host that is not
/// written here needs in order to give the same answers, to the byte.
///
/// # Errors
///
/// As [`load`].
pub fn requests(folder: &Path) -> io::Result<Vec<Vec<String>>> {
    let requests = |(_, vector): (String, Vector)| {
        vector.given.into_iter().chain(vector.steps.into_iter().map(|step| step.request)).collect()
    };
    Ok(load(folder)?.into_iter().map(requests).collect())
}

/// What [`answer`] did.
#[derive(Debug)]
pub struct Answered {
    /// As that of a [`Report`]: over all answers, each followed by a line break.
    pub digest: String,
    pub lines: usize,
}

/// Answers lines as [`requests`] are printed: each a JSON list of requests, in a workspace of their own.
///
/// # Errors
///
/// When a line cannot be read, or is not a list of texts.
pub fn answer<E: Engine + ?Sized>(input: impl BufRead, engine: &mut E) -> io::Result<Answered> {
    let mut answers = Sha256::new();
    let mut lines = 0;
    for line in input.lines() {
        lines += 1;
        let requests: Option<Vec<String>> = json::parse_within(&line?, DEPTH)
            .ok()
            .and_then(|line| line.as_list()?.iter().map(|request| request.as_text().map(str::to_owned)).collect());
        let Some(requests) = requests else {
            let message = format!("line {lines} is not a JSON list of requests as texts");
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        };
        engine.fresh();
        for request in requests {
            answers.update(engine.call(request.as_bytes()).as_bytes());
            answers.update(b"\n");
        }
    }
    Ok(Answered { digest: format!("sha256:{}", hex(&answers.finalize())), lines })
}

impl Vector {
    /// Runs the vector in an empty workspace and returns where the answers differ. `note` gets every answer, and
    /// whether the engine was stopped.
    pub fn run<E: Engine + ?Sized>(&self, engine: &mut E, mut note: impl FnMut(&str, bool)) -> Vec<Failure> {
        engine.fresh();
        let mut call = |request: &str| {
            let answer = engine.call(request.as_bytes());
            note(&answer, engine.is_fresh());
            answer
        };
        let mut failures = Vec::new();
        for (index, request) in self.given.iter().enumerate() {
            let differences = compare::compare_given(&call(request));
            failures.extend(differences.into_iter().map(|it| Failure::Given(index + 1, it)));
        }
        let is_set_up = failures.is_empty();
        let many = self.steps.len() > 1;
        for (index, step) in self.steps.iter().enumerate() {
            // Every request is put, so that the digest is over the same requests whatever fails. But answers after a
            // set-up that failed say nothing about the vector's behaviour.
            let answer = call(&step.request);
            if is_set_up {
                let step_number = many.then_some(index + 1);
                let differences = compare::compare(&step.want, &answer);
                failures.extend(differences.into_iter().map(|it| Failure::Answer(step_number, it)));
            }
        }
        failures
    }
}

/// The vectors by their names below the folder.
fn files(folder: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let mut files = Vec::new();
    collect(folder, &mut files)?;
    let mut files: Vec<(String, PathBuf)> = files.into_iter().map(|file| (relative(folder, &file), file)).collect();
    files.sort();
    if files.is_empty() {
        return Err(io::Error::new(io::ErrorKind::NotFound, "there is no `.json` file in it"));
    }
    Ok(files)
}

fn read(path: &Path) -> Result<Vector, String> {
    read::read(&fs::read_to_string(path).map_err(|error| error.to_string())?)
}

/// Refuses a vector whose name is not that of its file, or that of another vector: `names` has the file of each name.
fn check_name(file: &str, vector: Vector, names: &mut BTreeMap<String, String>) -> Result<Vector, String> {
    let Vector { name, .. } = &vector;
    let stem = file.rsplit('/').next().and_then(|it| it.strip_suffix(".json")).unwrap_or(file);
    if name != stem {
        return Err(format!("its name `{name}` is not the name of the file"));
    }
    match names.insert(name.clone(), file.to_owned()) {
        Some(other) => Err(format!("its name `{name}` is taken by `{other}`")),
        None => Ok(vector),
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|it| it == "json") {
            files.push(path);
        }
    }
    Ok(())
}

/// With `/` between the parts everywhere: the order of files decides the digest.
fn relative(folder: &Path, file: &Path) -> String {
    let below = file.strip_prefix(folder).unwrap_or(file);
    below.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
}
