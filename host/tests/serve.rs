//! The server as a browser, a program and a hostile site meet it, over real connections.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fleetfold_core::{Value, json};
use rustix::process::{Pid, Signal, kill_process};

const PATCH: &str = r#"{"op":"patch","object":{"a":1},"patch":[{"op":"replace","path":"/a","value":2}]}"#;
const PATCHED: &str = r#"{"ok":{"object":{"a":2}}}"#;
const JSON: &str = "content-type: application/json";

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'";

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
    let reply = server.call(&["content-type: application/json; charset=utf-8"], "{");
    assert_eq!(reply.status, 200);
    assert!(reply.body.starts_with(r#"{"error":{"#), "{}", reply.body);
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
fn the_page_and_its_files_are_there() {
    let server = Server::start();
    for (path, content_type, part) in [
        ("/", "text/html; charset=utf-8", "<script type=\"module\" src=\"page.js\"></script>"),
        ("/page.css", "text/css; charset=utf-8", "prefers-color-scheme: dark"),
        ("/page.js", "text/javascript; charset=utf-8", "fetch(\"examples.json\")"),
        ("/pretty.js", "text/javascript; charset=utf-8", "export function pretty("),
        ("/examples.json", "application/json", "\"select\": {"),
        ("/healthz", "text/plain; charset=utf-8", "ok\n"),
    ] {
        let reply = server.get(path);
        assert_eq!((reply.status, reply.header("content-type")), (200, Some(content_type)), "{path}");
        assert!(reply.body.contains(part), "{path}");
    }
}

#[test]
fn every_op_has_an_example_that_is_answered() {
    let server = Server::start();
    let examples = json::parse(&server.get("/examples.json").body).unwrap();
    let described = json::parse(&server.call(&[JSON], r#"{"op":"describe"}"#).body).unwrap();
    let ops = described.at(&["ok", "ops"]).and_then(Value::as_list).unwrap();
    assert!(!ops.is_empty());
    for op in ops.iter().filter_map(Value::as_text) {
        let example = examples.get(op).unwrap_or_else(|| panic!("`{op}` has no example in host/page/examples.json"));
        assert_eq!(example.text_at(&["op"]), op);
        let answer = server.call(&[JSON], &example.to_canonical()).body;
        assert!(json::parse(&answer).unwrap().get("ok").is_some(), "{op}: {answer}");
    }
}

#[test]
fn what_one_call_loads_the_next_one_finds() {
    let server = Server::start();
    let cluster =
        r#"{"apiVersion":"cluster.open-cluster-management.io/v1","kind":"ManagedCluster","metadata":{"name":"a"}}"#;
    let loaded = server.call(&[JSON], &format!(r#"{{"op":"load","documents":[{cluster}]}}"#)).body;
    assert_eq!(loaded, r#"{"ok":{"clusters":1,"loaded":1,"replaced":0}}"#);
    let clusters = server.call(&[JSON], r#"{"op":"clusters"}"#).body;
    assert_eq!(clusters, r#"{"ok":{"clusters":[{"kind":"ManagedCluster","labels":{},"name":"a","sets":[]}]}}"#);
}

#[test]
fn the_page_keeps_its_own_policy() {
    let page = Server::start().get("/").body;
    for inline in ["<style", "style=", "javascript:", "http:", "https:", "onclick", "onload"] {
        assert!(!page.contains(inline), "{inline}");
    }
    assert_eq!(page.matches("<script").count(), page.matches("<script type=\"module\" src=").count());
}

#[test]
fn every_reply_carries_the_policy() {
    let server = Server::start();
    let refused = server.send("GET", "/", &["host: evil.example"], "");
    for reply in [server.get("/"), server.get("/nothing"), server.get("/v1/call"), server.call(&[JSON], PATCH), refused]
    {
        assert_eq!(reply.header("content-security-policy"), Some(POLICY));
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(reply.header("cross-origin-resource-policy"), Some("same-origin"));
        assert_eq!(reply.header("cache-control"), Some("no-store"));
        assert_eq!(reply.header("access-control-allow-origin"), None);
    }
}

#[test]
fn what_is_not_there_and_what_is_not_meant_are_refused() {
    let server = Server::start();
    assert_eq!(server.get("/nothing").status, 404);
    assert_eq!(server.get("/../Cargo.toml").status, 404);
    assert_eq!(server.get("/v1/call").status, 405);
    assert_eq!(server.send("OPTIONS", "/v1/call", &[&server.host()], "").status, 405);
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
        "",
    ] {
        let host = format!("host: {}", host.replace("PORT", &port.to_string()));
        let reply = server.send("POST", "/v1/call", &[&host, JSON], PATCH);
        assert_eq!(reply.status, 403, "{host}");
        assert!(reply.body.contains("host-not-allowed"), "{host}");
    }
    assert_eq!(server.send("GET", "/", &[&server.host(), "host: evil.example"], "").status / 100, 4);
    for host in ["localhost", "127.0.0.1", "[::1]"] {
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
fn a_port_in_use_is_a_failure_with_a_hint() {
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = taken.local_addr().unwrap().port();
    let output = fleetfold(&["--port", &port.to_string()]).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(2), &b""[..]));
    assert!(said.starts_with(&format!("error: port {port} is in use\nhint: ")), "{said}");
    assert!(said.contains("`--port`"), "{said}");
}

#[test]
fn it_stops_when_asked_even_while_a_connection_is_open() {
    for signal in [Signal::TERM, Signal::INT] {
        let mut server = Server::start();
        let _silent = TcpStream::connect((Ipv4Addr::LOCALHOST, server.port)).unwrap();
        assert_eq!(server.get("/healthz").status, 200);
        stops(&mut server, signal);
    }
}

#[test]
fn it_stops_when_asked_even_while_a_call_runs() {
    let mut server = Server::start_with(&["--timeout", "10m", "--module", &hangs()]);
    let mut hanging = TcpStream::connect((Ipv4Addr::LOCALHOST, server.port)).unwrap();
    let head = format!("POST /v1/call HTTP/1.1\r\n{}\r\n{JSON}\r\ncontent-length: 4\r\n\r\nboom", server.host());
    hanging.write_all(head.as_bytes()).unwrap();
    // Its own answer comes after the hanging call was taken up, since both go through one thread.
    assert_eq!(server.get("/healthz").status, 200);
    stops(&mut server, Signal::TERM);
}

#[track_caller]
fn stops(server: &mut Server, signal: Signal) {
    let asked = Instant::now();
    kill_process(Pid::from_child(&server.child), signal).unwrap();
    let status = loop {
        assert!(asked.elapsed() < Duration::from_secs(20), "it goes on");
        if let Some(status) = server.child.try_wait().unwrap() {
            break status;
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    assert_eq!(status.code(), Some(0));
}

/// Answers `fine`, except to what starts with a `b`: that takes for ever.
const HANGS: &str = include_str!("hangs.wat");

fn hangs() -> String {
    let file =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("serve-hangs-{:?}.wasm", std::thread::current().id()));
    std::fs::write(&file, wat::parse_str(HANGS).unwrap()).unwrap();
    file.to_str().unwrap().to_owned()
}

struct Server {
    child: Child,
    port: u16,
}

impl Server {
    fn start() -> Self {
        Self::start_with(&[])
    }

    fn start_with(args: &[&str]) -> Self {
        let mut child = fleetfold(&[&["--port", "0"], args].concat()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let port = line.strip_prefix("http://127.0.0.1:").unwrap().trim_end().parse().unwrap();
        Self { child, port }
    }

    fn host(&self) -> String {
        format!("host: 127.0.0.1:{}", self.port)
    }

    fn get(&self, path: &str) -> Reply {
        self.send("GET", path, &[&self.host()], "")
    }

    fn call(&self, headers: &[&str], body: &str) -> Reply {
        self.send("POST", "/v1/call", &[&[self.host().as_str()], headers].concat(), body)
    }

    fn send(&self, method: &str, path: &str, headers: &[&str], body: &str) -> Reply {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let headers: String = headers.iter().map(|it| format!("{it}\r\n")).collect();
        let head =
            format!("{method} {path} HTTP/1.1\r\n{headers}connection: close\r\ncontent-length: {}\r\n\r\n", body.len());
        stream.write_all(head.as_bytes()).unwrap();
        // A server that has refused the head may close before it has read the body.
        let _ = stream.write_all(body.as_bytes());
        Reply::read(stream)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

struct Reply {
    status: u16,
    head: Vec<(String, String)>,
    body: String,
}

impl Reply {
    fn read(mut stream: TcpStream) -> Self {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").expect("a head and a body");
        let mut lines = head.lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let head = lines
            .map(|line| line.split_once(": ").unwrap())
            .map(|(name, value)| (name.to_lowercase(), value.to_owned()));
        Self { status, head: head.collect(), body: body.to_owned() }
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.head.iter().find(|(it, _)| it == name).map(|(_, value)| value.as_str())
    }
}

fn fleetfold(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fleetfold"));
    command.arg("serve").args(args).env("FLEETFOLD_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("serve-cache"));
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}
