//! Edits as data, byte-exact splicing into YAML and JSON, history and atomic saving.

pub mod apply;
pub mod keep;
mod new_bundle;
pub mod operation;
mod repair;
pub mod replay;
pub mod rewrite;
pub mod save;
mod transfer;

pub use apply::{EditError, apply};
pub use new_bundle::Wanted;
pub use operation::{Edit, TemplateChange};
pub use replay::{Batch, Conflict, Recorded};
pub use transfer::transferred;
