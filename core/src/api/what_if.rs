//! `whatIf`: what a change would do, without making it.

use std::sync::Arc;

use super::WorkspaceOperation;
use super::configure::Configure;
use super::load::{Load, count, named};
use super::null::Explicit;
use super::place::{CauseAnswer, object_name, shown, split};
use super::plan::{ActionCounts, planned};
use super::record::{Encode, Shape, Shaped};
use crate::diagnostic::decode::Decode;
use crate::diagnostic::{Diagnostic, Error};
use crate::engine::fold::{Effective, Folded, with_per_cluster};
use crate::engine::rendered::Rendered;
use crate::object::document::Identity;
use crate::object::kinds::clusters::is_cluster;
use crate::record;
use crate::value::JsonPath;
use crate::value::canonical::Writer;
use crate::value::collections::{SortedMap, SortedSet};
use crate::value::path::Pointer;
use crate::value::sorting::sort_by;
use crate::value::{Text, Value};
use crate::workspace::compare::{self, Change, Delta};
use crate::workspace::observed::HUB;
use crate::workspace::results::{ClusterResult, PerClusterOptions, Previous, Results};
use crate::workspace::store::Store;
use crate::workspace::{Undo, Workspace};

record! {
    request
    /// A change to look at.
    pub struct WhatIf {
        /// Documents that would come or take the place of others; a list is taken in its order.
        load "load": Option<Loads>,
        /// Documents that would go.
        unload "unload": Option<Vec<Text>>,
        /// Settings that would change.
        configure "configure": Option<Configure>,
    }
}

/// One or several.
#[derive(Clone, Debug)]
pub enum Loads {
    One(Box<Load>),
    Many(Vec<Load>),
}

impl Decode for Loads {
    fn decode(value: Value, at: &JsonPath) -> Result<Loads, Error> {
        match value {
            Value::List(_) => Vec::decode(value, at).map(Loads::Many),
            other => Load::decode(other, at).map(|it| Loads::One(Box::new(it))),
        }
    }
}

impl Shaped for Loads {
    const SHAPE: Shape = Shape::Either(&[Load::SHAPE, Vec::<Load>::SHAPE]);
}

record! {
    answer
    /// What would change, and for whom.
    pub struct WhatIfAnswer {
        counts "counts": Counts,
        /// Clusters that would change alike, most clusters first.
        groups "groups": Vec<ChangeGroup>,
        /// What the change says without effect, and what hides it.
        shadowed "shadowed": Vec<ShadowAnswer>,
        /// The steps of the plan that are there because of the change.
        actions "actions": ActionCounts,
    }
}

record! {
    answer
    /// How far it reaches.
    pub struct Counts {
        /// All clusters of the fleet.
        clusters "clusters": i64,
        changed "changed": i64,
        /// Clusters for which the change has no effect because something hides it.
        shadowed "shadowed": i64,
        /// Subjects whose results would change.
        subjects "subjects": i64,
    }
}

record! {
    answer
    /// Clusters that would change alike.
    pub struct ChangeGroup {
        subject "subject": String,
        clusters "clusters": Vec<Text>,
        /// `changed`, `joins`, `leaves`, `fails` or `heals`.
        change "change": &'static str,
        changes "changes": Vec<ChangeAnswer>,
    }
}

record! {
    answer
    /// One value that would change.
    pub struct ChangeAnswer {
        /// An option path, or a JSON pointer into the object.
        path "path": String,
        object "object": Option<String>,
        before "before": Option<Explicit>,
        before_from "beforeFrom": Option<Value>,
        after "after": Option<Explicit>,
        after_from "afterFrom": Option<Value>,
        /// The layer that decides over it.
        cause "cause": Option<CauseAnswer>,
    }
}

record! {
    answer
    /// Something that is said without effect.
    pub struct ShadowAnswer {
        subject "subject": String,
        path "path": String,
        object "object": Option<String>,
        clusters "clusters": Vec<Text>,
        /// The layer that hides it.
        by "by": CauseAnswer,
    }
}

impl WorkspaceOperation for WhatIf {
    const NAME: &'static str = "whatIf";
    type Answer = WhatIfAnswer;

    fn answer(self, workspace: &mut Workspace, out: &mut Vec<Diagnostic>) -> Result<WhatIfAnswer, Error> {
        workspace.refresh(None);
        let plan_before = planned(workspace, None, None, &mut Vec::new());
        let mut journal = Vec::new();
        let made = self.make(workspace, &mut journal, out);
        let edited: Vec<Identity> = journal.iter().filter_map(edited_cluster).collect();
        let replaced = workspace.refresh(None);
        if let Err(error) = made {
            workspace.undo(journal, replaced);
            return Err(error);
        }
        let plan_after = planned(workspace, None, None, &mut Vec::new());
        let mut tally = Tally::default();
        for (identity, before) in replaced.iter() {
            tally.compare(identity, before, &workspace.store, &workspace.results);
        }
        let own_after = workspace.results.per_cluster_options(&workspace.store, &edited);
        let clusters = workspace.store.cluster_names().len();
        workspace.undo(journal, replaced);
        let own_before = workspace.results.per_cluster_options(&workspace.store, &edited);
        tally.compare_own(&own_before, &own_after, &workspace.store);
        Ok(tally.answer(clusters, ActionCounts::new_in(&plan_after, &plan_before)))
    }
}

