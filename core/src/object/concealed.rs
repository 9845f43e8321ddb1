//! Values that answers must not show wherever they occur: a plain value in a place that should have a reference to a
//! Secret.

use std::sync::Arc;

use super::secrets::MASK;
use crate::value::collections::SortedSet;
use crate::value::json;
use crate::value::{Number, Text, Value};

/// The values that are not shown. They are found by content, so that patches, differences and records of them are
/// masked as well.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Concealed {
    /// The values that it shares with others.
    shared: Option<Arc<Concealed>>,
    texts: SortedSet<Text>,
    numbers: SortedSet<(Option<i64>, u64)>,
}

/// The same for equal numbers only.
fn number_key(number: Number) -> (Option<i64>, u64) {
    match (number, number.as_int()) {
        (Number::Double(double), None) => (None, double.to_bits()),
        (_, int) => (int, 0),
    }
}

impl Concealed {
    /// Conceals the same values, and takes more: the shared ones are not copied.
    ///
    /// # Example
    ///
    /// ```
    /// use std::sync::Arc;
    /// use fleetfold_core::{object::Concealed, value::Value};
    ///
    /// let mut shared = Concealed::default();
    /// shared.add(&"hunter2".into());
    /// let mut its = Concealed::over(Arc::new(shared));
    /// its.add(&"hunter3".into());
    /// let mut shown = Value::list(["hunter2", "hunter3", "hunter4"]);
    /// its.mask(&mut shown);
    /// assert_eq!(shown.to_canonical(), r#"["(masked)","(masked)","hunter4"]"#);
    /// ```
    pub fn over(shared: Arc<Concealed>) -> Concealed {
        Concealed { shared: Some(shared).filter(|it| !it.is_empty()), ..Concealed::default() }
    }

    /// Whether it has values of its own, beside the shared ones.
    pub fn has_unshared(&self) -> bool {
        !(self.texts.is_empty() && self.numbers.is_empty())
    }

    pub fn is_empty(&self) -> bool {
        self.shared.is_none() && !self.has_unshared()
    }

    /// Adds the leaves of a value. Booleans, null and empty texts conceal nothing: they would mask half of every
    /// answer.
    pub fn add(&mut self, value: &Value) {
        match value {
            Value::Text(text) if !text.is_empty() && !self.has_text(text) => {
                self.texts.insert(text.clone());
            }
            Value::Number(number) => {
                let key = number_key(*number);
                if !self.has_number(key) {
                    self.numbers.insert(key);
                }
            }
            Value::List(items) => items.iter().for_each(|it| self.add(it)),
            Value::Map(map) => map.iter().for_each(|(_, it)| self.add(it)),
            _ => {}
        }
    }

    fn has_text(&self, text: &Text) -> bool {
        self.texts.contains(text) || self.shared.as_ref().is_some_and(|it| it.has_text(text))
    }

    fn has_number(&self, key: (Option<i64>, u64)) -> bool {
        self.numbers.contains(&key) || self.shared.as_ref().is_some_and(|it| it.has_number(key))
    }

    /// Replaces what must not be shown, also inside a text that is JSON, as a record in an annotation.
    ///
    /// # Example
    ///
    /// ```
    /// use fleetfold_core::{object::Concealed, value::json};
    ///
    /// let mut concealed = Concealed::default();
    /// concealed.add(&"hunter2".into());
    /// let mut plugin = json::parse(r#"{"optionValues":[{"name":"token","value":"hunter2"}],"mode":"enforce"}"#)?;
    /// concealed.mask(&mut plugin);
    /// assert_eq!(plugin.to_canonical(), r#"{"mode":"enforce","optionValues":[{"name":"token","value":"(masked)"}]}"#);
    /// # Ok::<(), fleetfold_core::diagnostic::Error>(())
    /// ```
    pub fn mask(&self, value: &mut Value) {
        // Most values hold none of it, and stay shared.
        if self.is_empty() || !self.is_in(value) {
            return;
        }
        if let Some(items) = value.as_list_mut() {
            items.iter_mut().for_each(|it| self.mask(it));
        } else if let Some(map) = value.as_map_mut() {
            map.iter_mut().for_each(|(_, it)| self.mask(it));
        } else {
            *value = MASK.into();
        }
    }

    fn is_in(&self, value: &Value) -> bool {
        match value {
            Value::Text(text) => {
                let is_json = || text.starts_with(['{', '[']);
                self.has_text(text) || (is_json() && json::parse(text).is_ok_and(|it| self.is_in(&it)))
            }
            Value::Number(number) => self.has_number(number_key(*number)),
            Value::List(items) => items.iter().any(|it| self.is_in(it)),
            Value::Map(map) => map.iter().any(|(_, it)| self.is_in(it)),
            _ => false,
        }
    }
}
