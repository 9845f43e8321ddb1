//! The fields of kinds, as tables, and checks of the fields of a document.
//!
//! A misspelled field has no effect, and an API server drops it silently. If the field selects clusters or plugins, the
//! document then selects more or fewer of them than intended.

use crate::diagnostic::{Code, Diagnostic, Error, Severity};
use crate::value::suggest::{close, suggest};
use crate::value::{JsonPath, Map, Value};

/// The fields of one map.
#[derive(Clone, Copy, Debug)]
pub struct Fields {
    pub known: &'static [Field],
    pub others: Others,
}

/// What fields are that the table does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Others {
    /// Mistakes: the table has all fields.
    Unknown,
    /// The same, but one that misspells no known field only warns, as it takes nothing from what the document decides.
    Unused,
    /// Fields of the upstream that have no meaning here; only misspellings of a known field are mistakes.
    Ignored,
}

/// One field.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    pub name: &'static str,
    pub shape: Shape,
    pub role: Role,
}

/// What a field decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Plain,
    /// For which clusters or plugins the document is: a document with a mistake here must not be used.
    Scope,
    /// Without it the document does nothing.
    Required,
}

/// What a field holds. Null is the same as an absent field.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    Anything,
    Text,
    Boolean,
    Map,
    OneOf(&'static [&'static str]),
    List(&'static Shape),
    /// A map with values of one shape under names of the author.
    Named(&'static Shape),
    Fields(&'static Fields),
}

impl Fields {
    /// All fields of a kind of ours.
    pub const fn all(known: &'static [Field]) -> Fields {
        Fields { known, others: Others::Unknown }
    }

    /// All fields of a kind that is used whatever else its documents have.
    pub const fn all_used(known: &'static [Field]) -> Fields {
        Fields { known, others: Others::Unused }
    }

    /// The fields of an upstream's kind that have a meaning here.
    pub const fn some(known: &'static [Field]) -> Fields {
        Fields { known, others: Others::Ignored }
    }
}

impl Field {
    pub const fn new(name: &'static str, shape: Shape) -> Field {
        Field { name, shape, role: Role::Plain }
    }

    pub const fn scope(name: &'static str, shape: Shape) -> Field {
        Field { name, shape, role: Role::Scope }
    }

    pub const fn required(name: &'static str, shape: Shape) -> Field {
        Field { name, shape, role: Role::Required }
    }
}

/// What is wrong with the `spec` of the document at `at`, and with the names of the fields beside it.
///
/// 1. An unknown field is a warning. It is an error if it misspells or shortens a field that decides for which clusters
///    or plugins the document is, or one inside such a field, or if it stands where every field does: without that
///    field the document would mean others.
/// 2. A field of a wrong type is an error, and so is a value that is not among those that the field takes.
/// 3. A missing or empty field without which the document does nothing is a warning.
///
/// # Example
///
/// ```
/// use fleetfold_core::object::fields::{Field, Fields, Shape, check};
/// use fleetfold_core::value::{JsonPath, json};
///
/// const SPEC: Fields = Fields::all(&[Field::scope("clusterSelector", Shape::Map)]);
/// let document = json::parse(r#"{"spec":{"clusterSelektor":{}}}"#)?;
/// let found = check(&document, &SPEC, &JsonPath::ROOT);
/// assert_eq!(found[0].message, "there is no field `clusterSelektor` here");
/// assert_eq!(found[0].hint.as_deref(), Some("did you mean `clusterSelector`?"));
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn check(document: &Value, spec: &Fields, at: &JsonPath) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    if let Value::Map(root) = document {
        root.keys().for_each(|key| found.extend(misspelled(key, &ROOT, at)));
    }
    found.extend(check_part(document, "spec", spec, at));
    found
}

/// The same for another part of a document, such as the `status` of a kind that keeps everything there.
pub fn check_part(document: &Value, part: &str, fields: &Fields, at: &JsonPath) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let at = at.key(part);
    match document.get(part) {
        Some(Value::Map(map)) => check_map(map, fields, &at, &mut found),
        None | Some(Value::Null) => check_map(&Map::default(), fields, &at, &mut found),
        Some(other) => found.push(at.wrong_type("a map", other).into_diagnostic(Severity::Error)),
    }
    found
}

