//! Presets whose Plugins would have the same names: preset `a` for cluster `b-c`, and preset `a-b` for cluster `c`.

use super::object::plugin_name;
use super::preset::read_selector;
use super::{GROUP, PRESET, identity};
use crate::object::document::{Document, Identity};
use crate::value::Text;
use crate::workspace::store::{Scope, View};
use crate::workspace::subject::Invalidation;
use crate::workspace::targets::ClusterFilter;

/// The presets that may collide with one, by name.
#[derive(Debug)]
pub struct Collisions(Vec<OtherPreset>);

#[derive(Debug)]
struct OtherPreset {
    name: Text,
    picks: ClusterFilter,
}

impl Collisions {
    /// A preset whose selector cannot be read makes no Plugins, so it cannot collide.
    pub fn of(view: View, own: &Identity) -> Collisions {
        // Names that this one begins with are its own up to a dash. The others begin with this one's.
        let dashes = own.name.match_indices('-').filter_map(|(at, _)| own.name.get(..at));
        let named = |name: &str| identity(PRESET, &own.namespace, name);
        let shorter = dashes.filter_map(|name| view.store.document(&named(name)));
        let begin = format!("{}-", own.name);
        let longer = view.store.of_kind_from(GROUP, PRESET, &own.namespace, &begin);
        let related = shorter.chain(longer.take_while(|it| it.identity.name.starts_with(&begin)));
        let other = |document: &Document| {
            let picks = ClusterFilter::Selector(read_selector(view, document, &mut Vec::new()).ok()?.selector);
            Some(OtherPreset { name: document.identity.name.clone(), picks })
        };
        Collisions(related.filter_map(other).collect())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The one that would make a Plugin of this name.
    pub fn of_plugin(&self, view: View, scope: &Scope, plugin: &str) -> Option<&Text> {
        let fleet = view.store.fleet(scope).filter(|_| !self.is_empty())?;
        let other = |at: usize| {
            let (name, cluster) = (plugin.get(..at)?, fleet.get(plugin.get(at.saturating_add(1)..)?)?);
            let other = self.0.get(self.0.binary_search_by(|it| it.name.as_str().cmp(name)).ok()?)?;
            other.picks.picks(cluster).then_some(&other.name)
        };
        // The shortest name is the first one.
        plugin.match_indices('-').find_map(|(at, _)| other(at))
    }

    /// Which of a preset's results another cluster invalidates: those whose Plugins would have the same name.
    /// `cluster_result` returns the cluster that a Plugin of the preset is for.
    pub fn invalidated_by(&self, cluster: &str, cluster_result: impl Fn(&str) -> Option<Text>) -> Invalidation {
        let mut cluster_results = self.0.iter().filter_map(|it| cluster_result(&plugin_name(&it.name, cluster)));
        match (cluster_results.next(), cluster_results.next()) {
            (None, _) => Invalidation::Nothing,
            (Some(cluster_result), None) => Invalidation::Cluster(cluster_result),
            (Some(_), Some(_)) => Invalidation::Whole,
        }
    }
}

pub fn collision_message(plugin: &str, other: &str) -> String {
    format!("the preset `{other}` would make a Plugin of the same name, `{plugin}`")
}

/// Whether two presets may make Plugins of one name.
pub fn is_related(a: &str, b: &str) -> bool {
    let begins = |long: &str, short: &str| long.strip_prefix(short).is_some_and(|rest| rest.starts_with('-'));
    begins(a, b) || begins(b, a)
}
