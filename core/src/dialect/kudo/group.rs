//! OperatorVersions that share objects, and their actions on these in one plan.
//!
//! Each group is read once, and the actions of its members are computed once and shared. Otherwise n versions of one
//! operator would read each other n times.

use std::sync::Arc;

use super::install::{Member, ObjectStatus, Projection, end_of, is_stopped};
use super::package::{self, FIRST_WAVE, Install};
use super::scope::Scopes;
use super::{GROUP, KIND, record};
use crate::object::document::{Document, Identity};
use crate::object::identity::is_terminating;
use crate::value::Text;
use crate::value::collections::{SortedMap, SortedSet};
use crate::workspace::plan::{Target, is_paused};
use crate::workspace::store::View;

/// An OperatorVersion among others.
#[derive(Debug)]
pub struct OtherVersion {
    pub identity: Identity,
    pub operator: Text,
    pub install: Option<Arc<Install>>,
    /// Whether its install plan cannot be read, so that it keeps its last state.
    is_unreadable: bool,
}

/// The OperatorVersions that share objects with each other, directly or through others.
#[derive(Debug, Default)]
pub struct Group {
    /// By identity.
    pub members: Vec<OtherVersion>,
    /// The objects of all install plans.
    objects: SortedSet<Identity>,
    namespaces: SortedSet<Text>,
    /// Who has an object in its install plan, by identity.
    holders: SortedMap<Identity, Vec<usize>>,
}

impl Group {
    fn of(members: Vec<OtherVersion>) -> Group {
        let mut group = Group::default();
        for (place, member) in members.iter().enumerate() {
            group.namespaces.insert(member.identity.namespace.clone());
            for part in member.install.iter().flat_map(|it| &it.parts) {
                group.objects.insert(part.identity.clone());
                group.holders.entry(part.identity.clone()).or_default().push(place);
            }
        }
        group.members = members;
        group
    }

    /// Whether an object belongs to one of the members, or is the namespace of one.
    pub fn concerns(&self, object: &Identity) -> bool {
        self.objects.contains(object) || object.namespace.is_empty() && self.namespaces.contains(&object.name)
    }

    /// The members that have an object in their install plans.
    pub fn holders(&self, object: &Identity) -> impl Iterator<Item = &OtherVersion> {
        self.holders.get(object).into_iter().flatten().filter_map(|place| self.members.get(*place))
    }
}

/// The groups of all OperatorVersions.
#[derive(Debug, Default)]
pub struct Groups {
    by_version: SortedMap<Identity, Arc<Group>>,
}

impl Groups {
    pub fn of(view: View) -> Arc<Groups> {
        view.store.derived("kudo groups", || Groups::read(view))
    }

    pub fn of_version(&self, identity: &Identity) -> Arc<Group> {
        self.by_version.get(identity).map(Arc::clone).unwrap_or_default()
    }

    /// Versions with an object of the same name belong together, whatever its kind.
    fn read(view: View) -> Groups {
        let scopes = Scopes::of(view);
        let mut sets = DisjointSets::default();
        let mut by_name: SortedMap<Text, usize> = SortedMap::new();
        let mut versions = Vec::new();
        for document in view.store.of_kind(GROUP, KIND, None) {
            let place = sets.add();
            let version = read(view, document, &scopes);
            let parts = version.install.iter().flat_map(|it| &it.parts).map(|it| it.identity.name.clone());
            for name in parts.chain(record::read(&document.value).into_iter().map(|it| it.name)) {
                let first = *by_name.entry(name).or_insert(place);
                sets.join(first, place);
            }
            versions.push(version);
        }
        let mut members: SortedMap<usize, Vec<OtherVersion>> = SortedMap::new();
        for (place, version) in versions.into_iter().enumerate() {
            members.entry(sets.root(place)).or_default().push(version);
        }
        let mut groups = Groups::default();
        for group in members.into_values().map(Group::of).map(Arc::new) {
            groups.by_version.extend(group.members.iter().map(|it| (it.identity.clone(), Arc::clone(&group))));
        }
        groups
    }
}

fn read(view: View, document: &Document, scopes: &Scopes) -> OtherVersion {
    let is_quarantined = view.settings.quarantine.names(&document.identity);
    let read = (!is_quarantined).then(|| package::read(document, scopes, &mut Vec::new())).and_then(Result::ok);
    OtherVersion {
        identity: document.identity.clone(),
        operator: document.value.text_at(&["spec", "operator", "name"]).into(),
        is_unreadable: is_quarantined || read.is_none() && !is_terminating(&document.value),
        install: read.flatten().map(Arc::new),
    }
}

/// Which numbers belong together.
#[derive(Debug, Default)]
struct DisjointSets {
    /// The number that each follows; a root follows itself.
    above: Vec<usize>,
}

impl DisjointSets {
    fn add(&mut self) -> usize {
        self.above.push(self.above.len());
        self.above.len().saturating_sub(1)
    }

