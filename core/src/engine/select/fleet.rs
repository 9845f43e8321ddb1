//! Clusters and the index over their labels.
//!
//! A selector is evaluated by combining sets of clusters, one per label, not by checking every cluster: the cost
//! follows the selector, and a changed label costs what that cluster's labels cost.

mod postings;

pub use postings::Bits;
use postings::Posting;

use crate::engine::select::{Cluster, LabelSelector, Requirement, Test};
use crate::object::labels::Labels;
use crate::value::Text;
use crate::value::collections::SortedMap;

/// All clusters, numbered in the order they came, with an index over their labels.
#[derive(Clone, Debug, Default)]
pub struct Fleet {
    clusters: Vec<Option<Cluster>>,
    numbers: SortedMap<Text, u32>,
    /// The clusters that are there.
    all: Bits,
    /// Those whose labels cannot be read: only a selector without requirements selects them.
    unknown: Bits,
    keys: SortedMap<Text, KeyIndex>,
}

#[derive(Clone, Debug, Default)]
struct KeyIndex {
    present: Posting,
    values: SortedMap<Text, Posting>,
}

impl Fleet {
    /// Adds a cluster, or takes its new labels. Answers its number.
    pub fn insert(&mut self, cluster: Cluster) -> u32 {
        let number = match self.numbers.get(&cluster.name) {
            Some(number) => *number,
            None => {
                let number = u32::try_from(self.clusters.len()).unwrap_or(u32::MAX);
                self.clusters.push(None);
                self.numbers.insert(cluster.name.clone(), number);
                number
            }
        };
        let before = self.clusters.get_mut(number as usize).and_then(Option::take);
        let before = before.map(|it| it.labels).unwrap_or_default();
        self.unindex(number, &before, &cluster.labels);
        let universe = self.clusters.len();
        self.all.insert(number);
        match cluster.labels.is_unknown() {
            true => self.unknown.insert(number),
            false => self.unknown.remove(number),
        }
        for (key, value) in missing(&cluster.labels, &before) {
            let key = self.keys.entry(key.clone()).or_default();
            key.present.insert(number, universe);
            key.values.entry(value.clone()).or_default().insert(number, universe);
        }
        if let Some(place) = self.clusters.get_mut(number as usize) {
            *place = Some(cluster);
        }
        number
    }

    /// Removes a cluster.
    pub fn remove(&mut self, name: &str) -> Option<Cluster> {
        let number = self.numbers.remove(name)?;
        self.all.remove(number);
        self.unknown.remove(number);
        let cluster = self.clusters.get_mut(number as usize)?.take()?;
        self.unindex(number, &cluster.labels, &Labels::default());
        Some(cluster)
    }

    /// The cluster with this name.
    pub fn get(&self, name: &str) -> Option<&Cluster> {
        self.at(*self.numbers.get(name)?)
    }

    /// The cluster of a number.
    pub fn at(&self, number: u32) -> Option<&Cluster> {
        self.clusters.get(number as usize)?.as_ref()
    }

    /// All clusters, in the order of their numbers.
    pub fn clusters(&self) -> impl Iterator<Item = &Cluster> {
        self.clusters.iter().flatten()
    }

    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// The clusters whose labels satisfy every requirement.
    ///
    /// # Example
    ///
    /// ```
    /// use fleetfold_core::engine::select::{Cluster, fleet::Fleet};
    ///
    /// let mut fleet = Fleet::default();
    /// for (name, env) in [("eu-1", "prod"), ("lab-1", "dev"), ("us-1", "prod")] {
    ///     let labels = [("env", env)].into_iter().collect();
    ///     fleet.insert(Cluster { name: name.into(), labels, ..Cluster::default() });
    /// }
    /// let picked = fleet.select(&"env=prod".parse()?);
    /// let names: Vec<&str> = picked.iter().filter_map(|number| fleet.at(number)).map(|it| it.name.as_str()).collect();
    /// assert_eq!(names, ["eu-1", "us-1"]);
    /// # Ok::<(), fleetfold_core::diagnostic::Error>(())
    /// ```
    pub fn select(&self, selector: &LabelSelector) -> Bits {
        let mut picked = self.all.clone();
        let mut any = Bits::with_room(self.clusters.len());
        for requirement in selector.requirements() {
            self.narrow(requirement, &mut picked, &mut any);
        }
        if !selector.requirements().is_empty() {
            picked.drop(&self.unknown);
        }
        picked
    }

