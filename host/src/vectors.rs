//! Puts the conformance cases to an engine and says where it differs.
//!
//! A vector is one JSON file: a request and the answer that is wanted, or several in a row as `steps` of one workspace.
//! Its
//! `given` requests set that workspace up: they run first and only have to succeed. A folder of vectors is a stage.
//! Every vector begins in an empty workspace.

mod compare;
mod read;
mod report;
#[cfg(test)]
mod tests;
mod version;

pub use compare::Difference;
pub use report::{Counts, Failure, Outcome, Report};

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};

use fleetfold_core::value::json;
use sha2::{Digest, Sha256};

use crate::digest::hex;
use crate::engine::Engine;

/// A vector holds a request, and an answer documents, that may be as deep as the contract allows.
const DEPTH: usize = 2 * json::MAX_DEPTH;

/// So many vectors in a row in which the module was stopped end a run: each may take the deadline of a call.
const MAX_STOPPED: usize = 5;

/// Runs every `*.json` file under `folder`, in the order of their paths.
///
/// A run ends early when the module had to be stopped in [`MAX_STOPPED`] vectors in a row.
///
/// # Errors
///
/// When a folder cannot be read, holds no vector at all, or has a `VERSION` that is not a version. A bad vector is a
/// failure in the report.
pub fn run(folder: &Path, engine: &mut dyn Engine) -> io::Result<Report> {
    let version = version::read(folder)?;
    let files = files(folder)?;
    let total = files.len();
    let mut runner = Runner { engine, answers: Sha256::new(), names: BTreeMap::new(), stopped: 0 };
    let mut outcomes = Vec::new();
    for (name, file) in files {
        outcomes.push(runner.run_file(name, &file));
        if runner.stopped == MAX_STOPPED {
            break;
        }
    }
    let unrun = total - outcomes.len();
    // A digest over a part of the answers would be taken for that of the suite.
    let digest = (unrun == 0).then(|| format!("sha256:{}", hex(&runner.answers.finalize())));
    Ok(Report { version, outcomes, unrun, digest })
}

/// The requests of every vector under `folder`, in the order in which [`run`] puts them: what a host that is not
/// written here needs in order to give the same answers, to the byte.
///
/// # Errors
///
/// As [`run`].
pub fn requests(folder: &Path) -> io::Result<Vec<Vec<String>>> {
    let steps = |(_, file): (String, PathBuf)| {
        let vector = read::read(&fs::read_to_string(file)?).map_err(io::Error::other)?;
        Ok(vector.given.into_iter().chain(vector.steps.into_iter().map(|step| step.request)).collect())
    };
    files(folder)?.into_iter().map(steps).collect()
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
pub fn answer(input: impl BufRead, engine: &mut dyn Engine) -> io::Result<Answered> {
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

struct Runner<'a> {
    engine: &'a mut dyn Engine,
    answers: Sha256,
    /// Which file has a name first.
    names: BTreeMap<String, String>,
    /// How many vectors in a row the module was stopped in.
    stopped: usize,
}

impl Runner<'_> {
    fn run_file(&mut self, file: String, path: &Path) -> Outcome {
        let stage = file.rsplit_once('/').map_or(".", |(stage, _)| stage).to_owned();
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) => return Outcome { failures: vec![Failure::Vector(error.to_string())], stage, file },
        };
        let vector = match read::read(&text) {
            Ok(vector) => vector,
            Err(problem) => return Outcome { failures: vec![Failure::Vector(problem)], stage, file },
        };
        let mut failures: Vec<Failure> =
            self.check_name(&file, &vector.name).map(Failure::Vector).into_iter().collect();
        // A vector that is not one has no answer that could be right.
        if failures.is_empty() {
            self.engine.fresh();
            let mut was_stopped = false;
            for (index, request) in vector.given.iter().enumerate() {
                let differences = compare::compare_given(&self.call(request));
                was_stopped |= self.engine.is_fresh();
                failures.extend(differences.into_iter().map(|it| Failure::Given(index + 1, it)));
            }
            let is_set_up = failures.is_empty();
            let many = vector.steps.len() > 1;
            for (index, step) in vector.steps.iter().enumerate() {
                // Every request is put, so that the digest is over the same requests whatever fails. But answers after
                // a set-up that failed say nothing about the vector's behaviour.
                let answer = self.call(&step.request);
                was_stopped |= self.engine.is_fresh();
                if is_set_up {
                    let step_number = many.then_some(index + 1);
                    let differences = compare::compare(&step.want, &answer);
                    failures.extend(differences.into_iter().map(|it| Failure::Answer(step_number, it)));
                }
            }
            self.stopped = if was_stopped { self.stopped + 1 } else { 0 };
        }
        Outcome { file, stage, failures }
    }

    /// Puts a request to the engine, and its answer into the digest.
    fn call(&mut self, request: &str) -> String {
        let answer = self.engine.call(request.as_bytes());
        self.answers.update(answer.as_bytes());
        self.answers.update(b"\n");
        answer
    }

    fn check_name(&mut self, file: &str, name: &str) -> Option<String> {
        let stem = file.rsplit('/').next().and_then(|it| it.strip_suffix(".json")).unwrap_or(file);
        if name != stem {
            return Some(format!("its name `{name}` is not the name of the file"));
        }
        let other = self.names.insert(name.to_owned(), file.to_owned())?;
        Some(format!("its name `{name}` is taken by `{other}`"))
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
