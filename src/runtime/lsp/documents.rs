//! Open documents, and the catalog or bundle that each belongs to.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use gen_lsp_types::{DidChangeTextDocumentParams, DidOpenTextDocumentParams, Uri};
use serde_json::Value;

use super::{Home, Server};
use crate::{
    app::session::accepting,
    language::{Paper, address},
};

/// Open document.
pub struct Document {
    /// URI as the client spells it.
    pub uri: Uri,
    /// Version of the client.
    pub version: i32,
    pub paper: Paper,
    /// Catalog or bundle that its path belongs to.
    pub belongs: Option<Home>,
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
    pub fn of(&self, home: &Home) -> Vec<PathBuf> {
        self.0
            .iter()
            .filter(|(_, document)| document.home.as_ref() == Some(home))
            .map(|(path, _)| path.clone())
            .collect()
    }
}

impl Server {
    pub(super) fn opened(&mut self, params: Value) {
        let Ok(DidOpenTextDocumentParams { text_document: item }) = serde_json::from_value(params) else {
            return self.log("a document cannot be opened: what is said of it cannot be read");
        };
        let path = address::key(&item.uri);
        let belongs = self.belongs(&path, &item.text);
        let document = Document {
            uri: item.uri,
            version: item.version,
            paper: Paper::new(&item.text),
            home: belongs.clone(),
            belongs: belongs.clone(),
            is_dirty: true,
        };
        self.client.open.insert(path.clone(), document.version);
        self.documents.0.insert(path, document);
        if let Some(home) = belongs {
            self.enter(&home);
        }
    }

    /// Returns the home of a document; `None` if it does not exist on disk.
    fn belongs(&mut self, path: &Path, text: &str) -> Option<Home> {
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

    pub(super) fn changed(&mut self, params: Value) {
        let Ok(params) = serde_json::from_value::<DidChangeTextDocumentParams>(params) else {
            return self.log("a change cannot be made: it cannot be read");
        };
        let path = address::key(&params.text_document.text_document_identifier.uri);
        let Some(document) = self.documents.0.get_mut(&path) else { return };
        for change in params.content_changes {
            document.paper.change(self.encoding, change);
        }
        document.version = params.text_document.version;
        document.is_dirty = true;
        self.client.open.insert(path.clone(), document.version);
        if document.belongs.is_none() {
            // The new text may have turned the file into a catalog.
            let text = String::from_utf8(document.paper.bytes()).unwrap_or_default();
            let belongs = text.contains("olm.").then(|| self.belongs(&path, &text)).flatten();
            if let (Some(home), Some(document)) = (belongs, self.documents.0.get_mut(&path)) {
                document.belongs = Some(home.clone());
                document.home = Some(home.clone());
                self.enter(&home);
            }
        }
    }

    pub(super) fn saved(&mut self, params: &Value) {
        let path = named(params);
        let text =
            path.as_ref().and_then(|path| self.documents.get(path)).map(|document| document.paper.bytes());
        if let (Some(path), Some(text)) = (path, text) {
            let belongs = self.belongs(&path, &String::from_utf8(text).unwrap_or_default());
            if let Some(document) = self.documents.0.get_mut(&path)
                && document.belongs != belongs
                && belongs.is_some()
            {
                document.belongs.clone_from(&belongs);
                self.settle_home(&path, belongs);
            }
        }
        let is_accepting = named(params).is_some_and(|path| path.ends_with(accepting::NAME));
        self.look_again(is_accepting);
    }

    pub(super) fn closed(&mut self, params: &Value) {
        let Some(path) = named(params) else { return };
        self.client.open.remove(&path);
        let Some(document) = self.documents.0.remove(&path) else { return };
        if let Some(home) = document.home {
            self.left(&home, &path, document.uri);
        }
    }
}

/// Returns the path of the document that parameters name.
fn named(params: &Value) -> Option<PathBuf> {
    Some(address::key(&params.pointer("/textDocument/uri")?.as_str()?.into()))
}
