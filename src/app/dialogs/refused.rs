//! Asking before a catalog is written that opm refuses, or of which files lose something.

use crate::app::dialogs::{Press, Then};
use crate::app::{
    actions,
    dialogs::state::{Overlay, Refused},
    keys::ActionId,
    shell::model::Model,
    work::opening::{Because, Writing},
};

pub(in crate::app) fn key(model: &mut Model, refused: Refused, press: Press) -> Then {
    match press {
        Press::Action(ActionId::WriteAnyway) => Then::Do(match refused.writing {
            Writing::InPlace => actions::write_in_place(model, matches!(refused.because, Because::Costs(_))),
            Writing::Elsewhere => actions::ask_where(model),
        }),
        Press::Action(ActionId::Cancel) => Then::Close,
        _ => Then::Stay(Overlay::Refused(refused)),
    }
}
