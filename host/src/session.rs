//! One workspace of an engine, and the requests that it received.
//!
//! The engine is pure, so its requests determine its state. They can be recorded and replayed ([`record`]), sent to a
//! second engine to compare the plans ([`compare`]), and summarized as the resulting state ([`workspace_state`]).

pub mod compare;
pub mod record;
pub mod workspace_state;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use fleetfold_core::api::{Answered, Op, Refusal, read_response, request_text};
use fleetfold_core::value::Text;

use crate::engine::Engine;
use record::Recorder;
use workspace_state::{Change, WorkspaceState};

/// One workspace of an engine.
pub struct Session {
    engine: Box<dyn Engine>,
    recorder: Option<Recorder>,
    /// A second engine that receives the same requests; its plans are compared and never applied.
    shadow: Option<Box<dyn Engine>>,
    /// The requests that changed the workspace, if they are kept.
    kept: Option<Vec<String>>,
    /// The state that they result in, if it is tracked.
    state: Option<Arc<Mutex<WorkspaceState>>>,
    /// How long the last request took.
    pub took: Duration,
}

/// An error that the engine returned in place of an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineError {
    pub refusal: Box<Refusal>,
    /// The workspace was lost: everything must be loaded again.
    pub is_lost: bool,
}

impl EngineError {
    /// The stable name of the error.
    pub fn code(&self) -> &str {
        &self.refusal.code
    }

    /// What to do about it; empty if that is not known.
    pub fn hint(&self) -> &str {
        self.refusal.hint.as_deref().unwrap_or_default()
    }

    /// The answer of the engine cannot be read.
    fn bad_answer(problem: &dyn fmt::Display, is_lost: bool) -> EngineError {
        let refusal = Refusal {
            at: None,
            code: Text::new_static("bad-answer"),
            hint: Some("is the module a newer one?".to_owned()),
            message: format!("the answer cannot be read: {problem}"),
        };
        EngineError { refusal: Box::new(refusal), is_lost }
    }
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.refusal.message)
    }
}

impl std::error::Error for EngineError {}

impl Session {
    pub fn new(engine: Box<dyn Engine>) -> Session {
        Session { engine, recorder: None, shadow: None, kept: None, state: None, took: Duration::ZERO }
    }

    /// Records every request.
    pub fn recorded(mut self, recorder: Option<Recorder>) -> Session {
        self.recorder = recorder;
        self
    }

    /// Sends every change to a second engine as well.
    pub fn shadowed(mut self, shadow: Option<Box<dyn Engine>>) -> Session {
        self.shadow = shadow;
        self
    }

    /// Keeps the requests that change the workspace.
    pub fn keeping(mut self) -> Session {
        self.kept = Some(Vec::new());
        self
    }

    /// Tracks the resulting state in `state`, which starts empty, as the workspace does.
    pub fn tracked(mut self, state: Arc<Mutex<WorkspaceState>>) -> Session {
        state.lock().unwrap_or_else(PoisonError::into_inner).reset();
        self.state = Some(state);
        self
    }

    /// The engine with its workspace, and the kept requests.
    pub fn into_parts(self) -> (Box<dyn Engine>, Vec<String>) {
        (self.engine, self.kept.unwrap_or_default())
    }

    /// Sends a request that changes nothing; a [`Change`] goes through [`Session::change`].
    ///
    /// # Errors
    ///
    /// The engine refuses the request, or its answer cannot be read.
    pub fn call<O: Op>(&mut self, request: &O) -> Result<Answered<O::Answer>, EngineError> {
        debug_assert!(!changes(O::NAME), "`{}` changes the workspace", O::NAME);
        let response = self.send(&request_text(request));
        read::<O>(&response, self.engine.is_fresh())
    }

    /// Sends a change of the workspace, also to the second engine; keeps and tracks it, if that is wanted.
    ///
    /// # Errors
    ///
    /// As [`Session::call`].
    pub fn change<C: Change>(&mut self, change: C) -> Result<Answered<C::Answer>, EngineError> {
        let request = request_text(&change);
        let response = self.send(&request);
        let answer = read::<C>(&response, self.engine.is_fresh());
        if let (Some(state), Ok(_)) = (&self.state, &answer) {
            state.lock().unwrap_or_else(PoisonError::into_inner).apply(change);
        }
        if let Some(shadow) = &mut self.shadow {
            shadow.call(request.as_bytes());
        }
        if let Some(kept) = &mut self.kept {
            kept.push(request);
        }
        answer
    }

    /// The answer of the second engine to a request that changes nothing, if there is one.
    pub fn call_shadow<O: Op>(&mut self, request: &O) -> Option<Result<Answered<O::Answer>, EngineError>> {
        let shadow = self.shadow.as_mut()?;
        let response = shadow.call(request_text(request).as_bytes());
        Some(read::<O>(&response, shadow.is_fresh()))
    }

    /// Sends the text of a request, and records it.
    fn send(&mut self, request: &str) -> String {
        let started = Instant::now();
        let response = self.engine.call(request.as_bytes());
        self.took = started.elapsed();
        if let Some(recorder) = &mut self.recorder {
            recorder.write(request, &response);
        }
        response
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("shadow", &self.shadow.is_some()).finish_non_exhaustive()
    }
}

/// Whether an op changes the workspace.
pub fn changes(op: &str) -> bool {
    workspace_state::CHANGES.contains(&op)
}

fn read<O: Op>(response: &str, is_lost: bool) -> Result<Answered<O::Answer>, EngineError> {
    match read_response::<O>(response) {
        Ok(Ok(answered)) => Ok(answered),
        Ok(Err(refusal)) => Err(EngineError { refusal: Box::new(refusal), is_lost }),
        Err(problem) => Err(EngineError::bad_answer(&problem, is_lost)),
    }
}
