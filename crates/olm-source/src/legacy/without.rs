//! Replacement for the SQLite reader in a build without SQLite.

use std::io::Read;

use super::{HEADER_BYTES, IndexFault, convert::Tables};

/// # Errors
///
/// Always returns an error.
pub(super) fn read_tables(_: [u8; HEADER_BYTES], _: impl Read, _: usize) -> Result<Tables, IndexFault> {
    Err(IndexFault::NotBuilt)
}
