//! Options placed in the tree that Helm gets.

use super::{Effective, Layer, Source};
use crate::diagnostic::{Code, Diagnostic, Error, Severity};
use crate::value::collections::SortedMap;
use crate::value::path::{OptionPath, OptionStep, Pointer};
use crate::value::{Map, Value};

/// Where an option belongs in the tree, and where the entry is written that decides over it.
#[derive(Clone, Copy)]
pub struct Entry<'a> {
    pub place: &'a OptionPath,
    pub at: &'a Pointer,
}

/// An option with its entry.
pub type Placed<'a> = (&'a Effective, Entry<'a>);

/// Places options sorted by path, so a parent comes before the options inside it. An option that does not fit is
/// reported and left out.
pub fn place<'a>(
    options: impl Iterator<Item = (&'a Effective, (&'a Layer, Entry<'a>))>,
    out: &mut Vec<Diagnostic>,
) -> Value {
    let mut tree = Tree::default();
    for (option, (layer, entry)) in options {
        let at = || entry.at.clone();
        match tree.add((option, entry), |value| value) {
            Ok(0) => {}
            Ok(padding) => {
                let message = format!("`{}` leaves {padding} earlier elements of its list null", option.path);
                out.push(layer.finding(Diagnostic::warning(Code::PaddedList, message).at(at())));
            }
            Err(error) => out.push(layer.finding(error.at(at()).into_diagnostic(Severity::Error))),
        }
    }
    tree.value
}

/// Places options as Helm's `--set` does, in the given order: a later parent replaces earlier values, and big integers
/// are rounded to doubles.
pub fn place_in_order<'a>(options: impl Iterator<Item = Placed<'a>>) -> Result<Value, Error> {
    let mut tree = Tree::default();
    for option in options {
        tree.add(option, Value::through_double).map_err(|error| error.at(option.1.at))?;
    }
    Ok(tree.value)
}

const MENDED_BY: &str = "set one of them, or make the parent a map";

/// The null elements that all options of one result may create together. One index can ask for 65,535, in a few bytes.
pub const MAX_PADDING: usize = 10_000;

struct Tree<'a> {
    value: Value,
    /// The null elements that may still be created.
    padding: usize,
    /// The option that was placed first at or below a place.
    first: SortedMap<&'a [OptionStep], &'a Effective>,
    /// The placed options that are references, with the order in which they were placed.
    references: SortedMap<&'a [OptionStep], (usize, &'a Effective)>,
}

impl Default for Tree<'_> {
    fn default() -> Self {
        let (first, references) = (SortedMap::new(), SortedMap::new());
        Tree { value: Map::new().into(), padding: MAX_PADDING, first, references }
    }
}

impl<'a> Tree<'a> {
    /// Adds an option. Returns the number of null elements that this created.
    fn add(&mut self, (option, entry): Placed<'a>, read: fn(Value) -> Value) -> Result<usize, Error> {
        let steps = entry.place.steps();
        let prefixes = (0..=steps.len()).filter_map(|depth| steps.get(..depth));
        // A reference is no value yet, but it will be one: nothing can go below it.
        let above = prefixes.clone().filter_map(|it| Some((it.len(), self.references.get(it)?)));
        let above = above.filter(|(_, (_, it))| it.path != option.path).min_by_key(|(_, (order, _))| *order);
        let fits = match (above, &option.source) {
            (Some((depth, _)), _) => Err(PlaceError::Blocked(depth)),
            (None, Source::Value(value)) => put(&mut self.value, steps, read(value.clone()), &mut self.padding),
            (None, Source::Reference(_)) => Ok(0),
        };
        let padding = fits.map_err(|misfit| match misfit {
            PlaceError::Blocked(depth) => {
                let other = steps.get(..depth).and_then(|blocked| self.first.get(blocked));
                Error::new(Code::OptionConflict, conflict(option, other.copied())).hint(MENDED_BY)
            }
            PlaceError::Padding(padding) => {
                let message = format!(
                    "`{}` leaves {padding} earlier elements of its list null, and all options together may leave \
                     {MAX_PADDING}",
                    option.path
                );
                Error::new(Code::TooLarge, message).hint("set the list itself, or use smaller indices")
            }
        })?;
        if matches!(option.source, Source::Reference(_)) && self.references.get(steps).is_none() {
            let order = self.references.len();
            self.references.insert(steps, (order, option));
        }
        for prefix in prefixes {
            self.first.entry(prefix).or_insert(option);
        }
        Ok(padding)
    }
}

fn conflict(option: &Effective, other: Option<&Effective>) -> String {
    let Effective { path, from, .. } = option;
    match other {
        Some(other) => format!(
            "`{path}` of the layer `{from}` and `{}` of the layer `{}` cannot both be placed in one tree",
            other.path, other.from
        ),
        None => format!("`{path}` of the layer `{from}` cannot be placed in the tree: its parent holds a value"),
    }
}

/// Why a value cannot be placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceError {
    /// The number of steps to the conflicting value.
    Blocked(usize),
    /// It would create this many null elements, which is too many.
    Padding(usize),
}

/// Sets the value at the end of the steps, creating missing maps and lists. Returns the number of null elements that
/// this created, which must not exceed `left`.
///
/// # Errors
///
/// Another value conflicts, or too few null elements are left; the tree then has no more of them than before.
pub fn put(tree: &mut Value, steps: &[OptionStep], value: Value, left: &mut usize) -> Result<usize, PlaceError> {
    let padding = padding_of(tree, steps);
    let rest = left.checked_sub(padding).ok_or(PlaceError::Padding(padding))?;
    let mut here = tree;
    for (depth, step) in steps.iter().enumerate() {
        if here.is_null() {
            *here = match step {
                OptionStep::Key(_) => Map::new().into(),
                OptionStep::Index(_) => Vec::new().into(),
            };
        }
        here = match step {
            OptionStep::Key(key) => here.as_map_mut().and_then(|map| map.entry_or(key, || Value::Null)),
            OptionStep::Index(index) => here.as_list_mut().and_then(|items| {
                while items.len() <= *index {
                    items.push(Value::Null);
                }
                items.get_mut(*index)
            }),
        }
        .ok_or(PlaceError::Blocked(depth))?;
    }
    *here = value;
    *left = rest;
    Ok(padding)
}

/// The null elements that setting a value at the end of the steps creates.
fn padding_of(tree: &Value, steps: &[OptionStep]) -> usize {
    let mut here = Some(tree);
    let mut padding = 0_usize;
    for step in steps {
        here = match step {
            OptionStep::Key(key) => here.and_then(|it| it.get(key)),
            OptionStep::Index(index) => {
                let items = here.and_then(Value::as_list);
                padding = padding.saturating_add(index.saturating_sub(items.map_or(0, Vec::len)));
                items.and_then(|it| it.get(*index))
            }
        };
    }
    padding
}
