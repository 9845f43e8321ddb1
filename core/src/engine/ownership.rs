//! Shared ownership: objects that several owners need, and that are deleted when the last owner releases them (seed
//! 002).
//!
//! | live | adopt | release |
//! |---|---|---|
//! | absent | create with the owner and the mark | nothing to do |
//! | contains desired | append the owner, add no mark | drop the owner; the last one deletes a marked object |
//! | differs | fatal: nothing is touched | as above |
//!
//! The mark means that the object was created here and did not exist before. If Kubernetes forbids an owner reference
//! (a namespaced owner of a cluster-scoped object, or of an object in another namespace), the owner is recorded as a
//! claim in an annotation instead, because the garbage collector would delete an object with an illegal reference.
//!
//! An object that existed before also lists who adopted it, so the object itself shows that it is only shared.

use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Diagnostic, Error};
use crate::engine::diff::diff;
use crate::engine::matching::{Difference, differences};
use crate::engine::patch::Operation;
use crate::object::identity::{is_terminating, same_object};
use crate::object::kinds::upstreams::KUDO_MANAGED;
use crate::value::json;
use crate::value::path::Pointer;
use crate::value::sorting::sort;
use crate::value::{Map, Text, Value};

/// Marks what was created here. Only this exact value counts.
const MARK: (&str, &str) = KUDO_MANAGED;

/// Lists the owners that cannot be owner references, as a JSON list of texts.
pub const CLAIMS: &str = "fleetfold.dev/claims";

/// Lists the owners that found the object there, in the same form.
const ADOPTED: &str = "fleetfold.dev/adopted-by";

/// An owner of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    pub api_version: Text,
    pub kind: Text,
    pub name: Text,
    pub uid: Text,
    /// Of a namespaced owner.
    pub namespace: Option<Text>,
    /// Whether it is the object's controller.
    pub controller: bool,
}

/// The result of [`adopt`].
#[derive(Clone, Debug, PartialEq)]
pub struct Adoption {
    pub action: AdoptAction,
    /// The object as it should be; nothing when adopting is refused.
    pub object: Option<Value>,
    pub patch: Vec<Operation>,
    /// Why it is refused.
    pub differences: Vec<Difference>,
}

/// The action that makes an owner own an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdoptAction {
    Create,
    AppendOwner,
    None,
    Fatal,
}

impl AdoptAction {
    pub fn as_str(self) -> &'static str {
        match self {
            AdoptAction::Create => "create",
            AdoptAction::AppendOwner => "append-owner",
            AdoptAction::None => "none",
            AdoptAction::Fatal => "fatal",
        }
    }
}

/// The result of [`release`].
#[derive(Clone, Debug, PartialEq)]
pub struct Release {
    pub action: ReleaseAction,
    pub patch: Vec<Operation>,
}

/// The action that releases an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReleaseAction {
    Delete,
    RemoveOwner,
    None,
}

impl ReleaseAction {
    pub fn as_str(self) -> &'static str {
        match self {
            ReleaseAction::Delete => "delete",
            ReleaseAction::RemoveOwner => "remove-owner",
            ReleaseAction::None => "none",
        }
    }
}

