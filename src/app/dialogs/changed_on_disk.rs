//! Dialog that offers to reload after a save was refused because a file changed on disk.

use super::dialog::{DialogState, Step};
use crate::app::{
    keys::{ActionId, Dialog, Press},
    session::cx::Cx,
};

/// State of the dialog.
#[derive(Debug)]
pub struct ChangedOnDisk {
    /// Message that names the file.
    pub message: String,
}

impl DialogState for ChangedOnDisk {
    fn id(&self) -> Dialog {
        Dialog::ChangedOnDisk
    }

    fn press(&mut self, press: Press, cx: &mut Cx<'_>) -> Step {
        match press {
            Press::Action(ActionId::Accept) => cx.perform(ActionId::Reload),
            _ => return Step::Stay,
        }
        Step::Close
    }
}
