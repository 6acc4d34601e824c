//! Unpacking of layers to a tree, with the rules of containerd, which opm uses (`pkg/archive/tar.go`).

mod limits;
mod readers;
#[cfg(test)]
mod tests;

use std::{
    collections::BTreeMap,
    io::{self, Read},
    sync::{Arc, atomic::Ordering},
};

use tar::EntryType;

use super::{
    digest::Digest,
    error::ImageError,
    tree::{Content, EntryId, NodeId, NodeKind, Tree, TreeLocation, Unresolved, clean_path},
};
use limits::{Stop, Usage};
use olm_catalog::load::Progress;
use readers::{HashingReader, PackedReader, UnpackedReader};

pub use limits::Limits;

/// Expected digest of a layer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExpectedDigest {
    /// Digest of the bytes as stored.
    Stored(Digest),
    /// Digest of the tar; archives of docker have no other.
    Unpacked(Digest),
}

/// Source of an image's layers.
pub trait Layers {
    /// Returns the number of layers.
    fn count(&self) -> usize;

    /// Opens the bytes of a layer, with their expected digest.
    ///
    /// # Errors
    ///
    /// If the layer cannot be read.
    fn open(&self, number: usize) -> Result<(Box<dyn Read + '_>, ExpectedDigest), ImageError>;
}

/// Folders whose files are needed; all others are skipped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FolderFilter(Vec<Vec<String>>);

impl FolderFilter {
    /// Selects everything below the folders, given by their paths from the root.
    pub fn for_folders(folders: &[&str]) -> Self {
        let parts = |path: &&str| super::tree::clean_path(path).into_iter().map(str::to_owned).collect();
        Self(folders.iter().map(parts).collect())
    }

    fn includes<'n>(&self, path: &(impl Iterator<Item = &'n str> + Clone)) -> bool {
        self.0.iter().any(|folder| {
            let mut path = path.clone();
            folder.iter().all(|part| path.next() == Some(part.as_str()))
        })
    }
}

/// Returns the files of an image, with the content of the selected ones.
pub fn build_tree(
    layers: &dyn Layers,
    wanted: &FolderFilter,
    limits: Limits,
    progress: &Progress,
) -> Result<Tree, ImageError> {
    let mut tree = Tree::new(limits.steps);
    let used = Usage::new(limits);
    for number in 0..layers.count() {
        progress.files.fetch_add(1, Ordering::Relaxed);
        read_layer(layers, number, &used, progress, &mut |entry, at| {
            apply_entry(&mut tree, entry, at, wanted, &used)?;
            used.check_tree(&tree)
        })?;
        progress.read.fetch_add(1, Ordering::Relaxed);
    }
    Ok(tree)
}

/// Reads skipped files that links refer to. `entries` must be sorted.
pub fn fetch_skipped(
    layers: &dyn Layers,
    entries: &[EntryId],
    limits: Limits,
    progress: &Progress,
) -> Result<BTreeMap<EntryId, Arc<[u8]>>, ImageError> {
    let mut found = BTreeMap::new();
    let used = Usage::new(limits);
    for number in 0..layers.count() {
        if !entries.iter().any(|entry| entry.layer == number) {
            continue;
        }
        read_layer(layers, number, &used, progress, &mut |entry, at| {
            let content = read_content(entry, entries.binary_search(&at).is_ok(), at, &used)?;
            if let Content::Loaded(bytes) = content {
                found.insert(at, bytes);
            }
            Ok(())
        })?;
    }
    Ok(found)
}

/// A layer entry being applied to the tree.
type Entry<'a, 'r> = tar::Entry<'a, UnpackedReader<'r>>;

