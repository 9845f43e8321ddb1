//! The memory of the module: what a host may do with the pointers that it got, and with others.

use std::collections::BTreeMap;

use fleetfold_buffers::Buffers;

/// A buffer that is as large as this one would only be slow.
const MOST: u32 = 1 << 16;

/// Steps of five bytes: what to do, and two numbers. Whatever a host does with pointers and lengths:
///
/// 1. A buffer has the length that was asked for, begins with zeros, and shares no byte with another one.
/// 2. Only a buffer that was given out is read, and never beyond its end.
/// 3. Only a buffer with its own length is freed, and once.
/// 4. An answer is read as it was given, until it is freed.
pub fn memory(data: &[u8]) {
    let mut buffers = Buffers::default();
    // The length and the contents of each buffer, by its pointer.
    let mut model: BTreeMap<u32, Vec<u8>> = BTreeMap::new();
    for step in data.chunks_exact(5).take(200) {
        let [what, a, b, c, d] = *step else { continue };
        let (pointer, number) = (u32::from_le_bytes([a, b, c, d]), u32::from(u16::from_le_bytes([c, d])));
        let known = model.keys().copied().nth(usize::from(a) % model.len().max(1)).unwrap_or(pointer);
        match what % 8 {
            0 => {
                let len = number % MOST;
                let ptr = buffers.alloc(len);
                assert_ne!(ptr, 0);
                add(&mut model, ptr, vec![0; len as usize]);
            }
            1 => {
                let answer = vec![b; (number % MOST) as usize];
                let packed = buffers.give(answer.clone());
                assert_eq!(packed & 0xffff_ffff, answer.len() as u64);
                add(&mut model, u32::try_from(packed >> 32).expect("32 bits"), answer);
            }
            2 => free(&mut buffers, &mut model, known, None),
            3 => free(&mut buffers, &mut model, known, Some(number)),
            4 => free(&mut buffers, &mut model, pointer, Some(number)),
            5 => read(&buffers, &model, known, number),
            6 => read(&buffers, &model, pointer, number),
            // The largest numbers, and pointers into a buffer.
            _ => {
                let inside = known.wrapping_add(1 + u32::from(b));
                for (ptr, len) in [(known, u32::MAX), (u32::MAX, u32::MAX), (inside, 1), (inside, 0), (0, 0)] {
                    read(&buffers, &model, ptr, len);
                    free(&mut buffers, &mut model, ptr, Some(len));
                }
            }
        }
        for (ptr, bytes) in &model {
            assert_eq!(buffers.read(*ptr, bytes.len() as u32), Some(bytes.as_slice()));
        }
    }
}

fn add(model: &mut BTreeMap<u32, Vec<u8>>, ptr: u32, bytes: Vec<u8>) {
    let end = |ptr: u32, len: usize| u64::from(ptr) + len.max(1) as u64;
    for (other, its) in &*model {
        assert!(
            u64::from(ptr) >= end(*other, its.len()) || u64::from(*other) >= end(ptr, bytes.len()),
            "{ptr} and {other} overlap"
        );
    }
    model.insert(ptr, bytes);
}

/// Frees with a length, or with the right one. An empty buffer has one byte.
fn free(buffers: &mut Buffers, model: &mut BTreeMap<u32, Vec<u8>>, ptr: u32, len: Option<u32>) {
    let right = model.get(&ptr).map(|it| it.len().max(1) as u32);
    let len = len.or(right).unwrap_or_default();
    buffers.free(ptr, len);
    if right == Some(len.max(1)) {
        model.remove(&ptr);
        assert_eq!(buffers.read(ptr, 0), None, "a freed buffer is read");
        buffers.free(ptr, len);
    }
}

fn read(buffers: &Buffers, model: &BTreeMap<u32, Vec<u8>>, ptr: u32, len: u32) {
    let expected = model.get(&ptr).map(|it| match it.is_empty() {
        true => &[0_u8][..],
        false => it.as_slice(),
    });
    assert_eq!(buffers.read(ptr, len), expected.and_then(|it| it.get(..len as usize)));
}
