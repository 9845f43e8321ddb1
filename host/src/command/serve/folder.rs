//! Serves files and folders, and reloads them when they change.
//!
//! Changes are found by comparing sizes and times of all files, when the kernel reports an event
//! ([`super::file_events`]), and from time to time without one.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use fleetfold::guest::{Guest, Limits, Module};
use fleetfold::serve::fleet_snapshot::{FleetSnapshot, SettingsFile, Source};
use fleetfold_core::api::Finding;
use fleetfold_core::api::load::Load;
use fleetfold_core::api::place::PlaceAnswer;
use tokio::sync::watch;

use super::file_events::{FileEvents, POLL_INTERVAL, folders_of};
use crate::command::digest_key::refuse_in_file;
use crate::command::fleet::{Fleet, refused_finding};
use crate::command::output::Failure;
use crate::source::{self, Listing, Refused, STDIN};

/// The longest wait for an event: the thread ends when nobody receives its snapshots any more.
const MAX_WAIT: Duration = Duration::from_secs(1);

/// How long to wait for files that keep changing.
const MAX_SETTLE_TIME: Duration = Duration::from_secs(2);

/// Added to a finding while an earlier state is served.
const KEPT: &str = "; the previous version is shown";

/// The code of an unreadable file, which the engine does not have.
const UNREADABLE: &str = "unreadable-file";

/// Reads everything, and keeps watching in the background.
pub fn follow(
    given: &[PathBuf],
    max_file_size: usize,
    module: &Module,
    limits: Limits,
) -> Result<watch::Receiver<FleetSnapshot>, Failure> {
    let mut events = FileEvents::new();
    let mut polled = poll(given);
    // What changes from here on is an event; what changed meanwhile shows in another poll.
    if events.watch(&folders_of(given, polled.as_ref().ok().map(|(found, _)| found))) {
        polled = poll(given);
    }
    let (given, module) = (given.to_vec(), module.clone());
    let mut folder =
        Folder { given, max_file_size, module, limits, stdin: None, good: BTreeMap::new(), is_first: true };
    let first = folder.read()?;
    folder.is_first = false;
    let (snapshots, receiver) = watch::channel(first.clone());
    thread::spawn(move || folder.watch(events, polled, first, &snapshots));
    Ok(receiver)
}

struct Folder {
    given: Vec<PathBuf>,
    max_file_size: usize,
    module: Module,
    limits: Limits,
    /// The contents of standard input, which can be read only once.
    stdin: Option<String>,
    /// The last readable text of each file, by name.
    good: BTreeMap<String, String>,
    /// On the first read, an unreadable file is a failure rather than a diagnostic.
    is_first: bool,
}

/// The files, each with metadata that changes when it is written, or nothing if it was deleted meanwhile.
type Poll = Result<(Listing, Vec<Option<[i64; 7]>>), String>;

fn poll(given: &[PathBuf]) -> Poll {
    let found = source::find(given).map_err(|failure| format!("{failure:?}"))?;
    let stamps = found.files.iter().map(|(path, _)| stamp(path)).collect();
    Ok((found, stamps))
}

fn stamp(path: &Path) -> Option<[i64; 7]> {
    let it = fs::metadata(path).ok()?;
    let number = |it: u64| it.cast_signed();
    Some([
        number(it.dev()),
        number(it.ino()),
        number(it.size()),
        it.mtime(),
        it.mtime_nsec(),
        // Unlike mtime, ctime cannot be set.
        it.ctime(),
        it.ctime_nsec(),
    ])
}

impl Folder {
    /// Publishes a snapshot after each change. A change is read when two polls agree: editors write in several steps.
    fn watch(
        mut self,
        mut events: FileEvents,
        mut polled: Poll,
        mut last: FleetSnapshot,
        snapshots: &watch::Sender<FleetSnapshot>,
    ) {
        let mut waiting: Option<(Poll, Instant)> = None;
        let mut next_poll = Instant::now();
        while !snapshots.is_closed() {
            let until = next_poll.saturating_duration_since(Instant::now());
            let has_event = events.wait(until.min(MAX_WAIT));
            if has_event {
                thread::sleep(POLL_INTERVAL);
            } else if Instant::now() < next_poll {
                continue;
            }
            let begun = Instant::now();
            let now = poll(&self.given);
            let may_have_missed = events.watch(&folders_of(&self.given, now.as_ref().ok().map(|(found, _)| found)));
            next_poll = Instant::now() + POLL_INTERVAL;
            if now == polled {
                waiting = None;
                if !may_have_missed {
                    next_poll = Instant::now() + events.next_poll(begun.elapsed());
                }
                continue;
            }
            let since = waiting.as_ref().map_or_else(Instant::now, |(_, since)| *since);
            if waiting.as_ref().is_none_or(|(before, _)| *before != now) && since.elapsed() < MAX_SETTLE_TIME {
                waiting = Some((now, since));
                continue;
            }
            (waiting, polled) = (None, now);
            last = self.read().unwrap_or_else(|failure| {
                // The files may be back in a moment: keep the last snapshot, with the problem.
                FleetSnapshot { diagnostics: vec![kept_diagnostic(&failure, None)], ..last }
            });
            snapshots.send_replace(last.clone());
        }
    }

