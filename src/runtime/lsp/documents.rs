//! Open documents, and the home of each: the catalog, template or bundle directory that it belongs to. A home
//! has the state on disk, the draft with the text of open documents, and the last result.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{sync::Arc, sync::mpsc::Sender};

use gen_lsp_types::{
    Diagnostic, DidChangeTextDocumentParams, DidOpenTextDocumentParams, PublishDiagnosticsParams, Uri,
};
use lsp_server::{ErrorCode, Notification, Request, RequestId};
use serde_json::{Value, json};

use super::worker::{self, CheckResult, DiagnosticStyle, Job};
use super::{Home, Server, ServerEvent, requests::PANICKED};
use crate::tui::session::accepted_findings;
use olm_catalog::{Catalog, FileId, package::Package};
use olmap_lsp::{DraftCatalog, TextDocument, address, location};

/// State of a home.
pub struct HomeState {
    jobs: Sender<Job>,
    /// Catalog on disk; `None` for a bundle directory, and until it is loaded.
    pub disk: Option<Arc<Catalog>>,
    /// Catalog with the text of open documents.
    pub draft: Option<DraftCatalog>,
    /// Reason why the catalog cannot be read.
    pub failure: Option<String>,
    /// Number of the current state; each change increments it. Results for other numbers are stale.
    pub number: u64,
    /// Number and result of the last check.
    pub last_result: Option<(u64, Arc<CheckResult>)>,
    /// Requests that wait for the catalog, or for the check of the current state.
    pub waiting: Vec<Request>,
    /// Token of the progress report, until the first result of a check.
    pub progress: Option<String>,
    /// Files with published diagnostics.
    published: BTreeSet<PathBuf>,
}

/// All homes.
pub struct HomeStates {
    events: Sender<ServerEvent>,
    states: BTreeMap<Home, HomeState>,
}

impl HomeStates {
    pub fn new(events: Sender<ServerEvent>) -> Self {
        Self { events, states: BTreeMap::new() }
    }

    /// Returns the state of a home.
    pub fn get(&self, home: &Home) -> Option<&HomeState> {
        self.states.get(home)
    }

    /// Iterates over the states of all homes.
    pub fn iter(&self) -> impl Iterator<Item = &HomeState> {
        self.states.values()
    }

    /// Returns the state of a home for modification.
    pub fn get_mut(&mut self, home: &Home) -> Option<&mut HomeState> {
        self.states.get_mut(home)
    }
}

impl Server {
    /// Handles the opening of a document in a home: starts its worker, or reloads what changed on
    /// disk.
    fn open_home(&mut self, home: &Home) {
        if let Some(place) = self.homes.states.get(home) {
            if let Some(disk) = &place.disk {
                let _ = place.jobs.send(Job::Reload(Arc::clone(disk)));
            }
            return;
        }
        let style = DiagnosticStyle { encoding: self.encoding, marks_deprecated: self.marks_deprecated };
        let Ok(jobs) = worker::start_worker(home.clone(), style, self.homes.events.clone()) else {
            return self.log("no thread can be started");
        };
        let is_loaded = !matches!(home, Home::Bundle(_));
        if is_loaded {
            let _ = jobs.send(Job::Load);
        }
        let state = HomeState {
            jobs,
            disk: None,
            draft: None,
            failure: None,
            number: 0,
            last_result: None,
            waiting: Vec::new(),
            progress: None,
            published: BTreeSet::new(),
        };
        self.homes.states.insert(home.clone(), state);
        if is_loaded {
            self.begin_progress(home);
        }
    }

    /// Handles a document that is closed or moves to another home.
    fn leave_home(&mut self, home: &Home, path: &Path, uri: Uri) {
        if self.documents.paths_in(home).is_empty() {
            self.end_progress(home);
            if let Some(place) = self.homes.states.remove(home) {
                let told: Vec<PathBuf> =
                    place.published.iter().filter(|told| *told != path).cloned().collect();
                for path in told {
                    self.publish_for_path(&path, None, Vec::new());
                }
                for request in place.waiting {
                    self.refuse(request.id, ErrorCode::ContentModified, "the document was closed");
                }
            }
            return self.publish_for_uri(uri, None, Vec::new());
        }
        // Discards text that was not saved.
        if let Some(disk) = self.homes.get(home).and_then(|place| place.disk.clone()) {
            self.replace_catalog(home, &disk);
        }
        self.reload_changed(false);
    }

