//! A fleet in memory: it answers what a plan needs, does what a plan says, and looks again. It does what an API server
//! would as far as plans can see it: uids, versions, finalizers, and the garbage collector.

#![allow(dead_code, reason = "each story uses its own part of it")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use fleetfold_core::Value;
use fleetfold_core::Workspace;
use fleetfold_core::api::effective::{Effective, EffectiveAnswer};
use fleetfold_core::api::explain::{Explain, ExplainAnswer};
use fleetfold_core::api::lint::Lint;
use fleetfold_core::api::load::{Load, Unload};
use fleetfold_core::api::patch::OperationAnswer;
use fleetfold_core::api::plan::{ActionAnswer, PlanAnswer, PlanRequest, TargetAnswer};
use fleetfold_core::api::subjects::{SubjectAnswer, Subjects};
use fleetfold_core::api::{Answered, Finding, Op, Refusal, read_response, request_text};
use fleetfold_core::diagnostic::Mode;
use fleetfold_core::engine::patch::{Operation, Verb, patch};
use fleetfold_core::object::Redacted;
use fleetfold_core::object::group_of;
use fleetfold_core::object::{Identity, Reference};
use fleetfold_core::value::json;
use fleetfold_core::value::{Map, Text};
use fleetfold_core::yaml;

/// The time that plans are given.
pub const NOW: &str = "2026-01-01T00:00:00Z";

#[derive(Default)]
pub struct Fleet {
    pub workspace: Workspace,
    /// What the clusters hold; the hub is the one without a name.
    clusters: BTreeMap<String, BTreeMap<Identity, Value>>,
    /// Clusters that answer nothing.
    unreachable: Vec<String>,
    counter: u64,
}

/// Reads JSON that a test has written.
pub fn value(text: &str) -> Value {
    json::parse(text).unwrap_or_else(|error| panic!("{error:?} in {text}"))
}

/// A folder below `examples`.
pub fn examples(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(name)
}

/// Every YAML file of a folder, in the order of names, with its path below the folder.
pub fn files(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    collect(folder, "", &mut found);
    found.sort();
    found
}

fn collect(folder: &Path, below: &str, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())).flatten() {
        let name = format!("{below}{}", entry.file_name().to_string_lossy());
        match entry.path() {
            path if path.is_dir() => collect(&path, &format!("{name}/"), found),
            path if name.ends_with(".yaml") => found.push((name, fs::read_to_string(path).unwrap())),
            _ => {}
        }
    }
}

/// The answer to a request, or its refusal. Both are types here and JSON on the way, as for a host of the module.
#[track_caller]
pub fn ask<O: Op>(workspace: &mut Workspace, request: O) -> Result<Answered<O::Answer>, Refusal> {
    let response = workspace.call_text(&request_text(&request));
    read_response::<O>(&response).unwrap_or_else(|error| panic!("{error} in {response}"))
}

impl Fleet {
    /// The example of this name: its documents, and what its `live` folder says is in the clusters.
    pub fn example(name: &str) -> Fleet {
        let mut fleet = Fleet::default();
        for (file, text) in files(&examples(name)) {
            fleet.load(&file, &text);
        }
        fleet
    }

    /// Takes in one file of an example.
    pub fn load(&mut self, file: &str, text: &str) {
        match file.strip_prefix("live/").and_then(|rest| rest.split_once('/')) {
            Some((cluster, _)) => {
                let cluster = if cluster == "_hub" { "" } else { cluster };
                for object in documents(text) {
                    self.put(cluster, object);
                }
            }
            None => {
                self.call(Load { file: Some(file.into()), text: Some(text.into()), ..Load::default() });
            }
        }
    }

