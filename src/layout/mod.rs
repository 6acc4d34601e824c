//! From graph to rows, lanes and cells with edge ids. Pure: knows glyph kinds, not colours, not ratatui.

pub mod order;

pub use order::order;
