//! The raw module: four functions over one memory, and no rule.
//!
//! A host asks for a buffer, writes a request into it, calls, reads the answer and frees both. The module imports
//! nothing, so any runtime loads it.
#![expect(unsafe_code, reason = "exported names; there is no unsafe block, see the crate buffers")]

use std::cell::RefCell;

use fleetfold_buffers::Buffers;
use fleetfold_core::Workspace;

thread_local! {
    static BUFFERS: RefCell<Buffers> = RefCell::default();
    static WORKSPACE: RefCell<Workspace> = RefCell::default();
}

/// The version of this interface.
#[unsafe(no_mangle)]
pub extern "C" fn fleetfold_abi() -> u32 {
    1
}

/// A buffer of `len` bytes, or 0 when there is no room for it.
#[unsafe(no_mangle)]
pub extern "C" fn fleetfold_alloc(len: u32) -> u32 {
    BUFFERS.with_borrow_mut(|buffers| buffers.alloc(len))
}

/// Gives a buffer back. Anything that is not one is left alone.
#[unsafe(no_mangle)]
pub extern "C" fn fleetfold_free(ptr: u32, len: u32) {
    BUFFERS.with_borrow_mut(|buffers| buffers.free(ptr, len));
}

/// Answers the request in a buffer: the answer's place is `ptr << 32 | len`.
#[unsafe(no_mangle)]
pub extern "C" fn fleetfold_call(ptr: u32, len: u32) -> u64 {
    BUFFERS.with_borrow_mut(|buffers| {
        let answer = WORKSPACE.with_borrow_mut(|workspace| workspace.call_bytes(buffers.read(ptr, len)));
        buffers.give(answer.into_bytes())
    })
}
