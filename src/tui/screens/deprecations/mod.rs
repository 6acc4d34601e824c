//! The Deprecations screen: deprecations with the affected versions, and suggested deprecations.

pub mod rows;
mod view;

use crate::tui::{
    dialogs::{
        edit_choice::{ChoiceAction, EditChoice, EditOption},
        edit_question::{EditQuestion, QuestionKind, describe_deprecation_target},
    },
    keys::{
        ActionId,
        spec::{Enabled, Reason},
    },
    parts::{frame::Splitter, list::ListId, text::escape_single_line},
    screens::{
        deprecations::rows::{DeprecationList, DeprecationRow, RowContent, RowDetails},
        screen::{ScreenState, ScreenView},
    },
    session::{
        action::{ActionHandler, RowLocation, Target, find_handler},
        context::{Context, ViewContext},
        navigation::Pane,
    },
    widgets::canvas::{Canvas, Rect},
    work::EditPurpose,
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
            ..Target::from_row(&view_cx.session.catalogs, words, Some(row.package.clone()), channel, bundle)
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

    fn splitter(&self, view_cx: &ViewContext<'_>) -> Option<(Splitter, bool)> {
        let line = view_cx.frame.explanation_splitter(Splitter::Deprecations, Splitter::DeprecationsSide);
        Some((line, true))
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

    fn draw(&self, view_cx: &ViewContext<'_>, canvas: &mut Canvas<'_>, area: Rect) {
        view::draw_deprecations_screen(&ScreenView::new(self, view_cx), canvas, area);
    }
}

/// Replacements of shared actions.
pub(super) static REPLACEMENTS: &[ActionHandler<Deprecations>] = &[
    ActionHandler { id: ActionId::Deprecate, is_enabled: can_deprecate, run: ask_message },
    ActionHandler { id: ActionId::Remove, is_enabled: can_remove, run: ask_undeprecate },
];

/// Returns the selected row.
fn selected_row(screen: &Deprecations) -> Result<&DeprecationRow, Reason> {
    let nothing = || "nothing is selected here: select something on Catalog".to_owned();
    screen.selected_row().ok_or_else(nothing)
}

/// Returns the target of a row.
fn row_target(row: &DeprecationRow) -> Result<DeprecationTarget, Reason> {
    row.target().cloned().ok_or_else(|| "olmap does not know the schema of this deprecation".to_owned())
}

fn can_deprecate(screen: &Deprecations, _see: &ViewContext<'_>) -> Enabled {
    row_target(selected_row(screen)?).map(drop)
}

/// Asks for the message of a suggestion or of an existing deprecation.
fn ask_message(screen: &mut Deprecations, cx: &mut Context<'_>) {
    let Ok(row) = selected_row(screen) else { return };
    let package = row.package.clone();
    let (asked, proposed) = match &row.content {
        RowContent::Suggested(suggestion) => {
            (QuestionKind::DeprecationMessageForAll(suggestion.targets.clone()), suggestion.message.clone())
        }
        RowContent::Deprecated(_) => {
            let Ok(target) = row_target(row) else { return };
            let package_state = cx.session.snapshot().and_then(|snapshot| snapshot.package(package.as_str()));
            let Some(package_state) = package_state else { return };
            let said = package_state.package().deprecation(&target);
            let said = said.map(|deprecation| escape_single_line(deprecation.message.value.as_str()));
            (QuestionKind::DeprecationMessage(target), said.unwrap_or_default())
        }
    };
    cx.open_dialog(EditQuestion::new(EditPurpose::Edit, package, asked, proposed, cx.session));
}

/// Returns the selected row and its target, if it can be undeprecated.
fn removable(screen: &Deprecations) -> Result<(&DeprecationRow, DeprecationTarget), Reason> {
    let row = selected_row(screen)?;
    if row.report().is_none() {
        return Err("it is not deprecated, only suggested".to_owned());
    }
    Ok((row, row_target(row)?))
}

fn can_remove(screen: &Deprecations, _see: &ViewContext<'_>) -> Enabled {
    removable(screen).map(drop)
}

/// Asks for confirmation to undeprecate the selected row.
fn ask_undeprecate(screen: &mut Deprecations, cx: &mut Context<'_>) {
    let Ok((row, target)) = removable(screen) else { return };
    let package = row.package.clone();
    let title = format!("{} is no longer deprecated", describe_deprecation_target(&package, &target));
    let way = EditOption {
        label: "undeprecate".to_owned(),
        note: String::new(),
        action: ChoiceAction::Edit(Edit::Undeprecate { package, target }),
    };
    cx.open_dialog(EditChoice::new(EditPurpose::Edit, title, vec![way], cx.session));
}