    fn root(&mut self, of: usize) -> usize {
        let mut here = of;
        while let Some(above) = self.above.get(here).copied().filter(|it| *it != here) {
            // Halves the path for the next lookup.
            let next = self.above.get(above).copied().unwrap_or(above);
            if let Some(it) = self.above.get_mut(here) {
                *it = next;
            }
            here = next;
        }
        here
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        if let Some(it) = self.above.get_mut(a.max(b)) {
            *it = a.min(b);
        }
    }
}

/// The statuses of the objects of one OperatorVersion.
#[derive(Clone, Debug, Default)]
pub struct InstallStatus {
    /// Those to hold, in the order of the install plan.
    pub adopted: Vec<ObjectStatus>,
    /// The objects to release.
    pub released: Vec<(Target, ObjectStatus)>,
}

/// The statuses of the objects of all members after the actions of each of them in the same plan.
#[derive(Debug, Default)]
pub struct GroupStatus {
    by_version: SortedMap<Identity, InstallStatus>,
    /// What must be observed to know what others do: each object with the first member that wants it.
    unseen: Vec<(Identity, Target)>,
}

impl GroupStatus {
    /// The status of the group of an OperatorVersion.
    pub fn of(view: View, group: &Group, version: &Identity, install: Option<&Install>) -> Arc<GroupStatus> {
        // What is paused does nothing that others could build on.
        let others = || group.members.iter().filter(|it| !it.is_unreadable && !is_paused(view.store, &it.identity));
        let members = || others().map(|it| (&it.identity, it.install.as_deref()));
        let own =
            group.members.binary_search_by(|it| it.identity.cmp(version)).ok().and_then(|at| group.members.get(at));
        let is_active = own.is_some_and(|it| !it.is_unreadable && !is_paused(view.store, version));
        match group.members.first() {
            Some(first) if is_active => {
                let all = view.store.derived("kudo statuses", Statuses::default);
                all.get_or(&first.identity, || GroupStatus::read(view, members()))
            }
            _ => {
                let mut members: Vec<_> = members().chain([(version, install)]).collect();
                members.sort_by_key(|(identity, _)| *identity);
                Arc::new(GroupStatus::read(view, members.into_iter()))
            }
        }
    }

    fn read<'a>(view: View<'a>, group: impl Iterator<Item = (&'a Identity, Option<&'a Install>)>) -> GroupStatus {
        let (mut projection, mut members) = (Projection::default(), Vec::new());
        let (mut status, mut known) = (GroupStatus::default(), SortedSet::new());
        for (identity, install) in group {
            let Some(member) = Member::of(view, identity, install) else { continue };
            let adopted = member.adopt(view, &mut projection);
            let unknown = member.wanted().iter().zip(&adopted).filter(|(_, it)| **it == ObjectStatus::Unknown);
            for (part, _) in unknown {
                if known.insert(&part.identity) {
                    status.unseen.push((identity.clone(), Target::of(&part.object)));
                }
            }
            members.push((identity, member, adopted));
        }
        for (identity, member, adopted) in members {
            let start = end_of(adopted.iter(), FIRST_WAVE);
            // Nothing is released before its replacement exists.
            let waits = crate::seeded!(ReleaseDoesNotWait, is_stopped(&adopted), false);
            let released = if waits { Vec::new() } else { member.release(view, start, &mut projection) };
            status.by_version.insert(identity.clone(), InstallStatus { adopted, released });
        }
        status
    }

    pub fn of_version(&self, identity: &Identity) -> InstallStatus {
        self.by_version.get(identity).cloned().unwrap_or_default()
    }

    /// What must be observed to know what others do before an OperatorVersion acts.
    pub fn unseen<'a>(&'a self, identity: &'a Identity, status: &InstallStatus) -> impl Iterator<Item = &'a Target> {
        let acts = |status: &ObjectStatus| matches!(status, ObjectStatus::Doing(_) | ObjectStatus::Delayed(..));
        let (takes, lets_go) = (status.adopted.iter().any(acts), status.released.iter().any(|(_, it)| acts(it)));
        // Adopting follows the earlier members, releasing follows all that adopt.
        let counts = move |other: &Identity| lets_go || takes && other < identity;
        self.unseen.iter().filter(move |(other, _)| counts(other)).map(|(_, target)| target)
    }
}

/// The statuses of groups, by their first members.
#[derive(Debug, Default)]
struct Statuses(std::sync::Mutex<SortedMap<Identity, Arc<GroupStatus>>>);

impl Statuses {
    fn get_or(&self, first: &Identity, make: impl FnOnce() -> GroupStatus) -> Arc<GroupStatus> {
        let mut kept = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(status) = kept.get(first) {
            return Arc::clone(status);
        }
        let status = Arc::new(make());
        kept.insert(first.clone(), Arc::clone(&status));
        status
    }
}
