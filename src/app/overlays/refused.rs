//! Asking before a catalog is written that opm refuses, or of which files lose something.

use super::{Press, Then};
use crate::app::{
    action::ActionId,
    actions,
    model::Model,
    overlay::{Because, Overlay, Refused, Writing},
};

pub(super) fn key(model: &mut Model, refused: Refused, press: Press) -> Then {
    match press {
        Press::Action(ActionId::WriteAnyway) => Then::Do(match refused.writing {
            Writing::InPlace => actions::write_in_place(model, matches!(refused.because, Because::Costs(_))),
            Writing::Elsewhere => actions::ask_where(model),
        }),
        Press::Action(ActionId::Cancel) => Then::Close,
        _ => Then::Stay(Overlay::Refused(refused)),
    }
}