/// The fields of every document. Without its `spec`, a document would mean something else.
const ROOT: Fields = Fields::some(&[
    Field::new("apiVersion", Shape::Text),
    Field::new("kind", Shape::Text),
    Field::new("metadata", Shape::Map),
    Field::scope("spec", Shape::Map),
    Field::new("status", Shape::Map),
]);

/// The fields of `metadata`. Labels decide which clusters selectors match.
const METADATA: Fields = Fields::some(&[
    Field::new("annotations", Shape::Map),
    Field::new("creationTimestamp", Shape::Text),
    Field::new("deletionGracePeriodSeconds", Shape::Anything),
    Field::new("deletionTimestamp", Shape::Text),
    Field::new("finalizers", Shape::List(&Shape::Text)),
    Field::new("generateName", Shape::Text),
    Field::new("generation", Shape::Anything),
    Field::scope("labels", Shape::Map),
    Field::new("managedFields", Shape::Anything),
    Field::new("name", Shape::Text),
    Field::new("namespace", Shape::Text),
    Field::new("ownerReferences", Shape::Anything),
    Field::new("resourceVersion", Shape::Text),
    Field::new("selfLink", Shape::Text),
    Field::new("uid", Shape::Text),
]);

fn misspelled(key: &str, fields: &Fields, at: &JsonPath) -> Option<Diagnostic> {
    let is_known = fields.known.iter().any(|it| it.name == key);
    if is_known { None } else { unknown_field(key, fields, at) }
}

/// What is wrong with the metadata of a document.
///
/// 1. Labels and annotations are maps of strings. An API server refuses anything else but null, which it stores as an
///    empty string.
/// 2. A misspelled field is a warning, and an error if it misspells `labels`: selectors would not see the labels.
pub fn check_metadata(document: &Value) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let metadata = JsonPath::ROOT.key("metadata");
    let keys = document.get("metadata").and_then(Value::as_map).into_iter().flat_map(Map::keys);
    keys.for_each(|key| found.extend(misspelled(key, &METADATA, &metadata)));
    for name in ["annotations", "labels"] {
        let at = metadata.key(name);
        match document.at(&["metadata", name]) {
            None | Some(Value::Null) => {}
            Some(Value::Map(marks)) => {
                for (key, value) in marks.iter().filter(|(_, it)| it.as_text().is_none()) {
                    found.push(at.key(key).wrong_type("a string", value).into_diagnostic(Severity::Error));
                }
            }
            Some(other) => found.push(at.wrong_type("a map", other).into_diagnostic(Severity::Error)),
        }
    }
    found
}

/// The first field of the metadata that misspells `labels`: which labels the object has is then unknown.
pub fn misspelled_labels(document: &Value) -> Option<Error> {
    let metadata = JsonPath::ROOT.key("metadata");
    let mut keys = document.get("metadata").and_then(Value::as_map).into_iter().flat_map(Map::keys);
    let found = keys.find_map(|key| misspelled(key, &METADATA, &metadata).filter(|it| it.severity == Severity::Error));
    found.map(as_error)
}

/// The first mistake because of which the document must not be used.
pub fn scope_error(document: &Value, spec: &Fields, at: &JsonPath) -> Option<Error> {
    check(document, spec, at).into_iter().find(|it| it.severity == Severity::Error).map(as_error)
}

fn as_error(finding: Diagnostic) -> Error {
    let error = Error::new(finding.code, finding.message).maybe_hint(finding.hint);
    match finding.at.path {
        Some(path) => error.at(path),
        None => error,
    }
}

fn check_map(map: &Map, fields: &Fields, at: &JsonPath, out: &mut Vec<Diagnostic>) {
    for (key, value) in map.iter() {
        match fields.known.iter().find(|it| it.name == key.as_str()) {
            Some(field) => check_shape(value, field.shape, &at.key(key), out),
            None => out.extend(unknown_field(key, fields, at)),
        }
    }
    let required = fields.known.iter().filter(|it| it.role == Role::Required);
    let is_missing = |it: &Value| it.is_null() || it.as_list().is_some_and(Vec::is_empty);
    for field in required.filter(|it| map.get(it.name).is_none_or(is_missing)) {
        let message = format!("`{}` is missing, so the document does nothing", field.name);
        out.push(Diagnostic::warning(Code::MissingField, message).at(at.key(field.name).pointer()));
    }
}

