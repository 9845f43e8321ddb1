//! Records the requests to an engine, one per line, and replays them.
//!
//! The first line names the writer: `{"fleetfold":{"module":"sha256:…","version":"…"}}`. Every other line is a request
//! and the hash of its answer: `{"answer":"sha256:…","request":{…}}`. Requests are recorded byte for byte.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use fleetfold_core::Value;

use crate::digest::digest;
use crate::engine::Engine;
use crate::{VERSION, answer};

/// The text before the hash, between hash and request, and after the request.
const PARTS: [&str; 3] = [r#"{"answer":""#, r#"","request":"#, "}"];

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
        let header = Value::map([("fleetfold", Value::map([("module", module), ("version", VERSION)]))]);
        file.write_all(format!("{}\n", header.to_canonical()).as_bytes())?;
        Ok(Recorder { path: path.to_owned(), file: Some(file) })
    }

    /// Writes a request, which is canonical JSON, with the hash of its answer. A failure is logged once and ends the
    /// record.
    pub fn write(&mut self, request: &str, answer: &str) {
        let Some(file) = &mut self.file else { return };
        let [before, between, after] = PARTS;
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
    Unreadable { path: PathBuf, error: io::Error },
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
            Self::BadLine { .. } => "the record was changed after it was written: record anew",
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
/// The record may be of another module: replaying shows what the module changes.
///
/// # Errors
///
/// The file, or a line of it, cannot be read.
pub fn replay(path: &Path, engine: &mut dyn Engine) -> Result<Replay, ReplayError> {
    let unreadable = |error| ReplayError::Unreadable { path: path.to_owned(), error };
    let mut reader = BufReader::new(File::open(path).map_err(unreadable)?);
    let (mut replay, mut text) = (Replay::default(), String::new());
    engine.fresh();
    for line in 1.. {
        text.clear();
        let read = reader.read_line(&mut text);
        let is_over = matches!(read, Ok(0));
        if is_over && line > 1 {
            break;
        }
        let replayed = match read {
            // A line that ends within a character is not valid UTF-8, and so a bad line.
            Err(error) if error.kind() != io::ErrorKind::InvalidData => return Err(unreadable(error)),
            Err(error) => Err(error.to_string()),
            Ok(_) if is_over => Err("there is nothing in it".to_owned()),
            Ok(_) => match text.strip_suffix('\n') {
                Some(whole) if line == 1 => replay.read_header(whole),
                Some(whole) => replay.replay_line(line, whole, engine),
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
        let header = answer::read(line)?;
        let writer = header.get("fleetfold").ok_or("it does not say who wrote it")?;
        self.version = answer::text(writer, "version").to_owned();
        self.module = answer::text(writer, "module").to_owned();
        Ok(())
    }

    fn replay_line(&mut self, line: usize, text: &str, engine: &mut dyn Engine) -> Result<(), String> {
        let [before, between, after] = PARTS;
        let inner = text.strip_prefix(before).and_then(|it| it.strip_suffix(after));
        // A hash contains no quote, so the first match is the right one.
        let parts = inner.and_then(|it| it.split_once(between));
        let (recorded, request) = parts.ok_or("it has no answer and request")?;
        let asked = answer::read(request)?;
        let response = engine.call(request.as_bytes());
        let (op, now) = (answer::text(&asked, "op"), digest(response.as_bytes()));
        let differs = now != recorded;
        self.requests += 1;
        if !differs && op != "plan" {
            return Ok(());
        }
        // An unreadable answer is a difference by itself.
        let answered = answer::read(&response).unwrap_or_default();
        if op == "plan" {
            let ok = answered.get("ok").unwrap_or(&Value::Null);
            let count = |key| answer::list(ok, key).len();
            self.plans.push(ReplayedPlan {
                line,
                now: answer::text(&asked, "now").to_owned(),
                digest: answer::text(ok, "digest").to_owned(),
                actions: count("actions"),
                held: count("held"),
                needs: count("needs"),
            });
        }
        if differs {
            let refused = answered.get("error").map(|it| answer::text(it, "code").to_owned());
            self.differences.push(Difference { line, op: op.to_owned(), recorded: recorded.to_owned(), now, refused });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use fleetfold_core::Workspace;

    use super::*;

    const REQUESTS: [&str; 3] = [
        r#"{"documents":[{"apiVersion":"cluster.open-cluster-management.io/v1","kind":"ManagedCluster","metadata":{"name":"eu-1"}}],"op":"load"}"#,
        r#"{"now":"2026-01-01T00:00:00Z","op":"plan"}"#,
        r#"{"op":"clusters","selector":"}\n\",\"request\":é"}"#,
    ];

    /// A temporary file for a record.
    struct Place(PathBuf);

    impl Place {
        fn new(name: &str) -> Place {
            let path = std::env::temp_dir().join(format!("fleetfold-record-{name}-{}", std::process::id()));
            let _ = fs::remove_file(&path);
            Place(path)
        }

        /// A record of all requests.
        fn recorded(self) -> Place {
            let mut recorder = Recorder::create(&self.0, "sha256:abc").unwrap();
            let mut engine = Workspace::default();
            for request in REQUESTS {
                let said = Engine::call(&mut engine, request.as_bytes());
                recorder.write(request, &said);
            }
            assert!(recorder.is_recording());
            self
        }

        fn edited(self, edit: impl FnOnce(String) -> String) -> Place {
            let text = fs::read_to_string(&self.0).unwrap();
            fs::write(&self.0, edit(text)).unwrap();
            self
        }

        fn replay(&self) -> Result<Replay, ReplayError> {
            replay(&self.0, &mut Workspace::default())
        }

        #[track_caller]
        fn fails(&self, message: &str, hint: &str) {
            let error = self.replay().unwrap_err();
            assert!(error.to_string().contains(message), "{error}");
            assert!(error.hint().contains(hint), "{}", error.hint());
        }
    }

    impl Drop for Place {
        fn drop(&mut self) {
            let _ = fs::remove_file(&self.0);
        }
    }

    #[test]
    fn a_record_replays_with_the_same_answers() {
        let place = Place::new("same").recorded();
        let replay = place.replay().unwrap();
        assert!(replay.is_same(), "{replay:?}");
        assert_eq!((replay.requests, replay.version.as_str()), (3, VERSION));
        assert!(replay.is_of_other("sha256:def") && !replay.is_of_other("sha256:abc"));
        let [plan] = replay.plans.as_slice() else { panic!("{replay:?}") };
        assert_eq!((plan.line, plan.now.as_str(), plan.actions), (3, "2026-01-01T00:00:00Z", 0));
        assert!(plan.digest.starts_with("sha256:"), "{plan:?}");
    }

    #[test]
    fn every_line_holds_its_request_byte_for_byte() {
        let place = Place::new("bytes").recorded();
        let text = fs::read_to_string(&place.0).unwrap();
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines.len(), 4);
        assert_eq!(lines[0], format!(r#"{{"fleetfold":{{"module":"sha256:abc","version":"{VERSION}"}}}}"#));
        for (line, request) in lines[1..].iter().zip(REQUESTS) {
            assert!(line.starts_with(r#"{"answer":"sha256:"#), "{line}");
            assert!(line.ends_with(&format!(r#","request":{request}}}"#)), "{line}");
        }
    }

    #[test]
    fn a_different_answer_is_reported_with_its_line() {
        let place = Place::new("other").recorded();
        let place = place.edited(|text| text.replace("eu-1", "eu-2").replace(r#""op":"clusters""#, r#""op":"none""#));
        let replay = place.replay().unwrap();
        let told: Vec<_> =
            replay.differences.iter().map(|it| (it.line, it.op.as_str(), it.refused.as_deref())).collect();
        assert_eq!(told, [(4, "none", Some("unknown-op"))]);
        assert_ne!(replay.differences[0].recorded, replay.differences[0].now);
    }

    #[test]
    fn a_record_is_private_and_replaces_no_file() {
        let place = Place::new("mode").recorded();
        assert_eq!(fs::metadata(&place.0).unwrap().permissions().mode() & 0o777, 0o600);
        let error = Recorder::create(&place.0, "sha256:abc").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
    }

    #[test]
    fn a_failed_write_ends_the_record() {
        let file = File::open("/dev/null").unwrap();
        let mut recorder = Recorder { path: "/dev/null".into(), file: Some(file) };
        recorder.write(REQUESTS[0], "{}");
        assert!(!recorder.is_recording());
        recorder.write(REQUESTS[1], "{}");
    }

    #[test]
    fn errors_in_a_record_name_the_line() {
        Place::new("none").fails("cannot be read", "--record");
        let recorded = |name: &str| Place::new(name).recorded();
        recorded("empty").edited(|_| String::new()).fails("line 1 of", "from its beginning");
        recorded("head").edited(|text| text.replacen("fleetfold", "x", 1)).fails("line 1 of", "from its beginning");
        recorded("cut").edited(|text| text[..text.len() - 9].to_owned()).fails("line 4 of", "leave the last line out");
        recorded("hole").edited(|text| text.replacen("\"op\"", "op", 1)).fails("line 2 of", "record anew");
    }
}
