//! File-based catalogs of Operator Lifecycle Manager (OLM), read without loss.
//!
//! A file-based catalog is YAML or JSON with packages, channels and bundles. This crate reads it from disk, from
//! text or from a git revision. Every value knows its position in the file, and mistakes do not stop the reader.
//! Start with [`load::open_catalog`].
//!
//! | to | use |
//! |---|---|
//! | read a catalog from disk | [`load::open_catalog`] |
//! | read a catalog from text in memory | [`load::from_bytes`], [`load::from_texts`] |
//! | read a catalog from a git revision | [`load::git::open_revision`] |
//! | read changed files again | [`load::reload`] |
//! | list the packages | [`Catalog::packages`], [`Catalog::package`] |
//! | list channels, entries and bundles | [`package::Package`], [`blob::ChannelBlob`], [`blob::BundleBlob`] |
//! | get file, line and column of a value | [`Catalog::location`] |
//! | list the parts that cannot be read | [`Catalog::all_problems`] |
//! | get the fields by which consoles search and filter | [`console_fields::ConsoleFields`] |
//! | print text of a catalog | [`escape::escape_line`] |
//!
//! ```
//! use olm_catalog::load;
//!
//! let text = "\
//! schema: olm.package
//! name: ship
//! defaultChannel: stable
//! ---
//! schema: olm.channel
//! package: ship
//! name: stable
//! entries:
//! - name: ship.v1.0.0
//! - name: ship.v1.1.0
//!   replaces: ship.v1.0.0
//! ";
//! let catalog = load::from_bytes(text.as_bytes().to_vec());
//! let package = catalog.package("ship").ok_or("no such package")?;
//! let channel = package.channel("stable").ok_or("no such channel")?;
//!
//! // Every value knows its position.
//! let entry = channel.entries.last().ok_or("no entries")?;
//! assert_eq!(entry.name.value.as_str(), "ship.v1.1.0");
//! let location = catalog.location(channel.doc, entry.name.span).ok_or("no location")?;
//! assert_eq!((location.line, location.column), (10, 9));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Guarantees
//!
//! - **Reading does not stop at mistakes.** [`load::open_catalog`] fails only if there is nothing to read. Each
//!   mistake is a [`problem::Problem`] with its location, and the rest of the catalog is available.
//! - **A catalog is an immutable value.** A change creates a new catalog that shares the unchanged parts with the
//!   old one. Both can be compared, and any thread may hold one.
//! - **Nothing is lost.** Decoded values know their position ([`Span`]), and a file keeps its bytes
//!   ([`SourceFile::current_bytes`]).
//! - **Catalog text is data.** It may contain escape sequences and hidden characters. [`escape`] makes them visible.
//! - **Only [`load`] has side effects.** It reads files and runs `git`. It writes nothing.
//! - No input causes a panic. There is no unsafe code.
//!
//! # Terms
//!
//! A *package* is an operator, and a *bundle* is one version of it. A *channel* is a list of *entries*. An entry
//! names a bundle and the versions that can upgrade to it. A *head* is an entry that no other entry of its channel
//! replaces or skips. A *blob* is an object of a catalog. A *location* has file, line and column; a *span* has the
//! bytes in a document.

pub mod blob;
mod bundle_sources;
pub mod console_fields;
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
pub mod rendering;
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
