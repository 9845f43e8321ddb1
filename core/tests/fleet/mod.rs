//! A fleet in memory: it answers what a plan needs, does what a plan says, and looks again. It does what an API server
//! would as far as plans can see it: uids, versions, finalizers, and the garbage collector.

#![allow(dead_code, reason = "each story uses its own part of it")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use fleetfold_core::Value;
use fleetfold_core::Workspace;
use fleetfold_core::diagnostic::Mode;
use fleetfold_core::engine::patch::{Operation, Verb, patch};
use fleetfold_core::object::document::Identity;
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
                let request = Value::map([("op", Value::text("load")), ("file", file.into()), ("text", text.into())]);
                self.ok(request);
            }
        }
    }

    /// Takes in a file of an example that is not loaded with the rest.
    pub fn load_file(&mut self, path: &Path) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        self.load(&name, &fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())));
    }

    /// The answer to a request, whatever it is.
    pub fn ask(&mut self, request: Value) -> Value {
        value(&self.workspace.call_text(&request.to_canonical()))
    }

    /// The answer to a request that must be answered.
    #[track_caller]
    pub fn ok(&mut self, request: Value) -> Value {
        let answer = self.ask(request.clone());
        match answer.get("ok") {
            Some(ok) => ok.clone(),
            None => panic!("{} → {}", request.to_canonical(), answer.to_canonical()),
        }
    }

    /// The same for a request that is written as JSON.
    #[track_caller]
    pub fn call(&mut self, request: &str) -> Value {
        self.ok(value(request))
    }

    /// The diagnostics of a request that must be answered.
    #[track_caller]
    pub fn told(&mut self, request: &str) -> Vec<String> {
        let answer = self.ask(value(request));
        assert!(answer.get("ok").is_some(), "{request} → {}", answer.to_canonical());
        let found = answer.get("diagnostics").and_then(Value::as_list).into_iter().flatten();
        found.map(|it| it.text_at(&["code"]).to_string()).collect()
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
        let request = Value::map([
            ("op", Value::text("load")),
            ("live", cluster.into()),
            ("complete", true.into()),
            ("documents", Value::list(objects)),
        ]);
        self.ok(request);
    }

    /// A plan whose needs are met, as far as clusters can be reached.
    pub fn plan(&mut self) -> Value {
        for _ in 0..8 {
            let plan = self.ok(value(&format!(r#"{{"op":"plan","now":"{NOW}","reveal":true}}"#)));
            let needs = plan.get("needs").and_then(Value::as_list).cloned().unwrap_or_default();
            let mut clusters: Vec<&str> = needs.iter().map(|it| it.text_at(&["cluster"])).collect();
            clusters.dedup();
            clusters.retain(|cluster| !self.unreachable.iter().any(|it| it == cluster));
            if clusters.is_empty() {
                return plan;
            }
            let clusters: Vec<String> = clusters.into_iter().map(String::from).collect();
            clusters.iter().for_each(|cluster| self.forget(cluster));
        }
        panic!("the needs of the plan are never met");
    }

    /// Does what a plan says: its actions by wave, then its statuses.
    pub fn apply(&mut self, plan: &Value) {
        for action in list(plan, "actions") {
            self.act(&action);
        }
        for status in list(plan, "status") {
            let target = status.get("target").unwrap_or_else(|| panic!("a status without a target"));
            let wanted = status.get("status").cloned().unwrap_or_default();
            self.change("", target, |object| {
                if let Some(map) = object.as_map_mut() {
                    map.insert("status", wanted);
                }
            });
        }
        self.collect_garbage();
    }

    fn act(&mut self, action: &Value) {
        let (cluster, verb) = (action.text_at(&["cluster"]).to_string(), action.text_at(&["verb"]));
        let target = action.get("target").unwrap_or_else(|| panic!("an action without a target"));
        match verb {
            "create" => {
                let mut body = action.get("body").cloned().unwrap_or_default();
                let identity = Identity::of(&body).unwrap();
                let objects = self.clusters.entry(cluster.clone()).or_default();
                assert!(!objects.contains_key(&identity), "{identity} is there already");
                self.stamp(&mut body);
                self.clusters.entry(cluster.clone()).or_default().insert(identity, body);
                self.forget(&cluster);
            }
            "patch" => {
                let operations: Vec<Operation> = list(action, "patch").iter().map(operation).collect();
                self.change(&cluster, target, |object| {
                    let patched = patch(std::mem::take(object), &operations, Mode::Strict, &mut Vec::new());
                    *object = patched.unwrap_or_else(|error| panic!("{error:?} for {}", action.to_canonical()));
                });
            }
            "delete" => self.delete(&cluster, &identity_of(target)),
            verb => panic!("no verb {verb}"),
        }
    }

    /// Changes a live object, or the document that it is.
    fn change(&mut self, cluster: &str, target: &Value, edit: impl FnOnce(&mut Value)) {
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
                    self.ok(Value::map([("op", Value::text("unload")), ("refs", Value::list([identity.to_string()]))]));
                } else {
                    self.ok(Value::map([("op", Value::text("load")), ("documents", Value::list([document]))]));
                }
            }
        }
    }

    /// A document that is loaded.
    pub fn document(&self, identity: &Identity) -> Value {
        let found = self.workspace.document(identity);
        found.unwrap_or_else(|| panic!("{identity} is not loaded")).value.clone()
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
        let reference = fleetfold_core::object::document::Reference::parse(name).unwrap();
        let mut document = self.workspace.find(&reference).unwrap().value.clone();
        mark_deleted(&mut document);
        self.ok(Value::map([("op", Value::text("load")), ("documents", Value::list([document]))]));
    }

    /// Objects of the hub whose owners are all gone go too.
    fn collect_garbage(&mut self) {
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
            if list(&plan, "actions").is_empty() && list(&plan, "status").is_empty() {
                return round;
            }
            self.apply(&plan);
        }
        panic!("the fleet never settles: {}", self.plan().to_canonical());
    }

    /// Plans, applies, and requires that the next plan has nothing to do; answers the first plan.
    #[track_caller]
    pub fn settle_at_once(&mut self) -> Value {
        let plan = self.plan();
        self.apply(&plan);
        let next = self.plan();
        assert!(list(&next, "actions").is_empty(), "left to do: {}", next.to_canonical());
        self.settle();
        plan
    }
}

