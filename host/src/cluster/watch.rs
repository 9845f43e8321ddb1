//! Watching a kind: first everything that is there, then every change, and everything again after an interruption.

use fleetfold_core::Value;
use futures::{Stream, StreamExt};
use kube::Resource;
use kube::api::{Api, DynamicObject, WatchParams};
use kube::core::{ApiResource, DynamicResourceScope, PartialObjectMeta};
use kube::runtime::WatchStreamExt;
use kube::runtime::watcher::{self, Event, watcher};
use serde_json::json;
use tokio::task::AbortHandle;

use super::{Cluster, Fault, Served, stripped};

/// What a watch tells.
#[derive(Clone, Debug)]
pub enum Sighting {
    /// All that there is now: what was told before and is not among it is gone.
    All(Vec<Value>),
    Changed(Value),
    Gone(Value),
    /// The watch is interrupted, and tried again.
    Failed(Fault),
}

/// A watch that ends when it is let go.
#[derive(Debug)]
pub struct Watch(AbortHandle);

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Cluster {
    /// Watches whole objects.
    pub fn watch(&self, served: &Served, label_selector: &str, tell: impl Fn(Sighting) + Send + 'static) -> Watch {
        let (api, config) = (self.api::<DynamicObject>(served, ""), config(label_selector));
        let served = served.clone();
        let read = move |object: DynamicObject| read(&served, serde_json::to_value(object));
        Watch(tokio::spawn(follow(watcher(api, config).default_backoff().boxed(), read, tell)).abort_handle())
    }

    /// Watches names, labels and versions alone: for kinds of which few objects matter, and of which no content should be
    /// read that nobody asked for.
    pub fn watch_metadata(
        &self,
        served: &Served,
        namespace: &str,
        label_selector: &str,
        tell: impl Fn(Sighting) + Send + 'static,
    ) -> Watch {
        let (api, config) = (self.api::<PartialObjectMeta<DynamicObject>>(served, namespace), config(label_selector));
        let served = served.clone();
        let read = move |it: PartialObjectMeta<DynamicObject>| read(&served, Ok(json!({ "metadata": it.metadata })));
        Watch(tokio::spawn(follow(watcher(api, config).default_backoff().boxed(), read, tell)).abort_handle())
    }

    /// Begins a watch and lets it go, to find out whether it can be.
    ///
    /// # Errors
    ///
    /// It cannot.
    pub async fn try_watch(&self, served: &Served, label_selector: &str) -> Result<(), Fault> {
        let parameters = WatchParams::default().labels(label_selector).timeout(1);
        let api = self.api::<PartialObjectMeta<DynamicObject>>(served, "");
        api.watch_metadata(&parameters, "0").await.map(drop).map_err(Fault::from)
    }

    fn api<K>(&self, served: &Served, namespace: &str) -> Api<K>
    where
        K: Resource<DynamicType = ApiResource, Scope = DynamicResourceScope>,
    {
        let resource = served.resource();
        match namespace {
            "" => Api::all_with(self.client(), &resource),
            namespace if served.is_namespaced => Api::namespaced_with(self.client(), namespace, &resource),
            _ => Api::all_with(self.client(), &resource),
        }
    }
}

fn config(label_selector: &str) -> watcher::Config {
    if label_selector.is_empty() {
        watcher::Config::default()
    } else {
        watcher::Config::default().labels(label_selector)
    }
}

async fn follow<K>(
    mut events: impl Stream<Item = watcher::Result<Event<K>>> + Unpin,
    read: impl Fn(K) -> Result<Value, Fault>,
    tell: impl Fn(Sighting),
) {
    let mut all = Vec::new();
    while let Some(event) = events.next().await {
        let told = match event {
            Ok(Event::Init) => {
                all.clear();
                continue;
            }
            Ok(Event::InitApply(object)) => match read(object) {
                Ok(object) => {
                    all.push(object);
                    continue;
                }
                Err(fault) => Sighting::Failed(fault),
            },
            Ok(Event::InitDone) => Sighting::All(std::mem::take(&mut all)),
            Ok(Event::Apply(object)) => read(object).map_or_else(Sighting::Failed, Sighting::Changed),
            Ok(Event::Delete(object)) => read(object).map_or_else(Sighting::Failed, Sighting::Gone),
            Err(error) => Sighting::Failed(error.into()),
        };
        tell(told);
    }
}

/// The object as the engine takes it, saying what it is: the items of a list do not.
fn read(served: &Served, object: serde_json::Result<serde_json::Value>) -> Result<Value, Fault> {
    let unreadable =
        |problem: String| Fault::Server { code: 0, message: format!("an object cannot be read: {problem}") };
    let mut object = object.map_err(|error| unreadable(error.to_string()))?;
    if let Some(metadata) = object.get_mut("metadata").and_then(serde_json::Value::as_object_mut) {
        metadata.remove("managedFields");
    }
    object["apiVersion"] = served.api_version.as_str().into();
    object["kind"] = served.kind.as_str().into();
    crate::answer::read(&object.to_string()).map(stripped).map_err(unreadable)
}
