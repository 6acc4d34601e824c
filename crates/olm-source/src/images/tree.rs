//! Files of an image as a tree in memory. Nothing is written to disk, and no link leads out of the tree:
//! links, also absolute ones, are followed inside the tree, and `..` ends at its root. Folders, files and
//! links have numbers, so that a deep tree needs no recursion.

use std::{cell::Cell, collections::BTreeMap, rc::Rc, sync::Arc};

use super::error::ImageError;
use olm_catalog::load::Progress;

/// Maximum number of links followed on one path, as in Linux.
const MAX_LINKS: usize = 40;

/// Reason why a path cannot be resolved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unresolved {
    /// A part of the path does not exist.
    #[error("it is not there")]
    Missing,
    /// A part of the path is not a folder.
    #[error("a part of its path is not a folder")]
    NotAFolder,
    /// The path has too many links.
    #[error("its links lead round in a circle")]
    TooManyLinks,
}

/// Behavior for a missing folder on the path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MissingFolder {
    Refuse,
    Create,
}

/// Splits a path into parts, relative to the root, without `.`, `..` and double slashes.
pub fn clean_path(path: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts
}

/// A node with its path from the root, without links.
pub struct TreeLocation {
    /// The node.
    pub node: NodeId,
    /// Name and node of each part of the path.
    trail: Vec<(String, NodeId)>,
}

impl TreeLocation {
    /// Iterates over the names from the root.
    pub fn path_names(&self) -> impl Iterator<Item = &str> + Clone {
        self.trail.iter().map(|(name, _)| name.as_str())
    }
}

impl Tree {
    /// Resolves a path from the root, including a final link.
    pub fn resolve(&self, path: &str) -> Result<TreeLocation, Unresolved> {
        self.resolve_from(&TreeLocation { node: Self::ROOT, trail: Vec::new() }, path)
    }

    /// Resolves a path from a folder.
    fn resolve_from(&self, from: &TreeLocation, path: &str) -> Result<TreeLocation, Unresolved> {
        let mut walk = Walk::new(from, path);
        self.count_steps(walk.trail.len());
        while let Some(part) = walk.pending_parts.pop() {
            self.count_steps(1);
            let folder = walk.current();
            let entries = self.folder_entries(folder).ok_or(Unresolved::NotAFolder)?;
            if !walk.is_name(&part) {
                continue;
            }
            let child = *entries.get(&part).ok_or(Unresolved::Missing)?;
            walk.enter_child(self, part, child)?;
        }
        Ok(walk.into_location())
    }

    /// Returns the folder at a path from the root; creates missing folders.
    pub fn make_folder(&mut self, path: &[&str]) -> Result<TreeLocation, Unresolved> {
        self.walk_folders(path, MissingFolder::Create)
    }

    /// Returns the folder at a path from the root.
    pub fn find_folder(&mut self, path: &[&str]) -> Result<TreeLocation, Unresolved> {
        self.walk_folders(path, MissingFolder::Refuse)
    }

    fn walk_folders(&mut self, path: &[&str], absent: MissingFolder) -> Result<TreeLocation, Unresolved> {
        let root = TreeLocation { node: Self::ROOT, trail: Vec::new() };
        let mut walk = Walk::new(&root, "");
        walk.pending_parts = path.iter().rev().map(|part| (*part).to_owned()).collect();
        while let Some(part) = walk.pending_parts.pop() {
            self.count_steps(1);
            let folder = walk.current();
            if !walk.is_name(&part) {
                continue;
            }
            let child = match self.folder_entries(folder).ok_or(Unresolved::NotAFolder)?.get(&part) {
                Some(child) => *child,
                None if absent == MissingFolder::Refuse => return Err(Unresolved::Missing),
                None => {
                    self.put_entry(folder, &part, NodeKind::Folder(std::collections::BTreeMap::new()), None)
                }
            };
            walk.enter_child(self, part, child)?;
        }
        let location = walk.into_location();
        if self.folder_entries(location.node).is_none() { Err(Unresolved::NotAFolder) } else { Ok(location) }
    }
}

struct Walk {
    trail: Vec<(String, NodeId)>,
    /// Remaining parts of the path, in reverse order.
    pending_parts: Vec<String>,
    links: usize,
}

impl Walk {
    fn new(from: &TreeLocation, path: &str) -> Self {
        let mut walk = Self { trail: from.trail.clone(), pending_parts: Vec::new(), links: 0 };
        walk.push_path(path);
        walk
    }

    fn push_path(&mut self, path: &str) {
        if path.starts_with('/') {
            self.trail.clear();
        }
        self.pending_parts.extend(path.split('/').rev().filter(|part| !part.is_empty()).map(str::to_owned));
    }

    fn current(&self) -> NodeId {
        self.trail.last().map_or(Tree::ROOT, |(_, node)| *node)
    }

    /// Returns true if a part is a name. Handles `.` and `..`.
    fn is_name(&mut self, part: &str) -> bool {
        if part == ".." {
            self.trail.pop();
        }
        !matches!(part, "." | "..")
    }

    fn enter_child(&mut self, tree: &Tree, name: String, child: NodeId) -> Result<(), Unresolved> {
        if let NodeKind::Link(target) = tree.node_kind(child) {
            self.links += 1;
            if self.links > MAX_LINKS {
                return Err(Unresolved::TooManyLinks);
            }
            self.push_path(target);
        } else {
            self.trail.push((name, child));
        }
        Ok(())
    }

