//! The defaults that Greenhouse's webhooks add to a document before it is stored.
//!
//! Only missing fields are added. Values that Greenhouse would overwrite or remove do not change, nor does the order of
//! lists, so adding defaults is idempotent.

use std::sync::Arc;

use super::definition::{Definition, OptionType, Wanted, catalog_parts};
use super::entries::entry;
use super::inject::{self, OWNED_BY_LABEL, STRIPPED};
use super::{CLUSTER, CLUSTER_DEFINITION, DEFINITION, GROUP, ORGANIZATION, PLUGIN, PRESET, scope_of};
use crate::diagnostic::{Code, Diagnostic, Error, Severity};
use crate::engine::fold::{Setting, Source};
use crate::engine::select::Cluster;
use crate::object::document::Document;
use crate::value::JsonPath;
use crate::value::collections::{SortedMap, SortedSet};
use crate::value::path::Pointer;
use crate::value::{Text, Value};
use crate::workspace::admit::defaults::Filled;
use crate::workspace::store::View;

const TEAM_ROLE_BINDING: &str = "TeamRoleBinding";

const CLUSTER_LABEL: &str = "greenhouse.sap/cluster";
const DEFINITION_LABEL: &str = "greenhouse.sap/plugindefinition";
const CLUSTER_DEFINITION_LABEL: &str = "greenhouse.sap/clusterplugindefinition";

/// One thing that is added to the documents of a kind.
struct Row {
    kind: &'static str,
    at: &'static [&'static str],
    gives: Gives,
}

enum Gives {
    /// The value of a field that is missing or empty.
    Field(fn(&DefaultsContext) -> Option<Text>),
    /// What a list lacks.
    Items(fn(&DefaultsContext) -> Vec<Value>),
}

