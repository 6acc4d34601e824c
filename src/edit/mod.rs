//! Edits as data, byte-exact splicing into YAML and JSON, history and atomic saving.

pub mod rewrite;
pub mod save;
