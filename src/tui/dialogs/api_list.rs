//! Dialog with providers and users of APIs and packages in all open catalogs. The first level lists
//! APIs and packages, the second level the bundles that provide or require one of them.

use tui_input::Input;

use super::dialog::{DialogState, DialogStep, RowCursor};
use crate::tui::{
    keys::{ActionId, Dialog, KeyPress},
    parts::{
        field,
        list::passes_filter,
        memo::{Memo, SharedRef},
    },
    session::context::{Context, ViewContext},
    work::Jump,
};
use olm_catalog::blob::DependencyTarget;
use olm_check::review::Snapshot;
use olm_upgrade::apis::{DependencyGroup, DependencyIndex, Side, Usage};

/// State of the dialog.
#[derive(Debug, Default)]
pub struct ApiList {
    /// Filter text.
    pub input: Input,
    /// Index of the selected row among the filtered rows.
    pub cursor: usize,
    index: Memo<Vec<SharedRef<Snapshot>>, DependencyIndex>,
    /// API or package whose providers and users are shown; `None` for the list of all.
    opened_thing: Option<DependencyTarget>,
    /// Filter text and row in the list of all, restored when the user goes back.
    list_state: Option<(Input, usize)>,
}

impl ApiList {
    /// Opens the list of all, or the second level of one with the cursor on the given side.
    pub(in crate::tui) fn new(of: Option<(DependencyTarget, Side)>, view_cx: &ViewContext<'_>) -> Self {
        let (of, side) = of.unzip();
        let mut apis = Self { opened_thing: of, ..Self::default() };
        apis.refresh_state(view_cx);
        let first = apis.filtered_groups().position(|(at, _)| Some(at) == side);
        apis.cursor = first.unwrap_or_default();
        apis
    }

    /// Returns the number of APIs and packages.
    pub fn count_usages(&self) -> usize {
        self.index.value.usages().len()
    }

    /// Returns the number of required APIs and packages without a provider.
    pub fn count_missing(&self) -> usize {
        self.index.value.usages().iter().take_while(|usage| usage.is_missing()).count()
    }

    /// Returns the APIs and packages that match the filter.
    pub fn filtered_usages(&self) -> impl Iterator<Item = &Usage> {
        let typed = self.input.value();
        self.index.value.usages().iter().filter(move |usage| passes_filter(typed, &usage.thing.to_string()))
    }

    /// Returns the API or package whose providers and users are shown.
    pub fn opened_thing(&self) -> Option<&DependencyTarget> {
        self.opened_thing.as_ref()
    }

    /// Returns the matching groups that provide or require the opened API or package.
    pub fn filtered_groups(&self) -> impl Iterator<Item = (Side, &DependencyGroup)> {
        let typed = self.input.value();
        let usage = self.opened_thing.as_ref().and_then(|thing| self.index.value.usage(thing));
        let sides = [Side::Provided, Side::Required].into_iter();
        let all = sides.flat_map(move |side| {
            usage.into_iter().flat_map(move |usage| usage.side(side)).map(move |group| (side, group))
        });
        all.filter(move |(side, group)| {
            passes_filter(typed, &format!("{} {} {}", side.as_str(), group.package_name(), group.label))
        })
    }

    /// Returns true if the user can go back to the list of all.
    pub fn can_go_back(&self) -> bool {
        self.list_state.is_some()
    }

    /// Opens the providers and users of the selected API or package.
    fn open_selected_usage(&mut self) {
        let Some(thing) = self.filtered_usages().nth(self.cursor).map(|usage| usage.thing.clone()) else {
            return;
        };
        self.list_state = Some((std::mem::take(&mut self.input), self.cursor));
        self.opened_thing = Some(thing);
        self.cursor = 0;
    }
}

/// Returns a jump to the bundle with the highest version of the group.
pub(in crate::tui) fn jump_to_group(group: &DependencyGroup) -> Option<Jump> {
    let bundle = group.highest()?.name.value.clone();
    let package = group.package_name().clone();
    Some(Jump::Bundle { catalog: Some(group.catalog), package, channel: None, bundle })
}

impl DialogState for ApiList {
    fn id(&self) -> Dialog {
        Dialog::Apis
    }

    fn handle_press(&mut self, press: KeyPress, cx: &mut Context<'_>) -> DialogStep {
        if press == KeyPress::Action(ActionId::Accept) {
            if self.opened_thing.is_none() {
                self.open_selected_usage();
                return DialogStep::Stay;
            }
            let Some(jump) =
                self.filtered_groups().nth(self.cursor).and_then(|(_, group)| jump_to_group(group))
            else {
                return DialogStep::Stay;
            };
            cx.go_to(jump);
            return DialogStep::Close;
        }
        if field::handle_field_key(&mut self.input, press) {
            self.cursor = 0;
        }
        DialogStep::Stay
    }

    fn text_field(&mut self) -> Option<&mut Input> {
        Some(&mut self.input)
    }

    fn row_cursor(&self) -> Option<RowCursor> {
        let count = if self.opened_thing.is_some() {
            self.filtered_groups().count()
        } else {
            self.filtered_usages().count()
        };
        Some(RowCursor { count, cursor: self.cursor })
    }

    fn set_cursor(&mut self, row: usize) {
        self.cursor = row;
    }

    fn click_accepts(&self) -> bool {
        true
    }

    /// Goes back to the list of all if the dialog was opened there.
    fn go_back(&mut self) -> bool {
        let Some((input, cursor)) = self.list_state.take() else { return false };
        (self.input, self.cursor, self.opened_thing) = (input, cursor, None);
        true
    }

    /// Rebuilds the index if catalogs were edited or loaded.
    fn refresh_state(&mut self, view_cx: &ViewContext<'_>) {
        let states = view_cx
            .session
            .open_catalogs
            .iter()
            .map(|open| SharedRef::from_shared(Some(open.visible_state())))
            .collect();
        self.index.update(states, |states: &Vec<SharedRef<Snapshot>>| {
            DependencyIndex::from_catalogs(
                states.iter().filter_map(SharedRef::get).map(|state| &*state.catalog),
            )
        });
        let count = self.row_cursor().map_or(0, |rows| rows.count);
        self.cursor = self.cursor.min(count.saturating_sub(1));
    }
}
