//! Documents as text: cut out of files, read from YAML and JSON into trees, and written again.
//!
//! `split` cuts a file as opm does and says what each piece is; `yaml` and `json` read one into a
//! [`Node`](super::Node); `emit` writes trees, and `canonical` writes them as `opm render` does.

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
