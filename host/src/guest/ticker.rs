//! Deadlines: a thread that increments wasmtime's epoch while a call runs, and sleeps otherwise. At every tick the call
//! compares the clock with its deadline.

use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use wasmtime::Engine;

/// How late a deadline may fire.
const TICK: Duration = Duration::from_millis(5);

#[derive(Debug)]
pub struct Ticker(Arc<Shared>);

impl Ticker {
    pub fn start(engine: &Engine) -> io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let (engine, mine) = (engine.clone(), Arc::clone(&shared));
        thread::Builder::new().name("deadline".to_owned()).spawn(move || {
            while mine.wait_for_a_call() {
                thread::sleep(TICK);
                engine.increment_epoch();
            }
        })?;
        Ok(Self(shared))
    }

    /// Ticks until the returned guard is dropped.
    pub fn run(&self) -> Ticking<'_> {
        self.0.lock().calls += 1;
        self.0.wake.notify_one();
        Ticking(self)
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.0.lock().closed = true;
        self.0.wake.notify_one();
    }
}

#[derive(Debug)]
pub struct Ticking<'a>(&'a Ticker);

impl Drop for Ticking<'_> {
    fn drop(&mut self) {
        self.0.0.lock().calls -= 1;
    }
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Debug, Default)]
struct State {
    calls: usize,
    closed: bool,
}

impl Shared {
    /// Returns true as soon as a call runs, and false after the ticker was dropped.
    fn wait_for_a_call(&self) -> bool {
        let idle = |state: &mut State| state.calls == 0 && !state.closed;
        let state = self.wake.wait_while(self.lock(), idle).unwrap_or_else(PoisonError::into_inner);
        !state.closed
    }

    /// The state is consistent even if a thread panicked while holding the lock.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
