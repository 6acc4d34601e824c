//! Keys, action names, scopes of keys, and the keymap.

pub mod id;
pub mod key;
pub mod keymap;
pub mod scope;
pub mod spec;
#[cfg(test)]
mod tests;
mod validation;

pub use id::ActionId;
pub use key::{Key, KeyPress};
pub use keymap::Keymap;
pub use scope::{Dialog, Scope, Screen};
