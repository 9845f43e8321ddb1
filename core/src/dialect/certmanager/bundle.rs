//! A bundle: the manifests of one version of a product, the components that can be overridden, and the flags they take.
//!
//! It is written as a `Bundle` document, or as a ConfigMap that wraps the files of a release as they are:
//!
//! | | `Bundle` | ConfigMap |
//! |---|---|---|
//! | product | `spec.product` | the label `fleetfold.dev/bundle` |
//! | version | `spec.version` | the key `version` |
//! | components | `spec.components` | the key `components`, as YAML |
//! | molds | `spec.molds` | the key `molds`, as YAML |
//! | manifests | `spec.manifests` | every other key, as YAML with one or many documents |
//!
//! A component is `{name, deployment, container}`; without `container` it is the only one of its Deployment. A mold
//! lists the flags of a component, `{controller: [{flag: v, type: int}]}`. cert-manager's components and molds are
//! known, and need not be given.

use std::sync::Arc;

use super::version::Version;
use super::waves::is_namespaced;
use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Diagnostic, Error, Severity};
use crate::engine::rendered::Origin;
use crate::object::document::{Document, Identity};
use crate::object::kinds::flags::FlagType;
use crate::value::collections::SortedSet;
use crate::value::path::Pointer;
use crate::value::sorting::sort_by;
use crate::value::suggest::suggest;
use crate::value::{Map, Text, Value};
use crate::workspace::store::View;
use crate::yaml;

pub const GROUP: &str = "fleetfold.dev";
pub const KIND: &str = "Bundle";

/// The label that makes a ConfigMap a bundle; its value is the product.
pub const LABEL: &str = "fleetfold.dev/bundle";

pub const CERT_MANAGER: &str = "cert-manager";

/// cert-manager's components as its releases name them.
const COMPONENTS: &[(&str, &str)] =
    &[("controller", "cert-manager"), ("webhook", "cert-manager-webhook"), ("cainjector", "cert-manager-cainjector")];

/// The types of flags that a bundle's own mold can name.
const TYPES: &[(&str, FlagType)] = &[
    ("bool", FlagType::Bool),
    ("int", FlagType::Int),
    ("uint", FlagType::Uint),
    ("duration", FlagType::Duration),
    ("string", FlagType::Text),
    ("strings", FlagType::Texts),
];

#[derive(Clone, Debug)]
pub struct Bundle {
    pub document: Arc<Identity>,
    pub product: Text,
    pub version: Version,
    /// The version as it is written.
    pub written: Text,
    pub version_at: Pointer,
    pub components: Vec<Component>,
    pub manifests: Vec<Manifest>,
    /// The flags that the bundle lists, by component.
    pub flag_types: Vec<ComponentFlags>,
}

/// A component, and its flags with what they take.
pub type ComponentFlags = (Text, Vec<(Text, FlagType)>);

/// A part of a product that can be overridden: one container.
#[derive(Clone, Debug)]
pub struct Component {
    pub name: Text,
    pub deployment: Text,
    /// Nothing where the Deployment has one container.
    pub container: Option<Text>,
}

/// One object of a bundle.
#[derive(Clone, Debug)]
pub struct Manifest {
    pub identity: Identity,
    pub object: Value,
    /// Where it is written.
    pub origin: Origin,
}

/// The bundles of a product, latest first, and those that may be of it and cannot be read.
#[derive(Debug, Default)]
pub struct BundleIndex {
    pub bundles: Vec<Bundle>,
    pub broken: Vec<Identity>,
}

impl BundleIndex {
    /// Of one product, or of all of them. Reports bundles that cannot be read.
    pub fn of(view: View, product: Option<&str>, out: &mut Vec<Diagnostic>) -> BundleIndex {
        let mut index = BundleIndex::default();
        for document in documents(view) {
            let its_product = product_of(document);
            if product.is_some_and(|it| its_product.is_some_and(|its| its != it)) {
                continue;
            }
            match Bundle::read(document) {
                Ok(bundle) => index.bundles.push(bundle),
                Err(error) => {
                    out.push(error.into_diagnostic(Severity::Error).of(&document.identity));
                    index.broken.push(document.identity.clone());
                }
            }
        }
        sort_by(&mut index.bundles, |a, b| b.version.cmp(&a.version).then_with(|| a.document.cmp(&b.document)));
        index
    }
}

fn documents<'a>(view: View<'a>) -> impl Iterator<Item = &'a Document> {
    let wrapped = view.store.of_kind("", "ConfigMap", None);
    let wrapped = wrapped.filter(|it| it.value.at(&["metadata", "labels", LABEL]).is_some());
    view.store.of_kind(GROUP, KIND, None).chain(wrapped)
}

fn is_wrapped(document: &Document) -> bool {
    document.identity.kind != KIND
}

fn product_of(document: &Document) -> Option<&str> {
    let path: &[&str] = if is_wrapped(document) { &["metadata", "labels", LABEL] } else { &["spec", "product"] };
    document.value.at(path).and_then(Value::as_text).filter(|it| !it.is_empty())
}

