//! The connections to the members of the fleet. An unreachable member is retried with a backoff and delays no other.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use fleetfold_core::api::Refusal;
use fleetfold_core::api::reach::{EndpointAnswer, ReachAnswer, ReachableAnswer};

use super::backoff::Backoff;
use super::events::EventSender;
use crate::cluster::connect::{self, Access};
use crate::cluster::contacts::{Contacts, FirstContact};
use crate::cluster::{ApiError, Cluster};

/// What the tasks around members report.
#[derive(Debug)]
pub enum MemberEvent {
    /// An attempt to connect ended.
    Connected(String, Result<Access, ApiError>),
    /// A probe after a failed watch failed as well.
    Unresponsive(String, ApiError),
    /// The Secrets with the credentials changed.
    CredentialsChanged(String),
}

#[derive(Debug)]
enum ConnectionState {
    /// Since when, with the error and backoff of an earlier attempt.
    Connecting(Instant, Option<(ApiError, Backoff)>),
    Ready(Cluster),
    Down(ApiError, Backoff),
}

#[derive(Debug)]
struct Member {
    connection: ConnectionState,
    /// What the connection was made with; a change reconnects at once.
    endpoints: Vec<EndpointAnswer>,
    /// The resourceVersions of the Secrets with the credentials.
    versions: Vec<String>,
}

/// The endpoints of a cluster, and why there is no other one.
type Endpoints = (Vec<EndpointAnswer>, Option<Refusal>);

#[derive(Debug)]
pub struct Members {
    hub: Cluster,
    events: EventSender<MemberEvent>,
    /// The endpoints of each cluster, in the order to try.
    endpoints: BTreeMap<String, Endpoints>,
    /// Which endpoints got credentials.
    contacts: Contacts,
    members: BTreeMap<String, Member>,
}

impl Members {
    pub fn new(hub: &Cluster, events: EventSender<MemberEvent>, first: FirstContact) -> Members {
        let contacts = Contacts::new(first);
        Members { hub: hub.clone(), events, endpoints: BTreeMap::new(), contacts, members: BTreeMap::new() }
    }

    /// Sets the endpoints of all members; returns the members whose endpoints changed and whose connection was dropped.
    pub fn set_ways(&mut self, reach: ReachAnswer) -> Vec<String> {
        let entry = |ReachableAnswer { name, endpoints, problem }| (name.to_string(), (endpoints, problem));
        self.endpoints = reach.clusters.into_iter().map(entry).collect();
        let is_old = |name: &&String, it: &&Member| self.endpoints_of(name) != it.endpoints;
        let changed: Vec<String> =
            self.members.iter().filter(|(name, it)| is_old(name, it)).map(|(name, _)| name.clone()).collect();
        changed.iter().for_each(|name| drop(self.members.remove(name)));
        changed
    }

    fn endpoints_of(&self, name: &str) -> &[EndpointAnswer] {
        self.endpoints.get(name).map_or(&[], |(endpoints, _)| endpoints.as_slice())
    }

    /// A cluster by name, if it is connected. Connects to a member that was not needed before.
    pub fn get(&mut self, name: &str) -> Option<Cluster> {
        if name.is_empty() {
            return Some(self.hub.clone());
        }
        match self.members.get(name).map(|it| &it.connection) {
            Some(ConnectionState::Ready(cluster)) => Some(cluster.clone()),
            Some(ConnectionState::Connecting(..)) => None,
            Some(ConnectionState::Down(_, backoff)) if !backoff.is_over() => None,
            Some(ConnectionState::Down(error, backoff)) => {
                let earlier = Some((error.clone(), *backoff));
                self.connect(name, earlier);
                None
            }
            None => {
                self.connect(name, None);
                None
            }
        }
    }

    /// A cluster by name, if it is connected.
    pub fn ready(&self, name: &str) -> Option<Cluster> {
        match self.members.get(name).map(|it| &it.connection) {
            _ if name.is_empty() => Some(self.hub.clone()),
            Some(ConnectionState::Ready(cluster)) => Some(cluster.clone()),
            _ => None,
        }
    }

    fn connect(&mut self, name: &str, earlier: Option<(ApiError, Backoff)>) {
        let endpoints = self.endpoints_of(name).to_vec();
        let member = Member {
            connection: ConnectionState::Connecting(Instant::now(), earlier),
            endpoints: endpoints.clone(),
            versions: Vec::new(),
        };
        self.members.insert(name.to_owned(), member);
        let problem = self.endpoints.get(name).and_then(|(_, problem)| problem.clone());
        let contacts = self.contacts.clone();
        let (hub, events, name) = (self.hub.clone(), self.events.clone(), name.to_owned());
        tokio::spawn(async move {
            let result = match connect::member(&name, &endpoints, problem.as_ref(), &hub, contacts).await {
                Ok(access) => access.cluster.probe().await.map(|()| access),
                Err(error) => Err(error),
            };
            events.send(MemberEvent::Connected(name, result));
        });
    }

