//! Creation of images of catalogs and bundles without a daemon: a layer with the directory of a catalog
//! below `/configs`, or with the folders of a bundle, a config with labels, and a manifest. The same directory gives the same bytes, because files
//! are sorted by name and have no owner or date.

mod output;
#[cfg(test)]
mod tests;

use std::{
    collections::BTreeMap,
    fs,
    io::{self, Write},
    path::{Component, Path, PathBuf},
    sync::atomic::Ordering,
};

use flate2::{Compression, GzBuilder};
use serde_json::{Map, Value, json};
use tar::{EntryType, Header};

use super::{
    contents::CONFIGS,
    declared_size::{self, ExactReader},
    digest::Digest,
    error::ImageError,
    image::{self, CopySource, Descriptor, MAX_LAYERS, MAX_MANIFEST_BYTES},
    name::{ImageName, ImageReference, ImageVersion},
    sources::{DiskFiles, Layout, TarFiles},
};
use crate::{Platform, digest::Digester, lies_in};
use olm_catalog::load::{Progress, regular_file};
use output::NewLayout;

pub use output::{ParseTargetError, Target};

/// Folder of the catalog in the image.
const ROOT: &str = "configs";
const CONFIG: &str = "application/vnd.oci.image.config.v1+json";
const LAYER: &str = "application/vnd.oci.image.layer.v1.tar";
const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
/// Date of everything in the image, so that the digest is reproducible.
const NO_DATE: &str = "1970-01-01T00:00:00Z";

/// Folders of a bundle in its image. `tests` has the configuration of scorecard, and is optional.
const BUNDLE_FOLDERS: [&str; 3] = ["manifests", "metadata", "tests"];

/// Content of a new image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PackedContent {
    /// Directory of a catalog.
    Catalog,
    /// Directory of a bundle. Its labels are in [`ImageRecipe::labels`].
    Bundle,
}

/// Parts of a new image.
#[derive(Clone, Debug)]
pub struct ImageRecipe {
    /// Content of the directory.
    pub content: PackedContent,
    /// Name of the image, with a tag.
    pub name: ImageName,
    /// Base image; `None` for an image with only the directory.
    pub base: Option<String>,
    /// Platform of the image; `None` for the platform of the base image, or `linux/amd64`.
    pub platform: Option<Platform>,
    /// Additional labels.
    pub labels: BTreeMap<String, String>,
}

impl ImageRecipe {
    /// Parses the name of an image to build or push, which must have a tag.
    ///
    /// # Errors
    ///
    /// If the name is malformed or has a digest, because the digest follows from the content.
    pub fn parse_name(text: &str) -> Result<ImageName, ImageError> {
        let name = ImageName::parse(text.strip_prefix("docker://").unwrap_or(text))?;
        if let ImageVersion::Digest(_) = name.version {
            return Err(ImageError::Reference {
                reference: text.to_owned(),
                why: "it has a digest, which follows from what is in the image",
                hint: Some(format!("give it a tag: {}/{}:TAG", name.host, name.repository)),
            });
        }
        Ok(name)
    }
}

/// Builds and writes the image of a directory. Returns the digest of its manifest.
///
/// # Errors
///
/// If the directory or the base image is unreadable, or if the target exists or is not writable.
pub fn build_image(
    directory: &Path,
    recipe: &ImageRecipe,
    target: &Target,
    progress: &Progress,
) -> Result<Digest, ImageError> {
    target.check_free()?;
    // The unfinished image next to the target would be packed too.
    if lies_in(directory, target.path()) {
        return Err(ImageError::InCatalog(target.path().to_owned()));
    }
    let mut new = output::NewLayout::next_to(target)?;
    let mut below = match &recipe.base {
        Some(reference) => copy_base(reference, recipe.platform.as_ref(), &mut new, progress)?,
        None => BaseImage::from_scratch(recipe.platform.as_ref()),
    };
    let folders: Vec<(&str, PathBuf)> = match recipe.content {
        PackedContent::Catalog => vec![(ROOT, directory.to_owned())],
        PackedContent::Bundle => {
            let folders = BUNDLE_FOLDERS.iter().map(|name| (*name, directory.join(name)));
            folders.filter(|(_, folder)| folder.is_dir()).collect()
        }
    };
    let layer = pack_folders(&folders, &mut new, progress)?;
    below.layers.push(json!({
        "mediaType": format!("{LAYER}+gzip"), "digest": layer.digest.to_string(), "size": layer.size,
    }));
    let config = below.config(&layer.diff_id, recipe)?;
    let config_digest = new.add_blob(&config)?;
    let manifest = json!({
        "schemaVersion": 2,
        "mediaType": MANIFEST,
        "config": { "mediaType": CONFIG, "digest": config_digest.to_string(), "size": config.len() },
        "layers": below.layers,
    });
    let manifest = manifest.to_string().into_bytes();
    let digest = new.add_blob(&manifest)?;
    let ImageVersion::Tag(tag) = &recipe.name.version else {
        return Err(ImageError::Malformed { what: "name", why: "it has no tag".to_owned() });
    };
    let index = json!({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.index.v1+json",
        "manifests": [{
            "mediaType": MANIFEST, "digest": digest.to_string(), "size": manifest.len(),
            "annotations": {
                "io.containerd.image.name": recipe.name.to_string(),
                "org.opencontainers.image.ref.name": tag,
            },
        }],
    });
    new.publish(&index.to_string(), target)?;
    Ok(digest)
}

