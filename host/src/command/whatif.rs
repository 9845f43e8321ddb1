//! `fleetfold what-if`: shows the effect of a change.

use std::path::PathBuf;
use std::process::ExitCode;

use fleetfold_core::Value;
use fleetfold_core::api::load::Load;
use fleetfold_core::api::place::CauseAnswer;
use fleetfold_core::api::what_if::{WhatIf, WhatIfAnswer};
use fleetfold_core::diagnostic::read::from_value;
use fleetfold_core::value::OneOrMany;

use super::fleet::{FleetArgs, empty_map};
use super::time::TimeArgs;
use crate::command::output::{Failure, Output, Report, Screen, print_answer};
use crate::render::finding::{Finding, Severity};
use crate::render::whatif::{self, Refused};
use crate::source::{self, File};

/// Show the effect of a change: which clusters change and how, and which parts are overridden
///
/// Exits with 0 if nothing changes, with 1 if something does, and with 2 if the change or a part of it is refused.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fleetfold what-if -f fleet --change edit.yaml                         new documents, or new versions of them
  fleetfold what-if -f fleet --remove PluginOverride/acme/us
  fleetfold what-if -f fleet --set precedence=cluster-over-definition
  git show HEAD:fleet/preset.yaml | fleetfold what-if -f fleet --change -")]
pub struct Args {
    #[command(flatten)]
    fleet: FleetArgs,

    #[command(flatten)]
    time: TimeArgs,

    /// A file or folder of changed documents, or `-` for standard input; may be given again
    #[arg(long = "change", value_name = "FILE", required_unless_present_any = ["removed", "settings"])]
    changed: Vec<PathBuf>,

    /// A document to remove, as `Kind/name` or `Kind/namespace/name`; may be given again
    #[arg(long = "remove", value_name = "REF")]
    removed: Vec<String>,

    /// A setting to change, as `precedence=…` or `limits.deletes=…`, its value in YAML; may be given again
    #[arg(long = "set", value_name = "SETTING", value_parser = setting)]
    settings: Vec<(String, String)>,

    /// The output format; `name` prints the subjects that change
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = Output::among(&Output::ALL))]
    output: Output,
}

pub fn run(args: &Args, screen: Screen) -> Result<ExitCode, Failure> {
    if args.fleet.reads_stdin() && args.changed.iter().any(|it| it.as_os_str() == "-") {
        return Err(Failure::new("standard input is given twice", "give `-` for the documents or for the change"));
    }
    let mut fleet = args.fleet.load()?;
    fleet.show_infos();
    let changes = source::read_all(&args.changed, args.fleet.max_file_size())?;
    if let Some(cluster) = changes.complete.first() {
        let message = format!("the change holds observed objects of `{cluster}`; a change must hold documents");
        return Err(Failure::new(message, "move `live/` to the documents that `-f` reads"));
    }
    let mut settings = Value::Null;
    let mut files = Vec::new();
    for file in changes.files {
        match fleet.settings(&file.name, &file.text)? {
            Some(spec) => settings = spec,
            None => files.push(file),
        }
    }
    for (path, value) in &args.settings {
        let value = fleet.parse("--set", value)?.into_iter().next().unwrap_or_default();
        put(&mut settings, path, value);
    }
    let joined = Joined::new(&files);
    for file in &files {
        fleet.add_text(&file.name, &file.text);
    }
    let request = WhatIf {
        load: (!files.is_empty()).then(|| OneOrMany::One(joined.load())),
        now: args.time.now(),
        lint: Some(true),
        unload: (!args.removed.is_empty()).then(|| args.removed.iter().map(Into::into).collect()),
        ..configured(settings)?
    };
    let first = fleet.count_findings();
    let mut answer = fleet.call(&request)?;
    fleet.place_findings(|file, line| joined.find(file, line));
    joined.place(&mut answer);
    let findings = fleet.findings_after(first);
    let errors = findings.iter().filter(|it| it.severity == Severity::Error);
    let errors: Vec<&Finding> = errors.filter(|it| files.iter().any(|file| file.name == it.file)).collect();
    let refused = Refused::of(&answer, &errors);
    let names = || {
        let mut names: Vec<String> = answer.groups.iter().map(|it| it.subject.clone()).collect();
        names.sort();
        names.dedup();
        names
    };
    let report = Report::of(&answer, &findings);
    print_answer(args.output, &report, || whatif::blast(&answer, &refused, screen.out), names)?;
    let code = if refused.is_empty() { u8::from(whatif::has_effect(&answer)) } else { 2 };
    Ok(fleet.finish(code, screen.err))
}

/// A change of settings. They are read as a field of the request, so that errors name it.
fn configured(settings: Value) -> Result<WhatIf, Failure> {
    Ok(from_value(Value::map(Some(settings).filter(|it| !it.is_null()).map(|it| ("configure", it))))?)
}

/// `path=value`.
fn setting(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((path, value)) if !path.is_empty() => Ok((path.to_owned(), value.to_owned())),
        _ => Err("write `setting=value`, as `precedence=cluster-over-definition`".to_owned()),
    }
}

