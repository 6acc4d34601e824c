//! Open catalogs on disk: a message when somebody writes to one.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{self, Receiver, Sender},
    },
    time::{Duration, Instant},
};

use notify::{
    EventKind, RecommendedWatcher, RecursiveMode, Watcher as _,
    event::{AccessKind, AccessMode},
    recommended_watcher,
};

use super::{Event, Events, thread};
use crate::app::{Msg, Source};

/// How long it must be quiet before one looks: editors and generators write in several steps.
const QUIET: Duration = Duration::from_millis(200);

/// After this one looks even if it is never quiet.
const LONGEST: Duration = Duration::from_secs(2);

/// A catalog that is watched: as it was opened, and as the system names it.
type Watched = (PathBuf, PathBuf);

/// Watches open catalogs. Where the system cannot (some network file systems), `r` reads them again as ever.
pub struct Watch {
    watcher: Option<RecommendedWatcher>,
    watched: Arc<Mutex<Vec<Watched>>>,
}

impl Watch {
    /// A watch that tells `events`, or one that watches nothing.
    pub fn new(events: Events, wanted: bool) -> Self {
        let watched: Arc<Mutex<Vec<Watched>>> = Arc::default();
        let (changes, heard) = mpsc::channel();
        let watcher = wanted.then(|| watcher(changes).ok()).flatten();
        let listens = watcher.is_some() && {
            let watched = Arc::clone(&watched);
            thread::spawn("watch", &events.clone(), move || listen(&heard, &watched, &events)).is_ok()
        };
        Self { watcher: watcher.filter(|_| listens), watched }
    }

    /// Watches these too.
    pub fn follow(&mut self, sources: &[Source]) {
        let Some(watcher) = &mut self.watcher else { return };
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        for source in sources {
            let Source::Path(opened) = source else { continue };
            let Ok(real) = fs::canonicalize(opened) else { continue };
            if watched.iter().any(|(known, _)| known == opened) {
                continue;
            }
            // Whoever replaces a file renames another one over it: that happens to its directory.
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

/// A watcher that sends the paths of what was written; `None` where it lost count.
fn watcher(changes: Sender<Option<PathBuf>>) -> notify::Result<RecommendedWatcher> {
    recommended_watcher(move |event: notify::Result<notify::Event>| {
        let Ok(event) = event else { return };
        // What ends in the meantime does not wait for the answer.
        if event.need_rescan() {
            let _ = changes.send(None);
        } else if is_change(event.kind) {
            for path in event.paths {
                let _ = changes.send(Some(path));
            }
        }
    })
}

/// Whether something may be different afterwards. Reading a file is told too, and this program reads them itself.
fn is_change(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(access) => access == AccessKind::Close(AccessMode::Write),
        _ => true,
    }
}

/// Gathers changes until it is quiet, and tells of the catalogs they are in.
fn listen(heard: &Receiver<Option<PathBuf>>, watched: &Mutex<Vec<Watched>>, events: &Events) {
    while let Ok(first) = heard.recv() {
        let begun = Instant::now();
        let mut changes = vec![first];
        while begun.elapsed() < LONGEST
            && let Ok(more) = heard.recv_timeout(QUIET)
        {
            changes.push(more);
        }
        let known = watched.lock().unwrap_or_else(PoisonError::into_inner);
        for (opened, real) in known.iter() {
            let concerns =
                |change: &Option<PathBuf>| change.as_ref().is_none_or(|path| path.starts_with(real));
            if changes.iter().any(concerns) {
                let _ = events.send(Event::Msg(Msg::Touched(Source::Path(opened.clone()))));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use notify::event::{CreateKind, DataChange, MetadataKind, ModifyKind, RemoveKind, RenameMode};

    use super::*;

    #[test]
    fn reading_is_no_change() {
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