/// Parts of the image below the catalog layer.
struct BaseImage {
    /// Config of the base image, unchanged.
    config: Map<String, Value>,
    layers: Vec<Value>,
    is_scratch: bool,
}

impl BaseImage {
    fn from_scratch(platform: Option<&Platform>) -> Self {
        let (os, architecture) =
            platform.map_or(("linux", "amd64"), |at| (at.os.as_str(), at.architecture.as_str()));
        let mut config = Map::new();
        config.insert("created".to_owned(), NO_DATE.into());
        config.insert("architecture".to_owned(), architecture.into());
        config.insert("os".to_owned(), os.into());
        if let Some(variant) = platform.map(|at| at.variant.as_str()).filter(|variant| !variant.is_empty()) {
            config.insert("variant".to_owned(), variant.into());
        }
        Self { config, layers: Vec::new(), is_scratch: true }
    }

    /// Returns the config with the catalog layer, its label, and the entry point of opm's Dockerfile.
    fn config(&self, diff_id: &Digest, recipe: &ImageRecipe) -> Result<Vec<u8>, ImageError> {
        let wrong = |why: &str| ImageError::Malformed { what: "config", why: why.to_owned() };
        let mut whole = self.config.clone();
        let inner = whole.entry("config").or_insert_with(|| json!({}));
        let inner = inner.as_object_mut().ok_or_else(|| wrong("its config is not an object"))?;
        if !self.is_scratch {
            inner.insert("Entrypoint".to_owned(), json!(["/bin/opm"]));
            inner.insert("Cmd".to_owned(), json!(["serve", "/configs", "--cache-dir=/tmp/cache"]));
        }
        let labels = inner.entry("Labels").or_insert_with(|| json!({}));
        if labels.is_null() {
            *labels = json!({});
        }
        let labels = labels.as_object_mut().ok_or_else(|| wrong("its labels are not an object"))?;
        if recipe.content == PackedContent::Catalog {
            labels.insert(CONFIGS.to_owned(), format!("/{ROOT}").into());
        }
        labels.extend(recipe.labels.iter().map(|(name, value)| (name.clone(), value.as_str().into())));
        let mut sorted: Vec<(String, Value)> = std::mem::take(labels).into_iter().collect();
        sorted.sort_by(|a, b| a.0.cmp(&b.0));
        labels.extend(sorted);
        let root = whole.entry("rootfs").or_insert_with(|| json!({ "type": "layers", "diff_ids": [] }));
        let ids = root.get_mut("diff_ids").and_then(Value::as_array_mut);
        let ids = ids.ok_or_else(|| wrong("it does not say what its layers are (rootfs.diff_ids)"))?;
        ids.push(diff_id.to_string().into());
        let history = whole.entry("history").or_insert_with(|| json!([]));
        if let Some(history) = history.as_array_mut() {
            history.push(json!({ "created": NO_DATE, "created_by": "olmap image build" }));
        }
        Ok(Value::Object(whole).to_string().into_bytes())
    }
}

/// Opens a layout or an archive by its reference, for copying its blobs.
pub(super) fn open_layout(reference: &str) -> Result<Box<dyn CopySource>, ImageError> {
    match ImageReference::parse(reference) {
        Some(Ok(ImageReference::Layout(folder, tag))) => {
            Ok(Box::new(Layout { files: DiskFiles(folder), tag }))
        }
        Some(Ok(ImageReference::LayoutArchive(file, tag))) => {
            Ok(Box::new(Layout { files: TarFiles::index_tar(&file)?, tag }))
        }
        Some(Err(error)) => Err(error),
        _ => Err(ImageError::Reference {
            reference: reference.to_owned(),
            why: "a layout or an archive of one is needed here",
            hint: Some(
                "oci:DIR[:TAG] or oci-archive:FILE[:TAG]; skopeo copy makes one of any image".to_owned(),
            ),
        }),
    }
}

