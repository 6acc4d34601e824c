//! Trying out ranges.

use super::{Press, Then, moves, page};
use crate::app::{action::ActionId, field, model::Model, overlay::Overlay, range_tester::RangeTester};

pub(super) fn key(model: &mut Model, mut tester: Box<RangeTester>, press: Press) -> Then {
    if matches!(press, Press::Action(ActionId::Cancel | ActionId::Accept)) {
        return Then::Close;
    }
    let rows = tester.rows.len();
    if !moves(&mut tester.cursor, rows, page(model), press) && field::type_into(&mut tester.input, press) {
        tester.refresh(model);
    }
    Then::Stay(Overlay::Range(tester))
}
