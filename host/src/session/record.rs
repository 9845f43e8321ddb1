//! Records the requests to an engine, one per line, and replays them.
//!
//! The first line names the writer: `{"fleetfold":{"module":"sha256:…","version":"…"}}`. Every other line is a request
//! and the hash of its answer: `{"answer":"sha256:…","request":{…}}`. Requests are recorded byte for byte, except that
//! the key of digests is left out: who has a record should not be able to try values against published digests for
//! ever.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use fleetfold_core::api::configure::Configure;
use fleetfold_core::api::plan::{PlanAnswer, PlanRequest};
use fleetfold_core::api::{Op, Refusal, read_response, request_text};
use fleetfold_core::diagnostic::read;
use fleetfold_core::value::canonical::to_text;
use fleetfold_core::value::json;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::VERSION;
use crate::bounded_read::{self, MAX_LARGE, ReadError, read_line};
use crate::digest::digest;
use crate::engine::Engine;

/// The text before the hash, between hash and request, and after the request.
const PARTS: [&str; 3] = [r#"{"answer":""#, r#"","request":"#, "}"];

/// The longest line of a record: no request is longer.
const MAX_LINE: usize = MAX_LARGE;

/// What a record has in place of the key of digests.
const KEY_LEFT_OUT: &str = "left out of the record";

/// The first line.
#[derive(Debug, Deserialize, Serialize)]
struct Header {
    fleetfold: Option<Writer>,
}

/// Who wrote a record.
#[derive(Debug, Deserialize, Serialize)]
struct Writer {
    /// The digest of the module that gave the answers.
    module: Option<String>,
    version: Option<String>,
}

/// The fields of a request that a replay reports.
#[derive(Debug, Deserialize)]
struct RequestHead {
    op: Option<String>,
    now: Option<String>,
}

/// Writes requests to a file.
///
/// The file contains everything that was read, Secret data included: it is created with mode 0600, and an existing file
/// is an error. Answers are recorded as hashes only.
#[derive(Debug)]
pub struct Recorder {
    path: PathBuf,
    /// Nothing after a failed write: a record with a missing line would replay differently.
    file: Option<File>,
}

impl Recorder {
    /// Starts a record for the module with this digest.
    ///
    /// # Errors
    ///
    /// The file exists or cannot be written.
    pub fn create(path: &Path, module: &str) -> io::Result<Recorder> {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
        let writer = Writer { module: Some(module.to_owned()), version: Some(VERSION.to_owned()) };
        let header = to_text(&Header { fleetfold: Some(writer) }).map_err(io::Error::other)?;
        file.write_all(format!("{header}\n").as_bytes())?;
        Ok(Recorder { path: path.to_owned(), file: Some(file) })
    }

    /// Writes a request, which is JSON in one line, with the hash of its answer. A failure is logged once and ends the
    /// record.
    pub fn write(&mut self, request: &str, answer: &str) {
        let Some(file) = &mut self.file else { return };
        let [before, between, after] = PARTS;
        let request = without_key(request);
        let line = format!("{before}{}{between}{request}{after}\n", digest(answer.as_bytes()));
        // One write per line: nothing is buffered.
        if let Err(error) = file.write_all(line.as_bytes()) {
            self.file = None;
            let file = self.path.display();
            tracing::error!(%file, %error, "recording has stopped: the record cannot be written");
        }
    }

    /// Whether every line so far was written.
    pub fn is_recording(&self) -> bool {
        self.file.is_some()
    }
}

/// The result of a replay.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Replay {
    /// The version of the program that wrote the record.
    pub version: String,
    /// The digest of the module that gave the answers.
    pub module: String,
    pub requests: usize,
    /// Whether the digests are of a key that was not given.
    pub lacks_digest_key: bool,
    pub plans: Vec<ReplayedPlan>,
    pub differences: Vec<Difference>,
}

impl Replay {
    /// Whether every answer is the recorded one.
    pub fn is_same(&self) -> bool {
        self.differences.is_empty()
    }

    /// Whether the record was made with another module.
    pub fn is_of_other(&self, module: &str) -> bool {
        self.module != module
    }
}

/// A recorded plan request, with the engine's answer now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplayedPlan {
    pub line: usize,
    /// The time of the plan; empty where the request has none.
    pub now: String,
    /// Empty where the engine returned an error.
    pub digest: String,
    pub actions: usize,
    pub held: usize,
    pub needs: usize,
}

/// An answer that differs from the recorded one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The line in the record, from 1.
    pub line: usize,
    pub op: String,
    /// The hashes of both answers.
    pub recorded: String,
    pub now: String,
    /// The code, where the engine returns an error now.
    pub refused: Option<String>,
}

/// Why a record cannot be replayed.
#[derive(Debug)]
pub enum ReplayError {
    /// The file itself.
    Unreadable { path: PathBuf, error: ReadError },
    /// A line of it, from 1.
    BadLine { path: PathBuf, line: usize, reason: String, is_last: bool },
}

impl ReplayError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => "give a file that `--record` wrote",
            Self::BadLine { line: 1, .. } => {
                "a record begins with `{\"fleetfold\":…}`: give a file that `--record` wrote, from its beginning"
            }
            Self::BadLine { is_last: true, .. } => "the recorder was stopped while it wrote: leave the last line out",
            Self::BadLine { .. } => "the record was changed after it was written; record again",
        }
    }
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { path, error } => write!(f, "`{}` cannot be read: {error}", path.display()),
            Self::BadLine { path, line, reason, .. } => {
                write!(f, "line {line} of `{}` is not one of a record: {reason}", path.display())
            }
        }
    }
}

impl std::error::Error for ReplayError {}

