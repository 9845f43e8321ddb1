//! The files of a folder: which hold manifests, which hold objects that were observed in a cluster.
//!
//! ```text
//! fleet/clusters.yaml          manifests of the hub
//! fleet/fleetfold.yaml         settings
//! fleet/live/eu-1/web.yaml     objects observed in the cluster eu-1, with the others there all that it has
//! fleet/live/_hub/web.yaml     objects observed in the hub
//! ```

use crate::value::collections::SortedSet;
use crate::value::{Map, Text, Value};

/// The folder of observed objects in a folder of documents.
pub const LIVE: &str = "live";

/// The folder of the hub's observed objects below `live/`. In requests and answers the name of the hub is empty.
pub const HUB: &str = "_hub";

/// The API group of our own kinds.
const GROUP: &str = "fleetfold.dev";

/// What a file of a folder holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    Manifests,
    /// Settings, if [`settings_of`] finds them; otherwise manifests.
    Settings,
    /// Objects that were observed in this cluster; the name of the hub is empty.
    Observed(Text),
    /// It is below `live/`, but in the folder of no cluster.
    Stray,
    /// Nothing that is read.
    Skipped,
}

/// The contents of a file, by its path inside the folder, with `/` between names.
///
/// 1. A name with a leading dot, of the file or of a folder, is skipped, as is what is neither YAML nor JSON.
/// 2. `live/<cluster>/`, directly in the folder, holds observed objects. Other folders named `live` do not count.
/// 3. A `fleetfold.yaml` or `fleetfold.yml` elsewhere may hold settings.
///
/// # Example
///
/// ```
/// use fleetfold_core::object::folder::{Role, role_of};
///
/// assert_eq!(role_of("live/eu-1/apps/web.yaml"), Role::Observed("eu-1".into()));
/// assert_eq!(role_of("live/_hub/web.yaml"), Role::Observed("".into()));
/// assert_eq!(role_of("live/web.yaml"), Role::Stray);
/// assert_eq!(role_of("environments/live/eu-1.yaml"), Role::Manifests);
/// assert_eq!(role_of(".git/config.yaml"), Role::Skipped);
/// ```
pub fn role_of(path: &str) -> Role {
    if !is_document(path) || path.split('/').any(|name| name.starts_with('.')) {
        return Role::Skipped;
    }
    match path.split_once('/') {
        Some((LIVE, inside)) => match inside.split_once('/') {
            Some((folder, _)) => Role::Observed(cluster_of(folder).into()),
            None => Role::Stray,
        },
        _ if is_settings(path) => Role::Settings,
        _ => Role::Manifests,
    }
}

/// What each of some files holds, by paths that start above the folders.
///
/// `folders` are the paths of the folders that were given. Without any, it is the folder that all files share, or the
/// folder around `live` if all files are in that.
///
/// # Example
///
/// ```
/// use fleetfold_core::object::folder::{Role, roles_of};
///
/// let eu_1 = || Role::Observed("eu-1".into());
/// assert_eq!(roles_of(&["fleet/a.yaml", "fleet/live/eu-1/b.yaml"], &[]), [Role::Manifests, eu_1()]);
/// assert_eq!(roles_of(&["live/eu-1/b.yaml"], &[]), [eu_1()]);
/// assert_eq!(roles_of(&["a/live/eu-1/b.yaml", "b/c.yaml"], &["a", "b"]), [eu_1(), Role::Manifests]);
/// ```
pub fn roles_of(files: &[&str], folders: &[&str]) -> Vec<Role> {
    let shared = shared_folder(files);
    let folders = if folders.is_empty() { std::slice::from_ref(&shared) } else { folders };
    let folders: SortedSet<&str> = folders.iter().map(|it| it.trim_end_matches('/')).collect();
    let inside = |file: &&str| {
        // The innermost of nested folders counts.
        let mut ends = file.match_indices('/').map(|(end, _)| end).filter(|end| *end > 0).rev();
        let end = ends.find(|end| file.get(..*end).is_some_and(|folder| folders.contains(folder)));
        role_of(end.and_then(|end| file.get(end.saturating_add(1)..)).unwrap_or(file))
    };
    files.iter().map(inside).collect()
}

/// The longest path of a folder that all files are in, up to a `live` in it.
fn shared_folder<'a>(files: &[&'a str]) -> &'a str {
    let Some((first, rest)) = files.split_first() else { return "" };
    let mut shared = "";
    // How far all files begin alike.
    let alike = |file: &&str| first.bytes().zip(file.bytes()).take_while(|(a, b)| a == b).count();
    let alike = rest.iter().map(alike).min().unwrap_or(first.len());
    let ends = first.match_indices('/').map(|(end, _)| end);
    for folder in ends.filter_map(|end| first.get(..end)) {
        let is_live = folder.rsplit('/').next() == Some(LIVE);
        // Also the slash behind the folder is there in all of them.
        if is_live || folder.len() >= alike {
            break;
        }
        shared = folder;
    }
    shared
}