fn unknown_field(key: &str, fields: &Fields, at: &JsonPath) -> Option<Diagnostic> {
    let names = || fields.known.iter().map(|it| it.name);
    let is_scope = |it: &Field| it.role == Role::Scope;
    let meant = match fields.others {
        Others::Ignored => Some(close(key, names())?),
        Others::Unknown | Others::Unused => meant_here(key, fields),
    };
    let inside = || fields.known.iter().find_map(|it| meant_inside(key, it));
    let inside = if meant.is_none() && fields.others != Others::Ignored { inside() } else { None };
    let severity = match meant {
        Some(meant) if fields.known.iter().any(|it| it.name == meant && is_scope(it)) => Severity::Error,
        None if inside.as_ref().is_some_and(|(it, _)| it.role == Role::Scope) => Severity::Error,
        None if fields.others == Others::Unknown && fields.known.iter().all(is_scope) => Severity::Error,
        _ => Severity::Warning,
    };
    let hint = match (meant, inside) {
        (Some(meant), _) => format!("did you mean `{meant}`?"),
        (None, Some((_, path))) => format!("did you mean `{path}`?"),
        (None, None) => suggest(key, &names().collect::<Vec<_>>(), "known here"),
    };
    let error = Error::new(Code::UnknownField, format!("there is no field `{key}` here"));
    Some(error.at(at.key(key)).hint(hint).into_diagnostic(severity))
}

fn meant_here(key: &str, fields: &Fields) -> Option<&'static str> {
    close(key, fields.known.iter().map(|it| it.name)).or_else(|| shortened(key, fields))
}

/// The field inside a field of the scope that was meant, such as `placement.clusters` for `clusters`, and its path.
fn meant_inside(key: &str, parent: &Field) -> Option<(&'static Field, String)> {
    let (Role::Scope, Shape::Fields(fields)) = (parent.role, parent.shape) else { return None };
    let name = meant_here(key, fields)?;
    let field = fields.known.iter().find(|it| it.name == name)?;
    Some((field, format!("{}.{name}", parent.name)))
}

/// The field whose name begins or ends with `key`, such as `clusterSelector` for `selector`; one of the scope first.
fn shortened(key: &str, fields: &Fields) -> Option<&'static str> {
    const SHORTEST: usize = 4;
    let word = key.strip_suffix('s').unwrap_or(key).to_ascii_lowercase();
    let is_long_enough = word.len() >= SHORTEST;
    let has_word = |it: &&Field| {
        let name = it.name.to_ascii_lowercase();
        name.starts_with(&word) || name.strip_suffix('s').unwrap_or(&name).ends_with(&word)
    };
    let found = || fields.known.iter().filter(|_| is_long_enough).filter(has_word);
    found().find(|it| it.role == Role::Scope).or_else(|| found().next()).map(|it| it.name)
}

