//! Catalogs: files, documents, decoded blobs, and their locations.

pub mod blob;
pub mod decode;
pub mod demo;
pub mod details;
pub mod file;
mod home;
pub mod icon;
pub mod image_ref;
pub mod lifecycle;
pub mod load;
pub mod meta;
pub mod model;
pub mod names;
pub mod near;
pub mod node;
pub mod openshift;
pub mod package;
pub mod paths;
pub mod plain;
pub mod problem;
pub mod redact;
pub mod span;
pub mod template;
pub mod text;

#[cfg(test)]
mod tests;

pub use file::{DocId, FileId, Place, SourceFile};
pub use home::{BundleDirectory, BundleHome, BundleHomes, ImageBundle};
pub use meta::{Head, MetaError, MetaErrorKind};
pub use model::{AtImage, Catalog, Holds, ImageNote, Origin, Unread};
pub use names::{BundleName, ChannelName, PackageName};
pub use node::{Member, Node, Number, Value};
pub use span::{Span, Spanned};
pub use template::{Known, MadeFrom, Semver, Template, TemplateKind};
pub use text::{
    Text,
    read_error::{ReadError, ReadErrorKind},
    split::{Chunk, ChunkKind, Format},
};
