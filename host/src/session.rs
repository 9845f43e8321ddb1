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

use fleetfold_core::Value;
use fleetfold_core::api::{Answered, Op, Refusal, read_response, request_text};
use fleetfold_core::value::json;

use crate::answer;
use crate::engine::Engine;
use record::Recorder;
use workspace_state::WorkspaceState;

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

/// An answer of the engine with its diagnostics.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    pub ok: Value,
    pub diagnostics: Vec<Value>,
}

/// An error that the engine returned in place of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineError {
    pub code: String,
    pub message: String,
    pub hint: String,
    /// The workspace was lost: everything must be loaded again.
    pub is_lost: bool,
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

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

    /// Sends a typed request to the engine.
    ///
    /// # Errors
    ///
    /// The engine refuses the request, or its answer cannot be read.
    pub fn call<O: Op>(&mut self, request: &O) -> Result<Answered<O::Answer>, EngineError> {
        let request = request_text(request);
        let started = Instant::now();
        let response = self.engine.call(request.as_bytes());
        self.took = started.elapsed();
        if let Some(recorder) = &mut self.recorder {
            recorder.write(&request, &response);
        }
        let answer = read_typed::<O>(&response, self.engine.is_fresh());
        if changes(O::NAME) {
            if let (Some(state), Ok(_)) = (&self.state, &answer) {
                let fields = json::parse(&request).unwrap_or_default();
                state.lock().unwrap_or_else(PoisonError::into_inner).apply(O::NAME, &fields);
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

    /// The answer of the second engine to a typed read-only request.
    pub fn call_shadow<O: Op>(&mut self, request: &O) -> Option<Result<Answered<O::Answer>, EngineError>> {
        let shadow = self.shadow.as_mut()?;
        let response = shadow.call(request_text(request).as_bytes());
        Some(read_typed::<O>(&response, shadow.is_fresh()))
    }

    /// Sends a request to the engine.
    pub fn ask(&mut self, op: &str, mut request: Value) -> Result<Answer, EngineError> {
        if let Some(fields) = request.as_map_mut() {
            fields.insert("op", op);
        }
        let fields = request;
        let request = fields.to_canonical();
        let started = Instant::now();
        let response = self.engine.call(request.as_bytes());
        self.took = started.elapsed();
        if let Some(recorder) = &mut self.recorder {
            recorder.write(&request, &response);
        }
        let answer = read(&response, self.engine.is_fresh());
        if changes(op) {
            if let (Some(state), Ok(_)) = (&self.state, &answer) {
                state.lock().unwrap_or_else(PoisonError::into_inner).apply(op, &fields);
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

    /// The answer of the second engine to a read-only request.
    pub fn ask_shadow(&mut self, op: &str, mut request: Value) -> Option<Result<Answer, EngineError>> {
        let shadow = self.shadow.as_mut()?;
        if let Some(fields) = request.as_map_mut() {
            fields.insert("op", op);
        }
        let response = shadow.call(request.to_canonical().as_bytes());
        Some(read(&response, shadow.is_fresh()))
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

fn read_typed<O: Op>(response: &str, is_lost: bool) -> Result<Answered<O::Answer>, EngineError> {
    let refusal = match read_response::<O>(response) {
        Ok(Ok(answered)) => return Ok(answered),
        Ok(Err(refusal)) => refusal,
        Err(problem) => {
            return Err(EngineError {
                code: "bad-answer".to_owned(),
                message: format!("the answer cannot be read: {problem}"),
                hint: "is the module a newer one?".to_owned(),
                is_lost,
            });
        }
    };
    let Refusal { code, message, hint, .. } = refusal;
    Err(EngineError { code: code.to_string(), message, hint: hint.unwrap_or_default(), is_lost })
}

fn read(response: &str, is_lost: bool) -> Result<Answer, EngineError> {
    let engine_error = |code: &str, message: &str, hint: &str| EngineError {
        code: code.to_owned(),
        message: message.to_owned(),
        hint: hint.to_owned(),
        is_lost,
    };
    let answer = answer::read(response).map_err(|problem| {
        engine_error("bad-answer", &format!("the answer cannot be read: {problem}"), "is the module a newer one?")
    })?;
    if let Some(error) = answer.get("error") {
        let part = |key| answer::text(error, key);
        return Err(engine_error(part("code"), part("message"), part("hint")));
    }
    Ok(Answer {
        ok: answer.get("ok").cloned().unwrap_or_default(),
        diagnostics: answer::list(&answer, "diagnostics").to_vec(),
    })
}
