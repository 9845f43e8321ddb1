//! Results by subject and cluster; a change invalidates only those that it affects.
//!
//! | change | recomputed |
//! |---|---|
//! | a document that a subject was translated from | that subject |
//! | the document of a cluster | that cluster's result of every subject that picks from its fleet |
//! | the observed state of a cluster | that cluster's results |
//! | an object of the hub | the result it belongs to |
//! | a setting | everything |

mod members;

use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic, Error};
use crate::engine::fold::Effective;
use crate::engine::rendered::Rendered;
use crate::object::document::{Document, Identity};
use crate::object::kinds::clusters::is_cluster;
use crate::object::timestamp::Timestamp;
use crate::value::Text;
use crate::value::collections::{SortedMap, SortedSet};
use crate::workspace::observed::HUB;
use crate::workspace::plan::{Known, Planner, SubjectPlan};
use crate::workspace::quarantine;
use crate::workspace::store::{Scope, Store, View};
use crate::workspace::subject::{Dialect, Invalidation, ResultCache, Subject};
use crate::workspace::targets::Targets;
use members::{Member, member, members};

/// The results of a subject by cluster; of one of the hub there is one, without a name.
pub type ClusterResults = SortedMap<Text, ClusterResult>;

/// One cluster's result.
#[derive(Clone, Debug)]
pub struct ClusterResult {
    /// # Errors
    ///
    /// This cluster cannot be answered.
    pub rendered: Result<Arc<Rendered>, Arc<Error>>,
    /// The plan of the result, computed on demand.
    steps: Option<Arc<SubjectPlan>>,
}

/// The results of all subjects.
#[derive(Debug, Default)]
pub struct Results {
    subjects: SortedMap<Identity, SubjectEntry>,
    /// Documents that changed and may be subjects now, or no longer.
    dirty_documents: SortedSet<Identity>,
    /// What dialects plan for the hub without a subject.
    hub_steps: Option<Vec<(&'static str, Arc<SubjectPlan>)>>,
    now: Option<Timestamp>,
}

/// What is known of one subject.
#[derive(Debug)]
pub struct SubjectEntry {
    dialect: &'static dyn Dialect,
    translated: Option<Translated>,
    /// Whether it must be read again.
    is_outdated: bool,
    /// The clusters whose results are stale.
    stale: SortedSet<Text>,
    /// Whether the plan of the subject itself is stale.
    is_unplanned: bool,
}

/// What translating a subject gave.
#[derive(Debug)]
struct Translated {
    read: Result<Box<dyn Subject>, Error>,
    diagnostics: Vec<Diagnostic>,
    cluster_results: ClusterResults,
    cache: ResultCache,
    subject_steps: Option<Arc<SubjectPlan>>,
    /// The clusters whose plan may have a status in it, and with it the time of a request.
    dated: SortedSet<Text>,
}

/// What a change replaced, to compare with and to put back.
#[derive(Debug, Default)]
pub struct PreviousResults {
    subjects: SortedMap<Identity, Previous>,
}

/// What a refresh replaced.
#[derive(Debug)]
pub enum Previous {
    /// There was no such subject.
    Absent,
    /// The previous subject.
    Subject(Box<SubjectEntry>),
    /// Some previous results; `None` for a cluster that had none.
    Clusters { cluster_results: SortedMap<Text, Option<ClusterResult>>, subject_steps: Option<Arc<SubjectPlan>> },
}

impl Previous {
    /// The fleet that the previous subject picked from.
    pub fn scope(&self) -> Option<&Scope> {
        match self {
            Previous::Subject(entry) => entry.scope(),
            Previous::Absent | Previous::Clusters { .. } => None,
        }
    }

    /// The results that were replaced, each beside the one that is there now.
    pub fn beside<'a>(
        &'a self,
        now: &'a ClusterResults,
    ) -> Vec<(&'a Text, Option<&'a ClusterResult>, Option<&'a ClusterResult>)> {
        match self {
            Previous::Absent => now.iter().map(|(name, cluster_result)| (name, None, Some(cluster_result))).collect(),
            Previous::Subject(state) => {
                let cluster_results = state.cluster_results();
                let earlier =
                    cluster_results.iter().map(|(name, cluster_result)| (name, Some(cluster_result), now.get(name)));
                let joined = now.iter().filter(|(name, _)| !cluster_results.contains_key(*name));
                earlier.chain(joined.map(|(name, cluster_result)| (name, None, Some(cluster_result)))).collect()
            }
            Previous::Clusters { cluster_results, .. } => cluster_results
                .iter()
                .map(|(name, cluster_result)| (name, cluster_result.as_ref(), now.get(name)))
                .collect(),
        }
    }
}

