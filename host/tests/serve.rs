//! The server as a browser, a program and a hostile site meet it, over real connections.

mod server;

use std::io::Read;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::time::{Duration, Instant};

use fleetfold_core::api::describe::Describe;
use fleetfold_core::value::json;
use rustix::process::Signal;
use server::{JSON, Server, Source, failure, repository};

const PATCH: &str = r#"{"op":"patch","object":{"a":1},"patch":[{"op":"replace","path":"/a","value":2}]}"#;
const PATCHED: &str = r#"{"ok":{"object":{"a":2}}}"#;

const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
    img-src 'self' data:; font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

#[test]
fn a_call_is_answered() {
    let server = Server::start();
    let reply = server.call(&[JSON], PATCH);
    assert_eq!((reply.status, reply.body.as_str()), (200, PATCHED));
    assert_eq!(reply.header("content-type"), Some("application/json"));
}

#[test]
fn a_bad_request_is_an_answer_too() {
    let server = Server::start();
    for body in ["{", "", "\u{0}", "[]", "{\"op\":\"load\",\"op\":\"describe\"}"] {
        let reply = server.call(&["content-type: application/json; charset=utf-8"], body);
        assert_eq!(reply.status, 200);
        assert!(reply.body.starts_with(r#"{"error":{"#), "{}", reply.body);
    }
}

#[test]
fn calls_at_once_are_all_answered() {
    let server = Server::start();
    std::thread::scope(|scope| {
        let calls: Vec<_> = (0..16).map(|_| scope.spawn(|| server.call(&[JSON], PATCH).body)).collect();
        assert!(calls.into_iter().all(|it| it.join().unwrap() == PATCHED));
    });
}

#[test]
fn a_call_that_hangs_ends_and_the_next_is_answered() {
    let server = Server::start_with(&["--timeout", "100ms", "--module", &hangs()]);
    for _ in 0..3 {
        let reply = server.call(&[JSON], "boom");
        assert_eq!(reply.status, 200);
        assert!(reply.body.starts_with(r#"{"error":{"code":"deadline-exceeded""#), "{}", reply.body);
        assert_eq!(server.call(&[JSON], "hello").body, "fine");
    }
}

#[test]
fn every_op_has_an_example_that_is_answered() {
    let server = Server::start();
    let examples = std::fs::read_to_string(repository("web/examples.json")).unwrap();
    let examples = json::parse(&examples).unwrap();
    let ops = server.ask(&Describe::default()).ops;
    assert!(!ops.is_empty());
    for op in &ops {
        let example = examples.get(op).unwrap_or_else(|| panic!("`{op}` has no example in web/examples.json"));
        assert_eq!(example.text_at(&["op"]), op.as_str());
        assert_eq!(server.refusal(&example.to_canonical()), None, "{op}");
    }
}

#[test]
fn without_a_fleet_what_one_call_loads_the_next_one_finds() {
    let server = Server::start();
    let cluster =
        r#"{"apiVersion":"cluster.open-cluster-management.io/v1","kind":"ManagedCluster","metadata":{"name":"a"}}"#;
    let loaded = server.call(&[JSON], &format!(r#"{{"op":"load","documents":[{cluster}]}}"#)).body;
    assert_eq!(loaded, r#"{"ok":{"clusters":1,"loaded":1,"replaced":0}}"#);
    let clusters = server.call(&[JSON], r#"{"op":"clusters"}"#).body;
    assert_eq!(clusters, r#"{"ok":{"clusters":[{"kind":"ManagedCluster","labels":{},"name":"a","sets":[]}]}}"#);
    // That is the callers' own: as a fleet, nothing is served.
    let fleet = server.fleet();
    assert_eq!(fleet.source, Source { kind: "none".to_owned(), name: String::new() });
    assert_eq!((fleet.loads.len(), fleet.configure.len(), fleet.diagnostics.len()), (0, 0, 0));
    assert!(server.get("/").body.contains(r#"name="fleetfold-serve" content="call""#));
}

#[test]
fn what_secrets_hold_is_never_asked_for() {
    let server = Server::start();
    let now = "2026-01-01T00:00:00Z";
    for reveal in ["true", "null", "\"yes\"", "1"] {
        let refusal = server.refusal(&format!(r#"{{"op":"plan","now":"{now}","reveal":{reveal}}}"#));
        assert_eq!(refusal.unwrap().code, "reveal-not-allowed");
    }
    assert_eq!(server.refusal(&format!(r#"{{"op":"plan","now":"{now}","reveal":false}}"#)), None);
}

#[test]
fn every_reply_carries_the_policy() {
    let server = Server::start();
    let refused = server.send("GET", "/", &["host: evil.example"], "");
    for (reply, cache) in [
        (server.get("/"), "no-cache"),
        (server.get("/nothing"), "no-store"),
        (server.get("/healthz"), "no-store"),
        (server.get("/v1/fleet"), "no-store"),
        (server.get("/v1/call"), "no-store"),
        (server.call(&[JSON], PATCH), "no-store"),
        (refused, "no-store"),
    ] {
        assert_eq!(reply.header("content-security-policy"), Some(POLICY));
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(reply.header("cross-origin-resource-policy"), Some("same-origin"));
        assert_eq!(reply.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(reply.header("cache-control"), Some(cache));
        assert_eq!(reply.header("access-control-allow-origin"), None);
    }
}

#[test]
fn the_page_keeps_its_own_policy() {
    let page = Server::start().get("/");
    assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")));
    for inline in ["<style", "style=", "javascript:", "onclick", "onload", "src=\"http", "href=\"http", "<script>"] {
        assert!(!page.body.contains(inline), "{inline}");
    }
}

#[test]
fn what_is_not_there_and_what_is_not_meant_are_refused() {
    let server = Server::start();
    for path in [
        "/nothing",
        "/assets/",
        "/assets",
        "/../Cargo.toml",
        "/%2e%2e/Cargo.toml",
        "/..%2fCargo.toml",
        "/assets/../../Cargo.toml",
        "//index.html",
        "/index.html/",
        "/etc/passwd",
        "/index.html%00",
        "/v1/",
    ] {
        assert_eq!(server.get(path).status, 404, "{path}");
    }
    for (method, path) in
        [("GET", "/v1/call"), ("OPTIONS", "/v1/call"), ("POST", "/v1/fleet"), ("DELETE", "/v1/updates"), ("PUT", "/")]
    {
        assert_eq!(server.send(method, path, &[&server.host()], "").status, 405, "{method} {path}");
    }
    assert_eq!(server.send("TRACE", "/", &[&server.host()], "").status / 100, 4);
    let head = server.send("HEAD", "/", &[&server.host()], "");
    assert_eq!((head.status, head.body.as_str()), (200, ""));
}

#[test]
fn a_foreign_host_is_refused() {
    let server = Server::start();
    let port = server.port;
    for host in [
        "evil.example",
        "evil.example:PORT",
        "127.0.0.1",
        "127.0.0.1:1",
        "localhost:PORT.evil.example",
        "localhost.evil.example:PORT",
        "[::1]",
        "0.0.0.0:PORT",
        "127.0.0.2:PORT",
        "",
    ] {
        let host = format!("host: {}", host.replace("PORT", &port.to_string()));
        let reply = server.send("POST", "/v1/call", &[&host, JSON], PATCH);
        assert_eq!(reply.status, 403, "{host}");
        assert!(reply.body.contains("host-not-allowed"), "{host}");
        assert_eq!(server.send("GET", "/v1/fleet", &[&host], "").status, 403, "{host}");
        assert_eq!(server.send("GET", "/v1/updates", &[&host], "").status, 403, "{host}");
    }
    assert_eq!(server.send("GET", "/", &[&server.host(), "host: evil.example"], "").status / 100, 4);
    for host in ["localhost", "LocalHost", "127.0.0.1", "[::1]"] {
        let reply = server.send("POST", "/v1/call", &[&format!("host: {host}:{port}"), JSON], PATCH);
        assert_eq!((reply.status, reply.body.as_str()), (200, PATCHED), "{host}");
    }
}

#[test]
fn another_site_is_refused() {
    let server = Server::start();
    let port = server.port;
    for header in [
        "origin: https://evil.example".to_owned(),
        "origin: null".to_owned(),
        format!("origin: https://127.0.0.1:{port}"),
        "origin: http://127.0.0.1".to_owned(),
        format!("origin: http://127.0.0.1:{port}.evil.example"),
        "sec-fetch-site: cross-site".to_owned(),
        "sec-fetch-site: same-site".to_owned(),
    ] {
        let reply = server.call(&[JSON, &header], PATCH);
        assert_eq!(reply.status, 403, "{header}");
        assert!(reply.body.contains("origin-not-allowed"), "{header}");
        for path in ["/v1/fleet", "/v1/updates"] {
            assert_eq!(server.send("GET", path, &[&server.host(), &header], "").status, 403, "{header}");
        }
    }
    for header in [
        format!("origin: http://127.0.0.1:{port}"),
        format!("origin: http://localhost:{port}"),
        "sec-fetch-site: same-origin".to_owned(),
    ] {
        assert_eq!(server.call(&[JSON, &header], PATCH).status, 200, "{header}");
    }
}

#[test]
fn a_link_on_another_site_leads_to_the_page_and_nowhere_else() {
    let server = Server::start();
    let from = |method: &str, path: &str, dest: &str| {
        let headers = [&server.host(), "sec-fetch-site: cross-site", "sec-fetch-mode: navigate", dest];
        server.send(method, path, &headers, "").status
    };
    assert_eq!(from("GET", "/", "sec-fetch-dest: document"), 200);
    assert_eq!(from("GET", "/", "sec-fetch-dest: iframe"), 403);
    assert_eq!(from("GET", "/v1/fleet", "sec-fetch-dest: document"), 403);
    assert_eq!(from("POST", "/v1/call", "sec-fetch-dest: document"), 403);
}

#[test]
fn a_call_that_is_not_sent_as_json_is_refused() {
    let server = Server::start();
    for headers in [
        &[][..],
        &["content-type: text/plain"],
        &["content-type: application/x-www-form-urlencoded"],
        &["content-type: application/jsonp"],
    ] {
        let reply = server.call(headers, PATCH);
        assert_eq!(reply.status, 415, "{headers:?}");
        assert!(reply.body.contains("wrong-content-type"), "{headers:?}");
    }
}

#[test]
fn a_body_at_the_limit_is_read_and_one_above_is_not() {
    let server = Server::start();
    let most = 3 << 20;
    let fill = |len: usize| format!("{PATCH}{}", " ".repeat(len - PATCH.len()));
    assert_eq!(server.call(&[JSON], &fill(most)).body, PATCHED);
    let reply = server.call(&[JSON], &fill(most + 1));
    assert_eq!(reply.status, 413);
    assert!(reply.body.contains("request-too-large"), "{}", reply.body);
    assert_eq!(server.call(&[JSON], PATCH).body, PATCHED);
}

#[test]
fn requests_that_are_never_finished_hold_up_nobody() {
    let server = Server::start();
    let head = format!("POST /v1/call HTTP/1.1\r\n{}\r\n{JSON}\r\n", server.head());
    let _open: Vec<TcpStream> = (0..20)
        .flat_map(|_| {
            [
                server.begin("GET / HT"),
                server.begin(&head),
                server.begin(&format!("{head}content-length: 1000\r\n\r\n{{\"op\":")),
                server.begin(&format!("{head}transfer-encoding: chunked\r\n\r\nffffff\r\n{{")),
            ]
        })
        .collect();
    assert_eq!(server.call(&[JSON], PATCH).body, PATCHED);
    assert_eq!(server.get("/healthz").body, "ok\n");
}

#[test]
fn hundreds_of_half_requests_hold_up_nobody_and_are_closed() {
    let server = Server::start();
    let halves: Vec<TcpStream> = (0..300).map(|_| server.begin("GET / HTTP/1.1\r\nhost: 127.0.0.1")).collect();
    let started = Instant::now();
    assert_eq!(server.call(&[JSON], PATCH).body, PATCHED);
    assert!(started.elapsed() < Duration::from_secs(8), "it does not wait until the others are closed");
    for mut half in halves {
        // The connection ends, with an answer or without.
        let _ = half.read_to_end(&mut Vec::new());
    }
    assert!(started.elapsed() < Duration::from_secs(25), "{:?}", started.elapsed());
}

#[test]
fn what_is_no_http_is_refused_and_the_next_is_answered() {
    let server = Server::start();
    for garbage in ["\u{16}\u{3}\u{1}", "\r\n\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n"] {
        drop(server.begin(garbage));
    }
    let long = format!("GET / HTTP/1.1\r\nx: {}\r\n\r\n", "a".repeat(1 << 20));
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, server.port)).unwrap();
    // The server may hang up before it has got all of it.
    let _ = std::io::Write::write_all(&mut stream, long.as_bytes());
    assert_eq!(server.call(&[JSON], PATCH).body, PATCHED);
}

#[test]
fn it_listens_on_loopback_alone() {
    let server = Server::start();
    let table = std::fs::read_to_string(format!("/proc/{}/net/tcp", server.child.id())).unwrap();
    let port = format!(":{:04X}", server.port);
    let listening =
        |line: &&str| line.split_whitespace().nth(1).is_some_and(|it| it.ends_with(&port)) && line.contains(" 0A ");
    let places: Vec<_> = table.lines().filter(listening).filter_map(|line| line.split_whitespace().nth(1)).collect();
    assert_eq!(places, [format!("0100007F{port}")]);
}

#[test]
fn what_stands_in_the_way_of_starting_is_told_with_a_hint() {
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = taken.local_addr().unwrap().port();
    let said = failure(&["--port", &port.to_string()]);
    assert!(said.starts_with(&format!("error: port {port} is in use\n")) && said.contains("`--port`"), "{said}");
    assert!(failure(&["--port", "0", "--address", "203.0.113.7"]).contains("not an address of this machine"));
    assert!(failure(&["--port", "0", "--address", "here"]).contains("`here` is not an address"));
    assert!(failure(&["--port", "0", "--kubeconfig", "x"]).contains("`--from-cluster`"));
    assert!(failure(&["--port", "0", "--from-cluster", "--kubeconfig", "/nowhere"]).contains("/nowhere"));
}

#[test]
fn it_stops_when_asked_even_while_a_connection_is_open() {
    for signal in [Signal::TERM, Signal::INT] {
        let mut server = Server::start();
        let _silent = TcpStream::connect((Ipv4Addr::LOCALHOST, server.port)).unwrap();
        assert_eq!(server.get("/healthz").status, 200);
        server.stop(signal);
    }
}

#[test]
fn it_stops_when_asked_even_while_a_call_runs() {
    let mut server = Server::start_with(&["--timeout", "10m", "--module", &hangs()]);
    let _hanging = server
        .begin(&format!("POST /v1/call HTTP/1.1\r\n{}\r\n{JSON}\r\ncontent-length: 4\r\n\r\nboom", server.head()));
    // Its own answer comes after the hanging call was taken up, since both go through one thread.
    assert_eq!(server.get("/healthz").status, 200);
    assert_eq!(server.get("/v1/fleet").status, 200, "whoever only looks does not wait for a call");
    server.stop(Signal::TERM);
}

/// Answers `fine`, except to what starts with a `b`: that takes for ever.
const HANGS: &str = include_str!("hangs.wat");

fn hangs() -> String {
    let file =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("serve-hangs-{:?}.wasm", std::thread::current().id()));
    std::fs::write(&file, wat::parse_str(HANGS).unwrap()).unwrap();
    file.to_str().unwrap().to_owned()
}
