//! What was seen in the clusters for the engine, and how it is kept true.
//!
//! A need is met by looking once. From then on a watch of names and versions tells when something is no longer what was
//! seen, and only that is looked at again.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use fleetfold_core::Value;
use fleetfold_core::object::document::Identity;

use super::backoff::Backoff;
use super::inbox::{Found, Message, Outbox};
use crate::answer::text;
use crate::cluster::{Cluster, Fault, Listed, Served, Sighting, Target, Watch};

/// Something that the engine must see: an object, or without a name a list.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Need {
    pub target: Target,
    pub label_selector: String,
}

impl Need {
    pub fn read(value: &Value) -> Need {
        Need { target: Target::read(value), label_selector: text(value, "labelSelector").to_owned() }
    }

    pub fn is_list(&self) -> bool {
        self.target.name.is_empty()
    }

    fn place(&self) -> Place {
        let Target { api_version, kind, namespace, .. } = self.target.clone();
        Place { api_version, kind, namespace, label_selector: self.label_selector.clone() }
    }
}

/// What one watch covers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    api_version: String,
    kind: String,
    namespace: String,
    label_selector: String,
}

#[derive(Debug)]
enum Progress {
    /// Since when, and how long was waited before, if it failed.
    Asked(Instant, Option<Backoff>),
    Met,
    Failed(Fault, Backoff),
}

#[derive(Debug, Default)]
struct Covered {
    watch: Option<Watch>,
    /// Everything there matters, not only what is named.
    is_whole: bool,
    names: BTreeSet<String>,
}

/// What was seen in one cluster.
#[derive(Debug, Default)]
struct Sight {
    needs: BTreeMap<Need, Progress>,
    /// The version of every object that the engine has.
    known: BTreeMap<Identity, String>,
    places: BTreeMap<Place, Covered>,
}

#[derive(Debug)]
pub struct Sights {
    outbox: Outbox,
    clusters: BTreeMap<String, Sight>,
    /// Whether what was seen is watched from then on.
    watches: bool,
}

impl Sights {
    pub fn new(outbox: &Outbox, watches: bool) -> Sights {
        Sights { outbox: outbox.clone(), clusters: BTreeMap::new(), watches }
    }

    /// Looks for what the engine needs, unless somebody is looking already or it is too early to try again.
    pub fn seek(&mut self, cluster: &Cluster, need: Need) {
        let sight = self.clusters.entry(cluster.name().to_owned()).or_default();
        let earlier = match sight.needs.get(&need) {
            Some(Progress::Asked(..)) => return,
            Some(Progress::Failed(_, earlier)) if !earlier.is_over() => return,
            Some(Progress::Failed(_, earlier)) => Some(*earlier),
            Some(Progress::Met) | None => None,
        };
        sight.needs.insert(need.clone(), Progress::Asked(Instant::now(), earlier));
        self.look(cluster, need);
    }

    fn look(&self, cluster: &Cluster, need: Need) {
        let (cluster, outbox) = (cluster.clone(), self.outbox.clone());
        tokio::spawn(async move {
            let found = look(&cluster, &need).await;
            outbox.send(Message::Seen { cluster: cluster.name().to_owned(), need, found });
        });
    }

    /// Takes in what was found; answers the objects that are news to the engine.
    pub fn found(&mut self, cluster: &Cluster, need: &Need, found: Found) -> Vec<Value> {
        let sight = self.clusters.entry(cluster.name().to_owned()).or_default();
        if let Some(progress) = sight.needs.get_mut(need) {
            *progress = Progress::Met;
        }
        let (mut news, mut again) = (Vec::new(), Vec::new());
        let Listed { objects, version: at } = found.listed;
        let there: BTreeSet<Identity> = objects.iter().map(|it| Target::of(it).identity()).collect();
        if need.is_list() {
            let place = need.place();
            let late = sight.known.iter().filter(|(it, version)| {
                place.covers(it) && !there.contains(*it) && super::is_newer(version, Some(&at))
            });
            again.extend(late.map(|(it, _)| place.target(it)));
            sight.known.retain(|it, _| !place.covers(it) || there.contains(it));
        }
        for object in objects {
            let target = Target::of(&object);
            let version = object.text_at(&["metadata", "resourceVersion"]);
            let known = sight.known.get(&target.identity()).map(String::as_str);
            // A late answer may be older than what was written since. A list is taken as a whole, and then mended.
            if known.is_some_and(|known| super::is_newer(known, Some(version))) {
                if !need.is_list() {
                    continue;
                }
                again.push(target.clone());
            } else if !need.is_list() && known == Some(version) {
                continue;
            }
            sight.known.insert(target.identity(), version.to_owned());
            news.push(object);
        }
        again.into_iter().for_each(|target| self.look_again(cluster, &target));
        if let Some(served) = found.served.filter(|it| it.can_watch && self.watches) {
            self.cover(cluster, need, &served);
        }
        news
    }