/// The options that name a cluster, by subject and cluster.
pub type PerClusterOptions = SortedMap<(Identity, Text), Vec<Effective>>;

/// Something that changed in the store.
#[derive(Clone, Copy, Debug)]
pub enum Change<'a> {
    Document(&'a Identity),
    /// Objects of a cluster were observed: one object, or several without an identity.
    Live(&'a Text, Option<&'a Identity>),
    Settings,
}

impl Results {
    /// Invalidates the results that a change affects.
    pub fn invalidate(&mut self, change: Change) {
        self.hub_steps = None;
        match change {
            Change::Settings => {
                self.subjects.values_mut().for_each(SubjectEntry::mark_outdated);
            }
            Change::Document(identity) => {
                self.dirty_documents.insert(identity.clone());
                let cluster = is_cluster(identity).then(|| Scope::of(identity));
                for state in self.subjects.values_mut() {
                    if state.depends_on(identity) {
                        state.mark_outdated();
                    } else if cluster
                        .as_ref()
                        .is_some_and(|it| crate::seeded!(ClusterLabelsAreCached, state.picks_from(it), false))
                    {
                        state.stale.insert(identity.name.clone());
                    }
                    state.invalidate_object(identity);
                }
            }
            Change::Live(cluster, object) if cluster == HUB => {
                for state in self.subjects.values_mut() {
                    match object {
                        Some(object) => state.invalidate_object(object),
                        None if state.subject().is_ok_and(Subject::reads_hub) => state.mark_outdated(),
                        None => state.replan(),
                    }
                }
            }
            Change::Live(cluster, object) => {
                for state in self.subjects.values_mut().filter(|it| it.watches(cluster, object)) {
                    state.stale.insert(cluster.clone());
                }
            }
        }
    }

    /// Recomputes stale results and returns the previous ones. Idempotent.
    pub fn refresh(&mut self, store: &Store, now: Option<Timestamp>) -> PreviousResults {
        // The time is that of the request: no result for another time is kept.
        if self.now != now {
            self.subjects.values_mut().for_each(SubjectEntry::forget_statuses);
            self.now = now;
            self.hub_steps = None;
            self.subjects
                .values_mut()
                .filter(|it| crate::seeded!(TimeIsCached, it.subject().is_ok_and(Subject::is_timed), false))
                .for_each(SubjectEntry::mark_outdated);
        }
        // The settings may have changed, which nothing else indicates.
        store.forget_derived();
        let view = View { store, now: self.now };
        let mut replaced = PreviousResults::default();
        if self
            .dirty_documents
            .iter()
            .any(|it| store.all_dialects().iter().any(|dialect| dialect.affects_subject_set(it)))
        {
            self.mark_all_dirty(view);
        }
        let mut dirty_documents = std::mem::take(&mut self.dirty_documents);
        let exposed = store.all_dialects().iter().flat_map(|it| it.affected_subjects(view, &dirty_documents));
        let exposed: Vec<Identity> = exposed.collect();
        dirty_documents.extend(exposed);
        for identity in dirty_documents {
            let dialect = view.document(&identity).and_then(|document| dialect_of(view, document));
            match (dialect, self.subjects.get_mut(&identity)) {
                (Some(dialect), Some(state)) if state.dialect.name() == dialect.name() => state.mark_outdated(),
                (Some(dialect), _) => drop(self.subjects.insert(identity, SubjectEntry::new(dialect))),
                (None, Some(_)) => {
                    let state = self.subjects.remove(&identity).map(|it| Previous::Subject(Box::new(it)));
                    replaced.subjects.insert(identity, state.unwrap_or(Previous::Absent));
                }
                (None, None) => {}
            }
        }
        for (identity, state) in &mut self.subjects {
            let before = store.document(identity).and_then(|document| state.refresh(view, document));
            if let Some(before) = before {
                replaced.subjects.insert(identity.clone(), before);
            }
        }
        replaced
    }

    /// The time of the request that is being answered.
    pub fn now(&self) -> Option<Timestamp> {
        self.now
    }

    /// Adds the documents that became subjects, and those that no longer are.
    fn mark_all_dirty(&mut self, view: View) {
        for document in view.documents() {
            let known = self.subjects.get(&document.identity).map(|it| it.dialect.name());
            if dialect_of(view, document).map(Dialect::name) != known {
                self.dirty_documents.insert(document.identity.clone());
            }
        }
    }