/// Reads a layer to its end and verifies its digest. If this fails, the caller must discard all results.
fn read_layer(
    layers: &dyn Layers,
    number: usize,
    used: &Usage,
    progress: &Progress,
    take: &mut dyn FnMut(&mut Entry<'_, '_>, EntryId) -> Result<(), Stop>,
) -> Result<(), ImageError> {
    let (bytes, proof) = layers.open(number)?;
    let (of_packed, of_unpacked) = match &proof {
        ExpectedDigest::Stored(digest) => (Some(digest), None),
        ExpectedDigest::Unpacked(digest) => (None, Some(digest)),
    };
    let mut packed = HashingReader::new(PackedReader::new(bytes, used, progress), of_packed);
    let mut outcome = Ok(());
    let mut unpacked_outcome = None;
    match readers::decompress(&mut packed) {
        Err(error) => outcome = Err(Stop::from(error)),
        Ok(reader) => {
            let mut unpacked = HashingReader::new(reader, of_unpacked);
            let drains = of_unpacked.is_some();
            outcome = apply_entries(UnpackedReader::new(&mut unpacked, used), number, used, drains, take)
                .and(outcome);
            if of_unpacked.is_some() && outcome.is_ok() {
                unpacked_outcome = Some(unpacked.verify_rest());
            }
        }
    }
    if let (Err(_), Some(stop)) = (&outcome, used.recorded_stop()) {
        outcome = Err(stop);
    }
    progress.check_stopped()?;
    // A wrong digest explains all other errors.
    let is_stopped = matches!(outcome, Err(Stop::TooMuch(_)));
    if !is_stopped {
        match packed.verify_rest() {
            Ok(wrong @ Some(_)) => unpacked_outcome = Some(Ok(wrong)),
            Ok(None) => {}
            Err(error) => {
                outcome = outcome.and(Err(used.recorded_stop().unwrap_or_else(|| Stop::from(error))));
            }
        }
    }
    match unpacked_outcome {
        Some(Ok(Some((expected, found)))) => return Err(ImageError::WrongDigest { expected, found }),
        Some(Err(error)) => outcome = outcome.and(Err(Stop::from(error))),
        _ => {}
    }
    outcome.map_err(|stop| stop.into_image_error(number + 1))
}

fn apply_entries<'r>(
    unpacked: UnpackedReader<'r>,
    layer: usize,
    used: &Usage,
    drains: bool,
    take: &mut dyn FnMut(&mut Entry<'_, 'r>, EntryId) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let mut archive = tar::Archive::new(unpacked);
    let mut all = archive.entries()?;
    let mut number = 0;
    loop {
        // Names of any length precede an entry, and tar reads them into memory.
        used.allow_header();
        let Some(entry) = all.next() else { break };
        let mut entry = entry?;
        used.count_entry()?;
        used.allow_content();
        take(&mut entry, EntryId { layer, entry: number })?;
        io::copy(&mut entry, &mut io::sink())?;
        number += 1;
    }
    if drains {
        // Bytes after the end of a tar count for its digest and its size.
        used.allow_content();
        io::copy(&mut archive.into_inner(), &mut io::sink())?;
    }
    Ok(())
}

/// Maximum length of a path in bytes, as in Linux.
const MAX_PATH_BYTES: usize = 4096;

/// Position of the entry type in the header.
const TYPE_OFFSET: usize = 156;

/// Applies an entry: a file replaces the old node, folders are merged, a whiteout removes.
fn apply_entry(
    tree: &mut Tree,
    entry: &mut Entry<'_, '_>,
    at: EntryId,
    wanted: &FolderFilter,
    used: &Usage,
) -> Result<(), Stop> {
    let kind = entry.header().entry_type();
    if kind.is_pax_global_extensions() {
        return Ok(());
    }
    let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
    if path.len() > MAX_PATH_BYTES {
        return Err(Stop::Invalid(format!("a path has more than {MAX_PATH_BYTES} bytes")));
    }
    let parts = clean_path(&path);
    // The root itself has no name.
    let Some((name, parents)) = parts.split_last() else { return Ok(()) };
    let folder = tree.make_folder(parents).map_err(|why| unresolved_error(&path, why))?;
    if let Some(whiteout) = Whiteout::parse(name).map_err(|error| Stop::Invalid(error.to_string()))? {
        whiteout.remove_entries(tree, folder.node, at.layer);
        return Ok(());
    }
    let is_old_folder = entry.header().as_bytes().get(TYPE_OFFSET) == Some(&0) && path.ends_with('/');
    let new = match kind {
        EntryType::Directory => NodeKind::Folder(BTreeMap::new()),
        EntryType::Regular if is_old_folder => NodeKind::Folder(BTreeMap::new()),
        EntryType::Regular => {
            refuse_sparse(entry, &path)?;
            let is_wanted = wanted.includes(&folder.path_names().chain([*name]));
            NodeKind::File(read_content(entry, is_wanted, at, used)?)
        }
        EntryType::Symlink => NodeKind::Link(link_target(entry, &path)?),
        EntryType::Link => {
            let target = link_target(entry, &path)?;
            // The old node is removed first, as a link to itself shows.
            tree.remove_entry(folder.node, name);
            resolve_hard_link(tree, &target, &path)?
        }
        EntryType::Char => NodeKind::Special("a device"),
        EntryType::Block => NodeKind::Special("a device"),
        EntryType::Fifo => NodeKind::Special("a named pipe"),
        other => {
            let byte = other.as_byte();
            return Err(Stop::Invalid(format!("{path:?} is an entry of unknown type {byte}")));
        }
    };
    put_node(tree, &folder, name, new, at.layer);
    Ok(())
}

