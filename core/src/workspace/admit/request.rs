//! The `request` of an AdmissionReview. Unknown fields are ignored; the others must have the right types.

use crate::choice;
use crate::diagnostic::decode::Decode;
use crate::diagnostic::{Code, Error};
use crate::engine::authorize::Permission;
use crate::engine::authorize::rbac::User;
use crate::object::document::{Document, Identity};
use crate::object::identity::{group_of, is_terminating};
use crate::value::JsonPath;
use crate::value::collections::SortedMap;
use crate::value::path::Pointer;
use crate::value::{Map, Text, Value};

const ROOT: JsonPath = JsonPath::ROOT;

choice! {
    /// What is done to the object.
    #[derive(Default)]
    pub enum Operation {
        #[default]
        Create = "CREATE",
        Update = "UPDATE",
        Delete = "DELETE",
        Connect = "CONNECT",
    }
}

/// An object that somebody wants to make or to change.
#[derive(Debug)]
pub struct AdmissionRequest {
    pub identity: Identity,
    /// As it was; nothing where it is made.
    pub old: Option<Document>,
    pub new: Document,
    /// # Errors
    ///
    /// The requesting user. Missing user info matters only if a permission is needed.
    pub requester: Result<Requester, Error>,
}

/// The user of the request, with all data that an API server has.
#[derive(Clone, Debug, Default)]
pub struct Requester {
    pub user: User,
    uid: Option<Text>,
    extra: SortedMap<Text, Vec<Text>>,
}

/// The API group and the kind that the request is about.
///
/// # Errors
///
/// The request does not name it.
pub fn kind_of(request: &Value) -> Result<(Text, Text), Error> {
    let at = ROOT.key("request");
    if request.as_map().is_none() {
        return Err(at.wrong_type("the `request` of an AdmissionReview", request));
    }
    let kind: Map = field(request, "kind", &at)?;
    let (kind, at) = (Value::from(kind), at.key("kind"));
    let group: Option<Text> = field(&kind, "group", &at)?;
    Ok((group.unwrap_or_default(), field(&kind, "kind", &at)?))
}

/// # Errors
///
/// It is none of those that there are.
pub fn operation_of(request: &Value) -> Result<Operation, Error> {
    field(request, "operation", &ROOT.key("request"))
}

/// The part of the object that is written to; empty for all of it.
///
/// # Errors
///
/// It is not a string.
pub fn subresource_of(request: &Value) -> Result<Text, Error> {
    field::<Option<Text>>(request, "subResource", &ROOT.key("request")).map(Option::unwrap_or_default)
}

impl AdmissionRequest {
    /// # Errors
    ///
    /// There is no object, or it is not the one that the request names.
    pub fn read(request: &Value, operation: Operation, group: Text, kind: Text) -> Result<AdmissionRequest, Error> {
        let at = ROOT.key("request");
        let mut given = vec![("object", object(request, "object", &group, &kind)?)];
        if operation == Operation::Update {
            given.push(("oldObject", object(request, "oldObject", &group, &kind)?));
        }
        let identity = identity(request, &given, group, kind)?;
        let mut documents = given.into_iter().map(|(field, value)| document(value, &identity, &at.key(field)));
        let new = documents.next().transpose()?.ok_or_else(|| missing("object", &at))?;
        let old = documents.next().transpose()?;
        Ok(AdmissionRequest { old, new, requester: Requester::read(request), identity })
    }

    /// Whether nothing changes that a rule checks: a status, a finalizer or a label was written, or the object is being
    /// deleted and must not be blocked.
    pub fn is_quiet(&self) -> bool {
        let unchanged = |old: &Document| old.value.get("spec") == self.new.value.get("spec");
        self.old.as_ref().is_some_and(|old| unchanged(old) || is_terminating(&old.value))
    }

    /// Whether nothing changes that could affect a cluster: a status or a finalizer was written, or the object is being
    /// deleted.
    pub fn moves_nothing(&self) -> bool {
        let says = |it: &Value| {
            let mut said = it.as_map().cloned().unwrap_or_default();
            said.remove("status");
            let metadata = said.remove("metadata").unwrap_or_default();
            let marks = ["labels", "annotations"].map(|key| metadata.get(key).filter(|it| !it.is_empty()).cloned());
            (said, marks)
        };
        let is_same = |old: &Document| says(&old.value) == says(&self.new.value);
        self.old.as_ref().is_some_and(|it| is_terminating(&it.value) || is_same(it))
    }
}

/// A request to delete an object.
#[derive(Debug)]
pub struct DeleteRequest {
    pub identity: Identity,
    /// The object before the deletion, if the request has it.
    pub old: Option<Document>,
}

impl DeleteRequest {
    /// # Errors
    ///
    /// It is not the object that the request names, or the request names none.
    pub fn read(request: &Value, group: Text, kind: Text) -> Result<DeleteRequest, Error> {
        let at = ROOT.key("request");
        let given = match request.get("oldObject").filter(|it| !it.is_null()) {
            Some(_) => vec![("oldObject", object(request, "oldObject", &group, &kind)?)],
            None => Vec::new(),
        };
        let identity = identity(request, &given, group, kind)?;
        let old = given.into_iter().next().map(|(field, value)| document(value, &identity, &at.key(field)));
        Ok(DeleteRequest { old: old.transpose()?, identity })
    }
}