    /// Reads everything. An unreadable file keeps its last text.
    fn read(&mut self) -> Result<FleetSnapshot, Failure> {
        let Listing { files, complete, refused, .. } = source::find(&self.given)?;
        let names = self.given.iter().map(|it| source::name_of(it)).collect();
        let mut snapshot = FleetSnapshot { source: Some(Source::Folder { names }), ..FleetSnapshot::default() };
        let mut reader = Fleet::new(Box::new(Guest::new(&self.module, self.limits)?));
        let names = files.iter().map(|(path, _)| source::name_of(path)).chain(refused.iter().map(|it| it.name.clone()));
        let names: BTreeSet<String> = names.collect();
        self.good.retain(|name, _| names.contains(name));
        // The clusters of which a file is not read: its objects are unknown, not absent.
        let mut partial = BTreeSet::new();
        for file in refused {
            let (name, live) = (file.name.clone(), file.live.clone());
            match self.refuse(file, &mut snapshot.diagnostics) {
                Some(text) => snapshot.loads.push(source::load_of(&name, &text, live.as_deref())),
                None => partial.extend(live),
            }
        }
        for (path, live) in files {
            let name = source::name_of(&path);
            let Some(text) = self.text(&path, &name, &mut reader, &mut snapshot.diagnostics)? else {
                partial.extend(live);
                continue;
            };
            // A file that cannot be parsed is loaded anyway, so that the engine reports it.
            let settings = reader.settings(&name, &text).unwrap_or_default();
            let load = source::load_of(&name, &text, live.as_deref());
            match settings {
                Some(configure) => {
                    // Neither the settings nor the text of such a file are published.
                    if let Err(failure) = refuse_in_file(&configure) {
                        snapshot.diagnostics.push(finding_in(&failure, &name));
                        continue;
                    }
                    let Load { file, live, text, .. } = load;
                    snapshot.settings.push(SettingsFile { configure, file, live, text });
                }
                None => snapshot.loads.push(load),
            }
        }
        let complete = complete.into_iter().filter(|it| !partial.contains(it)).collect();
        snapshot.loads.splice(..0, source::complete_loads(complete));
        Ok(snapshot)
    }

    /// Reports a refused file; returns its last text, without which a plan would remove what it describes.
    fn refuse(&self, file: Refused, diagnostics: &mut Vec<Finding>) -> Option<String> {
        let kept = self.good.get(&file.name).cloned();
        let mut finding = refused_finding(file).to_answer();
        if kept.is_some() {
            finding.message.push_str(KEPT);
        }
        diagnostics.push(finding);
        kept
    }

    /// The text of a file, or its last readable text.
    fn text(
        &mut self,
        path: &Path,
        name: &str,
        reader: &mut Fleet,
        diagnostics: &mut Vec<Finding>,
    ) -> Result<Option<String>, Failure> {
        let is_stdin = name == STDIN;
        let read = match self.stdin.clone().filter(|_| is_stdin) {
            Some(text) => Ok(text),
            None => source::read_text(path, self.max_file_size),
        };
        if is_stdin {
            self.stdin = read.as_ref().ok().cloned();
        }
        let before = self.good.get(name);
        let failure = match read {
            Ok(text) if before == Some(&text) => return Ok(Some(text)),
            Ok(text) => match (reader.parse(name, &text), before) {
                (Ok(_), _) => {
                    self.good.insert(name.to_owned(), text.clone());
                    return Ok(Some(text));
                }
                // There is no earlier text, so the engine reports the problem.
                (Err(_), None) => return Ok(Some(text)),
                (Err(failure), Some(_)) => failure,
            },
            Err(error) if error.is_refusal() => return Ok(self.refuse(error.refused(path, None), diagnostics)),
            Err(error) if self.is_first => return Err(error.into()),
            Err(error) => error.into(),
        };
        diagnostics.push(kept_diagnostic(&failure, Some(name)));
        Ok(before.cloned())
    }
}

/// The diagnostic of a failure while the previous state is served.
fn kept_diagnostic(failure: &Failure, file: Option<&str>) -> Finding {
    let mut finding = match file {
        Some(file) => finding_in(failure, file),
        None => failure.to_finding(UNREADABLE),
    };
    finding.message.push_str(KEPT);
    finding
}

/// The diagnostic of a failure to read a file.
fn finding_in(failure: &Failure, file: &str) -> Finding {
    let mut finding = failure.to_finding(UNREADABLE);
    let place = || PlaceAnswer { column: None, document: None, file: Some(file.to_owned()), line: None, path: None };
    finding.at = finding.at.or_else(|| Some(place()));
    finding
}
