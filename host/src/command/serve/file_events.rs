//! Waits until files may have changed: by events of the kernel (inotify), or by the clock where there are none.
//!
//! 1. Events wake the caller at once. They are missing on network shares and on other systems than Linux, and the
//!    kernel limits how many folders can be watched, so the caller polls as well, only less often.
//! 2. Of the folder around a given file or folder, only events about that name count: it may be a busy one.
//! 3. Events are a reason to look, never the news itself: what changed is found by comparing files.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::source::Listing;

/// How often files are polled without events, and how long to wait for further events after one.
pub const POLL_INTERVAL: Duration = Duration::from_millis(150);

/// How often files are polled in spite of events.
const SLOW_POLL_INTERVAL: Duration = Duration::from_secs(10);

/// The folders to watch, each with the names that count; without names, all count.
pub type Folders = BTreeMap<PathBuf, Option<BTreeSet<OsString>>>;

/// The folders in which a change of the given files shows.
pub fn folders_of(given: &[PathBuf], found: Option<&Listing>) -> Folders {
    let mut folders: Folders =
        found.map(|it| it.folders.iter().map(|it| (it.clone(), None)).collect()).unwrap_or_default();
    for path in given.iter().filter(|it| it.as_os_str() != "-") {
        // A link changes where it is, and where it leads.
        for path in std::fs::canonicalize(path).ok().iter().chain([path]) {
            let Some(name) = path.file_name() else { continue };
            let parent = path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
            let names = folders.entry(parent.to_owned()).or_insert_with(|| Some(BTreeSet::new()));
            if let Some(names) = names {
                names.insert(name.to_owned());
            }
        }
    }
    folders
}

#[derive(Debug)]
pub struct FileEvents {
    events: Option<inotify::Events>,
}

impl FileEvents {
    /// Watches nothing yet.
    pub fn new() -> FileEvents {
        FileEvents { events: inotify::Events::new() }
    }

    /// Without events: files are polled.
    #[cfg(test)]
    fn polling() -> FileEvents {
        FileEvents { events: None }
    }

    /// Watches these folders and no others; returns whether one of them is new, so that events may have been missed.
    pub fn watch(&mut self, folders: &Folders) -> bool {
        let Some(events) = &mut self.events else { return false };
        events.watch(folders).unwrap_or_else(|| {
            self.events = None;
            false
        })
    }

    /// Waits for an event; returns whether there was one within the limit.
    pub fn wait(&self, limit: Duration) -> bool {
        match &self.events {
            Some(events) => events.wait(limit),
            None => {
                thread::sleep(limit);
                false
            }
        }
    }

    /// When to poll next, after a poll that took this long and found nothing: polling takes a twentieth of a core at
    /// most, and a hundredth beside events.
    pub fn next_poll(&self, took: Duration) -> Duration {
        match self.events {
            Some(_) => SLOW_POLL_INTERVAL.max(took * 100),
            None => POLL_INTERVAL.max(took * 20),
        }
    }
}

#[cfg(target_os = "linux")]
mod inotify {
    use std::collections::{BTreeMap, BTreeSet};
    use std::ffi::{OsStr, OsString};
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;
    use std::os::unix::ffi::OsStrExt;
    use std::thread;
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::fs::inotify::{CreateFlags, Reader, WatchFlags, add_watch, init, remove_watch};
    use rustix::io::Errno;

    use super::Folders;

    /// Everything that may change what a folder holds, or how files read.
    const CHANGES: WatchFlags = WatchFlags::ATTRIB
        .union(WatchFlags::CLOSE_WRITE)
        .union(WatchFlags::CREATE)
        .union(WatchFlags::DELETE)
        .union(WatchFlags::DELETE_SELF)
        .union(WatchFlags::MODIFY)
        .union(WatchFlags::MOVE)
        .union(WatchFlags::MOVE_SELF)
        .union(WatchFlags::ONLYDIR);

    #[derive(Debug)]
    pub struct Events {
        queue: OwnedFd,
        /// The watched folders, by the number that the kernel gave them.
        watched: BTreeMap<i32, Option<BTreeSet<OsString>>>,
    }

    impl Events {
        /// Nothing if the kernel gives no queue.
        pub fn new() -> Option<Events> {
            let queue = init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok()?;
            Some(Events { queue, watched: BTreeMap::new() })
        }

        /// As [`super::FileEvents::watch`]; nothing if the kernel watches no more folders.
        pub fn watch(&mut self, folders: &Folders) -> Option<bool> {
            let mut watched: BTreeMap<i32, Option<BTreeSet<OsString>>> = BTreeMap::new();
            for (folder, names) in folders {
                // The number of a folder that is watched already is the same again.
                let number = match add_watch(&self.queue, folder, CHANGES) {
                    Ok(number) => number,
                    // It was removed meanwhile, which the folder around it reports.
                    Err(Errno::NOENT | Errno::NOTDIR | Errno::ACCESS) => continue,
                    Err(_) => return None,
                };
                // Two paths may lead to one folder.
                let before = watched.remove(&number);
                let all = match (before, names) {
                    (Some(Some(before)), Some(names)) => Some(before.union(names).cloned().collect()),
                    (None, names) => names.clone(),
                    _ => None,
                };
                watched.insert(number, all);
            }
            let is_new = watched.keys().any(|it| !self.watched.contains_key(it));
            for number in self.watched.keys().filter(|it| !watched.contains_key(it)) {
                // The kernel has removed it already if the folder is gone.
                let _ = remove_watch(&self.queue, *number);
            }
            self.watched = watched;
            Some(is_new)
        }

