//! Path resolution in the tree. Links, also absolute ones, are followed inside the tree, and `..` ends at its
//! root.

use super::nodes::{NodeId, NodeKind, Tree};

/// Maximum number of links followed on one path, as in Linux.
const MAX_LINKS: usize = 40;

/// Reason why a path cannot be resolved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
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
    pub fn resolve_from(&self, from: &TreeLocation, path: &str) -> Result<TreeLocation, Unresolved> {
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
    pub fn child_location(&self, name: &str, node: NodeId) -> Self {
        let mut trail = self.trail.clone();
        trail.push((name.to_owned(), node));
        Self { node, trail }
    }
}
