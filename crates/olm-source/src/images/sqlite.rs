//! Images with the SQLite index of an old catalog.

use std::{io::Cursor, path::PathBuf, sync::Arc};

use super::{cost, error::ImageError};
use crate::legacy::documents_of_reader;
use olm_catalog::{Catalog, Origin, load};

/// Returns the catalog of an SQLite index. `path` is its path in the image.
///
/// # Errors
///
/// If opm would not make a catalog from it.
pub fn catalog_from_index(path: &str, bytes: Arc<[u8]>, origin: Origin) -> Result<Catalog, ImageError> {
    let length = bytes.len();
    let documents = documents_of_reader(Cursor::new(bytes), length)
        .map_err(|fault| ImageError::Sqlite { path: path.to_owned(), reason: fault.to_string() })?;
    cost::check_texts([documents.as_slice()])?;
    // The folder in the image does not matter for a directory that the catalog is saved to.
    let name = path.rsplit('/').next().filter(|name| !matches!(*name, "" | "." | "..")).unwrap_or("index.db");
    Ok(load::from_texts(origin, [(PathBuf::from(format!("{name}.json")), documents)]))
}
