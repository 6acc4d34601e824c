//! Answering whether edits shall be made again, and reading which could not.

use crate::app::dialogs::{Press, Then, moves, page};
use crate::app::{
    dialogs::state::Overlay,
    keys::ActionId,
    session::{
        model::Model,
        recovery::{self, Conflicts, Question},
    },
    shell::{table as action, update},
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
            Then::Do(recovery::restore(model, catalog, left_over))
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
