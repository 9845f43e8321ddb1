//! `select`: which clusters a selector picks.

use serde::{Deserialize, Serialize};

use super::Op;
use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Diagnostic, Error};
use crate::engine::Upstream;
use crate::engine::select::{Cluster, Selector, explain, mentioned, selects};
use crate::object::labels::Labels;
use crate::value::JsonPath;
use crate::value::collections::SortedSet;
use crate::value::index_text;
use crate::value::path::Pointer;
use crate::value::sorting::sort_by;
use crate::value::suggest::did_you_mean;
use crate::value::{Map, Text, Value};
use crate::workspace::Workspace;

/// Which clusters a selector picks.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Select {
    /// A label selector object, a string in kubectl's `-l` syntax, a Greenhouse cluster selector, a KubeFed placement,
    /// a ManagedClusterSet document, or a list of them (any of). An empty one picks all, null picks none.
    pub selector: Value,
    /// The fleet to pick from.
    pub clusters: Vec<ClusterInput>,
    /// Also say of each cluster why it is in or out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<bool>,
    /// `compat`: the answer of `dialect`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// In compat mode, which original; only `karmada` makes a difference, with its cluster affinities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dialect: Option<Upstream>,
}

/// A cluster to pick from.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClusterInput {
    pub name: Text,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::value::collections::SortedMap<Text, Text>>"))]
    pub labels: Option<Map>,
    /// What Karmada's field selector reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zones: Option<Vec<Text>>,
}

/// The picked clusters, sorted by name.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SelectAnswer {
    pub clusters: Vec<Text>,
    /// With `why`: every cluster, sorted by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explained: Option<Vec<Explained>>,
}

/// Why a cluster is in or out.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Explained {
    pub name: Text,
    pub reasons: Vec<ReasonAnswer>,
    pub selected: bool,
}

/// One condition and whether it holds.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReasonAnswer {
    /// The stable name of the reason.
    pub code: Text,
    /// Whether it speaks for the cluster.
    pub holds: bool,
    pub text: String,
}

impl Op for Select {
    const NAME: &'static str = "select";
    type Answer = SelectAnswer;

    fn answer(self, _: &mut Workspace, out: &mut Vec<Diagnostic>) -> Result<SelectAnswer, Error> {
        let (mode, root) = (self.mode.unwrap_or_default(), JsonPath::ROOT);
        let selector = Selector::parse(&self.selector, mode, self.dialect, &root.key("selector"))?;
        let clusters = sorted(self.clusters)?;
        if mode == Mode::Strict {
            warn_unknown(&self.selector, &selector, &clusters, out);
        }
        let explained = |cluster: &Cluster| Explained {
            name: cluster.name.clone(),
            selected: selects(&selector, cluster),
            reasons: explain(&selector, cluster).into_iter().map(ReasonAnswer::from).collect(),
        };
        let explained = self.why.unwrap_or(false).then(|| clusters.iter().map(explained).collect());
        let picked = clusters.iter().filter(|cluster| selects(&selector, cluster));
        Ok(SelectAnswer { clusters: picked.map(|cluster| cluster.name.clone()).collect(), explained })
    }
}

/// The fields of selectors below which values are those of labels and fields, not the names of clusters.
const LABEL_FIELDS: &[&str] = &["labelSelector", "clusterSelector", "fieldSelector"];

/// The clusters by name. One name stands for one cluster.
fn sorted(clusters: Vec<ClusterInput>) -> Result<Vec<Cluster>, Error> {
    let mut seen = SortedSet::new();
    for (index, cluster) in clusters.iter().enumerate() {
        if !seen.insert(&cluster.name) {
            let message = format!("two clusters are called `{}`", cluster.name);
            return Err(Error::new(Code::DuplicateCluster, message).at(["clusters", &index_text(index), "name"]));
        }
    }
    let at = JsonPath::ROOT.key("clusters");
    let clusters = clusters.into_iter().enumerate().map(|(index, it)| it.read(&at.index(index)));
    let mut clusters: Vec<Cluster> = clusters.collect::<Result<_, _>>()?;
    sort_by(&mut clusters, |a, b| a.name.cmp(&b.name));
    Ok(clusters)
}

fn warn_unknown(given: &Value, selector: &Selector, clusters: &[Cluster], out: &mut Vec<Diagnostic>) {
    let known: SortedSet<&str> = clusters.iter().map(|it| it.name.as_str()).collect();
    let unknown: SortedSet<&Text> =
        mentioned(selector).into_iter().filter(|name| !known.contains(name.as_str())).collect();
    for name in unknown {
        let place = Pointer::of(["selector"]);
        let place = place_of(name, given, &place).unwrap_or(place);
        let diagnostic = Diagnostic::warning(Code::UnknownCluster, format!("there is no cluster `{name}`")).at(place);
        let hint = did_you_mean(name, known.iter().copied());
        out.push(Diagnostic { hint, ..diagnostic });
    }
}

/// Where a selector first names a cluster: as an element of a list, or as the `name` of one.
fn place_of(name: &Text, given: &Value, at: &Pointer) -> Option<Pointer> {
    match given {
        Value::List(items) => items.iter().enumerate().find_map(|(index, item)| {
            let at = at.child(index.to_string());
            if item.as_text() == Some(name) { Some(at) } else { place_of(name, item, &at) }
        }),
        Value::Map(map) => {
            map.iter().filter(|(key, _)| !LABEL_FIELDS.contains(&key.as_str())).find_map(|(key, value)| {
                let at = at.child(key.clone());
                if key == "name" && value.as_text() == Some(name) { Some(at) } else { place_of(name, value, &at) }
            })
        }
        _ => None,
    }
}

impl ClusterInput {
    pub fn read(self, at: &JsonPath) -> Result<Cluster, Error> {
        let labels = self.labels.map(|it| Labels::read(&it, &at.key("labels"))).transpose()?;
        Ok(Cluster {
            name: self.name,
            labels: labels.unwrap_or_default(),
            provider: self.provider.unwrap_or_default(),
            region: self.region.unwrap_or_default(),
            zones: self.zones.unwrap_or_default(),
        })
    }
}

impl From<crate::engine::select::Reason> for ReasonAnswer {
    fn from(reason: crate::engine::select::Reason) -> ReasonAnswer {
        ReasonAnswer { code: reason.code.as_str().into(), text: reason.text, holds: reason.holds }
    }
}
