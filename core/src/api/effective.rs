//! `effective`: the result of each cluster for a subject; equal results form one group.

mod layer_list;
mod sources;

pub use layer_list::LayerList;

use serde::{Deserialize, Serialize};

use super::clusters::SetAnswer;
use super::fold::{OptionAnswer, redact_parts};
use super::place::{PlaceAnswer, split};
use super::plan::timestamp;
use super::retain::RetainedField;
use super::{Op, Refusal};
use crate::diagnostic::{Diagnostic, Error};
use crate::engine::fold::{Effective as EffectiveOption, Folded, LayerValue, with_per_cluster};
use crate::engine::rendered::{Fate, LocalField, RenderedObject};
use crate::object::document::Identity;
use crate::object::redacted::Redacted;
use crate::object::secrets;
use crate::value::collections::{SortedMap, SortedSet};
use crate::value::path::Pointer;
use crate::value::{JsonPath, MaybeAbsent, Text};
use crate::workspace::Workspace;
use crate::workspace::compare::setter;
use crate::workspace::grouping::group;
use crate::workspace::lint::place;
use crate::workspace::lookup::{cluster_named, subject_named};
use crate::workspace::results::ClusterResult;
use crate::workspace::store::{Store, View};
use layer_list::Chains;
use sources::Sources;

/// The result of each cluster for a subject.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Effective {
    /// The subject: a PluginPreset, a federated object, a Placement and so on.
    pub subject: Text,
    /// Only these clusters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clusters: Option<Vec<Text>>,
    /// Also return the origin of every value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origins: Option<bool>,
    /// The time, in RFC 3339; without it, anything that depends on the time is decided as if the time had not come.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<Text>,
    /// Include the contents of Secrets; only for writing objects to files or clusters. Origins stay redacted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reveal: Option<bool>,
}

/// By first cluster.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EffectiveAnswer {
    pub results: Vec<ResultAnswer>,
    /// Of a ManagedClusterSet: how it selects clusters, and who may use it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set: Option<SetAnswer>,
    pub subject: String,
}

/// The result of some clusters, which is the same for all of them.
#[derive(Clone, Debug, Default, PartialEq, Hash, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResultAnswer {
    pub clusters: Vec<Text>,
    /// Why there is no result for these clusters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Refusal>,
    /// Of a placement: the decision group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<GroupAnswer>,
    /// These clusters keep their last state: an error among the diagnostics prevents a plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub objects: Option<Vec<ProductAnswer>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub options: Option<Vec<OptionAnswer>>,
    /// For each option the layers that set it, winner first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origins: Option<SortedMap<Text, Vec<LayerAnswer>>>,
    /// Options that differ inside the group because they name the cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own: Option<SortedMap<Text, Vec<OptionAnswer>>>,
    /// The tree that Helm would get; references are left out.
    #[serde(default, skip_serializing_if = "MaybeAbsent::is_absent")]
    pub values: MaybeAbsent<Redacted>,
}

/// A decision group of a placement.
#[derive(Clone, Debug, PartialEq, Hash, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GroupAnswer {
    pub index: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Text>,
}

/// A desired object of a cluster.
#[derive(Clone, Debug, PartialEq, Hash, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProductAnswer {
    /// The place of the object before layers: values without an entry in `origins` come from there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<PlaceAnswer>,
    /// Fields of the live object that this object does not have, and that others set or may have set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local: Option<Vec<LocalAnswer>>,
    pub object: Redacted,
    /// By JSON pointer the layers that set a value, and retained values, winner first.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<SortedMap<Text, Vec<LayerAnswer>>>"))]
    pub origins: Option<SortedMap<Text, LayerList>>,
    /// The values retained from the live object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retained: Option<Vec<RetainedField>>,
    pub wave: i64,
}

/// A field of a live object that the desired object does not have.
#[derive(Clone, Debug, PartialEq, Hash, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LocalAnswer {
    /// The field managers that set it; none where that is unknown.
    pub managers: Vec<Text>,
    /// Where it is in the live object, as a JSON pointer.
    pub path: Text,
    /// Whether the next update keeps it.
    pub stays: bool,
    /// Why it stays or goes.
    pub why: Text,
}