    /// Moves a document to another home.
    fn move_document(&mut self, path: &Path, home: Option<Home>) {
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
            self.leave_home(&before, path, uri);
        }
        if let Some(home) = home {
            self.open_home(&home);
        }
    }

    /// Reloads files that changed on disk. If `accepted` is set, accepted findings may have
    /// changed, so all homes are checked again.
    pub(super) fn reload_changed(&mut self, accepted: bool) {
        for (home, place) in &mut self.homes.states {
            match &place.disk {
                Some(disk) => {
                    let _ = place.jobs.send(Job::Reload(Arc::clone(disk)));
                }
                None if !matches!(home, Home::Bundle(_)) && place.failure.take().is_some() => {
                    let _ = place.jobs.send(Job::Load);
                }
                None => {}
            }
        }
        let is_asked = |home: &&Home| accepted || matches!(home, Home::Bundle(_));
        let again: Vec<Home> = self.homes.states.keys().filter(is_asked).cloned().collect();
        for home in again {
            if let Some(place) = self.homes.get_mut(&home) {
                place.number += 1;
            }
            self.request_check(&home);
        }
    }

    /// Stores a loaded catalog, or the failure to load it.
    pub(super) fn store_loaded(&mut self, home: &Home, result: Result<Arc<Catalog>, String>) {
        match result {
            Ok(catalog) => {
                self.replace_catalog(home, &catalog);
                self.report_loaded(home);
            }
            Err(why) => {
                self.end_progress(home);
                if let Some(place) = self.homes.get_mut(home) {
                    place.failure = Some(why.clone());
                }
                self.log(&why);
            }
        }
        self.answer_waiting(home);
    }

    /// Replaces the catalog of a home, and applies the text of open documents. Moves documents that
    /// the catalog no longer contains to another home, and those that it now contains to this one.
    fn replace_catalog(&mut self, home: &Home, catalog: &Arc<Catalog>) {
        let mut draft = DraftCatalog::new(Arc::clone(catalog));
        let mut moved_out = Vec::new();
        let mut moved_in = Vec::new();
        for (path, document) in self.documents.iter_mut().filter(|(_, d)| d.path_home.as_ref() == Some(home))
        {
            match location::find_file(catalog, path).filter(|file| !is_one_of_several(catalog, *file)) {
                Some(file) => {
                    if document.home.as_ref() == Some(home) {
                        draft.type_document(file, &mut document.text);
                        document.is_dirty = false;
                    } else {
                        moved_in.push(path.clone());
                    }
                }
                None => moved_out.push(path.clone()),
            }
        }
        let Some(place) = self.homes.get_mut(home) else { return };
        let is_reload = place.disk.is_some();
        place.disk = Some(Arc::clone(catalog));
        place.draft = Some(draft);
        place.failure = None;
        place.number += 1;
        self.request_check(home);
        if is_reload {
            self.refresh_hints();
        }
        for path in moved_in {
            self.move_document(&path, Some(home.clone()));
            // The draft does not contain its text yet.
            for (_, document) in self.documents.iter_mut().filter(|(at, _)| **at == path) {
                document.is_dirty = true;
            }
        }
        for path in moved_out {
            // A file that opm ignores is not part of the catalog. A file that is not saved yet is its own
            // home.
            let inside = path.strip_prefix(home.path()).unwrap_or(&path);
            let alone = (!catalog.ignores(inside)).then(|| Home::File(path.clone()));
            self.move_document(&path, alone);
        }
    }

    /// Applies the changed text of all documents.
    pub(super) fn apply_all_changes(&mut self) {
        let dirty: BTreeSet<Home> = self
            .documents
            .iter()
            .filter(|(_, document)| document.is_dirty)
            .filter_map(|(_, document)| document.home.clone())
            .collect();
        for home in dirty {
            self.apply_changes(&home);
        }
    }

    /// Applies the changed text of the documents of a home.
    pub(super) fn apply_changes(&mut self, home: &Home) {
        let Some(place) = self.homes.states.get_mut(home) else { return };
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
                && let Some(file) = location::find_file(draft.current(), path)
            {
                draft.type_document(file, &mut document.text);
            }
            document.is_dirty = false;
            any = true;
        }
        if any {
            place.number += 1;
            self.request_check(home);
            if self.documents.paths_in(home).len() > 1 {
                self.refresh_hints();
            }
        }
    }

    /// Requests a check of the current state from the worker.
    fn request_check(&mut self, home: &Home) {
        let open = self.documents.paths_in(home);
        let Some(place) = self.homes.states.get(home) else { return };
        let number = place.number;
        let job = match (&place.draft, home) {
            (Some(draft), _) => Job::Check { number, catalog: Arc::clone(draft.current()), open },
            (None, Home::Bundle(_)) => {
                let text = |path: PathBuf| Some((path.clone(), self.documents.get(&path)?.text.to_bytes()));
                Job::CheckBundle { number, texts: open.into_iter().filter_map(text).collect() }
            }
            (None, _) => return,
        };
        let _ = place.jobs.send(job);
    }

    /// Publishes the result of a check if it belongs to the current state.
    pub(super) fn publish_result(&mut self, home: &Home, number: u64, result: &Arc<CheckResult>) {
        let Some(place) = self.homes.states.get_mut(home) else { return };
        if number != place.number {
            return;
        }
        place.last_result = Some((number, Arc::clone(result)));
        let finished = place.progress.take();
        let gone: Vec<PathBuf> =
            place.published.iter().filter(|path| !result.diagnostics.contains_key(*path)).cloned().collect();
        // Open documents get an empty list to clear old diagnostics.
        let mut published_files: BTreeSet<PathBuf> = self.documents.paths_in(home).into_iter().collect();
        published_files.extend(result.diagnostics.keys().cloned());
        place.published.clone_from(&published_files);
        for path in published_files.iter().chain(gone.iter().filter(|path| !published_files.contains(*path)))
        {
            let shown = result.diagnostics.get(path).cloned().unwrap_or_default();
            let version = self.documents.get(path).map(|document| document.version);
            self.publish_for_path(path, version, shown);
        }
        if let Some(token) = finished {
            self.send_progress(&token, &json!({ "kind": "end" }));
        }
        self.answer_waiting(home);
    }

    fn publish_for_path(&self, path: &Path, version: Option<i32>, diagnostics: Vec<Diagnostic>) {
        let uri = self
            .documents
            .get(path)
            .map_or_else(|| address::path_to_uri(path), |document| document.uri.clone());
        self.publish_for_uri(uri, version, diagnostics);
    }

    fn publish_for_uri(&self, uri: Uri, version: Option<i32>, diagnostics: Vec<Diagnostic>) {
        let params = PublishDiagnosticsParams { uri, version, diagnostics };
        self.send_message(Notification::new("textDocument/publishDiagnostics".to_owned(), params));
    }

    /// Answers the requests that wait for a home.
    fn answer_waiting(&mut self, home: &Home) {
        let waiting = self.homes.get_mut(home).map(|place| std::mem::take(&mut place.waiting));
        for request in waiting.into_iter().flatten() {
            self.answer_request(request);
        }
    }

    /// Refuses the requests that wait for a result that will not come.
    pub(super) fn refuse_waiting(&mut self, home: &Home) {
        let waiting = self.homes.get_mut(home).map(|place| std::mem::take(&mut place.waiting));
        for request in waiting.into_iter().flatten() {
            self.refuse(request.id, ErrorCode::InternalError, PANICKED);
        }
    }

    /// Cancels a waiting request.
    pub(super) fn cancel_waiting(&mut self, id: &RequestId) {
        let mut found = false;
        for place in self.homes.states.values_mut() {
            let before = place.waiting.len();
            place.waiting.retain(|request| request.id != *id);
            found |= place.waiting.len() < before;
        }
        if found {
            self.refuse(id.clone(), ErrorCode::RequestCanceled, "cancelled");
        }
    }
}

