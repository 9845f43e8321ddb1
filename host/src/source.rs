//! Documents from files, folders and standard input.
//!
//! 1. A file is read whatever its name; of a folder, every `.yaml`, `.yml` and `.json` file in it and below it, sorted
//!    by path. Names that start with a dot and links to folders are skipped.
//! 2. `live/<cluster>/` in a given folder is the complete live state of that cluster; `live/_hub/` is that of the hub.
//! 3. A `fleetfold.yaml` of the kind `Settings` holds settings and is not a document.
//! 4. Refused, with a finding: a link in a folder that leads out of it, pipes and devices, and files above a size. What
//!    a pipe has comes as standard input, which is limited, too.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::fs::{self, FileType};
use std::io;
use std::path::{Path, PathBuf};

use fleetfold::bounded_read::{self, ReadError};
use fleetfold_core::api::load::Load;
use fleetfold_core::object::folder::{self, Role};

/// The largest file that is read, unless a flag allows more.
pub const MAX_FILE_SIZE: usize = 16 << 20;

/// How much longer than a file standard input may be: it often holds all objects of a cluster.
const STDIN_FACTOR: usize = 16;

/// The code of a finding about a refused file.
pub const REFUSED: &str = "refused-file";

/// Why a source cannot be read, and what to do about it.
#[derive(Debug)]
pub struct SourceError {
    pub message: String,
    pub hint: String,
    /// The file can be read, and is not by rule 4.
    is_refusal: bool,
}

impl SourceError {
    fn new(message: impl Display, hint: impl Display) -> Self {
        Self { message: message.to_string(), hint: hint.to_string(), is_refusal: false }
    }

    fn refusal(message: impl Display, hint: impl Display) -> Self {
        Self { is_refusal: true, ..Self::new(message, hint) }
    }

    pub fn is_refusal(&self) -> bool {
        self.is_refusal
    }

