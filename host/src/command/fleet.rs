//! What the commands over documents share: reading them, calling the engine, and printing its diagnostics.

use std::collections::BTreeSet;
use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use fleetfold::args;
use fleetfold::engine::Engine;
use fleetfold::meta::Meta;
use fleetfold_core::Value;
use fleetfold_core::api::clusters::Clusters;
use fleetfold_core::api::configure::Configure;
use fleetfold_core::api::load::Load;
use fleetfold_core::api::parse::Parse;
use fleetfold_core::api::plan::RecentDeleteInput;
use fleetfold_core::api::subjects::{SubjectAnswer, Subjects};
use fleetfold_core::api::{Answered, Op, read_response, request_text};
use fleetfold_core::diagnostic::read::from_value;
use fleetfold_core::object::Redacted;
use fleetfold_core::object::folder::{self, HUB};
use fleetfold_core::value::MaybeAbsent;
use fleetfold_core::value::json::parse_answer;
use fleetfold_core::value::suggest::did_you_mean;

use super::EngineArgs;
use super::digest_key::refuse_in_file;
use super::hub::{HubArgs, LoadedHub, MemberArgs};
use crate::command::output::{Failure, warn};
use crate::render::counted;
use crate::render::finding::{Finding, Severity, Texts};
use crate::render::style::Palette;
use crate::source::{self, File, Refused, Source};
use fleetfold::session::blame::{self, LoadedDocument, Workbench, documents_of};
use fleetfold::session::changes;

/// The documents and the engine.
#[derive(Debug, clap::Args)]
pub struct FleetArgs {
    /// A file or folder of documents, or `-` for standard input; may be given again
    ///
    /// Of a folder, every .yaml, .yml and .json file in it and below it is read. `live/<cluster>/` in it is the
    /// complete live state of that cluster, and `live/_hub/` that of the hub. A `fleetfold.yaml` of the kind Settings
    /// (fleetfold.dev/v1) holds settings under `spec`. Links that lead out of the folder, pipes, devices and files
    /// above `--max-file-size` are refused.
    #[arg(short = 'f', long = "filename", value_name = "FILE", required_unless_present = "from_cluster")]
    files: Vec<PathBuf>,

    /// Read the documents of a hub and the live objects that the plan needs; files are loaded on top
    #[arg(long)]
    from_cluster: bool,

    #[command(flatten)]
    sizes: SizeArgs,

    #[command(flatten)]
    hub: HubArgs,

    #[command(flatten)]
    members: MemberArgs,

    #[command(flatten)]
    engine: EngineArgs,
}

/// The limit on files.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct SizeArgs {
    /// The largest file that is read; standard input may have 16 times that
    #[arg(long, value_name = "SIZE", default_value = "16MiB", value_parser = args::size)]
    pub max_file_size: usize,
}

impl FleetArgs {
    /// The largest file that is read.
    pub fn max_file_size(&self) -> usize {
        self.sizes.max_file_size
    }

    /// Whether the documents come from standard input, which can be read only once.
    pub fn reads_stdin(&self) -> bool {
        self.files.iter().any(|it| it.as_os_str() == "-")
    }

    /// Reads and loads everything. Unreadable documents are findings.
    pub fn load(&self) -> Result<Fleet, Failure> {
        self.load_into(self.engine.start()?)
    }

    /// The same with a given engine.
    pub fn load_into(&self, engine: Box<dyn Engine>) -> Result<Fleet, Failure> {
        if !self.from_cluster && self.hub.is_given() {
            let hint = "add `--from-cluster`, or leave the hub out";
            return Err(Failure::new("a hub is named, and only files are read", hint));
        }
        let mut fleet = Fleet::new(engine);
        if !self.from_cluster && self.members.digest_key.is_given() {
            fleet.call(&self.members.digest_key.settings(Configure::default())?)?;
        }
        if self.from_cluster {
            let LoadedHub { engine, requests, recent_deletes } = self.members.load(&self.hub, fleet.engine)?;
            fleet = Fleet { recent_deletes: Some(recent_deletes), ..Fleet::over(engine, requests) };
        }
        // A file over a hub is an edit of the object there, which keeps its uid and its age.
        fleet.load_source(source::read(&self.files, self.max_file_size())?, self.from_cluster.then_some(true))?;
        Ok(fleet)
    }
}

