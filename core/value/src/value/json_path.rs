//! A path into a JSON value that is being read, printed only when something is wrong there.

use std::fmt;

use crate::value::Text;
use crate::value::path::Pointer;

/// A place in the request, held on the stack: it is written out only when something is wrong there.
#[derive(Clone, Copy, Debug)]
pub struct JsonPath<'a> {
    parent: Option<&'a JsonPath<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Step<'a> {
    Root,
    Key(&'a str),
    Index(usize),
}

impl<'a> JsonPath<'a> {
    pub const ROOT: JsonPath<'static> = JsonPath { parent: None, step: Step::Root };

    pub fn key(&'a self, key: &'a str) -> JsonPath<'a> {
        JsonPath { parent: Some(self), step: Step::Key(key) }
    }

    pub fn index(&'a self, index: usize) -> JsonPath<'a> {
        JsonPath { parent: Some(self), step: Step::Index(index) }
    }

    /// How a message names the field at this path.
    pub fn field(&self) -> String {
        match self.step {
            Step::Root => String::from("the request"),
            Step::Key(key) => format!("`{key}`"),
            Step::Index(index) => format!("element {index}"),
        }
    }

    pub fn pointer(&self) -> Pointer {
        let upwards = || std::iter::successors(Some(self), |it| it.parent);
        // Of the size it needs: the places of documents are kept.
        let mut steps = Vec::with_capacity(upwards().count().saturating_sub(1));
        steps.extend(upwards().filter_map(|it| match it.step {
            Step::Root => None,
            Step::Key(key) => Some(Text::inline(key)),
            Step::Index(index) => Some(index_text(index)),
        }));
        steps.reverse();
        Pointer::of(steps)
    }
}

/// An index as a step of a pointer. Small ones are nearly all there are, and need no formatting.
pub fn index_text(index: usize) -> Text {
    const SMALL: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];
    SMALL.get(index).map_or_else(|| Text::display(&index), |digit| Text::new_static(digit))
}

impl fmt::Display for JsonPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pointer().fmt(f)
    }
}
