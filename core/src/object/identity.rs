//! Names of objects: API group, kind, namespace and name.

use std::fmt;

use crate::diagnostic::{Code, Error};
use crate::value::path::Pointer;
use crate::value::{Text, Value};

/// The name of an object in answers: `Kind/name`, or `Kind/namespace/name`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObjectName {
    pub kind: Text,
    /// Empty where the kind has none.
    pub namespace: Text,
    pub name: Text,
}

impl ObjectName {
    /// The name of an object; missing parts are empty.
    pub fn of(object: &Value) -> ObjectName {
        let text = |path: &[&str]| Text::from(object.text_at(path));
        ObjectName {
            kind: text(&["kind"]),
            namespace: text(&["metadata", "namespace"]),
            name: text(&["metadata", "name"]),
        }
    }

    /// Whether both kind and name are set.
    pub fn is_whole(&self) -> bool {
        !self.kind.is_empty() && !self.name.is_empty()
    }
}

impl fmt::Display for ObjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ObjectName { kind, namespace, name } = self;
        if namespace.is_empty() { write!(f, "{kind}/{name}") } else { write!(f, "{kind}/{namespace}/{name}") }
    }
}

/// The API group of an `apiVersion`; the core group is the empty text.
///
/// # Example
///
/// ```
/// use fleetfold_core::object::group_of;
///
/// assert_eq!(group_of("apps/v1"), "apps");
/// assert_eq!(group_of("v1"), "");
/// ```
pub fn group_of(api_version: &str) -> &str {
    api_version.split_once('/').map_or("", |(group, _)| group)
}

/// Whether an object is of this API group. An object without `apiVersion` counts as one.
pub fn is_in_group(object: &Value, group: &str) -> bool {
    object.get("apiVersion").is_none_or(|it| it.as_text().is_some_and(|it| group_of(it) == group))
}

/// Whether an object is being deleted.
///
/// # Example
///
/// ```
/// use fleetfold_core::{object::is_terminating, value::json};
///
/// let pod = json::parse(r#"{"metadata":{"name":"web","deletionTimestamp":"2026-01-31T09:30:00Z"}}"#)?;
/// assert!(is_terminating(&pod));
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn is_terminating(object: &Value) -> bool {
    object.at(&["metadata", "deletionTimestamp"]).is_some_and(|it| !it.is_null())
}

const IDENTITY: [&[&str]; 3] = [&["kind"], &["metadata", "name"], &["metadata", "namespace"]];

/// Rejects two objects with different names: an update of one must not reach the other.
pub fn same_object(desired: &Value, live: &Value) -> Result<(), Error> {
    match IDENTITY.into_iter().find(|path| desired.text_at(path) != live.text_at(path)) {
        Some(path) => {
            let message = format!("`{}` of the two objects differs: they are not the same object", path.join("."));
            Err(mismatch(message, path))
        }
        None => Ok(()),
    }
}

/// Rejects a live object that is another object, as far as both are named. A template may omit what the cluster fills
/// in, and may have another version of the API group.
///
/// # Example
///
/// ```
/// use fleetfold_core::{object::not_another, value::json};
///
/// let desired = json::parse(r#"{"apiVersion":"apps/v1beta1","kind":"Deployment","metadata":{"name":"web"}}"#)?;
/// let live = json::parse(r#"{"apiVersion":"apps/v1","kind":"Deployment",
///     "metadata":{"name":"web","namespace":"shop"}}"#)?;
/// assert!(not_another(&desired, &live).is_ok(), "a version and an open namespace do not make another object");
/// let other = json::parse(r#"{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"api"}}"#)?;
/// assert!(not_another(&desired, &other).is_err());
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn not_another(desired: &Value, live: &Value) -> Result<(), Error> {
    let differs = |path: &[&str], read: fn(&str) -> &str| {
        let (wanted, found) = (desired.text_at(path), live.text_at(path));
        !wanted.is_empty() && !found.is_empty() && read(wanted) != read(found)
    };
    let api_version: &[&str] = &["apiVersion"];
    let group = differs(api_version, group_of).then_some(api_version);
    match group.or_else(|| IDENTITY.into_iter().find(|path| differs(path, |it| it))) {
        Some(path) => {
            let message = format!("the live object is another one: its `{}` differs", path.join("."));
            Err(mismatch(message, path))
        }
        None => Ok(()),
    }
}

fn mismatch(message: String, path: &[&str]) -> Error {
    Error::new(Code::IdentityMismatch, message).at(Pointer::of(std::iter::once("live").chain(path.iter().copied())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(text: &str) -> Value {
        crate::value::json::parse(text).expect("a test writes JSON")
    }

    #[track_caller]
    fn check(text: &str, printed: &str, whole: bool) {
        let name = ObjectName::of(&object(text));
        assert_eq!((name.to_string().as_str(), name.is_whole()), (printed, whole));
    }

    #[test]
    fn a_name_has_a_namespace_where_the_object_has_one() {
        check(r#"{"kind":"Service","metadata":{"name":"s","namespace":"n"}}"#, "Service/n/s", true);
        check(r#"{"kind":"Namespace","metadata":{"name":"n"}}"#, "Namespace/n", true);
        check(r#"{"metadata":{"name":"n"}}"#, "/n", false);
    }

    #[test]
    fn a_template_may_leave_open_what_the_cluster_fills_in() {
        let template = object(r#"{"apiVersion":"apps/v1beta1","kind":"Deployment","metadata":{"name":"a"}}"#);
        let live = r#"{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a","namespace":"n"}}"#;
        assert!(not_another(&template, &object(live)).is_ok());
        assert!(same_object(&template, &object(live)).is_err());
        let other = object(&live.replace("apps/v1", "extensions/v1"));
        assert_eq!(not_another(&template, &other).map_err(|error| error.at), Err(Some(["live", "apiVersion"].into())));
    }
}
