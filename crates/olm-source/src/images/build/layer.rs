//! Packing of a directory as an image layer.

use std::{
    fs,
    io::{self, Write},
    path::{Component, Path, PathBuf},
    sync::atomic::Ordering,
};

use flate2::{Compression, GzBuilder};
use tar::{EntryType, Header};

use super::output::NewLayout;
use crate::{
    digest::{Digest, Digester},
    images::error::ImageError,
};
use olm_catalog::load::{Progress, regular_file};

/// Size limit of a file, in bytes; larger files could not be read back.
const MAX_FILE_BYTES: u64 = 1 << 30;
/// Value for an unknown operating system in the gzip header.
const UNKNOWN_SYSTEM: u8 = 255;

/// A written layer.
pub struct PackedLayer {
    /// Digest of the compressed bytes.
    pub digest: Digest,
    /// Digest of the tar.
    pub diff_id: Digest,
    /// Compressed size in bytes.
    pub size: u64,
}

/// Packs a directory into a layout, below a folder of the image's root.
///
/// # Errors
///
/// If a file cannot be read, or if there are special files or links out of the directory.
pub fn pack_directory(
    directory: &Path,
    root: &str,
    new: &mut NewLayout,
    progress: &Progress,
) -> Result<PackedLayer, ImageError> {
    let mut paths = Vec::new();
    collect_paths(directory, &mut paths, progress)?;
    paths.sort();
    new.write_blob(|file| {
        let packed = HashingWriter::new(file);
        let gzip = GzBuilder::new().operating_system(UNKNOWN_SYSTEM).write(packed, Compression::new(6));
        let mut tar = tar::Builder::new(HashingWriter::new(gzip));
        let failed = |source| ImageError::File { path: directory.to_owned(), source };
        add_tar_entry(&mut tar, root, EntryType::Directory, b"").map_err(failed)?;
        for path in &paths {
            progress.check_stopped()?;
            let failed = |source| ImageError::File { path: directory.join(path), source };
            let name = Path::new(root).join(path);
            let about = fs::symlink_metadata(directory.join(path)).map_err(failed)?;
            let (kind, content) = if about.is_dir() {
                (EntryType::Directory, Vec::new())
            } else if about.is_symlink() {
                let target = fs::read_link(directory.join(path)).map_err(failed)?;
                check_inside(path, &target).map_err(failed)?;
                (EntryType::Symlink, target.into_os_string().into_encoded_bytes())
            } else {
                (
                    EntryType::Regular,
                    regular_file::read_regular(&directory.join(path), MAX_FILE_BYTES).map_err(failed)?,
                )
            };
            progress.bytes.fetch_add(content.len(), Ordering::Relaxed);
            add_tar_entry(&mut tar, name, kind, &content).map_err(failed)?;
        }
        let (gzip, diff_id, _) = tar.into_inner().map_err(failed)?.into_parts();
        let (_, digest, size) = gzip.finish().map_err(failed)?.into_parts();
        Ok((digest.clone(), PackedLayer { digest, diff_id, size }))
    })
}

/// Collects the relative paths below a folder. Fails on anything except files, folders and links.
fn collect_paths(root: &Path, paths: &mut Vec<PathBuf>, progress: &Progress) -> Result<(), ImageError> {
    let mut pending = vec![PathBuf::new()];
    while let Some(folder) = pending.pop() {
        progress.check_stopped()?;
        let failed = |source| ImageError::File { path: root.join(&folder), source };
        for entry in fs::read_dir(root.join(&folder)).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let path = folder.join(entry.file_name());
            let kind = entry.file_type().map_err(failed)?;
            if !(kind.is_dir() || kind.is_file() || kind.is_symlink()) {
                let source = io::Error::other("it is neither a file nor a folder");
                return Err(ImageError::File { path: root.join(path), source });
            }
            if kind.is_dir() {
                pending.push(path.clone());
            }
            paths.push(path);
        }
    }
    Ok(())
}

/// Refuses a link out of the directory, because its target is not packed.
fn check_inside(path: &Path, target: &Path) -> io::Result<()> {
    let mut depth = path.components().count().saturating_sub(1);
    for part in target.components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::ParentDir if depth > 0 => depth -= 1,
            _ => {
                let why = format!("it is a link out of the catalog, to {}", target.display());
                return Err(io::Error::other(why));
            }
        }
    }
    Ok(())
}

fn add_tar_entry<W: Write>(
    tar: &mut tar::Builder<W>,
    name: impl AsRef<Path>,
    kind: EntryType,
    content: &[u8],
) -> io::Result<()> {
    let mut header = Header::new_gnu();
    header.set_entry_type(kind);
    header.set_mode(if kind == EntryType::Regular { 0o644 } else { 0o755 });
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(0);
    if kind == EntryType::Symlink {
        header.set_size(0);
        let target = String::from_utf8(content.to_vec()).map_err(io::Error::other)?;
        return tar.append_link(&mut header, name, target);
    }
    header.set_size(content.len() as u64);
    tar.append_data(&mut header, name, content)
}

/// Writer that computes a digest.
pub struct HashingWriter<W> {
    inner: W,
    digester: Digester,
    size: u64,
}

impl<W> HashingWriter<W> {
    /// Creates a writer that computes a SHA-256 digest.
    pub fn new(inner: W) -> Self {
        Self { inner, digester: Digester::default(), size: 0 }
    }

    /// Creates a writer with a given digester.
    pub fn with(inner: W, digester: Digester) -> Self {
        Self { inner, digester, size: 0 }
    }

    /// Returns the inner writer, the digest and the size.
    pub fn into_parts(self) -> (W, Digest, u64) {
        (self.inner, self.digester.finish(), self.size)
    }
}

impl<W: Write> Write for HashingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.digester.update(bytes.get(..count).unwrap_or_default());
        self.size += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
