//! Values that answers must not show wherever they occur: a plain value that someone wrote where a reference to a
//! Secret belongs.

use super::secrets::MASK;
use crate::value::json;
use crate::value::{Number, Text, Value};

/// The values that are not shown. They are found by content, so that patches, differences and records of them are
/// masked as well.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Concealed {
    texts: Vec<Text>,
    numbers: Vec<Number>,
}

impl Concealed {
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty() && self.numbers.is_empty()
    }

    /// Adds the leaves of a value. Booleans, null and empty texts conceal nothing: they would mask half of every
    /// answer.
    pub fn add(&mut self, value: &Value) {
        match value {
            Value::Text(text) if !text.is_empty() && !self.texts.contains(text) => self.texts.push(text.clone()),
            Value::Number(number) if !self.numbers.contains(number) => self.numbers.push(*number),
            Value::List(items) => items.iter().for_each(|it| self.add(it)),
            Value::Map(map) => map.iter().for_each(|(_, it)| self.add(it)),
            _ => {}
        }
    }

    /// Adds what another one conceals.
    pub fn extend(&mut self, other: &Concealed) {
        other.texts.iter().for_each(|it| self.add(&Value::Text(it.clone())));
        other.numbers.iter().for_each(|it| self.add(&Value::Number(*it)));
    }

    /// Replaces what must not be shown, also inside a text that is JSON, as a record in an annotation.
    ///
    /// # Example
    ///
    /// ```
    /// use fleetfold_core::{object::concealed::Concealed, value::json};
    ///
    /// let mut concealed = Concealed::default();
    /// concealed.add(&"hunter2".into());
    /// let mut plugin = json::parse(r#"{"optionValues":[{"name":"token","value":"hunter2"}],"mode":"enforce"}"#)?;
    /// concealed.cover(&mut plugin);
    /// assert_eq!(plugin.to_canonical(), r#"{"mode":"enforce","optionValues":[{"name":"token","value":"(masked)"}]}"#);
    /// # Ok::<(), fleetfold_core::diagnostic::Error>(())
    /// ```
    pub fn cover(&self, value: &mut Value) {
        // Most values hold none of it, and stay shared.
        if self.is_empty() || !self.is_in(value) {
            return;
        }
        if let Some(items) = value.as_list_mut() {
            items.iter_mut().for_each(|it| self.cover(it));
        } else if let Some(map) = value.as_map_mut() {
            map.iter_mut().for_each(|(_, it)| self.cover(it));
        } else {
            *value = MASK.into();
        }
    }

    fn is_in(&self, value: &Value) -> bool {
        match value {
            Value::Text(text) => {
                let is_json = || text.starts_with(['{', '[']);
                self.texts.contains(text) || (is_json() && json::parse(text).is_ok_and(|it| self.is_in(&it)))
            }
            Value::Number(number) => self.numbers.contains(number),
            Value::List(items) => items.iter().any(|it| self.is_in(it)),
            Value::Map(map) => map.iter().any(|(_, it)| self.is_in(it)),
            _ => false,
        }
    }
}
