//! The page's files, from the table that the build writes. Here the table is a small one.

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use fleetfold::serve::site::{Behind, Site};

const FILES: &[(&str, &[u8])] = &[
    ("index.html", b"<html><head><meta name=\"fleetfold-serve\" content=\"\" /></head></html>"),
    ("assets/app-1a2b.js", b"import './x'"),
    ("assets/engine.wasm", b"\0asm"),
    ("assets/app.css", b"a{}"),
    ("assets/icon.svg", b"<svg/>"),
    ("examples/mixed.json", b"{}"),
    ("assets/letters.woff2", b"wOF2"),
    ("assets/unknown.xyz", b"?"),
];

fn ask(behind: Behind, method: &str, path: &str, known: Option<&str>) -> (StatusCode, HeaderMap, String) {
    let mut request = Request::builder().method(method).uri(path);
    if let Some(known) = known {
        request = request.header("if-none-match", known);
    }
    let response = Site::new(FILES, behind).answer(&request.body(Body::empty()).unwrap());
    read(response)
}

fn read(response: Response) -> (StatusCode, HeaderMap, String) {
    let (head, body) = response.into_parts();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let body = runtime.block_on(to_bytes(body, 1 << 20)).unwrap();
    (head.status, head.headers, String::from_utf8_lossy(&body).into_owned())
}

#[test]
fn every_file_has_the_type_that_browsers_insist_on() {
    for (path, want) in [
        ("/", "text/html; charset=utf-8"),
        ("/index.html", "text/html; charset=utf-8"),
        ("/assets/app-1a2b.js", "text/javascript; charset=utf-8"),
        ("/assets/engine.wasm", "application/wasm"),
        ("/assets/app.css", "text/css; charset=utf-8"),
        ("/assets/icon.svg", "image/svg+xml"),
        ("/examples/mixed.json", "application/json"),
        ("/assets/letters.woff2", "font/woff2"),
        ("/assets/unknown.xyz", "application/octet-stream"),
    ] {
        let (status, headers, _) = ask(Behind::Fleet, "GET", path, None);
        assert_eq!(status, StatusCode::OK, "{path}");
        assert_eq!(headers["content-type"], want, "{path}");
        assert_eq!(headers["cache-control"], "no-cache", "{path}");
    }
}

#[test]
fn a_file_that_the_browser_has_is_not_sent_again() {
    let (_, headers, body) = ask(Behind::Fleet, "GET", "/assets/app.css", None);
    let tag = headers["etag"].to_str().unwrap().to_owned();
    assert!(tag.starts_with('"') && tag.ends_with('"') && tag.len() > 20, "{tag}");
    assert_eq!(body, "a{}");
    for known in [tag.clone(), format!("\"other\", W/{tag}"), "*".to_owned()] {
        let (status, headers, body) = ask(Behind::Fleet, "GET", "/assets/app.css", Some(&known));
        assert_eq!((status, body.as_str()), (StatusCode::NOT_MODIFIED, ""), "{known}");
        assert_eq!(headers["etag"].to_str().unwrap(), tag);
    }
    assert_eq!(ask(Behind::Fleet, "GET", "/assets/app.css", Some("\"other\"")).0, StatusCode::OK);
}

#[test]
fn the_first_page_says_what_is_behind_it() {
    let (_, fleet, page) = ask(Behind::Fleet, "GET", "/", None);
    assert!(page.contains(r#"name="fleetfold-serve" content="fleet" />"#), "{page}");
    let (_, calls, page) = ask(Behind::Calls, "GET", "/index.html", None);
    assert!(page.contains(r#"name="fleetfold-serve" content="call" />"#), "{page}");
    assert_ne!(fleet["etag"], calls["etag"]);
}

#[test]
fn there_is_nothing_but_the_table() {
    for path in ["/assets", "/assets/", "/examples/", "/assets/../index.html", "/assets//app.css", "/INDEX.HTML"] {
        assert_eq!(ask(Behind::Fleet, "GET", path, None).0, StatusCode::NOT_FOUND, "{path}");
    }
    assert_eq!(ask(Behind::Fleet, "POST", "/", None).0, StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(ask(Behind::Fleet, "HEAD", "/", None).0, StatusCode::OK);
}

#[test]
fn a_program_without_the_page_says_so_and_where_the_api_is() {
    let request = Request::builder().uri("/").body(Body::empty()).unwrap();
    let (status, headers, page) = read(Site::new(&[], Behind::Calls).answer(&request));
    assert_eq!((status, headers["content-type"].to_str().unwrap()), (StatusCode::OK, "text/html; charset=utf-8"));
    for part in
        ["was not built into this program", "npm run build", "POST /v1/call", "GET /v1/fleet", "content=\"call\""]
    {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains("<script") && !page.contains("style"), "{page}");
}
