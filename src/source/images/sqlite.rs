//! Images with the SQLite index of old catalogs.

use std::path::PathBuf;

use super::error::ImageError;
use crate::{
    catalog::{Catalog, Origin, load},
    source::legacy::documents_of_index,
};

/// The catalog of a SQLite index. `path`: where it is in the image.
///
/// # Errors
///
/// When opm would make no catalog of it.
pub fn catalog(path: &str, bytes: &[u8], origin: Origin) -> Result<Catalog, ImageError> {
    let documents = documents_of_index(bytes.to_vec())
        .map_err(|fault| ImageError::Sqlite { path: path.to_owned(), reason: fault.to_string() })?;
    // By its name alone: where it lies in the image is no place in a directory that it is saved to.
    let name = path.rsplit('/').next().filter(|name| !matches!(*name, "" | "." | "..")).unwrap_or("index.db");
    Ok(load::from_texts(origin, [(PathBuf::from(format!("{name}.json")), documents)]))
}