/// Copies the layers of the base image.
fn copy_base(
    reference: &str,
    platform: Option<&Platform>,
    new: &mut output::NewLayout,
    progress: &Progress,
) -> Result<BaseImage, ImageError> {
    let place = open_layout(reference)?;
    let platform = platform.cloned().unwrap_or_else(Platform::for_this_machine);
    let (_, manifest) = image::manifest_for(&*place, &platform)?;
    let bytes = place.small_blob(&manifest.config, MAX_MANIFEST_BYTES)?;
    declared_size::check_declared_size(&manifest.config, "config", &bytes)?;
    image::verify_digest(&manifest.config.digest, &bytes)?;
    let config: Value = serde_json::from_slice(&bytes)
        .map_err(|error| ImageError::Malformed { what: "config", why: error.to_string() })?;
    let Value::Object(config) = config else {
        return Err(ImageError::Malformed { what: "config", why: "it is not a JSON object".to_owned() });
    };
    let ids = config.get("rootfs").and_then(|root| root.get("diff_ids")).and_then(Value::as_array);
    if ids.map_or(0, Vec::len) != manifest.layers.len() {
        let why = "its layers are not those of the manifest (rootfs.diff_ids)".to_owned();
        return Err(ImageError::Malformed { what: "config", why });
    }
    if manifest.layers.len() >= MAX_LAYERS {
        return Err(ImageError::TooMuch(format!("it has {} layers already", manifest.layers.len())));
    }
    let mut layers = Vec::new();
    for at in &manifest.layers {
        progress.check_stopped()?;
        let mut bytes = ExactReader::new(place.layer(&image::layer_for(at))?, at, "layer")?;
        let size = new.copy_blob(&at.digest, &mut bytes)?;
        layers
            .push(json!({ "mediaType": oci_media_type(at), "digest": at.digest.to_string(), "size": size }));
    }
    Ok(BaseImage { config, layers, is_scratch: false })
}

/// Returns the OCI media type of a layer. Docker has other names for the same types.
fn oci_media_type(at: &Descriptor) -> String {
    match at.media_type.as_str() {
        "" | "application/vnd.docker.image.rootfs.diff.tar.gzip" => format!("{LAYER}+gzip"),
        "application/vnd.docker.image.rootfs.diff.tar" => LAYER.to_owned(),
        "application/vnd.docker.image.rootfs.diff.tar.zstd" => format!("{LAYER}+zstd"),
        other => other.to_owned(),
    }
}

/// Size limit of a file, in bytes; larger files could not be read back.
const MAX_FILE_BYTES: u64 = 1 << 30;

/// Value for an unknown operating system in the gzip header.
const UNKNOWN_SYSTEM: u8 = 255;

/// A written layer.
struct PackedLayer {
    /// Digest of the compressed bytes.
    pub digest: Digest,
    /// Digest of the tar.
    pub diff_id: Digest,
    /// Compressed size in bytes.
    pub size: u64,
}

/// Packs directories into a layout, each below a folder of the image's root.
///
/// # Errors
///
/// If a file cannot be read, or if there are special files or links out of a directory.
fn pack_folders(
    folders: &[(&str, PathBuf)],
    new: &mut NewLayout,
    progress: &Progress,
) -> Result<PackedLayer, ImageError> {
    new.write_blob(|file| {
        let packed = HashingWriter::new(file);
        let gzip = GzBuilder::new().operating_system(UNKNOWN_SYSTEM).write(packed, Compression::new(6));
        let mut tar = tar::Builder::new(HashingWriter::new(gzip));
        for (root, directory) in folders {
            pack_folder(directory, root, &mut tar, progress)?;
        }
        let path = folders.first().map(|(_, directory)| directory.clone()).unwrap_or_default();
        let failed = |source| ImageError::File { path: path.clone(), source };
        let (gzip, diff_id, _) = tar.into_inner().map_err(failed)?.into_parts();
        let (_, digest, size) = gzip.finish().map_err(failed)?.into_parts();
        Ok((digest.clone(), PackedLayer { digest, diff_id, size }))
    })
}

/// Packs a directory below a folder.
fn pack_folder<W: Write>(
    directory: &Path,
    root: &str,
    tar: &mut tar::Builder<W>,
    progress: &Progress,
) -> Result<(), ImageError> {
    let mut paths = Vec::new();
    collect_paths(directory, &mut paths, progress)?;
    paths.sort();
    let failed = |source| ImageError::File { path: directory.to_owned(), source };
    add_tar_entry(tar, root, EntryType::Directory, b"").map_err(failed)?;
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
        add_tar_entry(tar, name, kind, &content).map_err(failed)?;
    }
    Ok(())
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
                let why = format!("it is a link out of the directory, to {}", target.display());
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
struct HashingWriter<W> {
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