const fn field(kind: &'static str, at: &'static [&'static str], gives: fn(&DefaultsContext) -> Option<Text>) -> Row {
    Row { kind, at, gives: Gives::Field(gives) }
}

const fn items(kind: &'static str, at: &'static [&'static str], gives: fn(&DefaultsContext) -> Vec<Value>) -> Row {
    Row { kind, at, gives: Gives::Items(gives) }
}

/// In the order in which it is added.
const ROWS: &[Row] = &[
    field(CLUSTER, &["metadata", "labels", CLUSTER_LABEL], |it| it.name.clone()),
    field(ORGANIZATION, &["spec", "displayName"], |it| it.readable_name()),
    field(PLUGIN, &["spec", "pluginDefinitionRef", "kind"], |it| it.kind_of_definition()),
    field(PLUGIN, &["metadata", "labels", CLUSTER_LABEL], |it| Some(it.says(&["spec", "clusterName"]).into())),
    field(PLUGIN, &["metadata", "labels", DEFINITION_LABEL], |it| it.definition_of(DEFINITION)),
    field(PLUGIN, &["metadata", "labels", CLUSTER_DEFINITION_LABEL], |it| it.definition_of(CLUSTER_DEFINITION)),
    field(PLUGIN, &["spec", "displayName"], |it| it.readable_name()),
    items(PLUGIN, &["spec", "optionValues"], |it| it.missing_options()),
    field(PLUGIN, &["spec", "releaseNamespace"], |it| it.release_namespace()),
    field(PLUGIN, &["spec", "releaseName"], |it| it.release_name()),
    field(PRESET, &["spec", "plugin", "pluginDefinitionRef", "kind"], |it| it.kind_of_definition()),
    field(PRESET, &["metadata", "labels", DEFINITION_LABEL], |it| it.definition_of(DEFINITION)),
    field(PRESET, &["metadata", "labels", CLUSTER_DEFINITION_LABEL], |it| it.definition_of(CLUSTER_DEFINITION)),
    items(TEAM_ROLE_BINDING, &["spec", "teamRefs"], |it| it.missing_team()),
];

/// Where a kind names the definition of its plugin.
const REFERENCES: &[(&str, &[&str])] = &[(PLUGIN, &["spec"]), (PRESET, &["spec", "plugin"])];

/// Whether anything is ever added to documents of a kind.
pub fn has_defaults(group: &str, kind: &str) -> bool {
    group == GROUP && ROWS.iter().any(|it| it.kind == kind)
}

/// Adds the missing defaults to an object, in the order of the rows.
///
/// # Errors
///
/// A value around a missing one has the wrong type.
pub fn fill(
    view: View,
    object: Value,
    document: &Document,
    at: &JsonPath,
    out: &mut Vec<Diagnostic>,
) -> Result<Filled, Error> {
    let kind = document.identity.kind.as_str();
    let given = DefaultsContext::read(view, &object, document, out);
    let rows = ROWS.iter().filter(|it| it.kind == kind);
    let gifts: Vec<(&[&str], Gift)> = rows.map(|row| (row.at, Gift::of(row, &given))).collect();
    let mut filled = Filled { object, added: Vec::new() };
    for (path, gift) in gifts {
        add(&mut filled, path, gift, at)?;
    }
    Ok(filled)
}

enum Gift {
    Field(Option<Text>),
    Items(Vec<Value>),
}

impl Gift {
    fn of(row: &Row, given: &DefaultsContext) -> Gift {
        match row.gives {
            Gives::Field(value) => Gift::Field(value(given)),
            Gives::Items(values) => Gift::Items(values(given)),
        }
    }
}

fn add(filled: &mut Filled, path: &[&str], gift: Gift, at: &JsonPath) -> Result<(), Error> {
    let is_missing = |it: Option<&Value>| it.is_none_or(Value::is_null);
    let value = match gift {
        Gift::Field(Some(value)) => {
            let there = filled.object.at(path);
            // To Greenhouse an empty text is none.
            let is_empty = there.and_then(Value::as_text) == Some("") && !value.is_empty();
            if !is_missing(there) && !is_empty {
                return Ok(());
            }
            Value::from(value)
        }
        Gift::Items(items) if !items.is_empty() => {
            if !is_missing(filled.object.at(path)) {
                return append(filled, path, items, at);
            }
            Value::list(items)
        }
        Gift::Field(None) | Gift::Items(_) => return Ok(()),
    };
    put(filled, path, value, at)
}

/// Puts a value into the innermost map that is there, with the maps around it that are not.
fn put(filled: &mut Filled, path: &[&str], value: Value, at: &JsonPath) -> Result<(), Error> {
    let is_there = |end: &usize| path.get(..*end).and_then(|it| filled.object.at(it)).is_some_and(|it| !it.is_null());
    let depth = (1..path.len()).rev().find(is_there).unwrap_or(0);
    let Some((holder, [first, inner @ ..])) = path.split_at_checked(depth) else { return Ok(()) };
    let value = inner.iter().rev().fold(value, |value, step| Value::map([(*step, value)]));
    let place = Pointer::of(holder.iter().copied());
    let holder = holder.iter().try_fold(&mut filled.object, |value, step| value.get_mut(step));
    match holder {
        Some(Value::Map(map)) => drop(Arc::make_mut(map).insert(*first, value.clone())),
        Some(other) => return Err(wrong_type(&place, "a map", other, at)),
        None => return Ok(()),
    }
    filled.added.push((place.child(*first), value));
    Ok(())
}

fn append(filled: &mut Filled, path: &[&str], items: Vec<Value>, at: &JsonPath) -> Result<(), Error> {
    let place = Pointer::of(path.iter().copied());
    let list = path.iter().try_fold(&mut filled.object, |value, step| value.get_mut(step));
    match list {
        Some(Value::List(list)) => {
            for item in items {
                filled.added.push((place.child(list.len().to_string()), item.clone()));
                Arc::make_mut(list).push(item);
            }
            Ok(())
        }
        Some(other) => Err(wrong_type(&place, "a list", other, at)),
        None => Ok(()),
    }
}

fn wrong_type(place: &Pointer, wanted: &str, found: &Value, at: &JsonPath) -> Error {
    let message = format!("`{place}` must be {wanted}, not {}", found.kind());
    Error::new(Code::WrongType, message).at(at.pointer().join(place))
}

/// What is known of an object that something is added to.
struct DefaultsContext<'a> {
    view: View<'a>,
    object: &'a Value,
    document: &'a Document,
    /// Nothing where the server makes it up later.
    name: Option<Text>,
    /// The definition that is named, and the one that is meant, as far as it is loaded.
    wanted: Option<Wanted>,
    definition: Option<&'a Document>,
}

impl<'a> DefaultsContext<'a> {
    fn read(
        view: View<'a>,
        object: &'a Value,
        document: &'a Document,
        out: &mut Vec<Diagnostic>,
    ) -> DefaultsContext<'a> {
        let identity = &document.identity;
        let made_up = object.text_at(&["metadata", "name"]).is_empty()
            && object.text_at(&["metadata", "generateName"]) == identity.name;
        let name = Some(identity.name.clone()).filter(|_| !made_up);
        let reference = REFERENCES.iter().find(|(kind, _)| *kind == identity.kind).map(|(_, path)| *path);
        let wanted = reference.and_then(|path| {
            let spec = JsonPath::ROOT.key("spec");
            let plugin = spec.key("plugin");
            let holder = if path.len() > 1 { &plugin } else { &spec };
            let template = object.at(path).unwrap_or(&Value::Null);
            let wanted = Wanted::read(document, template, holder, &mut Vec::new());
            wanted.map_err(|error| out.push(error.into_diagnostic(Severity::Warning).of(identity))).ok()
        });
        let definition = wanted.as_ref().and_then(|it| it.candidates.iter().find_map(|it| view.store.document(it)));
        if let (PLUGIN, Some(wanted), None) = (identity.kind.as_str(), &wanted, definition) {
            out.push(wanted.unknown(view, identity, "its defaults are not added"));
        }
        DefaultsContext { view, object, document, name, wanted, definition }
    }

    fn says(&self, path: &[&str]) -> &'a str {
        self.object.text_at(path)
    }

    fn readable_name(&self) -> Option<Text> {
        let name = self.name.as_ref()?.replace('-', " ");
        Some(Text::from(name.trim())).filter(|it| !it.is_empty())
    }

    /// The older form has no kind.
    fn kind_of_definition(&self) -> Option<Text> {
        let [only] = self.wanted.as_ref()?.candidates.as_slice() else { return None };
        Some(only.kind.clone())
    }

    /// The name of the definition, if it is of a kind.
    fn definition_of(&self, kind: &str) -> Option<Text> {
        let wanted = self.wanted.as_ref()?;
        let its_kind = self.kind_of_definition().or_else(|| self.definition.map(|it| it.identity.kind.clone()));
        its_kind.filter(|it| it == kind).map(|_| wanted.name.clone())
    }

    /// The unset options that have a default or that Greenhouse sets itself.
    fn missing_options(&self) -> Vec<Value> {
        let (Some(document), Some(wanted)) = (self.definition, &self.wanted) else { return Vec::new() };
        let (view, identity) = (self.view, &self.document.identity);
        let mode = view.settings.mode;
        let definition = Definition::read(document, &mut Vec::new());
        let secrets = definition.options.iter().filter(|it| it.takes == OptionType::Secret);
        let secrets: SortedSet<&Text> = secrets.map(|it| &it.name).collect();
        // By name, as Greenhouse sorts them; of a Catalog's value and the definition's the former counts.
        let mut defaults: SortedMap<&Text, &Source> = SortedMap::new();
        let parts = catalog_parts(view, &identity.namespace, &wanted.name, mode, &mut Vec::new());
        let layers = std::iter::once(&definition.defaults).chain(&parts);
        for Setting { path, source, .. } in layers.flat_map(|it| &it.layer.set) {
            let is_secret = secrets.contains(path);
            if matches!(source, Source::Value(_)) && !is_secret && !STRIPPED.contains(&path.as_str()) {
                defaults.insert(path, source);
            }
        }
        let scope = scope_of(&identity.namespace);
        let name = self.says(&["spec", "clusterName"]);
        let known = view.store.fleet(&scope).and_then(|it| it.get(name)).cloned();
        let cluster = known.unwrap_or_else(|| Cluster { name: name.into(), ..Cluster::default() });
        let per_cluster = inject::per_cluster(&scope, &cluster);
        let owner = self.says(&["metadata", "labels", OWNED_BY_LABEL]);
        let injected = inject::layers(view, &Arc::new(identity.clone()), owner);
        let injected = injected.iter().flat_map(|it| &it.set).map(|it| (&it.path, &it.source));
        let injected = injected.chain(per_cluster.iter().map(|it| (&it.path, &it.source)));
        let mut set = self.set_options();
        let all = defaults.iter().map(|(path, source)| (*path, *source)).chain(injected);
        all.filter(|(path, _)| set.insert(path.as_str())).map(|(path, source)| entry(path, source)).collect()
    }

    /// The names of the options that are set, by whichever field names them.
    fn set_options(&self) -> SortedSet<&str> {
        let entries = self.object.at(&["spec", "optionValues"]).and_then(Value::as_list);
        let names = entries.into_iter().flatten().flat_map(|it| ["name", "path"].map(|key| it.text_at(&[key])));
        names.collect()
    }

    /// Nothing is released of a definition that is only for the dashboard.
    fn is_released(&self) -> bool {
        let has = |field: &str| {
            self.definition.is_some_and(|it| it.value.at(&["spec", field]).is_some_and(|it| !it.is_null()))
        };
        self.definition.is_some() && (has("helmChart") || !has("uiApplication"))
    }

    fn release_namespace(&self) -> Option<Text> {
        Some(self.document.identity.namespace.clone()).filter(|it| self.is_released() && !it.is_empty())
    }

    /// The name of the chart; of a plugin that was released before names were kept, its own.
    fn release_name(&self) -> Option<Text> {
        let is_old = self.object.at(&["status", "helmReleaseStatus"]).is_some_and(|it| !it.is_null());
        let chart = || self.definition.map(|it| it.value.text_at(&["spec", "helmChart", "name"]));
        let name = if is_old { self.name.clone() } else { chart().map(Text::from) };
        name.filter(|it| self.is_released() && !it.is_empty())
    }

    /// The team of the older form.
    fn missing_team(&self) -> Vec<Value> {
        let team = self.says(&["spec", "teamRef"]);
        let teams = self.object.at(&["spec", "teamRefs"]).and_then(Value::as_list);
        let is_listed = teams.into_iter().flatten().any(|it| it.as_text() == Some(team));
        if team.is_empty() || is_listed { Vec::new() } else { vec![team.into()] }
    }
}
