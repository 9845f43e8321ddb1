//! A module, compiled once and shared by all its instances.

use std::fmt;
use std::sync::Arc;

use sha2::{Digest, Sha256};
use wasmtime::{Config, Engine, InstancePre, Linker, Store, WasmFeatures};

use super::error::GuestError;
use super::limits::{Fence, STACK};
use super::ticker::Ticker;
use crate::cache::{Cache, Compiled};

/// The engine that this program carries.
pub const EMBEDDED: &[u8] = include_bytes!(env!("FLEETFOLD_MODULE"));

/// Cheap to clone: all clones share the code.
#[derive(Clone)]
pub struct Module {
    pre: InstancePre<Fence>,
    ticker: Arc<Ticker>,
    digest: String,
    compiled: Compiled,
}

impl Module {
    /// Compiles `wasm`, or finds in `cache` what an earlier run compiled.
    pub fn load(wasm: &[u8], cache: &Cache) -> Result<Self, GuestError> {
        let no_runtime = |reason: String| GuestError::NoRuntime { reason };
        let not_a_module = |error: wasmtime::Error| GuestError::NotAModule { reason: in_one_line(&error) };
        let engine = Engine::new(&config()).map_err(|error| no_runtime(in_one_line(&error)))?;
        let (module, compiled) = cache.compile(&engine, wasm).map_err(not_a_module)?;
        if let Some(import) = module.imports().next() {
            return Err(GuestError::ModuleImports { import: format!("{}.{}", import.module(), import.name()) });
        }
        // An empty linker: nothing could be imported, even if the check above were gone.
        let pre = Linker::new(&engine).instantiate_pre(&module).map_err(not_a_module)?;
        let ticker = Arc::new(Ticker::start(&engine).map_err(|error| no_runtime(error.to_string()))?);
        Ok(Self { pre, ticker, digest: digest(wasm), compiled })
    }

    /// The module that this program carries.
    pub fn embedded(cache: &Cache) -> Result<Self, GuestError> {
        Self::load(EMBEDDED, cache)
    }

    /// SHA-256 of the module's bytes, as `sha256:…`.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Whether the code was compiled for this, or found.
    pub fn compiled(&self) -> Compiled {
        self.compiled
    }

    pub(super) fn engine(&self) -> &Engine {
        self.pre.module().engine()
    }

    pub(super) fn ticker(&self) -> &Ticker {
        &self.ticker
    }

    pub(super) fn instantiate(&self, store: &mut Store<Fence>) -> wasmtime::Result<wasmtime::Instance> {
        self.pre.instantiate(store)
    }
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Module").field("digest", &self.digest).field("compiled", &self.compiled).finish_non_exhaustive()
    }
}

/// `sha256:` and the digest of `bytes`.
pub fn digest(bytes: &[u8]) -> String {
    format!("sha256:{}", hex(&Sha256::digest(bytes)))
}

/// Bytes as lower case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Every machine must give the same answer, so what WebAssembly leaves open is closed: bits of a NaN, relaxed SIMD. What came
/// after the second version of the standard is off, whatever the runtime was built with.
fn config() -> Config {
    let mut config = Config::new();
    config
        .wasm_features(WasmFeatures::WASM2.complement(), false)
        .epoch_interruption(true)
        .max_wasm_stack(STACK)
        .cranelift_nan_canonicalization(true)
        .relaxed_simd_deterministic(true)
        // The module is stripped of names: a backtrace would hold bare numbers.
        .wasm_backtrace_max_frames(None);
    config
}

fn in_one_line(error: &wasmtime::Error) -> String {
    format!("{error:#}").split_whitespace().collect::<Vec<_>>().join(" ")
}
