//! Dialog that asks for confirmation before unsaved edits are lost.

use super::dialog::{DialogState, Step};
use crate::app::{
    keys::{ActionId, Dialog, Press},
    session::cx::Cx,
    work::Flow,
};

/// State of the dialog.
#[derive(Debug)]
pub struct Leave;

impl DialogState for Leave {
    fn id(&self) -> Dialog {
        Dialog::Leave
    }

    fn press(&mut self, press: Press, cx: &mut Cx<'_>) -> Step {
        match press {
            Press::Action(ActionId::DiscardEdits) => cx.then.push(Flow::Leave),
            Press::Action(ActionId::ReviewFirst) => {
                let mut open = cx.session.open.iter();
                let unsaved = open.position(|open| open.history.unsaved(&open.baseline) > 0);
                cx.session.current = unsaved.unwrap_or(cx.session.current);
                cx.perform(ActionId::Review);
            }
            _ => return Step::Stay,
        }
        Step::Close
    }
}
