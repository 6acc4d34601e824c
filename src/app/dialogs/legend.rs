//! Dialog that explains the symbols of the graph.

use super::dialog::{DialogState, Step};
use crate::app::{
    keys::{Dialog, Press},
    session::cx::Cx,
};

/// State of the dialog. Any key closes it.
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
