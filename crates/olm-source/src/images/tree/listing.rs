//! Listing of the files below a folder, in the order of a directory on disk.

use std::rc::Rc;

use super::{
    links::{TreeLocation, Unresolved},
    nodes::{Content, NodeId, NodeKind, Tree},
};
use crate::images::error::ImageError;
use olm_catalog::load::Progress;

/// Limit for all paths of a listing together, in bytes: a million files of some depth.
const MAX_PATH_BYTES: usize = 256 << 20;

/// An entry of a listing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Listed {
    /// A regular file, or a link to a regular file.
    File(Content),
    /// A folder; its contents follow.
    Folder,
    /// A link to a folder.
    LinkToFolder,
    /// A link to a missing file, or a cycle of links.
    BrokenLink,
    /// A device, a pipe, or a link to either.
    Special(&'static str),
}

impl Tree {
    /// Lists everything below a folder in lexical order, with paths relative to it.
    ///
    /// # Errors
    ///
    /// If the paths are too long together, if links are followed endlessly, or on cancellation.
    pub fn list_below(
        &self,
        folder: TreeLocation,
        progress: &Progress,
    ) -> Result<Vec<(String, Listed)>, ImageError> {
        let mut all = Vec::new();
        let mut bytes = 0_usize;
        // Paths of files on disk have a similar limit.
        let mut pending: Vec<(Rc<TreeLocation>, String, NodeId)> =
            self.children(&Rc::new(folder), "").collect();
        while let Some((parent, path, node)) = pending.pop() {
            bytes += path.len();
            if bytes > MAX_PATH_BYTES {
                return Err(ImageError::TooMuch("the paths in it are too long together".to_owned()));
            }
            progress.check_stopped()?;
            self.count_steps(1);
            if self.exceeds_step_limit() {
                return Err(ImageError::TooMuch("its links are followed without end".to_owned()));
            }
            let listed = match self.node_kind(node) {
                NodeKind::Folder(_) => {
                    let name = path.rsplit('/').next().unwrap_or_default();
                    pending.extend(self.children(&Rc::new(parent.child_location(name, node)), &path));
                    Listed::Folder
                }
                NodeKind::File(content) => Listed::File(content.clone()),
                NodeKind::Special(what) => Listed::Special(what),
                NodeKind::Link(target) => match self.resolve_from(&parent, target).map(|found| found.node) {
                    Ok(node) => match self.node_kind(node) {
                        NodeKind::Folder(_) => Listed::LinkToFolder,
                        NodeKind::File(content) => Listed::File(content.clone()),
                        NodeKind::Special(what) => Listed::Special(what),
                        NodeKind::Link(_) => Listed::BrokenLink,
                    },
                    Err(Unresolved::Missing | Unresolved::NotAFolder | Unresolved::TooManyLinks) => {
                        Listed::BrokenLink
                    }
                },
            };
            all.push((path, listed));
        }
        Ok(all)
    }

    /// Iterates over the entries of a folder in reverse order.
    fn children<'t>(
        &'t self,
        folder: &Rc<TreeLocation>,
        path: &str,
    ) -> impl Iterator<Item = (Rc<TreeLocation>, String, NodeId)> + use<'t> {
        let path = if path.is_empty() { String::new() } else { format!("{path}/") };
        let folder = Rc::clone(folder);
        let entries = self.folder_entries(folder.node).into_iter().flatten().rev();
        entries.map(move |(name, node)| (Rc::clone(&folder), format!("{path}{name}"), *node))
    }
}