/// The actions of a plan, one line each: `wave verb cluster Kind/namespace/name`.
pub fn actions(plan: &Value) -> Vec<String> {
    let line = |it: &Value| {
        let (wave, target) = (it.get("wave").and_then(Value::as_int).unwrap_or(-1), it.get("target").unwrap());
        format!("{wave} {} {} {}", it.text_at(&["verb"]), it.text_at(&["cluster"]), identity_of(target))
            .replace("  ", " ")
    };
    list(plan, "actions").iter().map(line).collect()
}

pub fn list(value: &Value, key: &str) -> Vec<Value> {
    value.get(key).and_then(Value::as_list).cloned().unwrap_or_default()
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

fn identity_of(target: &Value) -> Identity {
    let text = |key: &str| Text::from(target.text_at(&[key]));
    let group = text("apiVersion").rsplit_once('/').map(|(group, _)| Text::from(group)).unwrap_or_default();
    Identity { kind: text("kind"), group, namespace: text("namespace"), name: text("name") }
}

fn operation(value: &Value) -> Operation {
    let verb = match value.text_at(&["op"]) {
        "add" => Verb::Add,
        "remove" => Verb::Remove,
        "replace" => Verb::Replace,
        other => panic!("no operation {other}"),
    };
    Operation { verb, path: value.text_at(&["path"]).into(), from: None, value: value.get("value").cloned() }
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
