//! Dialog that asks before a save that opm refuses or that loses part of a file.

use super::dialog::{DialogState, Step};
use crate::app::{
    keys::{ActionId, Dialog, Press},
    session::cx::Cx,
    work::{
        Flow,
        opening::{Because, Writing},
    },
};

/// State of the dialog.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refused {
    /// Objection to the save.
    pub because: Because,
    /// Requested save.
    pub writing: Writing,
}

impl DialogState for Refused {
    fn id(&self) -> Dialog {
        Dialog::Refused
    }

    fn press(&mut self, press: Press, cx: &mut Cx<'_>) -> Step {
        match press {
            Press::Action(ActionId::WriteAnyway) => {
                let knowing = matches!(self.because, Because::Costs(_));
                cx.then.push(Flow::Write { writing: self.writing, knowing });
            }
            _ => return Step::Stay,
        }
        Step::Close
    }
}
