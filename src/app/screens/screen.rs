//! What every screen can be asked.

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

/// A screen: its own state, and what keys and the mouse do with it. It knows no other screen and no dialog: what it wants
/// of them it says by [`Cx`].
pub trait ScreenState {
    /// Whether one of its own actions can be done now; `None` where it has no say in the action.
    fn can(&self, _id: ActionId, _see: &See<'_>) -> Option<Enabled> {
        None
    }

    /// Does one of its own actions.
    fn act(&mut self, _id: ActionId, _cx: &mut Cx<'_>) {}

    /// What shared actions mean here: what is highlighted.
    fn target(&self, see: &See<'_>) -> Target {
        Target::selected(see.session)
    }

    /// What is done in place of an action of the shell or another one of its own: as Enter that writes, or goes in.
    fn instead(&self, id: ActionId, _see: &See<'_>) -> ActionId {
        id
    }

    /// The list that has the keys.
    fn list(&self, see: &See<'_>) -> ListId;

    /// Its lists of which the cursor is kept in sight, besides the one that has the keys.
    fn lists(&self) -> &'static [ListId] {
        &[]
    }

    /// How many rows a list with a cursor has.
    fn rows(&self, _list: ListId, _see: &See<'_>) -> usize {
        0
    }

    /// The row of a list that is selected; `None` where that is not among its rows.
    fn cursor(&self, _list: ListId, _see: &See<'_>) -> Option<usize> {
        None
    }

    /// Selects a row of a list.
    fn select(&mut self, _list: ListId, _row: usize, _cx: &mut Cx<'_>) {}

    /// Gives the keys to the pane a list is in.
    fn focus(&mut self, _list: ListId, _cx: &mut Cx<'_>) {}

    /// Goes into what is highlighted.
    fn enter(&mut self, _cx: &mut Cx<'_>) {}

    /// What going in does, in two words; `None` where it does nothing now.
    fn enters(&self, _see: &See<'_>) -> Option<&'static str> {
        None
    }

    /// Two keys that belong together, and what they move among in one word.
    fn pair(&self) -> Option<([ActionId; 2], &'static str)> {
        None
    }

    /// What its tab counts; 0 where there is nothing to count.
    fn count(&self, _see: &See<'_>) -> usize {
        0
    }

    /// Goes out to the left.
    fn out(&mut self, _cx: &mut Cx<'_>) {}

    /// Goes back within the screen; whether there was something to go back from.
    fn back(&mut self, _cx: &mut Cx<'_>) -> bool {
        false
    }

    /// Gives the keys to the next pane, or the one before.
    fn turn(&mut self, _by: isize, _cx: &mut Cx<'_>) {}

    /// The line that is moved to give the pane with the keys more room, and whether that pane lies before it; `None` where there is none.
    fn splitter(&self, _see: &See<'_>) -> Option<(Splitter, bool)> {
        None
    }

    /// Whether its list can be sorted, where it has orders of its own.
    fn can_sort(&self, _see: &See<'_>) -> Option<Enabled> {
        None
    }

    /// Sorts its list by the next of its own orders; whether it has any.
    fn sort(&mut self, _cx: &mut Cx<'_>) -> bool {
        false
    }

    /// Whether there is something that [`next_change`](Self::next_change) goes to though nothing is compared or supposed.
    fn has_news(&self, see: &See<'_>) -> Enabled {
        let key = see.key(ActionId::CompareWith);
        Err(format!("no comparison is active: start one with {key}"))
    }

    /// Goes to the next thing that differs while one compares or supposes, else to what is to be said; whether there was one.
    fn next_change(&mut self, _way: Way, _cx: &mut Cx<'_>) -> bool {
        false
    }

    /// An edit was made: selects what it is about, where that is known.
    fn edited(&mut self, _edit: &Edit, _cx: &mut Cx<'_>) {}

    /// Is told something that was asked for.
    fn answered(&mut self, _answer: Answer, _cx: &mut Cx<'_>) {}

    /// Something on it was clicked that is no list: a field, a column, a box, a channel.
    fn clicked(&mut self, _hit: Hit, _cx: &mut Cx<'_>) {}

    /// A row of a list was clicked in a column of the terminal: what to say of what is drawn there, in place of going in.
    fn pointed(&mut self, _list: ListId, _row: usize, _at: (u16, u16), _cx: &mut Cx<'_>) -> Option<String> {
        None
    }

    /// Makes what it shows true again. Cheap where nothing changed.
    fn settle(&mut self, see: &See<'_>);
}
