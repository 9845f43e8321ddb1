//! Values of JSON and YAML, with exact integers and shared structure.
//!
//! Cloning a value never copies a list or a map, only a reference to it. So a fleet of similar clusters holds one tree,
//! and an edit copies only the path from the root to the edited place.

pub mod canonical;
/// Small replacements of std's collections: hidden, as they are public only for the other crates of the engine.
#[doc(hidden)]
pub mod collections;
pub(crate) mod de;
mod facts;
pub mod json;
mod json_path;
pub mod path;
mod position;
#[cfg(feature = "schema")]
mod schema;
mod ser;
/// One sort for all types: hidden, as it is public only for the other crates of the engine.
#[doc(hidden)]
pub mod sorting;
pub mod suggest;
pub mod text;

use std::hash::{Hash, Hasher};
use std::sync::Arc;

pub use de::{MaybeAbsent, OneOrMany};
pub use facts::{Fact, WordHasher};
pub use json_path::{JsonPath, index_text};
pub use position::Position;
pub use ser::SHARED_PART;
pub use text::Text;

use facts::Facts;
use text::{is_equal, order};

/// One JSON or YAML value.
///
/// # Example
///
/// ```
/// use fleetfold_value::value::{Value, json};
///
/// let mut service = json::parse(r#"{"kind":"Service","spec":{"type":"ClusterIP"}}"#).unwrap();
/// let before = service.clone(); // a reference, not a copy
/// service.get_mut("spec").unwrap().as_map_mut().unwrap().insert("type", "NodePort");
/// assert_eq!(service.text_at(&["spec", "type"]), "NodePort");
/// assert_eq!(before.text_at(&["spec", "type"]), "ClusterIP");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Value {
    #[default]
    Null,
    Bool(bool),
    Number(Number),
    Text(Text),
    List(Arc<Vec<Value>>),
    Map(Arc<Map>),
}

/// A 64-bit integer, exactly, or a finite double.
///
/// Whether a number was written as an integer is kept (`31000.0` is not a port), but it does not count for equality:
/// `1` and `1.0` are the same value and the same bytes.
///
/// # Example
///
/// ```
/// use fleetfold_value::value::{Number, json};
///
/// assert_eq!(Number::Int(1), Number::Double(1.0));
/// // An integer above 2^53 keeps its last digit.
/// let value = json::parse("9007199254740993").unwrap();
/// assert_eq!(value.as_int(), Some(9_007_199_254_740_993));
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Number {
    Int(i64),
    Double(f64),
}

impl Number {
    /// A double, unless it is infinite or NaN, which JSON cannot express.
    pub fn double(value: f64) -> Option<Number> {
        // Adding zero turns -0 into 0: there is one zero.
        value.is_finite().then_some(Number::Double(value + 0.0))
    }

    /// The integer this number is equal to, if there is one.
    pub fn as_int(self) -> Option<i64> {
        match self {
            Number::Int(int) => Some(int),
            Number::Double(double) => exact_int(double),
        }
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Number) -> bool {
        match (self, other) {
            (Number::Int(a), Number::Int(b)) => a == b,
            (Number::Double(a), Number::Double(b)) => a == b,
            (Number::Int(int), Number::Double(double)) | (Number::Double(double), Number::Int(int)) => {
                exact_int(*double) == Some(*int)
            }
        }
    }
}

/// Equal numbers have one hash, be they integers or doubles.
impl std::hash::Hash for Number {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        match (*self, self.as_int()) {
            (Number::Double(double), None) => double.to_bits().hash(state),
            (_, int) => int.hash(state),
        }
    }
}

impl Eq for Number {}

/// Of its values alone: maps that are compared mostly have the same keys.
impl std::hash::Hash for Map {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        let hash = self.facts.hash(|| {
            let mut hasher = WordHasher::default();
            self.entries.len().hash(&mut hasher);
            self.entries.iter().for_each(|(_, value)| value.hash(&mut hasher));
            hasher.finish()
        });
        state.write_u64(hash);
    }
}

/// The integer that a double is written as: two numbers are equal exactly when their bytes are. Above 2^53 that is not
/// the integer a double stands for to its last bit, but the one with its shortest digits.
fn exact_int(double: f64) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if double.fract() != 0.0 {
        return None;
    }
    if double.abs() <= EXACT {
        return Some(double as i64);
    }
    let mut written = String::new();
    crate::value::canonical::write_double(double, &mut written);
    written.parse().ok()
}

