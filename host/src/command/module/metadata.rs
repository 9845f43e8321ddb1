//! Checks the Kubewarden metadata of a policy before it is added to a module.
//!
//! The tables below list the known fields. An unknown field is only a warning: Kubewarden ignores it, and a newer
//! version may know it.

use fleetfold_core::Value;
use fleetfold_core::diagnostic::Code;
use fleetfold_core::value::path::Pointer;
use fleetfold_core::value::suggest::{did_you_mean, suggest};

use super::super::sourced_document::SourcedDocument;
use crate::render::finding::{Finding, Severity};

/// The type of a field.
#[derive(Clone, Copy)]
enum Holds {
    Bool,
    Text,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A non-empty list of strings.
    Texts,
    /// The same; `*` must be the only element.
    TextsOrAll,
    /// A non-empty list of these words.
    WordsOrAll(&'static [&'static str]),
    /// A non-empty list of resources: `*` excludes other resources but not subresources; `*/*` excludes all.
    Resources,
    /// A map of strings.
    Labels,
    /// A list of maps; may be empty.
    Maps(&'static [Field]),
}

struct Field {
    name: &'static str,
    holds: Holds,
    required: bool,
}

const fn required(name: &'static str, holds: Holds) -> Field {
    Field { name, holds, required: true }
}

const fn optional(name: &'static str, holds: Holds) -> Field {
    Field { name, holds, required: false }
}

const METADATA: &[Field] = &[
    required("rules", Holds::Maps(RULE)),
    required("mutating", Holds::Bool),
    optional("protocolVersion", Holds::Word(&["v1"])),
    optional("annotations", Holds::Labels),
    optional("backgroundAudit", Holds::Bool),
    optional("executionMode", Holds::Word(&["kubewarden-wapc", "opa", "gatekeeper", "wasi"])),
    optional("policyType", Holds::Word(&["kubernetes", "raw"])),
    optional("contextAwareResources", Holds::Maps(RESOURCE)),
    optional("hostCapabilities", Holds::Texts),
    optional("minimumKubewardenVersion", Holds::Text),
];

const RULE: &[Field] = &[
    required("apiGroups", Holds::TextsOrAll),
    required("apiVersions", Holds::TextsOrAll),
    required("resources", Holds::Resources),
    required("operations", Holds::WordsOrAll(&["CREATE", "UPDATE", "DELETE", "CONNECT", "*"])),
];

const RESOURCE: &[Field] = &[required("apiVersion", Holds::Text), required("kind", Holds::Text)];

/// The annotations that the policy hub shows; others are allowed.
const ANNOTATIONS: &[&str] = &[
    "io.kubewarden.policy.title",
    "io.kubewarden.policy.version",
    "io.kubewarden.policy.author",
    "io.kubewarden.policy.url",
    "io.kubewarden.policy.ociUrl",
    "io.kubewarden.policy.source",
    "io.kubewarden.policy.license",
    "io.kubewarden.policy.description",
    "io.kubewarden.policy.usage",
    "io.kubewarden.policy.category",
    "io.kubewarden.policy.severity",
];

/// The default values, written out as `kwctl` does.
fn defaults() -> [(&'static str, Value); 5] {
    [
        ("protocolVersion", "v1".into()),
        ("backgroundAudit", true.into()),
        ("executionMode", "kubewarden-wapc".into()),
        ("policyType", "kubernetes".into()),
        ("contextAwareResources", Value::from(Vec::new())),
    ]
}

/// The metadata with defaults.
pub fn complete(mut metadata: Value) -> Value {
    if let Some(fields) = metadata.as_map_mut() {
        for (name, value) in defaults() {
            if !fields.contains(name) {
                fields.insert(name, value);
            }
        }
    }
    metadata
}

/// All errors and probable mistakes, in the order of the text.
pub fn check(metadata: &SourcedDocument) -> Vec<Finding> {
    let mut check = Check { metadata, found: Vec::new() };
    check.map(metadata.value(), METADATA, &Pointer::root());
    check.found.sort_by_key(|it| (it.line, it.column));
    check.found
}

struct Check<'a> {
    metadata: &'a SourcedDocument,
    found: Vec<Finding>,
}

