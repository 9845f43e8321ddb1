//! Keeps other sites out. A port can be reached by every page that the user has open, so:
//!
//! 1. `Host` must name this machine: by a loopback name, by the address that the connection came to, or by a name that was
//!    given. A foreign name that resolves here (DNS rebinding) is refused;
//! 2. a request that the browser says comes from another site is refused, unless it is a person following a link to the
//!    page;
//! 3. who must know a token shows it;
//! 4. a call must be sent as JSON, which a browser never sends across sites unasked;
//! 5. the page may load nothing but its own files, and no page may frame it.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;

use super::token::{Token, Verdict};
use super::{Door, Here, refusal};

/// The engine is compiled in the page and in its worker, which is all that `wasm-unsafe-eval` allows.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
     img-src 'self' data:; font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

#[derive(Debug)]
pub struct Guard {
    address: SocketAddr,
    /// Names that were given: with a port for exactly that, without one for any.
    names: Vec<String>,
    token: Option<Token>,
}

impl Guard {
    pub fn new(address: SocketAddr, door: Door) -> Guard {
        Guard { address, names: door.names, token: door.token }
    }

    /// Whether an authority names this machine and this port, at the address that the connection came to.
    fn is_own(&self, authority: &str, here: IpAddr) -> bool {
        let port = self.address.port();
        let here = match here.to_canonical() {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => format!("[{address}]"),
        };
        ["localhost", "127.0.0.1", "[::1]", &here].iter().any(|name| match strip(authority, name) {
            // Nobody writes the port that goes without saying.
            Some("") => port == 80,
            Some(rest) => rest.strip_prefix(':').is_some_and(|it| it == port.to_string()),
            None => false,
        })
    }

    fn is_given(&self, authority: &str) -> bool {
        self.names.iter().any(|name| match strip(authority, name) {
            Some("") => true,
            Some(rest) => rest.strip_prefix(':').is_some_and(|it| it.parse::<u16>().is_ok()),
            None => false,
        })
    }

    /// Rule 1.
    fn host_is_ours(&self, headers: &HeaderMap, here: IpAddr) -> bool {
        text(headers, &header::HOST).is_some_and(|host| self.is_own(host, here) || self.is_given(host))
    }

    /// Rule 2. Browsers send `Origin` with every POST, and `Sec-Fetch-Site` with everything; programs send neither.
    fn origin_is_ours(&self, headers: &HeaderMap, here: IpAddr) -> bool {
        let host = text(headers, &header::HOST).unwrap_or_default();
        let is_ours = |origin: &str| match origin.split_once("://") {
            Some(("http", authority)) if self.is_own(authority, here) => true,
            // Somebody in front of this may speak TLS, under a name that was given.
            Some(("http" | "https", authority)) => authority == host && self.is_given(authority),
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
pub async fn admit(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let here = request.extensions().get::<ConnectInfo<Here>>().and_then(|it| it.0.0);
    let here = here.unwrap_or(guard.address).ip();
    let headers = request.headers();
    if !guard.host_is_ours(headers, here) {
        let hint = format!("open http://127.0.0.1:{}, or give the name with `--host`", guard.address.port());
        let message = "this server answers to this machine's own names only";
        return refusal(StatusCode::FORBIDDEN, "host-not-allowed", message, &hint);
    }
    if !(guard.origin_is_ours(headers, here) || is_link(&request)) {
        let hint = "call it from its own page, or from a program";
        return refusal(StatusCode::FORBIDDEN, "origin-not-allowed", "the request comes from another site", hint);
    }
    match guard.verdict(&request) {
        Verdict::Admitted => next.run(request).await,
        Verdict::Answered(response) => *response,
    }
}

/// Rule 4.
pub async fn json_only(request: Request, next: Next) -> Response {
    let content_type = text(request.headers(), &header::CONTENT_TYPE).unwrap_or_default();
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    if essence.eq_ignore_ascii_case("application/json") {
        return next.run(request).await;
    }
    let message = "a call is sent as `application/json`";
    refusal(StatusCode::UNSUPPORTED_MEDIA_TYPE, "wrong-content-type", message, "set the `content-type` header")
}

/// Rule 5. What does not say otherwise is kept by nobody.
pub async fn mark(request: Request, next: Next) -> Response {
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

/// A link to the page, in a mail or a chat. What it opens cannot be read by the site that the link is on.
fn is_link(request: &Request) -> bool {
    let says = |name: &'static str, value: &str| text(request.headers(), &HeaderName::from_static(name)) == Some(value);
    let is_page = !request.uri().path().starts_with("/v1/");
    is_page
        && request.method() == Method::GET
        && says("sec-fetch-mode", "navigate")
        && says("sec-fetch-dest", "document")
}

/// What follows a name, whatever the case of its letters.
fn strip<'a>(authority: &'a str, name: &str) -> Option<&'a str> {
    let (start, rest) = authority.split_at_checked(name.len())?;
    (!name.is_empty() && start.eq_ignore_ascii_case(name)).then_some(rest)
}

/// A header that is there once, as text.
fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut all = headers.get_all(name).iter();
    let first = all.next()?.to_str().ok()?;
    all.next().is_none().then_some(first)
}
