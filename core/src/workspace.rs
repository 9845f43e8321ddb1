//! The workspace: what a host talks to. One instance of the module holds one.

use crate::contract;
use crate::contract::record::Encode;
use crate::diagnostic::{Code, Error};
use crate::value::Value;

/// Answers requests. It never fails and never panics: what is wrong with a request is said in the answer.
///
/// ```
/// let mut workspace = fleetfold_core::Workspace::default();
/// let answer = workspace.call(r#"{"op":"patch","object":{"a":1},"patch":[{"op":"remove","path":"/a"}]}"#);
/// assert_eq!(answer, r#"{"ok":{"object":{}}}"#);
/// ```
#[derive(Debug, Default)]
pub struct Workspace {}

impl Workspace {
    pub fn call(&mut self, request: &str) -> String {
        contract::call(request)
    }

    /// The same for bytes that came over a boundary; nothing stands for a buffer that was never given out.
    pub fn call_bytes(&mut self, request: Option<&[u8]>) -> String {
        match request.map(std::str::from_utf8) {
            Some(Ok(request)) => self.call(request),
            Some(Err(error)) => refuse(format!("the request is not UTF-8 from byte {} on", error.valid_up_to())),
            None => refuse("the request is not in a buffer of this module"),
        }
    }
}

fn refuse(message: impl Into<String>) -> String {
    let error = Error::new(Code::BadRequest, message).encode().unwrap_or_default();
    Value::map([("error", error)]).to_canonical()
}
