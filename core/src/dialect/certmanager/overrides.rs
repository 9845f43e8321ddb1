//! The overrides of a deployment for the manifests of its bundle: images and arguments of components
//! (`spec.dangerZone`).

use super::Kind;
use super::bundle::{Bundle, BundleIndex, Component, Manifest};
use super::flags;
use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Diagnostic, Error};
use crate::engine::flags::Flags;
use crate::object::document::{Document, Identity};
use crate::value::path::Pointer;
use crate::value::suggest::{did_you_mean, suggest};
use crate::value::{Map, Text, Value};

/// A value that a layer puts in the place of the manifest's.
#[derive(Clone, Debug)]
pub struct MergedManifest {
    /// The object of the bundle.
    pub target: Identity,
    pub place: Pointer,
    pub layer: &'static str,
    /// The place in the deployment.
    pub at: Pointer,
    pub value: Value,
}

/// What overrides are read with.
pub struct Overrides<'a> {
    pub document: &'a Document,
    pub bundle: &'a Bundle,
    pub index: &'a BundleIndex,
    pub mode: Mode,
    pub merged: Vec<MergedManifest>,
}

/// A container of a component: its Deployment and the pointer to it.
pub struct Container<'a> {
    pub manifest: &'a Manifest,
    pub place: Pointer,
}

impl Container<'_> {
    pub fn arguments(&self) -> Vec<Text> {
        let arguments = self.place.child("args").get(&self.manifest.object).and_then(Value::as_list);
        arguments.into_iter().flatten().filter_map(|it| it.as_text().map(Text::from)).collect()
    }
}

impl<'a> Overrides<'a> {
    /// Reads `spec.dangerZone`.
    ///
    /// # Errors
    ///
    /// Any invalid entry: overrides must not be applied in part.
    pub fn danger_zone(&mut self, out: &mut Vec<Diagnostic>) -> Result<(), Error> {
        let spec = Pointer::of(["spec"]);
        let known: &[&str] = match Kind::of(&self.document.identity) {
            Some(Kind { may_adopt: true, .. }) => &["adopt", "dangerZone", "product", "version"],
            _ => &["dangerZone", "version"],
        };
        self.report_unknown_fields(&spec, known, out);
        let zone = spec.child("dangerZone");
        let (images, arguments) = (zone.child("imageOverrides"), zone.child("containerArgOverrides"));
        self.report_unknown_fields(&zone, &["imageOverrides", "containerArgOverrides"], out);
        self.map(&zone)?;
        for (name, image) in self.map(&images)?.iter() {
            let at = images.child(name.clone());
            let image = match image {
                Value::Text(image) if !image.is_empty() => image.clone(),
                other => return Err(wrong_type(&at, "the name of an image", other)),
            };
            let container = self.container(name, &at)?;
            self.lay(&container, "image", "image-override", &at, Value::Text(image));
        }
        for (name, flags) in self.map(&arguments)?.iter().filter(|(_, it)| !it.is_null()) {
            let at = arguments.child(name.clone());
            let flags = match flags {
                Value::Map(flags) => Flags::Named(Map::clone(flags)),
                // Versions of the operator before v1.2 took the arguments as they are.
                Value::List(items) => Flags::Arguments(texts(items, &at)?),
                other => return Err(wrong_type(&at, "a map of flags", other)),
            };
            let (component, container) = (self.component(name, &at)?, self.container(name, &at)?);
            let written = flags::arguments(self, component, &flags, &[], &at)?;
            report_dropped(self.document, &container, &written, &at, out);
            self.lay(&container, "args", "argument-override", &at, Value::list(written));
        }
        Ok(())
    }

    /// The map at a place of the deployment; nothing and null are an empty one.
    pub fn map(&self, at: &Pointer) -> Result<Map, Error> {
        match at.get(&self.document.value) {
            None | Some(Value::Null) => Ok(Map::new()),
            Some(Value::Map(map)) => Ok(Map::clone(map)),
            Some(other) => Err(wrong_type(at, "a map", other)),
        }
    }

