//! Asking before a catalog is written that opm refuses, or of which files lose something.

use super::dialog::{DialogState, Step};
use crate::app::{
    keys::{ActionId, Dialog, Press},
    session::cx::Cx,
    work::{
        Flow,
        opening::{Because, Writing},
    },
};

/// The question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refused {
    /// What speaks against it.
    pub because: Because,
    /// What was asked for.
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
