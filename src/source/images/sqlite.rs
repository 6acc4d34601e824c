//! Images with the SQLite index of old catalogs.

use std::{io::Cursor, path::PathBuf, sync::Arc};

use super::{cost, error::ImageError};
use crate::{
    catalog::{Catalog, Origin, load},
    source::legacy::documents_of,
};

/// The catalog of a SQLite index. `path`: where it is in the image.
///
/// # Errors
///
/// When opm would make no catalog of it.
pub fn catalog(path: &str, bytes: Arc<[u8]>, origin: Origin) -> Result<Catalog, ImageError> {
    let length = bytes.len();
    let documents = documents_of(Cursor::new(bytes), length)
        .map_err(|fault| ImageError::Sqlite { path: path.to_owned(), reason: fault.to_string() })?;
    cost::check_texts([documents.as_slice()])?;
    // By its name alone: where it lies in the image is no place in a directory that it is saved to.
    let name = path.rsplit('/').next().filter(|name| !matches!(*name, "" | "." | "..")).unwrap_or("index.db");
    Ok(load::from_texts(origin, [(PathBuf::from(format!("{name}.json")), documents)]))
}
