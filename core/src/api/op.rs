//! The trait of ops, and the table of all ops.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::response::{self, Answered};
use crate::diagnostic::{Code, Diagnostic, Error, read};
use crate::value::Value;
use crate::value::suggest::suggest;
use crate::workspace::Workspace;

/// A request, with the type of its answer.
///
/// ```
/// use fleetfold_core::api::parse::Parse;
///
/// let mut workspace = fleetfold_core::Workspace::default();
/// let answered = workspace.call(Parse { text: "replicas: 3".into(), ..Parse::default() })?;
/// assert_eq!(answered.answer.documents[0].to_canonical(), r#"{"replicas":3}"#);
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub trait Op: Serialize + DeserializeOwned {
    const NAME: &'static str;
    type Answer: Serialize + DeserializeOwned;

    /// Answers the request; findings beside the answer are added to `findings`. A refused request does not change the
    /// workspace.
    ///
    /// # Errors
    ///
    /// The request cannot be answered.
    fn answer(self, workspace: &mut Workspace, findings: &mut Vec<Diagnostic>) -> Result<Self::Answer, Error>;
}

/// An op by its name, for requests as values and text.
#[derive(Debug)]
pub struct Entry {
    pub name: &'static str,
    run: fn(&mut Workspace, Value) -> Result<String, Error>,
}

macro_rules! ops {
    ($($module:ident::$request:ident,)*) => {
        /// Every op, in the order of the documentation.
        pub const OPS: &[Entry] = &[$(entry::<super::$module::$request>(),)*];

        #[cfg(feature = "schema")]
        pub(super) fn add_all(contract: &mut super::schema::Contract) {
            $(contract.add::<super::$module::$request>();)*
        }
    };
}

ops! {
    describe::Describe,
    parse::Parse,
    print::Print,
    redact::Redact,
    sources::Sources,
    select::Select,
    fold::Fold,
    retain::Retain,
    patch::Patch,
    matching::Match,
    ownership::Adopt,
    ownership::Release,
    authorize::Authorize,
    refresh::Refresh,
    mold::Mold,
    load::Load,
    load::Unload,
    configure::Configure,
    clusters::Clusters,
    kinds::Kinds,
    reach::Reach,
    subjects::Subjects,
    effective::Effective,
    explain::Explain,
    diff::Diff,
    lint::Lint,
    plan::PlanRequest,
    what_if::WhatIf,
    admit::Admit,
    defaults::Defaults,
}

const fn entry<O: Op>() -> Entry {
    fn run<O: Op>(workspace: &mut Workspace, request: Value) -> Result<String, Error> {
        let Answered { answer, mut findings } = workspace.call::<O>(read::from_value(request)?)?;
        response::answered(&answer, &mut findings, &mut || workspace.secret_values())
    }
    Entry { name: O::NAME, run: run::<O> }
}

impl Entry {
    /// The op of this name.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn find(name: &str) -> Result<&'static Entry, Error> {
        OPS.iter().find(|op| op.name == name).ok_or_else(|| {
            let hint = suggest(name, &names(), "known ops");
            Error::new(Code::UnknownOp, format!("there is no op `{name}`")).hint(hint)
        })
    }

    /// Answers the fields of a request with the text of the answer.
    pub fn run(&self, workspace: &mut Workspace, request: Value) -> Result<String, Error> {
        (self.run)(workspace, request)
    }
}

pub fn names() -> Vec<&'static str> {
    OPS.iter().map(|op| op.name).collect()
}