/// A map whose entries are sorted by the UTF-8 bytes of their keys.
///
/// # Example
///
/// ```
/// use fleetfold_value::value::{Map, Value};
///
/// let mut labels = Map::from_iter([("tier", "gold"), ("env", "prod")]);
/// assert_eq!(labels.keys().map(|it| it.as_str()).collect::<Vec<_>>(), ["env", "tier"]);
/// assert_eq!(labels.insert("env", "stage"), Some(Value::text("prod")));
/// assert_eq!(labels.remove("region"), None);
/// ```
#[derive(Clone, Default)]
pub struct Map {
    entries: Vec<(Text, Value)>,
    facts: Facts,
}

impl Map {
    pub fn new() -> Map {
        Map::default()
    }

    fn sorted(entries: Vec<(Text, Value)>) -> Map {
        Map { entries, facts: Facts::default() }
    }

    /// The entries, to be changed.
    fn changing(&mut self) -> &mut Vec<(Text, Value)> {
        self.facts.forget();
        &mut self.entries
    }

    /// A fact about the content, computed once for all that share the map. `work_out` must depend on the content only.
    pub fn is(&self, fact: Fact, work_out: impl FnOnce(&Map) -> bool) -> bool {
        self.facts.is(fact, || work_out(self))
    }

    /// Entries in any order. Of entries with the same key the last one stays, and the key is reported.
    ///
    /// # Example
    ///
    /// ```
    /// use fleetfold_value::value::{Map, Value};
    ///
    /// let entries = vec![("env".into(), Value::text("dev")), ("env".into(), Value::text("prod"))];
    /// let (map, repeated) = Map::from_entries(entries);
    /// assert_eq!(map.get("env"), Some(&Value::text("prod")));
    /// assert_eq!(repeated.unwrap(), "env");
    /// ```
    pub fn from_entries(mut entries: Vec<(Text, Value)>) -> (Map, Option<Text>) {
        if entries.is_sorted_by(|(a, _), (b, _)| order(a, b).is_lt()) {
            return (Map::sorted(entries), None);
        }
        let mut repeated = None;
        entries.sort_by(|(a, _), (b, _)| a.cmp(b));
        // `dedup_by` keeps the first of a run; swapping makes that the last one written.
        entries.dedup_by(|later, earlier| {
            let same = later.0 == earlier.0;
            if same {
                repeated.get_or_insert_with(|| later.0.clone());
                std::mem::swap(later, earlier);
            }
            same
        });
        (Map::sorted(entries), repeated)
    }

    pub fn get(&self, key: &str) -> Option<&Value> {
        self.entries.get(self.place(key)?).map(|(_, value)| value)
    }