    fn narrow(&self, requirement: &Requirement, picked: &mut Bits, any: &mut Bits) {
        let key = self.keys.get(requirement.key());
        let values = |listed: &[Text]| {
            let found = listed.iter().filter_map(move |value| key?.values.get(value));
            found.collect::<Vec<_>>()
        };
        let mut keep_any = |postings: &[&Posting], picked: &mut Bits| match postings {
            [Posting::Dense(bits)] => picked.keep(bits),
            postings => {
                any.clear();
                postings.iter().for_each(|posting| posting.add_to(any));
                picked.keep(any);
            }
        };
        match requirement.test() {
            Test::In(listed) => keep_any(&values(listed), picked),
            Test::NotIn(listed) => values(listed).iter().for_each(|posting| posting.drop_from(picked)),
            Test::Exists => keep_any(&key.map(|key| &key.present).into_iter().collect::<Vec<_>>(), picked),
            Test::DoesNotExist => {
                if let Some(key) = key {
                    key.present.drop_from(picked);
                }
            }
            Test::Greater(_) | Test::Less(_) => {
                let fits = |(value, _): &(&Text, &Posting)| {
                    requirement.accepts(&[(requirement.key().clone(), (*value).clone())].into_iter().collect())
                };
                let fitting = key.into_iter().flat_map(|key| key.values.iter()).filter(fits);
                keep_any(&fitting.map(|(_, posting)| posting).collect::<Vec<_>>(), picked);
            }
        }
    }

    /// Takes a cluster out of the index over `labels`, except for those that it keeps.
    fn unindex(&mut self, number: u32, labels: &Labels, kept: &Labels) {
        for (label, value) in missing(labels, kept) {
            let Some(key) = self.keys.get_mut(label) else { continue };
            key.present.remove(number);
            if let Some(posting) = key.values.get_mut(value) {
                posting.remove(number);
                if posting.is_empty() {
                    key.values.remove(value);
                }
            }
            if key.values.is_empty() {
                self.keys.remove(label);
            }
        }
    }
}

/// The labels that are not among `others`. Most changes of a cluster leave nearly all of its labels.
fn missing<'a>(labels: &'a Labels, others: &Labels) -> impl Iterator<Item = (&'a Text, &'a Text)> {
    labels.iter().filter(|(key, value)| others.get(key) != Some(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::select::parse_text;

    fn fleet(count: usize) -> Fleet {
        let mut fleet = Fleet::default();
        for number in 0..count {
            fleet.insert(cluster(number, number));
        }
        fleet
    }

    fn cluster(number: usize, salt: usize) -> Cluster {
        let mut labels = vec![
            ("env", ["dev", "stage", "prod"][salt % 3].to_string()),
            ("team", format!("t{}", salt % 40)),
            ("unique", format!("u{salt}")),
            ("size", (salt % 7).to_string()),
        ];
        if salt.is_multiple_of(5) {
            labels.push(("gpu", String::new()));
        }
        Cluster { name: format!("c{number}").into(), labels: labels.into_iter().collect(), ..Cluster::default() }
    }

    /// The index must select the same clusters as evaluating each of them.
    #[track_caller]
    fn check(fleet: &Fleet, selector: &str) {
        let selector = parse_text(selector).unwrap();
        let picked: Vec<u32> = fleet.select(&selector).iter().collect();
        let evaluated =
            (0..fleet.clusters.len() as u32).filter(|it| fleet.at(*it).is_some_and(|it| selector.accepts(&it.labels)));
        assert_eq!(picked, evaluated.collect::<Vec<_>>(), "{selector}");
    }

    #[test]
    fn the_index_answers_what_every_cluster_would() {
        let mut fleet = fleet(1_000);
        for number in (0..1_000).step_by(3) {
            fleet.insert(cluster(number, number + 1));
        }
        for number in (0..1_000).step_by(7) {
            fleet.remove(&format!("c{number}"));
        }
        for number in (0..1_000).step_by(11) {
            fleet.insert(Cluster { labels: Labels::unknown(), ..cluster(number, number) });
        }
        for selector in [
            "",
            "env=prod",
            "env in (prod,dev),team notin (t1,t2,t39)",
            "gpu",
            "!gpu",
            "env!=dev,gpu",
            "unique=u17",
            "unique in (u1,u2,u3,nothing)",
            "size>3",
            "size<2,env=stage",
            "absent",
            "!absent",
            "absent!=x",
            "unique!=u4",
        ] {
            check(&fleet, selector);
        }
    }

    #[test]
    fn labels_that_stay_stay_in_the_index() {
        let mut fleet = fleet(100);
        // One other label, then one more, then all of them unknown, then known again.
        let changed = |labels: &[(&'static str, &'static str)]| Cluster {
            name: "c1".into(),
            labels: labels.iter().copied().collect(),
            ..Cluster::default()
        };
        for labels in [
            &[("env", "prod"), ("size", "1"), ("team", "t1"), ("unique", "u1")][..],
            &[("env", "prod"), ("gpu", ""), ("size", "1"), ("unique", "u1")],
        ] {
            fleet.insert(changed(labels));
            for selector in ["env=prod", "env=stage", "team=t1", "team", "unique=u1", "gpu", "size=1"] {
                check(&fleet, selector);
            }
        }
        fleet.insert(Cluster { labels: Labels::unknown(), ..changed(&[]) });
        check(&fleet, "unique=u1");
        fleet.insert(changed(&[("unique", "u1")]));
        check(&fleet, "unique=u1");
        check(&fleet, "!env");
    }

    #[test]
    fn a_label_that_is_gone_leaves_nothing_behind() {
        let mut fleet = fleet(100);
        for number in 0..100 {
            fleet.remove(&format!("c{number}"));
        }
        assert!(fleet.is_empty() && fleet.keys.is_empty());
    }
}
