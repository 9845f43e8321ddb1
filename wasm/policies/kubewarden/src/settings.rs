//! The settings of the policy: the fields of the op `configure`, and those of the policy itself.

use fleetfold_core::api::admit::Admit;
use fleetfold_core::api::configure::Configure;
use fleetfold_core::api::kinds::{KindAnswer, Kinds};
use fleetfold_core::api::load::Load;
use fleetfold_core::value::canonical::to_text;
use fleetfold_core::value::suggest::suggest;
use fleetfold_core::value::{Text, json};
use fleetfold_core::{Value, Workspace};

use crate::engine::{ask, errors, read_fields, worded};

/// The fields of the policy itself, next to those of `configure`. `limits` are those of `admit`, the only op that the
/// policy calls with limits.
const OWN: [&str; 5] = ["context", "defaults", "documents", "limits", "permissions"];

/// The fields that go to `admit` as they are.
const ADMIT: [&str; 2] = ["limits", "permissions"];

/// Valid settings. The fields of `configure` and the documents are already in the workspace.
#[derive(Debug)]
pub struct Settings {
    /// Which documents are read from the cluster.
    pub context: Context,
    /// Whether defaults are added to objects.
    pub defaults: bool,
    /// The request to `admit`, without the review itself.
    pub admit: Admit,
}

/// Which documents are read from the cluster.
#[derive(Debug)]
pub enum Context {
    Nothing,
    /// Those of every kind that the enabled dialects read.
    Everything,
    /// Those of these kinds, as `Kind` or `Kind.group`.
    Kinds(Vec<String>),
}

impl Settings {
    /// Applies the settings to a fresh workspace.
    ///
    /// # Errors
    ///
    /// All mistakes in them.
    pub fn read(settings: &Value, workspace: &mut Workspace) -> Result<Settings, Vec<String>> {
        let given = match settings {
            // A policy without settings.
            Value::Null => Vec::new(),
            Value::Map(fields) => fields.iter().filter(|(_, value)| !value.is_null()).collect(),
            other => return Err(vec![format!("the settings must be a map, not {}", other.kind())]),
        };
        let mut problems = configure(&given, workspace);
        let field = |name: &str| given.iter().find(|(key, _)| *key == name).map(|(_, value)| *value);
        problems.extend(field("documents").map(|it| load(it, workspace)).unwrap_or_default());
        let mut admit = Admit::default();
        // No rule is for a request without a kind, so an error is about the setting.
        let about_nothing = Value::map([("kind", Value::map([("kind", "")]))]);
        for part in ADMIT.into_iter().filter_map(|name| Some((name, field(name)?.clone()))) {
            let fields = Value::map([part, ("request", about_nothing.clone())]);
            match read_fields::<Admit>(fields) {
                Ok(read) => {
                    problems.extend(ask(workspace, read.clone()).err());
                    admit.limits = read.limits.or(admit.limits);
                    admit.permissions = read.permissions.or(admit.permissions);
                }
                Err(problem) => problems.push(problem),
            }
        }
        let context = field("context").map_or(Ok(Context::Nothing), |it| Context::read(it, workspace));
        let defaults =
            field("defaults").map_or(Ok(false), |it| it.as_bool().ok_or_else(|| vec![no_bool("defaults", it)]));
        match (context, defaults) {
            (Ok(context), Ok(defaults)) if problems.is_empty() => Ok(Settings { context, defaults, admit }),
            (context, defaults) => {
                problems.extend(context.err().into_iter().chain(defaults.err()).flatten());
                Err(problems)
            }
        }
    }
}

impl Context {
    fn read(value: &Value, workspace: &mut Workspace) -> Result<Context, Vec<String>> {
        let names = match value {
            Value::Bool(true) => return Ok(Context::Everything),
            Value::Bool(false) => return Ok(Context::Nothing),
            Value::List(names) => names,
            other => {
                let message = format!("`context` must be true, false or a list of kinds, not {}", other.kind());
                return Err(vec![worded(&message, "/context", "")]);
            }
        };
        let kinds = ask(workspace, Kinds::default()).map_err(|it| vec![it])?.answer.kinds;
        let known: Vec<&str> = kinds.iter().map(|it| it.kind.as_str()).collect();
        let is_meant = |name: &str| kinds.iter().any(|kind| is_named(kind, name));
        let mut problems = Vec::new();
        for (index, name) in names.iter().enumerate() {
            let place = format!("/context/{index}");
            match name.as_text() {
                Some(name) if is_meant(name) => {}
                Some(name) => {
                    let kind = name.split('.').next().unwrap_or_default();
                    let hint = suggest(kind, &known, "those that are read");
                    problems.push(worded(&format!("unknown kind `{name}`"), &place, &hint));
                }
                None => problems.push(worded(&format!("a kind must be a string, not {}", name.kind()), &place, "")),
            }
        }
        let named = || names.iter().filter_map(Value::as_text).map(str::to_owned).collect();
        if problems.is_empty() { Ok(Context::Kinds(named())) } else { Err(problems) }
    }

    /// Whether the documents of a kind are read.
    pub fn has(&self, kind: &KindAnswer) -> bool {
        match self {
            Context::Nothing => false,
            Context::Everything => true,
            Context::Kinds(names) => names.iter().any(|name| is_named(kind, name)),
        }
    }
}

/// Whether `Kind` or `Kind.group` names a kind.
fn is_named(kind: &KindAnswer, name: &str) -> bool {
    let (its, group) = (kind.kind.as_str(), kind.group.as_str());
    name.split_once('.').map_or(name == its, |it| it == (its, group))
}

/// Sends each field of `configure` in a request of its own, so that every problem is reported.
fn configure(given: &[(&Text, &Value)], workspace: &mut Workspace) -> Vec<String> {
    // The current settings have exactly the fields that it takes.
    let in_force = ask(workspace, Configure::default()).ok().and_then(|it| to_text(&it.answer).ok());
    let in_force = in_force.and_then(|it| json::parse(&it).ok()).unwrap_or_default();
    let known: Vec<&str> = in_force.as_map().into_iter().flat_map(|it| it.keys()).map(|it| it.as_str()).collect();
    let mut problems = Vec::new();
    for (name, value) in given.iter().filter(|(name, _)| !OWN.contains(&name.as_str())) {
        if known.contains(&name.as_str()) {
            let asked = read_fields::<Configure>(Value::map([(name.as_str(), (*value).clone())]));
            problems.extend(asked.and_then(|it| ask(workspace, it)).err());
            continue;
        }
        let mut names = [known.as_slice(), &OWN].concat();
        names.sort_unstable();
        names.dedup();
        let hint = suggest(name, &names, "the settings are");
        problems.push(worded(&format!("there is no setting `{name}`"), &format!("/{name}"), &hint));
    }
    problems
}

/// Loads the documents, and returns the errors of those that cannot be read.
fn load(documents: &Value, workspace: &mut Workspace) -> Vec<String> {
    let load = match documents {
        Value::List(documents) => Load { documents: Some(documents.to_vec()), ..Load::default() },
        Value::Text(text) => Load { text: Some(text.clone()), file: Some("documents".into()), ..Load::default() },
        other => {
            let message = format!("`documents` must be a list of objects or a text in YAML, not {}", other.kind());
            return vec![worded(&message, "/documents", "")];
        }
    };
    ask(workspace, load).map_or_else(|problem| vec![problem], |answered| errors(&answered))
}

fn no_bool(name: &str, value: &Value) -> String {
    worded(&format!("`{name}` must be true or false, not {}", value.kind()), &format!("/{name}"), "")
}
