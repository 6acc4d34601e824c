//! Folders, files and links by number, so that a tree of any depth is built and taken down without recursion.

use std::{cell::Cell, collections::BTreeMap, sync::Arc};

/// A node of a [`Tree`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct NodeId(usize);

/// An entry of a layer: the number of the layer, and its number in the tar.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct EntryId {
    /// From 0 on.
    pub layer: usize,
    /// From 0 on.
    pub entry: usize,
}

/// What is in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Content {
    /// Its bytes.
    Kept(Arc<[u8]>),
    /// It lies outside of what is wanted and was passed over; it stands there.
    PassedOver(EntryId),
}

/// What a node is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Its entries by name.
    Folder(BTreeMap<String, NodeId>),
    /// A regular file.
    File(Content),
    /// A symbolic link, by its target as it is written.
    Link(String),
    /// A device or a pipe: nothing that is read.
    Special(&'static str),
}

#[derive(Debug)]
struct Node {
    kind: Kind,
    /// The layer that has an entry for it; none for a folder that only had to be there.
    layer: Option<usize>,
}

/// The files of an image.
#[derive(Debug)]
pub struct Tree {
    nodes: Vec<Node>,
    /// How many steps were taken on the ways of paths and links.
    steps: Cell<u64>,
    most_steps: u64,
}

impl Tree {
    /// Only the root. `most_steps`: how many steps from name to name may be taken on the ways of paths and links.
    pub fn new(most_steps: u64) -> Self {
        let nodes = vec![Node { kind: Kind::Folder(BTreeMap::new()), layer: None }];
        Self { nodes, steps: Cell::new(0), most_steps }
    }

    /// The root, which is always a folder.
    pub const ROOT: NodeId = NodeId(0);

    /// How many files, folders and links there are, or were.
    pub fn size(&self) -> usize {
        self.nodes.len()
    }

    /// Counts steps on the way of a path.
    pub fn step(&self, count: usize) {
        self.steps.set(self.steps.get().saturating_add(count as u64));
    }

    /// Whether more steps were taken than any image needs: links that lead to links by the thousand.
    pub fn has_gone_too_far(&self) -> bool {
        self.steps.get() > self.most_steps
    }

    /// What a node is.
    pub fn kind(&self, node: NodeId) -> &Kind {
        &self.nodes[node.0].kind
    }

    /// The entries of a folder; none of what is none.
    pub fn entries(&self, folder: NodeId) -> Option<&BTreeMap<String, NodeId>> {
        match self.kind(folder) {
            Kind::Folder(entries) => Some(entries),
            _ => None,
        }
    }

    /// An entry of a folder.
    pub fn child(&self, folder: NodeId, name: &str) -> Option<NodeId> {
        self.entries(folder)?.get(name).copied()
    }

    /// The layer that has an entry for a node.
    pub fn layer(&self, node: NodeId) -> Option<usize> {
        self.nodes[node.0].layer
    }

    /// Notes that a layer has an entry for a node.
    pub fn mark(&mut self, node: NodeId, layer: usize) {
        self.nodes[node.0].layer = Some(layer);
    }

    /// Puts something into a folder in place of what has its name there.
    pub fn put(&mut self, folder: NodeId, name: &str, kind: Kind, layer: Option<usize>) -> NodeId {
        self.remove(folder, name);
        let new = NodeId(self.nodes.len());
        self.nodes.push(Node { kind, layer });
        if let Kind::Folder(entries) = &mut self.nodes[folder.0].kind {
            entries.insert(name.to_owned(), new);
        }
        new
    }

    /// Removes an entry of a folder with all that is in it.
    pub fn remove(&mut self, folder: NodeId, name: &str) {
        let Kind::Folder(entries) = &mut self.nodes[folder.0].kind else { return };
        let mut pending: Vec<NodeId> = entries.remove(name).into_iter().collect();
        while let Some(node) = pending.pop() {
            // Numbers are never given twice; what was in it is freed.
            let gone = std::mem::replace(&mut self.nodes[node.0].kind, Kind::Special("nothing"));
            if let Kind::Folder(entries) = gone {
                pending.extend(entries.into_values());
            }
        }
    }

    /// Removes all in a folder that has no entry in a layer: what an opaque whiteout does. A folder with an entry stays, and
    /// is looked into.
    pub fn remove_lower(&mut self, folder: NodeId, layer: usize) {
        let mut pending = vec![folder];
        while let Some(folder) = pending.pop() {
            let entries: Vec<(String, NodeId)> = self
                .entries(folder)
                .into_iter()
                .flatten()
                .map(|(name, node)| (name.clone(), *node))
                .collect();
            for (name, node) in entries {
                if self.layer(node) == Some(layer) {
                    pending.push(node);
                } else {
                    self.remove(folder, &name);
                }
            }
        }
    }
}
