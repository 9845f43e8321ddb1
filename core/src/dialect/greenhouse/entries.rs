//! Option entries: how every layer of Greenhouse writes down what it sets.

use std::sync::Arc;

use super::inject::{STRIPPED, is_injected};
use super::{OVERRIDE, Quirk};
use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Diagnostic, Error, Severity};
use crate::engine::fold::{Layer, Setting, Source, refuse_depth};
use crate::engine::select::Selector;
use crate::object::document::{Document, Identity};
use crate::value::JsonPath;
use crate::value::collections::SortedMap;
use crate::value::path::OptionPath;
use crate::value::suggest::suggest;
use crate::value::{Map, Number, Text, Value};

/// A layer and its errors: while it has any, the clusters that it is for are not changed.
#[derive(Clone, Debug)]
pub struct Part {
    pub layer: Layer,
    pub errors: Vec<Diagnostic>,
}

impl Part {
    /// Reports an error that stops every cluster that the layer is for.
    pub fn refuse(&mut self, error: Error, out: &mut Vec<Diagnostic>) {
        let finding = error.into_diagnostic(Severity::Error);
        let finding = match self.layer.document.as_deref() {
            Some(document) => finding.of(document),
            None => finding,
        };
        out.push(finding.clone());
        self.errors.push(finding);
    }
}

/// What every reader of entries needs to know.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    pub document: &'a Document,
    pub mode: Mode,
}

impl Reader<'_> {
    /// How documents of this kind call the name of an option: an override has a `path`, everything else a `name`.
    fn name_field(&self) -> &'static str {
        if self.document.identity.kind == OVERRIDE { "path" } else { "name" }
    }
}

/// The key of an expression in the place of a reference: folding takes it for one.
const EXPRESSION: &str = "expression";

const FIELDS: &[&str] = &["expression", "merge", "name", "path", "value", "valueFrom"];

/// The expression that a source is, if it is one.
pub fn expression_of(source: &Source) -> Option<&str> {
    match source {
        Source::Reference(reference) => reference.get(EXPRESSION)?.as_text(),
        Source::Value(_) => None,
    }
}

