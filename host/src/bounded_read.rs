//! Files that are given by name, read up to a limit.
//!
//! 1. A folder, a pipe or a device is refused: a pipe may block forever, and a device may never end.
//! 2. The size that the file system reports is not trusted: that of a file in `/proc` is zero.

use std::fmt;
use std::fs::{self, File, FileType, OpenOptions};
use std::io::{self, BufRead, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

/// The limit of a key, a token, a certificate or a bundle of certificates.
pub const MAX_CREDENTIALS: usize = 1 << 20;

/// The limit of a module, of data for one, and of a saved plan.
pub const MAX_LARGE: usize = 256 << 20;

/// Why a file is not read.
#[derive(Debug)]
pub enum ReadError {
    Folder,
    Special,
    TooLarge { max: usize },
    Io(io::Error),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder => f.write_str("it is a folder, not a file"),
            Self::Special => f.write_str("it is a pipe or a device, not a file"),
            Self::TooLarge { max } => write!(f, "it is larger than {max} bytes"),
            Self::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ReadError {}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// The bytes of a file of at most `max` bytes.
pub fn read_file(path: &Path, max: usize) -> Result<Vec<u8>, ReadError> {
    read_to_limit(open(path)?, max)
}

/// The text of a file of at most `max` bytes.
pub fn read_text_file(path: &Path, max: usize) -> Result<String, ReadError> {
    let invalid = |error| io::Error::new(io::ErrorKind::InvalidData, error);
    String::from_utf8(read_file(path, max)?).map_err(|error| invalid(error.utf8_error()).into())
}

/// Everything up to the end, at most `max` bytes.
pub fn read_to_limit(reader: impl Read, max: usize) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    let count = limited(reader, max).read_to_end(&mut bytes)?;
    if count > max { Err(ReadError::TooLarge { max }) } else { Ok(bytes) }
}

/// Appends the next line to `line`, with its line break, and returns its length. At most `max` bytes of it are read.
pub fn read_line(reader: &mut impl BufRead, max: usize, line: &mut String) -> Result<usize, ReadError> {
    let count = limited(reader, max).read_line(line)?;
    if count > max { Err(ReadError::TooLarge { max }) } else { Ok(count) }
}

/// Opens a file for reading.
pub fn open(path: &Path) -> Result<File, ReadError> {
    check(fs::metadata(path)?.file_type())?;
    // Checked again once it is open: a pipe that took its place would block.
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    check(file.metadata()?.file_type())?;
    Ok(file)
}

fn check(kind: FileType) -> Result<(), ReadError> {
    match kind {
        kind if kind.is_file() => Ok(()),
        kind if kind.is_dir() => Err(ReadError::Folder),
        _ => Err(ReadError::Special),
    }
}

/// One byte above the limit shows that there are more.
fn limited<R: Read>(reader: R, max: usize) -> io::Take<R> {
    reader.take(u64::try_from(max).unwrap_or(u64::MAX).saturating_add(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &Path, max: usize, want: &str) {
        let found = match read_file(path, max) {
            Ok(bytes) => String::from_utf8(bytes).unwrap(),
            Err(error) => format!("error: {error}"),
        };
        assert_eq!(found, want, "{}", path.display());
    }

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let path = std::env::temp_dir().join(format!("fleetfold-bounded-{}", std::process::id()));
        fs::write(&path, "12345").unwrap();
        check(&path, 5, "12345");
        check(&path, 4, "error: it is larger than 4 bytes");
        fs::remove_file(&path).unwrap();
        assert!(matches!(read_file(&path, 5), Err(ReadError::Io(error)) if error.kind() == io::ErrorKind::NotFound));
    }

    #[test]
    fn folders_pipes_and_devices_are_refused() {
        let pipe = std::env::temp_dir().join(format!("fleetfold-bounded-pipe-{}", std::process::id()));
        let _ = fs::remove_file(&pipe);
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, 0o600.into()).unwrap();
        for path in [pipe.as_path(), Path::new("/dev/zero"), Path::new("/dev/null")] {
            check(path, 5, "error: it is a pipe or a device, not a file");
        }
        check(&std::env::temp_dir(), 5, "error: it is a folder, not a file");
        fs::remove_file(&pipe).unwrap();
    }

    #[test]
    fn the_size_that_the_file_system_reports_is_not_trusted() {
        assert_eq!(fs::metadata("/proc/self/status").unwrap().len(), 0);
        check(Path::new("/proc/self/status"), 10, "error: it is larger than 10 bytes");
    }

    #[test]
    fn a_line_is_read_up_to_its_limit() {
        let (mut input, mut line) = (&b"123\n45678\n"[..], String::new());
        assert!(matches!(read_line(&mut input, 4, &mut line), Ok(4)));
        assert_eq!(line, "123\n");
        assert!(matches!(read_line(&mut input, 4, &mut line), Err(ReadError::TooLarge { max: 4 })));
    }
}
