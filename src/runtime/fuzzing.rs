//! Readers of this room, for the fuzz targets.

use std::{path::Path, sync::Arc};

use crate::{catalog::Catalog, edit::Recorded};

/// The edits that a journal of a catalog at `catalog.yaml` offers.
pub fn journal(bytes: &[u8]) -> Option<Vec<Arc<Recorded>>> {
    super::journal::edits(bytes, Path::new("catalog.yaml"))
}

/// Answers bytes as `olmap serve` does. Returns the answer, and how many of the bytes were read for it.
pub fn request(catalog: &Catalog, bytes: &[u8]) -> std::io::Result<(Vec<u8>, usize)> {
    super::serve::answer_bytes(&super::Served::new(catalog)?, bytes)
}

/// Reads bytes as `olmap lsp` does. Returns each message as JSON, and `None` for each report of something else.
pub fn messages(bytes: &[u8]) -> Vec<Option<serde_json::Value>> {
    super::lsp::read_messages(bytes)
}
