//! The live objects that the planner needs, kept up to date.
//!
//! Each need is fetched once. From then on a metadata watch detects changes, and an object whose resourceVersion
//! changed is fetched again. The cache holds versions; the objects themselves are in the engine.

mod need;

pub use need::{Need, WatchScope};

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use fleetfold_core::Value;
use fleetfold_core::object::Identity;

use super::backoff::Backoff;
use super::events::EventSender;
use crate::cluster::{ApiError, ApiKind, Cluster, Listed, Watch, WatchEvent};
use crate::meta::Meta;
use crate::target::Target;

/// What the tasks of the cache report.
#[derive(Debug)]
pub enum LiveEvent {
    /// A fetch ended.
    Fetched { cluster: String, need: Need, result: Result<Fetched, ApiError> },
    /// A watch reported something.
    Watch { cluster: String, scope: WatchScope, event: WatchEvent },
}

/// The result of a fetch.
#[derive(Debug)]
pub struct Fetched {
    pub listed: Listed,
    /// Nothing where the server does not serve the kind.
    pub api_kind: Option<ApiKind>,
}

#[derive(Debug)]
enum Progress {
    /// Since when, with the backoff of an earlier failure.
    Fetching(Instant, Option<Backoff>),
    Fetched,
    Failed(ApiError, Backoff),
}

#[derive(Debug, Default)]
struct Watched {
    watch: Option<Watch>,
    /// Every object in scope is needed, not only the named ones.
    needs_all: bool,
    names: BTreeSet<String>,
}

/// The cache of one cluster.
#[derive(Debug, Default)]
struct ClusterCache {
    needs: BTreeMap<Need, Progress>,
    /// The resourceVersion of every loaded object.
    versions: BTreeMap<Identity, String>,
    scopes: BTreeMap<WatchScope, Watched>,
}

#[derive(Debug)]
pub struct LiveCache {
    events: EventSender<LiveEvent>,
    clusters: BTreeMap<String, ClusterCache>,
    /// Whether fetched objects are watched from then on.
    watches: bool,
}

impl LiveCache {
    pub fn new(events: EventSender<LiveEvent>, watches: bool) -> LiveCache {
        LiveCache { events, clusters: BTreeMap::new(), watches }
    }

    /// Fetches what the planner needs, unless that is in progress or backing off.
    pub fn request(&mut self, cluster: &Cluster, need: Need) {
        let cache = self.clusters.entry(cluster.name().to_owned()).or_default();
        let earlier = match cache.needs.get(&need) {
            Some(Progress::Fetching(..)) => return,
            Some(Progress::Failed(_, earlier)) if !earlier.is_over() => return,
            Some(Progress::Failed(_, earlier)) => Some(*earlier),
            Some(Progress::Fetched) | None => None,
        };
        cache.needs.insert(need.clone(), Progress::Fetching(Instant::now(), earlier));
        self.fetch(cluster, need);
    }

    fn fetch(&self, cluster: &Cluster, need: Need) {
        let (cluster, events) = (cluster.clone(), self.events.clone());
        tokio::spawn(async move {
            let result = fetch(&cluster, &need).await;
            events.send(LiveEvent::Fetched { cluster: cluster.name().to_owned(), need, result });
        });
    }

    /// Records the result of a fetch; returns the objects that the engine does not have in this version.
    pub fn fetched(&mut self, cluster: &Cluster, need: &Need, fetched: Fetched) -> Vec<Value> {
        let cache = self.clusters.entry(cluster.name().to_owned()).or_default();
        if let Some(progress) = cache.needs.get_mut(need) {
            *progress = Progress::Fetched;
        }
        let (mut changed, mut stale) = (Vec::new(), Vec::new());
        let Listed { objects, version: at } = fetched.listed;
        let present: BTreeSet<Identity> = objects.iter().map(|it| Target::of(it).identity()).collect();
        if need.is_list() {
            let scope = need.scope();
            let newer = cache.versions.iter().filter(|(it, version)| {
                scope.covers(it) && !present.contains(*it) && super::is_newer(version, Some(&at))
            });
            stale.extend(newer.map(|(it, _)| scope.target(it)));
            cache.versions.retain(|it, _| !scope.covers(it) || present.contains(it));
        }
        for object in objects {
            let target = Target::of(&object);
            let version = Meta::of(&object).resource_version();
            let known = cache.versions.get(&target.identity()).map(String::as_str);
            // The response may be older than a write since. A list is loaded as it is, and its stale objects are
            // fetched.
            if known.is_some_and(|known| super::is_newer(known, Some(version))) {
                if !need.is_list() {
                    continue;
                }
                stale.push(target.clone());
            } else if !need.is_list() && known == Some(version) {
                continue;
            }
            cache.versions.insert(target.identity(), version.to_owned());
            changed.push(object);
        }
        stale.into_iter().for_each(|target| self.refetch(cluster, &target));
        if let Some(api_kind) = fetched.api_kind.filter(|it| it.can_watch && self.watches) {
            self.watch(cluster, need, &api_kind);
        }
        changed
    }

