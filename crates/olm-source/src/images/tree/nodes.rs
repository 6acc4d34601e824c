//! Folders, files and links with numbers, so that a deep tree needs no recursion.

use std::{cell::Cell, collections::BTreeMap, sync::Arc};

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
    pub fn count_steps(&self, count: usize) {
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
