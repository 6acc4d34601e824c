//! Catalogs: files, documents, decoded blobs, and their locations.

pub mod blob;
mod bundle_sources;
#[cfg(test)]
mod conformance_mutations;
pub mod decode;
pub mod details;
pub mod escape;
pub mod file;
pub mod icon;
pub mod image_ref;
pub mod lifecycle;
pub mod load;
pub mod meta;
pub mod model;
pub mod names;
pub mod node;
pub mod openshift;
pub mod package;
pub mod paths;
pub mod problem;
pub mod redact;
pub mod similar_names;
pub mod span;
pub mod template;
pub mod text;

#[cfg(test)]
mod tests;

pub use bundle_sources::{BundleDirectory, BundleSource, BundleSources, ImageBundle};
pub use file::{DocId, FileId, Location, SourceFile};
pub use meta::{CommonFields, MetaError, MetaErrorKind};
pub use model::{Catalog, ImageContent, ImageNote, ImageOrigin, MissingPart, Origin};
pub use names::{BundleName, ChannelName, PackageName};
pub use node::{Member, Node, Number, Value};
pub use span::{Span, Spanned};
pub use template::{KnownBundles, Semver, Template, TemplateKind, TemplateSource};
pub use text::{
    Text,
    split::{Chunk, ChunkKind, Format},
    yaml::{ReadError, ReadErrorKind},
};
