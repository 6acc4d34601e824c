//! Files of an image as a tree in memory. Nothing is written to disk, and no link leads out of the tree.

mod links;
mod listing;
mod nodes;

pub use links::{TreeLocation, Unresolved, clean_path};
pub use listing::Listed;
pub use nodes::{Content, EntryId, NodeId, NodeKind, Tree};
