//! Overrides beyond the preset: fields of the Organization and the Cluster, and PluginOverrides.

use super::entries::{Part, Reader};
use super::picked::Picked;
use super::{GROUP, ORGANIZATION, OVERRIDE, fields, identity};
use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Diagnostic, Error};
use crate::engine::fold::{Layer, project};
use crate::engine::select::Selector;
use crate::object::document::Document;
use crate::object::fields::scope_error;
use crate::object::timestamp::Timestamp;
use crate::value::JsonPath;
use crate::value::collections::SortedMap;
use crate::value::path::{OptionPath, OptionStep, Pointer};
use crate::value::sorting::sort_by;
use crate::value::{Text, Value};
use crate::workspace::settings::Precedence;
use crate::workspace::store::{Scope, View};
use crate::workspace::subject::Dependency;

/// What the Organization sets for all plugins of its namespace.
pub fn of_organization(view: View, namespace: &str, out: &mut Vec<Diagnostic>) -> Option<Part> {
    let document = view.document(&identity(ORGANIZATION, "", namespace))?;
    own_field("organization-override", document, view.settings.mode, out)
}

/// What a Cluster sets for all its plugins. Most set nothing.
pub fn of_cluster(view: View, scope: &Scope, name: &str, out: &mut Vec<Diagnostic>) -> Option<Part> {
    own_field("cluster-override", view.store.cluster_document(scope, name)?, view.settings.mode, out)
}

fn own_field(layer: &'static str, document: &Document, mode: Mode, out: &mut Vec<Diagnostic>) -> Option<Part> {
    let list = document.value.at(&["spec", "pluginOverrides"]).filter(|it| !it.is_empty())?;
    let spec = JsonPath::ROOT.key("spec");
    Some(Reader { document, mode }.part(layer, None, Some(list), &spec.key("pluginOverrides"), out))
}

/// A PluginOverride, as far as it can be read.
#[derive(Clone, Debug)]
pub struct Override {
    /// Only for plugins of these definitions; empty for all.
    pub definitions: Vec<Text>,
    pub part: Part,
    /// The clusters that its selector names.
    pub named: Vec<Text>,
    /// What decides over the sets and the placement that it names.
    pub depends: Vec<Dependency>,
    /// In seconds; none where no server has stored it, or the time cannot be read.
    created: Option<i64>,
}

/// The PluginOverrides of a namespace that are for a definition, the most general first.
///
/// 1. Without clusters or definitions, with clusters, with definitions, with both. The setting `precedence` swaps the
///    middle two.
/// 2. The older one first; one without a time counts as created last.
/// 3. By name.
pub fn for_definition(view: View, namespace: &str, definition: &str, out: &mut Vec<Diagnostic>) -> Vec<Override> {
    let documents = view.store.of_kind(GROUP, OVERRIDE, Some(namespace));
    let mut overrides: Vec<Override> =
        documents.map(|document| Override::read(view, document, out)).filter(|it| it.is_for(definition)).collect();
    let precedence = view.settings.precedence;
    sort_by(&mut overrides, |a, b| a.order(precedence).cmp(&b.order(precedence)));
    overrides
}

impl Override {
    pub fn read(view: View, document: &Document, out: &mut Vec<Diagnostic>) -> Override {
        let (value, spec) = (&document.value, JsonPath::ROOT.key("spec"));
        let reader = Reader { document, mode: view.settings.mode };
        let list = value.at(&["spec", "overrides"]);
        let (conflict, before) = (conflict(list, view.settings.mode, &spec), out.len());
        let mut part = reader.part("plugin-override", None, list, &spec.key("overrides"), out);
        if conflict.is_some() {
            // None of the entries counts, so which of two does is of no interest.
            let found: Vec<Diagnostic> = out.drain(before..).filter(|it| it.code != Code::DuplicateOption).collect();
            out.extend(found);
        }
        let definitions = match definitions(value.at(&["spec", "pluginDefinitionNames"]), &spec) {
            Ok(definitions) => definitions,
            Err(error) => {
                part.layer.set.clear();
                part.refuse(error, out);
                Vec::new()
            }
        };
        let misread = scope_error(value, &fields::OVERRIDE, &JsonPath::ROOT).filter(|it| it.code == Code::UnknownField);
        let selector = value.at(&["spec", "clusterSelector"]).filter(|it| !it.is_empty());
        let at = spec.key("clusterSelector");
        let (mut named, mut depends) = (Vec::new(), Vec::new());
        match selector.map(|it| Picked::read(view, it, &document.identity.namespace, &at)).transpose() {
            Ok(picked) => {
                part.layer.when = picked.map(|it| {
                    (named, depends) = (it.named, it.depends);
                    it.selector
                });
            }
            // For whom it is meant is not known, so it stops every cluster rather than reach one it is not for.
            Err(error) => {
                part.layer.set.clear();
                part.refuse(error, out);
            }
        }
        for error in [conflict, misread].into_iter().flatten() {
            part.layer.set.clear();
            part.refuse(error, out);
        }
        let created = created(document, out);
        Override { definitions, part, named, depends, created }
    }

