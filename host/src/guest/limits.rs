//! How much a call may take, and the fence that wasmtime asks before the module's memory grows.

use std::fmt;
use std::time::Duration;

use wasmtime::{ResourceLimiter, StoreLimits, StoreLimitsBuilder};

/// The stack of the module, in bytes. Nesting is limited to 100 in the engine; this is far above what that takes.
pub const STACK: usize = 1 << 20;

/// Elements of the function table. The engine's own table is fixed; room is left for growth of the source.
const TABLE_ELEMENTS: usize = 100_000;

/// What one call may take. Sizes are in bytes.
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

/// Stands around one instance. Growth past the limit ends the call at once rather than failing inside the module, where
/// it could not be told from a bug.
#[derive(Debug)]
pub struct Fence {
    memory: usize,
    others: StoreLimits,
}

impl Fence {
    pub fn new(limits: Limits) -> Self {
        let others = StoreLimitsBuilder::new()
            .memory_size(limits.memory)
            .table_elements(TABLE_ELEMENTS)
            .instances(1)
            .memories(1)
            .tables(4)
            .build();
        Self { memory: limits.memory, others }
    }
}

impl ResourceLimiter for Fence {
    fn memory_growing(&mut self, current: usize, desired: usize, maximum: Option<usize>) -> wasmtime::Result<bool> {
        if desired > self.memory {
            return Err(OverMemory.into());
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

/// The module asked for more memory than it may have.
#[derive(Debug)]
pub struct OverMemory;

impl fmt::Display for OverMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the memory limit is reached")
    }
}

impl std::error::Error for OverMemory {}
