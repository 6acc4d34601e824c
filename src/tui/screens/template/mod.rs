//! The Template screen: the lists of a semver template and their images.

mod shared_actions;
mod view;

use crate::tui::{
    keys::{ActionId, spec::Enabled},
    parts::{
        frame::Splitter,
        list::{ListId, passes_filter},
        memo::{Memo, SharedRef},
    },
    screens::{
        screen::{ScreenState, ScreenView},
        template::shared_actions::REPLACEMENTS,
    },
    session::{
        action::{RowLocation, Target, find_handler},
        context::{Context, ViewContext},
    },
    widgets::canvas::{Canvas, Rect},
};
use olm_catalog::{BundleName, ChannelName, PackageName, Semver, template::semver::List};
use olm_check::{FindingLocation, review::Snapshot};
use olm_edit::{Edit, TemplateChange};
use olm_version::VersionRelease;

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
            ..Target::from_row(&view_cx.session.catalogs, "this image", package, channel, bundle)
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
                .map(|(snapshot, semver)| filter_image_rows(snapshot, semver, filter))
                .unwrap_or_default()
        });
    }

    fn draw(&self, view_cx: &ViewContext<'_>, canvas: &mut Canvas<'_>, area: Rect) {
        view::draw_template_screen(&ScreenView::new(self, view_cx), canvas, area);
    }
}

/// Bundle image in at least one list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ImageRow {
    /// The image.
    pub image: String,
    /// Package, bundle and version, if known.
    pub bundle_info: Option<(PackageName, BundleName, Option<VersionRelease>)>,
    /// The lists with the image.
    pub lists: Vec<List>,
    /// The channels with the bundle.
    pub channels: Vec<ChannelName>,
}

impl ImageRow {
    /// Returns the bundle, if known.
    pub fn bundle(&self) -> Option<&BundleName> {
        self.bundle_info.as_ref().map(|(_, bundle, _)| bundle)
    }

    /// Returns the version, if known.
    pub fn version(&self) -> Option<&VersionRelease> {
        self.bundle_info.as_ref()?.2.as_ref()
    }

    /// Returns the bundle name if known, otherwise the last part of the image.
    pub fn display_name(&self) -> &str {
        let image = self.image.rsplit_once('/').map_or(self.image.as_str(), |(_, last)| last);
        self.bundle().map_or(image, BundleName::as_str)
    }

    /// Returns true if a list has the image.
    pub fn is_in(&self, list: List) -> bool {
        self.lists.contains(&list)
    }
}

/// Returns the rows of a template: unknown images first, then by version, highest first.
pub(super) fn filter_image_rows(snapshot: &Snapshot, semver: &Semver, filter: &str) -> Vec<ImageRow> {
    let mut rows: Vec<ImageRow> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for list in List::ALL {
        for (index, image) in semver.document.images(list).iter().enumerate() {
            let at = *places.entry(image.image.value.as_str()).or_insert_with(|| {
                let fact = semver.known_bundle(list, index);
                let known = fact.map(|fact| (fact.package.clone(), fact.name.clone(), fact.version.clone()));
                let image = image.image.value.clone();
                rows.push(ImageRow { image, bundle_info: known, lists: Vec::new(), channels: Vec::new() });
                rows.len() - 1
            });
            if let Some(row) = rows.get_mut(at).filter(|row| !row.lists.contains(&list)) {
                row.lists.push(list);
            }
        }
    }
    for row in &mut rows {
        let Some((package, bundle, _)) = &row.bundle_info else { continue };
        let Some(package_state) = snapshot.package(package.as_str()) else { continue };
        let channels = package_state.package().channels.iter();
        let having =
            channels.filter(|channel| channel.entries.iter().any(|entry| entry.name.value == *bundle));
        row.channels = having.map(|channel| channel.name.value.clone()).collect();
    }
    rows.retain(|row| passes_filter(filter, &format!("{} {}", row.display_name(), row.image)));
    rows.sort_by(|a, b| match (a.version(), b.version()) {
        (Some(a), Some(b)) => b.version.cmp_precedence(&a.version),
        (a, b) => a.is_some().cmp(&b.is_some()),
    });
    rows
}
