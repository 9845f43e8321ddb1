//! What can go wrong between this program and an API server, each with a stable code and what to do about it.

use std::fmt;
use std::time::Duration;

use kube::core::Status;
use kube::runtime::watcher;

/// Why a request to an API server was not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nobody answers, or not in time.
    Unreachable { message: String },
    /// Whoever asks is not known, or no longer.
    Unauthorized { message: String },
    /// Whoever asks is known, and may not.
    Forbidden { message: String },
    /// The server does not know the kind.
    NotServed { kind: String, api_version: String },
    /// The object is not there, or its namespace: the server names it.
    NotFound { message: String },
    /// The server has nothing at the path. That says nothing of objects: it may be starting, or another server.
    NoPath { message: String },
    /// What was watched or listed is too old to go on from.
    Expired { message: String },
    /// It is not the object that was seen.
    Conflict { message: String },
    /// The server finds the object wrong.
    Invalid { message: String },
    /// An admission webhook or policy refused.
    Denied { message: String },
    /// The server asks to come back later.
    Busy { after: Duration },
    /// How to get to the server is not said, or cannot be read.
    NoAccess { message: String, hint: String },
    /// Something else that the server says.
    Server { code: u16, message: String },
}

impl Fault {
    /// Stable: programs may branch on it.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unreachable { .. } => "unreachable",
            Self::Unauthorized { .. } => "unauthorized",
            Self::Forbidden { .. } => "forbidden",
            Self::NotServed { .. } => "not-served",
            Self::NotFound { .. } => "not-found",
            Self::NoPath { .. } => "no-path",
            Self::Expired { .. } => "expired",
            Self::Conflict { .. } => "conflict",
            Self::Invalid { .. } => "invalid",
            Self::Denied { .. } => "denied",
            Self::Busy { .. } => "busy",
            Self::NoAccess { .. } => "no-access",
            Self::Server { .. } => "server-error",
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Unreachable { .. } => "check the address and the network; it is tried again".into(),
            Self::Unauthorized { .. } => "renew the token or certificate; it is read again and tried again".into(),
            Self::Forbidden { .. } => "grant the verb to this user; see `install/README.md` for what is needed".into(),
            Self::NotServed { .. } => {
                "install the CustomResourceDefinition; `fleetfold crds` prints those that no system brings".into()
            }
            Self::NotFound { .. } => "it is looked at again; a missing namespace must be made first".into(),
            Self::NoPath { .. } => "is this an API server, and is the kind installed? it is tried again".into(),
            Self::Expired { .. } => "it is listed anew".into(),
            Self::Conflict { .. } => "it is looked at again, and planned anew".into(),
            Self::Invalid { .. } => "mend the document that the object is made from".into(),
            Self::Denied { .. } => "mend the document, or ask whoever runs the policy".into(),
            Self::Busy { .. } => "it is tried again when the server asks for it".into(),
            Self::NoAccess { hint, .. } => hint.clone(),
            Self::Server { .. } => "see the logs of the API server; it is tried again".into(),
        }
    }

    /// Whether the server as a whole cannot be used, and not one request of it.
    pub fn is_of_server(&self) -> bool {
        matches!(
            self,
            Self::Unreachable { .. } | Self::Unauthorized { .. } | Self::NoAccess { .. } | Self::NoPath { .. }
        )
    }

    /// The same without what an object holds: a server that finds a Secret wrong quotes it.
    pub fn without_values(self) -> Fault {
        match self {
            Self::Invalid { .. } => Self::Invalid { message: "the server finds the object wrong".into() },
            Self::Denied { .. } => Self::Denied { message: "an admission webhook or policy refused".into() },
            Self::Server { code, .. } => Self::Server { code, message: "the server refused".into() },
            other => other,
        }
    }

    fn of_status(status: &Status) -> Fault {
        let message = status.message.clone();
        let is_denied = message.contains("denied the request") || message.contains("ValidatingAdmissionPolicy");
        match status.code {
            401 => Self::Unauthorized { message },
            403 if is_denied => Self::Denied { message },
            403 => Self::Forbidden { message },
            404 if status.details.as_ref().is_some_and(|it| !it.name.is_empty()) => Self::NotFound { message },
            404 => Self::NoPath { message },
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

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotServed { kind, api_version } => write!(f, "the server does not know `{kind}` of `{api_version}`"),
            Self::Busy { after } => write!(f, "the server is busy, and asks to come back in {} s", after.as_secs()),
            Self::Server { code, message } => write!(f, "{message} (HTTP {code})"),
            Self::Unreachable { message }
            | Self::Unauthorized { message }
            | Self::Forbidden { message }
            | Self::NotFound { message }
            | Self::NoPath { message }
            | Self::Expired { message }
            | Self::Conflict { message }
            | Self::Invalid { message }
            | Self::Denied { message }
            | Self::NoAccess { message, .. } => f.write_str(message),
        }
    }
}

impl From<kube::Error> for Fault {
    fn from(error: kube::Error) -> Fault {
        match &error {
            kube::Error::Api(status) => Fault::of_status(status),
            kube::Error::Auth(_) => Fault::Unauthorized { message: told(&error) },
            kube::Error::SerdeError(_) | kube::Error::FromUtf8(_) => {
                Fault::Server { code: 0, message: "the server's answer cannot be read".into() }
            }
            _ => Fault::Unreachable { message: told(&error) },
        }
    }
}

impl From<watcher::Error> for Fault {
    fn from(error: watcher::Error) -> Fault {
        match error {
            watcher::Error::InitialListFailed(error)
            | watcher::Error::WatchStartFailed(error)
            | watcher::Error::WatchFailed(error) => error.into(),
            watcher::Error::WatchError(status) => Fault::of_status(&status),
            watcher::Error::NoResourceVersion => {
                Fault::Server { code: 0, message: "the server lists objects without a version".into() }
            }
        }
    }
}

/// An error with what caused it: the outermost text of a client's error says little.
fn told(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let said = inner.to_string();
        if !text.contains(&said) {
            text = format!("{text}: {said}");
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
        assert_eq!(Fault::of_status(&status).code(), want);
    }

    #[test]
    fn a_refusal_of_a_webhook_is_no_lack_of_rights() {
        check(403, r#"admission webhook "x" denied the request: no"#, "denied");
        check(403, r#"plugins is forbidden: User "eve" cannot list resource"#, "forbidden");
    }

    #[test]
    fn only_what_is_named_is_not_there() {
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
        assert_eq!(Fault::of_status(&status).code(), "not-found");
        check(410, "too old resource version", "expired");
    }

    #[test]
    fn a_busy_server_says_when_to_come_back() {
        check(429, "", "busy");
        check(503, "", "busy");
        check(500, "", "server-error");
    }

    #[test]
    fn what_a_secret_holds_is_not_told() {
        let fault = Fault::Invalid { message: "data[password]: Invalid value: \"hunter2\"".into() };
        assert!(!fault.without_values().to_string().contains("hunter2"));
    }
}
