//! Catalogs and bundle directories of open documents: the state on disk, the draft and the last result.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::{Arc, mpsc::Sender},
};

use gen_lsp_types::{Diagnostic, PublishDiagnosticsParams, Uri};
use lsp_server::{ErrorCode, Notification, Request, RequestId};

use super::{
    Event, Home, Server,
    worker::{self, Job, Judgement},
};
use crate::{
    catalog::{Catalog, FileId, package::Package},
    language::{Draft, address, spot},
};

/// State of a home.
pub struct Place {
    jobs: Sender<Job>,
    /// Catalog on disk; `None` for a bundle directory, and until it is loaded.
    disk: Option<Arc<Catalog>>,
    /// Catalog with the text of open documents.
    pub draft: Option<Draft>,
    /// Reason why the catalog cannot be read.
    pub failure: Option<String>,
    /// Number of the current state.
    pub number: u64,
    /// Last checked state.
    pub judged: Option<(u64, Arc<Judgement>)>,
    /// Requests that wait for the catalog, or for the check of the current state.
    pub waiting: Vec<Request>,
    /// Files with published diagnostics.
    told: BTreeSet<PathBuf>,
}

/// All homes.
pub struct Homes {
    events: Sender<Event>,
    places: BTreeMap<Home, Place>,
}

impl Homes {
    pub fn new(events: Sender<Event>) -> Self {
        Self { events, places: BTreeMap::new() }
    }

    /// Returns the state of a home.
    pub fn get(&self, home: &Home) -> Option<&Place> {
        self.places.get(home)
    }

    /// Returns the state of a home for modification.
    pub fn get_mut(&mut self, home: &Home) -> Option<&mut Place> {
        self.places.get_mut(home)
    }
}

/// Returns true if a file is one of several catalogs in a folder: it defines a package that another file
/// defines too.
fn is_one_of_several(catalog: &Catalog, file: FileId) -> bool {
    let is_twice = |package: &Arc<Package>| {
        let here = package.definitions.iter().filter(|definition| definition.doc.file == file).count();
        here > 0 && here < package.definitions.len()
    };
    let is_flat = catalog.files().iter().all(|file| file.shown.components().count() == 1);
    is_flat && catalog.packages().any(is_twice)
}

impl Server {
    /// Handles the opening of a document.
    pub(super) fn enter(&mut self, home: &Home) {
        if let Some(place) = self.homes.places.get(home) {
            if let Some(disk) = &place.disk {
                let _ = place.jobs.send(Job::LookAgain(Arc::clone(disk)));
            }
            return;
        }
        let Ok(jobs) = worker::start(home.clone(), self.encoding, self.homes.events.clone()) else {
            return self.log("no thread can be started");
        };
        if !matches!(home, Home::Bundle(_)) {
            let _ = jobs.send(Job::Load);
        }
        let place = Place {
            jobs,
            disk: None,
            draft: None,
            failure: None,
            number: 0,
            judged: None,
            waiting: Vec::new(),
            told: BTreeSet::new(),
        };
        self.homes.places.insert(home.clone(), place);
    }

    /// Handles a document that is closed or moves to another home.
    pub(super) fn left(&mut self, home: &Home, path: &Path, uri: Uri) {
        if self.documents.of(home).is_empty() {
            if let Some(place) = self.homes.places.remove(home) {
                let told: Vec<PathBuf> = place.told.iter().filter(|told| *told != path).cloned().collect();
                for path in told {
                    self.publish(&path, None, Vec::new());
                }
                for request in place.waiting {
                    self.refuse(request.id, ErrorCode::ContentModified, "the document was closed");
                }
            }
            return self.publish_at(uri, None, Vec::new());
        }
        // Discards text that was not saved.
        if let Some(disk) = self.homes.get(home).and_then(|place| place.disk.clone()) {
            self.take_in(home, &disk);
        }
        self.look_again(false);
    }

    /// Moves a document to another home.
    pub(super) fn settle_home(&mut self, path: &Path, home: Option<Home>) {
        let mut before = None;
        let mut uri = None;
        for (_, document) in self.documents.iter_mut().filter(|(at, _)| at.as_path() == path) {
            before = std::mem::replace(&mut document.home, home.clone());
            uri = Some(document.uri.clone());
            document.is_dirty = true;
        }
        if before == home {
            return;
        }
        if let (Some(before), Some(uri)) = (before, uri) {
            self.left(&before, path, uri);
        }
        if let Some(home) = home {
            self.enter(&home);
        }
    }

    /// Reloads files that changed on disk. `accepted` is set if accepted findings may have changed.
    pub(super) fn look_again(&mut self, accepted: bool) {
        for (home, place) in &mut self.homes.places {
            match &place.disk {
                Some(disk) => {
                    let _ = place.jobs.send(Job::LookAgain(Arc::clone(disk)));
                }
                None if !matches!(home, Home::Bundle(_)) && place.failure.take().is_some() => {
                    let _ = place.jobs.send(Job::Load);
                }
                None => {}
            }
        }
        let is_asked = |home: &&Home| accepted || matches!(home, Home::Bundle(_));
        let again: Vec<Home> = self.homes.places.keys().filter(is_asked).cloned().collect();
        for home in again {
            if let Some(place) = self.homes.get_mut(&home) {
                place.number += 1;
            }
            self.judge(&home);
        }
    }

    /// Stores a loaded catalog, or the failure to load it.
    pub(super) fn loaded(&mut self, home: &Home, result: Result<Arc<Catalog>, String>) {
        match result {
            Ok(catalog) => self.take_in(home, &catalog),
            Err(why) => {
                if let Some(place) = self.homes.get_mut(home) {
                    place.failure = Some(why.clone());
                }
                self.log(&why);
            }
        }
        self.resume(home);
    }