/// The value of one layer, and its place.
#[derive(Clone, Debug, PartialEq, Hash, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct LayerAnswer {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<Text>,
    pub layer: Text,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<Pointer>,
    #[serde(default, skip_serializing_if = "MaybeAbsent::is_absent")]
    pub value: MaybeAbsent<Redacted>,
    #[serde(default, skip_serializing_if = "MaybeAbsent::is_absent")]
    pub value_from: MaybeAbsent<Redacted>,
    /// The option that the layer sets, if it is a parent of this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub via: Option<Text>,
}

impl Op for Effective {
    const NAME: &'static str = "effective";
    type Answer = EffectiveAnswer;

    fn answer(self, workspace: &mut Workspace, out: &mut Vec<Diagnostic>) -> Result<EffectiveAnswer, Error> {
        workspace.refresh(timestamp(self.now.as_deref())?);
        let identity = subject_named(workspace, &self.subject, &JsonPath::ROOT.key("subject"))?;
        let Workspace { store, results, .. } = workspace;
        let Some(entry) = results.get(&identity) else {
            return Ok(EffectiveAnswer { subject: identity.to_string(), set: None, results: Vec::new() });
        };
        let subject = entry.subject().map_err(Error::clone)?;
        for (index, name) in self.clusters.iter().flatten().enumerate() {
            cluster_named(store, entry, name, &JsonPath::ROOT.key("clusters").index(index))?;
        }
        out.extend(entry.diagnostics().iter().cloned());
        let picked: Vec<(&Text, &ClusterResult)> = match &self.clusters {
            None => entry.cluster_results().iter().collect(),
            // Each is looked up: a few clusters of a large fleet must not cost the fleet.
            Some(names) => {
                let names: SortedSet<&Text> = names.iter().collect();
                names.into_iter().filter_map(|name| entry.cluster_results().get_key_value(name)).collect()
            }
        };
        let per_cluster = |name: &Text| {
            let cluster = cluster_named(store, entry, name, &JsonPath::ROOT).unwrap_or_default();
            subject.per_cluster_options(View { store, now: None }, &cluster)
        };
        let mut view = ResultView {
            shows_origins: self.origins.unwrap_or(false),
            reveals: self.reveal.unwrap_or(false),
            sources: Sources::new(store),
            chains: Chains::default(),
            store,
            findings: Vec::new(),
        };
        let groups = group(picked.into_iter(), |result, clusters| {
            let per_cluster = clusters
                .iter()
                .map(|name| ((*name).clone(), per_cluster(name)))
                .filter(|(_, per_cluster)| !per_cluster.is_empty());
            view.result(result, &per_cluster.collect())
        });
        for finding in view.findings {
            if !out.contains(&finding) {
                out.push(finding);
            }
        }
        out.iter_mut().for_each(|it| place(it, store));
        let results = groups.into_iter().map(|(clusters, result)| ResultAnswer { clusters, ..result }).collect();
        let set = SetAnswer::of_document(store, &identity);
        Ok(EffectiveAnswer { subject: identity.to_string(), set, results })
    }
}

type PerClusterOptions = SortedMap<Text, Vec<EffectiveOption>>;

/// Turns results into answers.
struct ResultView<'a> {
    shows_origins: bool,
    /// Whether the contents of Secrets are shown.
    reveals: bool,
    store: &'a Store,
    sources: Sources<'a>,
    chains: Chains,
    findings: Vec<Diagnostic>,
}