/// Makes `owner` one of the owners of an object. Adopting twice changes nothing.
///
/// # Errors
///
/// The live object is another one, is being deleted, or has another controller while the owner must be it. In compat
/// mode also an owner that Kubernetes does not allow.
///
/// # Example
///
/// ```
/// use fleetfold_core::{diagnostic::Mode, engine::ownership::{AdoptAction, Owner, adopt}, value::json};
///
/// let owner = Owner {
///     api_version: "kudo.dev/v1beta1".into(),
///     kind: "Instance".into(),
///     name: "kafka".into(),
///     uid: "7a1e".into(),
///     namespace: Some("data".into()),
///     controller: false,
/// };
/// let settings = json::parse(r#"{"apiVersion":"v1","kind":"ConfigMap",
///     "metadata":{"name":"settings","namespace":"data"}}"#)?;
/// let created = adopt(&owner, &settings, None, Mode::Strict, &mut Vec::new())?;
/// assert_eq!(created.action, AdoptAction::Create);
/// let again = adopt(&owner, &settings, created.object.as_ref(), Mode::Strict, &mut Vec::new())?;
/// assert_eq!(again.action, AdoptAction::None);
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn adopt(
    owner: &Owner,
    desired: &Value,
    live: Option<&Value>,
    mode: Mode,
    out: &mut Vec<Diagnostic>,
) -> Result<Adoption, Error> {
    let claims = !may_own(owner, live.unwrap_or(desired));
    let illegal = claims.then(|| illegal_owner(owner, desired));
    if let (Some(message), Mode::Compat) = (&illegal, mode) {
        return Err(Error::new(Code::IllegalOwner, message.as_str()).at(["owner", "namespace"]));
    }
    if let Some(live) = live {
        refuse_unfit(owner, desired, live)?;
        let found = differences(&without_ownership(desired), live, None);
        if !found.is_empty() {
            return Ok(Adoption { action: AdoptAction::Fatal, object: None, patch: Vec::new(), differences: found });
        }
    }
    if let Some(message) = illegal {
        let hint = format!("the ownership is recorded in the annotation `{CLAIMS}`");
        out.push(Diagnostic::info(Code::OwnedByClaim, message).at(Pointer::of(["owner"])).hint(hint));
    }
    let Some(live) = live else {
        let mut object = desired.clone();
        add_owner(&mut object, owner, claims)?;
        annotate(&mut object, MARK.0, Some(MARK.1.into()));
        return Ok(Adoption {
            action: AdoptAction::Create,
            object: Some(object),
            patch: Vec::new(),
            differences: Vec::new(),
        });
    };
    let mut object = live.clone();
    if !holds(live, owner)? {
        add_owner(&mut object, owner, claims)?;
        if !is_marked(live) && mode == Mode::Strict {
            add_to(&mut object, ADOPTED, claim(owner))?;
        }
    }
    let patch = diff(live, &object);
    let action = if patch.is_empty() { AdoptAction::None } else { AdoptAction::AppendOwner };
    Ok(Adoption { action, object: Some(object), patch, differences: Vec::new() })
}

/// The object with its owner, and the path of the owner reference, or of the claim if a reference is illegal. None if
/// existing claims cannot be read.
///
/// # Example
///
/// ```
/// use fleetfold_core::{engine::ownership::{Owner, owned}, value::json};
///
/// let owner = Owner {
///     api_version: "kudo.dev/v1beta1".into(),
///     kind: "Instance".into(),
///     name: "kafka".into(),
///     uid: "7a1e".into(),
///     namespace: Some("data".into()),
///     controller: false,
/// };
/// let role = json::parse(r#"{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole",
///     "metadata":{"name":"kafka"}}"#)?;
/// let (role, path) = owned(&owner, &role).unwrap();
/// assert_eq!(path.to_string(), "/metadata/annotations/fleetfold.dev~1claims", "a namespaced owner needs a claim");
/// assert!(path.get(&role).is_some());
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn owned(owner: &Owner, desired: &Value) -> Option<(Value, Pointer)> {
    let claims = !may_own(owner, desired);
    let mut object = without_ownership(desired);
    add_owner(&mut object, owner, claims).ok()?;
    let place: &[&str] = if claims { &["metadata", "annotations", CLAIMS] } else { &["metadata", "ownerReferences"] };
    Some((object, Pointer::of(place.iter().copied())))
}

/// The object with the mark of one that was created here, and the path of the mark.
///
/// # Example
///
/// ```
/// use fleetfold_core::{engine::ownership::{is_marked, marked}, value::json};
///
/// let settings = json::parse(r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings"}}"#)?;
/// let (settings, path) = marked(&settings);
/// assert_eq!(path.to_string(), "/metadata/annotations/kudo.dev~1managed");
/// assert!(is_marked(&settings));
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn marked(object: &Value) -> (Value, Pointer) {
    let mut object = object.clone();
    annotate(&mut object, MARK.0, Some(MARK.1.into()));
    (object, Pointer::of(["metadata", "annotations", MARK.0]))
}

