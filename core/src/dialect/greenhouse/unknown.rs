//! Clusters that the selector of a preset names, and that have no document in the organization.
//!
//! | named in | strict | compat |
//! |---|---|---|
//! | `clusterNames` | an error; until it is fixed, the preset deletes and releases no Plugin | a warning |
//! | `ignoreClusters`, `excludeList` | a warning | a warning |
//!
//! What a misspelled name means is unknown: the Plugin that seems to be no longer wanted may be the one of the cluster
//! that is meant. Greenhouse passes over unknown names.

use super::lint::unknown_cluster;
use crate::diagnostic::{Diagnostic, Mode, Severity};
use crate::object::document::Document;
use crate::value::path::Pointer;
use crate::value::suggest::Hints;
use crate::value::{JsonPath, Text, Value};
use crate::workspace::store::{Scope, View};

/// A cluster that a selector names.
#[derive(Debug)]
struct Named {
    name: Text,
    at: Pointer,
    /// Whether the selector leaves it out.
    is_ignored: bool,
}

/// The lists of names in a selector, and whether they leave clusters out.
const LISTS: &[(&str, bool)] = &[("clusterNames", false), ("excludeList", true), ("ignoreClusters", true)];

/// The findings about the clusters that the selector of a preset names and that are unknown.
pub fn unknown_clusters(view: View, preset: &Document, scope: &Scope, hints: &mut Hints) -> Vec<Diagnostic> {
    let (mut named, spec) = (Vec::new(), JsonPath::ROOT.key("spec"));
    if let Some(selector) = preset.value.at(&["spec", "clusterSelector"]) {
        collect(selector, &spec.key("clusterSelector"), &mut named);
    }
    let fleet = view.store.fleet(scope);
    let unknown = named.into_iter().filter(|it| view.store.cluster_document(scope, &it.name).is_none());
    let finding = |Named { name, at, is_ignored }: Named| {
        let finding = unknown_cluster(fleet, &name, hints).of(&preset.identity).at(at);
        if is_ignored || view.settings.mode == Mode::Compat {
            return finding;
        }
        let message = format!("{}, so the preset deletes no Plugin", finding.message);
        let hint = finding.hint.or_else(|| Some("create the Cluster, or remove the name from the list".to_owned()));
        Diagnostic { severity: Severity::Error, message, hint, ..finding }
    };
    unknown.map(finding).collect()
}

/// Adds the names in a selector, which may be a list of selectors.
fn collect(selector: &Value, at: &JsonPath, out: &mut Vec<Named>) {
    for (index, item) in selector.as_list().into_iter().flatten().enumerate() {
        collect(item, &at.index(index), out);
    }
    for (field, is_ignored) in LISTS {
        let names = selector.get(field).and_then(Value::as_list).into_iter().flatten().enumerate();
        let names = names.filter_map(|(index, it)| Some((index, it.as_text()?)));
        out.extend(names.map(|(index, name)| Named {
            name: name.into(),
            at: at.key(field).index(index).pointer(),
            is_ignored: *is_ignored,
        }));
    }
    // The form of KubeFed.
    let clusters = selector.get("clusters").and_then(Value::as_list).into_iter().flatten().enumerate();
    let clusters = clusters.filter_map(|(index, it)| Some((index, it.get("name")?.as_text()?)));
    out.extend(clusters.map(|(index, name)| Named {
        name: name.into(),
        at: at.key("clusters").index(index).key("name").pointer(),
        is_ignored: false,
    }));
}