/// A workspace with everything loaded.
pub struct Fleet {
    engine: Box<dyn Engine>,
    texts: Texts,
    /// The names of the document files, in the order of reading.
    document_files: Vec<String>,
    /// The diagnostics of all answers.
    findings: Vec<Finding>,
    /// Whether a document could not be read.
    has_unreadable: bool,
    /// The requests that changed the workspace.
    requests: Vec<String>,
    /// Whether infos are printed, too.
    shows_infos: bool,
    /// What the runners of the hub deleted recently; nothing where no hub is read.
    pub recent_deletes: Option<Vec<RecentDeleteInput>>,
}

impl Fleet {
    /// Reads and loads everything given with `-f`.
    pub fn load(files: &[PathBuf], engine: Box<dyn Engine>) -> Result<Fleet, Failure> {
        let mut fleet = Fleet::new(engine);
        fleet.load_source(source::read(files, source::MAX_FILE_SIZE)?, None)?;
        Ok(fleet)
    }

    /// An empty workspace.
    pub fn new(engine: Box<dyn Engine>) -> Fleet {
        Fleet::over(engine, Vec::new())
    }

    /// A workspace that received these requests.
    pub fn over(engine: Box<dyn Engine>, requests: Vec<String>) -> Fleet {
        Fleet {
            engine,
            texts: Texts::new(),
            document_files: Vec::new(),
            findings: Vec::new(),
            has_unreadable: false,
            requests,
            shows_infos: false,
            recent_deletes: None,
        }
    }

    /// The requests that recreate this workspace.
    pub fn into_requests(self) -> Vec<String> {
        self.requests
    }

    /// Sends a request to the engine, and keeps its findings.
    pub fn call<O: Op>(&mut self, request: &O) -> Result<O::Answer, Failure> {
        let request = request_text(request);
        let mut response = self.engine.call(request.as_bytes());
        if self.engine.is_fresh() {
            response = self.recover(&request, response);
        }
        let response = read_response::<O>(&response).map_err(|problem| {
            let message = format!("the answer to `{}` cannot be read: {problem}", O::NAME);
            Failure::new(message, "is the module a newer one?")
        })?;
        let Answered { answer, findings } = response.map_err(|refusal| Failure::refused(&refusal, &self.texts))?;
        if changes(O::NAME) {
            self.requests.push(request);
        }
        self.findings.extend(Finding::all(&findings));
        Ok(answer)
    }

    /// After a call that exceeded a limit: loads everything again, puts the documents aside that are the cause, and
    /// returns the response without them, or else the one of the call.
    fn recover(&mut self, request: &str, response: String) -> String {
        let found = blame::search(self, request, &[], &BTreeSet::new());
        let Some(answered) = found.response else {
            self.restore();
            return response;
        };
        for document in &found.blamed {
            warn(&format!(
                "{document} exceeds a limit of the engine and is quarantined; raise `--timeout` or `--memory`"
            ));
        }
        let quarantined = Some(found.blamed.into_iter().map(Into::into).collect());
        // The workspace has it already: the search ends with it.
        self.requests.push(request_text(&Configure { quarantined, ..Configure::default() }));
        answered
    }

    fn load_source(&mut self, source: Source, carry: Option<bool>) -> Result<(), Failure> {
        for load in source::complete_loads(source.complete) {
            self.call(&load)?;
        }
        self.findings.extend(source.refused.into_iter().map(refused_finding));
        let mut progress = Progress::new(source.files.len());
        for file in source.files {
            progress.step();
            let File { name, text, live } = file;
            self.texts.insert(name.clone(), text.clone());
            if let Some(settings) = self.settings(&name, &text)? {
                self.configure(settings).map_err(|failure| failure.within(&name))?;
                continue;
            }
            let carry = carry.filter(|_| live.is_none());
            self.call(&Load { carry, ..source::load_of(&name, &text, live.as_deref()) })?;
            if live.is_none() {
                self.document_files.push(name);
            }
        }
        self.has_unreadable = self.has_errors();
        Ok(())
    }

