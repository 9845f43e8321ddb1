//! A ResourceList: the input and output of functions.

use fleetfold::meta::{self, Meta};
use fleetfold_core::Value;
use fleetfold_core::diagnostic::Code;
use fleetfold_core::diagnostic::read::from_value_ignoring_unknown;
use fleetfold_core::object::folder::settings_in;
use fleetfold_core::value::MaybeAbsent;
use fleetfold_core::value::path::Pointer;
use fleetfold_core::value::suggest::suggest;
use serde::Deserialize;

use super::super::sourced_document::SourcedDocument;
use crate::command::output::Failure;
use crate::render::finding::{Finding, Severity, Texts};
use crate::render::name_of;
use crate::source::STDIN;

/// The annotation of a rendered item with its cluster.
pub const CLUSTER: &str = "fleetfold.dev/cluster";

/// The annotations with the file of an item and its index in that file; the newer name first.
pub const PATHS: [&str; 2] = ["internal.config.kubernetes.io/path", "config.kubernetes.io/path"];
pub const INDEXES: [&str; 2] = ["internal.config.kubernetes.io/index", "config.kubernetes.io/index"];

/// The annotation of kustomize with the origin, if that option is on.
const ORIGIN: &str = "config.kubernetes.io/origin";

/// Internal annotations of orchestrators: not part of the document, and not for clusters.
const TRACKS: &[&str] = &[
    "config.k8s.io/id",
    "config.kubernetes.io/function",
    "config.kubernetes.io/id",
    "config.kubernetes.io/index",
    "config.kubernetes.io/local-config",
    "config.kubernetes.io/origin",
    "config.kubernetes.io/package",
    "config.kubernetes.io/path",
    "internal.config.kubernetes.io/*",
    "internal.kpt.dev/*",
    "kustomize.config.k8s.io/id",
];

const VERSIONS: &[&str] = &["config.kubernetes.io/v1", "config.kubernetes.io/v1beta1", "config.kubernetes.io/v1alpha1"];

#[derive(Debug)]
pub struct ResourceList {
    written: SourcedDocument,
    items: Vec<Item>,
    config: Option<Value>,
}

/// The fields of a ResourceList that a function reads.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Envelope {
    api_version: Option<String>,
    kind: String,
    items: MaybeAbsent<Value>,
    function_config: Option<Value>,
}

#[derive(Debug)]
pub struct Item {
    pub value: Value,
    /// The file of the item and the index in it, if an orchestrator annotated them.
    pub path: String,
    pub index: Option<i64>,
}

impl ResourceList {
    pub fn read(text: String) -> Result<ResourceList, Failure> {
        let written = SourcedDocument::read(STDIN, text)?;
        let refuse = |code, at: &[&str], message: String, hint: String| {
            Err(written.failure(code, &Pointer::of(at.iter().copied()), message, hint))
        };
        let Ok(Envelope { api_version, kind, items, function_config }) =
            from_value_ignoring_unknown::<Envelope>(written.value().clone())
        else {
            let message = "standard input is not a ResourceList".to_owned();
            let hint = "pipe the output of kustomize or kpt; to check files, use `fleetfold lint -f`".to_owned();
            return refuse(Code::NotAnObject, &[], message, hint);
        };
        if kind != "ResourceList" {
            let hint = suggest(&kind, &["ResourceList"], "a function reads the kind");
            return refuse(Code::UnknownValue, &["kind"], format!("unexpected kind `{kind}`"), hint);
        }
        let api_version = api_version.unwrap_or_default();
        if !VERSIONS.contains(&api_version.as_str()) {
            let hint = suggest(&api_version, VERSIONS, "one of");
            let message = format!("unsupported version `{api_version}` of ResourceList");
            return refuse(Code::UnknownValue, &["apiVersion"], message, hint);
        }
        let items = match items.0 {
            Some(Value::List(items)) => items.iter().map(Item::of).collect(),
            None => {
                let hint = "write `items: []` if there are none".to_owned();
                return refuse(Code::MissingField, &[], "the ResourceList has no `items`".to_owned(), hint);
            }
            Some(other) => {
                let message = format!("`items` is {}, not a list", other.kind());
                return refuse(Code::WrongType, &["items"], message, "start each item with `- `".to_owned());
            }
        };
        Ok(ResourceList { written, items, config: function_config })
    }

