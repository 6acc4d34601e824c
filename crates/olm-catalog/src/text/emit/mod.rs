//! Canonical writer: one document as `opm render` writes it, in YAML and in JSON.
//!
//! opm encodes a blob as JSON and converts that to YAML with go-yaml v2, whose emitter is derived from
//! libyaml's. Published catalogs look like its output, so this module reproduces it to the byte:
//!
//! - keys are in *natural order* (`natural`); list items are flush with the key they belong to;
//! - a string is plain unless a YAML 1.1 reader would read another type (`lookalike`) or its characters forbid
//!   it (`style`). Otherwise it is in single quotes, or in double quotes if only those can represent it;
//! - plain and quoted texts fold at the first single blank after column 80, block texts never fold (`scalar`);
//! - numbers have Go's shortest form (`number`).
//!
//! The output differs from opm's only if opm loses data or fails:
//!
//! - a next-line character (U+0085) is kept; opm replaces it by a blank;
//! - DEL and the C1 controls are escaped; opm cannot render them;
//! - a key `<<` is quoted; opm leaves it plain, so it reads back as a merge;
//! - a multi-line text that ends with a line or paragraph separator is quoted; opm's block swallows the next
//!   `---`.

mod json;
mod lookalike;
mod members;
mod natural;
mod number;
#[cfg(test)]
mod round_trip;
mod scalar;
mod style;
mod yaml;

#[cfg(test)]
pub(crate) mod tests;

pub use json::write_json;
pub(crate) use members::effective_members;
pub(crate) use number::format_json_number;
pub use number::format_yaml_number;
pub use style::write_inline_scalar;
pub use yaml::write_yaml;
