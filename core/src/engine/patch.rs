//! Patches: per-cluster overrides as RFC 6902 operations, all or nothing.

use std::sync::Arc;

use crate::choice;
use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Diagnostic, Error};
use crate::object::weight::{depth, weight};
use crate::value::collections::SortedMap;
use crate::value::index_text;
use crate::value::json;
use crate::value::path::{PathError, Pointer, list_index};
use crate::value::{Map, Text, Value};

/// Operations in one patch.
pub const MAX_OPERATIONS: usize = 1_000;

/// What all `copy` operations of one patch may add up to: without it, thirty of them double a value to a gigabyte.
pub const MAX_COPIED: usize = 3 * 1024 * 1024;

/// What all operations of one patch may move, about in bytes: the values of `move`, and the elements behind one that is
/// added to a list or taken out of it.
pub const MAX_MOVED: usize = 64 * 1024 * 1024;

/// What an element counts that moves to another place of its list.
const ELEMENT: usize = 16;

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
    /// The place that `path` names, where the engine made the operation or has read it.
    pub(crate) place: Option<Pointer>,
}

impl Operation {
    /// An operation with a path as somebody wrote it.
    pub fn written(verb: Verb, path: impl Into<Text>, value: Option<Value>) -> Operation {
        Operation { verb, path: path.into(), from: None, value, place: None }
    }

    /// An operation on a place.
    pub fn on(verb: Verb, place: Pointer, value: Option<Value>) -> Operation {
        Operation { verb, path: place.to_text(), from: None, value, place: Some(place) }
    }

    /// The place of an operation that the engine made or has read.
    pub fn place(&self) -> Option<&Pointer> {
        self.place.as_ref()
    }
}

