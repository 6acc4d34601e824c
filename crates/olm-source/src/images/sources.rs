//! Local image sources, read from a folder on disk or from a tar that is not unpacked:
//!
//! - OCI layouts: `index.json` and blobs by digest;
//! - folders of `skopeo copy ... dir:DIR`: `manifest.json`, and blobs named by their digests;
//! - archives of `docker save`: `manifest.json` lists images with their configs and layers by path.

use std::{
    collections::HashMap,
    fs::File,
    io::{self, Read, Seek as _, SeekFrom},
    path::{Path, PathBuf},
};

use serde::Deserialize;

use super::{
    contents::Config,
    declared_size,
    error::ImageError,
    image::{
        self, Descriptor, Image, ImageSource, IndexEntry, Layer, ManifestDocument, Manifests, verify_digest,
    },
    tree::clean_path,
    unpack::ExpectedDigest,
};
use crate::Platform;
use olm_catalog::load::regular_file;

/// Reads the content of a descriptor and checks its size.
///
/// # Errors
///
/// If it is missing, cannot be read, or has another size.
fn read_described(
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
fn read_small(files: &dyn Files, path: &str, most: u64, what: &'static str) -> Result<Vec<u8>, ImageError> {
    let mut bytes = Vec::new();
    let read = files.open(path)?.take(most + 1).read_to_end(&mut bytes);
    read.map_err(|source| ImageError::File { path: files.label().into(), source })?;
    if bytes.len() as u64 > most {
        let why = format!("it is larger than {} MiB", most >> 20);
        return Err(ImageError::Malformed { what, why });
    }
    Ok(bytes)
}

/// An image in an archive.
pub struct DockerArchive {
    /// Files of the archive.
    pub files: TarFiles,
    /// Name of the image; `None` for the only one.
    pub name: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct SavedImage {
    config: String,
    #[serde(default)]
    repo_tags: Option<Vec<String>>,
    #[serde(default)]
    layers: Option<Vec<String>>,
}

impl DockerArchive {
    fn saved_image(&self) -> Result<SavedImage, ImageError> {
        let bytes = read_small(&self.files, "manifest.json", image::MAX_MANIFEST_BYTES, "manifest")?;
        let wrong =
            |error: serde_json::Error| ImageError::Malformed { what: "manifest", why: error.to_string() };
        let mut saved: Vec<SavedImage> = serde_json::from_slice(&bytes).map_err(wrong)?;
        let is_meant = |one: &SavedImage| match &self.name {
            Some(name) => one.repo_tags.iter().flatten().any(|tag| is_same_name(tag, name)),
            None => true,
        };
        let count = saved.len();
        let names = saved.iter().flat_map(|one| one.repo_tags.iter().flatten().cloned()).collect();
        let position = saved.iter().position(is_meant).filter(|_| self.name.is_some() || saved.len() == 1);
        match position {
            Some(position) => Ok(saved.swap_remove(position)),
            None => Err(ImageError::WhichImage { place: self.files.label(), count, names }),
        }
    }
}

/// Compares names without the registry of docker, which docker omits.
fn is_same_name(tag: &str, asked: &str) -> bool {
    let plain = |name: &str| {
        let name = name.strip_prefix("docker.io/").unwrap_or(name);
        name.strip_prefix("library/").unwrap_or(name).to_owned()
    };
    plain(tag) == plain(asked)
}

impl ImageSource for DockerArchive {
    fn image(&self, _: &Platform) -> Result<Image, ImageError> {
        let saved = self.saved_image()?;
        let bytes = read_small(&self.files, &saved.config, image::MAX_MANIFEST_BYTES, "config")?;
        let config = Config::parse(&bytes, "")?;
        let layers = saved.layers.unwrap_or_default();
        if layers.len() != config.diff_ids.len() {
            let why =
                format!("it has {} layers, and the config says {}", layers.len(), config.diff_ids.len());
            return Err(ImageError::Malformed { what: "manifest", why });
        }
        if layers.len() > image::MAX_LAYERS {
            return Err(ImageError::TooMuch(format!("it has {} layers", layers.len())));
        }
        let layer = |(name, id): (String, &String)| {
            let wrong = |error| ImageError::Malformed { what: "config", why: format!("{error}") };
            let digest = id.parse().map_err(wrong)?;
            Ok(Layer { name, proof: ExpectedDigest::Unpacked(digest), at: None })
        };
        let layers =
            layers.into_iter().zip(&config.diff_ids).map(layer).collect::<Result<_, ImageError>>()?;
        Ok(Image { digest: None, config, layers })
    }

    fn layer(&self, layer: &Layer) -> Result<Box<dyn Read + '_>, ImageError> {
        self.files.open(&layer.name)
    }
}

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

/// An image in a folder.
pub struct Folder(pub DiskFiles);

impl Manifests for Folder {
    fn top_document(&self) -> Result<(Vec<u8>, Option<String>), ImageError> {
        Ok((read_small(&self.0, "manifest.json", image::MAX_MANIFEST_BYTES, "manifest")?, None))
    }

    fn manifest(&self, at: &Descriptor) -> Result<Vec<u8>, ImageError> {
        let name = format!("{}.manifest.json", at.digest.hex());
        read_described(&self.0, &name, at, image::MAX_MANIFEST_BYTES, "manifest")
    }

    fn small_blob(&self, at: &Descriptor, most: u64) -> Result<Vec<u8>, ImageError> {
        read_described(&self.0, at.digest.hex(), at, most, "config")
    }
}

impl ImageSource for Folder {
    fn image(&self, platform: &Platform) -> Result<Image, ImageError> {
        image::select_image(self, platform)
    }

    fn layer(&self, layer: &Layer) -> Result<Box<dyn Read + '_>, ImageError> {
        let digits = layer.name.split_once(':').map_or(layer.name.as_str(), |(_, digits)| digits);
        self.0.open(digits)
    }
}

