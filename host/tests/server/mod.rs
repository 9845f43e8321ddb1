//! `fleetfold serve` as a process, and what it says over real connections.
#![allow(dead_code, reason = "every test file uses a part of it")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fleetfold_core::api::configure::Configure;
use fleetfold_core::api::load::Load;
use fleetfold_core::api::{Finding, Op, Refusal, read_response, request_text};
use fleetfold_core::diagnostic::read::{from_text, from_value_ignoring_unknown};
use fleetfold_core::value::json;
use rustix::process::{Pid, Signal, kill_process};
use serde::Deserialize;

pub const JSON: &str = "content-type: application/json";

pub struct Server {
    pub child: Child,
    pub port: u16,
    /// The address that it printed.
    pub url: String,
    /// The token in that address, which requests carry unless they have a header or cookie of their own.
    pub token: Option<String>,
}

impl Server {
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    pub fn start_with(args: &[&str]) -> Self {
        Self::of(fleetfold(&[&["--port", "0"], args].concat()))
    }

    pub fn of(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let lines = BufReader::new(child.stdout.as_mut().unwrap()).lines().map_while(Result::ok);
        let url = lines.into_iter().find(|it| it.starts_with("http://")).expect("an address");
        let authority = url.trim_start_matches("http://").split('/').next().unwrap();
        let port = authority.rsplit(':').next().unwrap().parse().unwrap();
        let token = url.split_once("/?token=").map(|(_, token)| token.to_owned());
        Self { child, port, url, token }
    }

    pub fn host(&self) -> String {
        format!("host: 127.0.0.1:{}", self.port)
    }

    /// The first headers of a request that is written by hand.
    pub fn head(&self) -> String {
        match self.bearer() {
            Some(bearer) => format!("{}\r\n{bearer}", self.host()),
            None => self.host(),
        }
    }

    fn bearer(&self) -> Option<String> {
        self.token.as_ref().map(|it| format!("authorization: Bearer {it}"))
    }

    pub fn get(&self, path: &str) -> Reply {
        self.send("GET", path, &[&self.host()], "")
    }

    pub fn call(&self, headers: &[&str], body: &str) -> Reply {
        self.send("POST", "/v1/call", &[&[self.host().as_str()], headers].concat(), body)
    }

    /// The answer to a request that succeeds.
    #[track_caller]
    pub fn ask<O: Op>(&self, request: &O) -> O::Answer {
        let body = self.call(&[JSON], &request_text(request)).body;
        read_response::<O>(&body).unwrap().unwrap_or_else(|refusal| panic!("{refusal:?}")).answer
    }

    /// Why a request is refused; nothing for one that succeeds.
    pub fn refusal(&self, request: &str) -> Option<Refusal> {
        #[derive(Deserialize)]
        struct Response {
            error: Option<Refusal>,
        }
        let body = json::parse_answer(&self.call(&[JSON], request).body).unwrap();
        from_value_ignoring_unknown::<Response>(body).unwrap().error
    }

    /// The body of `GET /v1/fleet`.
    pub fn fleet(&self) -> Fleet {
        let reply = self.get("/v1/fleet");
        assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/json")));
        Fleet { body: reply.body.clone(), ..from_text(&reply.body).unwrap() }
    }

    pub fn send(&self, method: &str, path: &str, headers: &[&str], body: &str) -> Reply {
        self.send_to(Ipv4Addr::LOCALHOST, method, path, headers, body)
    }

