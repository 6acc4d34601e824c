//! Images with the SQLite index of old catalogs. Reading such an index is not there yet: who adds it, adds it here.

use super::error::ImageError;
use crate::catalog::{Catalog, Origin};

/// The catalog of a SQLite index. `path`: where it is in the image.
///
/// # Errors
///
/// Always, for now.
pub fn catalog(path: &str, bytes: &[u8], origin: Origin) -> Result<Catalog, ImageError> {
    let _ = (bytes, origin);
    Err(ImageError::Sqlite { path: path.to_owned() })
}
