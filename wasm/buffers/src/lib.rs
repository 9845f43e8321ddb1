//! The buffers through which a host passes requests and answers.
//!
//! The module owns every buffer and keeps a list of them, so it refuses a pointer that it did not return, and nothing
//! here needs `unsafe`. A crate of its own, so that the fuzz target for memory runs natively what the module runs.

use std::collections::BTreeMap;

/// The buffers that a host holds, by pointer.
#[derive(Debug, Default)]
pub struct Buffers(BTreeMap<u32, Vec<u8>>);

impl Buffers {
    /// Allocates a buffer of zeros; returns its pointer, or 0 if there is no memory for it.
    pub fn alloc(&mut self, len: u32) -> u32 {
        let mut bytes = Vec::new();
        // One byte at least: an empty `Vec` has no place of its own.
        let wanted = len.max(1) as usize;
        if bytes.try_reserve_exact(wanted).is_err() {
            return 0;
        }
        bytes.resize(wanted, 0);
        self.keep(bytes)
    }

    /// Frees a buffer, if it has exactly this length. Requests and answers may hold Secret data, so the buffer is
    /// overwritten first.
    pub fn free(&mut self, ptr: u32, len: u32) {
        if self.0.get(&ptr).is_some_and(|bytes| bytes.len() == len.max(1) as usize)
            && let Some(mut bytes) = self.0.remove(&ptr)
        {
            bytes.fill(0);
            // Without a reader, the compiler would leave the write out.
            std::hint::black_box(&bytes);
        }
    }

    /// The bytes that a host wrote; nothing if there is no such buffer, or if it is shorter.
    pub fn read(&self, ptr: u32, len: u32) -> Option<&[u8]> {
        self.0.get(&ptr)?.get(..len as usize)
    }

    /// Keeps an answer for the host; returns `pointer << 32 | length`.
    pub fn give(&mut self, mut answer: Vec<u8>) -> u64 {
        let len = answer.len() as u64;
        if answer.is_empty() {
            answer.push(0);
        }
        u64::from(self.keep(answer)) << 32 | len
    }

    fn keep(&mut self, bytes: Vec<u8>) -> u32 {
        let ptr = bytes.as_ptr() as usize as u32;
        self.0.insert(ptr, bytes);
        ptr
    }
}
