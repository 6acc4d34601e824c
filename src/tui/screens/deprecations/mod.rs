//! The Deprecations screen: deprecations with the affected versions, and suggested deprecations.

pub mod rows;
mod shared_actions;

use self::{
    rows::{DeprecationList, DeprecationRow, RowDetails},
    shared_actions::REPLACEMENTS,
};
use crate::tui::{
    keys::{ActionId, spec::Enabled},
    parts::{list::ListId, splitters::Splitter},
    screens::screen::ScreenState,
    session::{
        action::find_handler,
        context::{Context, ViewContext},
        navigation::Pane,
        target::{RowLocation, Target},
    },
};
use olm_catalog::blob::DeprecationTarget;
use olm_edit::Edit;

/// State of the Deprecations screen.
#[derive(Debug, Default)]
pub struct Deprecations {
    /// Index of the selected row. An index beyond the end selects the last row.
    row: usize,
    list: DeprecationList,
}

impl Deprecations {
    /// Returns the deprecations that pass the filter, followed by suggestions.
    pub fn deprecations(&self) -> &[DeprecationRow] {
        self.list.rows()
    }

    /// Returns the details of the selected row.
    pub fn selected_details(&self) -> &RowDetails {
        self.list.selected_details()
    }

    /// Returns the selected row.
    fn selected_row(&self) -> Option<&DeprecationRow> {
        self.deprecations().get(self.list.clamp_index(self.row)?)
    }
}

impl ScreenState for Deprecations {
    fn check_action(&self, id: ActionId, view_cx: &ViewContext<'_>) -> Option<Enabled> {
        find_handler(&[], REPLACEMENTS, id).map(|own| (own.is_enabled)(self, view_cx))
    }

    fn run_action(&mut self, id: ActionId, cx: &mut Context<'_>) {
        if let Some(own) = find_handler(&[], REPLACEMENTS, id) {
            (own.run)(self, cx);
        }
    }

    fn target(&self, view_cx: &ViewContext<'_>) -> Target {
        let Some(row) = self.selected_row() else { return Target::default() };
        let words = if row.report().is_some() { "this deprecation" } else { "this suggestion" };
        let (channel, bundle) = match row.target().cloned() {
            Some(DeprecationTarget::Channel(channel)) => (Some(channel), None),
            Some(DeprecationTarget::Bundle(bundle)) => (None, Some(bundle)),
            Some(DeprecationTarget::Package) | None => (None, None),
        };
        let whereabouts = Some(RowLocation::Deprecation(row.target().cloned()));
        Target {
            location: whereabouts,
            ..Target::from_row(view_cx.session, words, Some(row.package.clone()), channel, bundle)
        }
    }

    fn focused_list(&self, _see: &ViewContext<'_>) -> ListId {
        ListId::Deprecations
    }

    fn row_count(&self, list: ListId, _see: &ViewContext<'_>) -> usize {
        if list == ListId::Deprecations { self.deprecations().len() } else { 0 }
    }

    fn list_cursor(&self, list: ListId, _see: &ViewContext<'_>) -> Option<usize> {
        if list == ListId::Deprecations { self.list.clamp_index(self.row) } else { None }
    }

    fn select_row(&mut self, list: ListId, row: usize, _cx: &mut Context<'_>) {
        if list == ListId::Deprecations {
            self.row = row;
        }
    }

    /// Goes to the target of the selected deprecation.
    fn open_highlighted(&mut self, cx: &mut Context<'_>) {
        let Some(row) = self.selected_row() else { return };
        let (channel, bundle, pane) = match row.target().cloned() {
            Some(DeprecationTarget::Channel(channel)) => (Some(channel), None, Pane::Channels),
            Some(DeprecationTarget::Bundle(bundle)) => (None, Some(bundle), Pane::Entries),
            Some(DeprecationTarget::Package) | None => (None, None, Pane::Packages),
        };
        cx.session.jump_to_catalog_screen(row.package.clone(), channel, bundle, pane);
    }

    fn describe_enter(&self, _see: &ViewContext<'_>) -> Option<&'static str> {
        self.selected_row().map(|_| "go there")
    }

    fn splitter(&self, _see: &ViewContext<'_>) -> Option<(Splitter, bool)> {
        Some((Splitter::Deprecations, true))
    }

    /// Moves the cursor from a suggestion to the new deprecation, or to the first of several.
    fn follow_edit(&mut self, edit: &Edit, cx: &mut Context<'_>) {
        let first = match edit {
            Edit::Several { edits, .. } => edits.first(),
            edit => Some(edit),
        };
        let Some(Edit::Deprecate { package, target, .. }) = first else { return };
        cx.session.derive();
        self.update_derived(&cx.view());
        let is_it = |row: &DeprecationRow| {
            row.report().is_some() && row.package == *package && row.target() == Some(target)
        };
        if let Some(row) = self.deprecations().iter().position(is_it) {
            self.row = row;
        }
    }

    fn update_derived(&mut self, view_cx: &ViewContext<'_>) {
        self.list.update(view_cx, self.row);
    }
}