    /// Takes in a file of an example that is not loaded with the rest.
    pub fn load_file(&mut self, path: &Path) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        self.load(&name, &fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())));
    }

    /// The answer to a request, or its refusal.
    #[track_caller]
    pub fn ask<O: Op>(&mut self, request: O) -> Result<Answered<O::Answer>, Refusal> {
        ask(&mut self.workspace, request)
    }

    /// The answer to a request and its findings; panics with the refusal.
    #[track_caller]
    pub fn answered<O: Op>(&mut self, request: O) -> Answered<O::Answer> {
        let text = request_text(&request);
        self.ask(request).unwrap_or_else(|refusal| panic!("{text} → {refusal}"))
    }

    /// The answer to a request; panics with the refusal.
    #[track_caller]
    pub fn call<O: Op>(&mut self, request: O) -> O::Answer {
        self.answered(request).answer
    }

    /// The codes of the findings beside an answer.
    #[track_caller]
    pub fn codes<O: Op>(&mut self, request: O) -> Vec<Text> {
        self.answered(request).findings.into_iter().map(|it| it.code).collect()
    }

    /// The findings of `lint`.
    pub fn lint(&mut self) -> Vec<Finding> {
        self.answered(Lint::default()).findings
    }

    /// Loads documents.
    #[track_caller]
    pub fn load_documents(&mut self, documents: impl IntoIterator<Item = Value>) {
        self.call(load(documents));
    }

    /// Unloads the documents that these references name.
    #[track_caller]
    pub fn unload<T: Into<Text>>(&mut self, refs: impl IntoIterator<Item = T>) {
        self.call(unload(refs));
    }

    pub fn subjects(&mut self) -> Vec<SubjectAnswer> {
        self.call(Subjects::default()).subjects
    }

    /// What every cluster gets from a subject.
    #[track_caller]
    pub fn effective(&mut self, subject: &str) -> EffectiveAnswer {
        self.call(effective(subject))
    }

    /// Why a value of an only object, or an option, of a cluster is what it is.
    #[track_caller]
    pub fn explain(&mut self, subject: &str, cluster: &str, path: &str) -> ExplainAnswer {
        let path = Some(path.into());
        self.call(Explain { path, subject: Some(subject.into()), cluster: Some(cluster.into()), ..Explain::default() })
    }

    /// Puts an object into a cluster, as somebody else would.
    pub fn put(&mut self, cluster: &str, mut object: Value) {
        let identity = Identity::of(&object).unwrap_or_else(|error| panic!("{error:?}"));
        self.stamp(&mut object);
        self.clusters.entry(cluster.into()).or_default().insert(identity, object);
        self.forget(cluster);
    }

    /// Changes an object of a cluster, as somebody else would.
    pub fn edit(&mut self, cluster: &str, name: &str, edit: impl FnOnce(&mut Value)) {
        let mut object = self.get(cluster, name).unwrap_or_else(|| panic!("no {name} in `{cluster}`")).clone();
        edit(&mut object);
        self.put(cluster, object);
    }

    /// Takes an object out of a cluster, as somebody else would.
    pub fn drop(&mut self, cluster: &str, name: &str) {
        let objects = self.clusters.entry(cluster.into()).or_default();
        objects.retain(|identity, _| identity.to_string() != name);
        self.forget(cluster);
    }

    /// An object of a cluster, by `Kind/namespace/name`; of the hub also a document.
    pub fn get(&self, cluster: &str, name: &str) -> Option<&Value> {
        self.clusters.get(cluster)?.iter().find(|(identity, _)| identity.to_string() == name).map(|(_, it)| it)
    }

    /// The names of all objects of a cluster.
    pub fn names(&self, cluster: &str) -> Vec<String> {
        self.clusters.get(cluster).into_iter().flatten().map(|(identity, _)| identity.to_string()).collect()
    }

    pub fn set_unreachable(&mut self, cluster: &str) {
        self.unreachable.push(cluster.into());
    }

    /// What was seen there no longer holds.
    fn forget(&mut self, cluster: &str) {
        if self.unreachable.iter().any(|it| it == cluster) {
            return;
        }
        let objects: Vec<Value> = self.clusters.get(cluster).into_iter().flatten().map(|(_, it)| it.clone()).collect();
        self.call(observed(cluster, objects));
    }

    /// A plan whose needs are met, as far as clusters can be reached.
    pub fn plan(&mut self) -> PlanAnswer {
        for _ in 0..8 {
            let plan = self.call(PlanRequest { now: Some(NOW.into()), reveal: Some(true), ..PlanRequest::default() });
            let mut clusters: Vec<&Text> = plan.needs.iter().map(|it| &it.cluster).collect();
            clusters.dedup();
            clusters.retain(|cluster| !self.unreachable.iter().any(|it| it == *cluster));
            if clusters.is_empty() {
                return plan;
            }
            clusters.into_iter().for_each(|cluster| self.forget(cluster));
        }
        panic!("the needs of the plan are never met");
    }

    /// Does what a plan says: its actions by wave, then its statuses.
    pub fn apply(&mut self, plan: &PlanAnswer) {
        for action in &plan.actions {
            self.act(action);
        }
        for status in &plan.status {
            self.change("", &status.target, |object| {
                if let Some(map) = object.as_map_mut() {
                    map.insert("status", Value::clone(&status.status));
                }
            });
        }
        self.collect_garbage();
    }

    fn act(&mut self, action: &ActionAnswer) {
        let cluster = action.cluster.as_str();
        match action.verb.as_str() {
            "create" => {
                let mut body = action.body.0.clone().map(Redacted::into_value).unwrap_or_default();
                let identity = Identity::of(&body).unwrap();
                let objects = self.clusters.entry(cluster.into()).or_default();
                assert!(!objects.contains_key(&identity), "{identity} is there already");
                self.stamp(&mut body);
                self.clusters.entry(cluster.into()).or_default().insert(identity, body);
                self.forget(cluster);
            }
            "patch" => {
                let operations: Vec<Operation> = action.patch.iter().flatten().map(operation).collect();
                self.change(cluster, &action.target, |object| {
                    let patched = patch(std::mem::take(object), &operations, Mode::Strict, &mut Vec::new());
                    *object = patched.unwrap_or_else(|error| panic!("{error:?} for {action:?}"));
                });
            }
            "delete" => self.delete(cluster, &identity_of(&action.target)),
            verb => panic!("no verb {verb}"),
        }
    }

    /// Changes a live object, or the document that it is.
    fn change(&mut self, cluster: &str, target: &TargetAnswer, edit: impl FnOnce(&mut Value)) {
        let identity = identity_of(target);
        let found = self.clusters.get_mut(cluster).and_then(|it| it.remove(&identity));
        match found {
            Some(mut object) => {
                edit(&mut object);
                self.stamp(&mut object);
                if !is_gone(&object) {
                    self.clusters.entry(cluster.into()).or_default().insert(identity, object);
                }
                self.forget(cluster);
            }
            None => {
                assert!(cluster.is_empty(), "{identity} is not in `{cluster}`");
                let mut document = self.document(&identity);
                edit(&mut document);
                self.stamp(&mut document);
                if is_gone(&document) {
                    self.unload([identity.to_string()]);
                } else {
                    self.load_documents([document]);
                }
            }
        }
    }

    /// A document that is loaded.
    pub fn document(&self, identity: &Identity) -> Value {
        let found = self.workspace.document(identity);
        found.unwrap_or_else(|| panic!("{identity} is not loaded")).value.clone()
    }

    /// The document that a reference names.
    #[track_caller]
    pub fn document_named(&self, name: &str) -> Value {
        let reference = Reference::parse(name).unwrap();
        self.workspace.find(&reference).unwrap_or_else(|error| panic!("{error}")).value.clone()
    }

    fn delete(&mut self, cluster: &str, identity: &Identity) {
        let objects = self.clusters.entry(cluster.into()).or_default();
        let object = objects.get_mut(identity).unwrap_or_else(|| panic!("{identity} is not in `{cluster}`"));
        if has_finalizers(object) {
            mark_deleted(object);
        } else {
            objects.remove(identity);
        }
        self.forget(cluster);
    }

    /// Marks a document as being deleted, as `kubectl delete` does while it has finalizers.
    pub fn start_deleting(&mut self, name: &str) {
        let mut document = self.document_named(name);
        mark_deleted(&mut document);
        self.load_documents([document]);
    }

    /// Objects of the hub whose owners are all gone go too.
    pub fn collect_garbage(&mut self) {
        let mut uids: Vec<Text> = Vec::new();
        for document in self.workspace.documents() {
            uids.push(document.value.text_at(&["metadata", "uid"]).into());
        }
        let objects = self.clusters.entry(String::new()).or_default();
        uids.extend(objects.values().map(|it| Text::from(it.text_at(&["metadata", "uid"]))));
        let orphans: Vec<Identity> =
            objects.iter().filter(|(_, it)| is_orphan(it, &uids)).map(|(it, _)| it.clone()).collect();
        for identity in &orphans {
            self.delete("", identity);
        }
    }

    fn stamp(&mut self, object: &mut Value) {
        self.counter += 1;
        let counter = self.counter;
        let Some(metadata) = object.as_map_mut().and_then(|it| it.entry_or("metadata", || Map::new().into())) else {
            return;
        };
        let Some(metadata) = metadata.as_map_mut() else { return };
        if metadata.get("uid").is_none() {
            metadata.insert("uid", format!("uid-{counter}"));
        }
        metadata.insert("resourceVersion", counter.to_string());
    }

    /// Plans and applies until nothing is left to do; answers how many rounds that took. The actions must be done after
    /// the first one unless the story says otherwise.
    #[track_caller]
    pub fn settle(&mut self) -> usize {
        for round in 0..10 {
            let plan = self.plan();
            if plan.actions.is_empty() && plan.status.is_empty() {
                return round;
            }
            self.apply(&plan);
        }
        panic!("the fleet never settles: {:?}", self.plan());
    }

    /// Plans, applies, and requires that the next plan has nothing to do; answers the first plan.
    #[track_caller]
    pub fn settle_at_once(&mut self) -> PlanAnswer {
        let plan = self.plan();
        self.apply(&plan);
        let next = self.plan();
        assert!(next.actions.is_empty(), "left to do: {next:?}");
        self.settle();
        plan
    }
}