impl Reader<'_> {
    /// Reads a list of entries into a layer. Findings go to `out`; errors also stay with the layer.
    pub fn part(
        &self,
        name: &'static str,
        when: Option<Selector>,
        list: Option<&Value>,
        at: &JsonPath,
        out: &mut Vec<Diagnostic>,
    ) -> Part {
        let mut found = Vec::new();
        let set = self.settings(list, at, &mut found);
        let identity: Arc<Identity> = Arc::new(self.document.identity.clone());
        for finding in &mut found {
            finding.at.document = Some(identity.to_string());
        }
        let errors = found.iter().filter(|it| it.severity == Severity::Error).cloned().collect();
        out.append(&mut found);
        Part { layer: Layer { name: name.into(), document: Some(identity), when, set }, errors }
    }

    fn settings(&self, list: Option<&Value>, at: &JsonPath, out: &mut Vec<Diagnostic>) -> Vec<Setting> {
        let items = match list.unwrap_or(&Value::Null) {
            Value::Null => return Vec::new(),
            Value::List(items) => items,
            other => {
                out.push(at.wrong_type("a list", other).into_diagnostic(Severity::Error));
                return Vec::new();
            }
        };
        let mut set: Vec<Setting> = Vec::with_capacity(items.len());
        let mut places: SortedMap<Text, usize> = SortedMap::new();
        for (index, item) in items.iter().enumerate() {
            let at = at.index(index);
            let setting = match self.setting(item, &at, out) {
                Ok(Some(setting)) => setting,
                Ok(None) => continue,
                Err(error) => {
                    out.push(error.into_diagnostic(Severity::Error));
                    continue;
                }
            };
            match places.get(&setting.path).and_then(|place| set.get_mut(*place)) {
                Some(earlier) => {
                    let message = format!("`{}` is set twice here; the last one counts", setting.path);
                    out.push(
                        Diagnostic::warning(Code::DuplicateOption, message).at(setting.at.clone()).hint(
                            "remove one of them: Greenhouse may let the other one win where an override is for it",
                        ),
                    );
                    if Quirk::RepeatedBase.is_kept(self.mode) {
                        set.push(setting);
                    } else {
                        *earlier = setting;
                    }
                }
                None => {
                    places.insert(setting.path.clone(), set.len());
                    set.push(setting);
                }
            }
        }
        set
    }

    /// Nothing for an entry that Greenhouse takes out again.
    fn setting(&self, item: &Value, at: &JsonPath, out: &mut Vec<Diagnostic>) -> Result<Option<Setting>, Error> {
        let Value::Map(entry) = item else {
            return Err(at.wrong_type(&format!("a map with a `{}`", self.name_field()), item));
        };
        for unknown in entry.keys().filter(|key| !FIELDS.contains(&key.as_str())) {
            let message = format!("an option has no field `{unknown}`");
            let hint = suggest(unknown, FIELDS, "it has");
            out.push(Diagnostic::warning(Code::UnknownField, message).at(at.key(unknown).pointer()).hint(hint));
        }
        let path = name_of(entry, self.name_field(), at)?;
        let place = OptionPath::parse(&path).map_err(|error| {
            let message = format!("the option `{path}` is wrong at character {}: {}", error.offset + 1, error.message);
            Error::new(Code::BadOptionPath, message).at(at).maybe_hint(error.hint)
        })?;
        let pointer = at.pointer();
        if STRIPPED.contains(&path.as_str()) || is_injected(&path) {
            let what = if STRIPPED.contains(&path.as_str()) { "takes it out again" } else { "sets it itself" };
            let message = format!("`{path}` has no effect here: Greenhouse {what}");
            out.push(
                Diagnostic::warning(Code::ShadowedOption, message)
                    .at(pointer.clone())
                    .hint("remove it, or set an option of your own outside `global.greenhouse`"),
            );
            if STRIPPED.contains(&path.as_str()) {
                return Ok(None);
            }
        }
        let deep = match entry.get("merge").filter(|it| !it.is_null()) {
            None => false,
            Some(value) => match value.as_text() {
                Some("deep") => true,
                Some("replace") => false,
                _ => {
                    let error = Error::new(Code::UnknownValue, "`merge` is neither `deep` nor `replace`");
                    return Err(error.at(at.key("merge")));
                }
            },
        };
        let source = self.source(entry, &path, at, out)?;
        let value = if let Source::Value(value) = &source { value } else { &Value::Null };
        refuse_depth(&path, &place, value).map_err(|error| error.at(at))?;
        if let Source::Value(value) = &source
            && loses_digits(value)
        {
            let message = format!("`{path}` has an integer beyond 2^53, of which Helm loses digits");
            out.push(Diagnostic::warning(Code::LostDigits, message).at(at.key("value").pointer()).hint("quote it"));
        }
        Ok(Some(Setting { path, place, source, deep, at: pointer }))
    }

    fn source(&self, entry: &Map, path: &str, at: &JsonPath, out: &mut Vec<Diagnostic>) -> Result<Source, Error> {
        let given = |key: &str| entry.get(key).filter(|it| !it.is_null());
        let (value, reference, expression) = (given("value"), given("valueFrom"), given(EXPRESSION));
        let expression_first = Quirk::ExpressionFirst.is_kept(self.mode) && reference.is_none();
        match (value, reference, expression) {
            (Some(value), None, None) => Ok(Source::Value(value.clone())),
            (None, Some(reference), None) => read_reference(reference, &at.key("valueFrom"), out),
            (None, None, Some(Value::Text(text))) => Ok(expression_source(text)),
            (Some(_), None, Some(Value::Text(text))) if expression_first => Ok(expression_source(text)),
            (None, None, Some(other)) => Err(at.key(EXPRESSION).wrong_type("a string", other)),
            (None, None, None) => {
                let message = format!("the option `{path}` has no `value`, no `valueFrom` and no `expression`");
                Err(Error::new(Code::OptionSource, message).at(at).hint("null is the same as nothing"))
            }
            _ => {
                let message = format!("the option `{path}` has more than one of `value`, `valueFrom` and `expression`");
                Err(Error::new(Code::OptionSource, message).at(at).hint("keep one of them"))
            }
        }
    }
}