    /// Puts back what a change replaced, the store having been put back before.
    pub fn restore(&mut self, replaced: PreviousResults) {
        self.dirty_documents.clear();
        self.hub_steps = None;
        for state in self.subjects.values_mut() {
            state.is_outdated = false;
            state.is_unplanned = false;
            state.stale.clear();
        }
        for (identity, before) in replaced.subjects {
            match before {
                Previous::Absent => drop(self.subjects.remove(&identity)),
                Previous::Subject(state) => drop(self.subjects.insert(identity, *state)),
                Previous::Clusters { cluster_results, subject_steps } => {
                    let Some(translated) = self.subjects.get_mut(&identity).and_then(|it| it.translated.as_mut())
                    else {
                        continue;
                    };
                    translated.subject_steps = subject_steps;
                    for (cluster, cluster_result) in cluster_results {
                        if cluster_result.as_ref().and_then(ClusterResult::steps).is_some_and(is_dated) {
                            translated.dated.insert(cluster.clone());
                        }
                        match cluster_result {
                            Some(cluster_result) => translated.cluster_results.insert(cluster, cluster_result),
                            None => translated.cluster_results.remove(&cluster),
                        };
                    }
                }
            }
        }
    }

    /// The subjects, by identity. They must be settled.
    pub fn subjects(&self) -> impl Iterator<Item = (&Identity, &SubjectEntry)> {
        self.subjects.iter()
    }

    pub fn get(&self, subject: &Identity) -> Option<&SubjectEntry> {
        self.subjects.get(subject)
    }

    /// The options that name the cluster, of some clusters by their documents.
    pub fn per_cluster_options(&self, store: &Store, clusters: &[Identity]) -> PerClusterOptions {
        let mut all = PerClusterOptions::new();
        for (identity, state) in &self.subjects {
            let Ok(subject) = state.subject() else { continue };
            let Targets::Fleet(scope, _) = subject.targets() else { continue };
            let here = clusters.iter().filter(|it| it.kind == scope.kind && it.namespace == scope.namespace);
            for name in here.map(|it| &it.name).filter(|name| state.cluster_results().contains_key(*name)) {
                if let Some(cluster) = store.fleet(scope).and_then(|fleet| fleet.get(name)) {
                    let per_cluster = subject.per_cluster_options(View { store, now: None }, cluster);
                    all.insert((identity.clone(), name.clone()), per_cluster);
                }
            }
        }
        all
    }

    /// Plans every subject in the scope, and returns the contributions of each, one list a subject.
    pub fn plan(
        &mut self,
        store: &Store,
        subjects: Option<&SortedSet<Identity>>,
        clusters: Option<&SortedSet<Text>>,
        out: &mut Vec<Diagnostic>,
    ) -> Vec<Vec<Arc<SubjectPlan>>> {
        let view = View { store, now: self.now };
        let waiting = store.settings.quarantine.waiting_dialects(view, self, out);
        let mut all = Vec::new();
        let planned = self.subjects.iter_mut().filter(|(_, it)| !waiting.contains(&it.dialect.name()));
        for (identity, state) in planned {
            if subjects.is_none_or(|it| it.contains(identity)) {
                let mut its = Vec::new();
                state.plan(view, identity, clusters, &mut its);
                all.push(its);
            }
        }
        if subjects.is_none() && clusters.is_none_or(|it| it.contains(HUB)) {
            let steps = self.plan_hub(view).iter().filter(|(dialect, _)| !waiting.contains(dialect));
            all.extend(steps.map(|(_, it)| vec![Arc::clone(it)]));
        }
        all
    }

    fn plan_hub(&mut self, view: View) -> &[(&'static str, Arc<SubjectPlan>)] {
        let Results { subjects, hub_steps, .. } = self;
        let is_planned = |dialect: &dyn Dialect| {
            let mut its = subjects.values().filter(|it| it.dialect.name() == dialect.name());
            its.any(|it| it.subject().is_ok_and(|it| it.plans_hub(view)))
        };
        hub_steps.get_or_insert_with(|| {
            let alone = view.dialects().filter(|it| !is_planned(*it));
            let steps = alone.map(|it| (it.name(), it.plan_hub(view).withheld())).filter(|(_, it)| !it.is_empty());
            steps.map(|(dialect, it)| (dialect, Arc::new(it))).collect()
        })
    }
}

impl PreviousResults {
    pub fn iter(&self) -> impl Iterator<Item = (&Identity, &Previous)> {
        self.subjects.iter()
    }
}

/// The dialect whose subject a document is, among those that the settings name.
pub fn dialect_of(view: View, document: &Document) -> Option<&'static dyn Dialect> {
    view.dialects().find(|it| it.is_subject(view, document))
}