choice! {
    /// The operations of RFC 6902.
    #[derive(Default)]
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
/// 1. `replace`, `remove` and `test` need their place to exist; `add` and the target of `move` and `copy` need the
///    parent.
/// 2. `add`, `move` and `copy` create a missing `annotations` or `labels` map of a `metadata`: no operation could
///    otherwise be right both with and without one.
/// 3. No operation may change the identity of the object, not even through a parent.
///
/// In compat mode the result is that of KubeFed: `replace` adds a missing key, indices may be negative or have leading
/// zeros, a missing value is null, integers pass through a double, only the literal identity paths are rejected, and
/// the same path twice is an error.
///
/// # Example
///
/// ```
/// use fleetfold_core::{diagnostic::{Code, Mode}, engine::patch::{Operation, Verb, patch}, value::json};
///
/// let web = json::parse(r#"{"kind":"Deployment","metadata":{"name":"web"},"spec":{"replicas":2}}"#)?;
/// let set = |path: &str| Operation::written(Verb::Replace, path, Some(5_i64.into()));
/// let patched = patch(web.clone(), &[set("/spec/replicas")], Mode::Strict, &mut Vec::new())?;
/// assert_eq!(patched.at(&["spec", "replicas"]).unwrap().as_int(), Some(5));
///
/// let error = patch(web, &[set("/spec/paused")], Mode::Strict, &mut Vec::new()).unwrap_err();
/// assert_eq!(error.code, Code::PathNotFound);
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn patch(object: Value, operations: &[Operation], mode: Mode, out: &mut Vec<Diagnostic>) -> Result<Value, Error> {
    if operations.len() > MAX_OPERATIONS {
        let message =
            format!("{} operations, more than the {MAX_OPERATIONS} that one patch may have", operations.len());
        return Err(Error::new(Code::TooLarge, message).at(["patch"]));
    }
    refuse_repeats(operations, mode, out)?;
    let has_kind = object.get("kind").is_some();
    let mut patching = Patching::new(object, mode);
    for (index, operation) in operations.iter().enumerate() {
        let applied = Step::read(operation, mode).and_then(|step| patching.apply(&step));
        applied.map_err(|error| if error.at.is_some() { error } else { error.at(["patch", &index_text(index)]) })?;
    }
    if mode == Mode::Compat && has_kind && patching.object.text_at(&["kind"]).is_empty() {
        return Err(Error::new(Code::IdentityOverride, "the patched object has no kind").at(["patch"]));
    }
    Ok(patching.object)
}

/// Two operations on one path: KubeFed rejects them; RFC 6902 applies them in order, so only an operation without
/// effect is reported.
fn refuse_repeats(operations: &[Operation], mode: Mode, out: &mut Vec<Diagnostic>) -> Result<(), Error> {
    let sets = |it: &Operation| matches!(it.verb, Verb::Add | Verb::Replace) && !it.path.ends_with("/-");
    let mut paths: SortedMap<&Text, usize> = SortedMap::new();
    for (index, operation) in operations.iter().enumerate() {
        let Some(earlier) = paths.insert(&operation.path, index) else { continue };
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

/// An operation with parsed places: one that is applied to many objects is parsed once.
#[derive(Clone, Debug)]
pub struct Step {
    verb: Verb,
    path: Pointer,
    from: Option<Pointer>,
    value: Option<Value>,
    /// Whether it can change the identity of the object through a parent.
    holds_identity: bool,
    /// Whether a `replace` adds a key that is missing.
    or_adds: bool,
}

impl Step {
    /// # Errors
    ///
    /// The places of an operation are JSON pointers.
    pub fn read(operation: &Operation, mode: Mode) -> Result<Step, Error> {
        Step::of(operation, read_pointer(&operation.path, "path", mode)?, mode)
    }

    /// The same for one of many operations: those with one path share the place that it names.
    ///
    /// # Errors
    ///
    /// As [`Step::read`].
    pub fn read_one(known: &mut SortedMap<Text, Pointer>, operation: &Operation, mode: Mode) -> Result<Step, Error> {
        if let Some(path) = known.get(&operation.path) {
            return Step::of(operation, path.clone(), mode);
        }
        let step = Step::read(operation, mode)?;
        known.insert(operation.path.clone(), step.path.clone());
        Ok(step)
    }

    fn of(operation: &Operation, path: Pointer, mode: Mode) -> Result<Step, Error> {
        let takes = mode == Mode::Strict && matches!(operation.verb, Verb::Move | Verb::Copy);
        let from = operation.from.as_ref().filter(|_| takes).map(|from| read_pointer(from, "from", mode));
        let from = from.transpose()?;
        let value = match (&operation.value, mode) {
            (Some(value), Mode::Strict) => Some(value.clone()),
            (Some(value), Mode::Compat) => Some(value.clone().through_double()),
            (None, Mode::Compat) => Some(Value::Null),
            (None, Mode::Strict) => None,
        };
        let is_above = |path: &Pointer, it: &[&str]| {
            path.segments().len() <= it.len() && path.segments().zip(it).all(|(a, b)| a == b)
        };
        let above = |path: &Pointer| IDENTITY.iter().any(|it| is_above(path, it));
        let holds_identity = above(&path) || from.as_ref().is_some_and(above);
        Ok(Step { verb: operation.verb, path, from, value, holds_identity, or_adds: false })
    }

    /// The same step, except that a `replace` adds a key that its map lacks. An element of a list must exist.
    ///
    /// # Example
    ///
    /// ```
    /// use fleetfold_core::diagnostic::Mode;
    /// use fleetfold_core::engine::patch::{Operation, Patching, Step, Verb};
    /// use fleetfold_core::value::json;
    ///
    /// let web = json::parse(r#"{"kind":"Deployment","spec":{}}"#)?;
    /// let pause = Operation::written(Verb::Replace, "/spec/paused", Some(true.into()));
    /// let step = Step::read(&pause, Mode::Strict)?;
    /// assert!(Patching::new(web.clone(), Mode::Strict).apply(&step).is_err());
    /// let mut patching = Patching::new(web, Mode::Strict);
    /// patching.apply(&step.or_add())?;
    /// assert_eq!(patching.object.at(&["spec", "paused"]).unwrap().as_bool(), Some(true));
    /// # Ok::<(), fleetfold_core::diagnostic::Error>(())
    /// ```
    #[must_use]
    pub fn or_add(self) -> Step {
        Step { or_adds: true, ..self }
    }

    pub fn verb(&self) -> Verb {
        self.verb
    }

    pub fn path(&self) -> &Pointer {
        &self.path
    }

    /// Where `move` and `copy` take the value from.
    pub fn from(&self) -> Option<&Pointer> {
        self.from.as_ref()
    }

    pub fn value(&self) -> Option<&Value> {
        self.value.as_ref()
    }

    /// Whether it names what identifies the object, which no patch may change.
    pub fn is_on_identity(&self) -> bool {
        self.verb != Verb::Test && is_identity(&self.path)
    }

    fn given(&self) -> Result<Value, Error> {
        self.value.clone().ok_or_else(|| Error::new(Code::BadOperation, "the operation has no `value`"))
    }

    fn source(&self) -> Result<&Pointer, Error> {
        self.from.as_ref().ok_or_else(|| Error::new(Code::BadOperation, "the operation has no `from`"))
    }
}

fn read_pointer(text: &str, field: &str, mode: Mode) -> Result<Pointer, Error> {
    let lenient;
    let text = match mode {
        Mode::Strict => text,
        Mode::Compat => {
            lenient = as_kubefed_reads(text);
            &lenient
        }
    };
    Pointer::parse(text).map_err(|PathError { message, hint, .. }| {
        Error::new(Code::BadPointer, format!("`{field}` `{text}`: {message}")).maybe_hint(hint)
    })
}

/// An object that is being patched in place. After an error it is neither the old nor the new one.
#[derive(Debug)]
pub struct Patching {
    pub object: Value,
    mode: Mode,
    copied: usize,
    moved: usize,
}

impl Patching {
    /// Starts patching an object.
    pub fn new(object: Value, mode: Mode) -> Patching {
        Patching { object, mode, copied: 0, moved: 0 }
    }

    /// # Errors
    ///
    /// There is nothing at the place of the step, or it would change what identifies the object.
    pub fn apply(&mut self, step: &Step) -> Result<(), Error> {
        if step.is_on_identity() {
            return Err(identity_error());
        }
        let guarded = step.holds_identity && self.mode == Mode::Strict;
        let before = guarded.then(|| IDENTITY.map(|path| self.object.at(path).cloned()));
        self.change(step)?;
        let is_kept = |before: [Option<Value>; 4]| {
            IDENTITY.iter().zip(before).all(|(path, was)| self.object.at(path) == was.as_ref())
        };
        if before.is_none_or(is_kept) { Ok(()) } else { Err(identity_error()) }
    }

    /// The path of a step with `-` and negative indices resolved against the current object. Also returns whether it is
    /// an element of a list.
    pub fn resolve(&self, step: &Step) -> (Pointer, bool) {
        let plain = |segment: &Text| !segment.starts_with(|it: char| it == '-' || it.is_ascii_digit());
        // Nearly always the place is the path, and shares it.
        let mut place = step.path.clone();
        if step.path.segments().all(plain) {
            return (place, false);
        }
        let (mut here, mut in_list) = (Some(&self.object), false);
        let last = step.path.segments().len().saturating_sub(1);
        for (depth, segment) in step.path.segments().enumerate() {
            let Some(Value::List(items)) = here else {
                (here, in_list) = (here.and_then(|it| it.get(segment)), false);
                continue;
            };
            let added = usize::from(depth == last && step.verb == Verb::Add);
            let at = match segment.as_str() {
                "-" => Some(items.len()),
                segment => index(self.mode, segment, items.len().saturating_add(added)),
            };
            (here, in_list) = (at.and_then(|at| items.get(at)), true);
            if let Some(text) = at.map(index_text).filter(|it| it != segment) {
                place.set(depth, text);
            }
        }
        (place, in_list)
    }

    fn change(&mut self, step: &Step) -> Result<(), Error> {
        let path = &step.path;
        match step.verb {
            Verb::Add => {
                let value = step.given()?;
                self.create_metadata_map(path);
                self.add(path, value)
            }
            Verb::Remove => self.remove(path).map(drop),
            Verb::Replace if step.or_adds && self.get(path).is_none() && !self.is_in_list(path) => {
                let value = step.given()?;
                self.create_metadata_map(path);
                self.add(path, value)
            }
            Verb::Replace => self.replace(path, step.given()?),
            Verb::Test => {
                let wanted = step.given()?;
                match self.get(path) {
                    Some(found) if crate::seeded!(PatchTestPasses, *found == wanted, true) => Ok(()),
                    Some(_) => Err(Error::new(Code::TestFailed, format!("the value at `{path}` is another one"))),
                    None => Err(self.not_found(path)),
                }
            }
            Verb::Move | Verb::Copy if self.mode == Mode::Compat => {
                Err(Error::new(Code::BadOperation, "KubeFed supports neither `move` nor `copy`"))
            }
            Verb::Move => {
                let from = step.source()?;
                if from != path && from.contains(path) {
                    return Err(Error::new(Code::BadOperation, "a value cannot move into itself"));
                }
                let value = self.remove(from)?;
                self.moves(weight(&value))?;
                self.create_metadata_map(path);
                self.add(path, value)
            }
            Verb::Copy => {
                let from = step.source()?;
                let value = self.get(from).cloned().ok_or_else(|| self.not_found(from))?;
                self.copied += weight(&value);
                if self.copied > MAX_COPIED {
                    return Err(Error::new(Code::TooLarge, "the copies of this patch add up to more than 3 MiB"));
                }
                self.create_metadata_map(path);
                self.add(path, value)
            }
        }
    }

    fn is_in_list(&self, path: &Pointer) -> bool {
        path.split_last().and_then(|(above, _)| self.get(&above)).is_some_and(|it| it.as_list().is_some())
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
        let behind = self.try_add(path, value).ok_or_else(|| self.not_found(path))?;
        self.moves(behind.saturating_mul(ELEMENT))
    }

    /// Counts what an operation moves.
    fn moves(&mut self, bytes: usize) -> Result<(), Error> {
        self.moved = self.moved.saturating_add(bytes);
        if self.moved <= MAX_MOVED {
            return Ok(());
        }
        let message = format!("the operations of this patch move more than {} MiB", MAX_MOVED >> 20);
        Err(Error::new(Code::TooLarge, message).hint("replace the list or the map in one operation"))
    }

    /// Returns the number of elements that move behind the new one.
    fn try_add(&mut self, path: &Pointer, value: Value) -> Option<usize> {
        let (mode, last) = (self.mode, path.segments().next_back()?);
        match self.holder(path)? {
            Value::Map(map) => {
                Arc::make_mut(map).insert(last.clone(), value);
            }
            Value::List(items) => {
                let items = Arc::make_mut(items);
                // One place more than an index into the list: `add` may go behind the last element.
                let at = if last == "-" { Some(items.len()) } else { index(mode, last, items.len() + 1) };
                let behind = items.len().checked_sub(at?)?;
                items.insert(at?, value);
                return Some(behind);
            }
            _ => return None,
        }
        Some(0)
    }

    fn remove(&mut self, path: &Pointer) -> Result<Value, Error> {
        let (value, behind) = self.try_remove(path).ok_or_else(|| self.not_found(path))?;
        self.moves(behind.saturating_mul(ELEMENT))?;
        Ok(value)
    }

    /// Returns the value, and the number of elements that were behind it.
    fn try_remove(&mut self, path: &Pointer) -> Option<(Value, usize)> {
        let (mode, last) = (self.mode, path.segments().next_back()?);
        match self.holder(path)? {
            Value::Map(map) => Some((Arc::make_mut(map).remove(last)?, 0)),
            Value::List(items) => {
                let at = index(mode, last, items.len()).filter(|at| *at < items.len())?;
                let removed = Arc::make_mut(items).remove(at);
                Some((removed, items.len().saturating_sub(at)))
            }
            _ => None,
        }
    }

    fn replace(&mut self, path: &Pointer, value: Value) -> Result<(), Error> {
        refuse_depth(path, &value)?;
        if path.is_root() {
            // KubeFed skips a document that is not an object.
            if self.mode == Mode::Strict || matches!(value, Value::Map(_) | Value::List(_)) {
                self.object = value;
            }
            return Ok(());
        }
        self.try_replace(path, value).ok_or_else(|| self.not_found(path))
    }

    fn try_replace(&mut self, path: &Pointer, value: Value) -> Option<()> {
        let (mode, last) = (self.mode, path.segments().next_back()?);
        match self.holder(path)? {
            Value::Map(map) if mode == Mode::Compat || map.contains(last) => {
                Arc::make_mut(map).insert(last.clone(), value);
            }
            Value::List(items) => {
                let at = index(mode, last, items.len())?;
                *Arc::make_mut(items).get_mut(at)? = value;
            }
            _ => return None,
        }
        Some(())
    }

    /// The parent of the value at a place, mutable. Only the path to it is copied.
    fn holder(&mut self, path: &Pointer) -> Option<&mut Value> {
        let above = path.segments().len().checked_sub(1)?;
        self.container(path.segments().take(above))
    }

    fn container<'s>(&mut self, mut path: impl Iterator<Item = &'s Text>) -> Option<&mut Value> {
        let mode = self.mode;
        path.try_fold(&mut self.object, |value, segment| match value {
            Value::Map(map) => Arc::make_mut(map).get_mut(segment),
            Value::List(items) => {
                let at = index(mode, segment, items.len())?;
                Arc::make_mut(items).get_mut(at)
            }
            _ => None,
        })
    }

    fn create_metadata_map(&mut self, path: &Pointer) {
        let mut last = path.segments().rev().skip(1);
        let (Some(field), Some(metadata)) = (last.next(), last.next()) else { return };
        let fits = metadata == "metadata" && (field == "annotations" || field == "labels");
        if self.mode == Mode::Compat || !fits {
            return;
        }
        let above = path.segments().len().saturating_sub(2);
        if let Some(metadata) = self.container(path.segments().take(above)).and_then(Value::as_map_mut)
            && metadata.get(field).is_none_or(Value::is_null)
        {
            metadata.insert(field.clone(), Map::new());
        }
    }

    /// Names the first missing place on the path.
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

/// KubeFed splits a path at slashes, drops the first part, and reads a stray `~` literally.
fn as_kubefed_reads(path: &str) -> String {
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
    // No list has as many places, and the module counts with 32 bits.
    let index: i64 = segment.parse().ok().filter(|it: &i64| u32::try_from(it.unsigned_abs()).is_ok())?;
    match usize::try_from(index) {
        Ok(index) => Some(index),
        Err(_) => len.checked_sub(usize::try_from(index.unsigned_abs()).ok()?),
    }
}

fn is_identity(path: &Pointer) -> bool {
    IDENTITY.iter().any(|it| path.segments().map(Text::as_str).eq(it.iter().copied()))
}

fn identity_error() -> Error {
    Error::new(Code::IdentityOverride, "an override cannot change the kind, name or namespace of the object")
}
