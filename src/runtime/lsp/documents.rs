//! Open documents, and the catalog or bundle that each belongs to.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use gen_lsp_types::{DidChangeTextDocumentParams, DidOpenTextDocumentParams, Uri};
use serde_json::Value;

use super::{Home, Server};
use crate::tui::session::accepted_findings;
use olmap_lsp::{TextDocument, address};

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
    pub fn paths_in(&self, home: &Home) -> Vec<PathBuf> {
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

/// Returns the path of the document that parameters name.
fn document_path(params: &Value) -> Option<PathBuf> {
    Some(address::document_key(&params.pointer("/textDocument/uri")?.as_str()?.into()))
}
