//! Trying out ranges.

use crate::app::dialogs::{Press, Then, moves, page};
use crate::app::{
    dialogs::{range_state::RangeTester, state::Overlay},
    keys::ActionId,
    parts::field,
    shell::model::Model,
};

pub(in crate::app) fn key(model: &mut Model, mut tester: Box<RangeTester>, press: Press) -> Then {
    if matches!(press, Press::Action(ActionId::Cancel | ActionId::Accept)) {
        return Then::Close;
    }
    let rows = tester.rows.len();
    if !moves(&mut tester.cursor, rows, page(model), press) && field::type_into(&mut tester.input, press) {
        tester.refresh(model);
    }
    Then::Stay(Overlay::Range(tester))
}
