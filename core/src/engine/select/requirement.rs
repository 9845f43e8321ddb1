//! Requirements on labels. One that exists is valid: only the constructor makes them.

use std::fmt;

use crate::diagnostic::{Code, Error};
use crate::object::labels::{Labels, check_key, check_value, not_text};
use crate::value::JsonPath;
use crate::value::sorting::sort;
use crate::value::suggest::suggest;
use crate::value::{Text, Value};

/// Requirements that must all hold. Without any, everything is accepted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LabelSelector(Vec<Requirement>);

/// One condition on one label.
#[derive(Clone, Debug, PartialEq)]
pub struct Requirement {
    key: Text,
    test: Test,
}

/// The condition of a requirement.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// Sorted, at least one.
    In(Vec<Text>),
    /// Sorted, at least one.
    NotIn(Vec<Text>),
    Exists,
    DoesNotExist,
    Greater(i64),
    Less(i64),
}

/// The operators of a selector object, as Kubernetes spells them.
const OPERATORS: &[&str] = &["In", "NotIn", "Exists", "DoesNotExist"];

impl LabelSelector {
    /// A selector of these requirements.
    pub fn of(requirements: Vec<Requirement>) -> LabelSelector {
        LabelSelector(requirements)
    }

    /// The requirements, in the order written.
    pub fn requirements(&self) -> &[Requirement] {
        &self.0
    }

    /// Whether `labels` satisfy every requirement.
    pub fn accepts(&self, labels: &Labels) -> bool {
        self.0.iter().all(|requirement| requirement.accepts(labels))
    }

    /// Reads a `metav1.LabelSelector` object.
    ///
    /// # Errors
    ///
    /// An unknown field or operator, a key or value that no label can have, values where the operator takes none or
    /// none where it needs them: each at its place. A bad selector never means "no clusters".
    ///
    /// # Example
    ///
    /// ```
    /// use fleetfold_core::{engine::select::LabelSelector, value::{JsonPath, json}};
    ///
    /// let object = r#"{"matchLabels":{"env":"prod"},"matchExpressions":[{"key":"old","operator":"DoesNotExist"}]}"#;
    /// let object = json::parse(object)?;
    /// let selector = LabelSelector::parse_object(&object, &JsonPath::ROOT)?;
    /// assert_eq!(selector, "env=prod,!old".parse()?);
    /// # Ok::<(), fleetfold_core::diagnostic::Error>(())
    /// ```
    pub fn parse_object(object: &Value, at: &JsonPath) -> Result<LabelSelector, Error> {
        let Some(map) = object.as_map() else { return Err(at.wrong_type("a map", object)) };
        known_fields(map.keys(), &["matchLabels", "matchExpressions"], at)?;
        let mut requirements = Vec::new();
        let path = at.key("matchLabels");
        match map.get("matchLabels") {
            None | Some(Value::Null) => {}
            Some(Value::Map(labels)) => {
                for (key, value) in labels.iter() {
                    let at = &path.key(key);
                    let value = label_value(key, value).map_err(|error| error.at(at))?;
                    let requirement = Requirement::new(key.clone(), Test::In(vec![value]));
                    requirements.push(requirement.map_err(|error| error.at(at))?);
                }
            }
            Some(other) => return Err(path.wrong_type("a map", other)),
        }
        let path = at.key("matchExpressions");
        match map.get("matchExpressions") {
            None | Some(Value::Null) => {}
            Some(Value::List(expressions)) => {
                for (index, expression) in expressions.iter().enumerate() {
                    requirements.push(Requirement::parse_expression(expression, &path.index(index))?);
                }
            }
            Some(other) => return Err(path.wrong_type("a list", other)),
        }
        Ok(LabelSelector(requirements))
    }
}

impl Requirement {
    /// # Errors
    ///
    /// `In` and `NotIn` need a value, and key and values must be ones that a label can have.
    pub fn new(key: impl Into<Text>, mut test: Test) -> Result<Requirement, Error> {
        let key = key.into();
        check_key(&key)?;
        if let Test::In(values) | Test::NotIn(values) = &mut test {
            if values.is_empty() {
                let message = "`In` and `NotIn` need at least one value";
                return Err(Error::new(Code::OperatorValues, message).hint("use `Exists` to accept any value"));
            }
            values.iter().try_for_each(|value| check_value(value))?;
            sort(values);
            values.dedup();
        }
        Ok(Requirement { key, test })
    }

    pub fn key(&self) -> &Text {
        &self.key
    }

    pub fn test(&self) -> &Test {
        &self.test
    }

