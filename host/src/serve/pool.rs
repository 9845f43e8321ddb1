//! The engines behind `POST /v1/call`, so that an expensive call does not hold up the others.
//!
//! 1. Over a served fleet there are up to [`ENGINES`] workspaces with the same snapshot. The first is loaded with the
//!    snapshot, the others when a call finds none free. Each may take the memory of the limit.
//! 2. An op that took long the last time is slow. Slow calls leave one workspace to the others.
//! 3. Without a fleet there is one workspace, which callers fill.
//! 4. A workspace that was lost is dropped. The next call that finds none free loads another one.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::engine::Engine;
use crate::guest::Guest;

/// How many workspaces there are over a served fleet.
pub const ENGINES: usize = 3;

/// From when on an op counts as slow.
const SLOW: Duration = Duration::from_millis(250);

pub struct Pool {
    state: Mutex<State>,
    freed: Condvar,
    engines: usize,
}

struct State {
    idle: Vec<Guest>,
    /// The workspaces that exist or are being loaded.
    count: usize,
    /// How many of them have a slow call.
    slow: usize,
    /// Increases with every snapshot: a workspace of an earlier one is dropped after its call.
    generation: u64,
    /// How long each op took the last time.
    took: BTreeMap<String, Duration>,
}

impl Pool {
    /// A pool with its first workspace.
    pub fn new(guest: Guest, has_fleet: bool) -> Pool {
        let state = State { idle: vec![guest], count: 1, slow: 0, generation: 0, took: BTreeMap::new() };
        Pool { state: Mutex::new(state), freed: Condvar::new(), engines: if has_fleet { ENGINES } else { 1 } }
    }

    /// Replaces all workspaces by one with the next snapshot.
    pub fn replace(&self, guest: Guest) {
        let mut state = self.lock();
        state.generation += 1;
        state.count = state.count - state.idle.len() + 1;
        state.idle = vec![guest];
        state.took.clear();
        self.freed.notify_all();
    }

    /// Sends a request of this op to a free workspace; `load` makes one if there is none.
    ///
    /// # Errors
    ///
    /// A workspace cannot be loaded.
    pub fn call(
        &self,
        op: &str,
        request: &[u8],
        load: impl FnOnce() -> Result<Guest, String>,
    ) -> Result<String, String> {
        let (taken, generation, is_slow) = self.take(op);
        let mut slot = Slot { pool: self, is_slow, is_kept: false };
        let mut guest = match taken {
            Some(guest) => guest,
            None => load()?,
        };
        let started = Instant::now();
        let answer = Engine::call(&mut guest, request);
        let mut state = self.lock();
        state.took.insert(op.to_owned(), started.elapsed());
        if state.generation == generation && !guest.is_fresh() {
            state.idle.push(guest);
            slot.is_kept = true;
        }
        drop(state);
        Ok(answer)
    }

    /// A free workspace, or the right to load one.
    fn take(&self, op: &str) -> (Option<Guest>, u64, bool) {
        let mut state = self.lock();
        loop {
            let is_slow = self.engines > 1 && state.took.get(op).is_some_and(|it| *it >= SLOW);
            if !is_slow || state.slow + 1 < self.engines {
                let guest = state.idle.pop();
                if guest.is_some() || state.count < self.engines {
                    state.count += usize::from(guest.is_none());
                    state.slow += usize::from(is_slow);
                    return (guest, state.generation, is_slow);
                }
            }
            state = self.freed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The state is consistent even if a thread panicked while holding the lock.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The slot of a call in the pool; released also if the call panics.
struct Slot<'a> {
    pool: &'a Pool,
    is_slow: bool,
    is_kept: bool,
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        let mut state = self.pool.lock();
        state.slow -= usize::from(self.is_slow);
        state.count -= usize::from(!self.is_kept);
        drop(state);
        self.pool.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use super::*;
    use crate::cache::Cache;
    use crate::guest::{Limits, Module};

    const DEADLINE: Duration = Duration::from_millis(800);

    /// Guests that answer `fine`, and never to what starts with a `b`; and how many were loaded.
    fn pool(has_fleet: bool) -> (Arc<Pool>, impl Fn() -> Result<Guest, String> + Clone, Arc<AtomicUsize>) {
        let wasm = wat::parse_str(include_str!("../../tests/hangs.wat")).unwrap();
        let module =
            Module::load(&wasm, &Cache::at(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml").as_ref())).unwrap();
        let limits = Limits { deadline: DEADLINE, ..Limits::default() };
        let loaded = Arc::new(AtomicUsize::new(1));
        let count = Arc::clone(&loaded);
        let first = Guest::new(&module, limits).unwrap();
        let load = move || {
            count.fetch_add(1, Ordering::SeqCst);
            Guest::new(&module, limits).map_err(|error| error.to_string())
        };
        (Arc::new(Pool::new(first, has_fleet)), load, loaded)
    }

    #[test]
    fn expensive_calls_do_not_hold_up_cheap_ones() {
        let (pool, load, loaded) = pool(true);
        // Once, so that the op is known to be slow.
        assert!(pool.call("plan", b"bad", load.clone()).unwrap().contains("deadline-exceeded"));
        let slow: Vec<_> = (0..4)
            .map(|_| {
                let (pool, load) = (Arc::clone(&pool), load.clone());
                thread::spawn(move || pool.call("plan", b"bad", load).unwrap())
            })
            .collect();
        thread::sleep(DEADLINE / 8);
        let started = Instant::now();
        for _ in 0..10 {
            assert_eq!(pool.call("clusters", b"good", load.clone()).unwrap(), "fine");
        }
        assert!(started.elapsed() < DEADLINE / 2, "{:?}", started.elapsed());
        assert!(slow.into_iter().all(|it| it.join().unwrap().contains("deadline-exceeded")));
        assert!(loaded.load(Ordering::SeqCst) <= 1 + 1 + 4, "one for each that was lost");
        assert!(pool.lock().count <= ENGINES);
        assert_eq!(pool.lock().slow, 0);
    }

    #[test]
    fn without_a_fleet_there_is_one_workspace() {
        let (pool, load, loaded) = pool(false);
        for _ in 0..3 {
            assert_eq!(pool.call("load", b"good", load.clone()).unwrap(), "fine");
        }
        assert_eq!(loaded.load(Ordering::SeqCst), 1);
        assert!(pool.call("load", b"bad", load.clone()).unwrap().contains("deadline-exceeded"));
        assert_eq!(pool.call("load", b"good", load).unwrap(), "fine");
        assert_eq!((loaded.load(Ordering::SeqCst), pool.lock().count), (2, 1));
    }

    #[test]
    fn a_workspace_that_cannot_be_loaded_leaves_its_slot_to_the_next() {
        let (pool, load, _) = pool(true);
        assert!(pool.call("plan", b"bad", load.clone()).unwrap().contains("deadline-exceeded"));
        assert_eq!(pool.call("plan", b"good", || Err("no".to_owned())), Err("no".to_owned()));
        assert_eq!(pool.call("plan", b"good", load).unwrap(), "fine");
        assert_eq!(pool.lock().count, 1);
    }

    #[test]
    fn a_snapshot_replaces_all_workspaces() {
        let (pool, load, loaded) = pool(true);
        pool.replace(load().unwrap());
        assert_eq!(pool.call("plan", b"good", load).unwrap(), "fine");
        let state = pool.lock();
        assert_eq!((loaded.load(Ordering::SeqCst), state.count, state.idle.len()), (2, 1, 1));
    }
}
