//! The members of the fleet: how far each can be used. One that does not answer is tried again and again, and holds up no
//! other.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use fleetfold_core::Value;

use super::backoff::Backoff;
use super::inbox::{Message, Outbox};
use crate::cluster::connect::{self, Access};
use crate::cluster::{Cluster, Fault};

#[derive(Debug)]
enum Standing {
    /// Somebody is on the way since then; with what failed before, and how long was waited.
    Connecting(Instant, Option<(Fault, Backoff)>),
    Ready(Cluster),
    Down(Fault, Backoff),
}

#[derive(Debug)]
struct Member {
    standing: Standing,
    /// How it was gone to: when that changes, it is tried anew at once.
    ways: Vec<Value>,
    /// The versions of the Secrets that gave access.
    versions: Vec<String>,
}

#[derive(Debug)]
pub struct Members {
    hub: Cluster,
    outbox: Outbox,
    /// What the engine says about getting there.
    reach: Value,
    members: BTreeMap<String, Member>,
}

impl Members {
    pub fn new(hub: &Cluster, outbox: &Outbox) -> Members {
        Members { hub: hub.clone(), outbox: outbox.clone(), reach: Value::Null, members: BTreeMap::new() }
    }

    /// Takes in how clusters are reached; answers those that are reached another way now, and must be left as they were.
    pub fn reach(&mut self, reach: Value) -> Vec<String> {
        self.reach = reach;
        let reach = &self.reach;
        let is_old = |name: &&String, it: &&Member| connect::ways_of(reach, name) != it.ways;
        let changed: Vec<String> =
            self.members.iter().filter(|(name, it)| is_old(name, it)).map(|(name, _)| name.clone()).collect();
        changed.iter().for_each(|name| drop(self.members.remove(name)));
        changed
    }

    /// The cluster of a name, if it can be used now. One that was not needed before is gone to.
    pub fn get(&mut self, name: &str) -> Option<Cluster> {
        if name.is_empty() {
            return Some(self.hub.clone());
        }
        match self.members.get(name).map(|it| &it.standing) {
            Some(Standing::Ready(cluster)) => Some(cluster.clone()),
            Some(Standing::Connecting(..)) => None,
            Some(Standing::Down(_, backoff)) if !backoff.is_over() => None,
            Some(Standing::Down(fault, backoff)) => {
                let earlier = Some((fault.clone(), *backoff));
                self.connect(name, earlier);
                None
            }
            None => {
                self.connect(name, None);
                None
            }
        }
    }

    /// The cluster of a name, if it can be used now.
    pub fn ready(&self, name: &str) -> Option<Cluster> {
        match self.members.get(name).map(|it| &it.standing) {
            _ if name.is_empty() => Some(self.hub.clone()),
            Some(Standing::Ready(cluster)) => Some(cluster.clone()),
            _ => None,
        }
    }

    fn connect(&mut self, name: &str, earlier: Option<(Fault, Backoff)>) {
        let ways = connect::ways_of(&self.reach, name);
        let member = Member {
            standing: Standing::Connecting(Instant::now(), earlier),
            ways: ways.clone(),
            versions: Vec::new(),
        };
        self.members.insert(name.to_owned(), member);
        let (hub, outbox, name) = (self.hub.clone(), self.outbox.clone(), name.to_owned());
        tokio::spawn(async move {
            let reached = match connect::member(&name, &ways, &hub).await {
                Ok(access) => access.cluster.probe().await.map(|()| access),
                Err(fault) => Err(fault),
            };
            outbox.send(Message::Reached(name, reached));
        });
    }

    /// Takes in whether a member can be used; answers whether that is news.
    pub fn reached(&mut self, name: &str, reached: Result<Access, Fault>) -> bool {
        let Some(member) = self.members.get_mut(name) else { return false };
        let earlier = match &member.standing {
            Standing::Connecting(_, earlier) => earlier.as_ref().map(|(_, backoff)| *backoff),
            Standing::Ready(_) | Standing::Down(..) => None,
        };
        match reached {
            Ok(Access { cluster, versions }) => {
                (member.standing, member.versions) = (Standing::Ready(cluster), versions);
                true
            }
            Err(fault) => {
                member.standing = Standing::Down(fault, earlier.map_or_else(Backoff::first, Backoff::further));
                earlier.is_none()
            }
        }
    }

    /// Takes in that a member that could be used failed; answers whether that is news.
    pub fn failed(&mut self, name: &str, fault: &Fault) -> bool {
        let Some(member) = self.members.get_mut(name) else { return false };
        if !matches!(member.standing, Standing::Ready(_)) {
            return false;
        }
        member.standing = Standing::Down(fault.clone(), Backoff::first());
        true
    }

    /// Asks a member whose watch broke off whether it is there: a connection that ends is no outage.
    pub fn probe(&self, name: &str) {
        let Some(Standing::Ready(cluster)) = self.members.get(name).map(|it| &it.standing) else { return };
        let (cluster, outbox) = (cluster.clone(), self.outbox.clone());
        tokio::spawn(async move {
            if let Err(fault) = cluster.probe().await {
                outbox.send(Message::Silent(cluster.name().to_owned(), fault));
            }
        });
    }

    /// Looks whether access was changed since it was used.
    pub fn check_access(&self) {
        for (name, member) in self.members.iter().filter(|(_, it)| matches!(it.standing, Standing::Ready(_))) {
            let (hub, outbox, name) = (self.hub.clone(), self.outbox.clone(), name.clone());
            let (ways, before) = (member.ways.clone(), member.versions.clone());
            tokio::spawn(async move {
                if connect::versions(&ways, &hub).await != before {
                    outbox.send(Message::AccessChanged(name));
                }
            });
        }
    }

    /// Goes to a member anew, as its access was changed.
    pub fn reconnect(&mut self, name: &str) {
        self.connect(name, None);
    }

    /// Goes to the members whose time has come.
    pub fn try_again(&mut self) {
        let due = |it: &Member| matches!(it.standing, Standing::Down(_, backoff) if backoff.is_over());
        let names: Vec<String> = self.members.iter().filter(|(_, it)| due(it)).map(|(name, _)| name.clone()).collect();
        names.iter().for_each(|name| drop(self.get(name)));
    }

    /// When the next member may be tried again.
    pub fn next_try(&self) -> Option<Instant> {
        let waits = self.members.values().filter_map(|it| match it.standing {
            Standing::Down(_, backoff) => Some(backoff.until()),
            _ => None,
        });
        waits.min()
    }

    /// Whether somebody has been on the way to a member for the first time, for less than this long.
    pub fn is_connecting(&self, patience: Duration) -> bool {
        let on_the_way =
            |it: &Member| matches!(it.standing, Standing::Connecting(since, None) if since.elapsed() < patience);
        self.members.values().any(on_the_way)
    }

    /// Every member that was needed: its name, and why it cannot be used.
    pub fn standings(&self) -> impl Iterator<Item = (&String, Option<&Fault>)> {
        self.members.iter().filter_map(|(name, it)| match &it.standing {
            Standing::Ready(_) => Some((name, None)),
            Standing::Down(fault, _) => Some((name, Some(fault))),
            Standing::Connecting(_, earlier) => Some((name, Some(&earlier.as_ref()?.0))),
        })
    }

    /// All members that can be used, and the hub.
    pub fn all_ready(&self) -> Vec<Cluster> {
        let ready = self.members.values().filter_map(|it| match &it.standing {
            Standing::Ready(cluster) => Some(cluster.clone()),
            _ => None,
        });
        std::iter::once(self.hub.clone()).chain(ready).collect()
    }
}
