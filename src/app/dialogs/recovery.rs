//! Answering whether edits shall be made again, and reading which could not.

use crate::app::dialogs::{Press, Then, moves, page};
use crate::app::work::outcome::LeftOver;
use crate::app::{
    dialogs::state::Overlay,
    keys::ActionId,
    session::recovery,
    shell::{model::Model, table as action, update},
    work::Effect,
};

pub(in crate::app) fn answer(model: &mut Model, question: Question, press: Press) -> Then {
    match (question, press) {
        (Question::ChangedOnDisk { .. }, Press::Action(ActionId::Accept)) => {
            match action::table().find(ActionId::Reload) {
                Some(spec) => Then::Do(update::perform(model, spec)),
                None => Then::Close,
            }
        }
        (Question::ChangedOnDisk { .. }, Press::Action(ActionId::Cancel)) => Then::Close,
        (Question::Restore { catalog, left_over }, Press::Action(ActionId::Accept)) => {
            Then::Do(model.with(|cx| recovery::restore(cx, catalog, left_over)))
        }
        (Question::Restore { left_over, .. }, Press::Action(ActionId::ForgetEdits)) => {
            model.notices.done("the edits from before are forgotten");
            Then::Do(vec![Effect::Forget { journal: left_over.journal }])
        }
        (Question::Restore { .. }, Press::Action(ActionId::Cancel)) => {
            model.notices.done("the edits from before are kept: they are offered again at the next start");
            Then::Close
        }
        (question, _) => Then::Stay(Overlay::Question(question)),
    }
}

pub(in crate::app) fn read(model: &Model, mut conflicts: Conflicts, press: Press) -> Then {
    match press {
        Press::Action(ActionId::Cancel | ActionId::Accept) => return Then::Close,
        _ => {
            moves(&mut conflicts.cursor, conflicts.refused.len(), page(model), press);
        }
    }
    Then::Stay(Overlay::Conflicts(conflicts))
}

/// Asks whether edits shall be made again.
#[derive(Debug)]
pub enum Question {
    /// A file is no longer what was loaded, so nothing was written.
    ChangedOnDisk {
        /// Which file, in words.
        message: String,
    },
    /// There are edits from before a crash.
    Restore {
        /// The catalog.
        catalog: usize,
        /// The edits.
        left_over: LeftOver,
    },
}

/// Edits that could not be made again.
#[derive(Debug)]
pub struct Conflicts {
    /// How many could.
    pub made: usize,
    /// The others, each with why.
    pub refused: Vec<(String, String)>,
    /// The row.
    pub cursor: usize,
}
