//! Language features for catalogs that are being edited: names under the cursor, completions, findings, and
//! edits as text edits. All functions are pure: they take text, a catalog and a position, and return values
//! of the language server protocol. `runtime` reads messages and files.
//!
//! - `text`: an open document, and positions in the encoding of the client.
//! - `address`: paths and the URIs of editors.
//! - `draft`: a catalog while some of its text cannot be read.
//! - `location`: conversion from catalog spans to positions.
//! - `names`: all occurrences of names of packages, channels and bundles.
//! - `hover`, `complete`, `navigate`, `outline`, `findings`: the answers.
//! - `rename`, `actions`, `changes`: edits, as text edits.

pub mod actions;
pub mod address;
pub mod changes;
pub mod complete;
pub mod draft;
pub mod findings;
pub mod hover;
pub mod location;
pub mod names;
pub mod navigate;
pub mod outline;
pub mod rename;
#[cfg(test)]
mod tests;
pub mod text;

pub use draft::DraftCatalog;
pub use text::{Encoding, TextDocument};
