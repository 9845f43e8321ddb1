//! Loads and unloads documents.

use fleetfold_core::Value;
use fleetfold_core::api::load::{Load, Unload};
use fleetfold_core::api::{Finding, Refusal};
use fleetfold_core::diagnostic::Severity;
use fleetfold_core::object::Identity;

use crate::session::{EngineError, Session};
use crate::target;

/// How many documents one `load` request carries.
const LOAD_BATCH: usize = 200;

/// Loads documents; returns the findings. A document that exceeds a limit of the engine is put aside.
///
/// # Errors
///
/// The workspace was lost.
pub fn load(session: &mut Session, documents: Vec<Value>) -> Result<Vec<Finding>, EngineError> {
    let (mut documents, mut found) = (documents.into_iter(), Vec::new());
    while documents.len() > 0 {
        let batch = documents.by_ref().take(LOAD_BATCH).collect();
        load_batch(session, batch, &mut found)?;
    }
    Ok(found)
}

/// Loads documents with one request, or by halves if that exceeds a limit.
fn load_batch(session: &mut Session, mut batch: Vec<Value>, found: &mut Vec<Finding>) -> Result<(), EngineError> {
    match session.change(Load { documents: Some(batch.clone()), ..Load::default() }) {
        Ok(answered) => found.extend(answered.findings),
        Err(error) if error.is_lost => return Err(error),
        Err(error) if error.is_limit() && batch.len() > 1 => {
            let rest = batch.split_off(batch.len() / 2);
            load_batch(session, batch, found)?;
            return load_batch(session, rest, found);
        }
        Err(error) => {
            if error.is_limit() {
                batch.into_iter().for_each(|it| session.quarantine_unloaded(it, &error));
            }
            let Refusal { code, message, hint, .. } = *error.refusal;
            found.push(Finding { at: None, code, hint, message, severity: Severity::Error });
        }
    }
    Ok(())
}

/// Unloads documents.
///
/// # Errors
///
/// The workspace was lost.
pub fn unload(session: &mut Session, identities: &[Identity]) -> Result<(), EngineError> {
    for identity in identities {
        match session.change(Unload { refs: vec![target::reference(identity).into()] }) {
            Err(error) if error.is_lost => return Err(error),
            // A document that could not be read was never loaded.
            Err(_) | Ok(_) => {}
        }
    }
    Ok(())
}
