//! Why a module was not built.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why a module was not built.
#[derive(Debug)]
pub enum BuildError {
    /// Cargo is not installed, or cannot be started.
    NoCargo(io::Error),
    /// Cargo printed the errors of the compiler and ended with a failure.
    Failed {
        /// The packages, separated by commas.
        packages: String,
        /// The target they were built for.
        target: &'static str,
    },
    /// A file of the build cannot be read.
    File {
        /// The file.
        path: PathBuf,
        /// What the system reports.
        error: io::Error,
    },
    /// Cargo's list of sources names no file of the workspace.
    NoSources(PathBuf),
}

impl BuildError {
    pub(crate) fn file(path: &Path, error: io::Error) -> Self {
        Self::File { path: path.to_path_buf(), error }
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCargo(error) => write!(f, "cargo does not start: {error}"),
            Self::Failed { packages, target } => {
                write!(f, "{packages} did not build; if the target is missing: `rustup target add {target}`")
            }
            Self::File { path, error } => write!(f, "{}: {error}", path.display()),
            Self::NoSources(path) => write!(f, "{} lists no source file of the workspace", path.display()),
        }
    }
}

impl Error for BuildError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::NoCargo(error) | Self::File { error, .. } => Some(error),
            Self::Failed { .. } | Self::NoSources(_) => None,
        }
    }
}
