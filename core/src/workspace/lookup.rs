//! Finds the subjects, clusters and results that a request names.

use crate::diagnostic::{Code, Error};
use crate::engine::fold::with_per_cluster;
use crate::engine::rendered::{Rendered, RenderedObject};
use crate::engine::select::Cluster;
use crate::object::document::{Identity, Reference};
use crate::value::collections::SortedSet;
use crate::value::suggest::did_you_mean;
use crate::value::{JsonPath, Text};
use crate::workspace::Workspace;
use crate::workspace::results::SubjectEntry;
use crate::workspace::store::{Store, View};
use crate::workspace::targets::Targets;

/// The subject that a reference names. Results must be refreshed.
///
/// # Errors
///
/// There is no such document, or it produces no results.
pub fn subject_named(workspace: &Workspace, text: &str, at: &JsonPath) -> Result<Identity, Error> {
    let found = Reference::parse(text).and_then(|it| workspace.store.find(&it)).map_err(|error| error.at(at))?;
    if workspace.results.get(&found.identity).is_none() {
        let message = format!("`{text}` produces no results");
        let hint = format!(
            "`what-if --remove {text}` shows what it does; subjects are a PluginPreset, Plugin, ManagedClusterSet, \
             Placement, federated object, OperatorVersion or CertManagerDeployment of a dialect that is configured"
        );
        return Err(Error::new(Code::NotASubject, message).at(at).hint(hint));
    }
    Ok(found.identity.clone())
}

/// The cluster of this name in the fleet of a subject.
///
/// # Errors
///
/// The fleet does not have it, or the subject cannot be read.
pub fn cluster_named(store: &Store, entry: &SubjectEntry, name: &Text, at: &JsonPath) -> Result<Cluster, Error> {
    let subject = entry.subject().map_err(Error::clone)?;
    match subject.targets() {
        Targets::Hub if name.is_empty() => Ok(Cluster::default()),
        Targets::Hub => {
            let message = format!("the objects of this subject are on the hub, so it has no cluster `{name}`");
            Err(Error::new(Code::UnknownCluster, message)
                .at(at)
                .hint("its results are those of the hub, whose name is empty: `_hub` on the command line"))
        }
        Targets::Fleet(scope, _) => store.fleet(scope).and_then(|fleet| fleet.get(name)).cloned().ok_or_else(|| {
            let fleet = store.fleet(scope);
            let known = fleet.iter().flat_map(|fleet| fleet.clusters().map(|it| it.name.as_str()));
            let error =
                Error::new(Code::UnknownCluster, format!("there is no cluster `{name}` in the subject's fleet"));
            error.at(at).maybe_hint(did_you_mean(name, known))
        }),
    }
}

/// The result of one cluster, with the options that name it.
///
/// # Errors
///
/// There is no such cluster, it gets nothing from the subject, or its result cannot be computed.
pub fn result_of(store: &Store, entry: &SubjectEntry, name: &Text, at: &JsonPath) -> Result<Rendered, Error> {
    let cluster = cluster_named(store, entry, name, at)?;
    let Some(cluster_result) = entry.cluster_results().get(name) else {
        let message = format!("the cluster `{name}` gets nothing from the subject");
        return Err(Error::new(Code::NotSelected, message).at(at).hint("`explain` without a path shows why"));
    };
    let mut rendered = Rendered::clone(cluster_result.rendered.as_ref().map_err(|error| Error::clone(error))?);
    let subject = entry.subject().map_err(Error::clone)?;
    let per_cluster = subject.per_cluster_options(View { store, now: None }, &cluster);
    rendered.options = rendered.options.map(|folded| with_per_cluster(&folded, &per_cluster));
    Ok(rendered)
}

/// The documents that references name.
///
/// # Errors
///
/// One of them names none, or several.
pub fn documents_named(workspace: &Workspace, refs: &[Text], at: &JsonPath) -> Result<SortedSet<Identity>, Error> {
    let mut named = SortedSet::new();
    for (index, text) in refs.iter().enumerate() {
        let found = Reference::parse(text).and_then(|it| workspace.store.find(&it).map(|it| it.identity.clone()));
        named.insert(found.map_err(|error| error.at(at.index(index)))?);
    }
    Ok(named)
}

impl Rendered {
    /// The object of this name, or the only one.
    ///
    /// # Errors
    ///
    /// There are several, and none is named.
    pub fn object(&self, name: Option<&Text>, at: &JsonPath) -> Result<Option<&RenderedObject>, Error> {
        let named = |it: &&RenderedObject| {
            name.is_none_or(|name| Identity::of(&it.object).is_ok_and(|it| it.to_string() == **name))
        };
        let mut found = self.objects.iter().filter(named);
        match (found.next(), found.next()) {
            (Some(_), Some(_)) => {
                let names = self.objects.iter().filter_map(|it| Identity::of(&it.object).ok()).map(|it| it.to_string());
                let error = Error::new(Code::AmbiguousObject, "the subject gives several objects, and none is named");
                Err(error.at(at).hint(format!("one of: {}", names.collect::<Vec<_>>().join(", "))))
            }
            (one, _) => Ok(one),
        }
    }
}
