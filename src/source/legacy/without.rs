//! Where SQLite was left out of the program.

use super::{fault::IndexFault, tables::Tables};

/// # Errors
///
/// Always.
pub(super) fn read(_: Vec<u8>) -> Result<Tables, IndexFault> {
    Err(IndexFault::NotBuilt)
}
