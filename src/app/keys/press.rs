//! A key as a dialog or a field gets it.

use super::{ActionId, Key};

/// A key that was pressed, as far as the dialog is concerned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Press {
    /// It is that of an action.
    Action(ActionId),
    /// It is typed.
    Key(Key),
}
