//! The JSON promise: requests in, answers out.
//!
//! Each op has a file of its own under `contract/` with the records it reads and writes and the few lines that hand them
//! to the stage that does the work. [`OPS`] lists them; `describe`, the JSON Schema and the TypeScript types are made from
//! that list.

mod admit;
mod authorize;
mod clusters;
mod codes;
mod configure;
mod defaults;
mod describe;
mod diff;
mod effective;
mod explain;
mod fold;
mod kinds;
mod lint;
mod load;
mod matching;
mod mold;
mod null;
mod ownership;
mod parse;
mod patch;
mod place;
mod plan;
mod reach;
pub mod record;
mod refresh;
mod retain;
mod schema;
mod select;
mod subjects;
mod typescript;
mod what_if;

use crate::diagnostic::decode::Decode;
use crate::value::JsonPath;
use place::PlaceAnswer;
use record::{Encode, Shape, Shaped, field};

pub use codes::codes;
pub use schema::schema;
pub use typescript::typescript;

use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Diagnostic, Error};
use crate::engine::Upstream;
use crate::engine::patch::Verb;
use crate::engine::select::cluster_set::Stage;
use crate::object::secrets;
use crate::record;
use crate::value::canonical::Writer;
use crate::value::json::{self, JsonErrorKind};
use crate::value::suggest::suggest;
use crate::value::{Text, Value};
use crate::workspace::Workspace;
use crate::workspace::admit::Permissions;
use crate::workspace::settings::{Leaving, Precedence};

/// Every op, in the order the documentation tells them.
pub const OPS: &[Op] = &[
    op::<describe::Describe>(),
    op::<parse::Parse>(),
    op::<select::Select>(),
    op::<fold::Fold>(),
    op::<retain::Retain>(),
    op::<patch::Patch>(),
    op::<matching::Match>(),
    op::<ownership::Adopt>(),
    op::<ownership::Release>(),
    op::<authorize::Authorize>(),
    op::<refresh::Refresh>(),
    op::<mold::Mold>(),
    workspace_op::<load::Load>(),
    workspace_op::<load::Unload>(),
    workspace_op::<configure::Configure>(),
    workspace_op::<clusters::Clusters>(),
    workspace_op::<kinds::Kinds>(),
    workspace_op::<reach::Reach>(),
    workspace_op::<subjects::Subjects>(),
    workspace_op::<effective::EffectiveRequest>(),
    workspace_op::<explain::Explain>(),
    workspace_op::<diff::Diff>(),
    workspace_op::<lint::Lint>(),
    workspace_op::<plan::PlanRequest>(),
    workspace_op::<what_if::WhatIf>(),
    workspace_op::<admit::Admit>(),
    workspace_op::<defaults::Defaults>(),
];

/// One op: a request record that knows its answer.
pub trait Operation: Decode + Shaped {
    const NAME: &'static str;
    type Answer: Encode + Shaped;

    /// Answers the request. What is worth saying beside the answer goes to `out`.
    fn answer(self, out: &mut Vec<Diagnostic>) -> Result<Self::Answer, Error>;
}

/// An op on the documents that are loaded. One that is refused leaves them as they were.
pub trait WorkspaceOperation: Decode + Shaped {
    const NAME: &'static str;
    type Answer: Encode + Shaped;

    fn answer(self, workspace: &mut Workspace, out: &mut Vec<Diagnostic>) -> Result<Self::Answer, Error>;

    /// Whether the answer carries what Secrets hold.
    fn reveals(&self) -> bool {
        false
    }
}

#[derive(Debug)]
pub struct Op {
    pub name: &'static str,
    pub request: Shape,
    pub answer: Shape,
    run: fn(&mut Workspace, Value, &mut Writer) -> Result<(), Error>,
}

const fn op<T: Operation>() -> Op {
    fn run<T: Operation>(_: &mut Workspace, request: Value, writer: &mut Writer) -> Result<(), Error> {
        let mut out = Vec::new();
        let answer = T::decode(request, &JsonPath::ROOT)?.answer(&mut out)?;
        respond(&answer, &out, writer);
        Ok(())
    }
    Op { name: T::NAME, request: T::SHAPE, answer: T::Answer::SHAPE, run: run::<T> }
}

const fn workspace_op<T: WorkspaceOperation>() -> Op {
    fn run<T: WorkspaceOperation>(workspace: &mut Workspace, request: Value, writer: &mut Writer) -> Result<(), Error> {
        let mut out = Vec::new();
        let request = T::decode(request, &JsonPath::ROOT)?;
        if request.reveals() {
            *writer = Writer::default();
        }
        let answer = request.answer(workspace, &mut out)?;
        respond(&answer, &out, writer);
        Ok(())
    }
    Op { name: T::NAME, request: T::SHAPE, answer: T::Answer::SHAPE, run: run::<T> }
}