fn bad(message: impl Into<String>, at: &Pointer) -> Error {
    Error::new(Code::BadBundle, message).at(at)
}

impl Bundle {
    fn read(document: &Document) -> Result<Bundle, Error> {
        let wrapped = is_wrapped(document);
        let root = Pointer::of([if wrapped { "data" } else { "spec" }]);
        let product: Text = product_of(document)
            .ok_or_else(|| bad("the bundle does not say its product", &root.child("product")))?
            .into();
        let fields = root.get(&document.value).and_then(Value::as_map);
        let fields = fields.ok_or_else(|| bad("the bundle has nothing in it", &root))?;
        let version_at = root.child("version");
        let written: Text = required(fields, "version", &version_at)?;
        // The text of a file ends with a line break.
        let written = Text::from(written.trim());
        let version = Version::parse(&written).ok_or_else(|| {
            bad(format!("`{written}` is not a version"), &version_at).hint("a version is written `v1.3.1`")
        })?;
        let source = Source { document: Arc::new(document.identity.clone()), root, fields };
        let (components, flag_types, manifests) = match wrapped {
            true => (source.inner("components")?, source.inner("molds")?, source.files()?),
            false => (fields.get("components").cloned(), fields.get("molds").cloned(), source.objects()?),
        };
        let mut bundle = Bundle {
            document: Arc::clone(&source.document),
            components: source.components(components.as_ref(), &product)?,
            flag_types: source.flag_types(flag_types.as_ref())?,
            product,
            version,
            written,
            version_at,
            manifests,
        };
        bundle.check(&source.root)?;
        sort_by(&mut bundle.manifests, |a, b| a.identity.cmp(&b.identity));
        Ok(bundle)
    }

    /// A bundle must be complete: a part of one cannot be installed.
    fn check(&self, root: &Pointer) -> Result<(), Error> {
        if self.manifests.is_empty() {
            return Err(bad("the bundle has no manifests", root));
        }
        let mut seen: SortedSet<&Identity> = SortedSet::new();
        for Manifest { identity, origin, .. } in &self.manifests {
            if !seen.insert(identity) {
                return Err(bad(format!("`{identity}` is in the bundle twice"), &origin.path));
            }
            if is_namespaced(identity) && identity.namespace.is_empty() {
                let error = bad(format!("`{identity}` has no namespace"), &origin.path);
                return Err(error.hint("write `metadata.namespace`; a bundle has no default"));
            }
        }
        for component in &self.components {
            self.container(component).map_err(|message| bad(message, &root.child("components")))?;
        }
        Ok(())
    }

    pub fn component(&self, name: &str) -> Option<&Component> {
        self.components.iter().find(|it| it.name == name)
    }

    /// Where the container of a component is: its Deployment, and its place in the list of containers.
    ///
    /// # Errors
    ///
    /// There is no such Deployment or container, in words.
    pub fn container(&self, component: &Component) -> Result<(&Manifest, usize), String> {
        let Component { name, deployment, container } = component;
        let is_it = |it: &&Manifest| {
            it.identity.kind == "Deployment" && it.identity.group == "apps" && it.identity.name == *deployment
        };
        let manifest = self.manifests.iter().find(is_it);
        let manifest =
            manifest.ok_or_else(|| format!("the component `{name}` has no Deployment `{deployment}` in the bundle"))?;
        let containers = manifest.object.at(&["spec", "template", "spec", "containers"]).and_then(Value::as_list);
        let containers = containers.map(Vec::as_slice).unwrap_or_default();
        match container {
            Some(container) => containers
                .iter()
                .position(|it| it.text_at(&["name"]) == container)
                .map(|at| (manifest, at))
                .ok_or_else(|| format!("`{}` has no container `{container}`", manifest.identity)),
            None if containers.len() == 1 => Ok((manifest, 0)),
            None => {
                Err(format!("the component `{name}` does not say which container of `{}` it is", manifest.identity))
            }
        }
    }

    /// The flags of a component, if the bundle lists them.
    pub fn flag_types(&self, component: &str) -> Option<&[(Text, FlagType)]> {
        self.flag_types.iter().find(|(name, _)| name == component).map(|(_, rows)| rows.as_slice())
    }
}

/// What a bundle is read from.
struct Source<'a> {
    document: Arc<Identity>,
    /// `/spec`, or `/data` of a ConfigMap.
    root: Pointer,
    fields: &'a Map,
}