    pub fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        let at = self.place(key)?;
        self.changing().get_mut(at).map(|(_, value)| value)
    }

    pub fn contains(&self, key: &str) -> bool {
        self.place(key).is_some()
    }

    /// Sets a key; returns the previous value.
    pub fn insert(&mut self, key: impl Into<Text>, value: impl Into<Value>) -> Option<Value> {
        let (key, value) = (key.into(), value.into());
        match self.find(&key) {
            Ok(at) => self.changing().get_mut(at).map(|(_, old)| std::mem::replace(old, value)),
            Err(at) => {
                self.changing().insert(at, (key, value));
                None
            }
        }
    }

    pub fn remove(&mut self, key: &str) -> Option<Value> {
        let at = self.place(key)?;
        Some(self.changing().remove(at).1)
    }

    /// The value of a key, made with `make` if the map lacks it.
    pub fn entry_or(&mut self, key: &str, make: impl FnOnce() -> Value) -> Option<&mut Value> {
        let at = match self.find(key) {
            Ok(at) => at,
            Err(at) => {
                self.changing().insert(at, (key.into(), make()));
                at
            }
        };
        self.changing().get_mut(at).map(|(_, value)| value)
    }

    pub fn retain(&mut self, mut keep: impl FnMut(&str, &Value) -> bool) {
        self.changing().retain(|(key, value)| keep(key, value));
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&Text, &Value)> + ExactSizeIterator {
        self.entries.iter().map(|(key, value)| (key, value))
    }

    /// The entries, each with the value that another map has under the key. Maps that are compared have nearly the same
    /// keys, so both are walked at once.
    ///
    /// # Example
    ///
    /// ```
    /// use fleetfold_value::value::{Map, Value};
    ///
    /// let (mine, theirs) = (Map::from_iter([("a", 1_i64), ("c", 3)]), Map::from_iter([("b", 2_i64), ("c", 4)]));
    /// let beside: Vec<_> = mine.beside(&theirs).map(|(key, _, other)| (key.as_str(), other)).collect();
    /// assert_eq!(beside, [("a", None), ("c", Some(&Value::from(4_i64)))]);
    /// ```
    pub fn beside<'a>(&'a self, other: &'a Map) -> impl Iterator<Item = (&'a Text, &'a Value, Option<&'a Value>)> {
        let mut others = other.entries.iter().peekable();
        self.entries.iter().map(move |(key, value)| {
            let beside = loop {
                match others.peek() {
                    None => break None,
                    Some((other, _)) if is_equal(other, key) => break others.next().map(|(_, value)| value),
                    Some((other, _)) if order(other, key).is_lt() => drop(others.next()),
                    Some(_) => break None,
                }
            };
            (key, value, beside)
        })
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&Text, &mut Value)> {
        self.changing().iter_mut().map(|(key, value)| (&*key, value))
    }

    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &Text> {
        self.entries.iter().map(|(key, _)| key)
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn intern_from(&mut self, like: &Map) -> bool {
        let mut same = self.entries.len() == like.entries.len();
        let mut others = like.entries.iter().peekable();
        for (key, value) in &mut self.entries {
            while others.next_if(|(other, _)| order(other, key).is_lt()).is_some() {}
            let other = others.next_if(|(other, _)| is_equal(other, key));
            same &= other.is_some_and(|(_, other)| value.intern_from(other));
        }
        same
    }

    /// Where a key is. In a small map it is sooner found by its length than by halving.
    fn place(&self, key: &str) -> Option<usize> {
        const SMALL: usize = 16;
        if self.entries.len() > SMALL {
            return self.find(key).ok();
        }
        self.entries.iter().position(|(it, _)| is_equal(it, key))
    }

    /// Where a key is, or else belongs.
    fn find(&self, key: &str) -> Result<usize, usize> {
        self.entries.binary_search_by(|(it, _)| order(it, key))
    }
}

impl PartialEq for Map {
    fn eq(&self, other: &Map) -> bool {
        self.entries == other.entries
    }
}

/// Numbers are finite, so that every value equals itself: values at the same address are equal without a comparison.
impl Eq for Map {}

impl std::fmt::Debug for Map {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl IntoIterator for Map {
    type Item = (Text, Value);
    type IntoIter = std::vec::IntoIter<(Text, Value)>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

impl<K: Into<Text>, V: Into<Value>> FromIterator<(K, V)> for Map {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Map {
        Map::from_entries(entries.into_iter().map(|(key, value)| (key.into(), value.into())).collect()).0
    }
}

impl Value {
    pub fn text(text: impl Into<Text>) -> Value {
        Value::Text(text.into())
    }

    pub fn map<K: Into<Text>, V: Into<Value>>(entries: impl IntoIterator<Item = (K, V)>) -> Value {
        entries.into_iter().collect::<Map>().into()
    }

    pub fn list<V: Into<Value>>(items: impl IntoIterator<Item = V>) -> Value {
        items.into_iter().map(Into::into).collect::<Vec<Value>>().into()
    }

    /// The value under `key`, if this is a map that has it.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.as_map()?.get(key)
    }

    /// The value at the end of a chain of keys.
    ///
    /// # Example
    ///
    /// ```
    /// use fleetfold_value::value::json;
    ///
    /// let pod = json::parse(r#"{"metadata":{"labels":{"app":"web"}}}"#).unwrap();
    /// assert!(pod.at(&["metadata", "labels", "app"]).is_some());
    /// assert!(pod.at(&["metadata", "annotations"]).is_none());
    /// ```
    pub fn at(&self, keys: &[&str]) -> Option<&Value> {
        keys.iter().try_fold(self, |value, key| value.get(key))
    }

    /// The text at the end of a chain of keys, empty when there is none.
    ///
    /// # Example
    ///
    /// ```
    /// use fleetfold_value::value::json;
    ///
    /// let pod = json::parse(r#"{"metadata":{"name":"web","generation":3}}"#).unwrap();
    /// assert_eq!(pod.text_at(&["metadata", "name"]), "web");
    /// assert_eq!(pod.text_at(&["metadata", "generation"]), "", "a number is not a text");
    /// ```
    pub fn text_at(&self, keys: &[&str]) -> &str {
        self.at(keys).and_then(Value::as_text).unwrap_or("")
    }