    /// The settings in a file as they are written, if it is a settings file.
    pub fn settings(&mut self, name: &str, text: &str) -> Result<Option<Value>, Failure> {
        if !folder::is_settings(name) {
            return Ok(None);
        }
        Ok(folder::settings_of(&self.parse(name, text)?))
    }

    /// Applies settings as they are written.
    pub fn configure(&mut self, settings: Value) -> Result<(), Failure> {
        refuse_in_file(&settings)?;
        self.call(&from_value::<Configure>(settings)?)?;
        Ok(())
    }

    /// The documents of a text, as values.
    pub fn parse(&mut self, name: &str, text: &str) -> Result<Vec<Value>, Failure> {
        if self.texts.get(name).is_none() {
            self.texts.insert(name.to_owned(), text.to_owned());
        }
        let request = Parse { text: text.into(), file: Some(name.to_owned()), ..Parse::default() };
        Ok(self.call(&request)?.documents.into_iter().map(Redacted::into_value).collect())
    }

    /// All documents as values; a list yields its items.
    pub fn documents(&mut self) -> Result<Vec<Value>, Failure> {
        let mut documents = Vec::new();
        for name in self.document_files.clone() {
            let text = self.texts.get(&name).cloned().unwrap_or_default();
            for document in self.parse(&name, &text)? {
                match Meta::of(&document).list_items() {
                    Some(items) => documents.extend_from_slice(items),
                    None => documents.push(document),
                }
            }
        }
        Ok(documents)
    }

    /// Keeps a text, to show lines of it with findings.
    pub fn add_text(&mut self, name: &str, text: &str) {
        self.texts.insert(name.to_owned(), text.to_owned());
    }

    /// All loaded subjects, in the engine's order.
    pub fn subjects(&mut self) -> Result<Vec<SubjectAnswer>, Failure> {
        Ok(self.call(&Subjects::default())?.subjects)
    }

    /// The finding that keeps a subject from being read, with its document and line; nothing if it can be read or is
    /// not loaded.
    pub fn unreadable(&mut self, subject: &str) -> Result<Option<Finding>, Failure> {
        let subjects = self.subjects()?;
        let named = subjects.into_iter().find(|it| it.error.is_some() && it.subject == without_group(subject));
        Ok(named.and_then(|it| self.reading_finding(&it)))
    }

    /// The finding for the error of a subject from `subjects`.
    pub fn reading_finding(&self, subject: &SubjectAnswer) -> Option<Finding> {
        let error = subject.error.as_ref()?;
        let mut findings = self.findings.iter().filter(|it| it.severity == Severity::Error);
        findings
            .find(|it| it.document == subject.subject && error.code == it.code && it.message == error.message)
            .cloned()
    }

    /// An error about a subject. If the subject cannot be read, it names the document and its line in place of the
    /// request.
    pub fn about(&mut self, subject: &str, failure: Failure) -> Failure {
        match self.unreadable(subject) {
            Ok(Some(finding)) => Failure::unreadable(finding, &self.texts),
            _ => failure,
        }
    }

    /// How many findings there are so far.
    pub fn count_findings(&self) -> usize {
        self.findings.len()
    }

    /// The findings after the first ones, sorted, without duplicates.
    pub fn findings_after(&self, first: usize) -> Vec<Finding> {
        let mut findings: Vec<Finding> = self.findings.iter().skip(first).cloned().collect();
        Finding::sort(&mut findings);
        findings
    }

    /// The names of the clusters that match a selector, or of all.
    pub fn clusters(&mut self, selector: Option<&str>) -> Result<Vec<String>, Failure> {
        let answer = self.call(&Clusters { selector: MaybeAbsent(selector.map(Value::text)) })?;
        // Several dialects may know the same cluster.
        let names: BTreeSet<String> = answer.clusters.into_iter().map(|it| it.name.into()).collect();
        Ok(names.into_iter().collect())
    }

