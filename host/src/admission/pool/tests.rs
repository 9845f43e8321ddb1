use std::sync::atomic::{AtomicUsize, Ordering};

use fleetfold_core::Workspace;
use fleetfold_core::value::json;

use super::*;
use crate::engine::{error_answer, refusal};

/// How long an expensive review takes before it exceeds its limit.
const EXPENSIVE: Duration = Duration::from_millis(600);

/// The linked engine with a limit: expensive reviews, and subjects named `heavy` unless they are put aside, exceed it.
struct Fake {
    workspace: Workspace,
    has_heavy: bool,
    is_quarantined: bool,
    is_lost: bool,
    losses: Arc<AtomicUsize>,
}

impl Engine for Fake {
    fn call(&mut self, request: &[u8]) -> String {
        let text = String::from_utf8_lossy(request).into_owned();
        self.is_lost = false;
        let op = json::parse(&text).unwrap().text_at(&["op"]).to_owned();
        let is_heavy = self.has_heavy && !self.is_quarantined && ["subjects", "admit"].contains(&op.as_str());
        if op == "admit" && text.contains("expensive") || is_heavy {
            if !is_heavy {
                thread::sleep(EXPENSIVE);
            }
            self.losses.fetch_add(1, Ordering::SeqCst);
            self.fresh();
            return error_answer(&refusal("deadline-exceeded", "the call took longer than 2s", ""));
        }
        if op == "admit" {
            return r#"{"ok":{"allowed":true}}"#.to_owned();
        }
        self.has_heavy |= op == "load" && text.contains(r#""name":"heavy""#);
        if text.contains("quarantined") {
            self.is_quarantined = text.contains("heavy") || text.contains('*');
        }
        Engine::call(&mut self.workspace, request)
    }

    fn fresh(&mut self) {
        (self.workspace, self.is_lost) = (Workspace::default(), true);
        (self.has_heavy, self.is_quarantined) = (false, false);
    }

    fn is_fresh(&self) -> bool {
        self.is_lost
    }
}

fn start(report: impl Fn(Report) + Send + Sync + 'static) -> (Pool, Arc<AtomicUsize>) {
    let losses = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&losses);
    let engine: StartEngine = Arc::new(move || -> Result<Box<dyn Engine>, GuestError> {
        let (workspace, losses) = (Workspace::default(), Arc::clone(&counted));
        Ok(Box::new(Fake { workspace, has_heavy: false, is_quarantined: false, is_lost: false, losses }))
    });
    (Pool::start(&engine, &Configure::default(), report).unwrap(), losses)
}

type Reply = oneshot::Receiver<Result<AdmitAnswer, EngineError>>;

fn review(pool: &Pool, user: &str, name: &str, after: u64) -> Reply {
    let (reply, answer) = oneshot::channel();
    let request = Admit { request: json::parse(&format!(r#"{{"name":"{name}"}}"#)).unwrap(), ..Admit::default() };
    pool.review(PendingReview { request, user: user.to_owned(), after, reply });
    answer
}

/// The time until all of these are allowed.
fn allowed(replies: Vec<Reply>) -> Duration {
    let started = Instant::now();
    for reply in replies {
        assert!(reply.blocking_recv().unwrap().unwrap().allowed);
    }
    started.elapsed()
}

fn preset(name: &str) -> Value {
    let text = r#"{"apiVersion":"greenhouse.sap/v1alpha1","kind":"PluginPreset","metadata":{"name":"NAME","namespace":"acme"},"spec":{}}"#;
    json::parse(&text.replace("NAME", name)).unwrap()
}

#[test]
fn an_expensive_review_does_not_hold_up_the_others() {
    let (pool, _) = start(|_| {});
    let expensive = review(&pool, "eve", "expensive", 0);
    let took = allowed((0..20).map(|_| review(&pool, "bob", "cheap", 0)).collect());
    assert!(took < EXPENSIVE / 2, "{took:?}");
    let error = expensive.blocking_recv().unwrap().unwrap_err();
    assert_eq!(error.code(), "deadline-exceeded");
}

#[test]
fn who_repeats_expensive_reviews_waits_alone() {
    let (pool, losses) = start(|_| {});
    assert!(review(&pool, "eve", "expensive", 0).blocking_recv().unwrap().is_err());
    let repeated: Vec<Reply> = (0..4).map(|_| review(&pool, "eve", "expensive", 0)).collect();
    thread::sleep(EXPENSIVE / 10);
    let took = allowed((0..20).map(|_| review(&pool, "bob", "cheap", 0)).collect());
    assert!(took < EXPENSIVE / 2, "{took:?}");
    assert!(repeated.into_iter().all(|it| it.blocking_recv().unwrap().is_err()));
    assert_eq!(losses.load(Ordering::SeqCst), 5);
}

#[test]
fn a_review_for_which_the_server_no_longer_waits_is_dropped() {
    let (pool, losses) = start(|_| {});
    // One for each workspace.
    let running: Vec<Reply> = (0..ENGINES).map(|_| review(&pool, "eve", "expensive", 0)).collect();
    thread::sleep(EXPENSIVE / 10);
    drop((0..4).map(|_| review(&pool, "eve", "expensive", 0)).collect::<Vec<Reply>>());
    assert!(running.into_iter().all(|it| it.blocking_recv().unwrap().is_err()));
    allowed(vec![review(&pool, "eve", "cheap", 0)]);
    assert_eq!(losses.load(Ordering::SeqCst), ENGINES);
}

#[test]
fn a_document_that_cannot_be_computed_is_put_aside_before_others_get_it() {
    let (reports, received) = std::sync::mpsc::channel();
    let (pool, losses) = start(move |report| {
        if let Report::Quarantined(count) = report {
            let _ = reports.send(count);
        }
    });
    let update = pool.update(vec![preset("heavy"), preset("light")], Vec::new());
    // Meanwhile the other workspace answers.
    allowed((0..20).map(|_| review(&pool, "bob", "cheap", 0)).collect());
    assert_eq!(received.recv_timeout(Duration::from_secs(20)), Ok(1));
    let lost = losses.load(Ordering::SeqCst);
    allowed((0..20).map(|_| review(&pool, "bob", "cheap", update)).collect());
    assert_eq!(losses.load(Ordering::SeqCst), lost, "no review met the document");
    // A document that asks for something else is tried again, and leaves the quarantine with its deletion.
    let heavy = Identity {
        kind: "PluginPreset".into(),
        group: "greenhouse.sap".into(),
        namespace: "acme".into(),
        name: "heavy".into(),
    };
    pool.update(Vec::new(), vec![heavy]);
    assert_eq!(received.recv_timeout(Duration::from_secs(20)), Ok(0));
}

#[test]
fn a_review_waits_for_the_documents_that_it_is_about() {
    let (pool, _) = start(|_| {});
    let mut early = review(&pool, "bob", "cheap", 1);
    thread::sleep(Duration::from_millis(100));
    assert!(early.try_recv().is_err());
    pool.update(vec![preset("light")], Vec::new());
    assert!(early.blocking_recv().unwrap().unwrap().allowed);
}

#[test]
fn isolation_doubles_up_to_a_limit() {
    let mut queues = Queues::default();
    let mut waits = Vec::new();
    for _ in 0..8 {
        queues.isolate("eve".to_owned());
        waits.push(queues.isolated_users["eve"].wait.as_secs());
    }
    assert_eq!(waits, [10, 20, 40, 80, 160, 320, 600, 600]);
}
