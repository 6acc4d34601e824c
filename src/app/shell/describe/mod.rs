//! Descriptions of the action table and the options: key lists, and a complete configuration.

mod configuration;
mod keys;
#[cfg(test)]
mod tests;

pub use configuration::{configuration_document, printed, schema};
pub use keys::{Group, document, groups, json, text};
