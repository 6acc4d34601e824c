//! Parsers of this module, for the fuzz targets.

use std::{path::Path, sync::Arc};

use olm_catalog::Catalog;
use olm_edit::RecordedEdit;

/// Returns the edits that a journal of a catalog at `catalog.yaml` offers.
pub fn journal(bytes: &[u8]) -> Option<Vec<Arc<RecordedEdit>>> {
    super::journal::parse_edits(bytes, Path::new("catalog.yaml"))
}

/// Answers bytes as `olmap serve` does. Returns the response, and the number of bytes that were read for it.
pub fn request(catalog: &Catalog, bytes: &[u8]) -> std::io::Result<(Vec<u8>, usize)> {
    super::serve::answer_bytes(&super::ServedCatalog::new(catalog)?, bytes)
}

/// Reads bytes as `olmap lsp` does. Returns each message as JSON, and `None` for each malformed input.
pub fn messages(bytes: &[u8]) -> Vec<Option<serde_json::Value>> {
    super::lsp::read_messages(bytes)
}
