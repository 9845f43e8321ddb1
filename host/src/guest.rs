//! The module under wasmtime: compiled once, called with a deadline and a memory limit, and dropped after a fault.
//!
//! One [`Guest`] is one workspace. A call returns an answer or a [`GuestError`]; after a fault the instance and its
//! store are dropped, and the next call starts a fresh instance with an empty workspace.
//!
//! The module is not trusted: its pointers are checked against its memory, and an answer must be one line of UTF-8
//! within the length limit.

mod error;
mod limits;
mod module;
mod ticker;

pub use error::GuestError;
pub use limits::Limits;
pub use module::{EMBEDDED, EMBEDDED_DIGEST, Module};

use std::fmt;
use std::time::Duration;

use limits::MemoryLimiter;
use wasmtime::{Memory, Store, TypedFunc, UpdateDeadline, WasmParams, WasmResults};

/// The version of the interface, which `fleetfold_abi` must return.
pub const ABI: u32 = 1;

/// One workspace inside the module.
pub struct Guest {
    module: Module,
    limits: Limits,
    /// Nothing after a fault.
    instance: Option<Instance>,
    /// The deadline of the next calls, if it is another than that of the limits.
    deadline: Option<Duration>,
}

impl Guest {
    /// Starts an instance of `module`; a module with another interface is an error here, before any call.
    pub fn new(module: &Module, limits: Limits) -> Result<Self, GuestError> {
        let instance = Instance::start(module, limits)?;
        Ok(Self { module: module.clone(), limits, instance: Some(instance), deadline: None })
    }

    /// Sends one request to this workspace.
    ///
    /// # Errors
    ///
    /// 1. The request is above the limit; the workspace stays as it was.
    /// 2. After every other error the instance is dropped: the next call finds an empty workspace.
    pub fn call(&mut self, request: &[u8]) -> Result<String, GuestError> {
        if request.len() > self.limits.request {
            return Err(GuestError::RequestTooLarge { limit: self.limits.request });
        }
        // Taken, not borrowed: it is put back only after success.
        let mut instance = match self.instance.take() {
            Some(instance) => instance,
            None => Instance::start(&self.module, self.limits)?,
        };
        let limits = Limits { deadline: self.deadline.unwrap_or(self.limits.deadline), ..self.limits };
        let answer = instance.answer(request, &self.module, limits)?;
        self.instance = Some(instance);
        Ok(answer)
    }

    /// Gives the next calls another deadline, or that of the limits again.
    pub fn set_deadline(&mut self, deadline: Option<Duration>) {
        self.deadline = deadline;
    }

    /// The deadline of a call by the limits.
    pub fn deadline(&self) -> Duration {
        self.limits.deadline
    }

    /// Whether the next call finds an empty workspace.
    pub fn is_fresh(&self) -> bool {
        self.instance.is_none()
    }

    /// Drops the workspace: the next call finds an empty one.
    pub fn fresh(&mut self) {
        self.instance = None;
    }
}

impl fmt::Debug for Guest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guest").field("module", &self.module).field("limits", &self.limits).finish_non_exhaustive()
    }
}

struct Instance {
    store: Store<MemoryLimiter>,
    memory: Memory,
    alloc: TypedFunc<u32, u32>,
    free: TypedFunc<(u32, u32), ()>,
    call: TypedFunc<(u32, u32), u64>,
}

impl Instance {
    /// Instantiation may run code of the module, so it has a deadline too.
    fn start(module: &Module, limits: Limits) -> Result<Self, GuestError> {
        let mut store = Store::new(module.engine(), MemoryLimiter::new(limits));
        store.limiter(|limiter| limiter);
        // Every tick looks at the clock: ticks come late on a busy machine, and counting them would add that up.
        store.epoch_deadline_callback(|context| {
            Ok(if context.data().is_over() { UpdateDeadline::Interrupt } else { UpdateDeadline::Continue(1) })
        });
        let _ticking = module.ticker().run();
        store.set_epoch_deadline(1);
        let fault = |error| GuestError::fault(&error, limits);

        let instance = module.instantiate(&mut store).map_err(fault)?;
        let memory = instance.get_memory(&mut store, "memory").ok_or(GuestError::MissingExport { export: "memory" })?;
        let abi = function::<(), u32>(&instance, &mut store, "fleetfold_abi")?;
        let alloc = function(&instance, &mut store, "fleetfold_alloc")?;
        let free = function(&instance, &mut store, "fleetfold_free")?;
        let call = function(&instance, &mut store, "fleetfold_call")?;
        match abi.call(&mut store, ()).map_err(fault)? {
            ABI => Ok(Self { store, memory, alloc, free, call }),
            got => Err(GuestError::WrongAbi { got, want: ABI }),
        }
    }

    fn answer(&mut self, request: &[u8], module: &Module, limits: Limits) -> Result<String, GuestError> {
        let _ticking = module.ticker().run();
        self.store.data_mut().start(limits.deadline);
        self.store.set_epoch_deadline(1);
        let fault = |error| GuestError::fault(&error, limits);

        let len = u32::try_from(request.len()).map_err(|_| GuestError::RequestTooLarge { limit: limits.request })?;
        let ptr = self.alloc.call(&mut self.store, len).map_err(fault)?;
        if ptr == 0 {
            return Err(GuestError::MemoryLimit { limit: limits.memory });
        }
        let memory = self.memory.data_mut(&mut self.store);
        let outside = GuestError::BadAnswer { reason: "its buffer for the request lies outside its memory" };
        memory.get_mut(place(ptr, len)).ok_or(outside)?.copy_from_slice(request);

        let packed = self.call.call(&mut self.store, (ptr, len)).map_err(fault)?;
        let (answer_ptr, answer_len) = ((packed >> 32) as u32, packed as u32);
        let answer = self.read(answer_ptr, answer_len, limits)?;
        self.free.call(&mut self.store, (ptr, len)).map_err(fault)?;
        self.free.call(&mut self.store, (answer_ptr, answer_len)).map_err(fault)?;
        Ok(answer)
    }

    fn read(&self, ptr: u32, len: u32, limits: Limits) -> Result<String, GuestError> {
        let bad = |reason| GuestError::BadAnswer { reason };
        if len as usize > limits.answer {
            return Err(bad("it is too long"));
        }
        let bytes = self.memory.data(&self.store).get(place(ptr, len)).ok_or(bad("it lies outside the memory"))?;
        if bytes.is_empty() {
            return Err(bad("it is empty"));
        }
        // Canonical JSON has no line break; an answer with one could forge a second answer line.
        // A chunk is looked at as a whole, which takes a few instructions for many bytes.
        let has_control = |chunk: &[u8]| chunk.iter().fold(false, |found, byte| found | (*byte < b' '));
        if bytes.chunks(256).any(has_control) {
            return Err(bad("it has a control character"));
        }
        let text = std::str::from_utf8(bytes).map_err(|_| bad("it is not UTF-8"))?;
        Ok(text.to_owned())
    }
}

fn function<Params: WasmParams, Results: WasmResults>(
    instance: &wasmtime::Instance,
    store: &mut Store<MemoryLimiter>,
    export: &'static str,
) -> Result<TypedFunc<Params, Results>, GuestError> {
    instance.get_typed_func(store, export).map_err(|_| GuestError::MissingExport { export })
}

fn place(ptr: u32, len: u32) -> std::ops::Range<usize> {
    let start = ptr as usize;
    start..start.saturating_add(len as usize)
}
