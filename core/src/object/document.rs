//! A document: one Kubernetes object as written, with its identity and its location.

use std::fmt;
use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic, Error, Location};
use crate::object::identity::{ObjectName, group_of};
use crate::object::kinds::upstreams::PACKAGE_FILES;
use crate::value::Position;
use crate::value::path::{Pointer, list_index};
use crate::value::{Text, Value};
use crate::yaml::{Parsed, Places, place_in};

/// The identity of an object in a cluster. The API version is not part of it: all versions name the same object.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity {
    pub kind: Text,
    pub group: Text,
    /// Empty for cluster-scoped objects.
    pub namespace: Text,
    pub name: Text,
}

impl Identity {
    /// # Errors
    ///
    /// A document is a map with a `kind` and a `metadata.name`, both texts.
    ///
    /// # Example
    ///
    /// ```
    /// use fleetfold_core::{object::Identity, value::json};
    ///
    /// let object = json::parse(r#"{"apiVersion":"apps/v1","kind":"Deployment",
    ///     "metadata":{"namespace":"shop","name":"web"}}"#)?;
    /// let identity = Identity::of(&object)?;
    /// assert_eq!(identity.group, "apps");
    /// assert_eq!(identity.to_string(), "Deployment/shop/web");
    /// assert!(Identity::of(&json::parse(r#"{"kind":"Deployment"}"#)?).is_err());
    /// # Ok::<(), fleetfold_core::diagnostic::Error>(())
    /// ```
    pub fn of(object: &Value) -> Result<Identity, Error> {
        if object.as_map().is_none() {
            return Err(Error::new(Code::NotAnObject, format!("the document is {}, not an object", object.kind())));
        }
        let text = |path: &'static [&'static str]| match object.at(path) {
            None | Some(Value::Null) => Ok(Text::default()),
            Some(Value::Text(text)) => Ok(text.clone()),
            Some(other) => {
                let message = format!("`{}` is {}, not a string", path.join("."), other.kind());
                Err(Error::new(Code::NotAnObject, message).at(Pointer::of(path.iter().copied())))
            }
        };
        let required = |path| match text(path)? {
            empty if empty.is_empty() => {
                let error = Error::new(Code::NotAnObject, format!("the document has no `{}`", path.join(".")));
                Err(error.maybe_hint(package_hint(object)))
            }
            text => Ok(text),
        };
        Ok(Identity {
            kind: required(&["kind"])?,
            group: group_of(&text(&["apiVersion"])?).into(),
            namespace: text(&["metadata", "namespace"])?,
            name: required(&["metadata", "name"])?,
        })
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Identity { kind, namespace, name, .. } = self.clone();
        ObjectName { kind, namespace, name }.fmt(f)
    }
}

/// A reference to a document: `Kind/name`, `Kind/namespace/name`, or `Kind.group/…` if two groups have the kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    kind: Text,
    group: Option<Text>,
    namespace: Text,
    name: Text,
}

impl Reference {
    /// # Errors
    ///
    /// A reference has two or three parts, none of them empty.
    pub fn parse(text: &str) -> Result<Reference, Error> {
        let parts: Vec<&str> = text.split('/').collect();
        let (kind, namespace, name) = match parts.as_slice() {
            [kind, name] => (*kind, "", *name),
            [kind, namespace, name] if !namespace.is_empty() => (*kind, *namespace, *name),
            _ => ("", "", ""),
        };
        let (kind, group) = match kind.split_once('.') {
            Some((kind, group)) => (kind, Some(group.into())),
            None => (kind, None),
        };
        if kind.is_empty() || name.is_empty() {
            let message = format!("`{text}` does not name a document");
            return Err(Error::new(Code::BadReference, message).hint("write `Kind/name` or `Kind/namespace/name`"));
        }
        Ok(Reference { kind: kind.into(), group, namespace: namespace.into(), name: name.into() })
    }

    /// The kind of the document.
    pub fn kind(&self) -> &Text {
        &self.kind
    }

    /// # Example
    ///
    /// ```
    /// use fleetfold_core::object::{Identity, Reference};
    ///
    /// let eu = Identity {
    ///     kind: "Cluster".into(),
    ///     group: "greenhouse.sap".into(),
    ///     namespace: "acme".into(),
    ///     name: "eu-1".into(),
    /// };
    /// assert!("Cluster/acme/eu-1".parse::<Reference>()?.names(&eu), "any group");
    /// assert!("Cluster.greenhouse.sap/acme/eu-1".parse::<Reference>()?.names(&eu));
    /// assert!(!"Cluster.example.com/acme/eu-1".parse::<Reference>()?.names(&eu));
    /// # Ok::<(), fleetfold_core::diagnostic::Error>(())
    /// ```
    pub fn names(&self, identity: &Identity) -> bool {
        let Identity { kind, group, namespace, name } = identity;
        let in_group = self.group.as_ref().is_none_or(|it| it == group);
        *kind == self.kind && in_group && *namespace == self.namespace && *name == self.name
    }