    pub fn send_to(&self, address: Ipv4Addr, method: &str, path: &str, headers: &[&str], body: &str) -> Reply {
        let mut stream = TcpStream::connect((address, self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let has_own = headers.iter().any(|it| it.starts_with("authorization:") || it.starts_with("cookie:"));
        let bearer = self.bearer().filter(|_| !has_own);
        let headers = headers.iter().copied().chain(bearer.as_deref());
        let headers: String = headers.map(|it| format!("{it}\r\n")).collect();
        let head =
            format!("{method} {path} HTTP/1.1\r\n{headers}connection: close\r\ncontent-length: {}\r\n\r\n", body.len());
        stream.write_all(head.as_bytes()).unwrap();
        // A server that has refused the head may close before it has read the body.
        let _ = stream.write_all(body.as_bytes());
        Reply::read(stream)
    }

    /// Sends these bytes, and leaves the connection open.
    pub fn begin(&self, text: &str) -> TcpStream {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        stream
    }

    pub fn updates(&self) -> Updates {
        let stream = self.begin(&format!("GET /v1/updates HTTP/1.1\r\n{}\r\n\r\n", self.head()));
        let mut lines = BufReader::new(stream);
        let (mut line, mut head) = (String::new(), String::new());
        while line != "\r\n" {
            line.clear();
            lines.read_line(&mut line).unwrap();
            head.push_str(&line);
        }
        Updates { head, lines }
    }

    /// Asks it to stop, and requires that it ends well.
    #[track_caller]
    pub fn stop(&mut self, signal: Signal) {
        let asked = Instant::now();
        kill_process(Pid::from_child(&self.child), signal).unwrap();
        let status = loop {
            assert!(asked.elapsed() < Duration::from_secs(20), "it goes on");
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        assert_eq!(status.code(), Some(0));
    }
}

/// The fleet that is served. Fields that are not listed fail the test.
#[derive(Debug, Deserialize)]
pub struct Fleet {
    pub configure: Vec<Settings>,
    pub diagnostics: Vec<Finding>,
    pub editable: bool,
    pub loads: Vec<Load>,
    pub revision: String,
    pub source: Source,
    /// The JSON text of all of it.
    #[serde(skip)]
    pub body: String,
}

#[derive(Debug, Deserialize)]
pub struct Settings {
    pub configure: Configure,
    pub file: Option<String>,
    pub text: Option<String>,
}

#[derive(Debug, PartialEq, Deserialize)]
pub struct Source {
    pub kind: String,
    pub name: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The data of an event.
#[derive(Deserialize)]
struct Update {
    revision: String,
}

/// The events that a page gets.
pub struct Updates {
    pub head: String,
    pub lines: BufReader<TcpStream>,
}

impl Updates {
    /// The revision that the next event names.
    #[track_caller]
    pub fn next(&mut self) -> String {
        let (mut line, mut event) = (String::new(), String::new());
        loop {
            line.clear();
            assert_ne!(self.lines.read_line(&mut line).expect("an event in time"), 0, "the stream has ended");
            if let Some(name) = line.strip_prefix("event: ") {
                event = name.trim().to_owned();
            } else if let Some(data) = line.strip_prefix("data: ") {
                assert_eq!(event, "fleet");
                return from_text::<Update>(data.trim()).unwrap().revision;
            }
        }
    }
}

pub struct Reply {
    pub status: u16,
    head: Vec<(String, String)>,
    pub body: String,
}

impl Reply {
    pub fn read(mut stream: TcpStream) -> Self {
        let mut bytes = Vec::new();
        // A server that refuses what it has not read may break the connection off behind its answer.
        let _ = stream.read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes);
        let (head, body) = text.split_once("\r\n\r\n").expect("a head and a body");
        let mut lines = head.lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let head = lines
            .map(|line| line.split_once(": ").unwrap())
            .map(|(name, value)| (name.to_lowercase(), value.to_owned()));
        Self { status, head: head.collect(), body: body.to_owned() }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.iter().find(|(it, _)| it == name).map(|(_, value)| value.as_str())
    }
}

pub fn fleetfold(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fleetfold"));
    command.arg("serve").args(args).env("FLEETFOLD_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("serve-cache"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// What it says when it does not start.
#[track_caller]
pub fn failure(args: &[&str]) -> String {
    let output = fleetfold(args).output().unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(2), &b""[..]));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("error") && said.contains("hint: "), "{said}");
    said
}

/// A file or folder of the repository.
pub fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// A folder of its own, gone afterwards.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("serve-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