    /// Whether it is for plugins of a definition.
    pub fn is_for(&self, definition: &str) -> bool {
        self.definitions.is_empty() || self.definitions.iter().any(|name| name == definition)
    }

    /// The layer with all entries that can be read, also where the override is refused.
    pub fn written(self, view: View, document: &Document) -> Layer {
        let (list, at) = (document.value.at(&["spec", "overrides"]), JsonPath::ROOT.key("spec"));
        let reader = Reader { document, mode: view.settings.mode };
        let part = reader.part("plugin-override", None, list, &at.key("overrides"), &mut Vec::new());
        Layer { when: self.part.layer.when, ..part.layer }
    }

    /// What narrows it down.
    pub fn specifies(&self) -> Vec<&'static str> {
        let definition = (!self.definitions.is_empty()).then_some("definition");
        let cluster = self.part.layer.when.is_some().then_some("cluster");
        definition.into_iter().chain(cluster).collect()
    }

    /// Whether it counts as created after another one. One without a time is new.
    pub fn created_after(&self, other: &Override) -> bool {
        (self.created.is_none(), self.created) > (other.created.is_none(), other.created)
    }

    /// When a server stored it.
    pub fn created(&self) -> Option<i64> {
        self.created
    }

    /// What decides over the order of two.
    fn order(&self, precedence: Precedence) -> (u8, bool, Option<i64>, &str) {
        let name = self.part.layer.document.as_deref().map_or("", |it| it.name.as_str());
        (self.rank(precedence), self.created.is_none(), self.created, name)
    }

    pub fn override_rank(&self, precedence: Precedence) -> OverrideRank {
        OverrideRank { rank: self.rank(precedence), has_time: self.created.is_some() }
    }

    pub fn rank(&self, precedence: Precedence) -> u8 {
        let (cluster, definition) = match precedence {
            Precedence::DefinitionOverCluster => (1, 2),
            Precedence::ClusterOverDefinition => (2, 1),
        };
        let Layer { when, .. } = &self.part.layer;
        when.as_ref().map_or(0, |_: &Selector| cluster) + if self.definitions.is_empty() { 0 } else { definition }
    }
}

/// What decides over the order of an override, except for its name and its time.
#[derive(Clone, Copy, Debug)]
pub struct OverrideRank {
    rank: u8,
    has_time: bool,
}

impl OverrideRank {
    /// Why an override of the same precedence is applied before this one, where not the times of both decide: a hub may
    /// order them differently.
    pub fn undecided(self, before: OverrideRank) -> Option<&'static str> {
        match (before.has_time, self.has_time) {
            _ if before.rank != self.rank => None,
            (true, true) => None,
            (false, false) => Some("neither has a `creationTimestamp`, so their names decide"),
            _ => Some("it has no `creationTimestamp`, so it counts as created last"),
        }
    }
}

/// When a server stored the document.
fn created(document: &Document, out: &mut Vec<Diagnostic>) -> Option<i64> {
    let path = ["metadata", "creationTimestamp"];
    let given = document.value.at(&path).filter(|it| !it.is_null())?;
    let problem = match given.as_text().map(Timestamp::parse) {
        Some(Ok(time)) => return Some(time.seconds()),
        Some(Err(problem)) => problem,
        None => "it is not a string",
    };
    let shown = given.as_text().map_or_else(|| given.to_canonical(), str::to_string);
    let message = format!("`{shown}` is not a time: {problem}; the override counts as created last");
    let hint = "leave `creationTimestamp` out: the server sets it";
    let finding = Diagnostic::warning(Code::BadTime, message).of(&document.identity);
    out.push(finding.at(Pointer::of(path)).hint(hint));
    None
}

fn definitions(list: Option<&Value>, spec: &JsonPath) -> Result<Vec<Text>, Error> {
    let at = spec.key("pluginDefinitionNames");
    let items = match list.unwrap_or(&Value::Null) {
        Value::Null => return Ok(Vec::new()),
        Value::List(items) => items,
        other => return Err(at.wrong_type("a list of names", other)),
    };
    let name = |(index, item): (usize, &Value)| match item {
        Value::Text(name) => Ok(name.clone()),
        other => Err(at.index(index).wrong_type("a name", other)),
    };
    items.iter().enumerate().map(name).collect()
}

