//! Choosing one of a few ways.

use crate::app::dialogs::{Press, Then, moves, page};
use crate::app::{
    dialogs::{choose_state::Choose, state::Overlay},
    keys::ActionId,
    session::{editing as edit_flow, model::Model},
};

pub(in crate::app) fn key(model: &mut Model, mut choice: Box<Choose>, press: Press) -> Then {
    match press {
        Press::Action(ActionId::Cancel) => return Then::Close,
        Press::Action(ActionId::Accept) => {
            if let Some(question) = choice.question(model) {
                return Then::Stay(Overlay::Ask(Box::new(question)));
            }
            let Some(Ok(outcome)) = choice.preview.clone() else {
                return Then::Stay(Overlay::Choose(choice));
            };
            edit_flow::keep(model, choice.purpose, &outcome);
            return Then::Close;
        }
        _ => {
            moves(&mut choice.cursor, choice.ways.len(), page(model), press);
        }
    }
    Then::Stay(Overlay::Choose(choice))
}
