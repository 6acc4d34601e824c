//! Go's types, and the errors of their decoders.
//!
//! The programs that read bundles are written in Go, and mostly reject values with the wrong type for a field.
//! They use three ways of reading, which differ: see [`DecoderKind`].

mod check;
mod table;
pub use check::{DecoderKind, TypeError, check_type};
pub use table::order_field;
pub use table::write_as_go;

pub use check::{field_text, find_field, find_member};
