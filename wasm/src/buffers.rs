//! Who holds which piece of the memory. The module owns every buffer and remembers it, so a pointer that it never gave
//! out is refused instead of followed, and nothing here needs `unsafe`.

use std::collections::BTreeMap;

#[derive(Debug, Default)]
pub struct Buffers(BTreeMap<u32, Vec<u8>>);

impl Buffers {
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

    /// Requests and answers may hold what Secrets do, so that a buffer is overwritten before its memory is used again.
    pub fn free(&mut self, ptr: u32, len: u32) {
        if self.0.get(&ptr).is_some_and(|bytes| bytes.len() == len.max(1) as usize)
            && let Some(mut bytes) = self.0.remove(&ptr)
        {
            bytes.fill(0);
            // Without a reader, the compiler would leave the write out.
            std::hint::black_box(&bytes);
        }
    }

    /// What a host wrote; nothing when it never got that buffer, or claims more of it than there is.
    pub fn read(&self, ptr: u32, len: u32) -> Option<&[u8]> {
        self.0.get(&ptr)?.get(..len as usize)
    }

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
