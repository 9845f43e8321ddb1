//! Documents that the host puts aside, because working on them exceeded one of its limits.
//!
//! 1. A quarantined subject is not computed: it has no results, nothing is planned for it, and it keeps its last state.
//! 2. It stays loaded, so it is unknown and never absent: no delete follows from putting it aside.
//! 3. A subject that depends on a quarantined document which is not a subject is not computed either.
//! 4. Such a document may also decide over subjects that cannot be found without working on it: the dialects that read
//!    its kind plan nothing, unless it only reaches subjects that depend on it ([`Dialect::is_layer`]). That also holds
//!    for a document that could not be loaded.
//! 5. A trial of another content is computed, so that the repair of a document can be reviewed.

use crate::diagnostic::{Code, Diagnostic, Error};
use crate::object::document::{Document, Identity, Reference};
use crate::value::collections::SortedMap;
use crate::value::{Map, Text, Value};
use crate::workspace::findings::scope_error;
use crate::workspace::results::{Results, dialect_of};
use crate::workspace::store::View;
use crate::workspace::subject::{Dependency, Dialect, Subject};

/// Names every subject.
const ALL: &str = "*";

/// The references of quarantined documents.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Quarantine {
    is_all: bool,
    /// By their text, which orders answers.
    references: SortedMap<Text, Reference>,
}

impl Quarantine {
    /// Reads references; `*` names every subject.
    ///
    /// # Errors
    ///
    /// The index of a text that does not name a document.
    pub fn parse(texts: &[Text]) -> Result<Quarantine, (usize, Error)> {
        let mut quarantine = Quarantine::default();
        for (index, text) in texts.iter().enumerate() {
            if text == ALL {
                quarantine.is_all = true;
                continue;
            }
            let reference = Reference::parse(text).map_err(|error| (index, error))?;
            quarantine.references.insert(reference.to_string().into(), reference);
        }
        Ok(quarantine)
    }

    pub fn is_empty(&self) -> bool {
        !self.is_all && self.references.is_empty()
    }

    /// The references, as they were given.
    pub fn texts(&self) -> Vec<Text> {
        self.is_all.then_some(Text::new_static(ALL)).into_iter().chain(self.references.keys().cloned()).collect()
    }

    /// Whether a document is quarantined.
    pub fn names(&self, identity: &Identity) -> bool {
        self.is_all || !self.references.is_empty() && forms(identity).iter().any(|it| self.references.contains_key(it))
    }

    /// The same without a document, if it is named.
    pub fn without(&self, identity: &Identity) -> Quarantine {
        let mut rest = self.clone();
        forms(identity).iter().for_each(|it| _ = rest.references.remove(it));
        rest
    }

    /// The references in which two differ; nothing if every subject may be affected.
    pub fn difference(&self, other: &Quarantine) -> Option<Vec<Reference>> {
        if self.is_all != other.is_all {
            return None;
        }
        let (mine, its) = (&self.references, &other.references);
        let left = mine.iter().filter(|(it, _)| !its.contains_key(*it));
        let right = its.iter().filter(|(it, _)| !mine.contains_key(*it));
        Some(left.chain(right).map(|(_, it)| it.clone()).collect())
    }

    /// The quarantined document, not a subject, that one of these dependencies is on.
    fn blocking(&self, view: View, dependencies: &[Dependency]) -> Option<Identity> {
        let mut identities = self.references.values().map(|it| identity_of(view, it));
        identities.find(|it| {
            let is_subject = || view.document(it).is_some_and(|it| dialect_of(view, it).is_some());
            dependencies.iter().any(|dependency| dependency.is_on(it)) && !is_subject()
        })
    }

