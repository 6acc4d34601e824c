//! Edits as data, byte-exact splicing into YAML and JSON, history and atomic saving.

pub mod apply;
pub mod kept_parts;
mod new_bundle;
pub mod operation;
mod repair;
pub mod replay;
pub mod rewrite;
pub mod save;
mod transfer;

pub use apply::{EditError, apply_edit};
pub use new_bundle::ChannelPlacement;
pub use operation::{Edit, TemplateChange};
pub use replay::{Batch, Conflict, RecordedEdit};
pub use transfer::transfer_edit;
