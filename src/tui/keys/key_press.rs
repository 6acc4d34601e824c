//! Key press as a dialog or a field receives it.

use super::{ActionId, Key};

/// Key press in a dialog.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeyPress {
    /// Key of an action.
    Action(ActionId),
    /// Any other key, such as a typed character.
    Key(Key),
}
