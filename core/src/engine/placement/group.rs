//! Decision groups: the chosen clusters in the order in which a rollout takes them.

use super::predicate::StepBudget;
use super::read::GroupSize;
use super::{Candidate, Spec};
use crate::diagnostic::Mode;
use crate::value::Text;
use crate::value::sorting::sort_by;

/// Clusters that a rollout takes together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Group {
    /// Empty for the clusters that no declared group takes.
    pub name: Text,
    /// Its place among all groups, from 0.
    pub index: i64,
    /// Sorted by name.
    pub clusters: Vec<Text>,
    /// The names of the PlacementDecisions that list them.
    pub decisions: Vec<Text>,
}

/// Divides the chosen clusters into groups.
///
/// 1. Declared groups come first, in their order. A cluster goes into the first that takes it, and one whose document
///    cannot be read into the one that it was in.
/// 2. The rest form groups without a name.
/// 3. Each is split into groups of the wanted size, clusters by name. A declared group that matches no cluster is left
///    out.
/// 4. If nothing is chosen, there is one empty group.
///
/// `whole` is whether the complete strategy could be read. OCM continues with a part of it: the groups before the first
/// that it cannot read, and none without a size.
pub fn divide(spec: &Spec, chosen: &[Candidate], whole: bool, mode: Mode) -> Vec<Group> {
    let mut groups = Vec::new();
    let Some(size) = spec.group_size.map(|it| length(it, chosen.len(), mode)) else { return groups };
    let mut rest: Vec<&Candidate> = chosen.iter().collect();
    sort_by(&mut rest, |a, b| a.name.cmp(b.name));
    for (name, takes) in &spec.groups {
        let (taken, left) = rest.into_iter().partition(|it| match &it.kept {
            Some(group) => group == name,
            None => takes.accepts(it, &StepBudget::default(), &mut None),
        });
        rest = left;
        cut(name, &taken, size, &mut groups);
    }
    if whole {
        cut(&Text::default(), &rest, size, &mut groups);
        if groups.is_empty() {
            groups.push(Group::default());
        }
    }
    groups
}

fn cut(name: &Text, clusters: &[&Candidate], size: usize, groups: &mut Vec<Group>) {
    for chunk in clusters.chunks(size.max(1)) {
        let clusters = chunk.iter().map(|it| it.name.into()).collect();
        let index = i64::try_from(groups.len()).unwrap_or(i64::MAX);
        groups.push(Group { name: name.clone(), index, clusters, decisions: Vec::new() });
    }
}

/// The size of a group: a percentage is rounded up, and nothing, or more than there is, means all.
///
/// OCM divides before it multiplies, so 7% of 100 is eight.
fn length(size: GroupSize, total: usize, mode: Mode) -> usize {
    let length = match size {
        GroupSize::Count(count) => count,
        GroupSize::Percent(percent) if mode == Mode::Compat => (percent / 100.0 * total as f64).ceil() as i64,
        GroupSize::Percent(percent) => (percent * total as f64 / 100.0).ceil() as i64,
    };
    usize::try_from(length).ok().filter(|length| (1..=total).contains(length)).unwrap_or(total)
}
