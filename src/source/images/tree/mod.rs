//! The files of an image as a tree in memory. Nothing is written to a disk, and no link leads out of it.

mod links;
mod listing;
mod nodes;

pub use links::{Found, Unresolved, cleaned};
pub use listing::Listed;
pub use nodes::{Content, EntryId, Kind, NodeId, Tree};