    /// Records the result of an attempt to connect; returns whether it is the first one or a success.
    pub fn connected(&mut self, name: &str, result: Result<Access, ApiError>) -> bool {
        let Some(member) = self.members.get_mut(name) else { return false };
        let earlier = match &member.connection {
            ConnectionState::Connecting(_, earlier) => earlier.as_ref().map(|(_, backoff)| *backoff),
            ConnectionState::Ready(_) | ConnectionState::Down(..) => None,
        };
        match result {
            Ok(Access { cluster, contact, versions }) => {
                self.contacts.record(contact);
                (member.connection, member.versions) = (ConnectionState::Ready(cluster), versions);
                true
            }
            Err(error) => {
                member.connection = ConnectionState::Down(error, earlier.map_or_else(Backoff::first, Backoff::further));
                earlier.is_none()
            }
        }
    }

    /// Marks a connected member as down; returns whether it was connected.
    pub fn failed(&mut self, name: &str, error: &ApiError) -> bool {
        let Some(member) = self.members.get_mut(name) else { return false };
        if !matches!(member.connection, ConnectionState::Ready(_)) {
            return false;
        }
        member.connection = ConnectionState::Down(error.clone(), Backoff::first());
        true
    }

    /// Probes a member whose watch failed: a closed connection alone is not an outage.
    pub fn probe(&self, name: &str) {
        let Some(ConnectionState::Ready(cluster)) = self.members.get(name).map(|it| &it.connection) else { return };
        let (cluster, events) = (cluster.clone(), self.events.clone());
        tokio::spawn(async move {
            if let Err(error) = cluster.probe().await {
                events.send(MemberEvent::Unresponsive(cluster.name().to_owned(), error));
            }
        });
    }

    /// Checks whether the Secrets with the credentials changed.
    pub fn check_credentials(&self) {
        for (name, member) in self.members.iter().filter(|(_, it)| matches!(it.connection, ConnectionState::Ready(_))) {
            let (hub, events, name) = (self.hub.clone(), self.events.clone(), name.clone());
            let (endpoints, before) = (member.endpoints.clone(), member.versions.clone());
            tokio::spawn(async move {
                if connect::versions(&endpoints, &hub).await != before {
                    events.send(MemberEvent::CredentialsChanged(name));
                }
            });
        }
    }

    /// Connects again, after the credentials changed.
    pub fn reconnect(&mut self, name: &str) {
        self.connect(name, None);
    }

    /// Which endpoints got credentials.
    pub fn contacts(&self) -> &Contacts {
        &self.contacts
    }

    /// Connects to the members whose endpoint was held, after approvals changed.
    pub fn retry_held(&mut self) {
        let is_held = |it: &Member| matches!(it.connection, ConnectionState::Down(ApiError::EndpointHeld { .. }, _));
        let names: Vec<String> =
            self.members.iter().filter(|(_, it)| is_held(it)).map(|(name, _)| name.clone()).collect();
        names.iter().for_each(|name| self.connect(name, None));
    }

    /// Connects to the members whose backoff is over.
    pub fn retry(&mut self) {
        let due = |it: &Member| matches!(it.connection, ConnectionState::Down(_, backoff) if backoff.is_over());
        let names: Vec<String> = self.members.iter().filter(|(_, it)| due(it)).map(|(name, _)| name.clone()).collect();
        names.iter().for_each(|name| drop(self.get(name)));
    }

    /// When the next backoff is over.
    pub fn next_try(&self) -> Option<Instant> {
        let waits = self.members.values().filter_map(|it| match it.connection {
            ConnectionState::Down(_, backoff) => Some(backoff.until()),
            _ => None,
        });
        waits.min()
    }

    /// Whether a first attempt to connect has been in progress for less than `grace`.
    pub fn is_connecting(&self, grace: Duration) -> bool {
        let is_first_attempt =
            |it: &Member| matches!(it.connection, ConnectionState::Connecting(since, None) if since.elapsed() < grace);
        self.members.values().any(is_first_attempt)
    }

    /// The name of every member that was needed, with the error where it is not connected.
    pub fn connections(&self) -> impl Iterator<Item = (&String, Option<&ApiError>)> {
        self.members.iter().filter_map(|(name, it)| match &it.connection {
            ConnectionState::Ready(_) => Some((name, None)),
            ConnectionState::Down(error, _) => Some((name, Some(error))),
            ConnectionState::Connecting(_, earlier) => Some((name, Some(&earlier.as_ref()?.0))),
        })
    }

    /// The hub and all connected members.
    pub fn all_ready(&self) -> Vec<Cluster> {
        let ready = self.members.values().filter_map(|it| match &it.connection {
            ConnectionState::Ready(cluster) => Some(cluster.clone()),
            _ => None,
        });
        std::iter::once(self.hub.clone()).chain(ready).collect()
    }
}
