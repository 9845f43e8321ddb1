//! Whoever wants to see the fleet must know the token, on loopback too: other users of the machine reach the port.

mod server;

use std::net::Ipv4Addr;

use server::{Folder, JSON, Server, failure};

const TOKEN: &str = "a-token-that-nobody-guesses";
const DESCRIBE: &str = r#"{"op":"clusters"}"#;

/// A server for others too, and the token that it printed.
fn open() -> (Server, String) {
    let mut server = Server::start_with(&["--address", "0.0.0.0", "--host", "fleet.example"]);
    let token = server.token.take().expect("a token");
    assert_eq!(server.url, format!("http://fleet.example:{}/?token={token}", server.port));
    (server, token)
}

#[test]
fn nobody_comes_in_without_the_token_that_was_made_up() {
    let (server, token) = open();
    assert_eq!(token.len(), 64);
    for (method, path) in [("GET", "/"), ("GET", "/v1/fleet"), ("GET", "/v1/updates"), ("GET", "/nothing")] {
        let reply = server.send(method, path, &[&server.host()], "");
        assert_eq!(reply.status, 401, "{path}");
        assert!(reply.body.contains("token-needed") && reply.body.contains("hint"), "{}", reply.body);
        assert!(reply.header("www-authenticate").is_some_and(|it| it.starts_with("Bearer")));
        assert!(reply.header("content-security-policy").is_some());
    }
    for header in [
        "authorization: Bearer x".to_owned(),
        format!("authorization: Bearer {token}x"),
        format!("authorization: Bearer {}", &token[1..]),
        format!("authorization: Basic {token}"),
        format!("authorization: {token}"),
        format!("cookie: fleetfold-{}={token}", server.port),
        format!("cookie: fleetfold-{}=", server.port),
    ] {
        assert_eq!(server.call(&[JSON, &header], DESCRIBE).status, 401, "{header}");
    }
    assert_eq!(server.get("/healthz").status, 200);
    assert!(!server.get("/").body.contains(&token));
}

#[test]
fn on_loopback_the_printed_address_has_the_token() {
    let folder = Folder::new("loopback");
    folder.write("a.yaml", "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {password: hunter2}\n");
    let mut server = Server::start_with(&["-f", folder.path()]);
    let token = server.token.take().expect("a token");
    assert_eq!(server.url, format!("http://127.0.0.1:{}/?token={token}", server.port));
    for path in ["/", "/v1/fleet", "/v1/updates"] {
        let reply = server.get(path);
        assert_eq!(reply.status, 401, "{path}");
        assert!(!reply.body.contains("hunter2"));
    }
    assert_eq!(server.call(&[JSON], DESCRIBE).status, 401);
    assert_eq!(server.get(&format!("/?token={token}")).status, 303);
    server.token = Some(token);
    assert_eq!(server.get("/v1/fleet").status, 200);
}

#[test]
fn without_a_token_it_serves_this_machine_alone() {
    let server = Server::start_with(&["--no-token"]);
    assert_eq!(server.url, format!("http://127.0.0.1:{}", server.port));
    assert_eq!(server.call(&[JSON], DESCRIBE).status, 200);
    assert_eq!(server.call(&[JSON, "origin: http://evil.example"], DESCRIBE).status, 403);
    let said = failure(&["--port", "0", "--no-token", "--address", "0.0.0.0"]);
    assert!(said.contains("open to other machines"), "{said}");
}

#[test]
fn a_person_without_it_gets_something_to_read() {
    let (server, _) = open();
    let reply = server.send("GET", "/", &[&server.host(), "accept: text/html,*/*"], "");
    assert_eq!((reply.status, reply.header("content-type")), (401, Some("text/plain; charset=utf-8")));
    assert!(reply.body.contains("open the address that `fleetfold serve` printed"), "{}", reply.body);
}

#[test]
fn a_program_sends_it_with_every_call() {
    let (server, token) = open();
    let header = format!("authorization: Bearer {token}");
    assert_eq!(server.call(&[JSON, &header], DESCRIBE).status, 200);
    assert_eq!(server.send("GET", "/v1/fleet", &[&server.host(), &header], "").status, 200);
    // It opens no other door: another site is another site.
    assert_eq!(server.call(&[JSON, &header, "origin: http://evil.example"], DESCRIBE).status, 403);
}