    /// The identity in this group.
    pub fn of_group(&self, group: &Text) -> Identity {
        let Reference { kind, namespace, name, .. } = self.clone();
        Identity { kind, group: group.clone(), namespace, name }
    }

    /// The smallest identity that the reference could name.
    pub fn first(&self) -> Identity {
        Identity {
            kind: self.kind.clone(),
            group: self.group.clone().unwrap_or_default(),
            namespace: Text::default(),
            name: Text::default(),
        }
    }
}

/// Prints back what was parsed.
impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.kind)?;
        if let Some(group) = &self.group {
            write!(f, ".{group}")?;
        }
        if !self.namespace.is_empty() {
            write!(f, "/{}", self.namespace)?;
        }
        write!(f, "/{}", self.name)
    }
}

/// An object with its identity and, where it came from a text, the place of every value in it.
#[derive(Clone, Debug)]
pub struct Document {
    pub identity: Identity,
    pub value: Value,
    written: Option<Written>,
}

/// Where a document was written.
#[derive(Clone, Debug, PartialEq)]
struct Written {
    file: Option<Text>,
    places: Arc<Places>,
    /// The document's own place in what was written: inside a `List` it is not the root.
    root: Pointer,
}

impl Document {
    /// The documents of a value: itself, or the items of a `List`. Anything else is reported and left out.
    ///
    /// # Example
    ///
    /// ```
    /// use fleetfold_core::{object::Document, value::{json, path::Pointer}};
    ///
    /// let list = json::parse(r#"{"kind":"List","items":[{"kind":"Namespace","metadata":{"name":"shop"}},
    ///     {"kind":"Service"}]}"#)?;
    /// let mut findings = Vec::new();
    /// let documents = Document::from_value(&list, &Pointer::root(), &mut findings);
    /// assert_eq!(documents[0].identity.to_string(), "Namespace/shop");
    /// assert_eq!(findings[0].message, "the document has no `metadata.name`");
    /// # Ok::<(), fleetfold_core::diagnostic::Error>(())
    /// ```
    pub fn from_value(value: &Value, at: &Pointer, out: &mut Vec<Diagnostic>) -> Vec<Document> {
        unfold(value, |root, error| {
            let path = at.join(&root).join(&path_of(&error));
            out.push(Diagnostic { hint: error.hint, ..Diagnostic::error(error.code, error.message).at(path) });
        })
        .map(|(_, identity, value)| Document { identity, value, written: None })
        .collect()
    }

    /// The documents of a parsed text; findings carry their line and column.
    ///
    /// # Example
    ///
    /// ```
    /// use fleetfold_core::{diagnostic::Mode, object::Document, value::path::Pointer, yaml};
    ///
    /// let text = "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: shop\n";
    /// let parsed = yaml::parse(text, Mode::Strict, &mut Vec::new()).unwrap().remove(0);
    /// let documents = Document::from_text(parsed, Some(&"shop.yaml".into()), &mut Vec::new());
    /// let at = documents[0].at(Pointer::of(["metadata", "name"]));
    /// assert_eq!(at.file.unwrap(), "shop.yaml");
    /// assert_eq!(at.place.unwrap().to_string(), "4:9");
    /// ```
    pub fn from_text(parsed: Parsed, file: Option<&Text>, out: &mut Vec<Diagnostic>) -> Vec<Document> {
        let places = Arc::new(parsed.places);
        unfold(&parsed.value, |root, error| {
            let place = places.nearest(&root.join(&path_of(&error)));
            let at = Location { file: file.map(Text::to_string), place, ..Location::default() };
            out.push(Diagnostic { at, hint: error.hint, ..Diagnostic::error(error.code, error.message) });
        })
        .map(|(root, identity, value)| {
            let written = Written { file: file.cloned(), places: Arc::clone(&places), root };
            Document { identity, value, written: Some(written) }
        })
        .collect()
    }

    /// The file that the document was read from.
    pub fn file(&self) -> Option<&Text> {
        self.written.as_ref()?.file.as_ref()
    }

    /// Whether it is the same document at the same location, so that no result changes. Equal parts are shared in
    /// memory afterwards.
    pub fn intern_from(&mut self, like: &Document) -> bool {
        self.value.intern_from(&like.value) && self.written == like.written
    }

