//! Keys, action names, scopes of keys, and the keymap.

pub mod id;
pub mod key;
pub mod key_press;
pub mod keymap;
pub mod scope;
pub mod spec;
#[cfg(test)]
mod tests;
mod validation;

pub use id::ActionId;
pub use key::Key;
pub use key_press::KeyPress;
pub use keymap::Keymap;
pub use scope::{Dialog, Scope, Screen};