impl Source<'_> {
    fn manifest(&self, object: Value, at: Pointer, line: &str) -> Result<Manifest, Error> {
        let identity = Identity::of(&object).map_err(|error| bad(format!("{}{line}", error.message), &at))?;
        if object.text_at(&["apiVersion"]).is_empty() {
            return Err(bad(format!("`{identity}` has no `apiVersion`{line}"), &at));
        }
        Ok(Manifest { identity, object, origin: Origin { document: Arc::clone(&self.document), path: at } })
    }

    /// The objects of `spec.manifests`.
    fn objects(&self) -> Result<Vec<Manifest>, Error> {
        let at = self.root.child("manifests");
        let objects = self.fields.get("manifests").and_then(Value::as_list);
        let objects = objects.ok_or_else(|| bad("`manifests` must be a list of objects", &at))?;
        let place = |index: usize| at.child(index.to_string());
        objects.iter().enumerate().map(|(index, it)| self.manifest(it.clone(), place(index), "")).collect()
    }

    /// The objects of all files, each file with one or many documents.
    fn files(&self) -> Result<Vec<Manifest>, Error> {
        let mut manifests = Vec::new();
        let files = self.fields.iter().filter(|(key, _)| !matches!(key.as_str(), "version" | "components" | "molds"));
        for (file, text) in files {
            let at = self.root.child(file.clone());
            let text =
                text.as_text().ok_or_else(|| bad(format!("`{file}` must be a text, not {}", text.kind()), &at))?;
            for (index, parsed) in yaml::parse_each(text, Mode::Strict, &mut Vec::new()).into_iter().enumerate() {
                let parsed = parsed.map_err(|it| {
                    bad(format!("line {} of `{file}`: {}", it.place.line, it.message), &at).maybe_hint(it.hint)
                })?;
                let line = parsed.places.nearest(&Pointer::root());
                let line = line.map(|it| format!(", in line {} of `{file}`", it.line)).unwrap_or_default();
                manifests.push(self.manifest(parsed.value, at.child(index.to_string()), &line)?);
            }
        }
        Ok(manifests)
    }

    /// The value of a key that holds YAML.
    fn inner(&self, key: &str) -> Result<Option<Value>, Error> {
        let Some(text) = self.fields.get(key).and_then(Value::as_text) else { return Ok(None) };
        let parsed = yaml::parse(text, Mode::Strict, &mut Vec::new())
            .map_err(|it| bad(format!("line {} of `{key}`: {}", it.place.line, it.message), &self.root.child(key)))?;
        Ok(parsed.into_iter().next().map(|it| it.value))
    }

    fn components(&self, given: Option<&Value>, product: &str) -> Result<Vec<Component>, Error> {
        let at = self.root.child("components");
        let items = match given {
            None | Some(Value::Null) if product == CERT_MANAGER => {
                let known = |(name, deployment): &(&'static str, &'static str)| Component {
                    name: Text::new_static(name),
                    deployment: Text::new_static(deployment),
                    container: None,
                };
                return Ok(COMPONENTS.iter().map(known).collect());
            }
            None | Some(Value::Null) => return Ok(Vec::new()),
            Some(Value::List(items)) => items,
            Some(other) => return Err(bad(format!("`components` must be a list, not {}", other.kind()), &at)),
        };
        let mut components: Vec<Component> = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let at = at.child(index.to_string());
            let fields = item.as_map().ok_or_else(|| bad(format!("a component is a map, not {}", item.kind()), &at))?;
            let text = |key: &str| required(fields, key, &at.child(key));
            let container = fields.get("container").map(|_| text("container")).transpose()?;
            let component = Component { name: text("name")?, deployment: text("deployment")?, container };
            if components.iter().any(|it| it.name == component.name) {
                return Err(bad(format!("the component `{}` is in the bundle twice", component.name), &at));
            }
            components.push(component);
        }
        Ok(components)
    }

    fn flag_types(&self, given: Option<&Value>) -> Result<Vec<ComponentFlags>, Error> {
        let at = self.root.child("molds");
        let components = match given {
            None | Some(Value::Null) => return Ok(Vec::new()),
            Some(Value::Map(components)) => components,
            Some(other) => return Err(bad(format!("`molds` must be a map, not {}", other.kind()), &at)),
        };
        let mut flag_types = Vec::new();
        for (component, rows) in components.iter() {
            let at = at.child(component.clone());
            let rows = rows.as_list().ok_or_else(|| bad("a mold is a list of `flag` and `type`", &at))?;
            let mut flags = Vec::new();
            for (index, row) in rows.iter().enumerate() {
                let at = at.child(index.to_string());
                let fields = row.as_map().ok_or_else(|| bad("a flag is a map with `flag` and `type`", &at))?;
                let (flag, takes) =
                    (required(fields, "flag", &at.child("flag"))?, required(fields, "type", &at.child("type"))?);
                let found = TYPES.iter().find(|(name, _)| takes == *name).map(|(_, takes)| *takes);
                let known = || TYPES.iter().map(|(name, _)| *name).collect::<Vec<_>>();
                let takes = found.ok_or_else(|| {
                    bad(format!("no flag is of the type `{takes}`"), &at.child("type")).hint(suggest(
                        &takes,
                        &known(),
                        "one of",
                    ))
                })?;
                flags.push((flag, takes));
            }
            flag_types.push((component.clone(), flags));
        }
        Ok(flag_types)
    }
}

fn required(fields: &Map, key: &str, at: &Pointer) -> Result<Text, Error> {
    match fields.get(key) {
        Some(Value::Text(text)) if !text.trim().is_empty() => Ok(text.clone()),
        None | Some(Value::Null | Value::Text(_)) => Err(bad(format!("the field `{key}` is missing"), at)),
        Some(other) => Err(bad(format!("`{key}` must be a string, not {}", other.kind()), at)),
    }
}
