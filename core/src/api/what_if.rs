//! `whatIf`: the effect of a change, without making it.

use serde::{Deserialize, Serialize};

use super::configure::Configure;
use super::load::Load;
use super::place::{CauseAnswer, object_name, split};
use super::plan::{ActionCounts, timestamp};
use super::{Finding, Op, count};
use crate::diagnostic::{Diagnostic, Error};
use crate::object::document::Identity;
use crate::object::redacted::Redacted;
use crate::value::canonical::to_text;
use crate::value::collections::SortedSet;
use crate::value::sorting::sort_by;
use crate::value::{JsonPath, MaybeAbsent, OneOrMany, Text};
use crate::workspace::Workspace;
use crate::workspace::lint::add_introduced;
use crate::workspace::lookup::documents_named;
use crate::workspace::removal::{self, Collected};
use crate::workspace::store::{Scope, count_clusters};
use crate::workspace::trial::Journal;
use crate::workspace::what_if::{
    ChangeGroup, ChangeKind, Consequences, ShadowGroup, ShownChange, ShownShadow, what_if, without_hub,
};

/// A change to evaluate.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WhatIf {
    /// Documents to add or replace; a list is applied in its order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load: Option<OneOrMany<Load>>,
    /// Documents to remove.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unload: Option<Vec<Text>>,
    /// Settings to change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub configure: Option<Configure>,
    /// The time, in RFC 3339; without it, anything that depends on the time is decided as if the time had not come.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<Text>,
    /// Also report what `lint` finds in documents that the change does not reach, such as a reference that it breaks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lint: Option<bool>,
}

/// What would change, and for which clusters.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WhatIfAnswer {
    /// The actions of the plan that the change adds.
    pub actions: ActionCounts,
    /// Objects of the hub that the garbage collector would delete, because all of their owners are removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collected: Option<Vec<CollectedAnswer>>,
    pub counts: Counts,
    /// The findings that the change fixes; those that it brings are the diagnostics of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fixed: Option<Vec<Finding>>,
    /// Clusters with the same changes, most clusters first.
    pub groups: Vec<ChangeGroupAnswer>,
    /// The changed documents with new errors: the engine refuses them, and nothing is planned for what they govern.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<Vec<String>>,
    /// Values that the change sets without effect, and what hides them.
    pub shadowed: Vec<ShadowAnswer>,
}

/// An object that the garbage collector would delete. It counts as one of the deletes.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Collected"))]
pub struct CollectedAnswer {
    pub object: String,
    pub owner: String,
}

/// The extent of the change.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Counts {
    pub changed: i64,
    /// All clusters of the fleet, before or after the change.
    pub clusters: i64,
    /// How many of the changed clusters only keep their last state, because nothing can be computed for them any more;
    /// left out if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept: Option<i64>,
    /// Clusters for which the change has no effect because something hides it.
    pub shadowed: i64,
    /// Subjects whose results would change.
    pub subjects: i64,
}

/// Clusters with the same changes.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "ChangeGroup"))]
pub struct ChangeGroupAnswer {
    pub change: ChangeKind,
    pub changes: Vec<ChangeAnswer>,
    pub clusters: Vec<Text>,
    pub subject: String,
}

/// One value that would change.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChangeAnswer {
    #[serde(default, skip_serializing_if = "MaybeAbsent::is_absent")]
    pub after: MaybeAbsent<Redacted>,
    #[serde(default, skip_serializing_if = "MaybeAbsent::is_absent")]
    pub after_from: MaybeAbsent<Redacted>,
    #[serde(default, skip_serializing_if = "MaybeAbsent::is_absent")]
    pub before: MaybeAbsent<Redacted>,
    #[serde(default, skip_serializing_if = "MaybeAbsent::is_absent")]
    pub before_from: MaybeAbsent<Redacted>,
    /// The layer that decides it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<CauseAnswer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// An option path, or a JSON pointer into the object.
    pub path: String,
    /// True for an object that stays, without its owner; left out otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub released: Option<bool>,
}

/// A value that is set without effect.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShadowAnswer {
    /// The layer that hides it.
    pub by: CauseAnswer,
    pub clusters: Vec<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    pub path: String,
    pub subject: String,
}

impl Op for WhatIf {
    const NAME: &'static str = "whatIf";
    type Answer = WhatIfAnswer;

    fn answer(self, workspace: &mut Workspace, out: &mut Vec<Diagnostic>) -> Result<WhatIfAnswer, Error> {
        let now = timestamp(self.now.as_deref())?;
        let is_linted = self.lint.unwrap_or(false);
        let found = what_if(workspace, now, is_linted, |workspace, journal| self.make(workspace, journal, out))?;
        add_introduced(&found.introduced, out);
        Ok(WhatIfAnswer::from(found))
    }
}

impl WhatIf {
    fn make(self, workspace: &mut Workspace, journal: &mut Journal, out: &mut Vec<Diagnostic>) -> Result<(), Error> {
        let root = JsonPath::ROOT;
        let removed = documents_named(workspace, &self.unload.unwrap_or_default(), &root.key("unload"))?;
        if let Some(configure) = self.configure {
            let settings = configure.over(&workspace.store.settings, &root.key("configure"))?;
            journal.configure(workspace, settings);
        }
        for identity in removed {
            removal::delete(workspace, journal, &identity);
        }
        let at = root.key("load");
        match self.load {
            Some(OneOrMany::One(load)) => {
                load.apply(workspace, &at, out, Some(journal))?;
            }
            Some(OneOrMany::Many(loads)) => {
                for (index, load) in loads.into_iter().enumerate() {
                    load.apply(workspace, &at.index(index), out, Some(journal))?;
                }
            }
            None => {}
        }
        Ok(())
    }
}