/// The actions of a plan, one line each: `wave verb cluster Kind/namespace/name`.
pub fn actions(plan: &PlanAnswer) -> Vec<String> {
    let line = |it: &ActionAnswer| {
        format!("{} {} {} {}", it.wave, it.verb, it.cluster, identity_of(&it.target)).replace("  ", " ")
    };
    plan.actions.iter().map(line).collect()
}

/// Why the held actions of a plan are held.
#[track_caller]
pub fn held(plan: &PlanAnswer) -> Vec<Text> {
    plan.held.iter().map(|it| it.held.as_ref().expect("a held action has a reason").code.clone()).collect()
}

/// A request to load documents.
pub fn load(documents: impl IntoIterator<Item = Value>) -> Load {
    Load { documents: Some(documents.into_iter().collect()), ..Load::default() }
}

/// A request to load all objects of a cluster.
pub fn observed(cluster: &str, objects: Vec<Value>) -> Load {
    let (live, complete) = (Some(cluster.into()), Some(true));
    Load { live, complete, documents: Some(objects), ..Load::default() }
}

pub fn unload<T: Into<Text>>(refs: impl IntoIterator<Item = T>) -> Unload {
    Unload { refs: refs.into_iter().map(Into::into).collect() }
}

pub fn effective(subject: &str) -> Effective {
    Effective { subject: subject.into(), ..Effective::default() }
}