/// Removes `owner` from the owners of an object and decides whether the object is deleted. Other owners, by reference
/// or by claim, keep it.
///
/// # Example
///
/// ```
/// use fleetfold_core::engine::ownership::{Owner, ReleaseAction, adopt, release};
/// use fleetfold_core::{diagnostic::Mode, value::json};
///
/// let owner = Owner {
///     api_version: "kudo.dev/v1beta1".into(),
///     kind: "Instance".into(),
///     name: "kafka".into(),
///     uid: "7a1e".into(),
///     namespace: Some("data".into()),
///     controller: false,
/// };
/// let settings = json::parse(r#"{"apiVersion":"v1","kind":"ConfigMap",
///     "metadata":{"name":"settings","namespace":"data"}}"#)?;
/// let created = adopt(&owner, &settings, None, Mode::Strict, &mut Vec::new())?.object.unwrap();
/// let other = Owner { name: "zookeeper".into(), uid: "9c2f".into(), ..owner.clone() };
/// let shared = adopt(&other, &settings, Some(&created), Mode::Strict, &mut Vec::new())?.object.unwrap();
/// assert_eq!(release(&owner, &shared)?.action, ReleaseAction::RemoveOwner);
/// assert_eq!(release(&owner, &created)?.action, ReleaseAction::Delete, "the last owner deletes a created object");
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn release(owner: &Owner, live: &Value) -> Result<Release, Error> {
    let (is_held, is_recorded) = (holds(live, owner)?, read_list(live, ADOPTED)?.contains(&claim(owner)));
    if !is_held && !is_recorded {
        return Ok(Release { action: ReleaseAction::None, patch: Vec::new() });
    }
    let mut object = live.clone();
    let references: Vec<Value> = references(live).filter(|it| !is_reference(it, owner)).cloned().collect();
    let without = |key: &str| -> Result<Vec<Text>, Error> {
        Ok(read_list(live, key)?.into_iter().filter(|it| *it != claim(owner)).collect())
    };
    let (claims, adopted) = (without(CLAIMS)?, without(ADOPTED)?);
    let is_unclaimed = crate::seeded!(ClaimsDoNotHold, claims.is_empty(), true);
    if references.is_empty() && is_unclaimed && is_marked(live) && is_held {
        return Ok(Release { action: ReleaseAction::Delete, patch: Vec::new() });
    }
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_map_mut) {
        match references.is_empty() {
            true => metadata.remove("ownerReferences"),
            false => metadata.insert("ownerReferences", references),
        };
    }
    write_list(&mut object, CLAIMS, &claims);
    write_list(&mut object, ADOPTED, &adopted);
    Ok(Release { action: ReleaseAction::RemoveOwner, patch: diff(live, &object) })
}

/// A cluster-scoped owner may own anything, a namespaced one only objects in its namespace.
fn may_own(owner: &Owner, object: &Value) -> bool {
    owner.namespace.as_ref().is_none_or(|namespace| object.text_at(&["metadata", "namespace"]) == namespace)
}

fn illegal_owner(owner: &Owner, object: &Value) -> String {
    let namespace = object.text_at(&["metadata", "namespace"]);
    let place = if namespace.is_empty() {
        "a cluster-scoped object".into()
    } else {
        format!("an object in the namespace `{namespace}`")
    };
    format!("{} `{}` is namespaced and cannot own {place}", owner.kind, owner.name)
}

fn refuse_unfit(owner: &Owner, desired: &Value, live: &Value) -> Result<(), Error> {
    same_object(desired, live)?;
    if is_terminating(live) {
        let error = Error::new(Code::Terminating, "the live object is being deleted");
        return Err(error.at(["live", "metadata", "deletionTimestamp"]).hint("adopt it again once it is deleted"));
    }
    let controls = |it: &Value| it.get("controller") == Some(&Value::Bool(true)) && !is_reference(it, owner);
    match references(live).find(|it| owner.controller && controls(it)) {
        Some(other) => {
            let (kind, name) = (other.text_at(&["kind"]), other.text_at(&["name"]));
            let message = format!("the object is controlled by {kind} `{name}` already");
            Err(Error::new(Code::SecondController, message).at(["owner", "controller"]))
        }
        None => Ok(()),
    }
}

/// Who owns an object is not part of what it should be.
fn without_ownership(desired: &Value) -> Value {
    let mut object = desired.clone();
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_map_mut) {
        metadata.remove("ownerReferences");
    }
    for key in [MARK.0, CLAIMS, ADOPTED] {
        if desired.at(&["metadata", "annotations", key]).is_some() {
            annotate(&mut object, key, None);
        }
    }
    object
}

fn holds(object: &Value, owner: &Owner) -> Result<bool, Error> {
    Ok(references(object).any(|it| is_reference(it, owner)) || read_list(object, CLAIMS)?.contains(&claim(owner)))
}

