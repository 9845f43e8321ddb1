//! Rejects requests of other sites. Every page that the user has open can reach the port, so:
//!
//! 1. `Host` must name this machine: a loopback name, the address of the connection, or a configured name. Another
//!    name that resolves here (DNS rebinding) is rejected;
//! 2. a request that the browser marks as coming from another site is rejected, unless it follows a link to the page;
//! 3. the token must match, where one is required;
//! 4. a call must be sent as JSON, which a browser never sends across sites without a preflight;
//! 5. the page may load only its own files, and no page may frame it.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;

use super::token::{Token, Verdict};
use super::{AccessPolicy, error_response};
use crate::http_server::{LocalAddress, is_json, only as text};

/// The engine is compiled in the page and in its worker, which is all that `wasm-unsafe-eval` allows.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
     img-src 'self' data:; font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

#[derive(Debug)]
pub struct Auth {
    address: SocketAddr,
    /// Configured host names: with a port for exactly that port, without one for any.
    names: Vec<String>,
    token: Option<Token>,
}

impl Auth {
    pub fn new(address: SocketAddr, policy: AccessPolicy) -> Auth {
        Auth { address, names: policy.names, token: policy.token }
    }

    /// Whether an authority is a loopback name or the local address, with this port.
    fn is_local(&self, authority: &str, here: IpAddr) -> bool {
        let port = self.address.port();
        let here = match here.to_canonical() {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => format!("[{address}]"),
        };
        ["localhost", "127.0.0.1", "[::1]", &here].iter().any(|name| match strip(authority, name) {
            // The default port is left out.
            Some("") => port == 80,
            Some(rest) => rest.strip_prefix(':').is_some_and(|it| it == port.to_string()),
            None => false,
        })
    }

    fn is_configured(&self, authority: &str) -> bool {
        self.names.iter().any(|name| match strip(authority, name) {
            Some("") => true,
            Some(rest) => rest.strip_prefix(':').is_some_and(|it| it.parse::<u16>().is_ok()),
            None => false,
        })
    }

    /// Rule 1.
    fn is_host_allowed(&self, headers: &HeaderMap, here: IpAddr) -> bool {
        text(headers, &header::HOST).is_some_and(|host| self.is_local(host, here) || self.is_configured(host))
    }

    /// Rule 2. Browsers send `Origin` with every POST, and `Sec-Fetch-Site` with everything; programs send neither.
    fn is_origin_allowed(&self, headers: &HeaderMap, here: IpAddr) -> bool {
        let host = text(headers, &header::HOST).unwrap_or_default();
        let is_ours = |origin: &str| match origin.split_once("://") {
            Some(("http", authority)) if self.is_local(authority, here) => true,
            // A proxy with a configured name may terminate TLS.
            Some(("http" | "https", authority)) => authority == host && self.is_configured(authority),
            _ => false,
        };
        let origin = !headers.contains_key(header::ORIGIN) || text(headers, &header::ORIGIN).is_some_and(is_ours);
        let site = HeaderName::from_static("sec-fetch-site");
        let fetch = !headers.contains_key(&site) || matches!(text(headers, &site), Some("same-origin" | "none"));
        origin && fetch
    }

    fn verdict(&self, request: &Request) -> Verdict {
        self.token.as_ref().map_or(Verdict::Admitted, |it| it.verdict(request, self.address.port()))
    }
}

/// Rules 1, 2 and 3.
pub async fn authorize(State(auth): State<Arc<Auth>>, request: Request, next: Next) -> Response {
    let here = request.extensions().get::<LocalAddress>().and_then(|it| it.0);
    let here = here.unwrap_or(auth.address).ip();
    let headers = request.headers();
    if !auth.is_host_allowed(headers, here) {
        let hint = format!("open http://127.0.0.1:{}, or give the name with `--host`", auth.address.port());
        let message = "this server accepts only host names of this machine";
        return error_response(StatusCode::FORBIDDEN, "host-not-allowed", message, &hint);
    }
    if !(auth.is_origin_allowed(headers, here) || is_link(&request)) {
        let hint = "call it from its own page, or from a program";
        return error_response(
            StatusCode::FORBIDDEN,
            "origin-not-allowed",
            "the request comes from another site",
            hint,
        );
    }
    match auth.verdict(&request) {
        Verdict::Admitted => next.run(request).await,
        Verdict::Answered(response) => *response,
    }
}

/// Rule 4.
pub async fn json_only(request: Request, next: Next) -> Response {
    if is_json(request.headers()) {
        return next.run(request).await;
    }
    let message = "a call is sent as `application/json`";
    error_response(StatusCode::UNSUPPORTED_MEDIA_TYPE, "wrong-content-type", message, "set the `content-type` header")
}

/// Rule 5. Responses are not cached unless they say so.
pub async fn add_headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let always: [(HeaderName, &'static str); 4] = [
        (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ];
    for (name, value) in always {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response.headers_mut().entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// Whether the user followed a link to the page. The site with the link cannot read the response.
fn is_link(request: &Request) -> bool {
    let says = |name: &'static str, value: &str| text(request.headers(), &HeaderName::from_static(name)) == Some(value);
    let is_page = !request.uri().path().starts_with("/v1/");
    is_page
        && request.method() == Method::GET
        && says("sec-fetch-mode", "navigate")
        && says("sec-fetch-dest", "document")
}

/// The rest of an authority after a name, ignoring case.
fn strip<'a>(authority: &'a str, name: &str) -> Option<&'a str> {
    let (start, rest) = authority.split_at_checked(name.len())?;
    (!name.is_empty() && start.eq_ignore_ascii_case(name)).then_some(rest)
}
