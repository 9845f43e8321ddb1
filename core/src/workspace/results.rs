//! Results, kept by subject and cluster, and thrown away only where a change reaches.
//!
//! | what changes | what is worked out again |
//! |---|---|
//! | a document that a subject was translated from | that subject |
//! | the document of a cluster | that cluster's result of every subject that picks from its fleet |
//! | what was seen in a cluster | that cluster's results |
//! | an object of the hub | the result it belongs to |
//! | a setting | everything |

use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic, Error};
use crate::engine::fold::Effective;
use crate::engine::rendered::Outcome;
use crate::engine::select::Cluster;
use crate::object::document::{Document, Identity};
use crate::object::kinds::clusters::is_cluster;
use crate::object::timestamp::Moment;
use crate::value::Text;
use crate::value::ordered::{BTreeMap, BTreeSet};
use crate::workspace::observed::HUB;
use crate::workspace::plan::{Planner, Steps};
use crate::workspace::store::{Scope, Store, View};
use crate::workspace::subject::{Dialect, Memo, Subject, Touch};
use crate::workspace::targets::Who;

/// The results of a subject by cluster; of one of the hub there is one, without a name.
pub type Cells = BTreeMap<Text, Cell>;

/// One cluster's result.
#[derive(Clone, Debug)]
pub struct Cell {
    /// # Errors
    ///
    /// This cluster cannot be answered.
    pub outcome: Result<Arc<Outcome>, Arc<Error>>,
    /// What brings it about; worked out when it is asked for.
    steps: Option<Arc<Steps>>,
}

#[derive(Debug, Default)]
pub struct Results {
    subjects: BTreeMap<Identity, State>,
    /// Documents that changed and may be subjects now, or no longer.
    suspects: BTreeSet<Identity>,
    now: Option<Moment>,
}

/// What is known of one subject.
#[derive(Debug)]
pub struct State {
    dialect: &'static dyn Dialect,
    reading: Option<Reading>,
    /// Whether it must be read again.
    is_outdated: bool,
    /// The clusters whose results must be worked out again.
    stale: BTreeSet<Text>,
    /// Whether what concerns it as a whole must be planned again.
    is_unplanned: bool,
}

/// What translating a subject gave.
#[derive(Debug)]
struct Reading {
    read: Result<Box<dyn Subject>, Error>,
    told: Vec<Diagnostic>,
    cells: Cells,
    memo: Memo,
    whole: Option<Arc<Steps>>,
}

/// What a change replaced, to compare with and to put back.
#[derive(Debug, Default)]
pub struct Replaced {
    subjects: BTreeMap<Identity, Before>,
}

#[derive(Debug)]
pub enum Before {
    /// There was no such subject.
    Nothing,
    /// The whole subject was another one.
    State(Box<State>),
    /// Some of its results were; nothing stands for a cluster that had none.
    Cells { cells: BTreeMap<Text, Option<Cell>>, whole: Option<Arc<Steps>> },
}

impl Before {
    /// The results that were replaced, each beside the one that is there now.
    pub fn beside<'a>(&'a self, now: &'a Cells) -> Vec<(&'a Text, Option<&'a Cell>, Option<&'a Cell>)> {
        match self {
            Before::Nothing => now.iter().map(|(name, cell)| (name, None, Some(cell))).collect(),
            Before::State(state) => {
                let cells = state.cells();
                let earlier = cells.iter().map(|(name, cell)| (name, Some(cell), now.get(name)));
                let joined = now.iter().filter(|(name, _)| !cells.contains_key(*name));
                earlier.chain(joined.map(|(name, cell)| (name, None, Some(cell)))).collect()
            }
            Before::Cells { cells, .. } => {
                cells.iter().map(|(name, cell)| (name, cell.as_ref(), now.get(name))).collect()
            }
        }
    }
}

/// The options that name a cluster, by subject and cluster.
pub type OwnOptions = BTreeMap<(Identity, Text), Vec<Effective>>;

/// Something that changed in the store.
#[derive(Clone, Copy, Debug)]
pub enum Change<'a> {
    Document(&'a Identity),
    /// Something was seen in a cluster: one object, or more than one.
    Live(&'a Text, Option<&'a Identity>),
    Settings,
}