/// Answers one request text with one answer text.
pub fn call(workspace: &mut Workspace, request: &str) -> String {
    answer(|writer| {
        let request = read(workspace, request, r#"{"op":"describe"}"#)?;
        dispatch(workspace, request, writer)
    })
}

/// Answers a request whose op was named apart from its other fields. No text at all are no fields.
pub fn call_op(workspace: &mut Workspace, op: &str, fields: &str) -> String {
    answer(|writer| {
        let fields = if fields.is_empty() { "{}" } else { fields };
        let op = find(op)?;
        let request = read(workspace, fields, "{}")?;
        (op.run)(workspace, request, writer)
    })
}

fn answer(write: impl FnOnce(&mut Writer) -> Result<(), Error>) -> String {
    let mut writer = Writer::redacting(secrets::REDACTION);
    match write(&mut writer) {
        Ok(()) => writer.into_text(),
        Err(error) => refuse(&error),
    }
}

/// Reads a request. What clusters show comes one cluster after the other, and much alike.
fn read(workspace: &mut Workspace, request: &str, example: &str) -> Result<Value, Error> {
    // A longer one is no single cluster, and would be kept for nothing.
    const KEPT: usize = 64 * 1024;
    let read = json::parse_like(request, &workspace.earlier).map_err(|error| {
        let is_json = request.trim_start().starts_with(['{', '[', '"']);
        let hint = (error.kind == JsonErrorKind::Syntax && !is_json).then(|| {
            format!("a request is a JSON object, as `{example}`; YAML goes into the `text` of the op `parse`")
        });
        Error::from(error).maybe_hint(hint)
    })?;
    if request.len() <= KEPT && read.get("live").is_some() {
        workspace.earlier.clone_from(&read);
    }
    Ok(read)
}

/// The answer to a request that can be answered, with what is worth saying beside it.
fn respond(answer: &impl Encode, findings: &Vec<Diagnostic>, writer: &mut Writer) {
    writer.open('{');
    if !findings.is_empty() {
        field(writer, "\"diagnostics\":", findings);
    }
    field(writer, "\"ok\":", answer);
    writer.close('}');
}

/// The answer to a request that cannot be answered.
pub fn refuse(error: &Error) -> String {
    let mut writer = Writer::default();
    writer.open('{');
    field(&mut writer, "\"error\":", error);
    writer.close('}');
    writer.into_text()
}

fn dispatch(workspace: &mut Workspace, mut request: Value, writer: &mut Writer) -> Result<(), Error> {
    let spot = &JsonPath::ROOT;
    let Some(fields) = request.as_map_mut() else { return Err(spot.wrong_type("a map", &request)) };
    let spot = &spot.key("op");
    let name = match fields.remove("op") {
        Some(name) => Text::decode(name, spot)?,
        None => {
            let hint = format!("known ops: {}", op_names().join(", "));
            return Err(Error::new(Code::MissingField, "the field `op` is missing").at(spot).hint(hint));
        }
    };
    let op = find(&name).map_err(|error| error.at(spot))?;
    (op.run)(workspace, request, writer)
}

fn find(name: &str) -> Result<&'static Op, Error> {
    OPS.iter().find(|op| op.name == name).ok_or_else(|| {
        let hint = suggest(name, &op_names(), "known ops");
        Error::new(Code::UnknownOp, format!("there is no op `{name}`")).hint(hint)
    })
}

fn op_names() -> Vec<&'static str> {
    OPS.iter().map(|op| op.name).collect()
}

record::choices!(
    Mode,
    Upstream,
    Stage,
    Precedence,
    Leaving,
    Verb,
    Permissions,
    fold::Merge,
    matching::Policy,
    matching::MatchMode,
);

record! {
    answer
    /// Why a request cannot be answered.
    pub struct Refusal {
        /// The stable name of the error.
        code "code": &'static str,
        /// What is wrong.
        message "message": String,
        /// Where: a JSON pointer into the request, or `line:column` of a text.
        at "at": Option<String>,
        /// What to do about it.
        hint "hint": Option<String>,
    }
}

impl Refusal {
    pub fn of(error: &Error) -> Refusal {
        let Error { message, at, hint, .. } = error.clone();
        let at = at.map(|at| at.to_string());
        Refusal { code: error.code.as_str(), message, at, hint }
    }
}

impl Encode for Error {
    fn write(&self, out: &mut Writer) {
        Refusal::of(self).write(out);
    }
}

record! {
    answer
    /// A finding beside the answer.
    pub struct Finding {
        /// `error`, `warning` or `info`.
        severity "severity": &'static str,
        /// The stable name of the finding.
        code "code": &'static str,
        /// What was found.
        message "message": String,
        at "at": Option<PlaceAnswer>,
        /// What to do about it.
        hint "hint": Option<String>,
    }
}

impl Encode for Diagnostic {
    fn write(&self, out: &mut Writer) {
        let Diagnostic { at, message, hint, .. } = self.clone();
        let place = Some(PlaceAnswer::of(at)).filter(PlaceAnswer::is_known);
        let (severity, code) = (self.severity.as_str(), self.code.as_str());
        Finding { severity, code, message, at: place, hint }.write(out);
    }
}

impl Workspace {
    pub fn call(&mut self, request: &str) -> String {
        call(self, request)
    }

    /// The same for bytes that came over a boundary; nothing stands for a buffer that was never given out.
    pub fn call_bytes(&mut self, request: Option<&[u8]>) -> String {
        match request {
            Some(request) => self.with_text(request, Workspace::call),
            None => refuse_bytes("the request is not in a buffer of this module"),
        }
    }

    /// The same where the op has been named, and the bytes are the other fields of the request.
    ///
    /// ```
    /// let mut workspace = fleetfold_core::Workspace::default();
    /// let answer = workspace.call_op("patch", br#"{"object":{"a":1},"patch":[{"op":"remove","path":"/a"}]}"#);
    /// assert_eq!(answer, r#"{"ok":{"object":{}}}"#);
    /// ```
    pub fn call_op(&mut self, op: &str, fields: &[u8]) -> String {
        self.with_text(fields, |workspace, fields| call_op(workspace, op, fields))
    }

    fn with_text(&mut self, bytes: &[u8], call: impl FnOnce(&mut Workspace, &str) -> String) -> String {
        match std::str::from_utf8(bytes) {
            Ok(text) => call(self, text),
            Err(error) => refuse_bytes(format!("the request is not UTF-8 from byte {} on", error.valid_up_to())),
        }
    }
}

fn refuse_bytes(message: impl Into<String>) -> String {
    refuse(&Error::new(Code::BadRequest, message))
}
