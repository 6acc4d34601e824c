//! From a path to a node. Links are followed inside the tree, those with an absolute target too, and `..` ends at its root.

use super::nodes::{Kind, NodeId, Tree};

/// How many links are followed on one path, as Linux has it.
const MOST_LINKS: usize = 40;

/// Why a path leads to nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unresolved {
    /// Something of it is not there.
    #[error("it is not there")]
    Missing,
    /// What should be a folder is none.
    #[error("a part of its path is not a folder")]
    NotAFolder,
    /// More links than anybody means.
    #[error("its links lead round in a circle")]
    TooManyLinks,
}

/// What becomes of a folder on the way that is not there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Absent {
    Refuse,
    Make,
}

/// The parts of a path that is read from the root on, without `.`, `..` and double slashes.
pub fn cleaned(path: &str) -> Vec<&str> {
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

/// A folder, and how one comes to it from the root: names without links.
pub struct Found {
    /// The folder.
    pub node: NodeId,
    /// Its path, and its node at the end of each.
    trail: Vec<(String, NodeId)>,
}

impl Found {
    /// The names from the root on.
    pub fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.trail.iter().map(|(name, _)| name.as_str())
    }
}

impl Tree {
    /// Where a path leads from the root on, the last link followed too.
    pub fn follow(&self, path: &str) -> Result<Found, Unresolved> {
        self.follow_from(&Found { node: Self::ROOT, trail: Vec::new() }, path)
    }

    /// Where a path leads from a folder on.
    pub fn follow_from(&self, from: &Found, path: &str) -> Result<Found, Unresolved> {
        let mut walk = Walk::new(from, path);
        self.step(walk.trail.len());
        while let Some(part) = walk.pending.pop() {
            self.step(1);
            let folder = walk.here();
            let entries = self.entries(folder).ok_or(Unresolved::NotAFolder)?;
            if !walk.is_name(&part) {
                continue;
            }
            let child = *entries.get(&part).ok_or(Unresolved::Missing)?;
            walk.enter(self, part, child)?;
        }
        Ok(walk.found())
    }

    /// The folder of a path from the root on; what of it is not there is made.
    pub fn make_folder(&mut self, path: &[&str]) -> Result<Found, Unresolved> {
        self.folder(path, Absent::Make)
    }

    /// The folder of a path from the root on.
    pub fn find_folder(&mut self, path: &[&str]) -> Result<Found, Unresolved> {
        self.folder(path, Absent::Refuse)
    }

    fn folder(&mut self, path: &[&str], absent: Absent) -> Result<Found, Unresolved> {
        let root = Found { node: Self::ROOT, trail: Vec::new() };
        let mut walk = Walk::new(&root, "");
        walk.pending = path.iter().rev().map(|part| (*part).to_owned()).collect();
        while let Some(part) = walk.pending.pop() {
            self.step(1);
            let folder = walk.here();
            if !walk.is_name(&part) {
                continue;
            }
            let child = match self.entries(folder).ok_or(Unresolved::NotAFolder)?.get(&part) {
                Some(child) => *child,
                None if absent == Absent::Refuse => return Err(Unresolved::Missing),
                None => self.put(folder, &part, Kind::Folder(std::collections::BTreeMap::new()), None),
            };
            walk.enter(self, part, child)?;
        }
        let found = walk.found();
        if self.entries(found.node).is_none() { Err(Unresolved::NotAFolder) } else { Ok(found) }
    }
}

struct Walk {
    trail: Vec<(String, NodeId)>,
    /// What is left of the path, its next part last.
    pending: Vec<String>,
    links: usize,
}

impl Walk {
    fn new(from: &Found, path: &str) -> Self {
        let mut walk = Self { trail: from.trail.clone(), pending: Vec::new(), links: 0 };
        walk.go_on(path);
        walk
    }

    fn go_on(&mut self, path: &str) {
        if path.starts_with('/') {
            self.trail.clear();
        }
        self.pending.extend(path.split('/').rev().filter(|part| !part.is_empty()).map(str::to_owned));
    }

    fn here(&self) -> NodeId {
        self.trail.last().map_or(Tree::ROOT, |(_, node)| *node)
    }

    /// Whether a part is a name; `.` and `..` are gone to.
    fn is_name(&mut self, part: &str) -> bool {
        if part == ".." {
            self.trail.pop();
        }
        !matches!(part, "." | "..")
    }

    fn enter(&mut self, tree: &Tree, name: String, child: NodeId) -> Result<(), Unresolved> {
        if let Kind::Link(target) = tree.kind(child) {
            self.links += 1;
            if self.links > MOST_LINKS {
                return Err(Unresolved::TooManyLinks);
            }
            self.go_on(target);
        } else {
            self.trail.push((name, child));
        }
        Ok(())
    }

    fn found(self) -> Found {
        Found { node: self.here(), trail: self.trail }
    }
}

impl Found {
    /// An entry of this folder that is a folder itself.
    pub fn entered(&self, name: &str, node: NodeId) -> Self {
        let mut trail = self.trail.clone();
        trail.push((name.to_owned(), node));
        Self { node, trail }
    }
}
