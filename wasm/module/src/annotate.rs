//! Adds and removes custom sections.

use crate::module_error::ModuleError;
use crate::sections::sections;

/// Puts `data` into the custom section `section` of a module or component.
///
/// 1. A section of that name is replaced in its place; of several, the first is replaced and the others are removed.
/// 2. Otherwise it is put at the end.
/// 3. Every other section stays as it is, byte for byte.
///
/// # Errors
///
/// The bytes are not laid out as WebAssembly, or the section would be larger than one can be.
///
/// # Example
///
/// ```
/// let empty = b"\0asm\x01\0\0\0";
/// let noted = fleetfold_module::annotate(empty, "note", b"hi").unwrap();
/// assert_eq!(noted, b"\0asm\x01\0\0\0\x00\x07\x04notehi");
/// assert_eq!(fleetfold_module::annotate(&noted, "note", b"hi").unwrap(), noted);
/// ```
pub fn annotate(module: &[u8], section: &str, data: &[u8]) -> Result<Vec<u8>, ModuleError> {
    let (_, sections) = sections(module)?;
    let mut out = Vec::with_capacity(module.len() + section.len() + data.len() + 16);
    let (mut kept, mut written) = (0, false);
    for old in sections.iter().filter(|it| it.kind == "custom" && it.name == section) {
        out.extend_from_slice(&module[kept..old.whole.start]);
        if !std::mem::replace(&mut written, true) {
            custom(section, data, old.whole.start, &mut out)?;
        }
        kept = old.whole.end;
    }
    out.extend_from_slice(&module[kept..]);
    if !written {
        custom(section, data, module.len(), &mut out)?;
    }
    Ok(out)
}

/// The module or component without the custom sections of that name; every other byte stays.
///
/// # Errors
///
/// The bytes are not laid out as WebAssembly.
///
/// # Example
///
/// ```
/// let noted = fleetfold_module::annotate(b"\0asm\x01\0\0\0", "note", b"hi").unwrap();
/// assert_eq!(fleetfold_module::without(&noted, "note").unwrap(), b"\0asm\x01\0\0\0");
/// ```
pub fn without(module: &[u8], section: &str) -> Result<Vec<u8>, ModuleError> {
    let (_, sections) = sections(module)?;
    let mut out = Vec::with_capacity(module.len());
    let mut kept = 0;
    for old in sections.iter().filter(|it| it.kind == "custom" && it.name == section) {
        out.extend_from_slice(&module[kept..old.whole.start]);
        kept = old.whole.end;
    }
    out.extend_from_slice(&module[kept..]);
    Ok(out)
}

fn custom(name: &str, data: &[u8], at: usize, out: &mut Vec<u8>) -> Result<(), ModuleError> {
    let mut named = Vec::with_capacity(name.len() + 5);
    let too_large = |_| ModuleError::new("a section cannot be larger than 4 GiB", at, "give less data");
    length(u32::try_from(name.len()).map_err(too_large)?, &mut named);
    named.extend_from_slice(name.as_bytes());
    out.push(0);
    length(u32::try_from(named.len() + data.len()).map_err(too_large)?, out);
    out.extend_from_slice(&named);
    out.extend_from_slice(data);
    Ok(())
}

/// LEB128: seven bits a byte, lowest first, the eighth is set if more follow.
fn length(mut left: u32, out: &mut Vec<u8>) {
    loop {
        let low = (left & 0x7f) as u8;
        left >>= 7;
        if left == 0 {
            return out.push(low);
        }
        out.push(low | 0x80);
    }
}
