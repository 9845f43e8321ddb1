//! The page: the crate `fleetfold-page` embeds every file of `web/site`.
//!
//! A program that was built without the page serves a placeholder.

use std::collections::BTreeMap;

use axum::body::Bytes;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};

use super::error_response;
use crate::digest::hex;

/// The file that `/` returns.
const INDEX: &str = "index.html";

/// The attribute that tells the page which server it comes from. A plain file server leaves it empty.
const MARK: &str = r#"name="fleetfold-serve" content="""#;

const NOT_BUILT: &str = r#"<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="fleetfold-serve" content="">
<title>Fleetfold</title>
<h1>Fleetfold</h1>
<p>The page was not built into this program. <code>npm run build</code> builds it, and then the program with it.
<p>The API is here: <code>POST /v1/call</code> with a request of the contract as JSON,
<a href="v1/fleet"><code>GET /v1/fleet</code></a> for what is served, and
<code>GET /v1/updates</code> for when it changes.
</html>
"#;

/// What the server offers to the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behind {
    /// A fleet to show.
    Fleet,
    /// Only `POST /v1/call`.
    Calls,
}

/// The files of the page.
#[derive(Debug)]
pub struct Site(BTreeMap<String, File>);

#[derive(Debug)]
struct File {
    content_type: &'static str,
    bytes: Bytes,
    tag: String,
}

impl Site {
    /// The embedded page, or the placeholder.
    pub fn built_in(behind: Behind) -> Site {
        Site::new(fleetfold_page::FILES, behind)
    }

    /// A page of these files, by path; the placeholder if there are none.
    pub fn new(files: &[(&str, &'static [u8])], behind: Behind) -> Site {
        let files = if files.is_empty() { &[(INDEX, NOT_BUILT.as_bytes())] } else { files };
        let file = |path: &str, bytes: &'static [u8]| {
            let bytes = if path == INDEX { marked(bytes, behind) } else { Bytes::from_static(bytes) };
            File { content_type: content_type(path), tag: tag_of(&bytes), bytes }
        };
        Site(files.iter().map(|(path, bytes)| ((*path).to_owned(), file(path, bytes))).collect())
    }

    /// Responds with a file of the table. Folders are not listed, and no path leads outside.
    pub fn answer(&self, request: &Request) -> Response {
        let path = request.uri().path().strip_prefix('/').unwrap_or_default();
        let Some(file) = self.0.get(if path.is_empty() { INDEX } else { path }) else {
            return error_response(StatusCode::NOT_FOUND, "not-found", "there is nothing here", "see `GET /`");
        };
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            let allow = [(header::ALLOW, "GET, HEAD")];
            let hint = "send requests to `POST /v1/call`";
            let rejected =
                error_response(StatusCode::METHOD_NOT_ALLOWED, "method-not-allowed", "the page is read-only", hint);
            return (allow, rejected).into_response();
        }
        // Cached by the browser and revalidated each time: the next version may have another page.
        let kept = [(header::ETAG, file.tag.as_str()), (header::CACHE_CONTROL, "no-cache")];
        match is_known(request.headers(), &file.tag) {
            true => (StatusCode::NOT_MODIFIED, kept).into_response(),
            false => (kept, [(header::CONTENT_TYPE, file.content_type)], file.bytes.clone()).into_response(),
        }
    }
}

/// Whether the browser has cached the file with this ETag.
fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    let given = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|it: &HeaderValue| it.to_str().ok());
    let mut tags = given.flat_map(|it| it.split(',')).map(|it| it.trim().trim_start_matches("W/"));
    tags.any(|it| it == "*" || it == tag)
}

/// The index page with the attribute set.
fn marked(bytes: &'static [u8], behind: Behind) -> Bytes {
    let content = match behind {
        Behind::Fleet => "fleet",
        Behind::Calls => "call",
    };
    match std::str::from_utf8(bytes) {
        Ok(text) => text.replacen(MARK, &MARK.replace("\"\"", &format!("\"{content}\"")), 1).into(),
        Err(_) => Bytes::from_static(bytes),
    }
}

fn tag_of(bytes: &[u8]) -> String {
    let digest = hex(&Sha256::digest(bytes));
    format!("\"{}\"", digest.get(..32).unwrap_or_default())
}

fn content_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "wasm" => "application/wasm",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "webp" => "image/webp",
        "woff2" => "font/woff2",
        "txt" | "md" | "yaml" | "yml" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