    /// The dialects that plan nothing, by rule 4. Adds a finding for each document that is the reason.
    pub fn waiting_dialects(&self, view: View, results: &Results, out: &mut Vec<Diagnostic>) -> Vec<&'static str> {
        let mut waiting = Vec::new();
        for reference in self.references.values() {
            let identity = identity_of(view, reference);
            if results.get(&identity).is_some() {
                continue;
            }
            let reads = view.dialects().filter(|it| it.kinds(view).iter().any(|kind| kind.covers(&identity)));
            for dialect in reads.filter(|it| !it.is_layer(&identity)).map(|it| it.name()) {
                let message = format!("`{identity}` is quarantined, so nothing is planned for {dialect}");
                out.push(Diagnostic::error(Code::QuarantinedDocument, message).of(&identity).hint(HINT));
                waiting.push(dialect);
            }
        }
        waiting
    }
}

const HINT: &str = "simplify the document, or raise the limits of the host, such as `--timeout` and `--memory`";

/// Translates a document, unless it or something that it depends on is quarantined.
///
/// # Errors
///
/// It is quarantined, or cannot be translated.
pub fn read(
    view: View,
    dialect: &dyn Dialect,
    document: &Document,
    out: &mut Vec<Diagnostic>,
) -> Result<Box<dyn Subject>, Error> {
    let quarantine = &view.settings.quarantine;
    if quarantine.names(&document.identity) {
        return Err(error());
    }
    if let Some(error) = scope_error(view, dialect, document).filter(|_| !dialect.reads_without_scope(document)) {
        return Err(error);
    }
    let subject = dialect.read(view, document, out)?;
    match quarantine.blocking(view, subject.dependencies()) {
        None => Ok(subject),
        Some(blocking) => {
            let why = "which is quarantined, because working on it exceeded a limit of the host";
            Err(Error::new(Code::QuarantinedDocument, format!("it depends on `{blocking}`, {why}")).hint(HINT))
        }
    }
}

fn identity_of(view: View, reference: &Reference) -> Identity {
    match view.store.find(reference) {
        Ok(document) => document.identity.clone(),
        Err(_) => reference.of_group(&reference.first().group),
    }
}

/// Why a quarantined subject has no results.
fn error() -> Error {
    Error::new(Code::QuarantinedDocument, "it is quarantined, because working on it exceeded a limit of the host")
        .hint(HINT)
}

/// Whether two versions of a document are equal apart from the fields that servers maintain: the status, versions and
/// field managers.
///
/// # Example
///
/// ```
/// use fleetfold_core::{value::json::parse, workspace::equal_ignoring_server_fields};
///
/// let old = parse(r#"{"metadata":{"name":"a","resourceVersion":"1"},"spec":{"n":1}}"#).unwrap();
/// let touched = parse(r#"{"metadata":{"name":"a","resourceVersion":"2"},"spec":{"n":1},"status":{}}"#).unwrap();
/// let edited = parse(r#"{"metadata":{"name":"a","resourceVersion":"3"},"spec":{"n":2}}"#).unwrap();
/// assert!(equal_ignoring_server_fields(&old, &touched));
/// assert!(!equal_ignoring_server_fields(&old, &edited));
/// ```
pub fn equal_ignoring_server_fields(one: &Value, other: &Value) -> bool {
    one == other || without_server_fields(one) == without_server_fields(other)
}

/// The document without the fields that servers maintain.
fn without_server_fields(document: &Value) -> Value {
    const SERVERS: [&str; 4] = ["resourceVersion", "managedFields", "generation", "selfLink"];
    let Value::Map(map) = document else { return document.clone() };
    let mut rest: Map = (**map).clone();
    rest.remove("status");
    if let Some(Value::Map(metadata)) = rest.get("metadata") {
        let mut metadata: Map = (**metadata).clone();
        SERVERS.iter().for_each(|it| drop(metadata.remove(it)));
        rest.insert("metadata", metadata);
    }
    rest.into()
}

/// The references that name a document: with and without its group.
fn forms(identity: &Identity) -> [Text; 2] {
    let plain = identity.to_string();
    let with_group = match (identity.group.is_empty(), plain.strip_prefix(identity.kind.as_str())) {
        (false, Some(rest)) => format!("{}.{}{rest}", identity.kind, identity.group),
        _ => plain.clone(),
    };
    [plain.into(), with_group.into()]
}