    /// The configuration of the function, if any.
    pub fn config(&self) -> Option<&Value> {
        self.config.as_ref()
    }

    /// The text, for locations in the configuration.
    pub fn written(&self) -> &SourcedDocument {
        &self.written
    }

    pub fn texts(&self) -> Texts {
        self.written.texts()
    }

    /// The unchanged items.
    pub fn values(&self) -> Vec<Value> {
        self.items.iter().map(|it| it.value.clone()).collect()
    }

    /// The items that may be documents of a fleet, without annotations of orchestrators.
    pub fn documents(&self) -> Vec<Value> {
        self.loaded().map(|(_, it)| it.document()).collect()
    }

    /// The same with their indexes in the list.
    fn loaded(&self) -> impl Iterator<Item = (usize, &Item)> {
        self.items.iter().enumerate().filter(|(_, it)| !is_ours(&it.value))
    }

    /// The settings of the engine among the items.
    pub fn settings(&self) -> impl Iterator<Item = Value> {
        self.items.iter().filter_map(|it| settings_in(&it.value))
    }

    /// The diagnostics of parsing the list.
    pub fn diagnostics(&self) -> Vec<Finding> {
        self.written.diagnostics()
    }

    /// The list with other items and results.
    pub fn with(&self, items: Vec<Value>, results: Vec<Value>) -> Value {
        let mut list = self.written.value().clone();
        if let Some(fields) = list.as_map_mut() {
            fields.insert("items", Value::from(items));
            fields.remove("results");
            if !results.is_empty() {
                fields.insert("results", Value::from(results));
            }
        }
        list
    }

    /// Locates a finding at its item. The engine names documents, and numbers those that it cannot read.
    pub fn placed(&self, mut finding: Finding) -> Finding {
        let steps: Vec<&str> = finding.path.split('/').collect();
        let numbered = match steps.as_slice() {
            ["", "documents", index, ..] => index.parse().ok().and_then(|it| self.loaded().nth(it)),
            ["", "items", index, ..] => index.parse().ok().and_then(|it: usize| Some((it, self.items.get(it)?))),
            _ => None,
        };
        if let Some((index, item)) = numbered.filter(|_| finding.document.is_empty()) {
            let inside: String = steps.get(3..).unwrap_or_default().iter().map(|it| format!("/{it}")).collect();
            // An item without name and file is located by its index in the list.
            let is_nameless = item.name().is_empty() && item.path.is_empty();
            finding.path = if is_nameless { format!("/items/{index}{inside}") } else { inside };
            finding.document = item.name();
            // A line of standard input is not a line of the file.
            (finding.file, finding.line, finding.column) = (item.path.clone(), None, None);
            if finding.hint.is_empty() && finding.severity == Severity::Error {
                finding.hint = "an item is an object with `apiVersion`, `kind` and `metadata.name`".to_owned();
            }
        } else if finding.file.is_empty()
            && let Some(item) = self.item_of(&finding)
        {
            finding.file = item.path.clone();
        }
        finding
    }

    /// The item of a finding.
    pub fn item_of(&self, finding: &Finding) -> Option<&Item> {
        let is_meant =
            |it: &&Item| it.name() == finding.document && (finding.file.is_empty() || it.path == finding.file);
        self.items.iter().find(is_meant).filter(|_| !finding.document.is_empty())
    }
}

impl Item {
    fn of(value: &Value) -> Item {
        let path = annotation(value, &PATHS).map(str::to_owned);
        let index = path.as_ref().and_then(|_| annotation(value, &INDEXES)?.parse().ok());
        Item { value: value.clone(), path: path.or_else(|| origin(value)).unwrap_or_default(), index }
    }

    /// `Kind/namespace/name`, or the known parts of it.
    fn name(&self) -> String {
        name_of(&self.value)
    }

    /// The object without annotations of orchestrators.
    fn document(&self) -> Value {
        let mut document = self.value.clone();
        meta::retain_annotations(&mut document, |key| !TRACKS.iter().any(|track| is_like(key, track)));
        document
    }
}

/// Whether an item belongs to this function instead of the fleet: its configuration, settings, or an earlier rendered
/// object.
pub fn is_ours(item: &Value) -> bool {
    let meta = Meta::of(item);
    meta.is_ours("Fleetfold") || meta.is_ours("Settings") || meta.annotation(CLUSTER).is_some()
}

fn is_like(key: &str, pattern: &str) -> bool {
    pattern.strip_suffix('*').map_or(key == pattern, |start| key.starts_with(start))
}