impl Results {
    /// Notes a change, so that what it reaches is worked out again.
    pub fn note(&mut self, change: Change) {
        match change {
            Change::Settings => {
                self.subjects.values_mut().for_each(State::reread);
            }
            Change::Document(identity) => {
                self.suspects.insert(identity.clone());
                let cluster = is_cluster(identity).then(|| Scope::of(identity));
                for state in self.subjects.values_mut() {
                    if state.depends_on(identity) {
                        state.reread();
                    } else if cluster.as_ref().is_some_and(|it| state.picks_from(it)) {
                        state.stale.insert(identity.name.clone());
                    }
                    state.touch(identity);
                }
            }
            Change::Live(cluster, object) if cluster == HUB => {
                for state in self.subjects.values_mut() {
                    match object {
                        Some(object) => state.touch(object),
                        None if state.subject().is_ok_and(Subject::reads_hub) => state.reread(),
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

    /// Works out what is stale, and answers what that replaced. Settling twice does nothing more.
    pub fn settle(&mut self, store: &Store, now: Option<Moment>) -> Replaced {
        if now.is_some() && self.now != now {
            if self.now.is_none() {
                self.subjects.values_mut().for_each(State::forget_statuses);
            }
            self.now = now;
            self.subjects.values_mut().filter(|it| it.subject().is_ok_and(Subject::is_timed)).for_each(State::reread);
        }
        let view = View { store, now: self.now };
        let mut replaced = Replaced::default();
        if self.suspects.iter().any(|it| store.all_dialects().iter().any(|dialect| dialect.names_subjects(it))) {
            self.suspect_all(view);
        }
        let mut suspects = std::mem::take(&mut self.suspects);
        let exposed = |it: &Identity| {
            store.all_dialects().iter().flat_map(|dialect| dialect.exposed(view, it)).collect::<Vec<_>>()
        };
        let exposed: Vec<Identity> = suspects.iter().flat_map(exposed).collect();
        suspects.extend(exposed);
        for identity in suspects {
            let dialect = view.document(&identity).and_then(|document| dialect_of(view, document));
            match (dialect, self.subjects.get_mut(&identity)) {
                (Some(dialect), Some(state)) if state.dialect.name() == dialect.name() => state.reread(),
                (Some(dialect), _) => drop(self.subjects.insert(identity, State::new(dialect))),
                (None, Some(_)) => {
                    let state = self.subjects.remove(&identity).map(|it| Before::State(Box::new(it)));
                    replaced.subjects.insert(identity, state.unwrap_or(Before::Nothing));
                }
                (None, None) => {}
            }
        }
        for (identity, state) in &mut self.subjects {
            let before = store.document(identity).and_then(|document| state.settle(view, document));
            if let Some(before) = before {
                replaced.subjects.insert(identity.clone(), before);
            }
        }
        replaced
    }

    /// Adds the documents that are subjects now and were none, and the other way round.
    fn suspect_all(&mut self, view: View) {
        for document in view.documents() {
            let known = self.subjects.get(&document.identity).map(|it| it.dialect.name());
            if dialect_of(view, document).map(Dialect::name) != known {
                self.suspects.insert(document.identity.clone());
            }
        }
    }

    /// Puts back what a change replaced, the store having been put back before.
    pub fn restore(&mut self, replaced: Replaced) {
        self.suspects.clear();
        for state in self.subjects.values_mut() {
            state.is_outdated = false;
            state.is_unplanned = false;
            state.stale.clear();
        }
        for (identity, before) in replaced.subjects {
            match before {
                Before::Nothing => drop(self.subjects.remove(&identity)),
                Before::State(state) => drop(self.subjects.insert(identity, *state)),
                Before::Cells { cells, whole } => {
                    let Some(reading) = self.subjects.get_mut(&identity).and_then(|it| it.reading.as_mut()) else {
                        continue;
                    };
                    reading.whole = whole;
                    for (cluster, cell) in cells {
                        match cell {
                            Some(cell) => reading.cells.insert(cluster, cell),
                            None => reading.cells.remove(&cluster),
                        };
                    }
                }
            }
        }
    }

    /// The subjects, by identity. They must be settled.
    pub fn subjects(&self) -> impl Iterator<Item = (&Identity, &State)> {
        self.subjects.iter()
    }

    pub fn get(&self, subject: &Identity) -> Option<&State> {
        self.subjects.get(subject)
    }

    /// The options that name the cluster, of some clusters by their documents.
    pub fn own_options(&self, store: &Store, clusters: &[Identity]) -> OwnOptions {
        let mut all = OwnOptions::new();
        for (identity, state) in &self.subjects {
            let Ok(subject) = state.subject() else { continue };
            let Who::Fleet(scope, _) = subject.who() else { continue };
            let here = clusters.iter().filter(|it| it.kind == scope.kind && it.namespace == scope.namespace);
            for name in here.map(|it| &it.name).filter(|name| state.cells().contains_key(*name)) {
                if let Some(cluster) = store.fleet(scope).and_then(|fleet| fleet.get(name)) {
                    let own = subject.own(View { store, now: None }, cluster);
                    all.insert((identity.clone(), name.clone()), own);
                }
            }
        }
        all
    }

    /// Plans every subject in the scope, and answers what each contributes.
    pub fn plan(
        &mut self,
        store: &Store,
        subjects: Option<&BTreeSet<Identity>>,
        clusters: Option<&BTreeSet<Text>>,
    ) -> Vec<Arc<Steps>> {
        let view = View { store, now: self.now };
        let mut all = Vec::new();
        for (identity, state) in &mut self.subjects {
            if subjects.is_none_or(|it| it.contains(identity)) {
                state.plan(view, identity, clusters, &mut all);
            }
        }
        all
    }
}

impl Replaced {
    pub fn iter(&self) -> impl Iterator<Item = (&Identity, &Before)> {
        self.subjects.iter()
    }
}

/// The dialect whose subject a document is, among those that the settings name.
pub fn dialect_of(view: View, document: &Document) -> Option<&'static dyn Dialect> {
    view.dialects().find(|it| it.is_subject(view, document))
}

impl State {
    fn new(dialect: &'static dyn Dialect) -> State {
        State { dialect, reading: None, is_outdated: true, stale: BTreeSet::new(), is_unplanned: false }
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
        match self.reading.as_ref().map(|it| &it.read) {
            Some(Ok(subject)) => Ok(subject.as_ref()),
            Some(Err(error)) => Err(error),
            None => Err(&UNREAD),
        }
    }

    pub fn cells(&self) -> &Cells {
        self.reading.as_ref().map_or(const { &Cells::new() }, |it| &it.cells)
    }

    /// What translating it told.
    pub fn told(&self) -> &[Diagnostic] {
        self.reading.as_ref().map_or(&[], |it| &it.told)
    }

    fn reread(&mut self) {
        self.is_outdated = true;
    }

    fn replan(&mut self) {
        let Some(reading) = &self.reading else { return };
        self.stale.extend(reading.cells.keys().cloned());
        self.is_unplanned = true;
    }

    /// Drops the plans of statuses that were made without a time, which may belong into them.
    fn forget_statuses(&mut self) {
        let Some(reading) = &mut self.reading else { return };
        let dated = |it: &Arc<Steps>| it.status.is_empty();
        reading.whole = reading.whole.take().filter(dated);
        for cell in reading.cells.values_mut() {
            cell.steps = cell.steps.take().filter(dated);
        }
    }

    fn depends_on(&self, identity: &Identity) -> bool {
        // What could not be read may be readable now.
        self.subject().map_or(true, |subject| subject.depends().iter().any(|it| it.is_on(identity)))
    }

    fn picks_from(&self, scope: &Scope) -> bool {
        self.subject().is_ok_and(|subject| matches!(subject.who(), Who::Fleet(it, _) if it == scope))
    }

    fn watches(&self, cluster: &Text, object: Option<&Identity>) -> bool {
        let picked = self.cells().contains_key(cluster);
        self.subject().map_or(picked, |subject| subject.watches(picked, object))
    }

    fn touch(&mut self, object: &Identity) {
        match self.subject().map_or(Touch::Nothing, |subject| subject.touched_by(object)) {
            Touch::Nothing => {}
            Touch::Cell(cluster) => drop(self.stale.insert(cluster)),
            Touch::Whole => self.replan(),
            Touch::Conclusion => self.is_unplanned = true,
            Touch::Subject => self.reread(),
        }
    }

    /// Works out what is stale, and answers what that replaced, if anything.
    fn settle(&mut self, view: View, document: &Document) -> Option<Before> {
        if self.is_outdated {
            let fresh = Reading::of(self.dialect, view, document);
            let (dialect, reading) = (self.dialect, self.reading.replace(fresh));
            (self.is_outdated, self.is_unplanned, self.stale) = (false, false, BTreeSet::new());
            let before = |reading| State { reading: Some(reading), is_outdated: false, ..State::new(dialect) };
            return Some(reading.map_or(Before::Nothing, |it| Before::State(Box::new(before(it)))));
        }
        let (stale, is_unplanned) = (std::mem::take(&mut self.stale), std::mem::take(&mut self.is_unplanned));
        let Some(Reading { read: Ok(subject), cells, memo, whole, .. }) = &mut self.reading else { return None };
        if stale.is_empty() && !is_unplanned {
            return None;
        }
        let mut before = BTreeMap::new();
        for name in stale {
            let fresh = member(view, subject.as_ref(), &name).map(|it| Cell::of(view, subject.as_ref(), &it, memo));
            let replaced = match fresh {
                Some(cell) => cells.insert(name.clone(), cell),
                None => cells.remove(&name),
            };
            before.insert(name, replaced);
        }
        Some(Before::Cells { cells: before, whole: whole.take() })
    }

    fn plan(&mut self, view: View, identity: &Identity, clusters: Option<&BTreeSet<Text>>, all: &mut Vec<Arc<Steps>>) {
        let Some(Reading { read: Ok(subject), cells, whole, .. }) = &mut self.reading else { return };
        let mut plan = |name: &Text, cell: &mut Cell| {
            let steps = cell.steps.get_or_insert_with(|| {
                let mut planner = Planner::new(view, identity);
                if let Ok(outcome) = &cell.outcome {
                    subject.plan(view, name, outcome, &mut planner);
                }
                Arc::new(withheld(planner.steps))
            });
            if !steps.is_empty() || steps.managed > 0 {
                all.push(Arc::clone(steps));
            }
        };
        match clusters {
            None => cells.iter_mut().for_each(|(name, cell)| plan(name, cell)),
            // Looked up: a plan of one cluster does not walk the fleet.
            Some(names) => names.iter().for_each(|name| {
                if let Some(cell) = cells.get_mut(name) {
                    plan(name, cell);
                }
            }),
        }
        if clusters.is_none() {
            let whole = whole.get_or_insert_with(|| {
                let mut planner = Planner::new(view, identity);
                subject.conclude(view, cells, &mut planner);
                Arc::new(withheld(planner.steps))
            });
            all.push(Arc::clone(whole));
        }
    }
}

impl Reading {
    fn of(dialect: &dyn Dialect, view: View, document: &Document) -> Reading {
        let (mut told, mut memo, mut cells) = (Vec::new(), Memo::default(), Cells::new());
        let read = dialect.read(view, document, &mut told);
        // What cannot be translated has no results, and nothing is planned for it: it keeps its last state.
        if let Ok(subject) = &read {
            let subject = subject.as_ref();
            let members = members(view, subject).into_iter();
            cells.extend(members.map(|it| (it.as_ref().name.clone(), Cell::of(view, subject, &it, &mut memo))));
        }
        Reading { read, told, cells, memo, whole: None }
    }
}

impl Cell {
    fn of(view: View, subject: &dyn Subject, member: &Member, memo: &mut Memo) -> Cell {
        Cell { outcome: subject.effective(view, member.as_ref(), memo).map_err(Arc::new), steps: None }
    }

    /// What brings it about, if it was planned.
    pub fn steps(&self) -> Option<&Steps> {
        self.steps.as_deref()
    }
}

/// Until its needs are met, a result contributes needs and no actions.
fn withheld(mut steps: Steps) -> Steps {
    if !steps.needs.is_empty() {
        steps.actions.clear();
        steps.held.clear();
    }
    steps
}

static UNREAD: Error = Error { code: Code::UnknownDocument, message: String::new(), at: None, hint: None };

enum Member<'a> {
    Hub(Cluster),
    Cluster(&'a Cluster),
}

impl AsRef<Cluster> for Member<'_> {
    fn as_ref(&self) -> &Cluster {
        match self {
            Member::Hub(hub) => hub,
            Member::Cluster(cluster) => cluster,
        }
    }
}

fn members<'a>(view: View<'a>, subject: &dyn Subject) -> Vec<Member<'a>> {
    match subject.who() {
        Who::Hub => vec![Member::Hub(Cluster::default())],
        Who::Fleet(scope, picks) => {
            let fleet = view.store.fleet(scope).into_iter();
            fleet.flat_map(|fleet| picks.members(fleet)).map(Member::Cluster).collect()
        }
    }
}

fn member<'a>(view: View<'a>, subject: &dyn Subject, name: &Text) -> Option<Member<'a>> {
    match subject.who() {
        Who::Hub => name.is_empty().then(|| Member::Hub(Cluster::default())),
        Who::Fleet(scope, picks) => {
            let cluster = view.store.fleet(scope)?.get(name)?;
            picks.picks(cluster).then_some(Member::Cluster(cluster))
        }
    }
}
