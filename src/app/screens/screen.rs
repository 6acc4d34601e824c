//! Interface of screens.

use crate::{
    app::{
        keys::{ActionId, spec::Enabled},
        parts::{hit::Hit, list::ListId, splits::Splitter, way::Way},
        session::{
            cx::{Cx, See},
            target::Target,
        },
        work::Answer,
    },
    edit::Edit,
};

/// State of a screen, with its handling of keys and the mouse. A screen does not know other screens
/// or dialogs; it requests changes of them through [`Cx`].
pub trait ScreenState {
    /// Checks if an own action is possible now. `None` if the screen does not implement the action.
    fn can(&self, _id: ActionId, _see: &See<'_>) -> Option<Enabled> {
        None
    }

    /// Runs an own action.
    fn act(&mut self, _id: ActionId, _cx: &mut Cx<'_>) {}

    /// Returns the target of shared actions: the highlighted item.
    fn target(&self, see: &See<'_>) -> Target {
        Target::selected(see.session)
    }

    /// Returns the action to run instead of another one. For example, Enter can write or open.
    fn instead(&self, id: ActionId, _see: &See<'_>) -> ActionId {
        id
    }

    /// Returns the focused list.
    fn list(&self, see: &See<'_>) -> ListId;

    /// Returns further lists whose cursor is kept visible.
    fn lists(&self) -> &'static [ListId] {
        &[]
    }

    /// Returns the number of rows of a list with a cursor.
    fn rows(&self, _list: ListId, _see: &See<'_>) -> usize {
        0
    }

    /// Returns the selected row of a list. `None` if the list does not show it.
    fn cursor(&self, _list: ListId, _see: &See<'_>) -> Option<usize> {
        None
    }

    /// Selects a row of a list.
    fn select(&mut self, _list: ListId, _row: usize, _cx: &mut Cx<'_>) {}

    /// Focuses the pane of a list.
    fn focus(&mut self, _list: ListId, _cx: &mut Cx<'_>) {}

    /// Opens the highlighted item.
    fn enter(&mut self, _cx: &mut Cx<'_>) {}

    /// Describes in two words what Enter does. `None` if it does nothing now.
    fn enters(&self, _see: &See<'_>) -> Option<&'static str> {
        None
    }

    /// Returns two related keys, with one word for what they move among.
    fn pair(&self) -> Option<([ActionId; 2], &'static str)> {
        None
    }

    /// Returns the count in the tab of the screen. 0 if there is nothing to count.
    fn count(&self, _see: &See<'_>) -> usize {
        0
    }

    /// Goes left, out of the highlighted item.
    fn out(&mut self, _cx: &mut Cx<'_>) {}

    /// Goes back within the screen. Returns false if there is nothing to go back from.
    fn back(&mut self, _cx: &mut Cx<'_>) -> bool {
        false
    }

    /// Focuses the next or previous pane.
    fn turn(&mut self, _by: isize, _cx: &mut Cx<'_>) {}

    /// Returns the splitter that resizes the focused pane, and whether the pane is before it.
    /// `None` if there is none.
    fn splitter(&self, _see: &See<'_>) -> Option<(Splitter, bool)> {
        None
    }

    /// Checks if the list can be sorted. `None` if the screen does not have its own orders.
    fn can_sort(&self, _see: &See<'_>) -> Option<Enabled> {
        None
    }

    /// Sorts the list by the next of the screen's own orders. Returns false if it has none.
    fn sort(&mut self, _cx: &mut Cx<'_>) -> bool {
        false
    }

    /// Checks if [`next_change`](Self::next_change) has rows to go to without a comparison or
    /// what-if.
    fn has_news(&self, see: &See<'_>) -> Enabled {
        let key = see.key(ActionId::CompareWith);
        Err(format!("no comparison is active: start one with {key}"))
    }

    /// Goes to the next change of a comparison or what-if, otherwise to the next notable row.
    /// Returns false if there is none.
    fn next_change(&mut self, _way: Way, _cx: &mut Cx<'_>) -> bool {
        false
    }

    /// Selects the item that an edit was about, if it is listed.
    fn edited(&mut self, _edit: &Edit, _cx: &mut Cx<'_>) {}

    /// Handles an event of the shell.
    fn answered(&mut self, _answer: Answer, _cx: &mut Cx<'_>) {}

    /// Handles a click outside of lists: on a field, column, box or channel.
    fn clicked(&mut self, _hit: Hit, _cx: &mut Cx<'_>) {}

    /// Describes what is drawn at a position of a clicked row, to show that instead of opening the
    /// row.
    fn pointed(&mut self, _list: ListId, _row: usize, _at: (u16, u16), _cx: &mut Cx<'_>) -> Option<String> {
        None
    }

    /// Recomputes derived state; cheap if nothing changed.
    fn settle(&mut self, see: &See<'_>);
}
