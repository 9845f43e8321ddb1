//! A workspace and everything that was put to it.
//!
//! The engine is pure, so what was put to it is all that there is to know: written down line by line it can be replayed
//! ([`record`]), put to a second engine it shows where that one would do something else ([`compare`]), and what all of it
//! comes to can be told to others ([`ledger`]).

pub mod compare;
pub mod ledger;
pub mod record;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use fleetfold_core::Value;

use crate::answer;
use crate::engine::Engine;
use ledger::Ledger;
use record::Recorder;

/// One workspace of an engine.
pub struct Session {
    engine: Box<dyn Engine>,
    recorder: Option<Recorder>,
    /// A second engine that is told the same and asked for plans, and never acted on.
    shadow: Option<Box<dyn Engine>>,
    /// The requests that made the workspace what it is, where somebody wants them.
    kept: Option<Vec<String>>,
    /// What they come to, where somebody follows that.
    ledger: Option<Arc<Mutex<Ledger>>>,
    /// How long the last request took.
    pub took: Duration,
}

/// What an engine answers, with what it found on the way.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    pub ok: Value,
    pub diagnostics: Vec<Value>,
}

/// Why a request has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub code: String,
    pub message: String,
    pub hint: String,
    /// The workspace is gone: all that was loaded must be loaded again.
    pub is_lost: bool,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Session {
    pub fn new(engine: Box<dyn Engine>) -> Session {
        Session { engine, recorder: None, shadow: None, kept: None, ledger: None, took: Duration::ZERO }
    }

    /// Writes everything down that is put to the engine.
    pub fn recorded(mut self, recorder: Option<Recorder>) -> Session {
        self.recorder = recorder;
        self
    }

    /// Tells a second engine the same.
    pub fn shadowed(mut self, shadow: Option<Box<dyn Engine>>) -> Session {
        self.shadow = shadow;
        self
    }

    /// Keeps the requests that change the workspace.
    pub fn keeping(mut self) -> Session {
        self.kept = Some(Vec::new());
        self
    }

    /// Keeps what the requests come to, for whoever else holds the ledger. It begins anew, as the workspace does.
    pub fn followed(mut self, ledger: Arc<Mutex<Ledger>>) -> Session {
        ledger.lock().unwrap_or_else(PoisonError::into_inner).begin_anew();
        self.ledger = Some(ledger);
        self
    }

    /// The engine with its workspace, and the requests that were kept.
    pub fn into_parts(self) -> (Box<dyn Engine>, Vec<String>) {
        (self.engine, self.kept.unwrap_or_default())
    }

    /// Puts a request to the engine.
    pub fn ask(&mut self, op: &str, mut request: Value) -> Result<Answer, Refusal> {
        if let Some(fields) = request.as_map_mut() {
            fields.insert("op", op);
        }
        let fields = request;
        let request = fields.to_canonical();
        let started = Instant::now();
        let said = self.engine.call(request.as_bytes());
        self.took = started.elapsed();
        if let Some(recorder) = &mut self.recorder {
            recorder.note(&request, &said);
        }
        let answer = read(&said, self.engine.is_fresh());
        if changes(op) {
            if let (Some(ledger), Ok(_)) = (&self.ledger, &answer) {
                ledger.lock().unwrap_or_else(PoisonError::into_inner).note(op, &fields);
            }
            if let Some(shadow) = &mut self.shadow {
                shadow.call(request.as_bytes());
            }
            if let Some(kept) = &mut self.kept {
                kept.push(request);
            }
        }
        answer
    }

    /// The answer of the second engine to a request that changes nothing.
    pub fn ask_shadow(&mut self, op: &str, mut request: Value) -> Option<Result<Answer, Refusal>> {
        let shadow = self.shadow.as_mut()?;
        if let Some(fields) = request.as_map_mut() {
            fields.insert("op", op);
        }
        let said = shadow.call(request.to_canonical().as_bytes());
        Some(read(&said, shadow.is_fresh()))
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("shadow", &self.shadow.is_some()).finish_non_exhaustive()
    }
}

/// Whether an op changes the workspace.
pub fn changes(op: &str) -> bool {
    matches!(op, "load" | "unload" | "configure")
}

fn read(said: &str, is_lost: bool) -> Result<Answer, Refusal> {
    let refusal = |code: &str, message: &str, hint: &str| Refusal {
        code: code.to_owned(),
        message: message.to_owned(),
        hint: hint.to_owned(),
        is_lost,
    };
    let answer = answer::read(said).map_err(|problem| {
        refusal("bad-answer", &format!("the answer cannot be read: {problem}"), "is the module a newer one?")
    })?;
    if let Some(error) = answer.get("error") {
        let part = |key| answer::text(error, key);
        return Err(refusal(part("code"), part("message"), part("hint")));
    }
    Ok(Answer {
        ok: answer.get("ok").cloned().unwrap_or_default(),
        diagnostics: answer::list(&answer, "diagnostics").to_vec(),
    })
}