impl WhatIf {
    fn make(self, workspace: &mut Workspace, journal: &mut Vec<Undo>, out: &mut Vec<Diagnostic>) -> Result<(), Error> {
        let root = JsonPath::ROOT;
        let going = named(&self.unload.unwrap_or_default(), workspace, &root.key("unload"))?;
        if let Some(configure) = self.configure {
            let before = workspace.store.settings.clone();
            let settings = configure.over(&before, &root.key("configure"))?;
            journal.push(Undo::Settings(Box::new(before)));
            workspace.configure(settings);
        }
        for identity in going {
            journal.extend(workspace.remove(&identity).map(|it| Undo::Put(Box::new(it))));
        }
        let at = root.key("load");
        match self.load {
            Some(Loads::One(load)) => {
                load.apply(workspace, &at, out, Some(journal))?;
            }
            Some(Loads::Many(loads)) => {
                for (index, load) in loads.into_iter().enumerate() {
                    load.apply(workspace, &at.index(index), out, Some(journal))?;
                }
            }
            None => {}
        }
        Ok(())
    }
}

fn edited_cluster(undo: &Undo) -> Option<Identity> {
    let identity = match undo {
        Undo::Put(document) => &document.identity,
        Undo::Remove(identity) => identity,
        Undo::Observed(..) | Undo::Settings(_) => return None,
    };
    is_cluster(identity).then(|| identity.clone())
}

/// What was found so far, by subject and by what changes.
#[derive(Default)]
struct Tally {
    /// By subject, kind of change, and the changes as they are written.
    groups: SortedMap<(Identity, &'static str, String), Alike<Vec<ChangeAnswer>>>,
    shadowed: SortedMap<(Identity, String), Alike<ShadowAnswer>>,
}

/// Something that is the same for some clusters.
type Alike<T> = (T, SortedSet<Text>);

impl Tally {
    fn compare(&mut self, identity: &Identity, before: &Previous, store: &Store, results: &Results) {
        let none = SortedMap::new();
        let now = results.get(identity).map_or(&none, |it| it.cluster_results());
        let mut seen = SortedMap::new();
        for (name, earlier, later) in before.beside(now) {
            self.pair(identity, name, earlier, later, store, &mut seen);
        }
    }

    /// Compares two results of one cluster. Most pairs are of the same two shared results, which are compared once.
    fn pair(
        &mut self,
        subject: &Identity,
        name: &Text,
        before: Option<&ClusterResult>,
        after: Option<&ClusterResult>,
        store: &Store,
        seen: &mut SortedMap<(usize, usize), (Delta, Vec<ChangeAnswer>, String)>,
    ) {
        let change = match (before.map(|it| &it.rendered), after.map(|it| &it.rendered)) {
            (None, None) => return,
            (None, Some(_)) => "joins",
            (Some(_), None) => "leaves",
            (Some(Ok(_)), Some(Err(_))) => "fails",
            (Some(Err(_)), Some(Ok(_))) => "heals",
            (Some(Err(a)), Some(Err(b))) if a == b => return,
            (Some(Err(_)), Some(Err(_))) => "fails",
            (Some(Ok(a)), Some(Ok(b))) => {
                if Arc::ptr_eq(a, b) {
                    return;
                }
                let key = (Arc::as_ptr(a).addr(), Arc::as_ptr(b).addr());
                let (delta, answers, written) = seen.entry(key).or_insert_with(|| {
                    let delta = compare::compare(a, b);
                    let answers: Vec<_> = delta.changes.iter().map(|it| ChangeAnswer::of(it, [a, b], store)).collect();
                    let written = text_of(&answers);
                    (delta, answers, written)
                });
                if !answers.is_empty() {
                    self.add(subject, name, "changed", answers, written);
                }
                for shadow in &delta.shadowed {
                    self.shade(subject, name, shadow, store);
                }
                return;
            }
        };
        self.add(subject, name, change, &[], "");
    }

    fn add(&mut self, subject: &Identity, name: &Text, change: &'static str, answers: &[ChangeAnswer], written: &str) {
        let key = (subject.clone(), change, written.to_string());
        let (_, clusters) = self.groups.entry(key).or_insert_with(|| (answers.to_vec(), SortedSet::new()));
        clusters.insert(name.clone());
    }

