//! Patches: per-cluster overrides as RFC 6902 operations, all or nothing.

use std::sync::Arc;

use crate::choice;
use crate::contract::Mode;
use crate::diagnostic::{Code, Diagnostic, Error};
use crate::json;
use crate::path::{PathError, Pointer, list_index};
use crate::value::{Map, Text, Value};

/// Operations in one patch.
const MAX_OPERATIONS: usize = 1_000;

/// What all `copy` operations of one patch may add up to: without it, thirty of them double a value to a gigabyte.
const MAX_COPIED: usize = 3 * 1024 * 1024;

/// How deep the object may become: it must still fit into a request.
const MAX_DEPTH: usize = json::MAX_DEPTH - 1;

/// What identifies an object. It decides where the result goes, so an override must not change it.
const IDENTITY: [&[&str]; 4] =
    [&["kind"], &["metadata", "name"], &["metadata", "namespace"], &["metadata", "generateName"]];

/// One step of a patch.
#[derive(Clone, Debug, PartialEq)]
pub struct Operation {
    pub verb: Verb,
    pub path: Text,
    pub from: Option<Text>,
    pub value: Option<Value>,
}

choice! {
    pub enum Verb {
        Add = "add",
        Remove = "remove",
        #[default]
        Replace = "replace",
        Test = "test",
        Move = "move",
        Copy = "copy",
    }
}

/// Applies every operation in order, or none.
///
/// 1. `replace`, `remove` and `test` need their place to exist; `add` and the target of `move` and `copy` need the parent.
/// 2. `add`, `move` and `copy` create a missing `annotations` or `labels` map of a `metadata`: no operation could
///    otherwise be right both with and without one.
/// 3. Nothing may change what identifies the object, also not by way of a parent.
///
/// In compat mode the answer is KubeFed's: `replace` adds a missing key, indices may be negative or have leading zeros,
/// a value left out is null, integers pass through a double, only the literal identity paths are refused, and the same
/// path twice is an error.
pub fn patch(object: Value, operations: &[Operation], mode: Mode, out: &mut Vec<Diagnostic>) -> Result<Value, Error> {
    if operations.len() > MAX_OPERATIONS {
        let message =
            format!("{} operations, more than the {MAX_OPERATIONS} that one patch may have", operations.len());
        return Err(Error::new(Code::TooLarge, message).at("/patch"));
    }
    refuse_repeats(operations, mode, out)?;
    let identity = identity(&object);
    let has_kind = object.get("kind").is_some();
    let mut ctx = Ctx { object, mode, copied: 0 };
    for (index, operation) in operations.iter().enumerate() {
        let at = || format!("/patch/{index}");
        ctx.apply(operation).map_err(|error| if error.at.is_some() { error } else { error.at(at()) })?;
        let changed = || IDENTITY.iter().zip(&identity).any(|(path, was)| ctx.object.at(path) != was.as_ref());
        if mode == Mode::Strict && changed() {
            return Err(identity_error().at(at()));
        }
    }
    if mode == Mode::Compat && has_kind && ctx.object.text_at(&["kind"]).is_empty() {
        return Err(Error::new(Code::IdentityOverride, "the patched object has no kind").at("/patch"));
    }
    Ok(ctx.object)
}

/// Two operations on one path: KubeFed refuses them; RFC 6902 takes them in order, so that only a lost one is told.
fn refuse_repeats(operations: &[Operation], mode: Mode, out: &mut Vec<Diagnostic>) -> Result<(), Error> {
    let sets = |it: &Operation| matches!(it.verb, Verb::Add | Verb::Replace) && !it.path.ends_with("/-");
    for (index, operation) in operations.iter().enumerate() {
        let earlier = operations.iter().take(index).rposition(|it| it.path == operation.path);
        let Some(earlier) = earlier else { continue };
        let message = format!("operations {earlier} and {index} have the same path `{}`", operation.path);
        let path = Pointer::of(["patch".to_string(), index.to_string(), "path".into()]);
        if mode == Mode::Compat {
            return Err(Error::new(Code::DuplicatePath, message).at(path));
        }
        let lost = operations.get(earlier).is_some_and(sets) && operation.verb == Verb::Replace;
        if lost {
            out.push(Diagnostic::warning(Code::DuplicatePath, message).at(path).hint("the earlier one has no effect"));
        }
    }
    Ok(())
}

struct Ctx {
    object: Value,
    mode: Mode,
    copied: usize,
}

