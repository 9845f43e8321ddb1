//! Files and folders as a fleet that is served: read, and read again when something in them changes.
//!
//! Looking at sizes and times a few times a second costs next to nothing for the folders that people keep in a
//! repository, and unlike the notices of an operating system it works on every file system: on shares, in containers, and
//! where an editor puts a new file in the place of the old one.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use fleetfold::guest::{Guest, Limits, Module};
use fleetfold::serve::edition::{Edition, Source};
use fleetfold_core::Value;
use tokio::sync::watch;

use crate::command::Failure;
use crate::command::fleet::Fleet;
use crate::source::{self, Listing, STDIN};

/// How often is looked. What changed must be the same twice: editors write in several steps.
const LOOK: Duration = Duration::from_millis(150);

/// After this long it is read though it goes on changing.
const PATIENCE: Duration = Duration::from_secs(2);

/// The code of what cannot be read, where the engine has none.
const UNREADABLE: &str = "unreadable-file";

/// Reads everything, and goes on reading it in the background.
pub fn follow(given: &[PathBuf], module: &Module, limits: Limits) -> Result<watch::Receiver<Edition>, Failure> {
    let seen = look(given);
    let (given, module) = (given.to_vec(), module.clone());
    let mut folder = Folder { given, module, limits, stdin: None, good: BTreeMap::new(), is_first: true };
    let first = folder.read()?;
    folder.is_first = false;
    let (editions, receiver) = watch::channel(first.clone());
    thread::spawn(move || folder.watch(seen, first, &editions));
    Ok(receiver)
}

struct Folder {
    given: Vec<PathBuf>,
    module: Module,
    limits: Limits,
    /// What came through standard input, which can be read once.
    stdin: Option<String>,
    /// The last text of each file that could be read, by its name.
    good: BTreeMap<String, String>,
    /// Nothing was read before: what cannot be read is a failure, not news.
    is_first: bool,
}

/// What there is, and of each file what changes when it is written. Nothing stands for a file that is gone already.
type Look = Result<(Listing, Vec<Option<[i64; 7]>>), String>;

fn look(given: &[PathBuf]) -> Look {
    let found = source::find(given).map_err(|failure| format!("{failure:?}"))?;
    let marks = found.files.iter().map(|(path, _)| mark(path)).collect();
    Ok((found, marks))
}

fn mark(path: &Path) -> Option<[i64; 7]> {
    let it = fs::metadata(path).ok()?;
    let number = |it: u64| it.cast_signed();
    Some([
        number(it.dev()),
        number(it.ino()),
        number(it.size()),
        it.mtime(),
        it.mtime_nsec(),
        // Nobody can set this one back.
        it.ctime(),
        it.ctime_nsec(),
    ])
}

impl Folder {
    fn watch(mut self, mut seen: Look, mut last: Edition, editions: &watch::Sender<Edition>) {
        let mut waiting: Option<(Look, Instant)> = None;
        while !editions.is_closed() {
            thread::sleep(LOOK);
            let now = look(&self.given);
            if now == seen {
                waiting = None;
                continue;
            }
            let since = waiting.as_ref().map_or_else(Instant::now, |(_, since)| *since);
            if waiting.as_ref().is_none_or(|(before, _)| *before != now) && since.elapsed() < PATIENCE {
                waiting = Some((now, since));
                continue;
            }
            (waiting, seen) = (None, now);
            last = self.read().unwrap_or_else(|failure| {
                // What was there may be there again in a moment: it stays, with what is wrong.
                Edition { diagnostics: vec![kept(&failure, None)], ..last }
            });
            editions.send_replace(last.clone());
        }
    }

    /// Everything as it is now. A file that cannot be read stays as it was.
    fn read(&mut self) -> Result<Edition, Failure> {
        let Listing { files, complete } = source::find(&self.given)?;
        let names = self.given.iter().map(|it| source::name_of(it)).collect();
        let loads = source::complete_loads(complete);
        let mut edition = Edition { source: Some(Source::Folder { names }), loads, ..Edition::default() };
        let mut reader = Fleet::new(Box::new(Guest::new(&self.module, self.limits)?));
        let names: BTreeSet<String> = files.iter().map(|(path, _)| source::name_of(path)).collect();
        self.good.retain(|name, _| names.contains(name));
        for (path, live) in files {
            let name = source::name_of(&path);
            let Some(text) = self.text(&path, &name, &mut reader, &mut edition.diagnostics)? else { continue };
            // One that cannot be parsed goes to the engine as it is, which says so.
            let settings = reader.settings(&name, &text).unwrap_or_default();
            let mut load = source::load_of(&name, &text, live.as_deref());
            match (settings, load.as_map_mut()) {
                (Some(settings), Some(fields)) => {
                    fields.insert("configure", settings);
                    edition.settings.push(load);
                }
                _ => edition.loads.push(load),
            }
        }
        Ok(edition)
    }

    /// The text of a file, or the last one that could be read.
    fn text(
        &mut self,
        path: &Path,
        name: &str,
        reader: &mut Fleet,
        diagnostics: &mut Vec<Value>,
    ) -> Result<Option<String>, Failure> {
        let is_stdin = name == STDIN;
        let read = match self.stdin.clone().filter(|_| is_stdin) {
            Some(text) => Ok(text),
            None => source::read_text(path),
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
                // The engine says what is wrong with it, as there is nothing else to show.
                (Err(_), None) => return Ok(Some(text)),
                (Err(failure), Some(_)) => failure,
            },
            Err(failure) if self.is_first => return Err(failure),
            Err(failure) => failure,
        };
        diagnostics.push(kept(&failure, Some(name)));
        Ok(before.cloned())
    }
}

/// A failure as it is told beside what was there before.
fn kept(failure: &Failure, file: Option<&str>) -> Value {
    let mut told = failure.to_diagnostic(UNREADABLE);
    let message = format!("{}; what was there before is shown", told.text_at(&["message"]));
    if let Some(fields) = told.as_map_mut() {
        fields.insert("message", message);
        if let (Some(file), false) = (file, fields.contains("at")) {
            fields.insert("at", Value::map([("file", file)]));
        }
    }
    told
}
