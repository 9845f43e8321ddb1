//! Documents from files, folders and standard input.
//!
//! 1. A file is read whatever its name; of a folder, every `.yaml`, `.yml` and `.json` file in it and below it, sorted
//!    by path. Names that start with a dot and links to folders are skipped.
//! 2. `live/<cluster>/` in a given folder is the complete live state of that cluster; `live/_hub/` is that of the hub.
//! 3. A `fleetfold.yaml` of the kind `Settings` holds settings and is not a document.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use fleetfold_core::api::load::Load;
use fleetfold_core::object::folder::{self, Role};

/// Why a source cannot be read, and what to do about it.
#[derive(Debug)]
pub struct SourceError {
    pub message: String,
    pub hint: String,
}

impl SourceError {
    fn new(message: impl Display, hint: impl Display) -> Self {
        Self { message: message.to_string(), hint: hint.to_string() }
    }
}

/// The file name of standard input in locations.
pub const STDIN: &str = "<stdin>";

#[derive(Debug, PartialEq, Eq)]
pub struct File {
    pub name: String,
    pub text: String,
    /// The cluster of a live object; nothing for a document.
    pub live: Option<String>,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Source {
    pub files: Vec<File>,
    /// The clusters whose live state is complete; the hub's name is empty.
    pub complete: Vec<String>,
}

/// The request that loads a file.
pub fn load_of(name: &str, text: &str, live: Option<&str>) -> Load {
    Load { file: Some(name.into()), text: Some(text.into()), live: live.map(Into::into), ..Load::default() }
}

/// The requests that mark clusters as complete. They go first: a complete cluster has only the objects that are loaded
/// afterwards.
pub fn complete_loads(clusters: Vec<String>) -> Vec<Load> {
    let load = |cluster: String| Load {
        documents: Some(Vec::new()),
        live: Some(cluster.into()),
        complete: Some(true),
        ..Load::default()
    };
    // Two folders may have live objects of the same cluster.
    clusters.into_iter().collect::<BTreeSet<_>>().into_iter().map(load).collect()
}

/// The files to read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// Each file, with the cluster of its live objects; `-` is standard input.
    pub files: Vec<(PathBuf, Option<String>)>,
    /// As in [`Source`].
    pub complete: Vec<String>,
}

/// Reads all files given with `-f`, in order.
pub fn read(given: &[PathBuf]) -> Result<Source, SourceError> {
    let Listing { files, complete } = find(given)?;
    let read = |(path, live): (PathBuf, Option<String>)| {
        let text = read_text(&path)?;
        Ok(File { name: name_of(&path), text, live })
    };
    Ok(Source { files: files.into_iter().map(read).collect::<Result<_, SourceError>>()?, complete })
}

/// Finds all files given with `-f`, in order.
pub fn find(given: &[PathBuf]) -> Result<Listing, SourceError> {
    let mut found = Listing::default();
    let mut has_stdin = false;
    for path in given {
        if path.as_os_str() == "-" && std::mem::replace(&mut has_stdin, true) {
            return Err(SourceError::new("standard input is given twice", "give `-f -` once"));
        } else if path.is_dir() {
            folder(path, &mut found)?;
        } else {
            if path.as_os_str() != "-" {
                fs::metadata(path).map_err(|error| unreadable(path, &error))?;
            }
            found.files.push((path.clone(), None));
        }
    }
    Ok(found)
}

/// The name of a file in locations.
pub fn name_of(path: &Path) -> String {
    if path.as_os_str() == "-" { STDIN.to_owned() } else { path.display().to_string() }
}

/// The text of a file.
pub fn read_text(path: &Path) -> Result<String, SourceError> {
    let bytes = if path.as_os_str() == "-" {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        fs::read(path)
    };
    String::from_utf8(bytes.map_err(|error| unreadable(path, &error))?).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        SourceError::new(format_args!("`{}` is not UTF-8 at byte {at}", name_of(path)), "documents are UTF-8 text")
    })
}

fn folder(root: &Path, found: &mut Listing) -> Result<(), SourceError> {
    let before = found.files.len();
    let live = root.join(folder::LIVE);
    found.files.extend(files_below(root, Some(&live))?.into_iter().map(|it| (it, None)));
    if live.is_dir() {
        live_folders(&live, found)?;
    }
    if found.files.len() == before && !live.is_dir() {
        let message = format!("there is no `.yaml`, `.yml` or `.json` file in `{}`", root.display());
        return Err(SourceError::new(message, "give a folder of documents, or a file by its name"));
    }
    Ok(())
}