fn expression_source(text: &Text) -> Source {
    Source::Reference(Value::map([(EXPRESSION, text.clone())]))
}

/// The seed calls the name a path; both are taken everywhere.
fn name_of(entry: &Map, field: &str, at: &JsonPath) -> Result<Text, Error> {
    let given = |key: &'static str| entry.get(key).filter(|it| !it.is_null()).map(|value| (key, value));
    match (given("name"), given("path")) {
        (Some(_), Some(_)) => {
            Err(Error::new(Code::OptionSource, "the option has both a `name` and a `path`").at(at).hint("keep one"))
        }
        (None, None) => {
            let message = format!("the option has no `{field}`");
            Err(Error::new(Code::MissingField, message).at(at.key(field)))
        }
        (Some((_, Value::Text(name))), _) | (_, Some((_, Value::Text(name)))) => Ok(name.clone()),
        (Some((key, other)), _) | (_, Some((key, other))) => Err(at.key(key).wrong_type("a string", other)),
    }
}

/// A reference names a key of a Secret, or a value of another plugin. The seed writes the key beside the secret's name.
fn read_reference(reference: &Value, at: &JsonPath, out: &mut Vec<Diagnostic>) -> Result<Source, Error> {
    let given = |key: &str| reference.get(key).filter(|it| !it.is_null());
    match (given("secret"), given("ref")) {
        (Some(Value::Text(name)), None) if given("key").is_some() => {
            let message = "the key of a Secret belongs inside `secret`, beside its `name`";
            out.push(Diagnostic::info(Code::OldForm, message).at(at.pointer()));
            let secret =
                Value::map([("name", name.clone().into()), ("key", given("key").cloned().unwrap_or_default())]);
            check_secret(&secret, at)?;
            Ok(Source::Reference(Value::map([("secret", secret)])))
        }
        (Some(secret), None) => {
            check_secret(secret, &at.key("secret"))?;
            Ok(Source::Reference(reference.clone()))
        }
        (None, Some(_)) => {
            let message = "Greenhouse does not carry `valueFrom.ref` over to the Plugin, which it then refuses";
            out.push(
                Diagnostic::warning(Code::LostReference, message)
                    .at(at.key("ref").pointer())
                    .hint("write the value, or take it from a secret"),
            );
            Ok(Source::Reference(reference.clone()))
        }
        _ => Err(Error::new(Code::OptionSource, "`valueFrom` has neither or both of `secret` and `ref`").at(at)),
    }
}

fn check_secret(secret: &Value, at: &JsonPath) -> Result<(), Error> {
    for key in ["name", "key"] {
        if let Some(other) = secret.get(key).filter(|it| !it.is_null() && it.as_text().is_none()) {
            let message = format!("the `{key}` of the secret is {}, not a string", other.kind());
            return Err(Error::new(Code::OptionSource, message).at(at.key(key)).hint("quote it"));
        }
    }
    match ["name", "key"].into_iter().find(|key| secret.text_at(&[key]).is_empty()) {
        Some(key) => {
            Err(Error::new(Code::OptionSource, format!("the secret has no `{key}`")).at(at).hint("it needs both"))
        }
        None => Ok(()),
    }
}

fn loses_digits(value: &Value) -> bool {
    const EXACT: u64 = 1 << 53;
    match value {
        Value::Number(Number::Int(int)) => int.unsigned_abs() > EXACT,
        Value::List(items) => items.iter().any(loses_digits),
        Value::Map(map) => map.iter().any(|(_, value)| loses_digits(value)),
        _ => false,
    }
}

/// One entry as Greenhouse writes it.
pub fn entry(path: &Text, source: &Source) -> Value {
    match source {
        Source::Value(value) => Value::map([("name", path.clone().into()), ("value", value.clone())]),
        Source::Reference(reference) => Value::map([("name", path.clone().into()), ("valueFrom", reference.clone())]),
    }
}
