//! An AdmissionReview, as far as the webhook reads and writes it; the engine reads the request itself.

use fleetfold_core::Value;
use fleetfold_core::api::admit::AdmitAnswer;
use serde::{Deserialize, Serialize};

/// What the API server sends.
#[derive(Deserialize)]
pub struct Review {
    pub request: Option<Value>,
}

/// What the log and the response need of the request.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestHead {
    pub uid: Option<String>,
    pub name: Option<String>,
    pub kind: Option<Kind>,
    pub user_info: Option<UserInfo>,
}

#[derive(Deserialize)]
pub struct Kind {
    pub kind: Option<String>,
}

#[derive(Deserialize)]
pub struct UserInfo {
    pub username: Option<String>,
}

impl RequestHead {
    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or_default()
    }

    pub fn kind(&self) -> &str {
        self.kind.as_ref().and_then(|it| it.kind.as_deref()).unwrap_or_default()
    }

    pub fn user(&self) -> &str {
        self.user_info.as_ref().and_then(|it| it.username.as_deref()).unwrap_or_default()
    }
}

/// The AdmissionReview that answers.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReviewAnswer {
    api_version: &'static str,
    kind: &'static str,
    response: Response,
}

#[derive(Serialize)]
struct Response {
    allowed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<Status>,
    uid: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    warnings: Option<Vec<String>>,
}

#[derive(Serialize)]
struct Status {
    code: u16,
    message: String,
    reason: &'static str,
}

impl ReviewAnswer {
    /// The verdict as a response to that request.
    pub fn new(uid: String, verdict: AdmitAnswer) -> ReviewAnswer {
        let denied = || Status { code: 403, message: verdict.message.unwrap_or_default(), reason: "Forbidden" };
        let status = (!verdict.allowed).then(denied);
        let response = Response { allowed: verdict.allowed, status, uid, warnings: verdict.warnings };
        ReviewAnswer { api_version: "admission.k8s.io/v1", kind: "AdmissionReview", response }
    }
}

#[cfg(test)]
mod tests {
    use fleetfold_core::diagnostic::read::from_text;
    use fleetfold_core::value::canonical::to_text_as_declared;

    use super::*;

    #[test]
    fn a_denial_carries_its_reason() {
        let verdict: AdmitAnswer = from_text(r#"{"allowed":false,"message":"no"}"#).unwrap();
        let want = r#"{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"allowed":false,"status":{"code":403,"message":"no","reason":"Forbidden"},"uid":"u1"}}"#;
        assert_eq!(to_text_as_declared(&ReviewAnswer::new("u1".into(), verdict)).unwrap(), want);
    }
}
