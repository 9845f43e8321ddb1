//! The engine's admission as a Kubewarden policy. It has no rules:
//!
//! 1. [`settings`] applies the settings to a fresh workspace, and reports all mistakes in them.
//! 2. [`cluster`] reads documents from the host, and performs access reviews there.
//! 3. [`judge`] calls the engine, performs the access reviews that it needs, and calls it again.
//! 4. [`response`] writes Kubewarden's format; [`engine`] calls the engine, and turns its errors into sentences.
//!
//! Every call returns a response: a request that cannot be read or decided is rejected with the reason.
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

/// The version of the protocol between a policy and its host.
pub const PROTOCOL: &str = r#""v1""#;

/// The function `validate`: takes a review and the settings, returns Kubewarden's response.
pub fn validate(payload: &[u8], host: &Host) -> String {
    let judged = judge::judge(payload, host);
    judged.map_or_else(|rejection| rejection.respond(), |verdict| verdict.respond()).to_canonical()
}

/// The function `validate_settings`: takes the settings, returns whether they are valid.
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

    /// The host calls it first.
    #[unsafe(no_mangle)]
    pub extern "C" fn wapc_init() {
        register_function("validate", |payload| Ok(super::validate(payload, &call_host).into_bytes()));
        register_function("validate_settings", |payload| Ok(super::validate_settings(payload).into_bytes()));
        register_function("protocol_version", |_| Ok(super::PROTOCOL.into()));
    }

    fn call_host(operation: &str, request: &[u8]) -> Result<Vec<u8>, String> {
        host_call("kubewarden", "kubernetes", operation, request).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CREATE: &str = r#"{"request":{"kind":{"group":"cluster.open-cluster-management.io","kind":"ManagedCluster"},"name":"c1","operation":"CREATE","userInfo":{"username":"eve"},"object":{"apiVersion":"cluster.open-cluster-management.io/v1","kind":"ManagedCluster","metadata":{"name":"c1","labels":{"cluster.open-cluster-management.io/clusterset":"dev"}}}},"settings":{"dialects":["ocm"]}}"#;

    #[track_caller]
    fn check(payload: &str, answer: Result<&str, &str>, want: &str) {
        let host = |_: &str, _: &[u8]| answer.map(|it| it.as_bytes().to_vec()).map_err(str::to_owned);
        assert!(validate(payload.as_bytes(), &host).starts_with(want), "{}", validate(payload.as_bytes(), &host));
    }

    #[test]
    fn a_kind_without_a_rule_is_accepted_without_a_review() {
        let payload = r#"{"request":{"kind":{"kind":"Pod"},"operation":"CREATE"},"settings":{}}"#;
        check(payload, Err("there is no review"), r#"{"accepted":true}"#);
    }

    #[test]
    fn the_answer_of_the_host_decides() {
        check(CREATE, Ok(r#"{"allowed":true}"#), r#"{"accepted":true"#);
        check(CREATE, Ok(r#"{"allowed":false}"#), r#"{"accepted":false,"audit_annotations":{"code":"not-granted""#);
    }

    #[test]
    fn without_an_answer_of_the_host_nothing_is_granted() {
        check(
            CREATE,
            Err("away"),
            r#"{"accepted":false,"code":503,"message":"cannot review the change: an access review"#,
        );
        check(CREATE, Ok("{}"), r#"{"accepted":false,"code":503"#);
    }

    #[test]
    fn settings_are_validated() {
        assert_eq!(validate_settings(b"{}"), r#"{"valid":true}"#);
        assert!(validate_settings(b"{").starts_with(r#"{"message":"the settings cannot be read: "#));
    }
}