    /// Takes over what the server gave to the object that this document replaces, where the document has none: files
    /// have neither a `uid` nor a `creationTimestamp`.
    ///
    /// # Example
    ///
    /// ```
    /// use fleetfold_core::{object::Document, value::{json, path::Pointer}};
    ///
    /// let value = |text| json::parse(text).unwrap();
    /// let read = |text| Document::from_value(&value(text), &Pointer::root(), &mut Vec::new()).remove(0);
    /// let old = read(r#"{"kind":"Namespace","metadata":{"name":"shop","uid":"u-1"}}"#);
    /// let mut new = read(r#"{"kind":"Namespace","metadata":{"name":"shop"}}"#);
    /// new.carry_from(&old);
    /// assert_eq!(new.value.text_at(&["metadata", "uid"]), "u-1");
    /// ```
    pub fn carry_from(&mut self, replaced: &Document) {
        for field in ["creationTimestamp", "uid"] {
            let Some(given) = replaced.value.at(&["metadata", field]).filter(|it| !it.is_null()) else { continue };
            let metadata = self.value.get_mut("metadata").and_then(Value::as_map_mut);
            if let Some(metadata) = metadata.filter(|it| it.get(field).is_none_or(Value::is_null)) {
                metadata.insert(field, given.clone());
            }
        }
    }

    /// The location of the value at a pointer, or of its nearest parent in the text. The pointer may continue into a
    /// text of the document that holds documents itself, such as a file in a ConfigMap: the step after the text is the
    /// number of the document in it.
    pub fn at(&self, path: Pointer) -> Location {
        let (file, place) = self.place(&path);
        Location { document: Some(self.identity.to_string()), path: Some(path), file, place }
    }

    /// The file and position without the document's name, as far as they are known.
    pub fn place(&self, path: &Pointer) -> (Option<String>, Option<Position>) {
        let written = self.written.as_ref();
        let place = written.and_then(|it| it.places.nearest(&it.root.join(path)));
        let file = written.and_then(|it| it.file.as_ref()).map(Text::to_string);
        match self.inside(path) {
            Some((inner, place)) => (inner.or(file), Some(place)),
            None => (file, place),
        }
    }

    /// The position of a value inside a text. If the lines of the text are lines of the document's file, it is a
    /// position in that file, with the column inside the text; without a file, the key of the text is the file name.
    fn inside(&self, path: &Pointer) -> Option<(Option<String>, Position)> {
        let (mut value, mut steps) = (&self.value, path.segments());
        let text = loop {
            if let Value::Text(text) = value {
                break text;
            }
            value = value.step(steps.next()?)?;
        };
        let depth = path.segments().len().saturating_sub(steps.len());
        let number = list_index(steps.next()?)?;
        let place = place_in(text, number, &Pointer::of(steps.cloned()))?;
        let at = Pointer::of(path.segments().take(depth).cloned());
        match &self.written {
            Some(written) => Some((None, place.below(written.places.literal(&written.root.join(&at))?.line))),
            None => Some((at.segments().next_back().map(Text::to_string), place)),
        }
    }
}

/// The documents of a value with their places in it. What is none of them goes to `refuse`.
fn unfold(value: &Value, mut refuse: impl FnMut(Pointer, Error)) -> impl Iterator<Item = (Pointer, Identity, Value)> {
    let items = value.get("items").and_then(Value::as_list);
    let is_list = value.text_at(&["kind"]).ends_with("List") && items.is_some();
    let parts: Vec<(Pointer, Value)> = match items.filter(|_| is_list) {
        Some(items) => {
            let place = |index: usize| Pointer::of(["items".to_string(), index.to_string()]);
            items.iter().enumerate().map(|(index, item)| (place(index), item.clone())).collect()
        }
        None => vec![(Pointer::root(), value.clone())],
    };
    let mut documents = Vec::with_capacity(parts.len());
    for (root, value) in parts {
        match Identity::of(&value) {
            Ok(identity) => documents.push((root, identity, value)),
            Err(error) => refuse(root, error),
        }
    }
    documents.into_iter()
}

/// What to load instead of a file of a package.
fn package_hint(object: &Value) -> Option<String> {
    let group = group_of(object.text_at(&["apiVersion"]));
    let has_kind = !object.text_at(&["kind"]).is_empty();
    let is_file = |keys: &[&str]| !has_kind && keys.iter().any(|it| object.get(it).is_some());
    let row = PACKAGE_FILES.iter().find(|(its_group, keys, _)| *its_group == group && is_file(keys));
    row.map(|(.., hint)| (*hint).into())
}

fn path_of(error: &Error) -> Pointer {
    error.pointer()
}

/// Reads what `Display` prints.
///
/// ```
/// use fleetfold_core::object::Reference;
///
/// let preset: Reference = "PluginPreset/acme/metrics".parse()?;
/// assert_eq!(preset.kind(), "PluginPreset");
/// assert_eq!(preset.to_string(), "PluginPreset/acme/metrics");
/// assert!("metrics".parse::<Reference>().is_err());
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
impl std::str::FromStr for Reference {
    type Err = Error;

    fn from_str(text: &str) -> Result<Reference, Error> {
        Reference::parse(text)
    }
}
