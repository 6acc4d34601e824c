//! Go's types, and the errors of their decoders.
//!
//! The programs that read bundles are written in Go, and mostly reject values with the wrong type for a field.
//! They use three ways of reading, which differ: see [`Reading`].

mod check;
mod order;
mod table;
mod write;

pub use check::{Reading, TypeFault, check};
pub use order::order_field;
pub use write::write;

pub(crate) use check::{field, member, text_of};
