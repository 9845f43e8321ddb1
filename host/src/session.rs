//! One workspace of an engine, and the requests that it received.
//!
//! The engine is pure, so its requests determine its state. They can be recorded and replayed ([`record`]), sent to a
//! second engine to compare the plans ([`compare`]), and summarized as the resulting state ([`workspace_state`]).
//!
//! A call that exceeds a limit loses the instance of the engine, and no more: the session loads the state again, finds
//! the documents that are the cause ([`blame`]), and puts them aside ([`quarantine`]). The call is answered without
//! them.

pub mod blame;
pub mod compare;
pub mod quarantine;
pub mod record;
mod restore;
#[cfg(test)]
mod tests;
pub mod workspace_state;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use fleetfold_core::api::plan::PlanRequest;
use fleetfold_core::api::subjects::Subjects;
use fleetfold_core::api::{Answered, Op, Refusal, read_response, request_text};
use fleetfold_core::value::Text;

use crate::engine::Engine;
use crate::target::Target;
use quarantine::Quarantine;
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
    /// The state that they result in, from which a lost workspace is loaded again.
    state: Arc<Mutex<WorkspaceState>>,
    /// The documents that are put aside.
    quarantine: Quarantine,
    /// The documents that changed since everything was computed last.
    changed: BTreeSet<String>,
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

    /// Whether a limit of the engine ended the call, or a fault of the module.
    pub fn is_limit(&self) -> bool {
        ["deadline-exceeded", "memory-limit", "trap", "bad-answer"].contains(&self.code())
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
        Session {
            engine,
            recorder: None,
            shadow: None,
            kept: None,
            state: Arc::default(),
            quarantine: Quarantine::default(),
            changed: BTreeSet::new(),
            took: Duration::ZERO,
        }
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

    /// Shares the resulting state, which starts empty, as the workspace does.
    pub fn tracked(mut self, state: Arc<Mutex<WorkspaceState>>) -> Session {
        state.lock().unwrap_or_else(PoisonError::into_inner).reset();
        self.state = state;
        self
    }

    /// The engine with its workspace, and the kept requests.
    pub fn into_parts(self) -> (Box<dyn Engine>, Vec<String>) {
        (self.engine, self.kept.unwrap_or_default())
    }

    /// The documents that are put aside.
    pub fn quarantine(&self) -> &Quarantine {
        &self.quarantine
    }

    /// Sends a request that changes nothing; a [`Change`] goes through [`Session::change`]. If it exceeds a limit, the
    /// workspace is loaded again, and the request is answered without the documents that are the cause.
    ///
    /// # Errors
    ///
    /// The engine refuses the request, its answer cannot be read, or the cause of an exceeded limit cannot be found.
    /// The workspace is lost only if it cannot be loaded again.
    pub fn call<O: Op>(&mut self, request: &O) -> Result<Answered<O::Answer>, EngineError> {
        debug_assert!(!changes(O::NAME), "`{}` changes the workspace", O::NAME);
        let text = request_text(request);
        let mut answer = self.call_text::<O>(&text);
        if let Err(error) = &answer
            && error.is_lost
        {
            let error = error.clone();
            answer = match self.recover(&text, &error.refusal) {
                Some(response) => read::<O>(&response, self.engine.is_fresh()),
                None => Err(self.lasting(error)),
            };
        }
        if answer.is_ok() && [PlanRequest::NAME, Subjects::NAME].contains(&O::NAME) {
            self.changed.clear();
        }
        answer
    }

    /// The same without a search for the cause: after an exceeded limit the workspace is lost until
    /// [`Session::restore`].
    ///
    /// # Errors
    ///
    /// As [`Session::call`].
    pub fn call_once<O: Op>(&mut self, request: &O) -> Result<Answered<O::Answer>, EngineError> {
        self.call_text::<O>(&request_text(request))
    }

    fn call_text<O: Op>(&mut self, text: &str) -> Result<Answered<O::Answer>, EngineError> {
        let response = self.send(text);
        read::<O>(&response, self.engine.is_fresh())
    }

    /// Sends a change of the workspace, also to the second engine; keeps it, if that is wanted. If it exceeds a limit,
    /// the workspace is as it was before.
    ///
    /// # Errors
    ///
    /// As [`Session::call`].
    pub fn change<C: Change>(&mut self, change: C) -> Result<Answered<C::Answer>, EngineError> {
        let request = request_text(&change);
        let response = self.send(&request);
        let answer = read::<C>(&response, self.engine.is_fresh());
        if let Err(error) = &answer
            && error.is_lost
        {
            let error = error.clone();
            self.restore();
            return Err(self.lasting(error));
        }
        let mut is_released = false;
        if answer.is_ok() {
            is_released = self.quarantine.loaded(change.documents()) | self.quarantine.unloaded(change.unloaded());
            let changed = change.documents().iter().map(|it| Target::of(it).identity().to_string());
            self.changed.extend(changed);
            self.state.lock().unwrap_or_else(PoisonError::into_inner).apply(change);
        }
        self.pass_on(request);
        if is_released {
            self.configure_quarantine();
        }
        answer
    }

    /// Sends a change to the second engine, and keeps it.
    fn pass_on(&mut self, request: String) {
        if let Some(shadow) = &mut self.shadow {
            shadow.call(request.as_bytes());
        }
        if let Some(kept) = &mut self.kept {
            kept.push(request);
        }
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