impl ResultView<'_> {
    /// The answer for a result, without the names of its clusters.
    fn result(&mut self, result: &ClusterResult, per_cluster: &PerClusterOptions) -> ResultAnswer {
        let rendered = match &result.rendered {
            Ok(rendered) => rendered,
            Err(error) => return ResultAnswer { error: Some(Refusal::from(&**error)), ..ResultAnswer::default() },
        };
        self.findings.extend(rendered.diagnostics.iter().cloned());
        if self.shows_origins {
            self.sources.learn(rendered);
        }
        let mut answer = ResultAnswer {
            group: rendered
                .group
                .as_ref()
                .map(|it| GroupAnswer { name: Some(it.name.clone()).filter(|it| !it.is_empty()), index: it.index }),
            kept: rendered.error().map(|_| true),
            ..ResultAnswer::default()
        };
        if let Some(folded) = &rendered.options {
            let folded =
                if self.reveals { with_single_cluster(folded, per_cluster) } else { single(folded, per_cluster) };
            let shown = folded.clone().without(&rendered.concealed);
            answer.origins = self.shows_origins.then(|| option_origins(&shown, self.store));
            let folded = if self.reveals { folded } else { shown };
            answer.options = Some(folded.options.into_iter().map(|it| self.option(it)).collect());
            answer.values = MaybeAbsent(Some(Redacted::revealing_if(self.reveals, folded.values)));
        }
        if per_cluster.len() > 1 {
            let options =
                |per_cluster: &Vec<EffectiveOption>| per_cluster.iter().map(|it| self.option(it.clone())).collect();
            answer.own =
                Some(per_cluster.iter().map(|(name, per_cluster)| (name.clone(), options(per_cluster))).collect());
        }
        if !rendered.objects.is_empty() {
            let objects = rendered.objects.iter().map(|it| self.object(it, &rendered.local));
            answer.objects = Some(objects.collect());
        }
        answer
    }

    fn option(&self, option: EffectiveOption) -> OptionAnswer {
        OptionAnswer::of(option, self.reveals)
    }

    fn object(&mut self, rendered: &RenderedObject, local: &[LocalField]) -> ProductAnswer {
        let RenderedObject { object, base, origins, retained, wave } = rendered;
        let origins = self.shows_origins.then(|| self.chains.answer(object, origins, &self.sources));
        let identity = if local.is_empty() { None } else { Identity::of(object).ok() };
        let local = local.iter().filter(|it| identity.as_ref() == Some(&*it.object)).map(LocalAnswer::of);
        ProductAnswer {
            local: Some(local.collect::<Vec<_>>()).filter(|it| !it.is_empty()),
            object: Redacted::revealing_if(self.reveals, object.clone()),
            base: Some(PlaceAnswer::of(self.store.locate(base))),
            origins,
            retained: Some(RetainedField::list(retained)).filter(|it| !it.is_empty()),
            wave: *wave,
        }
    }
}

impl LocalAnswer {
    fn of(field: &LocalField) -> LocalAnswer {
        LocalAnswer {
            managers: field.change.managers.clone(),
            path: field.change.path.to_text(),
            stays: field.fate != Fate::Overwritten,
            why: Text::new_static(field.fate.text()),
        }
    }
}

/// The options of one cluster, including its per-cluster options; of several clusters, the shared options.
fn with_single_cluster(folded: &Folded, per_cluster: &PerClusterOptions) -> Folded {
    match per_cluster.values().next() {
        Some(only) if per_cluster.len() == 1 => with_per_cluster(folded, only),
        _ => folded.clone(),
    }
}

/// The same without the contents of Secrets.
fn single(folded: &Folded, per_cluster: &PerClusterOptions) -> Folded {
    let mut folded = with_single_cluster(folded, per_cluster);
    if secrets::holds_secret(&folded.values) {
        redact_parts(&mut folded);
    }
    folded
}

fn option_origins(folded: &Folded, store: &Store) -> SortedMap<Text, Vec<LayerAnswer>> {
    let layer = |origin: &LayerValue| {
        let cause = setter(origin);
        let at = cause.origin.as_ref().map(|it| store.locate(it)).unwrap_or_default();
        let (value, value_from) = split(origin.source.clone());
        LayerAnswer {
            layer: cause.layer,
            document: at.document.map(Text::from),
            path: at.path,
            file: at.file.map(Text::from),
            line: at.place.map(|it| it.line.into()),
            column: at.place.map(|it| it.column.into()),
            value,
            value_from,
            via: origin.via.clone(),
        }
    };
    folded.origins.iter().map(|(path, chain)| (path.clone(), chain.iter().map(layer).collect())).collect()
}