    fn watch(&mut self, cluster: &Cluster, need: &Need, api_kind: &ApiKind) {
        let scope = need.scope();
        let Some(cache) = self.clusters.get_mut(cluster.name()) else { return };
        let watched = cache.scopes.entry(scope.clone()).or_default();
        watched.needs_all |= need.is_list();
        watched.names.insert(need.target.name.clone());
        if watched.watch.is_none() {
            let (events, name) = (self.events.clone(), cluster.name().to_owned());
            let (namespace, label_selector) = (scope.namespace.clone(), scope.label_selector.clone());
            let on_event = move |event| {
                events.send(LiveEvent::Watch { cluster: name.clone(), scope: scope.clone(), event });
            };
            watched.watch = Some(cluster.watch_metadata(api_kind, &namespace, &label_selector, on_event));
        }
    }

    pub fn fetch_failed(&mut self, cluster: &str, need: &Need, error: ApiError) {
        let Some(cache) = self.clusters.get_mut(cluster) else { return };
        let backoff = match cache.needs.get(need) {
            Some(Progress::Fetching(_, Some(earlier)) | Progress::Failed(_, earlier)) => earlier.further(),
            _ => Backoff::first(),
        };
        cache.needs.insert(need.clone(), Progress::Failed(error, backoff));
    }

    /// Fetches the objects that a watch reports in another version; returns the deleted ones.
    pub fn handle_watch(&mut self, cluster: &Cluster, scope: &WatchScope, event: &WatchEvent) -> Vec<Target> {
        let Some(cache) = self.clusters.get_mut(cluster.name()) else { return Vec::new() };
        let Some(watched) = cache.scopes.get(scope) else { return Vec::new() };
        let matters = |target: &Target, known: bool| watched.needs_all || known || watched.names.contains(&target.name);
        let (mut stale, mut deleted) = (BTreeSet::new(), Vec::new());
        let mut check = |object: &Value| {
            let target = Target::of(object);
            let version = Meta::of(object).resource_version();
            let known = cache.versions.get(&target.identity());
            if matters(&target, known.is_some()) && super::is_newer(version, known.map(String::as_str)) {
                stale.insert(target);
            }
        };
        match event {
            WatchEvent::Replaced(objects) => {
                objects.iter().for_each(&mut check);
                let present: BTreeSet<Identity> = objects.iter().map(|it| Target::of(it).identity()).collect();
                let missing = cache.versions.keys().filter(|it| scope.covers(it) && !present.contains(*it));
                stale.extend(missing.map(|it| scope.target(it)));
            }
            WatchEvent::Changed(object) => check(object),
            WatchEvent::Deleted(object) => {
                let target = Target::of(object);
                if cache.versions.contains_key(&target.identity()) {
                    // With a selector, the object may only have lost the label.
                    match scope.label_selector.is_empty() {
                        true => deleted.push(target),
                        false => stale.extend([target]),
                    }
                }
            }
            WatchEvent::Failed(_) => {}
        }
        for target in &deleted {
            cache.versions.remove(&target.identity());
        }
        for target in stale {
            self.fetch(cluster, Need { target, label_selector: String::new() });
        }
        deleted
    }

    /// Records the version that a write returned.
    pub fn record_write(&mut self, cluster: &str, object: &Value) {
        let version = Meta::of(object).resource_version().to_owned();
        let cache = self.clusters.entry(cluster.to_owned()).or_default();
        cache.versions.insert(Target::of(object).identity(), version);
    }