#[test]
fn a_browser_changes_it_for_a_cookie_and_is_sent_on() {
    let (server, token) = open();
    let reply = server.get(&format!("/?token={token}"));
    assert_eq!((reply.status, reply.header("location")), (303, Some("/")));
    let cookie = reply.header("set-cookie").unwrap();
    assert!(cookie.ends_with("; Path=/; HttpOnly; SameSite=Strict"), "{cookie}");
    assert!(!cookie.contains(&token), "the cookie is not the token");
    let cookie = format!("cookie: other=1; {}", cookie.split(';').next().unwrap());
    for path in ["/", "/v1/fleet"] {
        assert_eq!(server.send("GET", path, &[&server.host(), &cookie], "").status, 200, "{path}");
    }
    assert_eq!(server.call(&[JSON, &cookie], DESCRIBE).status, 200);
    assert_eq!(server.get("/?token=wrong").status, 401);
    // Behind a link on another site, a redirect would still be that site's, and the cookie would not be sent.
    let link = ["sec-fetch-site: cross-site", "sec-fetch-mode: navigate", "sec-fetch-dest: document"];
    let reply = server.send("GET", &format!("/?token={token}"), &[&[server.host().as_str()], &link[..]].concat(), "");
    assert_eq!((reply.status, reply.header("location")), (200, None));
    assert!(reply.header("set-cookie").is_some() && reply.body.contains("0; url=/"), "{}", reply.body);
    // Nobody is sent on to anywhere else.
    assert_eq!(server.get(&format!("//evil.example/?token={token}")).status, 401);
}

#[test]
fn the_names_of_this_machine_are_those_that_were_given_and_the_address_that_was_reached() {
    let (server, token) = open();
    let bearer = format!("authorization: Bearer {token}");
    let port = server.port;
    let status = |address: [u8; 4], host: &str| {
        let host = format!("host: {}", host.replace("PORT", &port.to_string()));
        server.send_to(Ipv4Addr::from(address), "GET", "/v1/fleet", &[&host, &bearer], "").status
    };
    assert_eq!(status([127, 0, 0, 1], "fleet.example:PORT"), 200);
    assert_eq!(status([127, 0, 0, 1], "FLEET.example"), 200, "somebody in front may have another port");
    assert_eq!(status([127, 0, 0, 2], "127.0.0.2:PORT"), 200, "the address that was reached");
    assert_eq!(status([127, 0, 0, 1], "127.0.0.2:PORT"), 403, "not one that was not");
    for host in
        ["evil.example:PORT", "fleet.example.evil:PORT", "xfleet.example", "fleet.example:PORT.evil", "0.0.0.0:PORT"]
    {
        assert_eq!(status([127, 0, 0, 1], host), 403, "{host}");
    }
    let from = |origin: &str| server.call(&[JSON, &bearer, &format!("origin: {origin}")], DESCRIBE).status;
    assert_eq!(from("https://fleet.example"), 403, "another name than the one that was asked");
    let behind = ["host: fleet.example", "origin: https://fleet.example", JSON, &bearer];
    assert_eq!(server.send("POST", "/v1/call", &behind, DESCRIBE).status, 200);
}

#[test]
fn a_token_of_ones_own_is_read_from_a_file_and_never_printed() {
    let folder = Folder::new("token");
    folder.write("token", format!("{TOKEN}\n"));
    let file = folder.0.join("token");
    let server = Server::start_with(&["--token-file", file.to_str().unwrap()]);
    assert_eq!(server.url, format!("http://127.0.0.1:{}", server.port));
    assert_eq!(server.get("/v1/fleet").status, 401, "a token that is given counts on loopback too");
    assert_eq!(server.call(&[JSON, &format!("authorization: bearer {TOKEN}")], DESCRIBE).status, 200);
    // A browser that is let in stays so when the server starts again with the same token.
    let cookie = |server: &Server| {
        let reply = server.get(&format!("/?token={TOKEN}"));
        reply.header("set-cookie").unwrap().split(['=', ';']).nth(1).unwrap().to_owned()
    };
    assert_eq!(cookie(&server), cookie(&Server::start_with(&["--token-file", file.to_str().unwrap()])));
}

#[test]
fn a_token_that_cannot_be_used_is_told() {
    let folder = Folder::new("bad-token");
    for (text, problem) in [("short", "fewer than 16"), ("this has spaces in it, and a comma", "may hold only")] {
        folder.write("token", text);
        let said = failure(&["--port", "0", "--token-file", folder.0.join("token").to_str().unwrap()]);
        assert!(said.contains(problem) && !said.contains(text), "{said}");
    }
    assert!(failure(&["--port", "0", "--token-file", "/nowhere/token"]).contains("/nowhere/token"));
}