    fn cover(&mut self, cluster: &Cluster, need: &Need, served: &Served) {
        let place = need.place();
        let Some(sight) = self.clusters.get_mut(cluster.name()) else { return };
        let covered = sight.places.entry(place.clone()).or_default();
        covered.is_whole |= need.is_list();
        covered.names.insert(need.target.name.clone());
        if covered.watch.is_none() {
            let (outbox, name) = (self.outbox.clone(), cluster.name().to_owned());
            let (namespace, label_selector) = (place.namespace.clone(), place.label_selector.clone());
            let tell = move |sighting| {
                outbox.send(Message::Stirred { cluster: name.clone(), place: place.clone(), sighting });
            };
            covered.watch = Some(cluster.watch_metadata(served, &namespace, &label_selector, tell));
        }
    }

    /// Takes in that a look failed.
    pub fn failed(&mut self, cluster: &str, need: &Need, fault: Fault) {
        let Some(sight) = self.clusters.get_mut(cluster) else { return };
        let backoff = match sight.needs.get(need) {
            Some(Progress::Asked(_, Some(earlier)) | Progress::Failed(_, earlier)) => earlier.further(),
            _ => Backoff::first(),
        };
        sight.needs.insert(need.clone(), Progress::Failed(fault, backoff));
    }

    /// Takes in what a watch tells, and looks at what is no longer as it was seen; answers what is known to be gone.
    pub fn stirred(&mut self, cluster: &Cluster, place: &Place, sighting: &Sighting) -> Vec<Target> {
        let Some(sight) = self.clusters.get_mut(cluster.name()) else { return Vec::new() };
        let Some(covered) = sight.places.get(place) else { return Vec::new() };
        let matters = |target: &Target, known: bool| covered.is_whole || known || covered.names.contains(&target.name);
        let (mut again, mut gone) = (BTreeSet::new(), Vec::new());
        let mut check = |object: &Value| {
            let target = Target::of(object);
            let version = object.text_at(&["metadata", "resourceVersion"]);
            let known = sight.known.get(&target.identity());
            if matters(&target, known.is_some()) && super::is_newer(version, known.map(String::as_str)) {
                again.insert(target);
            }
        };
        match sighting {
            Sighting::All(objects) => {
                objects.iter().for_each(&mut check);
                let there: BTreeSet<Identity> = objects.iter().map(|it| Target::of(it).identity()).collect();
                let missing = sight.known.keys().filter(|it| place.covers(it) && !there.contains(*it));
                again.extend(missing.map(|it| place.target(it)));
            }
            Sighting::Changed(object) => check(object),
            Sighting::Gone(object) => {
                let target = Target::of(object);
                if sight.known.contains_key(&target.identity()) {
                    // Of a selection, it may only have lost its label.
                    match place.label_selector.is_empty() {
                        true => gone.push(target),
                        false => again.extend([target]),
                    }
                }
            }
            Sighting::Failed(_) => {}
        }
        for target in &gone {
            sight.known.remove(&target.identity());
        }
        for target in again {
            self.look(cluster, Need { target, label_selector: String::new() });
        }
        gone
    }

    /// Takes in an object that was just written.
    pub fn note(&mut self, cluster: &str, object: &Value) {
        let version = object.text_at(&["metadata", "resourceVersion"]).to_owned();
        let sight = self.clusters.entry(cluster.to_owned()).or_default();
        sight.known.insert(Target::of(object).identity(), version);
    }

    /// Takes in that an object is gone.
    pub fn drop_object(&mut self, cluster: &str, target: &Target) {
        if let Some(sight) = self.clusters.get_mut(cluster) {
            sight.known.remove(&target.identity());
        }
    }

