//! Watches a kind: lists it, reports every change, and lists it again after an interruption.

use fleetfold_core::Value;
use futures::{Stream, StreamExt};
use kube::Resource;
use kube::api::{Api, DynamicObject, WatchParams};
use kube::core::{ApiResource, DynamicResourceScope, PartialObjectMeta};
use kube::runtime::WatchStreamExt;
use kube::runtime::watcher::{self, Event, watcher};
use serde::Serialize;
use tokio::task::AbortHandle;

use super::{ApiError, ApiKind, Cluster, read_json};
use crate::meta;

/// What a watch reports.
#[derive(Clone, Debug)]
pub enum WatchEvent {
    /// All current objects; the ones that are missing were deleted.
    Replaced(Vec<Value>),
    Changed(Value),
    Deleted(Value),
    /// The watch was interrupted and will be retried.
    Failed(ApiError),
}

/// A watch; dropping it ends the watch.
#[derive(Debug)]
pub struct Watch(AbortHandle);

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Cluster {
    /// Watches complete objects.
    pub fn watch(
        &self,
        api_kind: &ApiKind,
        label_selector: &str,
        on_event: impl Fn(WatchEvent) + Send + 'static,
    ) -> Watch {
        let (api, config) = (self.api::<DynamicObject>(api_kind, ""), config(label_selector));
        let api_kind = api_kind.clone();
        let read = move |object: DynamicObject| read(&api_kind, object);
        Watch(tokio::spawn(forward(watcher(api, config).default_backoff().boxed(), read, on_event)).abort_handle())
    }

    /// Watches metadata only: for kinds of which few objects are needed, so that no other contents are read.
    pub fn watch_metadata(
        &self,
        api_kind: &ApiKind,
        namespace: &str,
        label_selector: &str,
        on_event: impl Fn(WatchEvent) + Send + 'static,
    ) -> Watch {
        let (api, config) = (self.api::<PartialObjectMeta<DynamicObject>>(api_kind, namespace), config(label_selector));
        let api_kind = api_kind.clone();
        let read = move |object: PartialObjectMeta<DynamicObject>| read(&api_kind, object);
        Watch(tokio::spawn(forward(watcher(api, config).default_backoff().boxed(), read, on_event)).abort_handle())
    }

    /// Starts and ends a watch, to check the permission.
    pub async fn try_watch(&self, api_kind: &ApiKind, label_selector: &str) -> Result<(), ApiError> {
        let parameters = WatchParams::default().labels(label_selector).timeout(1);
        let api = self.api::<PartialObjectMeta<DynamicObject>>(api_kind, "");
        api.watch_metadata(&parameters, "0").await.map(drop).map_err(ApiError::from)
    }

    fn api<K>(&self, api_kind: &ApiKind, namespace: &str) -> Api<K>
    where
        K: Resource<DynamicType = ApiResource, Scope = DynamicResourceScope>,
    {
        let resource = api_kind.resource();
        match namespace {
            "" => Api::all_with(self.client(), &resource),
            namespace if api_kind.is_namespaced => Api::namespaced_with(self.client(), namespace, &resource),
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

async fn forward<K>(
    mut events: impl Stream<Item = watcher::Result<Event<K>>> + Unpin,
    read: impl Fn(K) -> Result<Value, ApiError>,
    on_event: impl Fn(WatchEvent),
) {
    let mut all = Vec::new();
    while let Some(event) = events.next().await {
        let reported = match event {
            Ok(Event::Init) => {
                all.clear();
                continue;
            }
            Ok(Event::InitApply(object)) => match read(object) {
                Ok(object) => {
                    all.push(object);
                    continue;
                }
                Err(error) => WatchEvent::Failed(error),
            },
            Ok(Event::InitDone) => WatchEvent::Replaced(std::mem::take(&mut all)),
            Ok(Event::Apply(object)) => read(object).map_or_else(WatchEvent::Failed, WatchEvent::Changed),
            Ok(Event::Delete(object)) => read(object).map_or_else(WatchEvent::Failed, WatchEvent::Deleted),
            Err(error) => WatchEvent::Failed(error.into()),
        };
        on_event(reported);
    }
}

/// Converts an object to an engine value; adds apiVersion and kind, which list items lack.
fn read<K: Resource + Serialize>(api_kind: &ApiKind, mut object: K) -> Result<Value, ApiError> {
    let unreadable =
        |problem: String| ApiError::Server { code: 0, message: format!("cannot read an object: {problem}") };
    object.meta_mut().managed_fields = None;
    let text = serde_json::to_string(&object).map_err(|error| unreadable(error.to_string()))?;
    let mut value = read_json(&text).map_err(unreadable)?;
    meta::set_type(&mut value, &api_kind.api_version, &api_kind.kind);
    Ok(value)
}
