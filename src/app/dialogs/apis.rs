//! Dialog with providers and users of APIs and packages in all open catalogs. The first level lists
//! APIs and packages, the second level the bundles that provide or require one of them.

use tui_input::Input;

use super::dialog::{DialogState, Rows, Step};
use crate::{
    app::{
        keys::{ActionId, Dialog, Press},
        parts::{
            field,
            list::passes,
            memo::{Memo, Same},
        },
        session::cx::{Cx, See},
        work::Jump,
    },
    catalog::blob::Thing,
    review::Snapshot,
    upgrade::apis::{Group, Index, Side, Usage},
};

/// State of the dialog.
#[derive(Debug, Default)]
pub struct Apis {
    /// Filter text.
    pub input: Input,
    /// Index of the selected row among the filtered rows.
    pub cursor: usize,
    index: Memo<Vec<Same<Snapshot>>, Index>,
    /// API or package whose providers and users are shown; `None` for the list of all.
    of: Option<Thing>,
    /// Filter text and row in the list of all, restored when the user goes back.
    above: Option<(Input, usize)>,
}

impl Apis {
    /// Opens the list of all, or the second level of one with the cursor on the given side.
    pub(in crate::app) fn new(of: Option<(Thing, Side)>, see: &See<'_>) -> Self {
        let (of, side) = of.unzip();
        let mut apis = Self { of, ..Self::default() };
        apis.settle(see);
        let first = apis.groups().position(|(at, _)| Some(at) == side);
        apis.cursor = first.unwrap_or_default();
        apis
    }

    /// Returns the number of APIs and packages.
    pub fn count(&self) -> usize {
        self.index.value.usages().len()
    }

    /// Returns the number of required APIs and packages without a provider.
    pub fn missing(&self) -> usize {
        self.index.value.usages().iter().take_while(|usage| usage.is_missing()).count()
    }

    /// Returns the APIs and packages that match the filter.
    pub fn left(&self) -> impl Iterator<Item = &Usage> {
        let typed = self.input.value();
        self.index.value.usages().iter().filter(move |usage| passes(typed, &usage.thing.to_string()))
    }

    /// Returns the API or package whose providers and users are shown.
    pub fn of(&self) -> Option<&Thing> {
        self.of.as_ref()
    }

    /// Returns the matching groups that provide or require the opened API or package.
    pub fn groups(&self) -> impl Iterator<Item = (Side, &Group)> {
        let typed = self.input.value();
        let usage = self.of.as_ref().and_then(|thing| self.index.value.usage(thing));
        let sides = [Side::Provided, Side::Required].into_iter();
        let all = sides.flat_map(move |side| {
            usage.into_iter().flat_map(move |usage| usage.side(side)).map(move |group| (side, group))
        });
        all.filter(move |(side, group)| {
            passes(typed, &format!("{} {} {}", side.as_str(), group.name(), group.what))
        })
    }

    /// Returns true if the user can go back to the list of all.
    pub fn came_from_all(&self) -> bool {
        self.above.is_some()
    }

    /// Opens the providers and users of the selected API or package.
    fn enter(&mut self) {
        let Some(thing) = self.left().nth(self.cursor).map(|usage| usage.thing.clone()) else { return };
        self.above = Some((std::mem::take(&mut self.input), self.cursor));
        self.of = Some(thing);
        self.cursor = 0;
    }
}

/// Returns a jump to the bundle with the highest version of the group.
pub(in crate::app) fn jump(group: &Group) -> Option<Jump> {
    let bundle = group.highest()?.name.value.clone();
    let package = group.name().clone();
    Some(Jump::Bundle { catalog: Some(group.catalog), package, channel: None, bundle })
}

impl DialogState for Apis {
    fn id(&self) -> Dialog {
        Dialog::Apis
    }

    fn press(&mut self, press: Press, cx: &mut Cx<'_>) -> Step {
        if press == Press::Action(ActionId::Accept) {
            if self.of.is_none() {
                self.enter();
                return Step::Stay;
            }
            let Some(jump) = self.groups().nth(self.cursor).and_then(|(_, group)| jump(group)) else {
                return Step::Stay;
            };
            cx.go(jump);
            return Step::Close;
        }
        if field::type_into(&mut self.input, press) {
            self.cursor = 0;
        }
        Step::Stay
    }

    fn field(&mut self) -> Option<&mut Input> {
        Some(&mut self.input)
    }

    fn rows(&self) -> Option<Rows> {
        let count = if self.of.is_some() { self.groups().count() } else { self.left().count() };
        Some(Rows { count, cursor: self.cursor })
    }

    fn set_cursor(&mut self, row: usize) {
        self.cursor = row;
    }

    fn click_accepts(&self) -> bool {
        true
    }

    /// Goes back to the list of all if the dialog was opened there.
    fn steps_back(&mut self) -> bool {
        let Some((input, cursor)) = self.above.take() else { return false };
        (self.input, self.cursor, self.of) = (input, cursor, None);
        true
    }

    /// Rebuilds the index if catalogs were edited or loaded.
    fn settle(&mut self, see: &See<'_>) {
        let states = see.session.open.iter().map(|open| Same::of(Some(open.now()))).collect();
        self.index.update(states, |states: &Vec<Same<Snapshot>>| {
            Index::of(states.iter().filter_map(Same::get).map(|state| &*state.catalog))
        });
        let count = self.rows().map_or(0, |rows| rows.count);
        self.cursor = self.cursor.min(count.saturating_sub(1));
    }
}