impl SubjectEntry {
    fn new(dialect: &'static dyn Dialect) -> SubjectEntry {
        SubjectEntry { dialect, translated: None, is_outdated: true, stale: SortedSet::new(), is_unplanned: false }
    }

    pub fn dialect(&self) -> &'static dyn Dialect {
        self.dialect
    }

    /// The subject, translated.
    ///
    /// # Errors
    ///
    /// It cannot be translated.
    pub fn subject(&self) -> Result<&dyn Subject, &Error> {
        match self.translated.as_ref().map(|it| &it.read) {
            Some(Ok(subject)) => Ok(subject.as_ref()),
            Some(Err(error)) => Err(error),
            None => Err(&UNREAD),
        }
    }

    /// The fleet that the subject picks from; none of a subject of the hub.
    pub fn scope(&self) -> Option<&Scope> {
        match self.subject().ok()?.targets() {
            Targets::Hub => None,
            Targets::Fleet(scope, _) => Some(scope),
        }
    }

    pub fn cluster_results(&self) -> &ClusterResults {
        self.translated.as_ref().map_or(const { &ClusterResults::new() }, |it| &it.cluster_results)
    }

    /// The findings from translating it.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        self.translated.as_ref().map_or(&[], |it| &it.diagnostics)
    }

    fn mark_outdated(&mut self) {
        self.is_outdated = true;
    }

    fn replan(&mut self) {
        let Some(translated) = &self.translated else { return };
        self.stale.extend(translated.cluster_results.keys().cloned());
        self.is_unplanned = true;
    }

    /// Drops the plans of statuses, which may have the time of another request in them.
    fn forget_statuses(&mut self) {
        let Some(translated) = &mut self.translated else { return };
        let undated = |it: &Arc<SubjectPlan>| !is_dated(it);
        translated.subject_steps = translated.subject_steps.take().filter(undated);
        // Those alone: a fleet has many results, and another time reaches every request.
        for name in std::mem::take(&mut translated.dated) {
            if let Some(cluster_result) = translated.cluster_results.get_mut(&name) {
                cluster_result.steps = cluster_result.steps.take().filter(undated);
            }
        }
    }

    fn depends_on(&self, identity: &Identity) -> bool {
        // What could not be read may be readable now.
        self.subject().map_or(true, |subject| subject.dependencies().iter().any(|it| it.is_on(identity)))
    }

    fn picks_from(&self, scope: &Scope) -> bool {
        self.subject().is_ok_and(|subject| matches!(subject.targets(), Targets::Fleet(it, _) if it == scope))
    }

    fn watches(&self, cluster: &Text, object: Option<&Identity>) -> bool {
        let picked = self.cluster_results().contains_key(cluster);
        self.subject().map_or(picked, |subject| subject.watches(picked, object))
    }

    fn invalidate_object(&mut self, object: &Identity) {
        match self.subject().map_or(Invalidation::Nothing, |subject| subject.invalidated_by(object)) {
            Invalidation::Nothing => {}
            Invalidation::Cluster(cluster) => drop(self.stale.insert(cluster)),
            Invalidation::Whole => self.replan(),
            Invalidation::Conclusion => self.is_unplanned = true,
            Invalidation::Subject => self.mark_outdated(),
        }
    }

    /// Recomputes stale results and returns the previous ones, if any.
    fn refresh(&mut self, view: View, document: &Document) -> Option<Previous> {
        if self.is_outdated || self.subject().is_ok_and(|it| it.is_outdated(view)) {
            let fresh = Translated::of(self.dialect, view, document);
            let (dialect, translated) = (self.dialect, self.translated.replace(fresh));
            (self.is_outdated, self.is_unplanned, self.stale) = (false, false, SortedSet::new());
            let before = |translated| SubjectEntry {
                translated: Some(translated),
                is_outdated: false,
                ..SubjectEntry::new(dialect)
            };
            return Some(translated.map_or(Previous::Absent, |it| Previous::Subject(Box::new(before(it)))));
        }
        let (stale, is_unplanned) = (std::mem::take(&mut self.stale), std::mem::take(&mut self.is_unplanned));
        let Some(Translated { read: Ok(subject), cluster_results, cache, subject_steps, .. }) = &mut self.translated
        else {
            return None;
        };
        if stale.is_empty() && !is_unplanned {
            return None;
        }
        let mut before = SortedMap::new();
        cache.make(stale.len(), |cache| {
            for name in stale {
                let fresh = member(view, subject.as_ref(), &name)
                    .map(|it| ClusterResult::of(view, subject.as_ref(), &it, cache));
                let replaced = match fresh {
                    Some(cluster_result) => cluster_results.insert(name.clone(), cluster_result),
                    None => cluster_results.remove(&name),
                };
                before.insert(name, replaced);
            }
        });
        Some(Previous::Clusters { cluster_results: before, subject_steps: subject_steps.take() })
    }

    fn plan(
        &mut self,
        view: View,
        identity: &Identity,
        clusters: Option<&SortedSet<Text>>,
        all: &mut Vec<Arc<SubjectPlan>>,
    ) {
        let Some(Translated { read, cluster_results, subject_steps, dated, .. }) = &mut self.translated else { return };
        let subject = match read {
            Ok(subject) => subject,
            // Not even its status: that may be as much work.
            Err(error) if error.code == Code::QuarantinedDocument => return,
            Err(error) => {
                if let Some(document) = view.document(identity).filter(|_| clusters.is_none()) {
                    let subject_steps = subject_steps.get_or_insert_with(|| {
                        let mut planner = Planner::new(view, identity);
                        self.dialect.plan_refused(view, document, error, &mut planner);
                        Arc::new(planner.steps.withheld())
                    });
                    all.push(Arc::clone(subject_steps));
                }
                return;
            }
        };
        let mut known = Known::default();
        let mut plan = |name: &Text, cluster_result: &mut ClusterResult| {
            let steps = cluster_result.steps.get_or_insert_with(|| {
                let mut planner = Planner::knowing(std::mem::take(&mut known), view, identity);
                if let Ok(rendered) = &cluster_result.rendered {
                    subject.plan(view, name, rendered, &mut planner);
                }
                known = planner.known;
                let steps = Arc::new(planner.steps.withheld());
                if is_dated(&steps) {
                    dated.insert(name.clone());
                }
                steps
            });
            if !steps.is_empty() || steps.managed > 0 {
                all.push(Arc::clone(steps));
            }
        };
        match clusters {
            // Looked up: a plan of one cluster does not walk the fleet.
            Some(names) if names.len() < cluster_results.len() => names.iter().for_each(|name| {
                if let Some(cluster_result) = cluster_results.get_mut(name) {
                    plan(name, cluster_result);
                }
            }),
            _ => {
                let its = cluster_results.iter_mut().filter(|(name, _)| clusters.is_none_or(|it| it.contains(*name)));
                its.for_each(|(name, cluster_result)| plan(name, cluster_result));
            }
        }
        if clusters.is_none() {
            let subject_steps = subject_steps.get_or_insert_with(|| {
                let mut planner = Planner::new(view, identity);
                subject.plan_subject(view, cluster_results, &mut planner);
                Arc::new(planner.steps.withheld())
            });
            all.push(Arc::clone(subject_steps));
        }
    }
}