    pub fn as_text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(bool) => Some(*bool),
            _ => None,
        }
    }

    pub fn as_int(&self) -> Option<i64> {
        match self {
            Value::Number(number) => number.as_int(),
            _ => None,
        }
    }

    pub fn as_list(&self) -> Option<&Vec<Value>> {
        match self {
            Value::List(items) => Some(items),
            _ => None,
        }
    }

    pub fn as_map(&self) -> Option<&Map> {
        match self {
            Value::Map(map) => Some(map),
            _ => None,
        }
    }

    pub fn as_list_mut(&mut self) -> Option<&mut Vec<Value>> {
        match self {
            Value::List(items) => Some(Arc::make_mut(items)),
            _ => None,
        }
    }

    pub fn as_map_mut(&mut self) -> Option<&mut Map> {
        match self {
            Value::Map(map) => Some(Arc::make_mut(map)),
            _ => None,
        }
    }

    pub fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        self.as_map_mut()?.get_mut(key)
    }

    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    /// Null, or a text, list or map with nothing in it.
    pub fn is_empty(&self) -> bool {
        match self {
            Value::Null => true,
            Value::Text(text) => text.is_empty(),
            Value::List(items) => items.is_empty(),
            Value::Map(map) => map.is_empty(),
            Value::Bool(_) | Value::Number(_) => false,
        }
    }

    /// What kind of value this is, as messages name it.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(Number::Int(_)) => "an integer",
            Value::Number(Number::Double(_)) => "a number",
            Value::Text(_) => "a string",
            Value::List(_) => "a list",
            Value::Map(_) => "a map",
        }
    }

    /// What Go makes of this value where it reads numbers as doubles: integers beyond 2^53 lose digits.
    pub fn through_double(mut self) -> Value {
        const EXACT: u64 = 1 << 53;
        match &mut self {
            Value::Number(number) => {
                if let Number::Int(int) = *number
                    && int.unsigned_abs() > EXACT
                {
                    *number = Number::Double(int as f64);
                }
            }
            Value::List(items) => Arc::make_mut(items).iter_mut().for_each(round),
            Value::Map(map) => Arc::make_mut(map).iter_mut().for_each(|(_, value)| round(value)),
            Value::Null | Value::Bool(_) | Value::Text(_) => {}
        }
        self
    }

    /// Shares the equal parts of another value, so they are stored once. Returns whether the values are equal. The
    /// value does not change.
    pub fn intern_from(&mut self, like: &Value) -> bool {
        if self.ptr_eq(like) {
            return true;
        }
        let same = match (&mut *self, like) {
            (Value::Map(map), Value::Map(like)) => match Arc::get_mut(map) {
                Some(map) => map.intern_from(like),
                None => map == like,
            },
            (Value::List(items), Value::List(like)) => match Arc::get_mut(items) {
                Some(items) => {
                    let mut same = items.len() == like.len();
                    for (item, other) in items.iter_mut().zip(like.iter()) {
                        same &= item.intern_from(other);
                    }
                    same
                }
                None => items == like,
            },
            // A number that was written differently stays as it was written.
            (Value::Number(Number::Int(int)), Value::Number(Number::Int(other))) => return int == other,
            (Value::Number(_), _) => return false,
            (value, other) => value == other,
        };
        if same && matches!(self, Value::Map(_) | Value::List(_)) {
            self.clone_from(like);
        }
        same
    }

    /// Whether both are the same place in memory: equal without looking.
    pub fn ptr_eq(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::List(a), Value::List(b)) => Arc::ptr_eq(a, b),
            (Value::Map(a), Value::Map(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

fn round(value: &mut Value) {
    *value = std::mem::take(value).through_double();
}

macro_rules! value_from {
    ($($from:ty => |$it:ident| $value:expr;)*) => {
        $(impl From<$from> for Value {
            #[inline]
            fn from($it: $from) -> Value {
                $value
            }
        })*
    };
}

value_from! {
    bool => |it| Value::Bool(it);
    i64 => |it| Value::Number(Number::Int(it));
    u32 => |it| Value::Number(Number::Int(i64::from(it)));
    usize => |it| Value::Number(Number::Int(i64::try_from(it).unwrap_or(i64::MAX)));
    Number => |it| Value::Number(it);
    &str => |it| Value::Text(it.into());
    String => |it| Value::Text(it.into());
    Text => |it| Value::Text(it);
    Vec<Value> => |it| Value::List(Arc::new(it));
    Map => |it| Value::Map(Arc::new(it));
}

#[cfg(test)]
mod tests;