/// Sends every request of a record to `engine`, in order and to an empty workspace, and compares the answers.
///
/// The record may be of another module: replaying shows what the module changes. `digest_key` takes the place of the
/// key that the record leaves out.
///
/// # Errors
///
/// The file, or a line of it, cannot be read.
pub fn replay(path: &Path, engine: &mut dyn Engine, digest_key: Option<&str>) -> Result<Replay, ReplayError> {
    let unreadable = |error| ReplayError::Unreadable { path: path.to_owned(), error };
    let mut reader = BufReader::new(bounded_read::open(path).map_err(unreadable)?);
    let (mut replay, mut text) = (Replay::default(), String::new());
    engine.fresh();
    for line in 1.. {
        text.clear();
        let read = read_line(&mut reader, MAX_LINE, &mut text);
        let is_over = matches!(read, Ok(0));
        if is_over && line > 1 {
            break;
        }
        let replayed = match read {
            // A line that ends within a character is not valid UTF-8, and so a bad line.
            Err(ReadError::Io(error)) if error.kind() == io::ErrorKind::InvalidData => Err(error.to_string()),
            Err(error @ ReadError::TooLarge { .. }) => Err(error.to_string()),
            Err(error) => return Err(unreadable(error)),
            Ok(_) if is_over => Err("there is nothing in it".to_owned()),
            Ok(_) => match text.strip_suffix('\n') {
                Some(whole) if line == 1 => replay.read_header(whole),
                Some(whole) => replay.replay_line(line, whole, engine, digest_key),
                None => Err("it has no end".to_owned()),
            },
        };
        if let Err(reason) = replayed {
            let is_last = reader.fill_buf().is_ok_and(<[u8]>::is_empty);
            return Err(ReplayError::BadLine { path: path.to_owned(), line, reason, is_last });
        }
    }
    Ok(replay)
}

impl Replay {
    fn read_header(&mut self, line: &str) -> Result<(), String> {
        let Header { fleetfold } = parse(line)?;
        let Writer { module, version } = fleetfold.ok_or("it does not say who wrote it")?;
        (self.module, self.version) = (module.unwrap_or_default(), version.unwrap_or_default());
        Ok(())
    }

    fn replay_line(
        &mut self,
        line: usize,
        text: &str,
        engine: &mut dyn Engine,
        digest_key: Option<&str>,
    ) -> Result<(), String> {
        let [before, between, after] = PARTS;
        let inner = text.strip_prefix(before).and_then(|it| it.strip_suffix(after));
        // A hash contains no quote, so the first match is the right one.
        let parts = inner.and_then(|it| it.split_once(between));
        let (recorded, request) = parts.ok_or("it has no answer and request")?;
        let RequestHead { op, now: planned_at } = parse(request)?;
        let keyed = with_key(request, digest_key);
        self.lacks_digest_key |= keyed.is_some() && digest_key.is_none();
        let response = engine.call(keyed.as_deref().unwrap_or(request).as_bytes());
        let (op, now) = (op.unwrap_or_default(), digest(response.as_bytes()));
        self.requests += 1;
        if op == PlanRequest::NAME {
            // A plan that cannot be read has nothing in it.
            let plan = read_response::<PlanRequest>(&response).ok().and_then(Result::ok).map(|it| it.answer);
            self.plans.push(ReplayedPlan::new(line, planned_at.unwrap_or_default(), plan));
        }
        if now != recorded {
            let refused = refusal(&response).map(|it| it.code.to_string());
            self.differences.push(Difference { line, op, recorded: recorded.to_owned(), now, refused });
        }
        Ok(())
    }
}

impl ReplayedPlan {
    fn new(line: usize, now: String, plan: Option<PlanAnswer>) -> ReplayedPlan {
        let (digest, actions, held, needs) =
            plan.map_or_else(Default::default, |it| (it.digest, it.actions.len(), it.held.len(), it.needs.len()));
        ReplayedPlan { line, now, digest, actions, held, needs }
    }
}

/// A request without the key of digests. All others stay as they are, byte for byte.
fn without_key(request: &str) -> Cow<'_, str> {
    match settings_with_key(request) {
        Some(settings) => Cow::Owned(request_text(&Configure { digest_key: Some(KEY_LEFT_OUT.into()), ..settings })),
        None => Cow::Borrowed(request),
    }
}

/// A recorded request with a key again, if the record left one out.
fn with_key(request: &str, key: Option<&str>) -> Option<String> {
    let settings = settings_with_key(request).filter(|it| it.digest_key.as_deref() == Some(KEY_LEFT_OUT))?;
    let digest_key = key.map(Into::into).or(settings.digest_key);
    Some(request_text(&Configure { digest_key, ..settings }))
}

/// The settings of a request that sets the key of digests.
fn settings_with_key(request: &str) -> Option<Configure> {
    // Requests with documents may be large, and settings never are.
    if !request.starts_with(r#"{"op":"configure""#) || !request.contains(r#""digestKey""#) {
        return None;
    }
    let mut value = json::parse(request).ok()?;
    value.as_map_mut()?.remove("op");
    let settings: Configure = read::from_value(value).ok()?;
    settings.digest_key.is_some().then_some(settings)
}

/// Reads a part of a record; the error is a message.
fn parse<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let value = json::parse_answer(text).map_err(|error| format!("{} at {}", error.message, error.place))?;
    read::from_value_ignoring_unknown(value).map_err(|error| error.to_string())
}

/// The error in an answer, whatever the op. An unreadable answer has none.
fn refusal(response: &str) -> Option<Refusal> {
    #[derive(Deserialize)]
    struct Response {
        error: Option<Refusal>,
    }
    parse(response).ok().and_then(|Response { error }| error)
}
