//! The limits of a call, and the limiter that wasmtime asks before memory grows.

use std::fmt;
use std::time::{Duration, Instant};

use wasmtime::{ResourceLimiter, StoreLimits, StoreLimitsBuilder};

/// The stack of the module in bytes. The engine limits nesting to 100, which needs far less.
pub const STACK: usize = 1 << 20;

/// Elements of the function table: enough for the engine's table to grow with its source.
const TABLE_ELEMENTS: usize = 100_000;

/// The limits of one call. Sizes are in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub deadline: Duration,
    pub memory: usize,
    pub request: usize,
    pub answer: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { deadline: Duration::from_secs(2), memory: 1 << 30, request: 64 << 20, answer: 256 << 20 }
    }
}

/// Limits one instance: its memory, and the time of the running call. Growth past the limit ends the call at once; a
/// failure inside the module would look like a bug.
#[derive(Debug)]
pub struct MemoryLimiter {
    memory: usize,
    others: StoreLimits,
    started: Instant,
    deadline: Duration,
}

impl MemoryLimiter {
    pub fn new(limits: Limits) -> Self {
        let others = StoreLimitsBuilder::new()
            .memory_size(limits.memory)
            .table_elements(TABLE_ELEMENTS)
            .instances(1)
            .memories(1)
            .tables(4)
            .build();
        Self { memory: limits.memory, others, started: Instant::now(), deadline: limits.deadline }
    }

    /// Starts the time of a call.
    pub fn start(&mut self, deadline: Duration) {
        (self.started, self.deadline) = (Instant::now(), deadline);
    }

    /// Whether the running call took longer than it may.
    pub fn is_over(&self) -> bool {
        self.started.elapsed() >= self.deadline
    }
}

impl ResourceLimiter for MemoryLimiter {
    fn memory_growing(&mut self, current: usize, desired: usize, maximum: Option<usize>) -> wasmtime::Result<bool> {
        if desired > self.memory {
            return Err(MemoryLimitReached.into());
        }
        self.others.memory_growing(current, desired, maximum)
    }

    fn table_growing(&mut self, current: usize, desired: usize, maximum: Option<usize>) -> wasmtime::Result<bool> {
        self.others.table_growing(current, desired, maximum)
    }

    fn instances(&self) -> usize {
        self.others.instances()
    }

    fn memories(&self) -> usize {
        self.others.memories()
    }

    fn tables(&self) -> usize {
        self.others.tables()
    }
}

/// The module requested more memory than the limit.
#[derive(Debug)]
pub struct MemoryLimitReached;

impl fmt::Display for MemoryLimitReached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the memory limit is reached")
    }
}

impl std::error::Error for MemoryLimitReached {}
