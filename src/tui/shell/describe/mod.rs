//! Descriptions of the action table and the options: key lists, and a complete configuration.

mod configuration;
mod keys;
#[cfg(test)]
mod tests;

pub use configuration::{configuration_schema, render_configuration, render_configuration_document};
pub use keys::{ActionGroup, action_groups, keys_json, render_keys_document, render_keys_text};
