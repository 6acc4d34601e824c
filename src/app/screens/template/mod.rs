//! The Template screen: the lists of a semver template and their images.

mod acts;
pub mod rows;

use self::{acts::INSTEAD, rows::ImageRow};
use crate::{
    app::{
        keys::{ActionId, spec::Enabled},
        parts::{
            list::ListId,
            memo::{Memo, Same},
            splits::Splitter,
        },
        screens::screen::ScreenState,
        session::{
            action::how,
            cx::{Cx, See},
            target::{Target, Whereabouts},
        },
    },
    catalog::Semver,
    edit::{Edit, TemplateChange},
    review::Snapshot,
    validate::Location,
};

/// State of the Template screen.
#[derive(Debug, Default)]
pub struct Template {
    /// Index of the selected row. An index beyond the end selects the last row.
    row: usize,
    rows: Memo<(Same<Snapshot>, String), Vec<ImageRow>>,
}

/// Returns the current catalog as a semver template.
pub(in crate::app) fn semver<'s>(see: &See<'s>) -> Option<&'s Semver> {
    see.session.snapshot()?.catalog.template()?.semver()
}

impl Template {
    /// Returns the images that pass the filter.
    pub fn images(&self) -> &[ImageRow] {
        &self.rows.value
    }

    /// Returns the selected image.
    pub fn selected(&self) -> Option<&ImageRow> {
        self.images().get(self.at()?)
    }

    fn at(&self) -> Option<usize> {
        Some(self.row.min(self.images().len().checked_sub(1)?))
    }
}

impl ScreenState for Template {
    fn can(&self, id: ActionId, see: &See<'_>) -> Option<Enabled> {
        how(&[], INSTEAD, id).map(|own| (own.can)(self, see))
    }

    fn act(&mut self, id: ActionId, cx: &mut Cx<'_>) {
        if let Some(own) = how(&[], INSTEAD, id) {
            (own.run)(self, cx);
        }
    }

    fn target(&self, see: &See<'_>) -> Target {
        let Some(row) = self.selected() else { return Target::page() };
        let (package, bundle) = match &row.known {
            Some((package, bundle, _)) => (Some(package.clone()), Some(bundle.clone())),
            None => (None, None),
        };
        let channel = row.channels.last().cloned();
        let place = see.session.snapshot().zip(semver(see)).and_then(|(snapshot, semver)| {
            let list = *row.lists.first()?;
            let at = semver.position(list, &row.image)?;
            let span = semver.document.images(list).get(at)?.image.span;
            Some(Whereabouts::At(Location::Document(snapshot.catalog.template()?.doc, span)))
        });
        Target { whereabouts: place, ..Target::of_row(see.session, "this image", package, channel, bundle) }
    }

    fn list(&self, _see: &See<'_>) -> ListId {
        ListId::Template
    }

    fn rows(&self, list: ListId, _see: &See<'_>) -> usize {
        if list == ListId::Template { self.images().len() } else { 0 }
    }

    fn cursor(&self, list: ListId, _see: &See<'_>) -> Option<usize> {
        if list == ListId::Template { self.at() } else { None }
    }

    fn select(&mut self, list: ListId, row: usize, _cx: &mut Cx<'_>) {
        if list == ListId::Template {
            self.row = row;
        }
    }

    fn enter(&mut self, cx: &mut Cx<'_>) {
        acts::open_ways(self, cx);
    }

    fn enters(&self, see: &See<'_>) -> Option<&'static str> {
        acts::can_change(self, see).is_ok().then_some("its lists")
    }

    fn splitter(&self, _see: &See<'_>) -> Option<(Splitter, bool)> {
        Some((Splitter::Template, true))
    }

    /// Moves the cursor to the image that was added or moved.
    fn edited(&mut self, edit: &Edit, cx: &mut Cx<'_>) {
        let Edit::Template { change } = edit else { return };
        let (TemplateChange::AddImage { image, .. } | TemplateChange::MoveImage { image, .. }) = change
        else {
            return;
        };
        cx.session.derive();
        self.settle(&cx.see());
        if let Some(row) = self.images().iter().position(|row| row.image == *image) {
            self.row = row;
        }
    }

    fn settle(&mut self, see: &See<'_>) {
        let snapshot = see.session.snapshot();
        let filter = see.session.lists.filter(ListId::Template).to_owned();
        self.rows.update((Same::of(snapshot), filter), |(_, filter)| {
            snapshot
                .zip(semver(see))
                .map(|(snapshot, semver)| rows::of(snapshot, semver, filter))
                .unwrap_or_default()
        });
    }
}
