//! Keeps other sites out. A loopback port can be reached by every page that the user has open, so:
//!
//! 1. `Host` must name this machine and this port: a foreign name that resolves here (DNS rebinding) is refused;
//! 2. a request that the browser says comes from another site is refused, unless it is a person following a link;
//! 3. a call must be sent as JSON, which a browser never sends across sites unasked;
//! 4. the page may load nothing but its own files, and no page may frame it.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;

use super::refusal;

const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Rules 1, 2 and 4, for every path.
pub async fn same_site(State(port): State<u16>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    let mut response = if !host_is_ours(headers, port) {
        let hint = format!("open http://127.0.0.1:{port}");
        refusal(
            StatusCode::FORBIDDEN,
            "host-not-allowed",
            "this server answers to this machine's own names only",
            &hint,
        )
    } else if !(origin_is_ours(headers, port) || is_navigation(&request)) {
        let hint = "call it from its own page, or from a program";
        refusal(StatusCode::FORBIDDEN, "origin-not-allowed", "the request comes from another site", hint)
    } else {
        next.run(request).await
    };
    let always: [(HeaderName, &'static str); 5] = [
        (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    for (name, value) in always {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Rule 3, for calls.
pub async fn json_only(request: Request, next: Next) -> Response {
    let content_type = text(request.headers(), &header::CONTENT_TYPE).unwrap_or_default();
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    if essence.eq_ignore_ascii_case("application/json") {
        return next.run(request).await;
    }
    let message = "a call is sent as `application/json`";
    refusal(StatusCode::UNSUPPORTED_MEDIA_TYPE, "wrong-content-type", message, "set the `content-type` header")
}

fn host_is_ours(headers: &HeaderMap, port: u16) -> bool {
    text(headers, &header::HOST).is_some_and(|host| is_ours(host, port))
}

/// Browsers send `Origin` with every POST, and `Sec-Fetch-Site` with everything; programs send neither.
fn origin_is_ours(headers: &HeaderMap, port: u16) -> bool {
    let origin = !headers.contains_key(header::ORIGIN)
        || text(headers, &header::ORIGIN).and_then(|it| it.strip_prefix("http://")).is_some_and(|it| is_ours(it, port));
    let site = HeaderName::from_static("sec-fetch-site");
    let fetch = !headers.contains_key(&site) || matches!(text(headers, &site), Some("same-origin" | "none"));
    origin && fetch
}

/// A link to the page, in a mail or a chat. What it opens cannot be read by the site that the link is on.
fn is_navigation(request: &Request) -> bool {
    let says = |name: &'static str, value: &str| text(request.headers(), &HeaderName::from_static(name)) == Some(value);
    request.method() == Method::GET && says("sec-fetch-mode", "navigate") && says("sec-fetch-dest", "document")
}

fn is_ours(authority: &str, port: u16) -> bool {
    ["localhost", "127.0.0.1", "[::1]"].iter().any(|name| match authority.strip_prefix(name) {
        // Nobody writes the port that goes without saying.
        Some("") => port == 80,
        Some(rest) => rest.strip_prefix(':').is_some_and(|it| it == port.to_string()),
        None => false,
    })
}

/// A header that is there once, as text.
fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut all = headers.get_all(name).iter();
    let first = all.next()?.to_str().ok()?;
    all.next().is_none().then_some(first)
}
