//! Channels from background tasks to the loop that owns the engine.
//!
//! Each component declares its own event type; the loop declares one type for all of them and converts.

use std::fmt;
use std::sync::Arc;

use tokio::sync::mpsc;

/// Sends the events of one component to its loop.
pub struct EventSender<E>(Arc<dyn Fn(E) + Send + Sync>);

impl<E> EventSender<E> {
    /// Queues an event; drops it if the loop has ended.
    pub fn send(&self, event: E) {
        (self.0)(event);
    }
}

impl<E> Clone for EventSender<E> {
    fn clone(&self) -> Self {
        EventSender(Arc::clone(&self.0))
    }
}

impl<E> fmt::Debug for EventSender<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EventSender")
    }
}

/// The sending end of a loop's queue; hands out a sender to each component.
#[derive(Debug)]
pub struct EventQueue<T>(mpsc::UnboundedSender<T>);

impl<T: Send + 'static> EventQueue<T> {
    pub fn new() -> (EventQueue<T>, mpsc::UnboundedReceiver<T>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (EventQueue(sender), receiver)
    }

    pub fn sender<E: Into<T>>(&self) -> EventSender<E> {
        let sender = self.0.clone();
        EventSender(Arc::new(move |event: E| drop(sender.send(event.into()))))
    }
}