    pub fn component(&self, name: &str, at: &Pointer) -> Result<&'a Component, Error> {
        self.bundle.component(name).ok_or_else(|| {
            let known: Vec<&str> = self.bundle.components.iter().map(|it| it.name.as_str()).collect();
            let message = format!("`{}` has no component `{name}`", self.bundle.product);
            Error::new(Code::UnknownComponent, message).at(at).hint(suggest(name, &known, "one of"))
        })
    }

    pub fn container(&self, name: &str, at: &Pointer) -> Result<Container<'a>, Error> {
        let found = self.bundle.container(self.component(name, at)?);
        let (manifest, index) = found.map_err(|message| Error::new(Code::UnknownComponent, message).at(at))?;
        let place = Pointer::of(["spec", "template", "spec", "containers"]).child(index.to_string());
        Ok(Container { manifest, place })
    }

    pub fn lay(&mut self, container: &Container, field: &str, layer: &'static str, at: &Pointer, value: Value) {
        let target = container.manifest.identity.clone();
        self.merged.push(MergedManifest { target, place: container.place.child(field), layer, at: at.clone(), value });
    }

    /// An API server drops fields that it does not know without a word.
    pub fn report_unknown_fields(&self, at: &Pointer, known: &[&str], out: &mut Vec<Diagnostic>) {
        let fields = at.get(&self.document.value).and_then(Value::as_map).into_iter().flat_map(Map::keys);
        for field in fields.filter(|it| !known.contains(&it.as_str())) {
            let kind = &self.document.identity.kind;
            let message = format!("{} {kind} has no field `{field}` here, so it has no effect", article(kind));
            let finding = Diagnostic::warning(Code::UnknownField, message).of(&self.document.identity);
            let hint = did_you_mean(field, known.iter().copied());
            out.push(Diagnostic { hint, ..finding.at(at.child(field.clone())) });
        }
    }
}

/// Warns that new arguments replace all arguments of the release: users of the operator were surprised by this.
fn report_dropped(
    document: &Document,
    container: &Container,
    written: &[String],
    at: &Pointer,
    out: &mut Vec<Diagnostic>,
) {
    let before = container.arguments();
    let dropped = before.iter().map(|it| flag_of(it)).filter(|flag| !written.iter().any(|it| flag_of(it) == *flag));
    let dropped: Vec<String> = dropped.map(|it| format!("`{it}`")).collect();
    if dropped.is_empty() {
        return;
    }
    let message = format!("these flags replace all flags of the release, so {} is no longer set", dropped.join(", "));
    let finding = Diagnostic::warning(Code::ArgumentsDropped, message).of(&document.identity).at(at.clone());
    out.push(finding.hint("repeat what must stay"));
}

/// The part of an argument before the first `=`.
pub fn flag_of(argument: &str) -> &str {
    argument.split_once('=').map_or(argument, |(flag, _)| flag)
}

/// The article in front of a word.
fn article(word: &str) -> &'static str {
    if word.starts_with(['A', 'E', 'I', 'O', 'U']) { "an" } else { "a" }
}

pub fn texts(items: &[Value], at: &Pointer) -> Result<Vec<Text>, Error> {
    let text = |(index, item): (usize, &Value)| match item {
        Value::Text(text) => Ok(text.clone()),
        other => Err(wrong_type(&at.child(index.to_string()), "a string", other)),
    };
    items.iter().enumerate().map(text).collect()
}

pub fn wrong_type(at: &Pointer, wanted: &str, found: &Value) -> Error {
    let field = at.segments().next_back().map(Text::as_str).unwrap_or_default();
    let found = if found.as_text() == Some("") { "an empty string" } else { found.kind() };
    Error::new(Code::WrongType, format!("`{field}` must be {wanted}, not {found}")).at(at)
}
