//! Text of catalog documents: splits files, parses YAML and JSON into trees, and writes trees.
//!
//! `split` splits a file as opm does and classifies each piece. `yaml` and `json` parse a piece into a
//! [`Node`](super::Node). `emit` writes trees; `canonical` writes them as `opm render` does.

mod blanks;
pub mod canonical;
pub mod emit;
pub mod json;
pub mod read_error;
mod separator;
mod slice;
pub mod split;
pub mod yaml;

pub use slice::Text;
