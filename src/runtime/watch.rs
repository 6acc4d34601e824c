//! Open catalogs on disk: a message when somebody writes to one.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use notify_debouncer_mini::{
    DebounceEventResult, Debouncer, new_debouncer,
    notify::{RecommendedWatcher, RecursiveMode},
};

use super::{Event, Events};
use crate::app::{Msg, Source};

/// How long it must be quiet before one looks: editors and generators write in several steps.
const QUIET: Duration = Duration::from_millis(200);

/// A catalog that is watched: as it was opened, and as the system names it.
type Watched = (PathBuf, PathBuf);

/// Watches open catalogs. Where the system cannot (some network file systems), `r` reads them again as ever.
pub struct Watch {
    debouncer: Option<Debouncer<RecommendedWatcher>>,
    watched: Arc<Mutex<Vec<Watched>>>,
}

impl Watch {
    /// A watch that tells `events`, or one that watches nothing.
    pub fn new(events: Events, wanted: bool) -> Self {
        let watched: Arc<Mutex<Vec<Watched>>> = Arc::default();
        let known = Arc::clone(&watched);
        let told = move |result: DebounceEventResult| {
            let Ok(changes) = result else { return };
            let known = known.lock().unwrap_or_else(PoisonError::into_inner);
            for (opened, real) in known.iter() {
                if changes.iter().any(|change| change.path.starts_with(real)) {
                    // A program that ends in the meantime does not wait for the answer.
                    let _ = events.send(Event::Msg(Msg::Touched(Source::Path(opened.clone()))));
                }
            }
        };
        Self { debouncer: wanted.then(|| new_debouncer(QUIET, told).ok()).flatten(), watched }
    }

    /// Watches these too.
    pub fn follow(&mut self, sources: &[Source]) {
        let Some(debouncer) = &mut self.debouncer else { return };
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
            if debouncer.watcher().watch(Path::new(place), mode).is_ok() {
                watched.push((opened.clone(), real));
            }
        }
    }
}
