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
    let problems = match engine::read_json(payload, engine::REVIEW) {
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

#[cfg(test)]
mod tests {
    use super::*;

    const CREATE: &str = r#"{"request":{"kind":{"group":"cluster.open-cluster-management.io","kind":"ManagedCluster"},"name":"c1","operation":"CREATE","userInfo":{"username":"eve"},"object":{"apiVersion":"cluster.open-cluster-management.io/v1","kind":"ManagedCluster","metadata":{"name":"c1","labels":{"cluster.open-cluster-management.io/clusterset":"dev"}}}},"settings":{"dialects":["ocm"]}}"#;

    #[track_caller]
    fn check(payload: &str, says: Result<&str, &str>, want: &str) {
        let host = |_: &str, _: &[u8]| says.map(|it| it.as_bytes().to_vec()).map_err(str::to_owned);
        assert!(validate(payload.as_bytes(), &host).starts_with(want), "{}", validate(payload.as_bytes(), &host));
    }

    #[test]
    fn a_kind_that_nobody_guards_is_accepted_unasked() {
        let payload = r#"{"request":{"kind":{"kind":"Pod"},"operation":"CREATE"},"settings":{}}"#;
        check(payload, Err("nobody is asked"), r#"{"accepted":true}"#);
    }

    #[test]
    fn what_the_host_says_decides() {
        check(CREATE, Ok(r#"{"allowed":true}"#), r#"{"accepted":true"#);
        check(CREATE, Ok(r#"{"allowed":false}"#), r#"{"accepted":false,"audit_annotations":{"code":"not-granted""#);
    }

    #[test]
    fn what_the_host_does_not_say_is_not_granted() {
        check(
            CREATE,
            Err("away"),
            r#"{"accepted":false,"code":503,"message":"cannot review the change: an access review"#,
        );
        check(CREATE, Ok("{}"), r#"{"accepted":false,"code":503"#);
    }

    #[test]
    fn settings_are_told_apart() {
        assert_eq!(validate_settings(b"{}"), r#"{"valid":true}"#);
        assert!(validate_settings(b"{").starts_with(r#"{"message":"the settings cannot be read: "#));
    }
}
