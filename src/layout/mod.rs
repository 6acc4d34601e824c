//! Layout: converts a graph to rows, lanes and cells with edge IDs. It is pure: it knows kinds of
//! glyphs, but not colors and not ratatui.
//!
//! [`layout()`] draws a channel, [`side_by_side::side_by_side`] all channels of a package.
//! `export::graph::text` and the Graph screen print the same cells.
//! [`neighbourhood::neighbourhood`] draws a bundle with its older and newer neighbors.

pub mod channel;
mod coverage;
#[cfg(test)]
mod decode;
mod facts;
#[cfg(test)]
pub(crate) use crate::upgrade::fixture;
pub mod fold;
pub mod glyph;
pub mod gone;
mod ground;
mod lanes;
pub mod legend;
pub mod neighbourhood;
mod note;
pub mod order;
mod paint;
pub mod reach;
pub mod side_by_side;
pub mod strand;
#[cfg(test)]
mod tests;
pub mod ways;

pub use channel::{Cell, Columns, Edge, Hidden, Layout, Marks, Options, Row, StrandId, layout};
pub use fold::{Floor, Fold, Line};
pub use glyph::{Arms, Glyph, NodeShape};
pub use ground::ChannelGround;
pub use order::order;
pub use reach::Reach;
pub use strand::Strand;
pub use ways::{Stop, Stops, Way, Ways};
