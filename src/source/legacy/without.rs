//! Where SQLite was left out of the program.

use std::io::Read;

use super::{HEADER, fault::IndexFault, tables::Tables};

/// # Errors
///
/// Always.
pub(super) fn read(_: [u8; HEADER], _: impl Read, _: usize) -> Result<Tables, IndexFault> {
    Err(IndexFault::NotBuilt)
}