/// Open document.
pub struct Document {
    /// URI as the client spells it.
    pub uri: Uri,
    /// Version of the client.
    pub version: i32,
    pub text: TextDocument,
    /// Catalog or bundle that its path belongs to.
    pub path_home: Option<Home>,
    /// Home that contains the document. A document that is not in the catalog of its path is its own home.
    pub home: Option<Home>,
    /// True if the document has changes that are not in the draft.
    pub is_dirty: bool,
}

/// Open documents by path.
#[derive(Default)]
pub struct Documents(BTreeMap<PathBuf, Document>);

impl Documents {
    /// Returns a document.
    pub fn get(&self, path: &Path) -> Option<&Document> {
        self.0.get(path)
    }

    /// Iterates over all documents.
    pub fn iter(&self) -> impl Iterator<Item = (&PathBuf, &Document)> {
        self.0.iter()
    }

    /// Iterates mutably over all documents.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&PathBuf, &mut Document)> {
        self.0.iter_mut()
    }

    /// Returns the paths of the documents with this home.
    fn paths_in(&self, home: &Home) -> Vec<PathBuf> {
        self.0
            .iter()
            .filter(|(_, document)| document.home.as_ref() == Some(home))
            .map(|(path, _)| path.clone())
            .collect()
    }
}

impl Server {
    pub(super) fn handle_open(&mut self, params: Value) {
        let Ok(DidOpenTextDocumentParams { text_document: item }) = serde_json::from_value(params) else {
            return self.log("a document cannot be opened: what is said of it cannot be read");
        };
        let path = address::document_key(&item.uri);
        let belongs = self.find_home(&path, &item.text);
        let document = Document {
            uri: item.uri,
            version: item.version,
            text: TextDocument::new(&item.text),
            home: belongs.clone(),
            path_home: belongs.clone(),
            is_dirty: true,
        };
        self.client.open.insert(path.clone(), document.version);
        self.documents.0.insert(path, document);
        if let Some(home) = belongs {
            self.open_home(&home);
        }
    }