impl Check<'_> {
    fn report(&mut self, severity: Severity, code: Code, at: &Pointer, message: String, hint: impl Into<String>) {
        self.found.push(self.metadata.finding(severity, code, at, message, hint.into()));
    }

    fn error(&mut self, code: Code, at: &Pointer, message: String, hint: impl Into<String>) {
        self.report(Severity::Error, code, at, message, hint);
    }

    fn map(&mut self, value: &Value, fields: &[Field], at: &Pointer) {
        let Some(map) = value.as_map() else {
            let names: Vec<&str> = fields.iter().map(|it| it.name).collect();
            let hint = format!("it is an object with {}", names.join(", "));
            return self.error(Code::WrongType, at, format!("this is {}, not an object", value.kind()), hint);
        };
        for field in fields {
            match map.get(field.name) {
                Some(value) => self.field(value, field, &at.child(field.name)),
                None if field.required => {
                    let message = format!("`{}` is missing", field.name);
                    self.error(Code::MissingField, at, message, format!("it is {}", words(field.holds)));
                }
                None => {}
            }
        }
        for name in map.keys().filter(|name| !fields.iter().any(|it| it.name == name.as_str())) {
            let message = format!("unknown field `{name}` has no effect");
            let names: Vec<&str> = fields.iter().map(|it| it.name).collect();
            let hint = suggest(name, &names, "one of");
            self.report(Severity::Warning, Code::UnknownField, &at.child(name.as_str()), message, hint);
        }
    }

    fn field(&mut self, value: &Value, field: &Field, at: &Pointer) {
        let fits = match field.holds {
            Holds::Bool => value.as_bool().is_some(),
            Holds::Text | Holds::Word(_) => value.as_text().is_some_and(|it| !it.is_empty()),
            Holds::Texts | Holds::TextsOrAll | Holds::WordsOrAll(_) | Holds::Resources => {
                value.as_list().is_some_and(|it| !it.is_empty() && it.iter().all(|it| it.as_text().is_some()))
            }
            Holds::Labels => value.as_map().is_some_and(|it| it.iter().all(|(_, it)| it.as_text().is_some())),
            Holds::Maps(_) => value.as_list().is_some(),
        };
        if !fits {
            let message = format!("`{}` is not {}", field.name, words(field.holds));
            let hint = match field.holds {
                Holds::Text | Holds::Labels | Holds::Texts => {
                    "quote what would be read as a number or as true or false"
                }
                Holds::TextsOrAll | Holds::WordsOrAll(_) | Holds::Resources => "list at least one; `\"*\"` selects all",
                Holds::Bool => "write `true` or `false`",
                Holds::Word(_) => "write one of these words",
                Holds::Maps(_) => "start each with `- `",
            };
            let inner = value.as_map().and_then(|it| it.iter().find(|(_, it)| it.as_text().is_none()));
            let at = inner.map_or_else(|| at.clone(), |(key, _)| at.child(key.as_str()));
            return self.error(Code::WrongType, &at, message, hint);
        }
        let texts: Vec<&str> = value.as_list().into_iter().flatten().filter_map(Value::as_text).collect();
        match field.holds {
            Holds::Word(known) => self.word(value.as_text().unwrap_or_default(), known, at),
            Holds::WordsOrAll(known) => {
                for (index, word) in texts.iter().enumerate() {
                    self.word(word, known, &at.child(index.to_string()));
                }
                self.alone("*", &texts, at);
            }
            Holds::TextsOrAll => self.alone("*", &texts, at),
            Holds::Resources => self.resources(&texts, at),
            Holds::Labels => self.annotations(value, at),
            Holds::Maps(fields) => {
                for (index, item) in value.as_list().into_iter().flatten().enumerate() {
                    self.map(item, fields, &at.child(index.to_string()));
                }
            }
            Holds::Bool | Holds::Text | Holds::Texts => {}
        }
    }

    fn word(&mut self, word: &str, known: &[&str], at: &Pointer) {
        if !known.contains(&word) {
            self.error(Code::UnknownValue, at, format!("there is no `{word}`"), suggest(word, known, "one of"));
        }
    }

    fn alone(&mut self, all: &str, texts: &[&str], at: &Pointer) {
        if texts.len() > 1
            && let Some(index) = texts.iter().position(|it| *it == all)
        {
            let message = format!("`{all}` selects all, and there are others beside it");
            self.error(Code::UnknownValue, &at.child(index.to_string()), message, "keep it alone, or leave it out");
        }
    }

    /// A resource is `pods`, a subresource `pods/status`; either part may be `*`.
    fn resources(&mut self, texts: &[&str], at: &Pointer) {
        self.alone("*/*", texts, at);
        let whole: Vec<&str> = texts.iter().copied().filter(|it| !it.contains('/')).collect();
        if whole.len() > 1 && whole.contains(&"*") {
            let message = "`*` selects all resources, and there are others beside it".to_owned();
            self.error(Code::UnknownValue, at, message, "keep it alone, or leave it out; subresources may stay");
        }
        for (index, text) in texts.iter().enumerate() {
            let at = at.child(index.to_string());
            if text.is_empty() {
                self.error(Code::UnknownValue, &at, "a resource has no name".to_owned(), "write its plural, as `pods`");
            }
            let Some((resource, subresource)) = text.split_once('/') else { continue };
            let wider = [format!("{resource}/*"), format!("*/{subresource}")];
            if let Some(wider) = wider.iter().find(|it| it != text && texts.contains(&it.as_str())) {
                let message = format!("`{text}` is already in `{wider}`");
                self.error(Code::UnknownValue, &at, message, "leave one of them out");
            }
        }
    }

    /// Warns about an annotation that is similar to a known one.
    fn annotations(&mut self, value: &Value, at: &Pointer) {
        for name in value.as_map().into_iter().flat_map(|it| it.keys()) {
            if !ANNOTATIONS.contains(&name.as_str())
                && let Some(hint) = did_you_mean(name, ANNOTATIONS.iter().copied())
            {
                let message = format!("no policy hub shows the annotation `{name}`");
                self.report(Severity::Warning, Code::UnknownField, &at.child(name.as_str()), message, hint);
            }
        }
    }
}