    /// Looks at one object again.
    pub fn look_again(&self, cluster: &Cluster, target: &Target) {
        self.look(cluster, Need { target: target.clone(), label_selector: String::new() });
    }

    /// Looks at everything in a cluster again that was ever needed.
    pub fn look_at_all_again(&mut self, cluster: &Cluster) {
        let Some(sight) = self.clusters.get_mut(cluster.name()) else { return };
        let met: Vec<Need> =
            sight.needs.iter().filter(|(_, it)| matches!(it, Progress::Met)).map(|(need, _)| need.clone()).collect();
        for need in &met {
            sight.needs.insert(need.clone(), Progress::Asked(Instant::now(), None));
        }
        for need in met {
            self.look(cluster, need);
        }
    }

    /// Looks again for what could not be seen, where it was waited long enough.
    pub fn retry(&mut self, cluster: &Cluster) {
        let Some(sight) = self.clusters.get_mut(cluster.name()) else { return };
        let due = sight.needs.iter().filter(|(_, it)| matches!(it, Progress::Failed(_, backoff) if backoff.is_over()));
        let due: Vec<Need> = due.map(|(need, _)| need.clone()).collect();
        due.into_iter().for_each(|need| self.seek(cluster, need));
    }

    /// Lets go of what could not be seen and is no longer needed: neither by the plan, nor to keep true what was seen.
    pub fn keep_only(&mut self, needs: &BTreeSet<(String, Need)>) {
        for (cluster, sight) in &mut self.clusters {
            let known = &sight.known;
            sight.needs.retain(|need, progress| {
                let is_needed = || needs.contains(&(cluster.clone(), need.clone()));
                !matches!(progress, Progress::Failed(..)) || known.contains_key(&need.target.identity()) || is_needed()
            });
        }
    }

    /// Lets go of everything that was seen in a cluster.
    pub fn forget(&mut self, cluster: &str) {
        self.clusters.remove(cluster);
    }

    /// Whether somebody has been looking for something for less than this long.
    pub fn is_looking(&self, patience: Duration) -> bool {
        let asked = self.clusters.values().flat_map(|it| it.needs.values());
        asked.into_iter().any(|it| matches!(it, Progress::Asked(since, _) if since.elapsed() < patience))
    }

    /// What cannot be seen, with why.
    pub fn faults(&self) -> impl Iterator<Item = (&str, &Need, &Fault)> {
        self.clusters.iter().flat_map(|(cluster, sight)| {
            sight.needs.iter().filter_map(|(need, progress)| match progress {
                Progress::Failed(fault, _) => Some((cluster.as_str(), need, fault)),
                Progress::Asked(..) | Progress::Met => None,
            })
        })
    }

    /// When the next failed look may be tried again.
    pub fn next_try(&self) -> Option<Instant> {
        let all = self.clusters.values().flat_map(|it| it.needs.values());
        all.filter_map(|it| match it {
            Progress::Failed(_, backoff) => Some(backoff.until()),
            Progress::Asked(..) | Progress::Met => None,
        })
        .filter(|it| *it > Instant::now())
        .min()
    }
}

impl Place {
    fn covers(&self, identity: &Identity) -> bool {
        let group = self.api_version.rsplit_once('/').map_or("", |(group, _)| group);
        let here = self.namespace.is_empty() || identity.namespace == self.namespace;
        identity.kind == self.kind && identity.group == group && here && self.label_selector.is_empty()
    }

    fn target(&self, identity: &Identity) -> Target {
        Target {
            api_version: self.api_version.clone(),
            kind: self.kind.clone(),
            namespace: identity.namespace.to_string(),
            name: identity.name.to_string(),
        }
    }
}

/// Looks once. A kind that the server does not know has no objects.
async fn look(cluster: &Cluster, need: &Need) -> Result<Found, Fault> {
    let Target { api_version, kind, .. } = &need.target;
    let served = match cluster.served(api_version, kind).await {
        Ok(served) => Some(served),
        Err(Fault::NotServed { .. }) => return Ok(Found { listed: Listed::default(), served: None }),
        Err(fault) => return Err(fault),
    };
    let listed = match need.is_list() {
        true => cluster.list(&need.target, &need.label_selector).await?,
        false => Listed { objects: cluster.get(&need.target).await?.into_iter().collect(), version: String::new() },
    };
    Ok(Found { listed, served })
}