/// Two entries of one PluginOverride that contradict each other.
fn conflict(list: Option<&Value>, mode: Mode, spec: &JsonPath) -> Option<Error> {
    let Contradiction { message, index } = contradiction(list?, mode)?;
    let message = format!("{message}, so the whole PluginOverride is refused");
    let error = Error::new(Code::ConflictingOverride, message).at(spec.key("overrides").index(index));
    Some(error.hint("remove one of them"))
}

/// Reports overrides in the lists of other documents that contradict each other. The last one counts where the document
/// is loaded, and a hub should not take it.
pub fn contradictions(document: &Document, out: &mut Vec<Diagnostic>) {
    let spec = JsonPath::ROOT.key("spec");
    let mut report = |list: Option<&Value>, at: &JsonPath| {
        if let Some(Contradiction { message, index }) = list.and_then(|it| contradiction(it, Mode::Strict)) {
            let finding = Diagnostic::error(Code::ConflictingOverride, message).of(&document.identity);
            out.push(finding.at(at.index(index).pointer()).hint("remove one of them"));
        }
    };
    report(document.value.at(&["spec", "pluginOverrides"]), &spec.key("pluginOverrides"));
    let clusters = document.value.at(&["spec", "clusterOptionOverrides"]).and_then(Value::as_list);
    for (index, entry) in clusters.into_iter().flatten().enumerate() {
        report(entry.get("overrides"), &spec.key("clusterOptionOverrides").index(index).key("overrides"));
    }
}

struct Contradiction {
    message: String,
    /// The entry that contradicts an earlier one.
    index: usize,
}

/// An entry of a list, and how deep its option lies.
struct Entry<'v> {
    index: usize,
    depth: usize,
    name: &'v str,
    item: &'v Value,
}

/// Two entries of a list that contradict each other:
///
/// 1. They set one option to different things.
/// 2. One sets an option and the other a parent of it, to something else there. In compat mode options are matched by
///    name, so this is allowed.
fn contradiction(list: &Value, mode: Mode) -> Option<Contradiction> {
    let says = |item: &Value| ["value", "valueFrom", "expression"].map(|key| item.get(key).cloned());
    let mut seen: SortedMap<&str, &Value> = SortedMap::new();
    let mut places: SortedMap<Vec<OptionStep>, Vec<Entry>> = SortedMap::new();
    for (index, item) in list.as_list()?.iter().enumerate() {
        let Some(name) = item.get("path").or(item.get("name")).and_then(Value::as_text) else { continue };
        match seen.get(name) {
            Some(earlier) if says(earlier) != says(item) => {
                return Some(Contradiction { message: format!("`{name}` is set twice, to different values"), index });
            }
            Some(_) => continue,
            None => drop(seen.insert(name, item)),
        }
        let Ok(place) = OptionPath::parse(name) else { continue };
        let steps = place.steps();
        let parents = (1..steps.len()).filter_map(|depth| places.get(steps.get(..depth)?));
        let children = places.iter_from(steps).take_while(|(it, _)| it.starts_with(steps));
        let children = children.filter(|(it, _)| it.len() > steps.len()).map(|(_, entries)| entries);
        let excludes = |it: &&Entry| {
            let (parent, child) = if it.depth < steps.len() { (it.item, item) } else { (item, it.item) };
            !holds(parent, child, [it.name, name])
        };
        let related = parents.chain(children).flatten().filter(|_| mode == Mode::Strict);
        if let Some(other) = related.filter(excludes).min_by_key(|it| it.index) {
            let (parent, child) = if other.depth < steps.len() { (other.name, name) } else { (name, other.name) };
            let message = format!("`{parent}` and `{child}` below it are both set, and contradict each other");
            return Some(Contradiction { message, index });
        }
        let entry = Entry { index, depth: steps.len(), name, item };
        places.entry(steps.to_vec()).or_default().push(entry);
    }
    None
}

/// Whether the value of a parent has the value of a child at the child's place.
fn holds(parent: &Value, child: &Value, names: [&str; 2]) -> bool {
    let [Ok(a), Ok(b)] = names.map(OptionPath::parse) else { return false };
    let (short, long) = if a.steps().len() < b.steps().len() { (a, b) } else { (b, a) };
    let rest = long.steps().get(short.steps().len()..).unwrap_or_default();
    let inside = parent.get("value").and_then(|it| project(it, rest));
    inside.is_some() && inside == child.get("value")
}