    /// The clusters that are requested by name, by selector, or by both; nothing for all. The hub is requested as
    /// `_hub`, and its name is empty.
    pub fn wanted(&mut self, named: &[String], selector: Option<&str>) -> Result<Option<BTreeSet<String>>, Failure> {
        if !named.is_empty() {
            let known = self.clusters(None)?;
            if let Some(unknown) = named.iter().find(|it| *it != HUB && !it.is_empty() && !known.contains(it)) {
                let known = known.iter().map(String::as_str).chain([HUB]);
                let hint =
                    did_you_mean(unknown, known).unwrap_or_else(|| "`fleetfold select` lists all clusters".into());
                return Err(Failure::new(format_args!("there is no cluster `{unknown}` in the fleet"), hint));
            }
        }
        let named: BTreeSet<String> = named.iter().map(|name| folder::cluster_of(name).to_owned()).collect();
        let Some(selector) = selector else { return Ok((!named.is_empty()).then_some(named)) };
        let picked = self.clusters(Some(selector))?.into_iter();
        Ok(Some(picked.filter(|name| named.is_empty() || named.contains(name)).collect()))
    }

    /// All findings so far, sorted, without duplicates.
    pub fn findings(&self) -> Vec<Finding> {
        let mut findings = self.findings.clone();
        Finding::sort(&mut findings);
        findings
    }

    pub fn texts(&self) -> &Texts {
        &self.texts
    }

    /// Replaces the locations of findings by those that `find` returns.
    pub fn place_findings<'a>(&mut self, find: impl Fn(&str, i64) -> Option<(&'a str, i64)>) {
        for finding in &mut self.findings {
            let line = finding.line.and_then(|it| i64::try_from(it).ok()).unwrap_or(0);
            if let Some((file, line)) = find(&finding.file, line) {
                (finding.file, finding.line) = (file.to_owned(), usize::try_from(line).ok());
            }
        }
    }

    /// Whether a document could not be read.
    pub fn has_unreadable(&self) -> bool {
        self.has_unreadable
    }

    fn has_errors(&self) -> bool {
        self.findings.iter().any(|it| it.severity == Severity::Error)
    }

    /// Prints infos with the other findings: for results that people act on.
    pub fn show_infos(&mut self) {
        self.shows_infos = true;
    }

    /// Prints all errors, and the first warnings and infos, on standard error, so that the result stays visible.
    pub fn print_findings(&self, palette: Palette) {
        const MAX_SHOWN: usize = 5;
        let mut out = String::new();
        let findings = self.findings();
        let infos = self.shows_infos.then_some((Severity::Info, MAX_SHOWN));
        for (severity, max) in [(Severity::Error, usize::MAX), (Severity::Warning, MAX_SHOWN)].into_iter().chain(infos)
        {
            let found: Vec<&Finding> = findings.iter().filter(|it| it.severity == severity).collect();
            found.iter().take(max).for_each(|it| out.push_str(&it.render(&self.texts, palette)));
            if let Some(more) = found.len().checked_sub(max).filter(|it| *it > 0) {
                let more = counted(i64::try_from(more).unwrap_or(i64::MAX), &format!("more {}", severity.as_str()));
                out.push_str(&format!("{more}; `fleetfold lint` lists them\n"));
            }
        }
        // Standard error may be closed.
        let _ = io::stderr().write_all(out.as_bytes());
    }

    /// Prints the findings and returns the exit code: 2 if a document could not be read, since the result is
    /// incomplete, and at least 1 if there are other errors.
    pub fn finish(&self, code: u8, palette: Palette) -> ExitCode {
        self.print_findings(palette);
        ExitCode::from(if self.has_unreadable { 2 } else { code.max(u8::from(self.has_errors())) })
    }
}

impl Workbench for Fleet {
    fn send(&mut self, request: &str, deadline: Option<Duration>) -> Option<String> {
        self.engine.set_deadline(deadline);
        let response = self.engine.call(request.as_bytes());
        self.engine.set_deadline(None);
        (!self.engine.is_fresh()).then_some(response)
    }

