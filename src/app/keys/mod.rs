//! Keys, action names, scopes of keys, and the keymap.

pub mod id;
mod judge;
pub mod key;
pub mod keymap;
pub mod press;
pub mod scope;
pub mod spec;
#[cfg(test)]
mod tests;

pub use id::ActionId;
pub use key::Key;
pub use keymap::Keymap;
pub use press::Press;
pub use scope::{Dialog, Scope, Screen};
