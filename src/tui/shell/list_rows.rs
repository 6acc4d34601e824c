//! Rows of lists: count, cursor and selection.

use crate::tui::{
    dialogs::dialog::RowCursor,
    parts::list::{self, ListId},
    shell::model::Model,
    work::Effect,
};

impl Model {
    /// Returns the rows of a dialog, by its index in the stack.
    fn dialog_rows(&self, below: usize) -> Option<RowCursor> {
        self.dialogs.get(below)?.row_cursor()
    }

    /// Returns the number of rows of a list.
    pub fn row_count(&self, id: ListId) -> usize {
        match id {
            ListId::Dialog(below) => self.dialog_rows(below).map_or(0, |rows| rows.count),
            id if !id.has_cursor() => self.frame.hits.drawn_list(id).map_or(0, |drawn| drawn.rows),
            id => self.visible_screen().row_count(id, &self.view()),
        }
    }

    /// Returns the selected row of a list. `None` if the list does not show it.
    pub fn list_cursor(&self, id: ListId) -> Option<usize> {
        match id {
            ListId::Dialog(below) => Some(self.dialog_rows(below)?.cursor),
            id if !id.has_cursor() => None,
            id => self.visible_screen().list_cursor(id, &self.view()),
        }
    }

    /// Selects a row of a list, or scrolls a list without a cursor.
    pub(in crate::tui) fn select_row(&mut self, id: ListId, row: usize) -> Vec<Effect> {
        match id {
            ListId::Dialog(below) => {
                if let Some(dialog) = self.dialogs.get_mut(below) {
                    dialog.set_cursor(row);
                }
                Vec::new()
            }
            id if !id.has_cursor() => {
                self.session.lists.set_first_row(id, row);
                Vec::new()
            }
            id => self.with_screen(|screen, cx| screen.select_row(id, row, cx)).1,
        }
    }

    /// Moves the cursor of a list, or scrolls a list without a cursor.
    pub(in crate::tui) fn move_in_list(&mut self, id: ListId, by: isize) -> Vec<Effect> {
        if !id.has_cursor() {
            // Only the last frame knows the length of such a list.
            let height = self.frame.hits.drawn_list(id).map_or(1, |l| usize::from(l.area.height));
            let last = self.frame.hits.drawn_list(id).map_or(0, |l| l.rows.saturating_sub(height));
            let first = self.session.lists.first_row(id).saturating_add_signed(by).min(last);
            self.session.lists.set_first_row(id, first);
            return Vec::new();
        }
        let rows = self.row_count(id);
        let Some(last) = rows.checked_sub(1) else { return Vec::new() };
        // If a filter hides the selection, every move starts at the top.
        let row = self.list_cursor(id).map_or(0, |cursor| cursor.saturating_add_signed(by).min(last));
        self.select_row(id, row)
    }

    /// Scrolls a list so that its cursor is visible, with the height of the last frame.
    pub(in crate::tui) fn scroll_to_cursor(&mut self, id: ListId) {
        // A list that was not drawn yet does not have a height. Its first frame scrolls it.
        let Some(drawn) = self.frame.hits.drawn_list(id).filter(|_| id.has_cursor()) else { return };
        let height = usize::from(drawn.area.height);
        let cursor = self.list_cursor(id).unwrap_or_default();
        let first =
            list::first_visible_row(self.session.lists.first_row(id), cursor, height, self.row_count(id));
        self.session.lists.set_first_row(id, first);
    }
}
