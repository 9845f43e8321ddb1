//! What everybody must know who comes over a network. Programs send `Authorization: Bearer …`. A browser opens
//! `/?token=…` once, gets a cookie for it, and is sent on, so that the token does not stay in the address bar.
//!
//! The cookie is not the token: whoever reads one from a browser's files cannot open another browser with it for longer
//! than this token is in use, and never learns the token.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};

use axum::extract::Request;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use ring::hmac;

use super::refusal;
use crate::guest::hex;

/// The fewest characters that nobody guesses.
const FEWEST: usize = 16;

/// Compared in a time that says nothing about where two differ.
pub struct Token {
    text: String,
    key: hmac::Key,
}

/// Whether somebody may come in.
#[derive(Debug)]
pub enum Verdict {
    Admitted,
    /// Refused, or sent on.
    Answered(Box<Response>),
}

impl Token {
    /// A token that nobody has seen before.
    ///
    /// # Errors
    ///
    /// The system gives no random bytes.
    pub fn random() -> io::Result<Token> {
        Ok(Token::of(hex(&random_bytes()?)))
    }

    /// The token in a text, without the white space around it.
    ///
    /// # Errors
    ///
    /// It is too short to be one, or has characters that an address cannot carry as they are.
    pub fn read(text: &str) -> Result<Token, String> {
        let text = text.trim();
        if text.len() < FEWEST {
            return Err(format!("it has fewer than {FEWEST} characters"));
        }
        let fits = |it: char| it.is_ascii_alphanumeric() || matches!(it, '-' | '.' | '_' | '~');
        match text.chars().find(|it| !fits(*it)) {
            Some(_) => Err("it has something else than letters, digits, `-`, `.`, `_` and `~`".to_owned()),
            None => Ok(Token::of(text.to_owned())),
        }
    }

    fn of(text: String) -> Token {
        Token { key: hmac::Key::new(hmac::HMAC_SHA256, text.as_bytes()), text }
    }

    /// The token itself, for whoever may see it.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether a request may pass: by its header, by its cookie, or by what a person opened.
    pub fn verdict(&self, request: &Request, port: u16) -> Verdict {
        let headers = request.headers();
        // Browsers keep cookies by name and host alone: two servers on two ports must not take each other's.
        let cookie = format!("fleetfold-{port}");
        if let Some(given) = headers.get(header::AUTHORIZATION) {
            let given = given.to_str().ok().and_then(|it| it.split_once(' '));
            let is_right = given.is_some_and(|(scheme, given)| {
                scheme.eq_ignore_ascii_case("bearer") && self.is_same(given.trim().as_bytes(), self.text.as_bytes())
            });
            return if is_right { Verdict::Admitted } else { refused(headers) };
        }
        if let Some(given) = opened_with(request) {
            let is_right = self.is_same(given.as_bytes(), self.text.as_bytes());
            return if is_right { self.sent_on(&cookie, headers) } else { refused(headers) };
        }
        let kept = self.cookie();
        match cookies(headers, &cookie).any(|given| self.is_same(given.as_bytes(), kept.as_bytes())) {
            true => Verdict::Admitted,
            false => refused(headers),
        }
    }

    fn is_same(&self, given: &[u8], right: &[u8]) -> bool {
        hmac::verify(&self.key, given, hmac::sign(&self.key, right).as_ref()).is_ok()
    }

    /// What stands for the token in a browser.
    fn cookie(&self) -> String {
        hex(hmac::sign(&self.key, b"fleetfold serve cookie").as_ref())
    }

    /// Gives the cookie, and sends the browser on to the page.
    fn sent_on(&self, name: &str, headers: &HeaderMap) -> Verdict {
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

/// Thirty-two bytes that nobody can foresee.
///
/// # Errors
///
/// The system gives none.
pub fn random_bytes() -> io::Result<[u8; 32]> {
    let mut bytes = [0; 32];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// The token in the address that a person opened. The page has one address: nobody is sent on to anywhere else.
fn opened_with(request: &Request) -> Option<&str> {
    let is_page = request.method() == Method::GET && request.uri().path() == "/";
    let query = request.uri().query().filter(|_| is_page)?;
    query.split('&').find_map(|it| it.strip_prefix("token="))
}

fn cookies<'a>(headers: &'a HeaderMap, name: &'a str) -> impl Iterator<Item = &'a str> {
    let pairs = headers.get_all(header::COOKIE).iter().filter_map(|it| it.to_str().ok()).flat_map(|it| it.split(';'));
    pairs.filter_map(|it| it.trim().split_once('=')).filter(move |(key, _)| *key == name).map(|(_, value)| value)
}

fn refused(headers: &HeaderMap) -> Verdict {
    const MESSAGE: &str = "this server wants its token";
    const HINT: &str = "open the address that `fleetfold serve` printed, or `/?token=` with what is in its token file; \
         programs send `Authorization: Bearer` with it";
    let is_person =
        headers.get(header::ACCEPT).and_then(|it| it.to_str().ok()).is_some_and(|it| it.contains("text/html"));
    let response = match is_person {
        true => (StatusCode::UNAUTHORIZED, format!("Fleetfold: {MESSAGE}.\n\nTo come in, {HINT}.\n")).into_response(),
        false => refusal(StatusCode::UNAUTHORIZED, "token-needed", MESSAGE, HINT),
    };
    let ask = [(header::WWW_AUTHENTICATE, "Bearer realm=\"fleetfold\"")];
    Verdict::Answered(Box::new((ask, response).into_response()))
}