    fn restore(&mut self) -> bool {
        let Fleet { engine, requests, .. } = self;
        !engine.is_fresh()
            || requests.iter().all(|request| {
                engine.call(request.as_bytes());
                !engine.is_fresh()
            })
    }

    fn deadline(&self) -> Option<Duration> {
        self.engine.deadline()
    }

    fn loaded_documents(&self) -> Vec<LoadedDocument> {
        self.requests.iter().filter_map(|it| load_in(it)).flat_map(|it| documents_of(&it)).collect()
    }
}

impl fmt::Debug for Fleet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fleet").field("findings", &self.findings).finish_non_exhaustive()
    }
}

/// The documents that a request loads, if it does.
fn load_in(request: &str) -> Option<Load> {
    let mut value = parse_answer(request).ok()?;
    let map = value.as_map_mut()?;
    let op = map.remove("op")?;
    (op.as_text() == Some(Load::NAME)).then(|| from_value(value).ok()).flatten()
}

/// `Kind/name` of `Kind.group/name`.
fn without_group(reference: &str) -> String {
    let (kind, rest) = reference.split_once('/').unwrap_or((reference, ""));
    let kind = kind.split_once('.').map_or(kind, |(kind, _)| kind);
    format!("{kind}/{rest}")
}

/// The finding about a file that is not read.
pub fn refused_finding(refused: Refused) -> Finding {
    let Refused { name, message, hint, .. } = refused;
    Finding {
        severity: Severity::Error,
        code: source::REFUSED.to_owned(),
        message,
        hint,
        document: String::new(),
        path: String::new(),
        file: name,
        line: None,
        column: None,
    }
}

/// A map without entries.
pub fn empty_map() -> Value {
    Value::map([] as [(&str, Value); 0])
}

/// Shows the progress of loading on a terminal, if it takes long enough.
struct Progress {
    total: usize,
    done: usize,
    since: Instant,
    shown: bool,
}

impl Progress {
    fn new(total: usize) -> Progress {
        Progress { total, done: 0, since: Instant::now(), shown: false }
    }

    fn step(&mut self) {
        const SHOW_AFTER: Duration = Duration::from_millis(300);
        self.done += 1;
        let is_time = self.since.elapsed() > SHOW_AFTER && (self.done.is_multiple_of(16) || self.total < 64);
        if is_time && io::stderr().is_terminal() {
            self.shown = true;
            let _ = write!(io::stderr(), "\r\u{1b}[Kloading {} of {} files", self.done, self.total);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown {
            let _ = write!(io::stderr(), "\r\u{1b}[K");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use super::*;

    /// Records requests and returns the same answer to all.
    struct Recorder(Rc<RefCell<Vec<String>>>);

    impl Engine for Recorder {
        fn call(&mut self, request: &[u8]) -> String {
            self.0.borrow_mut().push(String::from_utf8_lossy(request).into_owned());
            r#"{"ok":{"clusters":0,"loaded":0,"replaced":0}}"#.to_owned()
        }

        fn fresh(&mut self) {}

        fn is_fresh(&self) -> bool {
            false
        }
    }

    #[test]
    fn a_cluster_is_marked_complete_before_its_objects_are_loaded() {
        let asked = Rc::default();
        let engine = Box::new(Recorder(Rc::clone(&asked)));
        let mut fleet = Fleet::new(engine);
        let file = |name: &str, live: Option<&str>| File {
            name: name.to_owned(),
            text: String::new(),
            live: live.map(str::to_owned),
        };
        let files = vec![file("a.yaml", None), file("live/eu-1/b.yaml", Some("eu-1"))];
        // Two folders may have live objects of the same cluster.
        let complete = vec!["eu-1".to_owned(), "eu-1".to_owned()];
        fleet.load_source(Source { files, complete, refused: Vec::new() }, None).unwrap();
        let want = [
            r#"{"op":"load","documents":[],"live":"eu-1","complete":true}"#,
            r#"{"op":"load","text":"","file":"a.yaml"}"#,
            r#"{"op":"load","text":"","file":"live/eu-1/b.yaml","live":"eu-1"}"#,
        ];
        assert_eq!(*asked.borrow(), want);
    }
}