impl Ctx {
    fn apply(&mut self, operation: &Operation) -> Result<(), Error> {
        let path = self.pointer(&operation.path, "path")?;
        if operation.verb != Verb::Test && is_identity(&path) {
            return Err(identity_error());
        }
        match operation.verb {
            Verb::Add => {
                let value = self.value_of(operation)?;
                self.create_metadata_map(&path);
                self.add(&path, value)
            }
            Verb::Remove => self.remove(&path).map(drop),
            Verb::Replace => {
                let value = self.value_of(operation)?;
                self.replace(&path, value)
            }
            Verb::Test => {
                let wanted = self.value_of(operation)?;
                match self.get(&path) {
                    Some(found) if *found == wanted => Ok(()),
                    Some(_) => Err(Error::new(Code::TestFailed, format!("the value at `{path}` is another one"))),
                    None => Err(self.not_found(&path)),
                }
            }
            Verb::Move | Verb::Copy if self.mode == Mode::Compat => {
                Err(Error::new(Code::BadOperation, "the original has no `move` and no `copy`"))
            }
            Verb::Move => {
                let from = self.source_of(operation)?;
                if from != path && from.contains(&path) {
                    return Err(Error::new(Code::BadOperation, "a value cannot move into itself"));
                }
                let value = self.remove(&from)?;
                self.create_metadata_map(&path);
                self.add(&path, value)
            }
            Verb::Copy => {
                let from = self.source_of(operation)?;
                let value = self.get(&from).cloned().ok_or_else(|| self.not_found(&from))?;
                self.copied += weight(&value);
                if self.copied > MAX_COPIED {
                    return Err(Error::new(Code::TooLarge, "the copies of this patch add up to more than 3 MiB"));
                }
                self.create_metadata_map(&path);
                self.add(&path, value)
            }
        }
    }

    fn value_of(&self, operation: &Operation) -> Result<Value, Error> {
        match (&operation.value, self.mode) {
            (Some(value), Mode::Strict) => Ok(value.clone()),
            (Some(value), Mode::Compat) => Ok(value.clone().through_double()),
            (None, Mode::Compat) => Ok(Value::Null),
            (None, Mode::Strict) => Err(Error::new(Code::BadOperation, "the operation has no `value`")),
        }
    }

    fn source_of(&self, operation: &Operation) -> Result<Pointer, Error> {
        match &operation.from {
            Some(from) => self.pointer(from, "from"),
            None => Err(Error::new(Code::BadOperation, "the operation has no `from`")),
        }
    }

    fn pointer(&self, text: &str, field: &str) -> Result<Pointer, Error> {
        let lenient;
        let text = match self.mode {
            Mode::Strict => text,
            Mode::Compat => {
                lenient = as_original_reads(text);
                &lenient
            }
        };
        Pointer::parse(text).map_err(|PathError { message, hint, .. }| {
            Error::new(Code::BadPointer, format!("`{field}` `{text}`: {message}")).maybe_hint(hint)
        })
    }

    fn get(&self, path: &Pointer) -> Option<&Value> {
        match self.mode {
            Mode::Strict => path.get(&self.object),
            Mode::Compat => path.segments().try_fold(&self.object, |value, segment| match value {
                Value::Map(map) => map.get(segment),
                Value::List(items) => items.get(index(self.mode, segment, items.len())?),
                _ => None,
            }),
        }
    }

    fn add(&mut self, path: &Pointer, value: Value) -> Result<(), Error> {
        refuse_depth(path, &value)?;
        if path.is_root() && self.mode == Mode::Strict {
            self.object = value;
            return Ok(());
        }
        self.try_add(path, value).ok_or_else(|| self.not_found(path))
    }

    fn try_add(&mut self, path: &Pointer, value: Value) -> Option<()> {
        let (mode, (parent, last)) = (self.mode, path.split_last()?);
        match self.container(&parent)? {
            Value::Map(map) => {
                Arc::make_mut(map).insert(last, value);
            }
            Value::List(items) => {
                let items = Arc::make_mut(items);
                // One place more than an index into the list: `add` may go behind the last element.
                let at = if last == "-" { Some(items.len()) } else { index(mode, &last, items.len() + 1) };
                items.insert(at.filter(|at| *at <= items.len())?, value);
            }
            _ => return None,
        }
        Some(())
    }

    fn remove(&mut self, path: &Pointer) -> Result<Value, Error> {
        self.try_remove(path).ok_or_else(|| self.not_found(path))
    }

    fn try_remove(&mut self, path: &Pointer) -> Option<Value> {
        let (mode, (parent, last)) = (self.mode, path.split_last()?);
        match self.container(&parent)? {
            Value::Map(map) => Arc::make_mut(map).remove(&last),
            Value::List(items) => {
                let at = index(mode, &last, items.len()).filter(|at| *at < items.len())?;
                Some(Arc::make_mut(items).remove(at))
            }
            _ => None,
        }
    }