/// Which object the request is about.
fn identity(request: &Value, given: &[(&str, Value)], group: Text, kind: Text) -> Result<Identity, Error> {
    let name = agreed(request, "name", given)?;
    let namespace = agreed(request, "namespace", given)?.unwrap_or_default();
    let made_up = given.first().map_or("", |(_, it)| it.text_at(&["metadata", "generateName"]));
    let name = name.or_else(|| Some(Text::from(made_up)).filter(|it| !it.is_empty())).ok_or_else(|| {
        let place = given
            .first()
            .map_or(Pointer::of(["request", "name"]), |(it, _)| Pointer::of(["request", it, "metadata", "name"]));
        Error::new(Code::MissingField, format!("the {kind} has no name")).at(place)
    })?;
    Ok(Identity { kind, group, namespace, name })
}

impl Requester {
    fn read(request: &Value) -> Result<Requester, Error> {
        let at = ROOT.key("request");
        let info = Value::from(field::<Map>(request, "userInfo", &at)?);
        let at = at.key("userInfo");
        let name: Text = field(&info, "username", &at)?;
        if name.is_empty() {
            return Err(missing("username", &at));
        }
        // The server names all groups: none is implied.
        let groups: Option<Vec<Text>> = field(&info, "groups", &at)?;
        let extra: Option<SortedMap<Text, Vec<Text>>> = field(&info, "extra", &at)?;
        let user = User::new(name, Some(groups.unwrap_or_default()));
        Ok(Requester { user, uid: field(&info, "uid", &at)?, extra: extra.unwrap_or_default() })
    }

    /// The access review for a permission. Groups, UID and extra fields of the user are passed on: a token may carry
    /// fewer permissions than its user has.
    pub fn access_review(&self, permission: &Permission) -> Value {
        let mut review = permission.access_review(&self.user);
        if let Some(spec) = review.get_mut("spec").and_then(Value::as_map_mut) {
            if let Some(uid) = self.uid.as_ref().filter(|it| !it.is_empty()) {
                spec.insert("uid", uid.clone());
            }
            if !self.extra.is_empty() {
                let texts = |(key, texts): (&Text, &Vec<Text>)| (key.clone(), Value::list(texts.iter().cloned()));
                spec.insert("extra", Value::map(self.extra.iter().map(texts)));
            }
        }
        review
    }
}

fn field<T: Decode>(holder: &Value, name: &str, at: &JsonPath) -> Result<T, Error> {
    match holder.get(name) {
        Some(value) => T::decode(value.clone(), &at.key(name)),
        None => T::absent().ok_or_else(|| missing(name, at)),
    }
}

fn missing(name: &str, at: &JsonPath) -> Error {
    Error::new(Code::MissingField, format!("the field `{name}` is missing")).at(at.key(name))
}

/// An object of the kind that the request names.
fn object(request: &Value, name: &str, group: &str, kind: &str) -> Result<Value, Error> {
    let at = ROOT.key("request");
    let value = Value::from(field::<Map>(request, name, &at)?);
    if value.text_at(&["kind"]) == kind && group_of(value.text_at(&["apiVersion"])) == group {
        return Ok(value);
    }
    let message = format!("`{name}` is not the {kind} of `{group}` that the request is about");
    Err(Error::new(Code::WrongKind, message).at(at.key(name).key("kind")))
}

/// The name or the namespace that the request and its objects give; nothing where none does.
fn agreed(request: &Value, name: &str, given: &[(&str, Value)]) -> Result<Option<Text>, Error> {
    let at = ROOT.key("request");
    let said: Option<Text> = field(request, name, &at)?;
    let mut said = said.filter(|it| !it.is_empty());
    for (place, object) in given {
        let (at, none) = (at.key(place), Value::Null);
        let (metadata, at) = (object.get("metadata").unwrap_or(&none), at.key("metadata"));
        let its: Option<Text> = field(metadata, name, &at)?;
        let Some(its) = its.filter(|it| !it.is_empty()) else { continue };
        if said.as_ref().is_some_and(|it| *it != its) {
            let message = format!("`{place}` is not the object that the request is about: its {name} is another");
            return Err(Error::new(Code::IdentityMismatch, message).at(at.key(name)));
        }
        said = Some(its);
    }
    Ok(said)
}

fn document(mut value: Value, identity: &Identity, at: &JsonPath) -> Result<Document, Error> {
    // What the server fills in only later.
    let metadata = value.as_map_mut().and_then(|it| it.entry_or("metadata", || Map::new().into()));
    if let Some(metadata) = metadata.and_then(Value::as_map_mut) {
        metadata.insert("name", identity.name.clone());
        if !identity.namespace.is_empty() {
            metadata.insert("namespace", identity.namespace.clone());
        }
    }
    let documents = Document::from_value(&value, &Pointer::root(), &mut Vec::new());
    let mut documents = documents.into_iter().filter(|it| it.identity == *identity);
    documents.next().ok_or_else(|| {
        let message = format!("this is not the {} `{}`", identity.kind, identity.name);
        Error::new(Code::NotAnObject, message).at(at)
    })
}
