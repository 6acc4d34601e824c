//! Choosing what to compare with.

use crate::app::dialogs::{Press, Then, moves, page, prompt};
use crate::app::{
    dialogs::{
        against_state::{Choice, Then as Way},
        state::Overlay,
    },
    keys::ActionId,
    session::against,
    shell::model::Model,
    work::opening::PromptPurpose,
};

pub(in crate::app) fn key(model: &mut Model, mut choice: Box<Choice>, press: Press) -> Then {
    let ask = |model: &Model, title, purpose| Then::Stay(prompt::open(model, title, purpose, String::new()));
    match press {
        Press::Action(ActionId::Cancel) => return Then::Close,
        Press::Action(ActionId::Accept) => {
            return match choice.ways.get(choice.cursor).map(|way| way.then.clone()) {
                Some(Ok(Way::End)) => Then::Do(model.with(|cx| against::choose(cx, None))),
                Some(Ok(Way::Base(base))) => Then::Do(model.with(|cx| against::choose(cx, Some(base)))),
                Some(Ok(Way::AskRevision)) => {
                    ask(model, "Revision to compare with: a branch, a tag, a commit", PromptPurpose::Revision)
                }
                Some(Ok(Way::AskPath)) => {
                    ask(model, "Catalog to compare with: a directory or file", PromptPurpose::BasePath)
                }
                // Why not stands in the box.
                Some(Err(_)) | None => Then::Stay(Overlay::Against(choice)),
            };
        }
        _ => {
            moves(&mut choice.cursor, choice.ways.len(), page(model), press);
        }
    }
    Then::Stay(Overlay::Against(choice))
}
