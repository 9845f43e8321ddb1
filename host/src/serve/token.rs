//! The token for access. Every user of the machine can reach a loopback port, so that one is required there, too.
//! Programs send `Authorization: Bearer …`. A browser opens `/?token=…` once, gets
//! a cookie and is redirected, so that the token does not stay in the address bar.
//!
//! The cookie is derived from the token: a stolen cookie is valid only as long as the token is, and does not reveal it.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};

use axum::extract::Request;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use ring::hmac;

use super::error_response;
use crate::digest::hex;

/// The minimum length of a token.
const MIN_LENGTH: usize = 16;

/// Compared in constant time.
pub struct Token {
    text: String,
    key: hmac::Key,
}

/// Whether a request is allowed.
#[derive(Debug)]
pub enum Verdict {
    Admitted,
    /// Rejected or redirected.
    Answered(Box<Response>),
}

impl Token {
    /// A new random token.
    ///
    /// # Errors
    ///
    /// The system returns no random bytes.
    pub fn random() -> io::Result<Token> {
        Ok(Token::of(hex(&random_bytes()?)))
    }

    /// The token in a text, without surrounding white space.
    ///
    /// # Errors
    ///
    /// It is too short, or has characters that would need escaping in a URL.
    pub fn read(text: &str) -> Result<Token, String> {
        let text = text.trim();
        if text.len() < MIN_LENGTH {
            return Err(format!("it has fewer than {MIN_LENGTH} characters"));
        }
        let fits = |it: char| it.is_ascii_alphanumeric() || matches!(it, '-' | '.' | '_' | '~');
        match text.chars().find(|it| !fits(*it)) {
            Some(_) => Err("it may hold only letters, digits, `-`, `.`, `_` and `~`".to_owned()),
            None => Ok(Token::of(text.to_owned())),
        }
    }

    fn of(text: String) -> Token {
        Token { key: hmac::Key::new(hmac::HMAC_SHA256, text.as_bytes()), text }
    }

    /// The token in clear text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Checks the header, the cookie, or the token in the URL.
    pub fn verdict(&self, request: &Request, port: u16) -> Verdict {
        let headers = request.headers();
        // Browsers keep cookies by name and host alone: two servers on two ports must not take each other's.
        let cookie = format!("fleetfold-{port}");
        if headers.contains_key(header::AUTHORIZATION) {
            return if self.is_bearer(headers) { Verdict::Admitted } else { rejected(headers) };
        }
        if let Some(given) = opened_with(request) {
            let is_right = self.is_same(given.as_bytes(), self.text.as_bytes());
            return if is_right { self.redirected(&cookie, headers) } else { rejected(headers) };
        }
        let kept = self.cookie();
        match cookies(headers, &cookie).any(|given| self.is_same(given.as_bytes(), kept.as_bytes())) {
            true => Verdict::Admitted,
            false => rejected(headers),
        }
    }

    /// Whether the header `Authorization` has this token.
    pub fn is_bearer(&self, headers: &HeaderMap) -> bool {
        let given = headers.get(header::AUTHORIZATION).and_then(|it| it.to_str().ok()?.split_once(' '));
        given.is_some_and(|(scheme, given)| {
            scheme.eq_ignore_ascii_case("bearer") && self.is_same(given.trim().as_bytes(), self.text.as_bytes())
        })
    }

    fn is_same(&self, given: &[u8], right: &[u8]) -> bool {
        hmac::verify(&self.key, given, hmac::sign(&self.key, right).as_ref()).is_ok()
    }

    /// The value of the cookie.
    fn cookie(&self) -> String {
        hex(hmac::sign(&self.key, b"fleetfold serve cookie").as_ref())
    }

    /// Sets the cookie and redirects to the page.
    fn redirected(&self, name: &str, headers: &HeaderMap) -> Verdict {
        let cookie = format!("{name}={}; Path=/; HttpOnly; SameSite=Strict", self.cookie());
        let cookie = [(header::SET_COOKIE, cookie.as_str())];
        let is_from_elsewhere = headers.get("sec-fetch-site").is_some_and(|it| it != "none" && it != "same-origin");
        // Behind a link on another site, a redirect still counts as that site's, and the cookie would stay behind. What
        // this page does by itself is its own.
        let response = match is_from_elsewhere {
            true => (cookie, Html(SENT_ON)).into_response(),
            false => (StatusCode::SEE_OTHER, cookie, [(header::LOCATION, "/")]).into_response(),
        };
        Verdict::Answered(Box::new(response))
    }
}

const SENT_ON: &str = r#"<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url=/">
<title>Fleetfold</title>
<p><a href="/">Fleetfold</a>
</html>
"#;

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

/// Thirty-two random bytes.
///
/// # Errors
///
/// The system returns none.
pub fn random_bytes() -> io::Result<[u8; 32]> {
    let mut bytes = [0; 32];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// The token in the URL of the page. There is only one page, so the redirect goes nowhere else.
fn opened_with(request: &Request) -> Option<&str> {
    let is_page = request.method() == Method::GET && request.uri().path() == "/";
    let query = request.uri().query().filter(|_| is_page)?;
    query.split('&').find_map(|it| it.strip_prefix("token="))
}

fn cookies<'a>(headers: &'a HeaderMap, name: &'a str) -> impl Iterator<Item = &'a str> {
    let pairs = headers.get_all(header::COOKIE).iter().filter_map(|it| it.to_str().ok()).flat_map(|it| it.split(';'));
    pairs.filter_map(|it| it.trim().split_once('=')).filter(move |(key, _)| *key == name).map(|(_, value)| value)
}

fn rejected(headers: &HeaderMap) -> Verdict {
    const MESSAGE: &str = "this server requires its token";
    const HINT: &str = "open the address that `fleetfold serve` printed, or `/?token=` with what is in its token file; \
         programs send `Authorization: Bearer` with it";
    let is_person =
        headers.get(header::ACCEPT).and_then(|it| it.to_str().ok()).is_some_and(|it| it.contains("text/html"));
    let response = match is_person {
        true => (StatusCode::UNAUTHORIZED, format!("Fleetfold: {MESSAGE}.\n\nTo sign in, {HINT}.\n")).into_response(),
        false => error_response(StatusCode::UNAUTHORIZED, "token-needed", MESSAGE, HINT),
    };
    let ask = [(header::WWW_AUTHENTICATE, "Bearer realm=\"fleetfold\"")];
    Verdict::Answered(Box::new((ask, response).into_response()))
}
