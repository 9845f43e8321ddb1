//! Options placed in the tree that Helm gets.

use super::{Effective, Layer, Source};
use crate::diagnostic::{Code, Diagnostic, Error};
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

/// Places options sorted by path, so that a parent comes before what is edited into it. An option that does not fit is
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
            Err(message) => {
                let finding = Diagnostic::error(Code::OptionConflict, message).at(at()).hint(MENDED_BY);
                out.push(layer.finding(finding));
            }
        }
    }
    tree.value
}

/// Places options as Helm's `--set` does, in the order given: a later parent replaces what is there, and big integers go
/// through a double.
pub fn place_in_order<'a>(options: impl Iterator<Item = Placed<'a>>) -> Result<Value, Error> {
    let mut tree = Tree::default();
    for option in options {
        tree.add(option, Value::through_double)
            .map_err(|message| Error::new(Code::OptionConflict, message).at(option.1.at).hint(MENDED_BY))?;
    }
    Ok(tree.value)
}

const MENDED_BY: &str = "set one of them, or make the parent a map";

struct Tree<'a> {
    value: Value,
    placed: Vec<Placed<'a>>,
    /// Those of the placed options that are references.
    references: Vec<Placed<'a>>,
}

impl Default for Tree<'_> {
    fn default() -> Self {
        Tree { value: Map::new().into(), placed: Vec::new(), references: Vec::new() }
    }
}

impl<'a> Tree<'a> {
    /// Adds an option. Returns the number of null elements that this created, or the conflicting value.
    fn add(&mut self, option: Placed<'a>, read: fn(Value) -> Value) -> Result<usize, String> {
        let steps = option.1.place.steps();
        // A reference is no value yet, but it will be one: nothing can go below it.
        let is_above = |it: &&Placed| it.0.path != option.0.path && steps.starts_with(it.1.place.steps());
        let above = self.references.iter().find(is_above);
        let fits = match (above, &option.0.source) {
            (Some(above), _) => Err(above.1.place.steps().len()),
            (None, Source::Value(value)) => put(&mut self.value, steps, read(value.clone())),
            (None, Source::Reference(_)) => Ok(0),
        };
        let padding = fits.map_err(|depth| {
            let blocked = steps.get(..depth).unwrap_or(steps);
            let other = self.placed.iter().find(|it| it.1.place.steps().starts_with(blocked));
            conflict(option.0, other.map(|it| it.0))
        })?;
        self.placed.push(option);
        if matches!(option.0.source, Source::Reference(_)) {
            self.references.push(option);
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

/// Sets the value at the end of the steps, creating maps and lists on the way. Returns the number of null elements that
/// this created.
///
/// # Errors
///
/// The number of steps that lead to the value in the way.
pub fn put(tree: &mut Value, steps: &[OptionStep], value: Value) -> Result<usize, usize> {
    let mut here = tree;
    let mut padding = 0;
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
                padding += index.saturating_sub(items.len());
                while items.len() <= *index {
                    items.push(Value::Null);
                }
                items.get_mut(*index)
            }),
        }
        .ok_or(depth)?;
    }
    *here = value;
    Ok(padding)
}
