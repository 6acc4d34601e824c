//! Destination of a new image: a layout or an archive. The image is written next to it and then renamed.

use std::{
    fs::{self, File},
    io::{self, Read, Write as _},
    path::{Path, PathBuf},
    str::FromStr,
    time::Duration,
};

use super::HashingWriter;
use crate::{digest::Digest, images::error::ImageError};

/// Name prefix of unfinished files and folders.
const UNFINISHED_PREFIX: &str = ".olmap-image-";
/// Age after which unfinished files are abandoned.
const ABANDONED_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

/// Destination of a new image.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target {
    /// `oci-archive:FILE`.
    Archive(PathBuf),
    /// `oci:DIR`.
    Layout(PathBuf),
}

/// Error for a text that is not a destination.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0:?} is no place for an image; expected oci-archive:FILE or oci:DIR")]
pub struct ParseTargetError(String);

impl FromStr for Target {
    type Err = ParseTargetError;

    fn from_str(text: &str) -> Result<Self, ParseTargetError> {
        match text.split_once(':') {
            Some(("oci-archive", path)) if !path.is_empty() => Ok(Self::Archive(path.into())),
            Some(("oci", path)) if !path.is_empty() => Ok(Self::Layout(path.into())),
            _ => Err(ParseTargetError(text.to_owned())),
        }
    }
}

impl Target {
    /// Returns the path of the file or folder.
    pub fn path(&self) -> &Path {
        match self {
            Self::Archive(path) | Self::Layout(path) => path,
        }
    }

    /// # Errors
    ///
    /// If the path exists.
    pub fn check_free(&self) -> Result<(), ImageError> {
        let is_there = fs::symlink_metadata(self.path()).is_ok();
        if is_there { Err(to_not_written(self.path())(io::ErrorKind::AlreadyExists.into())) } else { Ok(()) }
    }
}

fn to_not_written(path: &Path) -> impl Fn(io::Error) -> ImageError + use<'_> {
    |source| ImageError::NotWritten { path: path.to_owned(), source }
}

/// A layout being written. Dropping it before the end leaves nothing.
pub struct NewLayout {
    folder: tempfile::TempDir,
    blobs: PathBuf,
}

impl NewLayout {
    /// Creates a layout in the folder of the target.
    pub fn next_to(target: &Target) -> Result<Self, ImageError> {
        let path = target.path();
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        remove_abandoned(parent);
        let folder = tempfile::Builder::new()
            .prefix(UNFINISHED_PREFIX)
            .tempdir_in(parent)
            .map_err(to_not_written(path))?;
        let blobs = folder.path().join("blobs").join("sha256");
        fs::create_dir_all(&blobs).map_err(to_not_written(path))?;
        Ok(Self { folder, blobs })
    }

    /// Adds a blob.
    pub fn add_blob(&mut self, bytes: &[u8]) -> Result<Digest, ImageError> {
        let digest = Digest::sha256(bytes);
        let path = self.blobs.join(digest.hex());
        fs::write(&path, bytes).map_err(to_not_written(&path))?;
        Ok(digest)
    }

    /// Copies a blob and verifies its digest. Returns its size in bytes.
    pub fn copy_blob(&mut self, digest: &Digest, bytes: &mut dyn Read) -> Result<u64, ImageError> {
        let folder = self.folder.path().join("blobs").join(digest.algorithm());
        fs::create_dir_all(&folder).map_err(to_not_written(&folder))?;
        let path = folder.join(digest.hex());
        let mut file =
            HashingWriter::with(File::create(&path).map_err(to_not_written(&path))?, digest.digester());
        let unwritten = to_not_written(&path);
        io::copy(bytes, &mut file)
            .map_err(|error| error.downcast::<ImageError>().unwrap_or_else(unwritten))?;
        let (_, found, size) = file.into_parts();
        if found != *digest {
            return Err(ImageError::WrongDigest { expected: digest.clone(), found });
        }
        Ok(size)
    }

    /// Writes a blob whose digest is known only at the end.
    pub fn write_blob<T>(
        &mut self,
        work: impl FnOnce(&File) -> Result<(Digest, T), ImageError>,
    ) -> Result<T, ImageError> {
        let path = self.blobs.join("new");
        let file = File::create(&path).map_err(to_not_written(&path))?;
        let (digest, made) = work(&file)?;
        fs::rename(&path, self.blobs.join(digest.hex())).map_err(to_not_written(&path))?;
        Ok(made)
    }

    /// Writes the index and renames the layout to the target.
    pub fn publish(self, index: &str, target: &Target) -> Result<(), ImageError> {
        let path = target.path();
        let root = self.folder.path();
        let layout = "{\"imageLayoutVersion\":\"1.0.0\"}";
        for (name, text) in [("index.json", index), ("oci-layout", layout)] {
            fs::write(root.join(name), text).map_err(to_not_written(path))?;
        }
        target.check_free()?;
        match target {
            Target::Layout(path) => {
                // A temporary folder is private to its owner; a layout has normal permissions.
                #[cfg(unix)]
                {
                    use std::os::unix::fs::PermissionsExt as _;
                    fs::set_permissions(root, fs::Permissions::from_mode(0o755))
                        .map_err(to_not_written(path))?;
                }
                fs::rename(root, path).map_err(to_not_written(path))?;
                // The folder was renamed, so there is nothing to remove.
                let _ = self.folder.keep();
            }
            Target::Archive(path) => write_archive(root, path).map_err(to_not_written(path))?,
        }
        Ok(())
    }
}

/// Removes files of programs that ended before they finished.
fn remove_abandoned(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().to_string_lossy().starts_with(UNFINISHED_PREFIX);
        let age = || entry.metadata().ok()?.modified().ok()?.elapsed().ok();
        if is_ours && age().is_some_and(|age| age > ABANDONED_AFTER) {
            let path = entry.path();
            // Files that cannot be removed are tried again the next time.
            let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
        }
    }
}

fn write_archive(root: &Path, path: &Path) -> io::Result<()> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let beside = tempfile::Builder::new().prefix(UNFINISHED_PREFIX).tempfile_in(parent)?;
    let mut files = vec![PathBuf::from("oci-layout"), PathBuf::from("index.json")];
    let mut blobs = Vec::new();
    for folder in fs::read_dir(root.join("blobs"))? {
        for blob in fs::read_dir(folder?.path())? {
            blobs.push(blob?.path().strip_prefix(root).map_err(io::Error::other)?.to_owned());
        }
    }
    blobs.sort();
    files.extend(blobs);
    let mut builder = tar::Builder::new(io::BufWriter::new(&beside));
    for name in files {
        let mut file = File::open(root.join(&name))?;
        let mut header = tar::Header::new_gnu();
        header.set_size(file.metadata()?.len());
        header.set_mode(0o644);
        header.set_mtime(0);
        builder.append_data(&mut header, &name, &mut file)?;
    }
    builder.into_inner()?.flush()?;
    beside.as_file().sync_all()?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        beside.as_file().set_permissions(fs::Permissions::from_mode(0o644))?;
    }
    beside.persist_noclobber(path).map_err(|error| error.error)?;
    Ok(())
}
