//! Loads and unloads documents.

use fleetfold_core::Value;
use fleetfold_core::api::load::{Load, Unload};
use fleetfold_core::api::{Finding, Refusal};
use fleetfold_core::diagnostic::Severity;
use fleetfold_core::object::document::Identity;

use crate::session::{EngineError, Session};

/// How many documents one `load` request carries.
const LOAD_BATCH: usize = 200;

/// Loads documents; returns the findings.
///
/// # Errors
///
/// The workspace was lost.
pub fn load(session: &mut Session, documents: Vec<Value>) -> Result<Vec<Finding>, EngineError> {
    let (mut documents, mut found) = (documents.into_iter(), Vec::new());
    while documents.len() > 0 {
        let batch = documents.by_ref().take(LOAD_BATCH).collect();
        match session.change(Load { documents: Some(batch), ..Load::default() }) {
            Ok(answered) => found.extend(answered.findings),
            Err(error) if error.is_lost => return Err(error),
            Err(error) => {
                let Refusal { code, message, hint, .. } = *error.refusal;
                found.push(Finding { at: None, code, hint, message, severity: Severity::Error });
            }
        }
    }
    Ok(found)
}

/// Unloads documents.
///
/// # Errors
///
/// The workspace was lost.
pub fn unload(session: &mut Session, identities: &[Identity]) -> Result<(), EngineError> {
    for identity in identities {
        match session.change(Unload { refs: vec![reference(identity).into()] }) {
            Err(error) if error.is_lost => return Err(error),
            // A document that could not be read was never loaded.
            Err(_) | Ok(_) => {}
        }
    }
    Ok(())
}

/// A document as `unload` refers to it.
fn reference(identity: &Identity) -> String {
    let Identity { kind, group, namespace, name } = identity;
    let kind = if group.is_empty() { kind.to_string() } else { format!("{kind}.{group}") };
    let parts = [kind.as_str(), namespace.as_str(), name.as_str()];
    parts.into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join("/")
}