impl Translated {
    fn of(dialect: &dyn Dialect, view: View, document: &Document) -> Translated {
        let (mut diagnostics, mut cache, mut cluster_results) =
            (Vec::new(), ResultCache::default(), ClusterResults::new());
        let read = quarantine::read(view, dialect, document, &mut diagnostics);
        // What cannot be translated has no results, and nothing is planned for it: it keeps its last state.
        if let Ok(subject) = &read {
            let subject = subject.as_ref();
            let members = members(view, subject);
            cache.make(members.len(), |cache| {
                let results = members
                    .into_iter()
                    .map(|it| (it.as_ref().name.clone(), ClusterResult::of(view, subject, &it, cache)));
                cluster_results.extend(results);
            });
        }
        Translated { read, diagnostics, cluster_results, cache, subject_steps: None, dated: SortedSet::new() }
    }
}

impl ClusterResult {
    fn of(view: View, subject: &dyn Subject, member: &Member, cache: &mut ResultCache) -> ClusterResult {
        ClusterResult { rendered: subject.effective(view, member.as_ref(), cache).map_err(Arc::new), steps: None }
    }

    /// What brings it about, if it was planned.
    pub fn steps(&self) -> Option<&SubjectPlan> {
        self.steps.as_deref()
    }
}

/// Whether a plan has a status, which may have the time of the request in it.
fn is_dated(steps: &SubjectPlan) -> bool {
    !steps.status.is_empty()
}

static UNREAD: Error = Error { code: Code::UnknownDocument, message: String::new(), at: None, hint: None };