/// Whether an object names the owner: by reference, by claim, or as one that adopted it. Lists that cannot be read name
/// none.
///
/// # Example
///
/// ```
/// use fleetfold_core::{engine::ownership::{Owner, names}, value::json};
///
/// let owner = Owner {
///     api_version: "kudo.dev/v1beta1".into(),
///     kind: "Instance".into(),
///     name: "kafka".into(),
///     uid: "7a1e".into(),
///     namespace: Some("data".into()),
///     controller: false,
/// };
/// let role = r#"{"metadata":{"annotations":{"fleetfold.dev/claims":"[\"Instance/data/kafka/7a1e\"]"}}}"#;
/// let role = json::parse(role)?;
/// assert!(names(&role, &owner));
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn names(object: &Value, owner: &Owner) -> bool {
    let listed = |key: &str| read_list(object, key).is_ok_and(|it| it.contains(&claim(owner)));
    references(object).any(|it| is_reference(it, owner)) || listed(CLAIMS) || listed(ADOPTED)
}

/// The claims on an object: `Kind/namespace/name/uid` each. Claims that cannot be read are none.
pub(crate) fn claims_on(object: &Value) -> Vec<Text> {
    read_list(object, CLAIMS).unwrap_or_default()
}

/// Whether the mark says that the object was created here.
pub fn is_marked(object: &Value) -> bool {
    object.text_at(&["metadata", "annotations", MARK.0]) == MARK.1
}

fn add_owner(object: &mut Value, owner: &Owner, claims: bool) -> Result<(), Error> {
    if claims {
        return add_to(object, CLAIMS, claim(owner));
    }
    let mut reference = Map::from_iter([
        ("apiVersion", Value::text(owner.api_version.clone())),
        ("kind", owner.kind.clone().into()),
        ("name", owner.name.clone().into()),
        ("uid", owner.uid.clone().into()),
    ]);
    if owner.controller {
        reference.insert("controller", true);
    }
    let mut all: Vec<Value> = references(object).cloned().collect();
    all.push(reference.into());
    if let Some(metadata) = metadata_mut(object) {
        metadata.insert("ownerReferences", all);
    }
    Ok(())
}

fn references(object: &Value) -> impl Iterator<Item = &Value> {
    object.at(&["metadata", "ownerReferences"]).and_then(Value::as_list).into_iter().flatten()
}

/// An owner is known by its uid: a new object of the same name is another one.
fn is_reference(reference: &Value, owner: &Owner) -> bool {
    reference.text_at(&["uid"]) == owner.uid
}

/// The entry of an owner in the annotations.
fn claim(owner: &Owner) -> Text {
    format!("{}/{}/{}/{}", owner.kind, owner.namespace.as_deref().unwrap_or(""), owner.name, owner.uid).into()
}

fn read_list(object: &Value, key: &str) -> Result<Vec<Text>, Error> {
    let Some(annotation) = object.at(&["metadata", "annotations", key]) else { return Ok(Vec::new()) };
    let list = annotation.as_text().and_then(|text| json::parse(text).ok());
    let list = list.as_ref().and_then(Value::as_list).map(|items| items.iter().map(|it| it.as_text().map(Text::from)));
    list.and_then(Iterator::collect).ok_or_else(|| {
        // Guessing here could delete what somebody still needs.
        let message = format!("the annotation `{key}` is not a JSON list of strings");
        Error::new(Code::BadClaims, message).at(Pointer::of(["live", "metadata", "annotations", key]))
    })
}

fn add_to(object: &mut Value, key: &str, entry: Text) -> Result<(), Error> {
    let mut all = read_list(object, key)?;
    if !all.contains(&entry) {
        all.push(entry);
    }
    sort(&mut all);
    write_list(object, key, &all);
    Ok(())
}

fn write_list(object: &mut Value, key: &str, entries: &[Text]) {
    let text = (!entries.is_empty()).then(|| Value::list(entries.iter().cloned()).to_canonical().into());
    if text.is_some() || object.at(&["metadata", "annotations", key]).is_some() {
        annotate(object, key, text);
    }
}

fn annotate(object: &mut Value, key: &str, text: Option<Value>) {
    let Some(metadata) = metadata_mut(object) else { return };
    let Some(annotations) = metadata.entry_or("annotations", || Map::new().into()) else { return };
    if annotations.is_null() {
        *annotations = Map::new().into();
    }
    let Some(map) = annotations.as_map_mut() else { return };
    match text {
        Some(text) => map.insert(key, text),
        None => map.remove(key),
    };
    if map.is_empty() {
        metadata.remove("annotations");
    }
}

fn metadata_mut(object: &mut Value) -> Option<&mut Map> {
    object.as_map_mut()?.entry_or("metadata", || Map::new().into())?.as_map_mut()
}
