//! Readers of this room, for the fuzz targets.

use std::{path::Path, sync::Arc};

use crate::{catalog::Catalog, edit::Recorded};

/// The edits that a journal of a catalog at `catalog.yaml` offers.
pub fn journal(bytes: &[u8]) -> Option<Vec<Arc<Recorded>>> {
    super::journal::edits(bytes, Path::new("catalog.yaml"))
}

/// What `olmap serve` sends to whoever sends these bytes.
pub fn request(catalog: &Catalog, bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    super::serve::answered_in_bytes(&super::Served::new(catalog)?, bytes)
}
