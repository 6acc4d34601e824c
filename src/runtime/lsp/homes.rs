//! The catalogs and bundle directories of open documents: as they are on disk, as they are written, as they were judged.

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

/// What is known of a place.
pub struct Place {
    jobs: Sender<Job>,
    /// The catalog as it was read; `None` for bundle directories, and until it is.
    disk: Option<Arc<Catalog>>,
    /// The same with the text of open documents.
    pub draft: Option<Draft>,
    /// Why it cannot be read.
    pub failure: Option<String>,
    /// Counts the states.
    pub number: u64,
    /// The last state that was judged.
    pub judged: Option<(u64, Arc<Judgement>)>,
    /// Requests that wait for the catalog, or for the present state to be judged.
    pub waiting: Vec<Request>,
    /// The files that diagnostics were told of.
    told: BTreeSet<PathBuf>,
}

/// All places.
pub struct Homes {
    events: Sender<Event>,
    places: BTreeMap<Home, Place>,
}

impl Homes {
    pub fn new(events: Sender<Event>) -> Self {
        Self { events, places: BTreeMap::new() }
    }

    /// One of them.
    pub fn get(&self, home: &Home) -> Option<&Place> {
        self.places.get(home)
    }

    /// One of them, to change it.
    pub fn get_mut(&mut self, home: &Home) -> Option<&mut Place> {
        self.places.get_mut(home)
    }
}

/// Whether a folder holds several catalogs, of which a file is one: it defines a package that another file defines, too.
fn is_one_of_several(catalog: &Catalog, file: FileId) -> bool {
    let is_twice = |package: &Arc<Package>| {
        let here = package.definitions.iter().filter(|definition| definition.doc.file == file).count();
        here > 0 && here < package.definitions.len()
    };
    let is_flat = catalog.files().iter().all(|file| file.shown.components().count() == 1);
    is_flat && catalog.packages().any(is_twice)
}

impl Server {
    /// A document of a place was opened.
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

    /// A document of a place was closed, or is looked at elsewhere from now on.
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
        // What was typed and not saved is gone with it.
        if let Some(disk) = self.homes.get(home).and_then(|place| place.disk.clone()) {
            self.take_in(home, &disk);
        }
        self.look_again(false);
    }

    /// A document is looked at in another place.
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

    /// Looks whether files were changed by others; with the accepted findings, where those may have changed.
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

    /// A catalog was read.
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

    /// A place has this catalog now; what is typed is typed into it.
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
            // Its text is not in the draft yet.
            for (_, document) in self.documents.iter_mut().filter(|(at, _)| **at == path) {
                document.is_dirty = true;
            }
        }
        for path in strangers {
            // What opm leaves out is none of the catalog; what is not saved yet is looked at by itself.
            let inside = path.strip_prefix(home.path()).unwrap_or(&path);
            let alone = (!catalog.ignores(inside)).then(|| Home::File(path.clone()));
            self.settle_home(&path, alone);
        }
    }

    /// Takes in what was typed, everywhere.
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

    /// Takes in what was typed in a place.
    pub(super) fn settle(&mut self, home: &Home) {
        let Some(place) = self.homes.places.get_mut(home) else { return };
        // As soon as it is read.
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

    /// Has the present state of a place judged.
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

    /// A state was judged. Only the present one is told.
    pub(super) fn judged(&mut self, home: &Home, number: u64, judgement: &Arc<Judgement>) {
        let Some(place) = self.homes.places.get_mut(home) else { return };
        if number != place.number {
            return;
        }
        place.judged = Some((number, Arc::clone(judgement)));
        let gone: Vec<PathBuf> =
            place.told.iter().filter(|path| !judgement.shown.contains_key(*path)).cloned().collect();
        // Of an open document it is told, too, that there is nothing.
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

    /// Answers what waited for a place.
    fn resume(&mut self, home: &Home) {
        let waiting = self.homes.get_mut(home).map(|place| std::mem::take(&mut place.waiting));
        for request in waiting.into_iter().flatten() {
            self.answer(request);
        }
    }

    /// A request that waits is not wanted any more.
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
