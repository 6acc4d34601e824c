//! Application of one layer entry to the tree.

use std::{collections::BTreeMap, io::Read as _, sync::Arc};

use tar::EntryType;

use super::{
    Entry, FolderFilter,
    limits::{Stop, Usage},
    whiteout::Whiteout,
};
use crate::images::tree::{Content, EntryId, NodeKind, Tree, TreeLocation, Unresolved, clean_path};

/// Maximum length of a path in bytes, as in Linux.
const MAX_PATH_BYTES: usize = 4096;
/// Position of the entry type in the header.
const TYPE_OFFSET: usize = 156;

/// Applies an entry: a file replaces the old node, folders are merged, a whiteout removes.
pub(super) fn apply_entry(
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
pub(super) fn read_content(
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
