//! Which of many layers apply to a cluster, without checking all of them.

use crate::engine::select::{Cluster, Selector, selects};
use crate::value::Text;
use crate::value::collections::SortedMap;
use crate::value::sorting::sort;

/// An index over the conditions of layers: layers that name clusters are found by name, and only the others are
/// evaluated.
#[derive(Clone, Debug, Default)]
pub struct LayerIndex {
    by_selector: Vec<(u32, Option<Selector>)>,
    named: SortedMap<Text, Vec<u32>>,
}

impl LayerIndex {
    /// The conditions in the order of their layers; a layer without one applies to all clusters.
    pub fn of<'s>(conditions: impl IntoIterator<Item = Option<&'s Selector>>) -> LayerIndex {
        let mut index = LayerIndex::default();
        for (rank, condition) in (0_u32..).zip(conditions) {
            match condition {
                Some(Selector::Listed(names)) => {
                    for name in names {
                        let ranks = index.named.entry(name.clone()).or_default();
                        if ranks.last() != Some(&rank) {
                            ranks.push(rank);
                        }
                    }
                }
                condition => index.by_selector.push((rank, condition.cloned())),
            }
        }
        index
    }

    /// The ranks of the layers that apply, lowest first.
    ///
    /// # Example
    ///
    /// ```
    /// use fleetfold_core::engine::select::{Cluster, Selector, layer_index::LayerIndex};
    ///
    /// let (prod, named): (Selector, _) = ("env=prod".parse()?, Selector::Listed(vec!["eu-1".into()].into()));
    /// let index = LayerIndex::of([None, Some(&prod), Some(&named)]);
    /// let eu = Cluster { name: "eu-1".into(), labels: [("env", "dev")].into_iter().collect(), ..Cluster::default() };
    /// assert_eq!(index.applying(&eu), [0, 2]);
    /// # Ok::<(), fleetfold_core::diagnostic::Error>(())
    /// ```
    pub fn applying(&self, cluster: &Cluster) -> Vec<u32> {
        let applies = |condition: &Option<Selector>| condition.as_ref().is_none_or(|it| selects(it, cluster));
        let mut ranks: Vec<u32> =
            self.by_selector.iter().filter(|(_, it)| applies(it)).map(|(rank, _)| *rank).collect();
        if let Some(named) = self.named.get(&cluster.name) {
            ranks.extend(named);
            sort(&mut ranks);
        }
        ranks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::select::parse_text;

    #[test]
    fn layers_apply_in_order_be_they_named_or_asked() {
        let prod = Selector::Labels(parse_text("env=prod").unwrap());
        let listed = Selector::Listed(vec!["b".into(), "a".into(), "b".into()].into());
        let index =
            LayerIndex::of([Some(&listed), None, Some(&prod), Some(&Selector::Listed(vec!["b".into()].into()))]);
        let cluster = |name: &str, env: &str| Cluster {
            name: name.into(),
            labels: [("env", env)].into_iter().collect(),
            ..Cluster::default()
        };
        assert_eq!(index.applying(&cluster("a", "dev")), [0, 1]);
        assert_eq!(index.applying(&cluster("b", "prod")), [0, 1, 2, 3]);
        assert_eq!(index.applying(&cluster("c", "prod")), [1, 2]);
    }
}