fn words(holds: Holds) -> String {
    match holds {
        Holds::Bool => "true or false".to_owned(),
        Holds::Text => "a text".to_owned(),
        Holds::Word(known) => format!("one of {}", known.join(", ")),
        Holds::Texts | Holds::TextsOrAll | Holds::WordsOrAll(_) | Holds::Resources => "a list of texts".to_owned(),
        Holds::Labels => "an object of texts".to_owned(),
        Holds::Maps(_) => "a list of objects".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "\
rules:
- apiGroups: ['']
  apiVersions: [v1]
  resources: [pods, pods/status]
  operations: [CREATE, UPDATE]
mutating: false
annotations:
  io.kubewarden.policy.title: a
  mine: b
";

    #[track_caller]
    fn findings(text: &str) -> Vec<String> {
        let written = SourcedDocument::read("metadata.yml", text.to_owned()).unwrap();
        let line = |it: Finding| {
            format!("{} {}:{} {}; {}", it.severity.as_str(), it.line.unwrap_or(0), it.path, it.message, it.hint)
        };
        check(&written).into_iter().map(line).collect()
    }

    #[track_caller]
    fn one(from: &str, to: &str, want: &str) {
        assert!(GOOD.contains(from), "{from}");
        assert_eq!(findings(&GOOD.replacen(from, to, 1)), [want]);
    }

    #[test]
    fn valid_metadata_has_no_findings() {
        assert_eq!(findings(GOOD), [] as [&str; 0]);
        assert_eq!(findings("{rules: [], mutating: true}"), [] as [&str; 0]);
    }

    #[test]
    fn unknown_names_are_warned_about_with_the_nearest() {
        one(
            "mutating: false",
            "mutating: false\nbackgroundAudits: true",
            "warning 7:/backgroundAudits unknown field `backgroundAudits` has no effect; did you mean \
             `backgroundAudit`?",
        );
        one(
            "policy.title",
            "policy.tilte",
            "warning 8:/annotations/io.kubewarden.policy.tilte no policy hub shows the annotation \
             `io.kubewarden.policy.tilte`; did you mean `io.kubewarden.policy.title`?",
        );
    }

    #[test]
    fn words_are_known_ones() {
        one(
            "mutating: false",
            "mutating: false\nexecutionMode: kubewarden-wacp",
            "error 7:/executionMode there is no `kubewarden-wacp`; did you mean `kubewarden-wapc`?",
        );
        one(
            "[CREATE, UPDATE]",
            "[CREATE, WATCH]",
            "error 5:/rules/0/operations/1 there is no `WATCH`; one of: CREATE, UPDATE, DELETE, CONNECT, *",
        );
    }

    #[test]
    fn a_star_stands_alone() {
        one(
            "['']",
            "['', '*']",
            "error 2:/rules/0/apiGroups/1 `*` selects all, and there are others beside it; keep it alone, or leave it \
             out",
        );
        one(
            "[CREATE, UPDATE]",
            "['*', UPDATE]",
            "error 5:/rules/0/operations/0 `*` selects all, and there are others beside it; keep it alone, or leave it \
             out",
        );
        one(
            "[pods, pods/status]",
            "[pods, '*', pods/status]",
            "error 4:/rules/0/resources `*` selects all resources, and there are others beside it; keep it alone, or \
             leave it out; subresources may stay",
        );
        one(
            "[pods, pods/status]",
            "['*/*', pods]",
            "error 4:/rules/0/resources/0 `*/*` selects all, and there are others beside it; keep it alone, or leave \
             it out",
        );
        one(
            "[pods, pods/status]",
            "[pods/*, pods/status]",
            "error 4:/rules/0/resources/1 `pods/status` is already in `pods/*`; leave one of them out",
        );
        assert_eq!(findings(&GOOD.replace("[pods, pods/status]", "['*', pods/status, '*/scale']")), [] as [&str; 0]);
    }

    #[test]
    fn what_is_missing_or_of_another_type_is_told_at_its_place() {
        one("mutating: false\n", "", "error 1: `mutating` is missing; it is true or false");
        one(
            "mutating: false",
            "mutating: 'no'",
            "error 6:/mutating `mutating` is not true or false; write `true` or `false`",
        );
        one(
            "apiVersions: [v1]",
            "apiVersions: []",
            "error 3:/rules/0/apiVersions `apiVersions` is not a list of texts; list at least one; `\"*\"` selects all",
        );
        one(
            "title: a",
            "title: 1",
            "error 8:/annotations/io.kubewarden.policy.title `annotations` is not an object of texts; quote what would \
             be read as a number or as true or false",
        );
        assert_eq!(findings("[]").len(), 1);
        assert_eq!(findings("{rules: [1], mutating: true, contextAwareResources: [{kind: Pod}]}").len(), 2);
    }

    #[test]
    fn what_is_left_out_is_written_out() {
        let written = SourcedDocument::read("m", "{rules: [], mutating: true, policyType: raw}".to_owned()).unwrap();
        let want = r#"{"backgroundAudit":true,"contextAwareResources":[],"executionMode":"kubewarden-wapc","mutating":true,"policyType":"raw","protocolVersion":"v1","rules":[]}"#;
        assert_eq!(complete(written.value().clone()).to_canonical(), want);
    }
}