fn check_shape(value: &Value, shape: Shape, at: &JsonPath, out: &mut Vec<Diagnostic>) {
    let wanted = match (shape, value) {
        (_, Value::Null)
        | (Shape::Anything, _)
        | (Shape::Text, Value::Text(_))
        | (Shape::Boolean, Value::Bool(_))
        | (Shape::Map, Value::Map(_)) => return,
        (Shape::Fields(fields), Value::Map(map)) => return check_map(map, fields, at, out),
        (Shape::List(item), Value::List(items)) => {
            for (index, value) in items.iter().enumerate() {
                check_shape(value, *item, &at.index(index), out);
            }
            return;
        }
        (Shape::Named(item), Value::Map(map)) => {
            map.iter().for_each(|(key, value)| check_shape(value, *item, &at.key(key), out));
            return;
        }
        (Shape::OneOf(known), Value::Text(text)) => {
            if !known.contains(&text.as_str()) {
                let error = Error::new(Code::UnknownValue, format!("there is no value `{text}` here"));
                let known: Vec<String> = known.iter().filter(|it| !it.is_empty()).map(|it| format!("`{it}`")).collect();
                out.push(error.at(at).hint(format!("one of: {}", known.join(", "))).into_diagnostic(Severity::Error));
            }
            return;
        }
        (Shape::Text | Shape::OneOf(_), _) => "a string",
        (Shape::Boolean, _) => "a boolean",
        (Shape::Map | Shape::Named(_) | Shape::Fields(_), _) => "a map",
        (Shape::List(_), _) => "a list",
    };
    out.push(at.wrong_type(wanted, value).into_diagnostic(Severity::Error));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    const ENTRY: Fields = Fields::all(&[Field::scope("clusterName", Shape::Text), Field::new("mode", MODE)]);
    const MODE: Shape = Shape::OneOf(&["a", "b"]);
    const SPEC: Fields = Fields::some(&[
        Field::scope("clusterSelector", Shape::Map),
        Field::new("entries", Shape::List(&Shape::Fields(&ENTRY))),
        Field::required("overrides", Shape::List(&Shape::Anything)),
    ]);

    #[track_caller]
    fn check_spec(spec: &str, want: &[&str]) {
        let document = json::parse(&format!(r#"{{"spec":{spec}}}"#)).unwrap();
        let found = check(&document, &SPEC, &JsonPath::ROOT);
        let path = |it: &Diagnostic| it.at.path.as_ref().map(ToString::to_string).unwrap_or_default();
        let found: Vec<String> =
            found.iter().map(|it| format!("{} {} {}", it.severity.as_str(), it.code.as_str(), path(it))).collect();
        assert_eq!(found, want);
    }

    #[test]
    fn a_misspelled_scope_is_an_error_and_another_field_a_warning() {
        check_spec(r#"{"overrides":[1],"clusterSelektor":{}}"#, &["error unknown-field /spec/clusterSelektor"]);
        check_spec(r#"{"overrides":[1],"entrie":[]}"#, &["warning unknown-field /spec/entrie"]);
    }

    #[test]
    fn a_part_of_a_name_counts_as_the_field_where_all_fields_are_known() {
        const CLOSED: Fields = Fields::all(SPEC.known);
        let check = |spec: &str| {
            let document = json::parse(&format!(r#"{{"spec":{{"overrides":[1],{spec}}}}}"#)).unwrap();
            let found = check(&document, &CLOSED, &JsonPath::ROOT);
            let [finding] = found.as_slice() else { panic!("{found:?}") };
            format!("{} {}", finding.severity.as_str(), finding.hint.clone().unwrap_or_default())
        };
        assert_eq!(check(r#""selector":{}"#), "error did you mean `clusterSelector`?");
        assert_eq!(check(r#""clusters":{}"#), "error did you mean `clusterSelector`?");
        assert_eq!(check(r#""override":{}"#), "warning did you mean `overrides`?");
        assert_eq!(check(r#""waitFor":{}"#), "warning known here: clusterSelector, entries, overrides");
        assert_eq!(check(r#""s":{}"#), "warning known here: clusterSelector, entries, overrides");
    }

    #[test]
    fn other_fields_of_an_upstream_are_ignored() {
        check_spec(r#"{"overrides":[1],"waitFor":[]}"#, &[]);
    }

    #[test]
    fn types_and_values_are_errors_at_their_place() {
        check_spec(
            r#"{"overrides":{},"entries":[{"mode":"c"},{"clusterName":1}]}"#,
            &[
                "error unknown-value /spec/entries/0/mode",
                "error wrong-type /spec/entries/1/clusterName",
                "error wrong-type /spec/overrides",
            ],
        );
    }

    #[test]
    fn a_document_that_does_nothing_is_a_warning() {
        check_spec("null", &["warning missing-field /spec/overrides"]);
        check_spec(r#"{"overrides":[]}"#, &["warning missing-field /spec/overrides"]);
    }

    #[test]
    fn fields_beside_the_spec_are_checked_for_misspellings() {
        let check = |text: &str| {
            let document = json::parse(text).unwrap();
            let found = check(&document, &SPEC, &JsonPath::ROOT).into_iter().chain(check_metadata(&document));
            let place = |it: Diagnostic| format!("{} {}", it.severity.as_str(), it.at.path.unwrap_or_default());
            found.map(place).collect::<Vec<_>>()
        };
        assert_eq!(check(r#"{"sepc":{"overrides":[1]}}"#), ["error /sepc", "warning /spec/overrides"]);
        assert_eq!(check(r#"{"spec":{"overrides":[1]},"metadata":{"lables":{}}}"#), ["error /metadata/lables"]);
        assert_eq!(
            check(r#"{"spec":{"overrides":[1]},"metadata":{"anotations":{}}}"#),
            ["warning /metadata/anotations"]
        );
        assert_eq!(check(r#"{"spec":{"overrides":[1]},"data":{},"metadata":{"clusterName":"a"}}"#), [""; 0]);
    }
}
