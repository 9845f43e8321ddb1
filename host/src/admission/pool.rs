//! The engines that answer reviews: two workspaces with the same documents, each on a thread of its own.
//!
//! 1. A review that exceeds a limit is an error for that review alone. Its workspace is loaded again in the background,
//!    while the other one goes on.
//! 2. Changed documents go to the first workspace, which computes everything once. What exceeds a limit there is put
//!    aside; only then do the others get the documents, together with what is put aside. So a document that cannot be
//!    computed reaches one workspace at most.
//! 3. A user whose review exceeded a limit is isolated for a while: only the first workspace answers their reviews, so
//!    repeating one does not take the others. The time doubles with each such review.
//! 4. A review is answered by a workspace that has at least the documents that were there when the webhook became
//!    ready.
//! 5. A review whose API server no longer waits for the verdict is dropped, so that it delays no other.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use fleetfold_core::Value;
use fleetfold_core::api::admit::{Admit, AdmitAnswer};
use fleetfold_core::api::configure::Configure;
use fleetfold_core::api::kinds::{Kinds, KindsAnswer};
use fleetfold_core::api::subjects::Subjects;
use fleetfold_core::object::Identity;
use tokio::sync::oneshot;

use crate::controller::documents;
use crate::engine::Engine;
use crate::guest::GuestError;
use crate::session::{EngineError, Session};

/// How many workspaces there are. Each may take the memory of the limit.
pub const ENGINES: usize = 2;

/// How long only the first workspace answers a user whose review exceeded a limit.
const FIRST_ISOLATION: Duration = Duration::from_secs(10);
const MAX_ISOLATION: Duration = Duration::from_secs(600);

/// How many users are isolated at a time.
const MAX_ISOLATED_USERS: usize = 1000;

/// How long a workspace waits before it is loaded again, if that failed.
const RESTORE_PAUSE: Duration = Duration::from_secs(1);

/// Starts an engine.
pub type StartEngine = Arc<dyn Fn() -> Result<Box<dyn Engine>, GuestError> + Send + Sync>;

/// A review, and where its verdict goes.
#[derive(Debug)]
pub struct PendingReview {
    pub request: Admit,
    /// Who asks.
    pub user: String,
    /// The update that the workspace must have.
    pub after: u64,
    pub reply: oneshot::Sender<Result<AdmitAnswer, EngineError>>,
}

/// Documents that changed.
#[derive(Clone, Debug, Default)]
struct Update {
    number: u64,
    load: Vec<Value>,
    unload: Vec<Identity>,
    /// What the first workspace put aside.
    quarantined: Option<Vec<String>>,
}

/// What the first workspace reports.
#[derive(Debug)]
pub enum Report {
    /// The kinds to watch, after an update.
    Kinds(KindsAnswer),
    /// How many documents are put aside.
    Quarantined(usize),
}

/// The queues of all workspaces. Dropping it ends their threads.
pub struct Pool(Arc<Shared>);

struct Shared {
    queues: Mutex<Queues>,
    wake: Condvar,
    report: Box<dyn Fn(Report) + Send + Sync>,
}

#[derive(Default)]
struct Queues {
    reviews: VecDeque<PendingReview>,
    updates: [VecDeque<Update>; ENGINES],
    /// The number of the last update of each workspace.
    applied: [u64; ENGINES],
    last: u64,
    isolated_users: BTreeMap<String, Isolation>,
    is_closed: bool,
}

#[derive(Clone, Copy)]
struct Isolation {
    until: Instant,
    wait: Duration,
}

