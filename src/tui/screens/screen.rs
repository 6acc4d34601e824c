//! Interface of screens.

use std::ops::Deref;

use crate::tui::{
    keys::{ActionId, spec::Enabled},
    parts::{
        frame::{Hit, Splitter},
        list::{Direction, ListId},
    },
    session::{
        action::Target,
        context::{Context, ViewContext},
    },
    widgets::{
        canvas::{Canvas, ListView, Rect},
        lists,
    },
    work::ScreenEvent,
};
use olm_edit::Edit;

/// State of a screen, with its handling of keys and the mouse. A screen does not know other screens
/// or dialogs; it requests changes of them through [`Context`].
pub trait ScreenState {
    /// Checks if an own action is possible now. `None` if the screen does not implement the action.
    fn check_action(&self, _id: ActionId, _see: &ViewContext<'_>) -> Option<Enabled> {
        None
    }

    /// Runs an own action.
    fn run_action(&mut self, _id: ActionId, _cx: &mut Context<'_>) {}

    /// Returns the target of shared actions: the highlighted item.
    fn target(&self, view_cx: &ViewContext<'_>) -> Target {
        Target::from_selection(view_cx.session.selection())
    }

    /// Returns the action to run instead of another one. For example, Enter can write or open.
    fn replacement_action(&self, id: ActionId, _see: &ViewContext<'_>) -> ActionId {
        id
    }

    /// Returns the focused list.
    fn focused_list(&self, view_cx: &ViewContext<'_>) -> ListId;

    /// Returns further lists whose cursor is kept visible.
    fn scrolled_lists(&self) -> &'static [ListId] {
        &[]
    }

    /// Returns the number of rows of a list with a cursor.
    fn row_count(&self, _list: ListId, _see: &ViewContext<'_>) -> usize {
        0
    }

    /// Returns true if a filter hides all rows of a list.
    fn hides_all_rows(&self, list: ListId, view_cx: &ViewContext<'_>) -> bool {
        !view_cx.session.lists.filter(list).is_empty() && self.row_count(list, view_cx) == 0
    }

    /// Returns the selected row of a list. `None` if the list does not show it.
    fn list_cursor(&self, _list: ListId, _see: &ViewContext<'_>) -> Option<usize> {
        None
    }

    /// Selects a row of a list.
    fn select_row(&mut self, _list: ListId, _row: usize, _cx: &mut Context<'_>) {}

    /// Focuses the pane of a list.
    fn focus_list(&mut self, _list: ListId, _cx: &mut Context<'_>) {}

    /// Opens the highlighted item.
    fn open_highlighted(&mut self, _cx: &mut Context<'_>) {}

    /// Describes in two words what Enter does. `None` if it does nothing now.
    fn describe_enter(&self, _see: &ViewContext<'_>) -> Option<&'static str> {
        None
    }

    /// Returns two keys for the hint bar, with the noun for what they step through.
    fn paired_keys(&self) -> Option<([ActionId; 2], &'static str)> {
        None
    }

    /// Returns the count in the tab of the screen. 0 if there is nothing to count.
    fn tab_count(&self, _see: &ViewContext<'_>) -> usize {
        0
    }

    /// Moves the focus to the left, out of the highlighted item.
    fn go_out(&mut self, _cx: &mut Context<'_>) {}

    /// Goes back within the screen. Returns false if there is nothing to go back from.
    fn go_back(&mut self, _cx: &mut Context<'_>) -> bool {
        false
    }

    /// Focuses the next pane, or the previous one if `_by` is negative.
    fn focus_next_pane(&mut self, _by: isize, _cx: &mut Context<'_>) {}

    /// Returns the splitter that resizes the focused pane, and whether the pane is before it.
    /// `None` if there is none.
    fn splitter(&self, _see: &ViewContext<'_>) -> Option<(Splitter, bool)> {
        None
    }

    /// Checks if the list can be sorted. `None` if the screen does not have its own orders.
    fn can_sort(&self, _see: &ViewContext<'_>) -> Option<Enabled> {
        None
    }

    /// Sorts the list by the next of the screen's own orders. Returns false if it has none.
    fn sort_by_next_order(&mut self, _cx: &mut Context<'_>) -> bool {
        false
    }

    /// Checks if [`next_change`](Self::next_change) has rows to go to without a comparison or
    /// what-if.
    fn check_next_change(&self, view_cx: &ViewContext<'_>) -> Enabled {
        let key = view_cx.key_label(ActionId::CompareWith);
        Err(format!("no comparison is active: start one with {key}"))
    }

    /// Goes to the next change of a comparison or what-if, otherwise to the next notable row.
    /// Returns false if there is none.
    fn next_change(&mut self, _direction: Direction, _cx: &mut Context<'_>) -> bool {
        false
    }

    /// Selects the item that an edit was about, if it is listed.
    fn follow_edit(&mut self, _edit: &Edit, _cx: &mut Context<'_>) {}

    /// Handles an event of the shell.
    fn handle_event(&mut self, _event: ScreenEvent, _cx: &mut Context<'_>) {}

    /// Handles a click outside of lists: on a field, column, box or channel.
    fn handle_click(&mut self, _hit: Hit, _cx: &mut Context<'_>) {}

    /// Describes what is drawn at the clicked position of a row. The description is shown as a
    /// notice, and the row is not opened.
    fn describe_position(
        &mut self,
        _list: ListId,
        _row: usize,
        _at: (u16, u16),
        _cx: &mut Context<'_>,
    ) -> Option<String> {
        None
    }

    /// Recomputes derived state; cheap if nothing changed.
    fn update_derived(&mut self, view_cx: &ViewContext<'_>);

    /// Draws the screen.
    fn draw(&self, view_cx: &ViewContext<'_>, canvas: &mut Canvas<'_>, area: Rect);
}

/// Screen that is being drawn, with the context of all views, which it dereferences to.
#[derive(Debug)]
pub struct ScreenView<'a, S> {
    /// State of the screen.
    pub state: &'a S,
    context: ViewContext<'a>,
}

impl<'a, S> Deref for ScreenView<'a, S> {
    type Target = ViewContext<'a>;

    fn deref(&self) -> &Self::Target {
        &self.context
    }
}

impl<'a, S: ScreenState> ScreenView<'a, S> {
    /// Combines the state of a screen and its context.
    pub fn new(state: &'a S, context: &ViewContext<'a>) -> Self {
        Self { state, context: *context }
    }

    /// Draws the line to the explanation at the right of a wide terminal. Returns the areas before
    /// and behind it; `None` if the explanation is below.
    pub fn split_side_pane(
        &self,
        canvas: &mut Canvas<'_>,
        area: Rect,
        splitter: Splitter,
    ) -> Option<(Rect, Rect)> {
        if !self.frame.has_side_pane() {
            return None;
        }
        Some(canvas.draw_side_splitter(area, splitter, self.frame.columns_before_side(splitter)))
    }

    /// Returns the selected row of a list. `None` if the list does not show it.
    pub fn list_cursor(&self, list: ListId) -> Option<usize> {
        self.state.list_cursor(list, &self.context)
    }

    /// Returns true if a filter hides all rows of a list.
    pub fn hides_all_rows(&self, list: ListId) -> bool {
        self.state.hides_all_rows(list, &self.context)
    }

    /// Returns the properties for drawing a list of the screen.
    pub fn list_view(&self, canvas: &Canvas<'_>, list: ListId) -> ListView {
        let rows = self.state.row_count(list, &self.context);
        lists::list_view(&self.context, canvas, list, rows, self.list_cursor(list))
    }
}
