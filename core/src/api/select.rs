//! `select`: which clusters a selector picks.

use super::Operation;
use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Diagnostic, Error};
use crate::engine::Upstream;
use crate::engine::select::{Cluster, Selector, explain, mentioned, selects};
use crate::object::labels::Labels;
use crate::record;
use crate::value::collections::SortedSet;
use crate::value::index_text;
use crate::value::path::Pointer;
use crate::value::sorting::sort_by;
use crate::value::suggest::did_you_mean;
use crate::value::{Text, Value};

record! {
    request
    /// Which clusters a selector picks.
    pub struct Select {
        /// A label selector object, a string in kubectl's `-l` syntax, a Greenhouse cluster selector, a KubeFed placement,
        /// a ManagedClusterSet document, or a list of them (any of). An empty one picks all, null picks none.
        selector "selector": Value,
        /// The fleet to pick from.
        clusters "clusters": Vec<ClusterInput>,
        /// Also say of each cluster why it is in or out.
        why "why": Option<bool>,
        /// `compat`: the answer of `dialect`.
        mode "mode": Option<Mode>,
        /// In compat mode, which original; only `karmada` makes a difference, with its cluster affinities.
        dialect "dialect": Option<Upstream>,
    }
}

record! {
    request
    /// A cluster to pick from.
    pub struct ClusterInput {
        name "name": Text,
        labels "labels": Labels,
        /// What Karmada's field selector reads.
        provider "provider": Option<Text>,
        region "region": Option<Text>,
        zones "zones": Option<Vec<Text>>,
    }
}

record! {
    answer
    /// The picked clusters, sorted by name.
    pub struct SelectAnswer {
        clusters "clusters": Vec<Text>,
        /// With `why`: every cluster, sorted by name.
        explained "explained": Option<Vec<Explained>>,
    }
}

record! {
    answer
    /// Why a cluster is in or out.
    pub struct Explained {
        name "name": Text,
        selected "selected": bool,
        reasons "reasons": Vec<ReasonAnswer>,
    }
}

record! {
    answer
    /// One condition and whether it holds.
    pub struct ReasonAnswer {
        /// The stable name of the reason.
        code "code": &'static str,
        text "text": String,
        /// Whether it speaks for the cluster.
        holds "holds": bool,
    }
}

impl Operation for Select {
    const NAME: &'static str = "select";
    type Answer = SelectAnswer;

    fn answer(self, out: &mut Vec<Diagnostic>) -> Result<SelectAnswer, Error> {
        let (mode, spot) = (self.mode.unwrap_or_default(), super::JsonPath::ROOT);
        let selector = Selector::parse(&self.selector, mode, self.dialect, &spot.key("selector"))?;
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
    let mut clusters: Vec<Cluster> = clusters.into_iter().map(Cluster::from).collect();
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

impl From<ClusterInput> for Cluster {
    fn from(input: ClusterInput) -> Cluster {
        Cluster {
            name: input.name,
            labels: input.labels,
            provider: input.provider.unwrap_or_default(),
            region: input.region.unwrap_or_default(),
            zones: input.zones.unwrap_or_default(),
        }
    }
}

impl From<crate::engine::select::Reason> for ReasonAnswer {
    fn from(reason: crate::engine::select::Reason) -> ReasonAnswer {
        ReasonAnswer { code: reason.code.as_str(), text: reason.text, holds: reason.holds }
    }
}