/// A request for a plan at [`NOW`], with the contents of Secrets masked.
pub fn plan_now() -> PlanRequest {
    PlanRequest { now: Some(NOW.into()), ..PlanRequest::default() }
}

/// The items of a list of a Kubernetes object.
pub fn list(object: &Value, key: &str) -> Vec<Value> {
    object.get(key).and_then(Value::as_list).cloned().unwrap_or_default()
}

/// The documents of a YAML text.
pub fn documents(text: &str) -> Vec<Value> {
    let parsed = yaml::parse_each(text, Mode::Strict, &mut Vec::new());
    parsed
        .into_iter()
        .map(|it| it.unwrap_or_else(|_| panic!("not YAML: {text}")).value)
        .filter(|it| !it.is_null())
        .collect()
}

fn identity_of(target: &TargetAnswer) -> Identity {
    let TargetAnswer { api_version, kind, name, namespace } = target.clone();
    Identity { kind, group: group_of(&api_version).into(), namespace: namespace.unwrap_or_default(), name }
}

fn operation(answer: &OperationAnswer) -> Operation {
    let OperationAnswer { op: verb, path, value } = answer.clone();
    assert!(matches!(verb, Verb::Add | Verb::Remove | Verb::Replace), "no operation {}", verb.as_str());
    Operation::written(verb, path, value.0.map(Redacted::into_value))
}

fn has_finalizers(object: &Value) -> bool {
    object.at(&["metadata", "finalizers"]).and_then(Value::as_list).is_some_and(|it| !it.is_empty())
}

fn is_gone(object: &Value) -> bool {
    object.at(&["metadata", "deletionTimestamp"]).is_some() && !has_finalizers(object)
}

fn mark_deleted(object: &mut Value) {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_map_mut) {
        metadata.insert("deletionTimestamp", NOW);
    }
}

fn is_orphan(object: &Value, uids: &[Text]) -> bool {
    let owners = object.at(&["metadata", "ownerReferences"]).and_then(Value::as_list);
    owners.is_some_and(|owners| {
        !owners.is_empty() && owners.iter().all(|it| !uids.iter().any(|uid| uid == it.text_at(&["uid"])))
    })
}
