//! A module, compiled once and shared by all its instances.

use std::fmt;
use std::sync::Arc;

use wasmtime::{Config, Engine, InstancePre, Linker, Store, WasmFeatures};

use super::error::GuestError;
use super::limits::{MemoryLimiter, STACK};
use super::ticker::Ticker;
use crate::cache::{Cache, Compiled};
use crate::digest::digest;

/// The module that is built into this program.
pub const EMBEDDED: &[u8] = include_bytes!(env!("FLEETFOLD_MODULE"));

/// Its digest, from the build: hashing megabytes takes a good part of a short command.
pub const EMBEDDED_DIGEST: &str = env!("FLEETFOLD_MODULE_DIGEST");

/// Cheap to clone: all clones share the code.
#[derive(Clone)]
pub struct Module {
    pre: InstancePre<MemoryLimiter>,
    ticker: Arc<Ticker>,
    digest: String,
    compiled: Compiled,
}

impl Module {
    /// Compiles `wasm`, or loads its compiled code from `cache`.
    pub fn load(wasm: &[u8], cache: &Cache) -> Result<Self, GuestError> {
        Self::with_digest(wasm, digest(wasm), cache)
    }

    fn with_digest(wasm: &[u8], digest: String, cache: &Cache) -> Result<Self, GuestError> {
        let no_runtime = |reason: String| GuestError::NoRuntime { reason };
        let not_a_module = |error: wasmtime::Error| GuestError::NotAModule { reason: in_one_line(&error) };
        let engine = Engine::new(&config()).map_err(|error| no_runtime(in_one_line(&error)))?;
        let (module, compiled) = cache.compile(&engine, wasm, &digest).map_err(not_a_module)?;
        if let Some(import) = module.imports().next() {
            return Err(GuestError::ModuleImports { import: format!("{}.{}", import.module(), import.name()) });
        }
        // An empty linker: imports would fail here even without the check above.
        let pre = Linker::new(&engine).instantiate_pre(&module).map_err(not_a_module)?;
        let ticker = Arc::new(Ticker::start(&engine).map_err(|error| no_runtime(error.to_string()))?);
        Ok(Self { pre, ticker, digest, compiled })
    }

    /// The module that is built into this program.
    pub fn embedded(cache: &Cache) -> Result<Self, GuestError> {
        Self::with_digest(EMBEDDED, EMBEDDED_DIGEST.to_owned(), cache)
    }

    /// SHA-256 of the module's bytes, as `sha256:…`.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Whether the code was compiled or came from the cache.
    pub fn compiled(&self) -> Compiled {
        self.compiled
    }

    pub(super) fn engine(&self) -> &Engine {
        self.pre.module().engine()
    }

    pub(super) fn ticker(&self) -> &Ticker {
        &self.ticker
    }

    pub(super) fn instantiate(&self, store: &mut Store<MemoryLimiter>) -> wasmtime::Result<wasmtime::Instance> {
        self.pre.instantiate(store)
    }
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Module").field("digest", &self.digest).field("compiled", &self.compiled).finish_non_exhaustive()
    }
}

/// Answers must be the same on every machine, so the nondeterminism of WebAssembly is switched off: NaN bits, relaxed
/// SIMD. Features after version 2 of the standard are off, whatever wasmtime was built with.
fn config() -> Config {
    let mut config = Config::new();
    config
        .wasm_features(WasmFeatures::WASM2.complement(), false)
        .epoch_interruption(true)
        .max_wasm_stack(STACK)
        .cranelift_nan_canonicalization(true)
        .relaxed_simd_deterministic(true)
        // The module has no names: a backtrace would be bare numbers.
        .wasm_backtrace_max_frames(None);
    config
}

fn in_one_line(error: &wasmtime::Error) -> String {
    format!("{error:#}").split_whitespace().collect::<Vec<_>>().join(" ")
}