/// Whether a file is read if it is in a folder. The names are those that kubectl reads.
pub fn is_document(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').is_some_and(|(_, extension)| matches!(extension, "yaml" | "yml" | "json"))
}

/// Whether a file may hold settings.
pub fn is_settings(path: &str) -> bool {
    matches!(path.rsplit('/').next(), Some("fleetfold.yaml" | "fleetfold.yml"))
}

/// The settings in a file whose name may be that of a settings file, as they are written: its only document is of the
/// kind `Settings` of `fleetfold.dev`. Otherwise the file holds manifests.
///
/// # Example
///
/// ```
/// use fleetfold_core::{object::folder::settings_of, value::json};
///
/// let settings = json::parse(r#"{"apiVersion":"fleetfold.dev/v1","kind":"Settings","spec":{"paused":true}}"#)?;
/// let foreign = json::parse(r#"{"apiVersion":"example.com/v1","kind":"Settings","spec":{}}"#)?;
/// assert_eq!(settings_of(&[settings.clone()]).unwrap().to_canonical(), r#"{"paused":true}"#);
/// assert_eq!(settings_of(&[foreign.clone()]), None);
/// assert_eq!(settings_of(&[settings, foreign]), None, "a file of several documents holds manifests");
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn settings_of(documents: &[Value]) -> Option<Value> {
    let [document] = documents else { return None };
    settings_in(document)
}

/// The settings of a document, if it is of the kind `Settings` of `fleetfold.dev`, in any version.
pub fn settings_in(document: &Value) -> Option<Value> {
    let is_settings = document.text_at(&["kind"]) == "Settings"
        && document.text_at(&["apiVersion"]).split_once('/').is_some_and(|(group, _)| group == GROUP);
    is_settings.then(|| document.get("spec").cloned().unwrap_or_else(|| Map::new().into()))
}

/// The cluster of a folder below `live/`.
pub fn cluster_of(folder: &str) -> &str {
    if folder == HUB { "" } else { folder }
}

/// The folder of a cluster below `live/`.
pub fn folder_of(cluster: &str) -> &str {
    if cluster.is_empty() { HUB } else { cluster }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(files: &[&str], folders: &[&str], want: &[&str]) {
        let word = |role: Role| match role {
            Role::Manifests => "manifests".to_owned(),
            Role::Settings => "settings".to_owned(),
            Role::Observed(cluster) => format!("in {cluster}"),
            Role::Stray => "stray".to_owned(),
            Role::Skipped => "skipped".to_owned(),
        };
        assert_eq!(roles_of(files, folders).into_iter().map(word).collect::<Vec<_>>(), want);
    }

    #[test]
    fn a_live_folder_counts_only_directly_in_the_folder() {
        check(&["a.yaml", "live/eu/b.yaml", "x/live/eu/c.yaml"], &[], &["manifests", "in eu", "manifests"]);
        check(&["x/a.yaml", "x/live/eu/b.yaml"], &[], &["manifests", "in eu"]);
        check(&["x/live/eu/b.yaml", "x/live/us/b.yaml"], &[], &["in eu", "in us"]);
        check(&["x/live/eu/live/b.yaml"], &[], &["in eu"]);
    }

    #[test]
    fn a_file_of_no_cluster_is_stray() {
        check(&["x/live/b.yaml"], &[], &["stray"]);
        check(&["lively/b.yaml", "live"], &[], &["manifests", "skipped"]);
    }

    #[test]
    fn the_innermost_folder_counts() {
        check(&["a/b/live/eu/c.yaml"], &["a", "a/b"], &["in eu"]);
        check(&["a/b/live/eu/c.yaml", "d/live/eu/c.yaml"], &["a/"], &["manifests", "manifests"]);
        check(&["ab/live/eu/c.yaml"], &["a"], &["manifests"]);
    }

    #[test]
    fn hidden_names_and_other_formats_are_skipped() {
        check(&[".a.yaml", "b/.c/d.yaml", "e.md", "yaml", "f.YAML"], &[], &["skipped"; 5]);
        check(&[".fleet/a.yaml", ".fleet/b.json"], &[], &["manifests"; 2]);
    }

    #[test]
    fn settings_are_found_by_name_outside_of_live() {
        check(
            &["fleetfold.yaml", "a/fleetfold.yml", "live/eu/fleetfold.yaml"],
            &[],
            &["settings", "settings", "in eu"],
        );
        check(&["notfleetfold.yaml", "fleetfold.json"], &[], &["manifests"; 2]);
    }
}