/// An image in a layout.
pub struct Layout<F> {
    /// Files of the layout.
    pub files: F,
    /// Tag of the image; `None` for the only one.
    pub tag: Option<String>,
}

impl<F: Files> Layout<F> {
    fn select_entry(&self) -> Result<IndexEntry, ImageError> {
        let bytes = read_small(&self.files, "index.json", image::MAX_MANIFEST_BYTES, "index")?;
        let ManifestDocument::Index(entries) = ManifestDocument::parse(&bytes, None)? else {
            let why = "index.json of the layout is not an index".to_owned();
            return Err(ImageError::Malformed { what: "index", why });
        };
        let names = || entries.iter().filter_map(|entry| entry.name.clone()).collect::<Vec<_>>();
        let found = match &self.tag {
            Some(tag) => entries.iter().find(|entry| entry.name.as_ref() == Some(tag)),
            None => entries.first().filter(|_| entries.len() == 1),
        };
        found.cloned().ok_or_else(|| match &self.tag {
            Some(tag) => ImageError::Missing {
                place: self.files.label(),
                what: format!("the image {tag} (there is: {})", join_quoted_names(&names())),
            },
            None => {
                ImageError::WhichImage { place: self.files.label(), count: entries.len(), names: names() }
            }
        })
    }

    fn blob_path(name: &str) -> String {
        format!("blobs/{}", name.replacen(':', "/", 1))
    }
}

fn join_quoted_names(names: &[String]) -> String {
    if names.is_empty() { "none with a name".to_owned() } else { names.join(", ") }
}

impl<F: Files> Manifests for Layout<F> {
    fn top_document(&self) -> Result<(Vec<u8>, Option<String>), ImageError> {
        let entry = self.select_entry()?;
        let bytes = self.manifest(&entry.at)?;
        verify_digest(&entry.at.digest, &bytes)?;
        let declared = Some(entry.at.media_type).filter(|kind| !kind.is_empty());
        Ok((bytes, declared))
    }

    fn manifest(&self, at: &Descriptor) -> Result<Vec<u8>, ImageError> {
        read_described(
            &self.files,
            &Self::blob_path(&at.digest.to_string()),
            at,
            image::MAX_MANIFEST_BYTES,
            "manifest",
        )
    }

    fn small_blob(&self, at: &Descriptor, most: u64) -> Result<Vec<u8>, ImageError> {
        read_described(&self.files, &Self::blob_path(&at.digest.to_string()), at, most, "config")
    }
}

impl<F: Files> ImageSource for Layout<F> {
    fn image(&self, platform: &Platform) -> Result<Image, ImageError> {
        image::select_image(self, platform)
    }

    fn layer(&self, layer: &Layer) -> Result<Box<dyn Read + '_>, ImageError> {
        self.files.open(&Self::blob_path(&layer.name))
    }
}
