//! Detection of changes to open catalogs on disk.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use notify::event::{AccessKind, AccessMode};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _, recommended_watcher};

use super::{Event, Events, spawn_thread};
use crate::tui::{Msg, Source};

/// Quiet period before a change is reported. Editors and generators write in several steps.
const QUIET_PERIOD: Duration = Duration::from_millis(200);

/// Maximum delay of a report if writes continue.
const MAX_DELAY: Duration = Duration::from_secs(2);

/// Watched catalog: its path as opened, and its canonical path.
type WatchedPath = (PathBuf, PathBuf);

/// File watcher for open catalogs. If the system does not support it (some network file systems), the user
/// reloads with `r`.
pub struct FileWatcher {
    watcher: Option<RecommendedWatcher>,
    watched: Arc<Mutex<Vec<WatchedPath>>>,
}

impl FileWatcher {
    /// Creates a watcher that sends `events`, or an inactive one.
    pub fn new(events: Events, wanted: bool) -> Self {
        let watched: Arc<Mutex<Vec<WatchedPath>>> = Arc::default();
        let (changes, heard) = mpsc::channel();
        let watcher = wanted.then(|| start_watcher(changes).ok()).flatten();
        let listens = watcher.is_some() && {
            let watched = Arc::clone(&watched);
            spawn_thread("watch", &events.clone(), move || report_changes(&heard, &watched, &events)).is_ok()
        };
        Self { watcher: watcher.filter(|_| listens), watched }
    }

    /// Adds catalogs.
    pub fn watch_sources(&mut self, sources: &[Source]) {
        let Some(watcher) = &mut self.watcher else { return };
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        for source in sources {
            let Source::Path(opened) = source else { continue };
            let Ok(real) = fs::canonicalize(opened) else { continue };
            if watched.iter().any(|(known, _)| known == opened) {
                continue;
            }
            // Editors replace a file by renaming another file, which changes its directory.
            let (place, mode) = match real.parent() {
                Some(parent) if real.is_file() => (parent, RecursiveMode::NonRecursive),
                _ => (real.as_path(), RecursiveMode::Recursive),
            };
            if watcher.watch(Path::new(place), mode).is_ok() {
                watched.push((opened.clone(), real));
            }
        }
    }
}

/// Creates a watcher that sends the changed paths; `None` if the system lost events.
fn start_watcher(changes: Sender<Option<PathBuf>>) -> notify::Result<RecommendedWatcher> {
    recommended_watcher(move |event: notify::Result<notify::Event>| {
        let Ok(event) = event else { return };
        // The receiver no longer exists if the program is ending.
        if event.need_rescan() {
            let _ = changes.send(None);
        } else if is_change(event.kind) {
            for path in event.paths {
                let _ = changes.send(Some(path));
            }
        }
    })
}

/// Returns true if the content may differ afterwards. Reads are reported too, including those of this
/// program.
fn is_change(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(access) => access == AccessKind::Close(AccessMode::Write),
        _ => true,
    }
}

/// Collects changes until a quiet period, and reports the affected catalogs.
fn report_changes(heard: &Receiver<Option<PathBuf>>, watched: &Mutex<Vec<WatchedPath>>, events: &Events) {
    while let Ok(first) = heard.recv() {
        let begun = Instant::now();
        let mut changes = vec![first];
        while begun.elapsed() < MAX_DELAY
            && let Ok(more) = heard.recv_timeout(QUIET_PERIOD)
        {
            changes.push(more);
        }
        let known = watched.lock().unwrap_or_else(PoisonError::into_inner);
        for (opened, real) in known.iter() {
            let concerns =
                |change: &Option<PathBuf>| change.as_ref().is_none_or(|path| path.starts_with(real));
            if changes.iter().any(concerns) {
                let _ = events.send(Event::Msg(Msg::ChangedOnDisk(Source::Path(opened.clone()))));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use notify::event::{CreateKind, DataChange, MetadataKind, ModifyKind, RemoveKind, RenameMode};

    use super::*;

    #[test]
    fn reading_is_not_a_change() {
        let open = EventKind::Access(AccessKind::Open(AccessMode::Any));
        let read = EventKind::Access(AccessKind::Close(AccessMode::Read));
        assert!(!is_change(open) && !is_change(read));
        let changes = [
            EventKind::Access(AccessKind::Close(AccessMode::Write)),
            EventKind::Create(CreateKind::File),
            EventKind::Modify(ModifyKind::Data(DataChange::Any)),
            EventKind::Modify(ModifyKind::Metadata(MetadataKind::Permissions)),
            EventKind::Modify(ModifyKind::Name(RenameMode::To)),
            EventKind::Remove(RemoveKind::File),
            EventKind::Any,
        ];
        assert!(changes.into_iter().all(is_change));
    }
}
