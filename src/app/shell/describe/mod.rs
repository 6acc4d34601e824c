//! What the action table and the options say of themselves: lists of keys, and a configuration that has it all in it.

mod configuration;
mod keys;
#[cfg(test)]
mod tests;

pub use configuration::{configuration_document, printed, schema};
pub use keys::{Group, document, groups, json, text};
