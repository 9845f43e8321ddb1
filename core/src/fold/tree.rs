//! Options placed in the tree that Helm gets.

use super::{Effective, Source};
use crate::diagnostic::{Code, Diagnostic, Error};
use crate::path::OptionStep;
use crate::value::{Map, Value};

/// Places options sorted by path, so that a parent comes before what is edited into it. One that does not fit is told and
/// left out.
pub fn place(options: &[Effective], out: &mut Vec<Diagnostic>) -> Value {
    let mut tree = Value::from(Map::new());
    let mut placed: Vec<&Effective> = Vec::new();
    for option in options {
        let steps = option.place.steps();
        // A reference is no value yet, but it will be one: nothing can go below it.
        let below_reference =
            placed.iter().find(|it| matches!(it.source, Source::Reference(_)) && steps.starts_with(it.place.steps()));
        let fits = match &option.source {
            _ if below_reference.is_some() => Err(below_reference.map_or(0, |it| it.place.steps().len())),
            Source::Value(value) => put(&mut tree, steps, value.clone()),
            Source::Reference(_) => Ok(0),
        };
        match fits {
            Ok(padding) => {
                if padding > 0 {
                    let message = format!("`{}` leaves {padding} earlier elements of its list null", option.path);
                    out.push(Diagnostic::warning(Code::PaddedList, message));
                }
                placed.push(option);
            }
            Err(depth) => {
                let blocked = steps.get(..depth).unwrap_or(steps);
                let other = placed.iter().find(|it| it.place.steps().starts_with(blocked));
                out.push(conflict(option, other.copied()));
            }
        }
    }
    tree
}

/// Places options as Helm's `--set` does, in the order given: a later parent replaces what is there.
pub fn place_in_order<'a>(options: impl Iterator<Item = &'a Effective>, tree: &mut Value) -> Result<(), Error> {
    for option in options {
        if let Source::Value(value) = &option.source
            && put(tree, option.place.steps(), value.clone()).is_err()
        {
            let diagnostic = conflict(option, None);
            return Err(Error::new(diagnostic.code, diagnostic.message));
        }
    }
    Ok(())
}

fn conflict(option: &Effective, other: Option<&Effective>) -> Diagnostic {
    let Effective { path, from, .. } = option;
    let message = match other {
        Some(other) => format!(
            "`{path}` of the layer `{from}` and `{}` of the layer `{}` cannot both be placed in one tree",
            other.path, other.from
        ),
        None => format!("`{path}` of the layer `{from}` cannot be placed in the tree: its parent holds a value"),
    };
    Diagnostic::error(Code::OptionConflict, message).hint("set one of them, or make the parent a map")
}

/// Sets the value at the end of the steps, making maps and lists on the way; answers how many null elements that took.
///
/// # Errors
///
/// The number of steps that lead to the value in the way.
fn put(tree: &mut Value, steps: &[OptionStep], value: Value) -> Result<usize, usize> {
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
