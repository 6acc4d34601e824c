//! Access to files by name, in a folder on disk or in a tar that is not unpacked.

use std::{
    collections::HashMap,
    fs::File,
    io::{self, Read, Seek as _, SeekFrom},
    path::{Path, PathBuf},
};

use crate::images::{error::ImageError, tree::clean_path};
use olm_catalog::load::regular_file;

/// Maximum number of entries of an image archive.
const MAX_ENTRIES: usize = 100_000;
/// Maximum number of consecutive links in an archive.
const MAX_LINKS: usize = 8;

/// A collection of named files.
pub trait Files {
    /// Opens a file.
    ///
    /// # Errors
    ///
    /// If it is missing or cannot be read.
    fn open(&self, path: &str) -> Result<Box<dyn Read + '_>, ImageError>;

    /// Returns the name of the collection for messages.
    fn label(&self) -> String;
}

/// Files of a folder. Names come from digests, never from text of an image.
pub struct DiskFiles(pub PathBuf);

impl Files for DiskFiles {
    fn open(&self, path: &str) -> Result<Box<dyn Read + '_>, ImageError> {
        let path = self.0.join(path);
        match regular_file::open_regular(&path) {
            Ok(file) => Ok(Box::new(file)),
            Err(error) if error.kind() == io::ErrorKind::NotFound && self.0.exists() => {
                let what = path.strip_prefix(&self.0).unwrap_or(&path).display().to_string();
                Err(ImageError::Missing { place: self.label(), what })
            }
            Err(source) => Err(ImageError::File { path, source }),
        }
    }

    fn label(&self) -> String {
        self.0.display().to_string()
    }
}

enum Member {
    At { begin: u64, size: u64 },
    Link(String),
}

/// Files of a tar.
pub struct TarFiles {
    path: PathBuf,
    members: HashMap<String, Member>,
}

impl TarFiles {
    /// Indexes a tar.
    ///
    /// # Errors
    ///
    /// If it cannot be read or is not a tar.
    pub fn index_tar(path: &Path) -> Result<Self, ImageError> {
        let failed = |source| ImageError::File { path: path.to_owned(), source };
        let mut file = regular_file::open_regular(path).map_err(failed)?;
        let mut first = [0; 6];
        let count = file.read(&mut first).map_err(failed)?;
        if matches!(first.get(..count), Some([0x1f, 0x8b, ..] | [0x28, 0xb5, 0x2f, 0xfd, ..] | b"\xfd7zXZ\0"))
        {
            let why = "the archive is compressed; decompress it first (gunzip, zstd -d, xz -d)";
            return Err(failed(io::Error::new(io::ErrorKind::Unsupported, why)));
        }
        file.seek(SeekFrom::Start(0)).map_err(failed)?;
        let members = index_members(file).map_err(failed)?;
        Ok(Self { path: path.to_owned(), members })
    }
}

fn index_members(file: File) -> io::Result<HashMap<String, Member>> {
    let mut members = HashMap::new();
    let mut archive = tar::Archive::new(file);
    for entry in archive.entries_with_seek()? {
        let entry = entry?;
        if members.len() >= MAX_ENTRIES {
            return Err(io::Error::other("it has too many files for an archive of an image"));
        }
        let name = normalize_name(&String::from_utf8_lossy(&entry.path_bytes()));
        let kind = entry.header().entry_type();
        if kind.is_file() {
            members.insert(name, Member::At { begin: entry.raw_file_position(), size: entry.size() });
        } else if kind.is_symlink() || kind.is_hard_link() {
            let target = entry.link_name_bytes().unwrap_or_default();
            let target = String::from_utf8_lossy(&target).into_owned();
            // A hard link is relative to the root, a symbolic one to its folder.
            let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
            let target = if kind.is_hard_link() {
                normalize_name(&target)
            } else {
                normalize_name(&format!("{folder}/{target}"))
            };
            members.insert(name, Member::Link(target));
        }
    }
    Ok(members)
}

/// Normalizes a name, for example without `./`.
fn normalize_name(name: &str) -> String {
    clean_path(name).join("/")
}

impl Files for TarFiles {
    fn open(&self, path: &str) -> Result<Box<dyn Read + '_>, ImageError> {
        let mut name = normalize_name(path);
        for _ in 0..=MAX_LINKS {
            match self.members.get(&name) {
                Some(Member::Link(target)) => name.clone_from(target),
                Some(Member::At { begin, size }) => {
                    let failed = |source| ImageError::File { path: self.path.clone(), source };
                    let mut file = regular_file::open_regular(&self.path).map_err(failed)?;
                    file.seek(SeekFrom::Start(*begin)).map_err(failed)?;
                    return Ok(Box::new(file.take(*size)));
                }
                None => break,
            }
        }
        Err(ImageError::Missing { place: self.label(), what: path.to_owned() })
    }

    fn label(&self) -> String {
        self.path.display().to_string()
    }
}
