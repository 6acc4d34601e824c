//! Local image sources: folders and archives.

mod docker;
mod files;
mod folder;
mod layout;

pub use docker::DockerArchive;
pub use files::{DiskFiles, Files, TarFiles};
pub use folder::Folder;
pub use layout::Layout;

use std::io::Read;

use super::{declared_size, error::ImageError, manifest::Descriptor};

/// Reads the content of a descriptor and checks its size.
///
/// # Errors
///
/// If it is missing, cannot be read, or has another size.
pub fn read_described(
    files: &dyn Files,
    path: &str,
    at: &Descriptor,
    most: u64,
    what: &'static str,
) -> Result<Vec<u8>, ImageError> {
    let unread = |source| ImageError::File { path: files.label().into(), source };
    declared_size::read_declared(at, what, most, || files.open(path), unread)
}

/// Reads a small file completely.
///
/// # Errors
///
/// If it is missing, cannot be read, or exceeds the limit.
pub fn read_small(
    files: &dyn Files,
    path: &str,
    most: u64,
    what: &'static str,
) -> Result<Vec<u8>, ImageError> {
    let mut bytes = Vec::new();
    let read = files.open(path)?.take(most + 1).read_to_end(&mut bytes);
    read.map_err(|source| ImageError::File { path: files.label().into(), source })?;
    if bytes.len() as u64 > most {
        let why = format!("it is larger than {} MiB", most >> 20);
        return Err(ImageError::Malformed { what, why });
    }
    Ok(bytes)
}