    /// Returns the home of a document; `None` if it does not exist on disk.
    fn find_home(&mut self, path: &Path, text: &str) -> Option<Home> {
        if !path.is_absolute() {
            return None;
        }
        match self.workspaces.home_of(path, text, &self.folders) {
            Ok(home) => home,
            Err(error) => {
                self.log(&error.to_string());
                None
            }
        }
    }

    pub(super) fn handle_change(&mut self, params: Value) {
        let Ok(params) = serde_json::from_value::<DidChangeTextDocumentParams>(params) else {
            return self.log("a change cannot be made: it cannot be read");
        };
        let path = address::document_key(&params.text_document.text_document_identifier.uri);
        let Some(document) = self.documents.0.get_mut(&path) else { return };
        for change in params.content_changes {
            document.text.apply_change(self.encoding, change);
        }
        document.version = params.text_document.version;
        document.is_dirty = true;
        self.client.open.insert(path.clone(), document.version);
        if document.path_home.is_none() {
            // The new text may have turned the file into a catalog.
            let text = String::from_utf8(document.text.to_bytes()).unwrap_or_default();
            let belongs = text.contains("olm.").then(|| self.find_home(&path, &text)).flatten();
            if let (Some(home), Some(document)) = (belongs, self.documents.0.get_mut(&path)) {
                document.path_home = Some(home.clone());
                document.home = Some(home.clone());
                self.open_home(&home);
            }
        }
    }

    pub(super) fn handle_save(&mut self, params: &Value) {
        let path = document_path(params);
        let text =
            path.as_ref().and_then(|path| self.documents.get(path)).map(|document| document.text.to_bytes());
        if let (Some(path), Some(text)) = (path, text) {
            let belongs = self.find_home(&path, &String::from_utf8(text).unwrap_or_default());
            if let Some(document) = self.documents.0.get_mut(&path)
                && document.path_home != belongs
                && belongs.is_some()
            {
                document.path_home.clone_from(&belongs);
                self.move_document(&path, belongs);
            }
        }
        let is_accepting =
            document_path(params).is_some_and(|path| path.ends_with(accepted_findings::FILE_NAME));
        self.reload_changed(is_accepting);
    }

    pub(super) fn handle_close(&mut self, params: &Value) {
        let Some(path) = document_path(params) else { return };
        self.client.open.remove(&path);
        let Some(document) = self.documents.0.remove(&path) else { return };
        if let Some(home) = document.home {
            self.leave_home(&home, &path, document.uri);
        }
    }
}

/// Returns true if a file is one of several catalogs in a folder, not a part of one catalog: it
/// defines a package that another file defines too.
fn is_one_of_several(catalog: &Catalog, file: FileId) -> bool {
    let is_twice = |package: &Arc<Package>| {
        let here = package.definitions.iter().filter(|definition| definition.doc.file == file).count();
        here > 0 && here < package.definitions.len()
    };
    let is_flat = catalog.files().iter().all(|file| file.display_path.components().count() == 1);
    is_flat && catalog.packages().any(is_twice)
}

/// Returns the path of the document that parameters name.
fn document_path(params: &Value) -> Option<PathBuf> {
    Some(address::document_key(&params.pointer("/textDocument/uri")?.as_str()?.into()))
}
