//! The errors of requests to an API server, each with a stable code and a hint.

use std::fmt;
use std::time::Duration;

use kube::core::Status;
use kube::runtime::watcher;

/// Why a request to an API server failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApiError {
    /// No connection, or no response in time.
    Unreachable { message: String },
    /// The credentials are not valid, or no longer.
    Unauthorized { message: String },
    /// The user lacks a permission.
    Forbidden { message: String },
    /// The server does not serve the kind.
    NotServed { kind: String, api_version: String },
    /// The object or its namespace does not exist; the server names it.
    NotFound { message: String },
    /// The path does not exist. The object may: the server may be starting, or be no API server.
    EndpointNotFound { message: String },
    /// The resourceVersion or continue token is too old.
    Expired { message: String },
    /// The object has another uid or resourceVersion, or exists already.
    Conflict { message: String },
    /// The object is not valid.
    Invalid { message: String },
    /// An admission webhook or policy denied the request.
    Denied { message: String },
    /// The server requests a retry after a delay.
    Busy { after: Duration },
    /// The credentials are missing or cannot be read.
    NoAccess { message: String, hint: String },
    /// The server accepts a status again and again and does not keep it.
    NotKept,
    /// Known credentials would go to another endpoint, which nobody approved.
    EndpointHeld { message: String, hint: String },
    /// Any other error of the server.
    Server { code: u16, message: String },
}

impl ApiError {
    /// A stable code, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unreachable { .. } => "unreachable",
            Self::Unauthorized { .. } => "unauthorized",
            Self::Forbidden { .. } => "forbidden",
            Self::NotServed { .. } => "not-served",
            Self::NotFound { .. } => "not-found",
            Self::EndpointNotFound { .. } => "no-path",
            Self::Expired { .. } => "expired",
            Self::Conflict { .. } => "conflict",
            Self::Invalid { .. } => "invalid",
            Self::Denied { .. } => "denied",
            Self::Busy { .. } => "busy",
            Self::NoAccess { .. } => "no-access",
            Self::NotKept => "not-kept",
            Self::EndpointHeld { .. } => "endpoint-held",
            Self::Server { .. } => "server-error",
        }
    }

    /// What to do about the error.
    pub fn hint(&self) -> String {
        match self {
            Self::Unreachable { .. } => "check the address and the network; it is retried".into(),
            Self::Unauthorized { .. } => "renew the token or certificate; it is read again and retried".into(),
            Self::Forbidden { .. } => "grant the verb to this user; see `install/README.md` for what is needed".into(),
            Self::NotServed { .. } => {
                "install the CustomResourceDefinition; `fleetfold crds` prints those of Fleetfold".into()
            }
            Self::NotFound { .. } => "it is fetched again; create a missing namespace first".into(),
            Self::EndpointNotFound { .. } => "is this an API server, and is the kind installed? it is retried".into(),
            Self::Expired { .. } => "the runner lists the kind again".into(),
            Self::Conflict { .. } => "the runner fetches the object again and plans again".into(),
            Self::Invalid { .. } => "fix the document that the object is made from".into(),
            Self::Denied { .. } => "fix the document, or ask the owner of the policy".into(),
            Self::Busy { .. } => "it is retried after the delay that the server requests".into(),
            Self::NoAccess { hint, .. } | Self::EndpointHeld { hint, .. } => hint.clone(),
            Self::NotKept => {
                "does its CustomResourceDefinition have all fields of the status, and does another controller write \
                 it? it is retried with backoff"
                    .into()
            }
            Self::Server { .. } => "see the logs of the API server; it is retried".into(),
        }
    }

    /// Whether the error is about the whole server rather than one request.
    pub fn is_of_server(&self) -> bool {
        matches!(
            self,
            Self::Unreachable { .. }
                | Self::Unauthorized { .. }
                | Self::NoAccess { .. }
                | Self::EndpointHeld { .. }
                | Self::EndpointNotFound { .. }
        )
    }

    /// Whether the server refused the request, so that nothing changed. After another error it may have.
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::Unauthorized { .. }
                | Self::Forbidden { .. }
                | Self::NotServed { .. }
                | Self::NotFound { .. }
                | Self::Conflict { .. }
                | Self::Invalid { .. }
                | Self::Denied { .. }
        )
    }

    /// The same error without values: an API server quotes the values of an invalid Secret.
    pub fn without_values(self) -> ApiError {
        match self {
            Self::Invalid { .. } => Self::Invalid { message: "the object is invalid".into() },
            Self::Denied { .. } => Self::Denied { message: "an admission webhook or policy refused".into() },
            Self::Server { code, .. } => Self::Server { code, message: "the server refused".into() },
            other => other,
        }
    }

    fn of_status(status: &Status) -> ApiError {
        let message = status.message.clone();
        let is_denied = message.contains("denied the request") || message.contains("ValidatingAdmissionPolicy");
        match status.code {
            401 => Self::Unauthorized { message },
            403 if is_denied => Self::Denied { message },
            403 => Self::Forbidden { message },
            404 if status.details.as_ref().is_some_and(|it| !it.name.is_empty()) => Self::NotFound { message },
            404 => Self::EndpointNotFound { message },
            410 => Self::Expired { message },
            409 => Self::Conflict { message },
            400 if is_denied => Self::Denied { message },
            400 | 413 | 415 | 422 => Self::Invalid { message },
            429 | 503 | 504 => {
                let after = status.details.as_ref().map_or(0, |it| it.retry_after_seconds);
                Self::Busy { after: Duration::from_secs(u64::from(after.clamp(1, 60))) }
            }
            code => Self::Server { code, message },
        }
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotServed { kind, api_version } => write!(f, "the server does not serve `{kind}` of `{api_version}`"),
            Self::Busy { after } => write!(f, "the server is busy; retry after {} s", after.as_secs()),
            Self::NotKept => f.write_str("the server accepts it but does not store it"),
            Self::Server { code, message } => write!(f, "{message} (HTTP {code})"),
            Self::Unreachable { message }
            | Self::Unauthorized { message }
            | Self::Forbidden { message }
            | Self::NotFound { message }
            | Self::EndpointNotFound { message }
            | Self::Expired { message }
            | Self::Conflict { message }
            | Self::Invalid { message }
            | Self::Denied { message }
            | Self::NoAccess { message, .. }
            | Self::EndpointHeld { message, .. } => f.write_str(message),
        }
    }
}

