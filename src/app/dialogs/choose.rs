//! Choosing one of a few ways.

use crate::app::dialogs::{Press, Then, moves, page};
use crate::app::shell::keeping;
use crate::app::{
    dialogs::{choose_state::Choose, state::Overlay},
    keys::ActionId,
    shell::model::Model,
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
            return Then::Do(keeping::keep(model, choice.purpose, &outcome));
        }
        _ => {
            moves(&mut choice.cursor, choice.ways.len(), page(model), press);
        }
    }
    Then::Stay(Overlay::Choose(choice))
}