fn put_node(tree: &mut Tree, folder: &TreeLocation, name: &str, new: NodeKind, layer: usize) {
    let old = tree.child(folder.node, name);
    match (old, &new) {
        (Some(old), NodeKind::Folder(_)) if tree.folder_entries(old).is_some() => tree.mark_layer(old, layer),
        _ => {
            tree.put_entry(folder.node, name, new, Some(layer));
        }
    }
}

/// Returns the bytes of a file, if they are requested.
fn read_content(
    entry: &mut Entry<'_, '_>,
    is_wanted: bool,
    at: EntryId,
    used: &Usage,
) -> Result<Content, Stop> {
    if entry.size() > used.file_limit() {
        return Err(used.file_too_large());
    }
    if !is_wanted {
        return Ok(Content::Skipped(at));
    }
    used.count_kept(entry.size())?;
    let mut bytes = Vec::new();
    entry.read_to_end(&mut bytes)?;
    Ok(Content::Loaded(Arc::from(bytes)))
}

/// Refuses a sparse file in GNU format, whose bytes are not its content.
fn refuse_sparse(entry: &mut Entry<'_, '_>, path: &str) -> Result<(), Stop> {
    let Some(extensions) = entry.pax_extensions()? else { return Ok(()) };
    let is_sparse = |key: &str| key.starts_with("GNU.sparse.");
    if extensions.flatten().any(|extension| extension.key().is_ok_and(is_sparse)) {
        return Err(Stop::Invalid(format!("{path:?} is a sparse file, which is not read")));
    }
    Ok(())
}

fn link_target(entry: &Entry<'_, '_>, path: &str) -> Result<String, Stop> {
    let target = entry.link_name_bytes().map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let target = target.filter(|target| !target.is_empty() && target.len() <= MAX_PATH_BYTES);
    target.ok_or_else(|| Stop::Invalid(format!("{path:?} is a link to nothing")))
}

/// Resolves a hard link. Its path is relative to the root, and its last part is not followed.
fn resolve_hard_link(tree: &mut Tree, target: &str, path: &str) -> Result<NodeKind, Stop> {
    let missing = || Stop::Invalid(format!("{path:?} is a hard link to {target:?}, which is not there"));
    let parts = clean_path(target);
    let (name, parents) = parts.split_last().ok_or_else(missing)?;
    let folder = tree.find_folder(parents).map_err(|why| unresolved_error(target, why))?;
    let node = tree.child(folder.node, name).ok_or_else(missing)?;
    match tree.node_kind(node) {
        NodeKind::Folder(_) => {
            Err(Stop::Invalid(format!("{path:?} is a hard link to the folder {target:?}")))
        }
        kind => Ok(kind.clone()),
    }
}

fn unresolved_error(path: &str, why: Unresolved) -> Stop {
    Stop::Invalid(format!("{path:?}: {why}"))
}

const WHITEOUT_PREFIX: &str = ".wh.";

const OPAQUE_WHITEOUT: &str = ".wh..wh..opq";

/// Effect of a whiteout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Whiteout<'n> {
    /// Removes the entry with this name in the same folder, of any layer.
    Entry(&'n str),
    /// Removes all entries of lower layers in the same folder.
    Opaque,
}

/// Error for a whiteout without a name, or with `.` or `..`.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0:?} is not the name of a whiteout")]
struct InvalidWhiteout(String);

impl<'n> Whiteout<'n> {
    /// Parses the name of an entry; `None` if it is an ordinary name.
    pub fn parse(name: &'n str) -> Result<Option<Self>, InvalidWhiteout> {
        if name == OPAQUE_WHITEOUT {
            return Ok(Some(Self::Opaque));
        }
        match name.strip_prefix(WHITEOUT_PREFIX) {
            Some("" | "." | "..") => Err(InvalidWhiteout(name.to_owned())),
            removed => Ok(removed.map(Self::Entry)),
        }
    }

    /// Removes the entries from the folder of the whiteout.
    pub fn remove_entries(self, tree: &mut Tree, folder: NodeId, layer: usize) {
        match self {
            Self::Entry(name) => tree.remove_entry(folder, name),
            Self::Opaque => tree.remove_lower(folder, layer),
        }
    }
}