impl From<kube::Error> for ApiError {
    fn from(error: kube::Error) -> ApiError {
        match &error {
            kube::Error::Api(status) => ApiError::of_status(status),
            kube::Error::Auth(_) => ApiError::Unauthorized { message: with_causes(&error) },
            kube::Error::SerdeError(_) | kube::Error::FromUtf8(_) => {
                ApiError::Server { code: 0, message: "the server's answer cannot be read".into() }
            }
            _ => ApiError::Unreachable { message: with_causes(&error) },
        }
    }
}

impl From<watcher::Error> for ApiError {
    fn from(error: watcher::Error) -> ApiError {
        match error {
            watcher::Error::InitialListFailed(error)
            | watcher::Error::WatchStartFailed(error)
            | watcher::Error::WatchFailed(error) => error.into(),
            watcher::Error::WatchError(status) => ApiError::of_status(&status),
            watcher::Error::NoResourceVersion => {
                ApiError::Server { code: 0, message: "the server lists objects without a version".into() }
            }
        }
    }
}

/// An error with its causes: the outermost message of the client says little.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let message = inner.to_string();
        if !text.contains(&message) {
            text = format!("{text}: {message}");
        }
        cause = inner.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(code: u16, message: &str, want: &str) {
        let status = Status { code, message: message.into(), ..Status::default() };
        assert_eq!(ApiError::of_status(&status).code(), want);
    }

    #[test]
    fn a_denial_by_a_webhook_is_not_a_missing_permission() {
        check(403, r#"admission webhook "x" denied the request: no"#, "denied");
        check(403, r#"plugins is forbidden: User "eve" cannot list resource"#, "forbidden");
    }

    #[test]
    fn not_found_requires_the_name_of_the_object() {
        check(404, "404 page not found", "no-path");
        let details = Some(kube::core::response::StatusDetails {
            name: "a".into(),
            group: String::new(),
            kind: "plugins".into(),
            uid: String::new(),
            causes: Vec::new(),
            retry_after_seconds: 0,
        });
        let status = Status { code: 404, details, ..Status::default() };
        assert_eq!(ApiError::of_status(&status).code(), "not-found");
        check(410, "too old resource version", "expired");
    }

    #[test]
    fn too_many_requests_is_busy() {
        check(429, "", "busy");
        check(503, "", "busy");
        check(500, "", "server-error");
    }

    #[test]
    fn values_of_a_secret_are_left_out() {
        let error = ApiError::Invalid { message: "data[password]: Invalid value: \"hunter2\"".into() };
        assert!(!error.without_values().to_string().contains("hunter2"));
    }
}
