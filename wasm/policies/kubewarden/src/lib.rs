//! The engine's admission as a Kubewarden policy. It holds no rule:
//!
//! 1. [`settings`] puts the settings into a fresh workspace, and tells all that is wrong with them.
//! 2. [`cluster`] asks the host for documents and for permissions.
//! 3. [`judge`] asks the engine, meets what it needs, and asks again.
//! 4. [`response`] is what Kubewarden takes; [`engine`] is how the engine is asked, and its errors as sentences.
//!
//! Whatever comes in, an answer goes out: what cannot be read or asked for is a rejection that says why.
#![cfg_attr(target_arch = "wasm32", expect(unsafe_code, reason = "an exported name; there is no unsafe block"))]
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::string_slice,
        clippy::panic,
        clippy::unreachable,
        reason = "bad input is an answer, never a trap"
    )
)]

pub mod cluster;
pub mod engine;
pub mod judge;
pub mod response;
pub mod settings;

use cluster::Host;
use fleetfold_core::Workspace;
use settings::Settings;

/// The version of what is said between a policy and its host.
pub const PROTOCOL: &str = r#""v1""#;

/// Answers `validate`: a review and the settings in, Kubewarden's response out.
pub fn validate(payload: &[u8], host: &Host) -> String {
    let judged = judge::judge(payload, host);
    judged.map_or_else(|refusal| refusal.respond(), |verdict| verdict.respond()).to_canonical()
}

/// Answers `validate_settings`: the settings in, and whether they can be used out.
pub fn validate_settings(payload: &[u8]) -> String {
    let problems = match engine::read(payload) {
        Ok(settings) => Settings::read(&settings, &mut Workspace::default()).err().unwrap_or_default(),
        Err(problem) => vec![format!("the settings cannot be read: {problem}")],
    };
    response::settings(&problems).to_canonical()
}

#[cfg(target_arch = "wasm32")]
mod guest {
    use wapc_guest::{host_call, register_function};

    /// What the host calls first.
    #[unsafe(no_mangle)]
    pub extern "C" fn wapc_init() {
        register_function("validate", |payload| Ok(super::validate(payload, &ask).into_bytes()));
        register_function("validate_settings", |payload| Ok(super::validate_settings(payload).into_bytes()));
        register_function("protocol_version", |_| Ok(super::PROTOCOL.into()));
    }

    fn ask(operation: &str, request: &[u8]) -> Result<Vec<u8>, String> {
        host_call("kubewarden", "kubernetes", operation, request).map_err(|error| error.to_string())
    }
}