    /// Replaces the catalog of a home, and applies the text of open documents.
    fn take_in(&mut self, home: &Home, catalog: &Arc<Catalog>) {
        let mut draft = Draft::new(Arc::clone(catalog));
        let mut strangers = Vec::new();
        let mut comers = Vec::new();
        for (path, document) in self.documents.iter_mut().filter(|(_, d)| d.belongs.as_ref() == Some(home)) {
            match spot::file_at(catalog, path).filter(|file| !is_one_of_several(catalog, *file)) {
                Some(file) => {
                    if document.home.as_ref() == Some(home) {
                        draft.type_text(file, &document.paper.bytes());
                        document.is_dirty = false;
                    } else {
                        comers.push(path.clone());
                    }
                }
                None => strangers.push(path.clone()),
            }
        }
        let Some(place) = self.homes.get_mut(home) else { return };
        place.disk = Some(Arc::clone(catalog));
        place.draft = Some(draft);
        place.failure = None;
        place.number += 1;
        self.judge(home);
        for path in comers {
            self.settle_home(&path, Some(home.clone()));
            // The draft does not contain its text yet.
            for (_, document) in self.documents.iter_mut().filter(|(at, _)| **at == path) {
                document.is_dirty = true;
            }
        }
        for path in strangers {
            // A file that opm ignores is not part of the catalog. A file that is not saved yet is its own
            // home.
            let inside = path.strip_prefix(home.path()).unwrap_or(&path);
            let alone = (!catalog.ignores(inside)).then(|| Home::File(path.clone()));
            self.settle_home(&path, alone);
        }
    }

    /// Applies the changed text of all documents.
    pub(super) fn settle_all(&mut self) {
        let dirty: BTreeSet<Home> = self
            .documents
            .iter()
            .filter(|(_, document)| document.is_dirty)
            .filter_map(|(_, document)| document.home.clone())
            .collect();
        for home in dirty {
            self.settle(&home);
        }
    }

    /// Applies the changed text of the documents of a home.
    pub(super) fn settle(&mut self, home: &Home) {
        let Some(place) = self.homes.places.get_mut(home) else { return };
        // Changes wait until the catalog is loaded.
        if place.draft.is_none() && !matches!(home, Home::Bundle(_)) {
            return;
        }
        let mut any = false;
        for (path, document) in self.documents.iter_mut() {
            if !document.is_dirty || document.home.as_ref() != Some(home) {
                continue;
            }
            if let Some(draft) = &mut place.draft
                && let Some(file) = spot::file_at(draft.now(), path)
            {
                draft.type_text(file, &document.paper.bytes());
            }
            document.is_dirty = false;
            any = true;
        }
        if any {
            place.number += 1;
            self.judge(home);
        }
    }

    /// Requests the check of the current state.
    fn judge(&mut self, home: &Home) {
        let open = self.documents.of(home);
        let Some(place) = self.homes.places.get(home) else { return };
        let number = place.number;
        let job = match (&place.draft, home) {
            (Some(draft), _) => Job::Judge { number, catalog: Arc::clone(draft.now()), open },
            (None, Home::Bundle(_)) => {
                let text = |path: PathBuf| Some((path.clone(), self.documents.get(&path)?.paper.bytes()));
                Job::JudgeBundle { number, texts: open.into_iter().filter_map(text).collect() }
            }
            (None, _) => return,
        };
        let _ = place.jobs.send(job);
    }

    /// Publishes the result of a check if it belongs to the current state.
    pub(super) fn judged(&mut self, home: &Home, number: u64, judgement: &Arc<Judgement>) {
        let Some(place) = self.homes.places.get_mut(home) else { return };
        if number != place.number {
            return;
        }
        place.judged = Some((number, Arc::clone(judgement)));
        let gone: Vec<PathBuf> =
            place.told.iter().filter(|path| !judgement.shown.contains_key(*path)).cloned().collect();
        // Open documents get an empty list to clear old diagnostics.
        let mut told: BTreeSet<PathBuf> = self.documents.of(home).into_iter().collect();
        told.extend(judgement.shown.keys().cloned());
        place.told.clone_from(&told);
        for path in told.iter().chain(gone.iter().filter(|path| !told.contains(*path))) {
            let shown = judgement.shown.get(path).cloned().unwrap_or_default();
            let version = self.documents.get(path).map(|document| document.version);
            self.publish(path, version, shown);
        }
        self.resume(home);
    }

    fn publish(&self, path: &Path, version: Option<i32>, diagnostics: Vec<Diagnostic>) {
        let uri =
            self.documents.get(path).map_or_else(|| address::uri(path), |document| document.uri.clone());
        self.publish_at(uri, version, diagnostics);
    }

    fn publish_at(&self, uri: Uri, version: Option<i32>, diagnostics: Vec<Diagnostic>) {
        let params = PublishDiagnosticsParams { uri, version, diagnostics };
        self.say(Notification::new("textDocument/publishDiagnostics".to_owned(), params));
    }

    /// Answers the requests that wait for a home.
    fn resume(&mut self, home: &Home) {
        let waiting = self.homes.get_mut(home).map(|place| std::mem::take(&mut place.waiting));
        for request in waiting.into_iter().flatten() {
            self.answer(request);
        }
    }

    /// Cancels a waiting request.
    pub(super) fn cancel(&mut self, id: &RequestId) {
        let mut found = false;
        for place in self.homes.places.values_mut() {
            let before = place.waiting.len();
            place.waiting.retain(|request| request.id != *id);
            found |= place.waiting.len() < before;
        }
        if found {
            self.refuse(id.clone(), ErrorCode::RequestCanceled, "cancelled");
        }
    }
}
