//! How many steps the expressions of a subject may take for one cluster.
//!
//! The number is fixed before anything is evaluated, so what a cluster gets depends neither on the order of documents
//! nor on what others spend. It halves until a subject stays below its limit for all clusters, and all subjects of the
//! namespace stay below theirs; so a further cluster or subject seldom changes it. Other namespaces do not count.

use super::{GROUP, PLUGIN, PRESET, preset_of, scope_of};
use crate::value::Text;
use crate::value::collections::SortedMap;
use crate::workspace::store::View;

/// The steps that all expressions of a subject may take for one cluster.
const EXPRESSION_STEPS: u64 = 10_000;

/// The steps of one subject for all clusters of its namespace. A million steps take about 20 ms.
const SUBJECT_STEPS: u64 = 10_000_000;

/// The steps of all subjects of a namespace for all its clusters.
const NAMESPACE_STEPS: u64 = 20_000_000;

/// The steps that remain for one cluster in every fleet: not more work than the Plugin that they are for.
const LEAST_STEPS: u64 = 1_000;

/// The number of presets, and of Plugins without a preset.
#[derive(Clone, Copy, Default)]
struct Subjects {
    presets: u64,
    plugins: u64,
}

/// The steps of each subject of a namespace for one cluster.
pub fn of_namespace(view: View, namespace: &Text) -> u64 {
    let subjects = view.store.derived("greenhouse expressions", || {
        let mut subjects: SortedMap<Text, Subjects> = SortedMap::new();
        for preset in view.store.of_kind(GROUP, PRESET, None) {
            let its = subjects.entry(preset.identity.namespace.clone()).or_default();
            its.presets = its.presets.saturating_add(1);
        }
        for plugin in view.store.of_kind(GROUP, PLUGIN, None).filter(|it| preset_of(&it.value).is_none()) {
            let its = subjects.entry(plugin.identity.namespace.clone()).or_default();
            its.plugins = its.plugins.saturating_add(1);
        }
        subjects
    });
    let Subjects { presets, plugins } = subjects.get(namespace).copied().unwrap_or_default();
    let clusters = view.store.fleet(&scope_of(namespace)).map_or(0, |fleet| fleet.len());
    let clusters = u64::try_from(clusters).unwrap_or(u64::MAX);
    share(clusters, presets.saturating_mul(clusters).saturating_add(plugins))
}

fn share(clusters: u64, results: u64) -> u64 {
    let mut share = EXPRESSION_STEPS;
    let is_over =
        |share: u64| share.saturating_mul(clusters) > SUBJECT_STEPS || share.saturating_mul(results) > NAMESPACE_STEPS;
    while share > LEAST_STEPS && is_over(share) {
        share /= 2;
    }
    share.max(LEAST_STEPS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_steps_halve_until_the_subject_and_the_namespace_are_below_their_limits() {
        for (clusters, results, want) in [
            (0, 0, 10_000),
            (1_000, 2_000, 10_000),
            (1_001, 1_001, 5_000),
            (1_000, 2_001, 5_000),
            (3_000, 3_000, 2_500),
            (100, 10_001, 1_250),
            (100, 1_000_000, 1_000),
            (u64::MAX, u64::MAX, 1_000),
        ] {
            assert_eq!(share(clusters, results), want, "{clusters} {results}");
        }
    }
}