/// The live objects: one folder per cluster.
fn live_folders(live: &Path, found: &mut Listing) -> Result<(), SourceError> {
    for path in entries(live)? {
        let name = path.file_name().unwrap_or_default();
        if !path.is_dir() {
            let inside = format!("{}/{}", folder::LIVE, name.to_string_lossy());
            if folder::role_of(&inside) == Role::Stray {
                let message = format!("`{}` belongs to no cluster", path.display());
                return Err(SourceError::new(
                    message,
                    "put it into `live/<cluster>/`, or into `live/_hub/` for the hub",
                ));
            }
            continue;
        }
        let Some(name) = name.to_str() else {
            return Err(SourceError::new(format_args!("`{}` does not name a cluster", path.display()), "rename it"));
        };
        let cluster = folder::cluster_of(name);
        found.files.extend(files_below(&path, None)?.into_iter().map(|it| (it, Some(cluster.to_owned()))));
        found.complete.push(cluster.to_owned());
    }
    Ok(())
}

/// The documents in a folder and below it, sorted, without those below `except`.
fn files_below(root: &Path, except: Option<&Path>) -> Result<Vec<PathBuf>, SourceError> {
    let mut found = Vec::new();
    for path in entries(root)? {
        let is_folder = fs::symlink_metadata(&path).is_ok_and(|it| it.is_dir());
        if is_folder && except != Some(&path) {
            found.extend(files_below(&path, None)?);
        } else if path.is_file() && folder::is_document(&path.to_string_lossy()) {
            found.push(path);
        }
    }
    Ok(found)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, SourceError> {
    let read = || -> io::Result<Vec<PathBuf>> { fs::read_dir(folder)?.map(|it| Ok(it?.path())).collect() };
    let mut paths = read().map_err(|error| unreadable(folder, &error))?;
    paths.retain(|path| !path.file_name().is_some_and(|it| it.as_encoded_bytes().starts_with(b".")));
    paths.sort();
    Ok(paths)
}

fn unreadable(path: &Path, error: &io::Error) -> SourceError {
    let message = format!("`{}` cannot be read: {error}", name_of(path));
    SourceError::new(message, "give a file or a folder of documents, or `-` for standard input")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn folder_of(name: &str, files: &[&str]) -> PathBuf {
        let root = std::env::temp_dir().join(format!("fleetfold-source-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        for file in files {
            let file = root.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "a: 1\n").unwrap();
        }
        root
    }

    #[test]
    fn a_folder_is_read_in_order_and_live_objects_apart() {
        let files = [
            "b.yml",
            "a/c.yaml",
            "a.json",
            "note.md",
            ".x.yaml",
            ".git/y.yaml",
            "live/eu-1/d.yaml",
            "live/_hub/e.yaml",
            "a/live/f.yaml",
        ];
        let root = folder_of("order", &files);
        fs::create_dir_all(root.join("live/empty")).unwrap();
        let source = read(std::slice::from_ref(&root)).unwrap();
        let short = |file: &File| (file.name.trim_start_matches(root.to_str().unwrap()).to_owned(), file.live.clone());
        let want = [
            ("/a/c.yaml", None),
            ("/a/live/f.yaml", None),
            ("/a.json", None),
            ("/b.yml", None),
            ("/live/_hub/e.yaml", Some("")),
            ("/live/eu-1/d.yaml", Some("eu-1")),
        ];
        let want = want.map(|(name, live)| (name.to_owned(), live.map(str::to_owned)));
        assert_eq!(source.files.iter().map(short).collect::<Vec<_>>(), want);
        assert_eq!(source.complete, ["", "empty", "eu-1"]);
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn a_live_object_outside_of_a_cluster_folder_is_an_error() {
        let root = folder_of("stray", &["a.yaml", "live/x.yaml"]);
        assert!(format!("{:?}", read(std::slice::from_ref(&root))).contains("belongs to no cluster"));
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn an_empty_folder_is_an_error() {
        let root = folder_of("nothing", &["a.md"]);
        assert!(format!("{:?}", read(std::slice::from_ref(&root))).contains("there is no `.yaml`"));
        assert!(format!("{:?}", read(&[root.join("absent.yaml")])).contains("cannot be read"));
        fs::remove_dir_all(root).unwrap();
    }
}
