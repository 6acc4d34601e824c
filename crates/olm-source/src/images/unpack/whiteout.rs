//! Whiteouts: names that remove entries of lower layers.

use crate::images::tree::{NodeId, Tree};

const PREFIX: &str = ".wh.";
const OPAQUE: &str = ".wh..wh..opq";

/// Effect of a whiteout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Whiteout<'n> {
    /// Removes the entry with this name in the same folder, of any layer.
    Entry(&'n str),
    /// Removes all entries of lower layers in the same folder.
    Opaque,
}

/// Error for a whiteout without a name, or with `.` or `..`.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0:?} is not the name of a whiteout")]
pub struct InvalidWhiteout(String);

impl<'n> Whiteout<'n> {
    /// Parses the name of an entry; `None` if it is an ordinary name.
    pub fn parse(name: &'n str) -> Result<Option<Self>, InvalidWhiteout> {
        if name == OPAQUE {
            return Ok(Some(Self::Opaque));
        }
        match name.strip_prefix(PREFIX) {
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