impl Pool {
    /// Starts the workspaces with these settings.
    ///
    /// # Errors
    ///
    /// An engine or its thread cannot be started.
    pub fn start(
        engine: &StartEngine,
        settings: &Configure,
        report: impl Fn(Report) + Send + Sync + 'static,
    ) -> Result<Pool, GuestError> {
        let queues = Mutex::new(Queues::default());
        let pool = Pool(Arc::new(Shared { queues, wake: Condvar::new(), report: Box::new(report) }));
        for index in 0..ENGINES {
            // The engine is made on its thread, so it need not be able to change threads.
            let (shared, engine, settings) = (Arc::clone(&pool.0), Arc::clone(engine), settings.clone());
            let (started, start) = std::sync::mpsc::channel();
            let run = move || match engine() {
                Ok(engine) => {
                    let _ = started.send(Ok(()));
                    Worker { index, session: Session::new(engine), shared }.run(settings);
                }
                Err(error) => drop(started.send(Err(error))),
            };
            let no_thread = |reason: String| GuestError::NoRuntime { reason };
            thread::Builder::new()
                .name(format!("reviews-{index}"))
                .spawn(run)
                .map_err(|error| no_thread(error.to_string()))?;
            start.recv().map_err(|error| no_thread(error.to_string()))??;
        }
        Ok(pool)
    }

    /// Passes on changed documents. Returns the number of the update.
    pub fn update(&self, load: Vec<Value>, unload: Vec<Identity>) -> u64 {
        let mut queues = self.0.lock();
        queues.last += 1;
        let number = queues.last;
        queues.updates[0].push_back(Update { number, load, unload, quarantined: None });
        self.0.wake.notify_all();
        number
    }

    /// The number of the last update.
    pub fn last_update(&self) -> u64 {
        self.0.lock().last
    }

    /// Queues a review.
    pub fn review(&self, review: PendingReview) {
        self.0.lock().reviews.push_back(review);
        self.0.wake.notify_all();
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.0.lock().is_closed = true;
        self.0.wake.notify_all();
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pool")
    }
}

