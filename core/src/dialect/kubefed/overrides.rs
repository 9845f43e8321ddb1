//! Overrides for some clusters: `spec.overrides`, one layer per entry, in list order.
//!
//! An entry is for the cluster that it names or, as an extension to KubeFed, for those that its `clusterSelector`
//! picks. Entries for the same cluster apply one after the other, so the later one wins.

use std::sync::Arc;

use crate::diagnostic::Mode;
use crate::diagnostic::decode::Fields;
use crate::diagnostic::{Code, Diagnostic, Error, Severity};
use crate::engine::compose::Layer;
use crate::engine::patch::{Operation, Step, Verb};
use crate::engine::rendered::PatchLayer;
use crate::engine::select::{LabelSelector, Selector};
use crate::object::document::{Document, Identity};
use crate::value::JsonPath;
use crate::value::collections::SortedMap;
use crate::value::path::Pointer;
use crate::value::{Text, Value};

/// The layers in both forms: ready to be applied, and as they are explained.
#[derive(Debug, Default)]
pub struct Overrides {
    pub layers: Vec<Layer>,
    pub shown: Vec<PatchLayer>,
}

impl Overrides {
    /// The layers of these ranks.
    pub fn of<'a>(&'a self, ranks: &'a [u32]) -> impl Iterator<Item = &'a Layer> {
        ranks.iter().filter_map(|rank| self.layers.get(usize::try_from(*rank).ok()?))
    }

    /// Whether an entry is for a cluster that it names.
    pub fn names_clusters(&self, rank: u32) -> bool {
        let entry = usize::try_from(rank).ok().and_then(|rank| self.shown.get(rank));
        entry.is_some_and(|it| matches!(it.when, Some(Selector::Listed(_))))
    }
}

const OVERRIDE: Text = Text::new_static("override");

/// # Errors
///
/// An entry without clusters; in compat mode also an entry that KubeFed refuses with the object. An operation that
/// cannot be read fails its own layer only.
pub fn overrides(
    document: &Document,
    subject: &Arc<Identity>,
    mode: Mode,
    out: &mut Vec<Diagnostic>,
) -> Result<Overrides, Error> {
    let spec = JsonPath::ROOT.key("spec");
    let path = spec.key("overrides");
    let mut overrides = Overrides::default();
    let entries = match document.value.at(&["spec", "overrides"]) {
        None | Some(Value::Null) => return Ok(overrides),
        Some(Value::List(entries)) => entries,
        Some(other) => return Err(path.wrong_type("a list", other)),
    };
    let (mut named, mut places): (SortedMap<Text, usize>, _) = (SortedMap::new(), SortedMap::new());
    for (index, entry) in entries.iter().enumerate() {
        let path = path.index(index);
        let mut fields = Fields::of(entry.clone(), &path, &["clusterName", "clusterOverrides", "clusterSelector"])?;
        let name: Option<Text> = fields.take("clusterName")?;
        // KubeFed takes it for a cluster of that name, which no cluster has.
        let name = name.filter(|it| mode == Mode::Compat || !it.is_empty());
        let when = match (name, entry.get("clusterSelector").filter(|it| !it.is_null())) {
            (Some(name), None) => {
                if let Some(earlier) = named.insert(name.clone(), index) {
                    repeated(&name, earlier, &path, subject, mode, out)?;
                }
                Selector::Listed(vec![name].into())
            }
            (None, Some(_)) if mode == Mode::Compat => {
                let message = "KubeFed ignores `clusterSelector` here, so the entry applies to no cluster";
                let finding = Diagnostic::warning(Code::UnknownField, message).of(subject);
                out.push(finding.at(path.key("clusterSelector").pointer()));
                Selector::Nothing
            }
            (None, Some(selector)) => {
                Selector::Labels(LabelSelector::parse_object(selector, &path.key("clusterSelector"))?)
            }
            (Some(_), Some(_)) => {
                let message = "an override is for a `clusterName` or for a `clusterSelector`, not for both";
                return Err(Error::new(Code::BadSelector, message).at(path.key("clusterSelector")));
            }
            (None, None) => {
                let message = "the override does not say for which cluster it is";
                let hint = "add `clusterName`, or a `clusterSelector`";
                return Err(Error::new(Code::MissingField, message).at(path.key("clusterName")).hint(hint));
            }
        };
        let (steps, operations) = operations(entry.get("clusterOverrides"), &path, subject, mode, &mut places, out)?;
        let layer = Layer::new(OVERRIDE, Arc::clone(subject), steps);
        if let Some(error) = layer.error() {
            out.push(error.clone().into_diagnostic(Severity::Error).of(subject));
        }
        overrides.layers.push(layer);
        overrides.shown.push(PatchLayer {
            name: OVERRIDE,
            document: Arc::clone(subject),
            when: Some(when),
            operations,
        });
    }
    Ok(overrides)
}