    /// The file that this is about.
    pub fn refused(self, path: &Path, live: Option<&str>) -> Refused {
        let Self { message, hint, .. } = self;
        Refused { name: name_of(path), live: live.map(str::to_owned), message, hint }
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

/// A file that is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    pub name: String,
    /// As in [`File`].
    pub live: Option<String>,
    pub message: String,
    pub hint: String,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Source {
    pub files: Vec<File>,
    /// The clusters whose live state is complete: all of their files are read. The hub's name is empty.
    pub complete: Vec<String>,
    pub refused: Vec<Refused>,
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
    /// The clusters that have a folder of live objects; the hub's name is empty.
    pub complete: Vec<String>,
    pub refused: Vec<Refused>,
    /// The folders that were listed.
    pub folders: Vec<PathBuf>,
}

/// Reads all files given with `-f`, in order, each of at most `max` bytes.
pub fn read(given: &[PathBuf], max: usize) -> Result<Source, SourceError> {
    let Listing { files, mut complete, mut refused, .. } = find(given)?;
    let mut read = Vec::new();
    for (path, live) in files {
        match read_text(&path, max) {
            Ok(text) => read.push(File { name: name_of(&path), text, live }),
            Err(error) if error.is_refusal => refused.push(error.refused(&path, live.as_deref())),
            Err(error) => return Err(error),
        }
    }
    // The objects of a file that is not read are unknown, not absent.
    complete.retain(|cluster| refused.iter().all(|it| it.live.as_ref() != Some(cluster)));
    Ok(Source { files: read, complete, refused })
}

/// The same where a refused file is an error.
pub fn read_all(given: &[PathBuf], max: usize) -> Result<Source, SourceError> {
    let mut source = read(given, max)?;
    match source.refused.pop() {
        Some(Refused { message, hint, .. }) => Err(SourceError::refusal(message, hint)),
        None => Ok(source),
    }
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

/// The text of a file of at most `max` bytes.
pub fn read_text(path: &Path, max: usize) -> Result<String, SourceError> {
    let is_stdin = path.as_os_str() == "-";
    let max = if is_stdin { max.saturating_mul(STDIN_FACTOR) } else { max };
    let bytes = match is_stdin {
        true => bounded_read::read_to_limit(io::stdin().lock(), max),
        false => bounded_read::read_file(path, max),
    };
    let bytes = bytes.map_err(|error| match error {
        ReadError::Folder | ReadError::Special => special(path),
        ReadError::TooLarge { max } => {
            let hint = "split it, or allow more with `--max-file-size` where the command has it";
            SourceError::refusal(format_args!("`{}` is larger than {max} bytes", name_of(path)), hint)
        }
        ReadError::Io(error) => unreadable(path, &error),
    })?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        SourceError::new(format_args!("`{}` is not UTF-8 at byte {at}", name_of(path)), "documents are UTF-8 text")
    })
}

fn special(path: &Path) -> SourceError {
    let message = format!("`{}` is a pipe or a device, not a file", path.display());
    SourceError::refusal(message, "pipe it to standard input, with `-f -`")
}

fn folder(root: &Path, found: &mut Listing) -> Result<(), SourceError> {
    let before = (found.files.len(), found.refused.len());
    let live = root.join(folder::LIVE);
    let real = fs::canonicalize(root).map_err(|error| unreadable(root, &error))?;
    let walk = Walk { root, real: &real, live: None };
    walk.add_files(root, Some(&live), found)?;
    let has_live = live.is_dir();
    if has_live {
        live_folders(&walk, &live, found)?;
    }
    if (found.files.len(), found.refused.len()) == before && !has_live {
        let message = format!("there is no `.yaml`, `.yml` or `.json` file in `{}`", root.display());
        return Err(SourceError::new(message, "give a folder of documents, or a file by its name"));
    }
    Ok(())
}

/// The live objects: one folder per cluster.
fn live_folders(walk: &Walk<'_>, live: &Path, found: &mut Listing) -> Result<(), SourceError> {
    if walk.refuses_link(live, found) {
        return Ok(());
    }
    found.folders.push(live.to_owned());
    for (path, _) in entries(live)? {
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
        if walk.refuses_link(&path, found) {
            continue;
        }
        Walk { live: Some(cluster), ..*walk }.add_files(&path, None, found)?;
        found.complete.push(cluster.to_owned());
    }
    Ok(())
}

/// A given folder that is being listed.
#[derive(Clone, Copy)]
struct Walk<'a> {
    root: &'a Path,
    /// The folder without links.
    real: &'a Path,
    /// The cluster of the live objects below.
    live: Option<&'a str>,
}

impl Walk<'_> {
    /// Adds the documents in a folder and below it, sorted, without those below `except`.
    fn add_files(&self, folder: &Path, except: Option<&Path>, found: &mut Listing) -> Result<(), SourceError> {
        found.folders.push(folder.to_owned());
        for (path, kind) in entries(folder)? {
            if kind.is_dir() {
                if except != Some(&path) {
                    self.add_files(&path, None, found)?;
                }
            } else if folder::is_document(&path.to_string_lossy()) {
                self.add_file(path, kind, found);
            }
        }
        Ok(())
    }

    fn add_file(&self, path: PathBuf, kind: FileType, found: &mut Listing) {
        let target = match kind.is_symlink() {
            true => fs::metadata(&path).map(|it| it.file_type()),
            false => Ok(kind),
        };
        match target {
            // Links to folders are skipped.
            Ok(target) if target.is_dir() => {}
            Ok(_) if kind.is_symlink() && self.refuses_link(&path, found) => {}
            Ok(target) if target.is_file() => found.files.push((path, self.live.map(str::to_owned))),
            Ok(_) => found.refused.push(special(&path).refused(&path, self.live)),
            Err(error) => {
                let message = format!("`{}` is a link that leads nowhere: {error}", path.display());
                let refusal = SourceError::refusal(message, "remove the link, or restore its target");
                found.refused.push(refusal.refused(&path, self.live));
            }
        }
    }

    /// Refuses a path that leads out of the folder.
    fn refuses_link(&self, path: &Path, found: &mut Listing) -> bool {
        if fs::canonicalize(path).is_ok_and(|it| it.starts_with(self.real)) {
            return false;
        }
        let message = format!("`{}` is a link that leads out of `{}`", path.display(), self.root.display());
        let hint = "copy its target into the folder, or give the target with `-f`";
        found.refused.push(SourceError::refusal(message, hint).refused(path, self.live));
        true
    }
}