impl Shared {
    /// The queues are consistent even if a thread panicked while holding the lock.
    fn lock(&self) -> MutexGuard<'_, Queues> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next work of a workspace: updates first.
    fn next(&self, index: usize, timeout: Option<Duration>) -> Work {
        let mut queues = self.lock();
        let until = timeout.map(|it| Instant::now() + it);
        loop {
            if queues.is_closed {
                return Work::Stop;
            }
            let updates: Vec<Update> = queues.updates[index].drain(..).collect();
            if !updates.is_empty() {
                return Work::Update(updates);
            }
            if let Some(review) = queues.take_review(index) {
                return Work::Review(review);
            }
            let left = until.map(|it| it.saturating_duration_since(Instant::now()));
            if left.is_some_and(|it| it.is_zero()) {
                return Work::Retry;
            }
            queues = match left {
                Some(left) => self.wake.wait_timeout(queues, left).unwrap_or_else(PoisonError::into_inner).0,
                None => self.wake.wait(queues).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }
}

impl Queues {
    /// The first review that a workspace may answer.
    fn take_review(&mut self, index: usize) -> Option<PendingReview> {
        self.reviews.retain(|it| !it.reply.is_closed());
        let now = Instant::now();
        let is_isolated = |user: &str| self.isolated_users.get(user).is_some_and(|it| it.until > now);
        let may = |it: &PendingReview| self.applied[index] >= it.after && (index == 0 || !is_isolated(&it.user));
        let position = self.reviews.iter().position(may)?;
        self.reviews.remove(position)
    }

    /// Isolates a user whose review exceeded a limit: only the first workspace answers their reviews.
    fn isolate(&mut self, user: String) {
        let now = Instant::now();
        self.isolated_users.retain(|_, it| it.until + it.wait > now);
        if self.isolated_users.len() < MAX_ISOLATED_USERS || self.isolated_users.contains_key(&user) {
            let before = self.isolated_users.get(&user).map_or(FIRST_ISOLATION / 2, |it| it.wait);
            let wait = (before * 2).min(MAX_ISOLATION);
            self.isolated_users.insert(user, Isolation { until: now + wait, wait });
        }
    }
}

enum Work {
    Update(Vec<Update>),
    Review(PendingReview),
    /// The time of the next attempt with what is put aside has come.
    Retry,
    Stop,
}

/// One workspace on its thread.
struct Worker {
    index: usize,
    session: Session,
    shared: Arc<Shared>,
}

impl Worker {
    fn run(mut self, settings: Configure) {
        if let Err(error) = self.session.change(settings) {
            tracing::error!(code = error.code(), hint = error.hint(), "the engine rejects its settings: {error}");
            return;
        }
        if self.index == 0 {
            self.report_kinds();
        }
        loop {
            match self.shared.next(self.index, self.until_retry()) {
                Work::Update(updates) => self.update(updates),
                Work::Review(review) => self.review(review),
                Work::Retry => {
                    self.session.retry_quarantined(&Subjects::default());
                    self.publish(Vec::new());
                }
                Work::Stop => return,
            }
        }
    }

    /// Only the first workspace tries again: the others get its result.
    fn until_retry(&self) -> Option<Duration> {
        let next = self.session.quarantine().next_try().filter(|_| self.index == 0);
        next.map(|it| it.saturating_duration_since(Instant::now()))
    }

    fn update(&mut self, updates: Vec<Update>) {
        let last = updates.last().map_or(0, |it| it.number);
        for Update { load, unload, quarantined, .. } in updates.clone() {
            let done = documents::unload(&mut self.session, &unload)
                .and_then(|()| documents::load(&mut self.session, load).map(drop));
            if done.is_err() {
                self.restore();
            }
            if let Some(quarantined) = quarantined {
                self.session.set_quarantined(quarantined);
            }
        }
        if self.index == 0 {
            // Computes everything, so that what exceeds a limit is found here and not by a review.
            self.compute();
            self.publish(updates);
            self.report_kinds();
        }
        self.shared.lock().applied[self.index] = last;
        self.shared.wake.notify_all();
    }

    /// Passes updates on to the other workspaces, with what is put aside.
    fn publish(&self, updates: Vec<Update>) {
        let quarantined = self.session.quarantine().references();
        (self.shared.report)(Report::Quarantined(quarantined.len()));
        let mut queues = self.shared.lock();
        for index in 1..ENGINES {
            let number = queues.updates[index].back().map_or(queues.applied[index], |it| it.number);
            queues.updates[index].extend(updates.iter().cloned());
            let number = updates.last().map_or(number, |it| it.number);
            queues.updates[index].push_back(Update {
                number,
                quarantined: Some(quarantined.clone()),
                ..Update::default()
            });
        }
        self.shared.wake.notify_all();
    }

    fn review(&mut self, review: PendingReview) {
        let answer = self.session.call_once(&review.request);
        let is_lost = answer.as_ref().is_err_and(|it| it.is_lost);
        // The API server may have given up.
        let _ = review.reply.send(answer.map(|it| it.answer));
        if is_lost {
            self.shared.lock().isolate(review.user);
            self.restore();
            // If it was a document, and not the review, it is put aside now.
            self.compute();
        }
    }

    fn compute(&mut self) {
        if let Err(error) = self.session.call(&Subjects::default()) {
            tracing::error!(code = error.code(), hint = error.hint(), "the documents cannot be computed: {error}");
            self.restore();
        }
    }

    /// Loads the workspace again until that succeeds.
    fn restore(&mut self) {
        while !self.session.restore() && !self.shared.lock().is_closed {
            tracing::error!(workspace = self.index, "the workspace cannot be loaded again; this is retried");
            thread::sleep(RESTORE_PAUSE);
        }
    }

    fn report_kinds(&mut self) {
        match self.session.call(&Kinds::default()) {
            Ok(kinds) => (self.shared.report)(Report::Kinds(kinds.answer)),
            Err(error) => {
                tracing::error!(code = error.code(), hint = error.hint(), "the kinds to watch are not known: {error}");
            }
        }
    }
}

#[cfg(test)]
mod tests;
