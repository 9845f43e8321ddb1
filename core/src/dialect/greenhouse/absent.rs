//! Plugins of clusters whose document is absent. A document may be deleted by mistake, moved or misspelled, and a pause
//! disappears with it, so its absence alone deletes nothing:
//!
//! 1. With the setting `leaving: orphan`, which is the default, the Plugin stays.
//! 2. With `leaving: delete` it is deleted, unless the hub still has the credentials of the cluster: the Secret of its
//!    name.
//! 3. In compat mode it is deleted, as Greenhouse does.

use super::Quirk;
use crate::diagnostic::{Code, Diagnostic};
use crate::object::document::Identity;
use crate::workspace::observed::{HUB, Observation};
use crate::workspace::plan::{Planner, Target};
use crate::workspace::settings::Leaving;
use crate::workspace::store::{Scope, View};

/// Why the Plugin of a cluster stays whose document is absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stays {
    /// Clusters that leave keep their Plugins.
    Orphaned,
    /// The credentials of the cluster are there.
    HasCredentials,
    /// It is unknown whether they are.
    Unknown,
}

/// Why the Plugin of a cluster stays after the document of the cluster is absent. `None`: it is deleted.
pub fn stays(view: View, scope: &Scope, cluster: &str) -> Option<Stays> {
    if Quirk::DeletesUnknown.is_kept(view.settings.mode) {
        return None;
    }
    match (view.settings.leaving, view.store.observation(HUB, &credentials(scope, cluster).identity())) {
        (Leaving::Orphan, _) => Some(Stays::Orphaned),
        (Leaving::Delete, Observation::Present(_)) => Some(Stays::HasCredentials),
        (Leaving::Delete, Observation::Unknown) => Some(Stays::Unknown),
        (Leaving::Delete, Observation::Absent) => None,
    }
}

/// The same in a plan, which looks for the credentials where they decide.
pub fn stays_in_plan(view: View, scope: &Scope, cluster: &str, planner: &mut Planner) -> Option<Stays> {
    if view.store.cluster_document(scope, cluster).is_some() {
        return None;
    }
    let stays = stays(view, scope, cluster);
    if stays == Some(Stays::Unknown) {
        planner.look(HUB, &credentials(scope, cluster));
    }
    stays
}

/// Greenhouse keeps the kubeconfig of a cluster in the Secret of its name.
fn credentials(scope: &Scope, cluster: &str) -> Target {
    Target { api_version: "v1".into(), kind: "Secret".into(), namespace: scope.namespace.clone(), name: cluster.into() }
}

/// Reports the Plugins that stay, those of one reason together.
pub fn report(kept: &[(Stays, String)], subject: &Identity, planner: &mut Planner) {
    for reason in [Stays::Orphaned, Stays::HasCredentials] {
        let names: Vec<String> =
            kept.iter().filter(|(it, _)| *it == reason).map(|(_, name)| format!("`{name}`")).collect();
        if names.is_empty() {
            continue;
        }
        let (clusters, plugins) = match names.len() {
            1 => ("cluster", "its Plugin stays"),
            _ => ("clusters", "their Plugins stay"),
        };
        let (why, hint) = match reason {
            Stays::HasCredentials => (
                "has no document and still has credentials",
                "restore the Cluster, or delete the Secret of its name if the cluster has left",
            ),
            _ => (
                "has no document",
                "restore the Cluster; if the cluster has left, delete the Plugin, or configure `leaving: delete`",
            ),
        };
        let message = format!("the {clusters} {} {}, so {plugins}", names.join(", "), plural(why, names.len()));
        planner.steps.diagnostics.push(Diagnostic::warning(Code::UnknownCluster, message).of(subject).hint(hint));
    }
}

fn plural(verbs: &str, count: usize) -> String {
    if count == 1 { verbs.into() } else { verbs.replace("has", "have") }
}
