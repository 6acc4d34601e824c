//! Go's types, and what their decoders refuse.
//!
//! The programs that read bundles are written in Go, and most of what they refuse is a value of a type that a field does
//! not have. There are three ways to read, and they do not agree: see [`Reading`].

mod check;
mod order;
mod table;
mod write;

pub use check::{Reading, TypeFault, check};
pub use order::order_field;
pub use write::write;

pub(crate) use check::{field, member, text_of};
