//! One entry of a layer onto the tree.

use std::{collections::BTreeMap, io::Read as _, sync::Arc};

use tar::EntryType;

use super::{
    Entry, Wanted,
    limits::{Stop, Used},
    whiteout::Whiteout,
};
use crate::source::images::tree::{Content, EntryId, Found, Kind, Tree, Unresolved, cleaned};

/// The longest path, in bytes, as Linux has it.
const LONGEST: usize = 4096;
/// The byte of the header that tells what an entry is.
const TYPE: usize = 156;

/// Applies an entry: a file takes the place of what was there, folders become one, a whiteout removes.
pub(super) fn apply(
    tree: &mut Tree,
    entry: &mut Entry<'_, '_>,
    at: EntryId,
    wanted: &Wanted,
    used: &Used,
) -> Result<(), Stop> {
    let kind = entry.header().entry_type();
    if kind.is_pax_global_extensions() {
        return Ok(());
    }
    let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
    if path.len() > LONGEST {
        return Err(Stop::Invalid(format!("a path has more than {LONGEST} bytes")));
    }
    let parts = cleaned(&path);
    // The root itself.
    let Some((name, parents)) = parts.split_last() else { return Ok(()) };
    let folder = tree.make_folder(parents).map_err(|why| unresolved(&path, why))?;
    if let Some(whiteout) = Whiteout::of(name).map_err(|error| Stop::Invalid(error.to_string()))? {
        whiteout.apply(tree, folder.node, at.layer);
        return Ok(());
    }
    let is_old_folder = entry.header().as_bytes().get(TYPE) == Some(&0) && path.ends_with('/');
    let new = match kind {
        EntryType::Directory => Kind::Folder(BTreeMap::new()),
        EntryType::Regular if is_old_folder => Kind::Folder(BTreeMap::new()),
        EntryType::Regular => {
            refuse_sparse(entry, &path)?;
            let is_wanted = wanted.has(&folder.names().chain([*name]));
            Kind::File(content(entry, is_wanted, at, used)?)
        }
        EntryType::Symlink => Kind::Link(target(entry, &path)?),
        EntryType::Link => {
            let target = target(entry, &path)?;
            // What has the name goes first, as a link to itself shows.
            tree.remove(folder.node, name);
            linked(tree, &target, &path)?
        }
        EntryType::Char => Kind::Special("a device"),
        EntryType::Block => Kind::Special("a device"),
        EntryType::Fifo => Kind::Special("a named pipe"),
        other => {
            let byte = other.as_byte();
            return Err(Stop::Invalid(format!("{path:?} is an entry of unknown type {byte}")));
        }
    };
    put(tree, &folder, name, new, at.layer);
    Ok(())
}

fn put(tree: &mut Tree, folder: &Found, name: &str, new: Kind, layer: usize) {
    let old = tree.child(folder.node, name);
    match (old, &new) {
        (Some(old), Kind::Folder(_)) if tree.entries(old).is_some() => tree.mark(old, layer),
        _ => {
            tree.put(folder.node, name, new, Some(layer));
        }
    }
}

/// The bytes of a file where they are wanted.
pub(super) fn content(
    entry: &mut Entry<'_, '_>,
    is_wanted: bool,
    at: EntryId,
    used: &Used,
) -> Result<Content, Stop> {
    if entry.size() > used.file_limit() {
        return Err(used.file_too_large());
    }
    if !is_wanted {
        return Ok(Content::PassedOver(at));
    }
    used.keep(entry.size())?;
    let mut bytes = Vec::new();
    entry.read_to_end(&mut bytes)?;
    Ok(Content::Kept(Arc::from(bytes)))
}

/// A file that says in a way of GNU's where it has holes: its bytes are not what they seem.
fn refuse_sparse(entry: &mut Entry<'_, '_>, path: &str) -> Result<(), Stop> {
    let Some(extensions) = entry.pax_extensions()? else { return Ok(()) };
    let is_sparse = |key: &str| key.starts_with("GNU.sparse.");
    if extensions.flatten().any(|extension| extension.key().is_ok_and(is_sparse)) {
        return Err(Stop::Invalid(format!("{path:?} is a sparse file, which is not read")));
    }
    Ok(())
}

fn target(entry: &Entry<'_, '_>, path: &str) -> Result<String, Stop> {
    let target = entry.link_name_bytes().map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let target = target.filter(|target| !target.is_empty() && target.len() <= LONGEST);
    target.ok_or_else(|| Stop::Invalid(format!("{path:?} is a link to nothing")))
}

/// What a hard link leads to: its path counts from the root, and its last part is not followed.
fn linked(tree: &mut Tree, target: &str, path: &str) -> Result<Kind, Stop> {
    let missing = || Stop::Invalid(format!("{path:?} is a hard link to {target:?}, which is not there"));
    let parts = cleaned(target);
    let (name, parents) = parts.split_last().ok_or_else(missing)?;
    let folder = tree.find_folder(parents).map_err(|why| unresolved(target, why))?;
    let node = tree.child(folder.node, name).ok_or_else(missing)?;
    match tree.kind(node) {
        Kind::Folder(_) => Err(Stop::Invalid(format!("{path:?} is a hard link to the folder {target:?}"))),
        kind => Ok(kind.clone()),
    }
}

fn unresolved(path: &str, why: Unresolved) -> Stop {
    Stop::Invalid(format!("{path:?}: {why}"))
}
