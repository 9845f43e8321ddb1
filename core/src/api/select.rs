//! `select`: which clusters a selector picks.

use serde::{Deserialize, Serialize};

use super::Op;
use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Diagnostic, Error};
use crate::engine::Upstream;
use crate::engine::select::{Cluster, Selector, explain, mentioned, selects};
use crate::object::labels::Labels;
use crate::value::JsonPath;
use crate::value::collections::{SortedMap, SortedSet};
use crate::value::index_text;
use crate::value::path::Pointer;
use crate::value::sorting::sort_by;
use crate::value::suggest::Hints;
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
    /// Also return for each cluster why it is selected or not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<bool>,
    /// `compat`: the answer of `dialect`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// In compat mode, which upstream; only `karmada` makes a difference, with its cluster affinities.
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
    /// The fields that Karmada's field selector reads.
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

/// Why a cluster is selected or not.
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
    /// Whether the condition holds.
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
        let explained = self.why.unwrap_or(false).then(|| explain_all(&selector, &clusters)).transpose()?;
        let picked = clusters.iter().filter(|cluster| selects(&selector, cluster));
        Ok(SelectAnswer { clusters: picked.map(|cluster| cluster.name.clone()).collect(), explained })
    }
}

/// The bytes that all reasons together may take: every condition is explained for every cluster.
const MAX_REASONS: usize = 16 * 1024 * 1024;
/// The bytes of a reason without its text.
const REASON: usize = 64;

fn explain_all(selector: &Selector, clusters: &[Cluster]) -> Result<Vec<Explained>, Error> {
    let (mut all, mut bytes) = (Vec::with_capacity(clusters.len()), 0_usize);
    for cluster in clusters {
        let reasons: Vec<ReasonAnswer> = explain(selector, cluster).into_iter().map(ReasonAnswer::from).collect();
        bytes = reasons.iter().fold(bytes, |bytes, it| bytes.saturating_add(it.text.len()).saturating_add(REASON));
        if bytes > MAX_REASONS {
            let message = format!("the reasons of all clusters take more than {MAX_REASONS} bytes");
            let hint = "leave out `why`, or give fewer clusters or a shorter selector";
            return Err(Error::new(Code::TooLarge, message).at(["why"]).hint(hint));
        }
        all.push(Explained { name: cluster.name.clone(), selected: selects(selector, cluster), reasons });
    }
    Ok(all)
}

/// The fields of selectors below which values are those of labels and fields, not the names of clusters.
const LABEL_FIELDS: &[&str] = &["labelSelector", "clusterSelector", "fieldSelector"];

/// The clusters by name. Each name is one cluster.
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
    if unknown.is_empty() {
        return;
    }
    let (root, mut places, mut hints) = (Pointer::of(["selector"]), SortedMap::new(), Hints::default());
    collect_places(given, &root, &mut places);
    for name in unknown {
        let place = places.get(name.as_str()).unwrap_or(&root).clone();
        let diagnostic = Diagnostic::warning(Code::UnknownCluster, format!("there is no cluster `{name}`")).at(place);
        let hint = hints.did_you_mean(name, known.iter().copied());
        out.push(Diagnostic { hint, ..diagnostic });
    }
}

/// Where a selector first names each cluster: as an element of a list, or as the `name` of one.
fn collect_places<'a>(given: &'a Value, at: &Pointer, places: &mut SortedMap<&'a str, Pointer>) {
    let mut visit = |at: Pointer, item: &'a Value, is_name: bool| match item.as_text() {
        Some(name) if is_name => drop(places.entry(name).or_insert(at)),
        _ => collect_places(item, &at, places),
    };
    match given {
        Value::List(items) => {
            items.iter().enumerate().for_each(|(index, item)| visit(at.child(index.to_string()), item, true));
        }
        Value::Map(map) => {
            let fields = map.iter().filter(|(key, _)| !LABEL_FIELDS.contains(&key.as_str()));
            fields.for_each(|(key, value)| visit(at.child(key.clone()), value, key == "name"));
        }
        _ => {}
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