fn annotation<'a>(item: &'a Value, names: &[&str]) -> Option<&'a str> {
    names.iter().find_map(|name| Meta::of(item).annotation(name))
}

/// The origin of kustomize is YAML in a string; one of its lines has the file.
fn origin(item: &Value) -> Option<String> {
    annotation(item, &[ORIGIN])?.lines().find_map(|line| line.strip_prefix("path: ")).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(items: &str) -> ResourceList {
        let text = format!("{{apiVersion: config.kubernetes.io/v1, kind: ResourceList, items: {items}}}");
        ResourceList::read(text).unwrap()
    }

    #[track_caller]
    fn refused(text: &str) -> String {
        match ResourceList::read(text.to_owned()).unwrap_err() {
            Failure::Refused { finding, .. } => {
                assert!(!finding.hint.is_empty());
                format!("{} {}", finding.location(), finding.message)
            }
            Failure::Host { message, .. } => message,
        }
    }

    #[test]
    fn other_input_than_a_resource_list_is_refused_at_its_position() {
        assert_eq!(refused("[]"), "<stdin>:1:1 standard input is not a ResourceList");
        assert_eq!(refused("a: [1\n"), "<stdin>:2:1 not YAML: while parsing a flow sequence, expected `,` or `]`");
        assert_eq!(refused(""), "`<stdin>` holds 0 documents in place of one");
        assert_eq!(refused("apiVersion: v1\nkind: List\n"), "<stdin>:2:7 unexpected kind `List`");
        let other = "kind: ResourceList\napiVersion: config.kubernetes.io/v2\nitems: []\n";
        assert_eq!(refused(other), "<stdin>:2:13 unsupported version `config.kubernetes.io/v2` of ResourceList");
        let none = "kind: ResourceList\napiVersion: config.kubernetes.io/v1\n";
        assert_eq!(refused(none), "<stdin>:1:1 the ResourceList has no `items`");
        assert_eq!(refused(&format!("{none}items: {{}}\n")), "<stdin>:3:8 `items` is a map, not a list");
    }

    #[test]
    fn notes_of_orchestrators_are_taken_off_and_others_stay() {
        let list = list(
            r#"[{kind: A, metadata: {name: a, annotations: {config.kubernetes.io/index: "0", internal.kpt.dev/x: y}}},
                {kind: B, metadata: {name: b,
                  annotations: {config.kubernetes.io/depends-on: c, config.k8s.io/id: "1"}}}]"#,
        );
        let documents: Vec<String> = list.documents().iter().map(Value::to_canonical).collect();
        let want = [
            r#"{"kind":"A","metadata":{"name":"a"}}"#,
            r#"{"kind":"B","metadata":{"annotations":{"config.kubernetes.io/depends-on":"c"},"name":"b"}}"#,
        ];
        assert_eq!(documents, want);
        assert_eq!(list.values()[0].at(&["metadata", "annotations"]).unwrap().as_map().unwrap().len(), 2);
    }

    #[test]
    fn files_are_those_that_orchestrators_say() {
        let list = list(
            r#"[{metadata: {annotations: {config.kubernetes.io/path: old.yaml,
                  internal.config.kubernetes.io/path: a.yaml, config.kubernetes.io/index: "3"}}},
                {metadata: {annotations: {config.kubernetes.io/origin: "path: b.yaml\n",
                  config.kubernetes.io/index: "4"}}},
                {}, 5]"#,
        );
        let files: Vec<(&str, Option<i64>)> = list.items.iter().map(|it| (it.path.as_str(), it.index)).collect();
        assert_eq!(files, [("a.yaml", Some(3)), ("b.yaml", None), ("", None), ("", None)]);
    }

    #[test]
    fn what_is_ours_is_no_document() {
        let list = list(
            "[{kind: Fleetfold, apiVersion: fleetfold.dev/v1alpha1},
              {kind: Settings, apiVersion: fleetfold.dev/v1, spec: {a: 1}},
              {kind: A, metadata: {annotations: {fleetfold.dev/cluster: eu}}},
              {kind: Fleetfold, apiVersion: other/v1}]",
        );
        assert_eq!(list.documents().len(), 1);
        assert_eq!(list.settings().map(|it| it.to_canonical()).collect::<Vec<_>>(), [r#"{"a":1}"#]);
    }
}
