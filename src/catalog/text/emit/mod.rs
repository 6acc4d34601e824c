//! The canonical writer: one document as `opm render` writes it, in YAML and in JSON.
//!
//! opm encodes a blob as JSON and turns that into YAML with go-yaml v2, whose emitter descends from libyaml's. Its
//! choices are what published catalogs look like, so they are reproduced here to the byte:
//!
//! - keys in *natural order* (`natural`), list items flush with the key they belong to;
//! - a string is plain unless a YAML 1.1 reader would take it for something else (`lookalike`) or its characters
//!   forbid it (`style`); then single quotes, or double quotes where only those can hold it;
//! - plain and quoted texts break at the first single blank beyond column 80, block texts never (`scalar`);
//! - numbers in Go's shortest form (`number`).
//!
//! Known differences, where opm loses data or fails and we do not: a next-line character (U+0085) stays what it is
//! (opm makes it a blank); DEL and the C1 controls are escaped (opm refuses to render them); a key `<<` is quoted (opm
//! leaves it plain, which reads back as a merge); a text of several lines that ends with a line or paragraph separator
//! is in quotes (opm's block swallows the next `---`).

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
pub(in crate::catalog) mod tests;

pub use json::json;
pub(in crate::catalog) use members::last_of_each;
pub(in crate::catalog) use number::json_number;
pub(crate) use number::yaml_number;
pub use style::scalar_yaml;
pub use yaml::yaml;
