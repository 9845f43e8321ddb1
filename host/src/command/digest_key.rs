//! The flag for the key of digests.

use std::path::{Path, PathBuf};

use fleetfold::bounded_read::{MAX_CREDENTIALS, read_text_file};
use fleetfold_core::api::configure::Configure;
use fleetfold_core::value::{Text, Value};

use crate::command::output::Failure;

/// The minimum length of a key: a shorter one can be guessed, as the values that it protects can.
const MIN_LENGTH: usize = 16;

const HINT: &str = "write at least 16 characters into it, as `openssl rand -hex 32` does";

/// The setting that only the flag sets.
const SETTING: &str = "digestKey";

/// The key with which digests cover the values of Secrets.
#[derive(Debug, Clone, clap::Args)]
pub struct DigestKeyArgs {
    /// A file with the key under which the values of Secrets enter digests and action ids
    ///
    /// Whoever compares digests needs the same key: `fleetfold run`, `plan --from-cluster` and `apply`. Without a key
    /// the values enter as they are, and a person who knows the rest of a plan can try short values until a published
    /// digest fits. White space around the key does not count.
    #[arg(long, value_name = "FILE")]
    digest_key_file: Option<PathBuf>,
}

impl DigestKeyArgs {
    pub fn is_given(&self) -> bool {
        self.digest_key_file.is_some()
    }

    /// The key, if a file is given.
    pub fn key(&self) -> Result<Option<Text>, Failure> {
        self.digest_key_file.as_deref().map(read).transpose()
    }

    /// The settings of the engine, with the key.
    pub fn settings(&self, settings: Configure) -> Result<Configure, Failure> {
        Ok(Configure { digest_key: self.key()?.or(settings.digest_key), ..settings })
    }
}

fn read(file: &Path) -> Result<Text, Failure> {
    let refuse = |problem: &dyn std::fmt::Display| {
        Failure::new(format_args!("the digest key `{}` cannot be used: {problem}", file.display()), HINT)
    };
    let read = read_text_file(file, MAX_CREDENTIALS).map_err(|error| refuse(&error))?;
    match read.trim() {
        key if key.len() < MIN_LENGTH => Err(refuse(&format_args!("it has fewer than {MIN_LENGTH} characters"))),
        key => Ok(key.into()),
    }
}

/// Refuses settings of a file that have the key: files are shown and shared, and `serve` publishes them.
pub fn refuse_in_file(settings: &Value) -> Result<(), Failure> {
    if settings.get(SETTING).is_none() {
        return Ok(());
    }
    let hint = "remove it from the file, and give a file with the key alone to `--digest-key-file`";
    Err(Failure::new(format_args!("`{SETTING}` cannot be set in a settings file"), hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key_of(name: &str, text: &[u8]) -> Result<Option<Text>, String> {
        let path = std::env::temp_dir().join(format!("fleetfold-digest-key-{name}-{}", std::process::id()));
        std::fs::write(&path, text).unwrap();
        let args = DigestKeyArgs { digest_key_file: Some(path.clone()) };
        let key = args.key().map_err(|failure| format!("{failure:?}"));
        let _ = std::fs::remove_file(path);
        key
    }

    #[test]
    fn a_key_is_the_text_of_its_file() {
        assert_eq!(key_of("text", b"0123456789abcdef\n"), Ok(Some("0123456789abcdef".into())));
    }

    #[test]
    fn short_keys_and_bytes_are_refused_without_showing_them() {
        for (name, text) in [("short", &b"0123456789abcde\n"[..]), ("bytes", b"\xff\xfe0123456789abcdef")] {
            let error = key_of(name, text).unwrap_err();
            assert!(error.contains("cannot be used") && !error.contains("0123456789"), "{error}");
        }
    }
}
