//! What the tasks around the loop tell it. The loop alone talks to the engine, so that nothing happens twice at once.

use fleetfold_core::Value;
use tokio::sync::{mpsc, oneshot};

use super::documents::{Kind, Row};
use super::sights::{Need, Place};
use crate::cluster::connect::Access;
use crate::cluster::{Fault, Listed, Served, Sighting, Target};

#[derive(Debug)]
pub enum Message {
    /// Which kinds the hub has.
    Surveyed(Result<Vec<(Row, Served)>, Fault>),
    /// What the watch of a kind of documents tells.
    Document(Kind, Sighting),
    /// All documents of a kind, looked at apart from its watch.
    Relisted(Kind, Result<Listed, Fault>),
    /// What the runner's own object says.
    Own(Sighting),
    /// A member can be used, or not.
    Reached(String, Result<Access, Fault>),
    /// A member whose watch broke off does not answer either.
    Silent(String, Fault),
    /// The Secret that gives access to a member is another one now.
    AccessChanged(String),
    /// What was looked for in a cluster.
    Seen { cluster: String, need: Need, found: Result<Found, Fault> },
    /// What a watch in a cluster tells.
    Stirred { cluster: String, place: Place, sighting: Sighting },
    /// An action is done, or not.
    Acted { cluster: String, target: Target, id: String, done: Result<Option<Value>, Fault> },
    /// A status is written, or not.
    Stated { target: Target, done: Result<Value, Fault> },
    /// Others that write an object that is changed back again and again.
    Rivals { cluster: String, target: Target, managers: Vec<String> },
    /// The runner's own object is written, or not.
    Reported(Result<Value, Fault>),
    /// Look at everything again, and say when that is done.
    Resync(oneshot::Sender<()>),
}

/// What was found in a cluster.
#[derive(Debug)]
pub struct Found {
    pub listed: Listed,
    /// How the server knows the kind; nothing where it does not.
    pub served: Option<Served>,
}

/// Where tasks put what they have to tell.
#[derive(Clone, Debug)]
pub struct Outbox(mpsc::UnboundedSender<Message>);

impl Outbox {
    pub fn new() -> (Outbox, mpsc::UnboundedReceiver<Message>) {
        let (sender, inbox) = mpsc::unbounded_channel();
        (Outbox(sender), inbox)
    }

    /// Tells the loop. If it has ended there is nobody to tell.
    pub fn send(&self, message: Message) {
        let _ = self.0.send(message);
    }
}