/// The entries of a folder, sorted, without those that start with a dot. A link has the type of a link.
fn entries(folder: &Path) -> Result<Vec<(PathBuf, FileType)>, SourceError> {
    let read = || -> io::Result<Vec<(PathBuf, FileType)>> {
        fs::read_dir(folder)?.map(|it| it.and_then(|it| Ok((it.path(), it.file_type()?)))).collect()
    };
    let mut found = read().map_err(|error| unreadable(folder, &error))?;
    found.retain(|(path, _)| !path.file_name().is_some_and(|it| it.as_encoded_bytes().starts_with(b".")));
    found.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(found)
}

fn unreadable(path: &Path, error: &io::Error) -> SourceError {
    let message = format!("`{}` cannot be read: {error}", name_of(path));
    SourceError::new(message, "give a file or a folder of documents, or `-` for standard input")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

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
        let source = read(std::slice::from_ref(&root), MAX_FILE_SIZE).unwrap();
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
        assert!(format!("{:?}", read(std::slice::from_ref(&root), MAX_FILE_SIZE)).contains("belongs to no cluster"));
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn an_empty_folder_is_an_error() {
        let root = folder_of("nothing", &["a.md"]);
        assert!(format!("{:?}", read(std::slice::from_ref(&root), MAX_FILE_SIZE)).contains("there is no `.yaml`"));
        assert!(format!("{:?}", read(&[root.join("absent.yaml")], MAX_FILE_SIZE)).contains("cannot be read"));
        fs::remove_dir_all(root).unwrap();
    }

    /// The names of the files that are read, and the messages about those that are not.
    fn outcome(given: &Path, max: usize) -> (Vec<String>, Vec<String>) {
        let source = read(&[given.to_owned()], max).unwrap();
        let short = |it: &str| it.rsplit('/').next().unwrap_or_default().to_owned();
        let refused = source.refused.iter().map(|it| {
            assert!(it.message.contains(&it.name) && !it.hint.is_empty(), "{it:?}");
            format!("{}: {}", short(&it.name), it.message.replace(given.to_str().unwrap(), ""))
        });
        (source.files.iter().map(|it| short(&it.name)).collect(), refused.collect())
    }

    #[test]
    fn links_are_followed_inside_of_the_folder_only() {
        let (root, other) = (folder_of("links", &["a.yaml", "sub/b.yaml"]), folder_of("outside", &["secret.yaml"]));
        symlink("a.yaml", root.join("inside.yaml")).unwrap();
        symlink(root.join("sub/b.yaml"), root.join("absolute.yaml")).unwrap();
        symlink(other.join("secret.yaml"), root.join("c.yaml")).unwrap();
        symlink("../../../proc/self/environ", root.join("sub/d.yaml")).unwrap();
        symlink("/dev/zero", root.join("e.yaml")).unwrap();
        symlink("nowhere", root.join("f.yaml")).unwrap();
        symlink(&other, root.join("g")).unwrap();
        let (files, refused) = outcome(&root, MAX_FILE_SIZE);
        assert_eq!(files, ["a.yaml", "absolute.yaml", "inside.yaml", "b.yaml"]);
        let starts = ["c.yaml: `/c.yaml` is a link that leads out", "e.yaml: `/e.yaml` is a link that leads out"];
        let (out, rest) = refused.split_at(2);
        assert!(out.iter().zip(starts).all(|(it, start)| it.starts_with(start)), "{refused:?}");
        assert!(rest[0].starts_with("f.yaml: `/f.yaml` is a link that leads nowhere"), "{refused:?}");
        assert!(rest[1].starts_with("d.yaml: `/sub/d.yaml` is a link that leads"), "{refused:?}");
        // A link that is given by its own name is what the user asked for.
        assert_eq!(outcome(&root.join("c.yaml"), MAX_FILE_SIZE).0, ["c.yaml"]);
        // The files of a mounted ConfigMap are links through a hidden folder.
        fs::create_dir(root.join("..data")).unwrap();
        fs::write(root.join("..data/h.yaml"), "a: 1\n").unwrap();
        symlink("..data/h.yaml", root.join("h.yaml")).unwrap();
        assert!(outcome(&root, MAX_FILE_SIZE).0.contains(&"h.yaml".to_owned()));
        fs::remove_dir_all(root).unwrap();
        fs::remove_dir_all(other).unwrap();
    }

    #[test]
    fn live_objects_of_another_folder_are_refused() {
        let (root, other) = (folder_of("live", &["a.yaml"]), folder_of("elsewhere", &["eu-1/b.yaml"]));
        symlink(&other, root.join("live")).unwrap();
        let source = read(std::slice::from_ref(&root), MAX_FILE_SIZE).unwrap();
        assert_eq!((source.files.len(), source.complete.len(), source.refused.len()), (1, 0, 1));
        fs::remove_file(root.join("live")).unwrap();
        fs::create_dir(root.join("live")).unwrap();
        symlink(other.join("eu-1"), root.join("live/eu-1")).unwrap();
        let source = read(std::slice::from_ref(&root), MAX_FILE_SIZE).unwrap();
        assert_eq!((source.files.len(), source.complete.len(), source.refused.len()), (1, 0, 1));
        fs::remove_dir_all(root).unwrap();
        fs::remove_dir_all(other).unwrap();
    }

    #[test]
    fn a_cluster_with_a_file_that_is_not_read_is_not_complete() {
        let root = folder_of("partial", &["a.yaml", "live/eu-1/b.yaml", "live/eu-2/c.yaml", "live/_hub/d.yaml"]);
        fs::write(root.join("live/eu-1/large.yaml"), "x".repeat(5001)).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, root.join("live/_hub/pipe.yaml"), 0o600.into()).unwrap();
        let source = read(std::slice::from_ref(&root), 5000).unwrap();
        assert_eq!((source.complete, source.refused.len(), source.files.len()), (vec!["eu-2".to_owned()], 2, 4));
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn pipes_devices_and_large_files_are_refused() {
        let root = folder_of("special", &["a.yaml"]);
        let pipe = root.join("pipe.yaml");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, 0o600.into()).unwrap();
        fs::write(root.join("large.yaml"), "x".repeat(5001)).unwrap();
        fs::write(root.join("just.yaml"), "x".repeat(5000)).unwrap();
        let (files, refused) = outcome(&root, 5000);
        assert_eq!(files, ["a.yaml", "just.yaml"]);
        let want = [
            "pipe.yaml: `/pipe.yaml` is a pipe or a device, not a file",
            "large.yaml: `/large.yaml` is larger than 5000 bytes",
        ];
        assert_eq!(refused, want);
        for path in [pipe.as_path(), Path::new("/dev/zero"), Path::new("/dev/null")] {
            let (files, refused) = outcome(path, MAX_FILE_SIZE);
            assert_eq!((files.len(), refused.len()), (0, 1), "{}", path.display());
        }
        assert!(read_all(&[pipe], MAX_FILE_SIZE).is_err());
        // The length of such a file is zero.
        assert_eq!(outcome(Path::new("/proc/self/status"), 10).1.len(), 1);
        fs::remove_dir_all(root).unwrap();
    }
}
