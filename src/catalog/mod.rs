//! What a catalog is: files, documents, decoded blobs, and where each came from.

pub mod canonical;
pub mod emit;
mod glob;
pub mod image_ref;
pub mod indexignore;
pub mod json;
pub mod meta;
pub mod names;
pub mod node;
pub mod read_error;
pub mod span;
pub mod split;
pub mod yaml;

pub use meta::{Head, MetaError, MetaErrorKind};
pub use names::{BundleName, ChannelName, PackageName};
pub use node::{Member, Node, Number, Value};
pub use read_error::{ReadError, ReadErrorKind};
pub use span::{Span, Spanned};
pub use split::{Chunk, ChunkKind, Format};
