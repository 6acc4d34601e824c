//! Layout: converts a graph to rows, lanes and cells with edge IDs. It is pure: it knows kinds of
//! glyphs, but not colors.
//!
//! [`draw_layout()`] draws a channel, [`side_by_side::draw_side_by_side`] all channels of a package.
//! [`graph`](super::graph) and the Graph screen of olmap print the same cells.
//! [`neighborhood::draw_neighborhood`] draws a bundle with its older and newer neighbors.

pub mod channel;
mod coverage;
mod facts;
#[cfg(test)]
mod glyph_decoder;
#[cfg(test)]
pub(crate) use olm_upgrade::fixture;
pub mod fold;
pub mod glyph;
pub mod legend;
pub mod neighborhood;
mod note;
pub mod order;
mod paint;
pub mod paths;
pub mod removed_rows;
pub mod side_by_side;
pub mod strand;
#[cfg(test)]
mod tests;

pub use channel::PreparedChannel;
pub use channel::{Cell, Columns, Edge, HiddenEdges, Layout, Marks, Options, Row, StrandId, draw_layout};
pub use facts::Relation;
pub use fold::{Floor, FoldLine, FoldOptions};
pub use glyph::{Arms, Glyph, NodeShape};
pub use order::order_nodes;
pub use paths::{PathStop, RowStops, SelectedPaths, UpgradePath};
pub use strand::Strand;
