//! What the marks of the graph mean.

use super::dialog::{DialogState, Step};
use crate::app::{
    keys::{Dialog, Press},
    session::cx::Cx,
};

/// Nothing is to be done in it: any key takes it away.
#[derive(Debug)]
pub struct Legend;

impl DialogState for Legend {
    fn id(&self) -> Dialog {
        Dialog::Legend
    }

    fn press(&mut self, _press: Press, _cx: &mut Cx<'_>) -> Step {
        Step::Close
    }
}
