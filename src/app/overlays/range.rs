//! Trying out ranges.

use ratatui::crossterm::event::KeyCode;

use super::{Then, moves, page};
use crate::app::{edit_flow, keys::Key, model::Model, overlay::Overlay, range_tester::RangeTester};

pub(super) fn key(model: &mut Model, mut tester: Box<RangeTester>, key: Key) -> Then {
    if matches!(key.code, KeyCode::Esc | KeyCode::Enter) {
        return Then::Close;
    }
    let rows = tester.rows.len();
    if !moves(&mut tester.cursor, rows, page(model), key) && edit_flow::type_into(&mut tester.input, key) {
        tester.refresh(model);
    }
    Then::Stay(Overlay::Range(tester))
}