impl From<Consequences> for WhatIfAnswer {
    fn from(found: Consequences) -> WhatIfAnswer {
        let mut changed: SortedSet<(&Scope, &Text)> = SortedSet::new();
        let mut altered: SortedSet<(&Scope, &Text)> = SortedSet::new();
        let mut hidden: SortedSet<(&Scope, &Text)> = SortedSet::new();
        let mut subjects: SortedSet<&Identity> = SortedSet::new();
        for ChangeGroup { subject, clusters, kind, .. } in &found.groups {
            let scope = found.scopes.get(subject).into_iter();
            let of_group = scope.flat_map(|scope| without_hub(clusters).map(move |name| (scope, name)));
            if *kind == ChangeKind::Fails {
                changed.extend(of_group)
            } else {
                altered.extend(of_group)
            }
            subjects.insert(subject);
        }
        for ShadowGroup { shadow, clusters } in &found.shadowed {
            let scope = found.scopes.get(&shadow.subject).into_iter();
            hidden.extend(scope.flat_map(|scope| without_hub(clusters).map(move |name| (scope, name))));
        }
        let kept = count_clusters(changed.iter().filter(|it| !altered.contains(*it)).copied());
        changed.extend(altered);
        let only_hidden = hidden.iter().filter(|it| !changed.contains(*it)).copied();
        let counts = Counts {
            clusters: count(found.clusters),
            changed: count(count_clusters(changed.iter().copied())),
            kept: Some(count(kept)).filter(|it| *it > 0),
            shadowed: count(count_clusters(only_hidden)),
            subjects: count(subjects.len()),
        };
        let mut actions = ActionCounts::new_in(&found.plan_after, &found.plan_before);
        actions.delete = actions.delete.saturating_add(count(found.collected.len()));
        let collected = |it: Collected| CollectedAnswer { object: it.object.to_string(), owner: it.owner.to_string() };
        WhatIfAnswer {
            counts,
            actions,
            collected: Some(found.collected.into_iter().map(collected).collect()).filter(|it: &Vec<_>| !it.is_empty()),
            fixed: some(found.fixed.into_iter().map(Finding::from).collect()),
            refused: some(found.refused.iter().map(Identity::to_string).collect()),
            groups: sorted_groups(found.groups),
            shadowed: sorted_shadows(found.shadowed),
        }
    }
}

fn some<T>(list: Vec<T>) -> Option<Vec<T>> {
    Some(list).filter(|it| !it.is_empty())
}

/// Most clusters first, then by subject, kind of change, and the text of the changes.
fn sorted_groups(groups: Vec<ChangeGroup>) -> Vec<ChangeGroupAnswer> {
    let answer = |ChangeGroup { subject, kind, changes, clusters }: ChangeGroup| {
        let changes: Vec<ChangeAnswer> = changes.into_iter().map(ChangeAnswer::from).collect();
        let key = (std::cmp::Reverse(clusters.len()), subject, kind, to_text(&changes).unwrap_or_default());
        (key, changes, clusters)
    };
    let mut groups: Vec<_> = groups.into_iter().map(answer).collect();
    sort_by(&mut groups, |(a, ..), (b, ..)| a.cmp(b));
    let mut answers = Vec::with_capacity(groups.len());
    for ((_, subject, change, _), changes, clusters) in groups {
        let (subject, clusters) = (subject.to_string(), clusters.into_iter().collect());
        answers.push(ChangeGroupAnswer { subject, clusters, change, changes });
    }
    answers
}

/// By subject, and the text of what hides and what is hidden.
fn sorted_shadows(shadowed: Vec<ShadowGroup>) -> Vec<ShadowAnswer> {
    let answer = |ShadowGroup { shadow, clusters }: ShadowGroup| {
        let ShownShadow { subject, path, object, by } = shadow;
        let answer = ShadowAnswer {
            by: by.into(),
            clusters: Vec::new(),
            object: object_name(object.as_ref()),
            path,
            subject: subject.to_string(),
        };
        ((subject, to_text(&answer).unwrap_or_default()), answer, clusters)
    };
    let mut shadowed: Vec<_> = shadowed.into_iter().map(answer).collect();
    sort_by(&mut shadowed, |(a, ..), (b, ..)| a.cmp(b));
    let with_clusters = |(_, answer, clusters): (_, ShadowAnswer, SortedSet<Text>)| ShadowAnswer {
        clusters: clusters.into_iter().collect(),
        ..answer
    };
    shadowed.into_iter().map(with_clusters).collect()
}

impl From<ShownChange> for ChangeAnswer {
    fn from(change: ShownChange) -> ChangeAnswer {
        let ((before, before_from), (after, after_from)) = (split(change.before), split(change.after));
        ChangeAnswer {
            path: change.path,
            object: object_name(change.object.as_ref()),
            before,
            before_from,
            after,
            after_from,
            cause: Some(change.cause.into()),
            released: change.is_released.then_some(true),
        }
    }
}
