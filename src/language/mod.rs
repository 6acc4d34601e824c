//! What an editor is told of a catalog that is being written: names under the cursor, completions, findings, edits as
//! replaced text. Everything here is pure: text, catalog and position in, values of the language server protocol out. Who
//! reads messages and files is in `runtime`.
//!
//! - `text`: an open document, and positions in the encoding of the client.
//! - `address`: paths and the URIs of editors.
//! - `draft`: a catalog while some of its text cannot be read.
//! - `spot`: from places of a catalog to positions.
//! - `names`: every place where a package, channel or bundle is named.
//! - `hover`, `complete`, `navigate`, `outline`, `findings`: the answers.
//! - `rename`, `actions`, `changes`: edits, as text that is replaced.

pub mod actions;
pub mod address;
pub mod changes;
pub mod complete;
pub mod draft;
pub mod findings;
pub mod hover;
pub mod names;
pub mod navigate;
pub mod outline;
pub mod rename;
pub mod spot;
#[cfg(test)]
mod tests;
pub mod text;

pub use draft::Draft;
pub use text::{Encoding, Paper};