    fn into_location(self) -> TreeLocation {
        TreeLocation { node: self.current(), trail: self.trail }
    }
}

impl TreeLocation {
    /// Returns the location of an entry of this folder.
    fn child_location(&self, name: &str, node: NodeId) -> Self {
        let mut trail = self.trail.clone();
        trail.push((name.to_owned(), node));
        Self { node, trail }
    }
}

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

/// A node of a [`Tree`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct NodeId(usize);

/// Position of an entry: the number of its layer, and its number in the tar.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct EntryId {
    /// Number of the layer, from 0.
    pub layer: usize,
    /// Number in the tar, from 0.
    pub entry: usize,
}

/// Content of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Content {
    /// The bytes of the file.
    Loaded(Arc<[u8]>),
    /// The file is outside of the requested paths and was skipped; its position.
    Skipped(EntryId),
}

/// Content of a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NodeKind {
    /// Entries of a folder by name.
    Folder(BTreeMap<String, NodeId>),
    /// A regular file.
    File(Content),
    /// A symbolic link with its target as written.
    Link(String),
    /// A device or a pipe, which is never read.
    Special(&'static str),
}

#[derive(Debug)]
struct Node {
    kind: NodeKind,
    /// Number of the layer with an entry for the node; `None` for an implicit folder.
    layer: Option<usize>,
}

/// Files of an image.
#[derive(Debug)]
pub struct Tree {
    nodes: Vec<Node>,
    /// Number of steps taken along paths and links.
    steps: Cell<u64>,
    max_steps: u64,
}

impl Tree {
    /// Creates a tree with only the root. `most_steps` limits the steps along paths and links.
    pub fn new(most_steps: u64) -> Self {
        let nodes = vec![Node { kind: NodeKind::Folder(BTreeMap::new()), layer: None }];
        Self { nodes, steps: Cell::new(0), max_steps: most_steps }
    }

    /// Number of the root, which is always a folder.
    pub const ROOT: NodeId = NodeId(0);

    /// Returns the number of nodes, including removed ones.
    pub fn size(&self) -> usize {
        self.nodes.len()
    }

    /// Counts steps along a path.
    fn count_steps(&self, count: usize) {
        self.steps.set(self.steps.get().saturating_add(count as u64));
    }

    /// Returns true if the number of steps exceeds the limit, for example after thousands of nested links.
    pub fn exceeds_step_limit(&self) -> bool {
        self.steps.get() > self.max_steps
    }

    /// Returns the content of a node.
    pub fn node_kind(&self, node: NodeId) -> &NodeKind {
        &self.nodes[node.0].kind
    }

    /// Returns the entries of a folder; `None` for other nodes.
    pub fn folder_entries(&self, folder: NodeId) -> Option<&BTreeMap<String, NodeId>> {
        match self.node_kind(folder) {
            NodeKind::Folder(entries) => Some(entries),
            _ => None,
        }
    }

    /// Returns an entry of a folder.
    pub fn child(&self, folder: NodeId, name: &str) -> Option<NodeId> {
        self.folder_entries(folder)?.get(name).copied()
    }

    /// Returns the number of the layer with an entry for a node.
    pub fn layer(&self, node: NodeId) -> Option<usize> {
        self.nodes[node.0].layer
    }

    /// Records that a layer has an entry for a node.
    pub fn mark_layer(&mut self, node: NodeId, layer: usize) {
        self.nodes[node.0].layer = Some(layer);
    }

    /// Adds an entry to a folder, replacing one with the same name.
    pub fn put_entry(&mut self, folder: NodeId, name: &str, kind: NodeKind, layer: Option<usize>) -> NodeId {
        self.remove_entry(folder, name);
        let new = NodeId(self.nodes.len());
        self.nodes.push(Node { kind, layer });
        if let NodeKind::Folder(entries) = &mut self.nodes[folder.0].kind {
            entries.insert(name.to_owned(), new);
        }
        new
    }

    /// Removes an entry of a folder with all its contents.
    pub fn remove_entry(&mut self, folder: NodeId, name: &str) {
        let NodeKind::Folder(entries) = &mut self.nodes[folder.0].kind else { return };
        let mut pending: Vec<NodeId> = entries.remove(name).into_iter().collect();
        while let Some(node) = pending.pop() {
            // Numbers are never reused, but the content is freed.
            let gone = std::mem::replace(&mut self.nodes[node.0].kind, NodeKind::Special("nothing"));
            if let NodeKind::Folder(entries) = gone {
                pending.extend(entries.into_values());
            }
        }
    }

    /// Removes everything in a folder that does not have an entry in a layer, as an opaque
    /// whiteout requires. A folder with an entry stays and is searched.
    pub fn remove_lower(&mut self, folder: NodeId, layer: usize) {
        let mut pending = vec![folder];
        while let Some(folder) = pending.pop() {
            let entries: Vec<(String, NodeId)> = self
                .folder_entries(folder)
                .into_iter()
                .flatten()
                .map(|(name, node)| (name.clone(), *node))
                .collect();
            for (name, node) in entries {
                if self.layer(node) == Some(layer) {
                    pending.push(node);
                } else {
                    self.remove_entry(folder, &name);
                }
            }
        }
    }
}
