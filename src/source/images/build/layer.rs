//! A directory as a layer.

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
    catalog::load::{Progress, regular},
    source::{
        digest::{Digest, Digester},
        images::error::ImageError,
    },
};

/// The most bytes of a file: what is larger is not read again.
const MOST: u64 = 1 << 30;
/// What gzip writes where nobody is to know the system.
const NO_SYSTEM: u8 = 255;

/// A layer that was written.
pub struct Packed {
    /// Of its bytes as they are.
    pub digest: Digest,
    /// Of its tar.
    pub diff_id: Digest,
    /// How many bytes it has.
    pub size: u64,
}

/// Packs a directory below a folder of the root into a layout.
///
/// # Errors
///
/// When something in it cannot be read, is no file, folder or link, or is a link that leads out of it.
pub fn pack(
    directory: &Path,
    root: &str,
    new: &mut NewLayout,
    progress: &Progress,
) -> Result<Packed, ImageError> {
    let mut paths = Vec::new();
    walk(directory, &mut paths, progress)?;
    paths.sort();
    new.write(|file| {
        let packed = Hashing::new(file);
        let gzip = GzBuilder::new().operating_system(NO_SYSTEM).write(packed, Compression::new(6));
        let mut tar = tar::Builder::new(Hashing::new(gzip));
        let failed = |source| ImageError::File { path: directory.to_owned(), source };
        add(&mut tar, root, EntryType::Directory, b"").map_err(failed)?;
        for path in &paths {
            progress.check()?;
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
                (EntryType::Regular, regular::read(&directory.join(path), MOST).map_err(failed)?)
            };
            progress.bytes.fetch_add(content.len(), Ordering::Relaxed);
            add(&mut tar, name, kind, &content).map_err(failed)?;
        }
        let (gzip, diff_id, _) = tar.into_inner().map_err(failed)?.finish();
        let (_, digest, size) = gzip.finish().map_err(failed)?.finish();
        Ok((digest.clone(), Packed { digest, diff_id, size }))
    })
}

/// What is below a folder, from there on, without what is no file, folder or link.
fn walk(root: &Path, paths: &mut Vec<PathBuf>, progress: &Progress) -> Result<(), ImageError> {
    let mut pending = vec![PathBuf::new()];
    while let Some(folder) = pending.pop() {
        progress.check()?;
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

/// Refuses a link that leads out of the directory: what is there does not come along.
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

fn add<W: Write>(
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

/// What is written on its way to a digest.
pub struct Hashing<W> {
    inner: W,
    digester: Digester,
    size: u64,
}

impl<W> Hashing<W> {
    /// Nothing yet.
    pub fn new(inner: W) -> Self {
        Self { inner, digester: Digester::default(), size: 0 }
    }

    /// Nothing yet, by the algorithm of a digest.
    pub fn with(inner: W, digester: Digester) -> Self {
        Self { inner, digester, size: 0 }
    }

    /// Where it went, its digest, its size.
    pub fn finish(self) -> (W, Digest, u64) {
        (self.inner, self.digester.finish(), self.size)
    }
}

impl<W: Write> Write for Hashing<W> {
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
