//! What a session does after a call exceeded a limit: loads the workspace again, and puts the cause aside.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use fleetfold_core::Value;
use fleetfold_core::api::configure::Configure;
use fleetfold_core::api::load::Load;
use fleetfold_core::api::{Op, Refusal, request_text};

use super::blame::{self, Found, LoadedDocument, Workbench};
use super::{EngineError, Session};
use crate::target::Target;

const RESTORED_HINT: &str =
    "raise `--timeout` and `--memory`; no single document is the cause, and the loaded state is kept";

impl Workbench for Session {
    fn send(&mut self, request: &str, deadline: Option<Duration>) -> Option<String> {
        self.engine.set_deadline(deadline);
        let response = Session::send(self, request);
        self.engine.set_deadline(None);
        (!self.engine.is_fresh()).then_some(response)
    }

    fn restore(&mut self) -> bool {
        Session::restore(self)
    }

    fn deadline(&self) -> Option<Duration> {
        self.engine.deadline()
    }

    fn loaded_documents(&self) -> Vec<LoadedDocument> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.documents().map(|(_, it)| LoadedDocument::of(it)).collect()
    }
}

impl Session {
    /// Loads the workspace again if it was lost. Returns whether it is there.
    pub fn restore(&mut self) -> bool {
        if !self.engine.is_fresh() {
            return true;
        }
        let state = Arc::clone(&self.state);
        let state = state.lock().unwrap_or_else(PoisonError::into_inner);
        state.replay(|request| {
            Session::send(self, request);
            !self.engine.is_fresh()
        })
    }

    /// Starts over with an empty workspace. What is put aside stays so.
    pub fn reset(&mut self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.version > 0 {
            state.reset();
            self.engine.fresh();
        }
        drop(state);
        self.changed.clear();
        if !self.quarantine.is_empty() {
            self.configure_quarantine();
        }
    }

    /// Searches for the documents on which a request exceeds a limit, puts them aside, and returns the response without
    /// them; nothing if there is none.
    pub(super) fn recover(&mut self, request: &str, refusal: &Refusal) -> Option<String> {
        let (quarantined, changed) = (self.quarantine.references(), self.changed.clone());
        let Found { blamed, response } = blame::search(self, request, &quarantined, &changed);
        for reference in blamed {
            let document = self.document(&reference);
            let (code, hint) = (refusal.code.as_str(), "simplify the document, or raise `--timeout` and `--memory`");
            tracing::error!(document = reference, code, hint, "quarantined {reference}: {}", refusal.message);
            self.quarantine.add(reference, refusal, document, false);
        }
        self.restore();
        self.configure_quarantine();
        response
    }

    /// Puts these documents aside as another session did. They are not tried again here.
    pub fn set_quarantined(&mut self, references: Vec<String>) {
        if references != self.quarantine.references() {
            self.quarantine.replace(references);
            self.configure_quarantine();
        }
    }

    /// Puts a document aside that could not be loaded.
    pub fn quarantine_unloaded(&mut self, document: Value, error: &EngineError) {
        let reference = Target::of(&document).reference();
        tracing::error!(
            document = reference,
            code = error.code(),
            "quarantined {reference}, which cannot be loaded: {error}"
        );
        self.quarantine.add(reference, &error.refusal, Some(document), true);
        self.configure_quarantine();
    }

    /// Tries the documents again whose time has come, with a request that changes nothing.
    pub fn retry_quarantined<O: Op>(&mut self, request: &O) {
        for reference in self.quarantine.due() {
            let is_good = self.tries(&reference, &request_text(request));
            if is_good {
                tracing::info!(document = reference, "released {reference} from quarantine");
                self.quarantine.release(&reference);
            } else {
                tracing::warn!(document = reference, "{reference} stays quarantined");
                self.quarantine.postpone(&reference);
            }
            self.restore();
            self.configure_quarantine();
        }
    }

    /// Whether a request succeeds with a document that is put aside.
    fn tries(&mut self, reference: &str, request: &str) -> bool {
        let entry = self.quarantine.iter().find(|it| it.reference == reference);
        let unloaded = entry.filter(|it| it.is_unloaded).and_then(|it| it.document().cloned());
        if let Some(document) = unloaded
            && self.change(Load { documents: Some(vec![document]), ..Load::default() }).is_err()
        {
            return false;
        }
        let others = self.quarantine.references().into_iter().filter(|it| it != reference).map(Into::into);
        let configure = Configure { quarantined: Some(others.collect()), ..Configure::default() };
        let is_configured = Workbench::send(self, &request_text(&configure), None).is_some();
        is_configured && Workbench::send(self, request, None).is_some()
    }

    /// Sets the quarantine of the workspace.
    pub(super) fn configure_quarantine(&mut self) {
        let quarantined = Some(self.quarantine.references().into_iter().map(Into::into).collect());
        let configure = Configure { quarantined, ..Configure::default() };
        let request = request_text(&configure);
        Session::send(self, &request);
        self.state.lock().unwrap_or_else(PoisonError::into_inner).apply(configure);
        self.pass_on(request);
    }

    /// The error of a call after which the workspace was loaded again, if it was.
    pub(super) fn lasting(&self, mut error: EngineError) -> EngineError {
        error.is_lost = self.engine.is_fresh();
        if !error.is_lost {
            error.refusal.hint = Some(RESTORED_HINT.to_owned());
        }
        error
    }

    /// A loaded document, by the name that `subjects` gives it.
    fn document(&self, reference: &str) -> Option<Value> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.documents().find(|(identity, _)| identity.to_string() == reference).map(|(_, it)| it.clone())
    }
}
