//! The cursor of a dialog with rows.

use crate::app::{
    keys::{ActionId, Press},
    parts::{frame::Frame, list::ListId},
};

/// Moves the cursor; whether the key does that.
pub(in crate::app) fn moves(cursor: &mut usize, rows: usize, page: usize, press: Press) -> bool {
    let last = rows.saturating_sub(1);
    *cursor = match press {
        Press::Action(ActionId::RowDown) => cursor.saturating_add(1).min(last),
        Press::Action(ActionId::RowUp) => cursor.saturating_sub(1),
        Press::Action(ActionId::RowPageDown) => cursor.saturating_add(page).min(last),
        Press::Action(ActionId::RowPageUp) => cursor.saturating_sub(page),
        Press::Action(ActionId::RowFirst) => 0,
        Press::Action(ActionId::RowLast) => last,
        Press::Action(_) | Press::Key(_) => return false,
    };
    true
}

/// How many rows a page has.
pub(in crate::app) fn page(frame: &Frame) -> usize {
    frame.hits.list(ListId::Overlay).map_or(5, |list| usize::from(list.area.height)).max(1)
}