/// A cluster that two entries name.
fn repeated(
    name: &str,
    earlier: usize,
    path: &JsonPath,
    subject: &Identity,
    mode: Mode,
    out: &mut Vec<Diagnostic>,
) -> Result<(), Error> {
    let message = format!("the cluster `{name}` has overrides already, in entry {earlier}");
    let error = Error::new(Code::DuplicateCluster, message).at(path.key("clusterName"));
    match mode {
        Mode::Compat => Err(error),
        Mode::Strict => {
            let hint = "both apply, the later one last; KubeFed refuses the whole object";
            out.push(error.hint(hint).into_diagnostic(Severity::Warning).of(subject));
            Ok(())
        }
    }
}

type ReadSteps = Result<Vec<(Step, Pointer)>, Error>;

fn operations(
    list: Option<&Value>,
    entry: &JsonPath,
    subject: &Identity,
    mode: Mode,
    places: &mut SortedMap<Text, Pointer>,
    out: &mut Vec<Diagnostic>,
) -> Result<(ReadSteps, Vec<(Operation, Pointer)>), Error> {
    let path = entry.key("clusterOverrides");
    let items = match list {
        None | Some(Value::Null) => return Ok((Ok(Vec::new()), Vec::new())),
        Some(Value::List(items)) => items,
        Some(other) => return Err(path.wrong_type("a list", other)),
    };
    let (mut steps, mut shown): (ReadSteps, _) = (Ok(Vec::new()), Vec::with_capacity(items.len()));
    let mut paths: SortedMap<Text, usize> = SortedMap::new();
    for (index, item) in items.iter().enumerate() {
        let path = path.index(index);
        let read = operation(item, &path).and_then(|operation| {
            let step = Step::read_one(places, &operation, mode).map_err(|error| error.at(path.key("path")))?;
            // KubeFed adds a key that is missing. An explicit `replace` means one that exists.
            let is_defaulted = item.get("op").is_none_or(Value::is_null);
            let operation = Operation { place: Some(step.path().clone()), ..operation };
            Ok((operation, if is_defaulted { step.or_add() } else { step }))
        });
        let (operation, step) = match read {
            Ok(read) => read,
            Err(error) => {
                steps = steps.and(Err(error));
                continue;
            }
        };
        if step.is_on_identity() {
            let message = "an override cannot change the kind, name or namespace of the object";
            let error = Error::new(Code::IdentityOverride, message).at(path.key("path"));
            if mode == Mode::Compat {
                return Err(error);
            }
            steps = steps.and(Err(error));
        }
        if let Some(earlier) = paths.insert(operation.path.clone(), index) {
            let lost = items.get(earlier).is_some_and(sets) && operation.verb == Verb::Replace;
            let message = format!("operations {earlier} and {index} have the same path `{}`", operation.path);
            let error = Error::new(Code::DuplicatePath, message).at(path.key("path"));
            match mode {
                Mode::Compat => return Err(error),
                Mode::Strict if lost => {
                    let hint = "the earlier one has no effect; KubeFed refuses the whole object";
                    out.push(error.hint(hint).into_diagnostic(Severity::Warning).of(subject));
                }
                Mode::Strict => {}
            }
        }
        if matches!(operation.path.as_str(), "/metadata/annotations" | "/metadata/labels")
            && operation.verb != Verb::Remove
        {
            let message =
                format!("`{}` is replaced as a whole, also what the cluster's controllers wrote", operation.path);
            let hint = format!("add one key with `{}/<key>`", operation.path);
            let finding = Diagnostic::warning(Code::WipesMetadata, message).of(subject).hint(hint);
            out.push(finding.at(path.key("path").pointer()));
        }
        let at = path.pointer();
        if let Ok(steps) = &mut steps {
            steps.push((step, at.clone()));
        }
        shown.push((operation, at));
    }
    Ok((steps, shown))
}

fn sets(operation: &Value) -> bool {
    operation.text_at(&["op"]) != "remove" && !operation.text_at(&["path"]).ends_with("/-")
}

fn operation(item: &Value, path: &JsonPath) -> Result<Operation, Error> {
    let mut fields = Fields::of(item.clone(), path, &["op", "path", "value"])?;
    let verb = match fields.take::<Option<Text>>("op")?.as_deref() {
        None | Some("replace") => Verb::Replace,
        Some("add") => Verb::Add,
        Some("remove") => Verb::Remove,
        Some(other) => {
            let error = Error::new(Code::BadOperation, format!("an override has no `{other}`"));
            return Err(error.at(path.key("op")).hint("one of: add, remove, replace"));
        }
    };
    Ok(Operation::written(verb, fields.take::<Text>("path")?, item.get("value").cloned()))
}
