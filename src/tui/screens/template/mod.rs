//! The Template screen: the lists of a semver template and their images.

pub mod rows;
mod shared_actions;

use self::{rows::ImageRow, shared_actions::REPLACEMENTS};
use crate::tui::{
    keys::{ActionId, spec::Enabled},
    parts::{
        list::ListId,
        memo::{Memo, SharedRef},
        splitters::Splitter,
    },
    screens::screen::ScreenState,
    session::{
        action::find_handler,
        context::{Context, ViewContext},
        target::{RowLocation, Target},
    },
};
use olm_catalog::Semver;
use olm_check::{FindingLocation, review::Snapshot};
use olm_edit::{Edit, TemplateChange};

/// State of the Template screen.
#[derive(Debug, Default)]
pub struct Template {
    /// Index of the selected row. An index beyond the end selects the last row.
    row: usize,
    rows: Memo<(SharedRef<Snapshot>, String), Vec<ImageRow>>,
}

/// Returns the current catalog as a semver template.
pub(in crate::tui) fn current_template<'s>(view_cx: &ViewContext<'s>) -> Option<&'s Semver> {
    view_cx.session.snapshot()?.catalog.template()?.semver()
}

impl Template {
    /// Returns the images that pass the filter.
    pub fn image_rows(&self) -> &[ImageRow] {
        &self.rows.value
    }

    /// Returns the selected image.
    pub fn selected_image(&self) -> Option<&ImageRow> {
        self.image_rows().get(self.selected_index()?)
    }

    fn selected_index(&self) -> Option<usize> {
        Some(self.row.min(self.image_rows().len().checked_sub(1)?))
    }
}

impl ScreenState for Template {
    fn check_action(&self, id: ActionId, view_cx: &ViewContext<'_>) -> Option<Enabled> {
        find_handler(&[], REPLACEMENTS, id).map(|own| (own.is_enabled)(self, view_cx))
    }

    fn run_action(&mut self, id: ActionId, cx: &mut Context<'_>) {
        if let Some(own) = find_handler(&[], REPLACEMENTS, id) {
            (own.run)(self, cx);
        }
    }

    fn target(&self, view_cx: &ViewContext<'_>) -> Target {
        let Some(row) = self.selected_image() else { return Target::for_page() };
        let (package, bundle) = match &row.bundle_info {
            Some((package, bundle, _)) => (Some(package.clone()), Some(bundle.clone())),
            None => (None, None),
        };
        let channel = row.channels.last().cloned();
        let place =
            view_cx.session.snapshot().zip(current_template(view_cx)).and_then(|(snapshot, semver)| {
                let list = *row.lists.first()?;
                let at = semver.position(list, &row.image)?;
                let span = semver.document.images(list).get(at)?.image.span;
                Some(RowLocation::InCatalog(FindingLocation::Document(
                    snapshot.catalog.template()?.doc,
                    span,
                )))
            });
        Target {
            location: place,
            ..Target::from_row(view_cx.session, "this image", package, channel, bundle)
        }
    }

    fn focused_list(&self, _see: &ViewContext<'_>) -> ListId {
        ListId::Template
    }

    fn row_count(&self, list: ListId, _see: &ViewContext<'_>) -> usize {
        if list == ListId::Template { self.image_rows().len() } else { 0 }
    }

    fn list_cursor(&self, list: ListId, _see: &ViewContext<'_>) -> Option<usize> {
        if list == ListId::Template { self.selected_index() } else { None }
    }

    fn select_row(&mut self, list: ListId, row: usize, _cx: &mut Context<'_>) {
        if list == ListId::Template {
            self.row = row;
        }
    }

    fn open_highlighted(&mut self, cx: &mut Context<'_>) {
        shared_actions::open_all_choices(self, cx);
    }

    fn describe_enter(&self, view_cx: &ViewContext<'_>) -> Option<&'static str> {
        shared_actions::can_change(self, view_cx).is_ok().then_some("its lists")
    }

    fn splitter(&self, _see: &ViewContext<'_>) -> Option<(Splitter, bool)> {
        Some((Splitter::Template, true))
    }

    /// Moves the cursor to the image that was added or moved.
    fn follow_edit(&mut self, edit: &Edit, cx: &mut Context<'_>) {
        let Edit::Template { change } = edit else { return };
        let (TemplateChange::AddImage { image, .. } | TemplateChange::MoveImage { image, .. }) = change
        else {
            return;
        };
        cx.session.derive();
        self.update_derived(&cx.view());
        if let Some(row) = self.image_rows().iter().position(|row| row.image == *image) {
            self.row = row;
        }
    }

    fn update_derived(&mut self, view_cx: &ViewContext<'_>) {
        let snapshot = view_cx.session.snapshot();
        let filter = view_cx.session.lists.filter(ListId::Template).to_owned();
        self.rows.update((SharedRef::from_shared(snapshot), filter), |(_, filter)| {
            snapshot
                .zip(current_template(view_cx))
                .map(|(snapshot, semver)| rows::filter_image_rows(snapshot, semver, filter))
                .unwrap_or_default()
        });
    }
}
