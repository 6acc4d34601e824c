//! What a catalog is: files, documents, decoded blobs, and where each came from.

pub mod canonical;
pub mod emit;
pub mod names;
pub mod node;
pub mod span;

pub use names::{BundleName, ChannelName, PackageName};
pub use node::{Member, Node, Number, Value};
pub use span::{Span, Spanned};
