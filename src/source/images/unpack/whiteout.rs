//! Names that remove what lower layers have.

use crate::source::images::tree::{NodeId, Tree};

const PREFIX: &str = ".wh.";
const OPAQUE: &str = ".wh..wh..opq";

/// What an entry removes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Whiteout<'n> {
    /// What has this name beside it, whichever layer it is of.
    Of(&'n str),
    /// What lower layers have beside it.
    Opaque,
}

/// A whiteout of nothing, or of a folder from within.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0:?} is not the name of a whiteout")]
pub struct InvalidWhiteout(String);

impl<'n> Whiteout<'n> {
    /// The whiteout that a name is; none where it is an ordinary one.
    pub fn of(name: &'n str) -> Result<Option<Self>, InvalidWhiteout> {
        if name == OPAQUE {
            return Ok(Some(Self::Opaque));
        }
        match name.strip_prefix(PREFIX) {
            Some("" | "." | "..") => Err(InvalidWhiteout(name.to_owned())),
            removed => Ok(removed.map(Self::Of)),
        }
    }

    /// Removes what is meant from the folder that it stands in.
    pub fn apply(self, tree: &mut Tree, folder: NodeId, layer: usize) {
        match self {
            Self::Of(name) => tree.remove(folder, name),
            Self::Opaque => tree.remove_lower(folder, layer),
        }
    }
}