/// Sets the value at a dotted path, creating maps.
fn put(settings: &mut Value, path: &str, value: Value) {
    if settings.as_map().is_none() {
        *settings = empty_map();
    }
    let Some(map) = settings.as_map_mut() else { return };
    match path.split_once('.') {
        None => {
            map.insert(path, value);
        }
        Some((first, rest)) => {
            let mut below = map.get(first).cloned().unwrap_or_default();
            put(&mut below, rest, value);
            map.insert(first, below);
        }
    }
}

/// Several files as one text, since a change is one request; maps lines back to their files.
struct Joined {
    name: String,
    text: String,
    /// The name of each file and the line it starts after.
    starts: Vec<(String, i64)>,
}

impl Joined {
    /// The file name of the joined text in locations.
    const MANY: &'static str = "<change>";

    fn new(files: &[File]) -> Joined {
        if let [alone] = files {
            return Joined { name: alone.name.clone(), text: alone.text.clone(), starts: Vec::new() };
        }
        let (mut text, mut starts, mut line) = (String::new(), Vec::new(), 0);
        for file in files {
            // The first `---` also keeps a parser from reading all files as JSON if the first one is.
            text.push_str("---\n");
            line += 1;
            starts.push((file.name.clone(), line));
            let is_json = file.text.trim_start().starts_with('{');
            // JSON may be indented with tabs, YAML may not; a JSON string cannot contain a literal tab.
            let body = if is_json { file.text.replace('\t', " ") } else { file.text.clone() };
            text.push_str(&body);
            if !body.ends_with('\n') {
                text.push('\n');
            }
            line += i64::try_from(body.lines().count()).unwrap_or(i64::MAX);
        }
        Joined { name: Self::MANY.to_owned(), text, starts }
    }

    /// The request that loads it.
    fn load(&self) -> Load {
        Load { file: Some(self.name.as_str().into()), text: Some(self.text.as_str().into()), ..Load::default() }
    }

    /// The file and line of a line of the joined text.
    fn find(&self, file: &str, line: i64) -> Option<(&str, i64)> {
        if file != Self::MANY {
            return None;
        }
        let (name, start) = self.starts.iter().rev().find(|(_, start)| *start < line)?;
        Some((name, line - start))
    }

    /// Replaces locations in the joined text by those in the original files.
    fn place(&self, answer: &mut WhatIfAnswer) {
        for at in answer.fixed.iter_mut().flatten().filter_map(|it| it.at.as_mut()) {
            let (Some(file), Some(line)) = (&at.file, at.line) else { continue };
            if let Some((file, line)) = self.find(file, line) {
                (at.file, at.line) = (Some(file.to_owned()), Some(line));
            }
        }
        let changes = answer.groups.iter_mut().flat_map(|it| &mut it.changes);
        let causes = changes.filter_map(|it| it.cause.as_mut());
        causes.chain(answer.shadowed.iter_mut().map(|it| &mut it.by)).for_each(|it| self.place_cause(it));
    }

    fn place_cause(&self, cause: &mut CauseAnswer) {
        let (Some(file), Some(line)) = (&cause.file, cause.line) else { return };
        if let Some((file, line)) = self.find(file, line) {
            (cause.file, cause.line) = (Some(file.to_owned()), Some(line));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::read_answer;

    fn file(name: &str, text: &str) -> File {
        File { name: name.to_owned(), text: text.to_owned(), live: None }
    }

    #[test]
    fn places_are_those_of_the_files() {
        let joined = Joined::new(&[file("a.yaml", "one\ntwo\n"), file("b.json", "{\n\t\"x\": 1\n}")]);
        assert_eq!(joined.text, "---\none\ntwo\n---\n{\n \"x\": 1\n}\n");
        for (line, want) in [(2, ("a.yaml", 1)), (3, ("a.yaml", 2)), (5, ("b.json", 1)), (7, ("b.json", 3))] {
            assert_eq!(joined.find("<change>", line), Some(want));
        }
        assert_eq!(joined.find("other.yaml", 2), None);
        let mut cause = read_answer(r#"{"layer":"preset","file":"<change>","line":6,"column":1}"#);
        joined.place_cause(&mut cause);
        assert_eq!((cause.file.as_deref(), cause.line), (Some("b.json"), Some(2)));
    }

    #[test]
    fn one_file_is_itself() {
        let joined = Joined::new(&[file("a.yaml", "one\n")]);
        assert_eq!((joined.name.as_str(), joined.text.as_str()), ("a.yaml", "one\n"));
    }

    #[test]
    fn settings_are_put_where_their_path_says() {
        let mut settings = Value::Null;
        put(&mut settings, "precedence", "x".into());
        put(&mut settings, "limits.deletes", 5i64.into());
        put(&mut settings, "limits.changes", 6i64.into());
        assert_eq!(settings.to_canonical(), r#"{"limits":{"changes":6,"deletes":5},"precedence":"x"}"#);
        assert!(setting("precedence").is_err());
        assert!(setting("=x").is_err());
    }
}
