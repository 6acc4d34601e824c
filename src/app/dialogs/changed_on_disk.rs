//! A file is no longer what was loaded, so nothing was written: asking whether it is to be read again.

use super::dialog::{DialogState, Step};
use crate::app::{
    keys::{ActionId, Dialog, Press},
    session::cx::Cx,
};

/// The question.
#[derive(Debug)]
pub struct ChangedOnDisk {
    /// Which file, in words.
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