    pub fn remove(&mut self, cluster: &str, target: &Target) {
        if let Some(cache) = self.clusters.get_mut(cluster) {
            cache.versions.remove(&target.identity());
        }
    }

    pub fn refetch(&self, cluster: &Cluster, target: &Target) {
        self.fetch(cluster, Need { target: target.clone(), label_selector: String::new() });
    }

    /// Fetches everything again that was fetched in a cluster.
    pub fn refetch_all(&mut self, cluster: &Cluster) {
        let Some(cache) = self.clusters.get_mut(cluster.name()) else { return };
        let fetched: Vec<Need> = cache
            .needs
            .iter()
            .filter(|(_, it)| matches!(it, Progress::Fetched))
            .map(|(need, _)| need.clone())
            .collect();
        for need in &fetched {
            cache.needs.insert(need.clone(), Progress::Fetching(Instant::now(), None));
        }
        for need in fetched {
            self.fetch(cluster, need);
        }
    }

    /// Repeats the failed fetches whose backoff is over.
    pub fn retry(&mut self, cluster: &Cluster) {
        let Some(cache) = self.clusters.get_mut(cluster.name()) else { return };
        let due = cache.needs.iter().filter(|(_, it)| matches!(it, Progress::Failed(_, backoff) if backoff.is_over()));
        let due: Vec<Need> = due.map(|(need, _)| need.clone()).collect();
        due.into_iter().for_each(|need| self.request(cluster, need));
    }

    /// Drops failed fetches that neither the plan needs nor a loaded object.
    pub fn retain_needed(&mut self, needs: &BTreeSet<(String, Need)>) {
        for (cluster, cache) in &mut self.clusters {
            let versions = &cache.versions;
            cache.needs.retain(|need, progress| {
                let is_needed = || needs.contains(&(cluster.clone(), need.clone()));
                !matches!(progress, Progress::Failed(..))
                    || versions.contains_key(&need.target.identity())
                    || is_needed()
            });
        }
    }

    /// Drops the cache of a cluster.
    pub fn clear(&mut self, cluster: &str) {
        self.clusters.remove(cluster);
    }

    /// Whether a fetch has been in progress for less than `grace`.
    pub fn is_fetching(&self, grace: Duration) -> bool {
        let all = self.clusters.values().flat_map(|it| it.needs.values());
        all.into_iter().any(|it| matches!(it, Progress::Fetching(since, _) if since.elapsed() < grace))
    }

    /// The needs that cannot be fetched, each with its error.
    pub fn errors(&self) -> impl Iterator<Item = (&str, &Need, &ApiError)> {
        self.clusters.iter().flat_map(|(cluster, cache)| {
            cache.needs.iter().filter_map(|(need, progress)| match progress {
                Progress::Failed(error, _) => Some((cluster.as_str(), need, error)),
                Progress::Fetching(..) | Progress::Fetched => None,
            })
        })
    }

    /// When the next failed fetch may be repeated.
    pub fn next_try(&self) -> Option<Instant> {
        let all = self.clusters.values().flat_map(|it| it.needs.values());
        all.filter_map(|it| match it {
            Progress::Failed(_, backoff) => Some(backoff.until()),
            Progress::Fetching(..) | Progress::Fetched => None,
        })
        .filter(|it| *it > Instant::now())
        .min()
    }
}

/// Fetches once. A kind that the server does not serve has no objects.
async fn fetch(cluster: &Cluster, need: &Need) -> Result<Fetched, ApiError> {
    let Target { api_version, kind, .. } = &need.target;
    let api_kind = match cluster.api_kind(api_version, kind).await {
        Ok(api_kind) => Some(api_kind),
        Err(ApiError::NotServed { .. }) => return Ok(Fetched { listed: Listed::default(), api_kind: None }),
        Err(error) => return Err(error),
    };
    let listed = match need.is_list() {
        true => cluster.list(&need.target, &need.label_selector).await?,
        false => Listed { objects: cluster.get(&need.target).await?.into_iter().collect(), version: String::new() },
    };
    Ok(Fetched { listed, api_kind })
}
