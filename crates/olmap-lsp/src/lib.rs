//! Language server for file-based catalogs of Operator Lifecycle Manager (OLM), without the transport.
//!
//! All functions are pure. They take the text of a document, a catalog and a position, and return values of the
//! language server protocol. The caller reads the messages and the files. Start with [`DraftCatalog`]: a catalog
//! that the user is editing.
//!
//! | to | use |
//! |---|---|
//! | keep the text of an open document | [`TextDocument`], [`Encoding`] |
//! | keep the catalog while the user types | [`DraftCatalog::type_text`] |
//! | complete fields and names | [`complete::completions_at`] |
//! | show the next upgrade of each entry | [`inlay::inlay_hints`] |
//! | describe the name at the cursor | [`hover::hover_at`] |
//! | go to a definition, or list references | [`navigate::find_definition`], [`navigate::find_references`] |
//! | highlight a name, and search names | [`navigate::document_highlights`], [`symbols::workspace_symbols`] |
//! | link images, and expand a selection | [`links::document_links`], [`selection::selection_ranges`] |
//! | list symbols and folding ranges | [`outline::document_symbols`], [`outline::folding_ranges`] |
//! | publish findings, and offer fixes | [`findings::diagnostics_by_file`], [`actions::code_actions`] |
//! | fix all spelling mistakes, and accept findings | [`actions::fix_all_action`], [`accept::accept_actions`] |
//! | release, add, remove and deprecate bundles | [`refactors::refactor_actions`] |
//! | rename a channel or a bundle | [`rename::prepare_rename`], [`rename::rename_at`] |
//! | turn an edit of a catalog into text edits | [`changes::diff_catalogs`] |
//! | convert paths and positions | [`address`], [`location`] |
//!
//! ```
//! use std::sync::Arc;
//!
//! use olm_catalog::{FileId, load};
//! use olmap_lsp::{DraftCatalog, Encoding, TextDocument, complete::completions_at};
//!
//! let text = "\
//! schema: olm.channel
//! package: ship
//! name: stable
//! entries:
//! - name: ship.v1.0.0
//! ---
//! schema: olm.package
//! name: ship
//! defaultChannel: ";
//! let draft = DraftCatalog::new(Arc::new(load::from_bytes(text.as_bytes().to_vec())));
//! let document = TextDocument::new(text);
//! let cursor = document.position(Encoding::Utf16, text.len());
//!
//! let items = completions_at(&draft, (FileId(0), &document), cursor, (Encoding::Utf16, false));
//! assert!(items.iter().any(|item| item.label == "stable"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Guarantees
//!
//! - **Broken text still has answers.** While a document cannot be parsed, names are looked up in its last valid
//!   text ([`DraftCatalog::last_valid`]). Positions refer to the current text.
//! - **Answers are those of the other crates.** Hovers use the resolvers of [`olm_upgrade`], and findings are those
//!   of [`olm_check`].
//! - **A rename or a fix changes only what it must.** It is an edit of [`olm_edit`], sent as text edits.
//! - No text and no position causes a panic. There is no unsafe code and no I/O.

pub mod accept;
pub mod actions;
pub mod address;
pub mod changes;
pub mod complete;
pub mod draft;
pub mod findings;
mod graphs;
pub mod hover;
pub mod inlay;
pub mod links;
pub mod location;
pub mod names;
pub mod navigate;
pub mod outline;
pub mod refactors;
pub mod rename;
pub mod selection;
pub mod symbols;
#[cfg(test)]
mod tests;
pub mod text;

pub use draft::DraftCatalog;
pub use text::{Encoding, TextDocument};