    /// Whether `labels` satisfy this requirement.
    ///
    /// 1. `In`: the key is present and its value is listed.
    /// 2. `NotIn`: the key is absent, or its value is not listed.
    /// 3. `Exists`: the key is present, whatever its value.
    /// 4. `DoesNotExist`: the key is absent.
    /// 5. `Greater`, `Less`: the key is present, its value is an integer, and it is greater or less.
    /// 6. Labels that cannot be read satisfy none.
    ///
    /// # Example
    ///
    /// ```
    /// use fleetfold_core::engine::select::{Requirement, Test};
    /// use fleetfold_core::object::Labels;
    ///
    /// let not_prod = Requirement::new("env", Test::NotIn(vec!["prod".into()]))?;
    /// assert!(not_prod.accepts(&Labels::default()), "a cluster without the label is not in prod");
    /// assert!(!not_prod.accepts(&[("env", "prod")].into_iter().collect()));
    /// # Ok::<(), fleetfold_core::diagnostic::Error>(())
    /// ```
    pub fn accepts(&self, labels: &Labels) -> bool {
        if labels.is_unknown() {
            return false;
        }
        let value = labels.get(&self.key);
        match &self.test {
            Test::In(listed) => value.is_some_and(|it| listed.binary_search(it).is_ok()),
            Test::NotIn(listed) => crate::seeded!(
                NotInRefusesAbsent,
                value.is_none_or(|it| listed.binary_search(it).is_err()),
                value.is_some_and(|it| listed.binary_search(it).is_err())
            ),
            Test::Exists => value.is_some(),
            Test::DoesNotExist => value.is_none(),
            Test::Greater(bound) => value.and_then(|it| integer(it)).is_some_and(|it| it > *bound),
            Test::Less(bound) => value.and_then(|it| integer(it)).is_some_and(|it| it < *bound),
        }
    }

    fn parse_expression(expression: &Value, at: &JsonPath) -> Result<Requirement, Error> {
        let Some(map) = expression.as_map() else { return Err(at.wrong_type("a map", expression)) };
        known_fields(map.keys(), &["key", "operator", "values"], at)?;
        let text = |field| match map.get(field) {
            None | Some(Value::Null) => Ok(""),
            Some(Value::Text(text)) => Ok(text.as_str()),
            Some(other) => Err(at.key(field).wrong_type("a string", other)),
        };
        let (key, operator) = (text("key")?, text("operator")?);
        let path = &at.key("values");
        let values = match map.get("values") {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::List(values)) => read_values(key, values, path)?,
            Some(other) => return Err(path.wrong_type("a list", other)),
        };
        let test = match operator {
            "In" => Test::In(values),
            "NotIn" => Test::NotIn(values),
            "Exists" | "DoesNotExist" if !values.is_empty() => {
                return Err(Error::new(Code::OperatorValues, format!("`{operator}` takes no values")).at(path));
            }
            "Exists" => Test::Exists,
            "DoesNotExist" => Test::DoesNotExist,
            other => {
                let message = format!("`{other}` is not an operator of a selector");
                let hint = suggest(other, OPERATORS, "one of");
                return Err(Error::new(Code::UnknownOperator, message).at(at.key("operator")).hint(hint));
            }
        };
        Requirement::new(key, test).map_err(|error| {
            let field = if error.code == Code::BadLabelKey { "key" } else { "values" };
            error.at(at.key(field))
        })
    }
}

fn read_values(key: &str, values: &[Value], at: &JsonPath) -> Result<Vec<Text>, Error> {
    let value = |(index, value)| {
        let checked = label_value(key, value).and_then(|text| check_value(&text).map(|()| text));
        checked.map_err(|error| error.at(at.index(index)))
    };
    values.iter().enumerate().map(value).collect()
}

/// Kubernetes reads null as the empty value.
fn label_value(key: &str, value: &Value) -> Result<Text, Error> {
    match value {
        Value::Text(text) => Ok(text.clone()),
        Value::Null => Ok(Text::default()),
        other => Err(not_text(key, other)),
    }
}

/// Refuses the first field that the form does not have.
pub fn known_fields<'k>(mut keys: impl Iterator<Item = &'k Text>, known: &[&str], at: &JsonPath) -> Result<(), Error> {
    let Some(key) = keys.find(|key| !known.contains(&key.as_str())) else { return Ok(()) };
    let message = format!("a selector has no field `{key}`");
    Err(Error::new(Code::UnknownField, message).at(at.key(key)).hint(suggest(key, known, "known here")))
}

/// An integer as Go's `ParseInt` reads one: a sign and digits.
pub fn integer(text: &str) -> Option<i64> {
    text.parse().ok()
}

/// Prints in kubectl's syntax, which parses back to the same requirement.
impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = &self.key;
        let list = |values: &[Text]| values.join(",");
        match &self.test {
            Test::In(values) => match values.as_slice() {
                [value] => write!(f, "{key}={value}"),
                values => write!(f, "{key} in ({})", list(values)),
            },
            Test::NotIn(values) => match values.as_slice() {
                [value] => write!(f, "{key}!={value}"),
                values => write!(f, "{key} notin ({})", list(values)),
            },
            Test::Exists => write!(f, "{key}"),
            Test::DoesNotExist => write!(f, "!{key}"),
            Test::Greater(bound) => write!(f, "{key}>{bound}"),
            Test::Less(bound) => write!(f, "{key}<{bound}"),
        }
    }
}

impl fmt::Display for LabelSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, requirement) in self.0.iter().enumerate() {
            write!(f, "{}{requirement}", if index > 0 { "," } else { "" })?;
        }
        Ok(())
    }
}