    fn shade(&mut self, subject: &Identity, name: &Text, shadow: &compare::Shadow, store: &Store) {
        let answer = ShadowAnswer {
            subject: subject.to_string(),
            path: shadow.path.clone(),
            object: object_name(shadow.object.as_ref()),
            clusters: Vec::new(),
            by: CauseAnswer::of(&shadow.by, store),
        };
        let mut writer = Writer::default();
        answer.write(&mut writer);
        let key = (subject.clone(), writer.into_text());
        let (_, clusters) = self.shadowed.entry(key).or_insert_with(|| (answer, SortedSet::new()));
        clusters.insert(name.clone());
    }

    /// Adds what changes in the options that name the cluster.
    fn compare_own(&mut self, before: &PerClusterOptions, after: &PerClusterOptions, store: &Store) {
        for ((subject, name), now) in after {
            let Some(earlier) = before.get(&(subject.clone(), name.clone())).filter(|it| *it != now) else { continue };
            let with = |own: &[Effective]| Rendered {
                options: Some(with_per_cluster(&Folded::default(), own)),
                ..Rendered::default()
            };
            let (a, b) = (with(earlier), with(now));
            let delta = compare::compare(&a, &b);
            let mut answers: Vec<_> = delta.changes.iter().map(|it| ChangeAnswer::of(it, [&a, &b], store)).collect();
            // A cluster is in one group: what else changes for it goes along.
            let held = self.groups.iter_mut().find(|((it, change, _), (_, clusters))| {
                it == subject && *change == "changed" && clusters.contains(name)
            });
            if let Some((_, (changes, clusters))) = held {
                clusters.remove(name);
                answers.splice(0..0, changes.iter().cloned());
            }
            let written = text_of(&answers);
            self.add(subject, name, "changed", &answers, &written);
        }
        self.groups.retain(|_, (_, clusters)| !clusters.is_empty());
    }

    fn answer(self, clusters: usize, actions: ActionCounts) -> WhatIfAnswer {
        let names = |all: &SortedSet<Text>| all.iter().filter(|it| *it != HUB).cloned().collect::<Vec<_>>();
        let mut changed: SortedSet<Text> = SortedSet::new();
        let mut subjects: SortedSet<Identity> = SortedSet::new();
        let mut groups = Vec::new();
        for ((subject, change, _), (changes, clusters)) in self.groups {
            changed.extend(names(&clusters));
            groups.push(ChangeGroup {
                subject: subject.to_string(),
                clusters: clusters.into_iter().collect(),
                change,
                changes,
            });
            subjects.insert(subject);
        }
        sort_by(&mut groups, |a, b| b.clusters.len().cmp(&a.clusters.len()));
        let mut hidden: SortedSet<Text> = SortedSet::new();
        let mut shadowed = Vec::new();
        for (shadow, clusters) in self.shadowed.into_values() {
            hidden.extend(names(&clusters));
            shadowed.push(ShadowAnswer { clusters: clusters.into_iter().collect(), ..shadow });
        }
        let counts = Counts {
            clusters: count(clusters),
            changed: count(changed.len()),
            shadowed: count(hidden.iter().filter(|it| !changed.contains(*it)).count()),
            subjects: count(subjects.len()),
        };
        WhatIfAnswer { counts, groups, shadowed, actions }
    }
}

fn text_of(answers: &[ChangeAnswer]) -> String {
    let mut writer = Writer::default();
    answers.write(&mut writer);
    writer.into_text()
}

type Shown = (Option<Explicit>, Option<Value>);

/// Both sides of a change, unless the object keeps them to itself.
pub fn shown_change(change: &Change, sides: [&Rendered; 2]) -> (Shown, Shown) {
    let objects = sides.into_iter().flat_map(|it| &it.objects).map(|it| &it.object);
    let object = objects.into_iter().find(|it| change.object.as_ref() == Identity::of(it).ok().as_ref());
    let path = Pointer::parse(&change.path).unwrap_or_default();
    let show = |(value, reference): Shown| match object {
        Some(object) => (value.map(|it| shown(it.0, object, &path)), reference),
        None => (value, reference),
    };
    (show(split(change.before.as_ref())), show(split(change.after.as_ref())))
}

impl ChangeAnswer {
    fn of(change: &Change, sides: [&Rendered; 2], store: &Store) -> ChangeAnswer {
        let ((before, before_from), (after, after_from)) = shown_change(change, sides);
        ChangeAnswer {
            path: change.path.clone(),
            object: object_name(change.object.as_ref()),
            before,
            before_from,
            after,
            after_from,
            cause: Some(CauseAnswer::of(&change.cause, store)),
        }
    }
}