        pub fn wait(&self, limit: Duration) -> bool {
            let mut queues = [PollFd::new(&self.queue, PollFlags::IN)];
            // The limit is a few seconds.
            let timeout = Timespec::try_from(limit).ok();
            match poll(&mut queues, timeout.as_ref()) {
                Ok(0) | Err(Errno::INTR) => false,
                Ok(_) => self.read(),
                Err(_) => {
                    thread::sleep(limit);
                    false
                }
            }
        }

        /// Reads all events; returns whether one of them counts.
        fn read(&self) -> bool {
            let mut buffer = [MaybeUninit::uninit(); 4096];
            let mut reader = Reader::new(&self.queue, &mut buffer);
            let mut counts = false;
            // The queue is empty when there is nothing to read.
            while let Ok(event) = reader.next() {
                let name = event.file_name().map(|it| OsStr::from_bytes(it.to_bytes()));
                counts |= match (self.watched.get(&event.wd()), name) {
                    (Some(Some(names)), Some(name)) => names.contains(name),
                    // All names count, the event is about the folder itself, or some events were lost.
                    _ => true,
                };
            }
            counts
        }
    }
}

/// Other systems are polled.
#[cfg(not(target_os = "linux"))]
mod inotify {
    use std::time::Duration;

    #[derive(Debug)]
    pub enum Events {}

    impl Events {
        pub fn new() -> Option<Events> {
            None
        }

        pub fn watch(&mut self, _: &super::Folders) -> Option<bool> {
            match *self {}
        }

        pub fn wait(&self, _: Duration) -> bool {
            match *self {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn folder_of(name: &str) -> PathBuf {
        let root = std::env::temp_dir().join(format!("fleetfold-events-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        fs::create_dir_all(root.join("fleet/sub")).unwrap();
        fs::write(root.join("fleet/sub/a.yaml"), "a: 1\n").unwrap();
        root
    }

    /// Watches the folder `fleet`, as it is now.
    fn watch(events: &mut FileEvents, root: &Path) -> bool {
        let given = [root.join("fleet")];
        let found = crate::source::find(&given).ok();
        events.watch(&folders_of(&given, found.as_ref()))
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn every_change_of_a_given_folder_is_an_event() {
        let root = folder_of("changes");
        let mut events = FileEvents::new();
        assert!(watch(&mut events, &root), "folders that were not watched before");
        assert!(!watch(&mut events, &root), "nothing new");
        let fleet = root.join("fleet");
        let (short, long) = (Duration::from_millis(50), Duration::from_secs(5));
        assert!(!events.wait(short), "nothing happened");

        fs::write(fleet.join("sub/a.yaml"), "a: 2\n").unwrap();
        assert!(events.wait(long), "a file below was written");
        fs::write(fleet.join("new"), "").unwrap();
        fs::rename(fleet.join("new"), fleet.join("b.yaml")).unwrap();
        assert!(events.wait(long), "a file was replaced");
        fs::create_dir(fleet.join("deeper")).unwrap();
        assert!(events.wait(long), "a folder was created");
        assert!(watch(&mut events, &root), "the new folder");
        fs::write(fleet.join("deeper/c.yaml"), "").unwrap();
        assert!(events.wait(long), "a file in the new folder");
        fs::remove_dir_all(&fleet).unwrap();
        assert!(events.wait(long), "the folder was removed");
        watch(&mut events, &root);
        fs::create_dir(&fleet).unwrap();
        assert!(events.wait(long), "the folder is back");
        fs::remove_dir_all(root).unwrap();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn neighbours_of_a_given_folder_are_no_events() {
        let root = folder_of("neighbours");
        let mut events = FileEvents::new();
        watch(&mut events, &root);
        while events.wait(Duration::from_millis(50)) {}
        fs::write(root.join("other"), "").unwrap();
        assert!(!events.wait(Duration::from_millis(200)));
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn without_events_files_are_polled_and_large_folders_less_often() {
        let root = folder_of("polling");
        let mut events = FileEvents::polling();
        assert!(!watch(&mut events, &root));
        assert!(!events.wait(Duration::from_millis(1)));
        assert_eq!(events.next_poll(Duration::from_millis(1)), POLL_INTERVAL);
        assert_eq!(events.next_poll(Duration::from_millis(100)), Duration::from_secs(2));
        fs::remove_dir_all(root).unwrap();
    }
}