    fn replace(&mut self, path: &Pointer, value: Value) -> Result<(), Error> {
        refuse_depth(path, &value)?;
        if path.is_root() {
            // The original passes over a document that is no document.
            if self.mode == Mode::Strict || matches!(value, Value::Map(_) | Value::List(_)) {
                self.object = value;
            }
            return Ok(());
        }
        self.try_replace(path, value).ok_or_else(|| self.not_found(path))
    }

    fn try_replace(&mut self, path: &Pointer, value: Value) -> Option<()> {
        let (mode, (parent, last)) = (self.mode, path.split_last()?);
        match self.container(&parent)? {
            Value::Map(map) if mode == Mode::Compat || map.contains(&last) => {
                Arc::make_mut(map).insert(last, value);
            }
            Value::List(items) => {
                let at = index(mode, &last, items.len())?;
                *Arc::make_mut(items).get_mut(at)? = value;
            }
            _ => return None,
        }
        Some(())
    }

    /// The value at a place, ready to be changed. Only the way there is copied.
    fn container(&mut self, path: &Pointer) -> Option<&mut Value> {
        let mode = self.mode;
        path.segments().try_fold(&mut self.object, |value, segment| match value {
            Value::Map(map) => Arc::make_mut(map).get_mut(segment),
            Value::List(items) => {
                let at = index(mode, segment, items.len())?;
                Arc::make_mut(items).get_mut(at)
            }
            _ => None,
        })
    }

    fn create_metadata_map(&mut self, path: &Pointer) {
        let segments: Vec<&Text> = path.segments().collect();
        let [parents @ .., metadata, field, _] = segments.as_slice() else { return };
        let fits = *metadata == "metadata" && (*field == "annotations" || *field == "labels");
        if self.mode == Mode::Compat || !fits {
            return;
        }
        let parent = Pointer::of(parents.iter().map(|it| (*it).clone())).child("metadata");
        if let Some(metadata) = self.container(&parent).and_then(Value::as_map_mut)
            && metadata.get(field).is_none_or(Value::is_null)
        {
            metadata.insert((*field).clone(), Map::new());
        }
    }

    /// Names the first place on the way that is not there.
    fn not_found(&self, path: &Pointer) -> Error {
        let mut known = Pointer::root();
        let mut missing = path.clone();
        for segment in path.segments() {
            let next = known.child(segment.clone());
            if self.get(&next).is_none() {
                missing = next;
                break;
            }
            known = next;
        }
        Error::new(Code::PathNotFound, format!("there is nothing at `{missing}`"))
    }
}

/// The original splits a path at slashes and drops the first part, whatever it is, and takes a stray `~` for itself.
fn as_original_reads(path: &str) -> String {
    let path = path.find('/').and_then(|slash| path.get(slash..)).unwrap_or(path);
    let mut parts = path.split('~');
    let mut read = String::from(parts.next().unwrap_or_default());
    for part in parts {
        read.push_str(if part.starts_with(['0', '1']) { "~" } else { "~0" });
        read.push_str(part);
    }
    read
}

/// Operations can nest values into each other without end; what walks the result must not run out of stack.
fn refuse_depth(path: &Pointer, value: &Value) -> Result<(), Error> {
    fn depth(value: &Value) -> usize {
        let deepest = match value {
            Value::List(items) => items.iter().map(depth).max(),
            Value::Map(map) => map.iter().map(|(_, value)| depth(value)).max(),
            _ => return 0,
        };
        deepest.unwrap_or(0) + 1
    }
    if path.segments().len() + depth(value) > MAX_DEPTH {
        let message = format!("the object would be nested deeper than {MAX_DEPTH} levels");
        return Err(Error::new(Code::TooDeep, message));
    }
    Ok(())
}

/// The index that a segment names in a list of `len` places.
fn index(mode: Mode, segment: &str, len: usize) -> Option<usize> {
    if mode == Mode::Strict {
        return list_index(segment);
    }
    let index: i64 = segment.parse().ok()?;
    match usize::try_from(index) {
        Ok(index) => Some(index),
        Err(_) => len.checked_sub(usize::try_from(index.unsigned_abs()).ok()?),
    }
}

fn identity(object: &Value) -> [Option<Value>; 4] {
    IDENTITY.map(|path| object.at(path).cloned())
}

fn is_identity(path: &Pointer) -> bool {
    IDENTITY.iter().any(|it| path.segments().map(Text::as_str).eq(it.iter().copied()))
}

fn identity_error() -> Error {
    Error::new(Code::IdentityOverride, "an override cannot change the kind, name or namespace of the object")
}

/// About how many bytes a value takes when written.
fn weight(value: &Value) -> usize {
    match value {
        Value::Text(text) => text.len() + 2,
        Value::List(items) => items.iter().map(weight).sum::<usize>() + 2,
        Value::Map(map) => map.iter().map(|(key, value)| key.len() + 4 + weight(value)).sum::<usize>() + 2,
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
    }
}
