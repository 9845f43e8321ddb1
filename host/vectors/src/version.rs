//! The version of a suite: the file `VERSION` beside its vectors.

use std::fs;
use std::io;
use std::path::Path;

/// The version of the suite in a folder, as `1.2.3`; nothing where there is no file `VERSION`, as in a part of it.
pub fn read(folder: &Path) -> io::Result<Option<String>> {
    let text = match fs::read_to_string(folder.join("VERSION")) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let version = text.trim();
    if !is_version(version) {
        let message =
            format!("its file `VERSION` holds `{}`, which is not a version as `1.2.3`", version.escape_debug());
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    Ok(Some(version.to_owned()))
}

/// Three numbers without leading zeros.
fn is_version(text: &str) -> bool {
    let is_number = |part: &str| part.parse::<u32>().is_ok_and(|number| number.to_string() == part);
    text.split('.').count() == 3 && text.split('.').all(is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_three_numbers() {
        for (text, want) in [
            ("1.2.3", true),
            ("0.10.0", true),
            ("1.2", false),
            ("1.2.3.4", false),
            ("01.2.3", false),
            ("v1.2.3", false),
            ("1.+2.3", false),
            ("1.2.3-rc.1", false),
            ("", false),
        ] {
            assert_eq!(is_version(text), want, "{text}");
        }
    }
}
