//! The Deprecations screen: deprecations with the affected versions, and suggested deprecations.

mod acts;
pub mod rows;

use self::{
    acts::INSTEAD,
    rows::{DeprecationRow, List, Told},
};
use crate::{
    app::{
        keys::{ActionId, spec::Enabled},
        parts::{list::ListId, splits::Splitter},
        screens::screen::ScreenState,
        session::{
            action::how,
            cx::{Cx, See},
            place::Pane,
            target::{Target, Whereabouts},
        },
    },
    catalog::blob::DeprecationTarget,
    edit::Edit,
};

/// State of the Deprecations screen.
#[derive(Debug, Default)]
pub struct Deprecations {
    /// Index of the selected row. An index beyond the end selects the last row.
    row: usize,
    list: List,
}

impl Deprecations {
    /// Returns the deprecations that pass the filter, followed by suggestions.
    pub fn deprecations(&self) -> &[DeprecationRow] {
        self.list.rows()
    }

    /// Returns the details of the selected row.
    pub fn told(&self) -> &Told {
        self.list.told()
    }

    /// Returns the selected row.
    fn selected(&self) -> Option<&DeprecationRow> {
        self.deprecations().get(self.list.at(self.row)?)
    }
}

impl ScreenState for Deprecations {
    fn can(&self, id: ActionId, see: &See<'_>) -> Option<Enabled> {
        how(&[], INSTEAD, id).map(|own| (own.can)(self, see))
    }

    fn act(&mut self, id: ActionId, cx: &mut Cx<'_>) {
        if let Some(own) = how(&[], INSTEAD, id) {
            (own.run)(self, cx);
        }
    }

    fn target(&self, see: &See<'_>) -> Target {
        let Some(row) = self.selected() else { return Target::default() };
        let words = if row.deprecated().is_some() { "this deprecation" } else { "this suggestion" };
        let (channel, bundle) = match row.target().cloned() {
            Some(DeprecationTarget::Channel(channel)) => (Some(channel), None),
            Some(DeprecationTarget::Bundle(bundle)) => (None, Some(bundle)),
            Some(DeprecationTarget::Package) | None => (None, None),
        };
        let whereabouts = Some(Whereabouts::Deprecation(row.target().cloned()));
        Target {
            whereabouts,
            ..Target::of_row(see.session, words, Some(row.package.clone()), channel, bundle)
        }
    }

    fn list(&self, _see: &See<'_>) -> ListId {
        ListId::Deprecations
    }

    fn rows(&self, list: ListId, _see: &See<'_>) -> usize {
        if list == ListId::Deprecations { self.deprecations().len() } else { 0 }
    }

    fn cursor(&self, list: ListId, _see: &See<'_>) -> Option<usize> {
        if list == ListId::Deprecations { self.list.at(self.row) } else { None }
    }

    fn select(&mut self, list: ListId, row: usize, _cx: &mut Cx<'_>) {
        if list == ListId::Deprecations {
            self.row = row;
        }
    }

    /// Goes to the target of the selected deprecation.
    fn enter(&mut self, cx: &mut Cx<'_>) {
        let Some(row) = self.selected() else { return };
        let (channel, bundle, pane) = match row.target().cloned() {
            Some(DeprecationTarget::Channel(channel)) => (Some(channel), None, Pane::Channels),
            Some(DeprecationTarget::Bundle(bundle)) => (None, Some(bundle), Pane::Entries),
            Some(DeprecationTarget::Package) | None => (None, None, Pane::Packages),
        };
        cx.session.show_in_catalog(row.package.clone(), channel, bundle, pane);
    }

    fn enters(&self, _see: &See<'_>) -> Option<&'static str> {
        self.selected().map(|_| "go there")
    }

    fn splitter(&self, _see: &See<'_>) -> Option<(Splitter, bool)> {
        Some((Splitter::Deprecations, true))
    }

    /// Moves the cursor from a suggestion to the new deprecation, or to the first of several.
    fn edited(&mut self, edit: &Edit, cx: &mut Cx<'_>) {
        let first = match edit {
            Edit::Several { edits, .. } => edits.first(),
            edit => Some(edit),
        };
        let Some(Edit::Deprecate { package, target, .. }) = first else { return };
        cx.session.derive();
        self.settle(&cx.see());
        let is_it = |row: &DeprecationRow| {
            row.deprecated().is_some() && row.package == *package && row.target() == Some(target)
        };
        if let Some(row) = self.deprecations().iter().position(is_it) {
            self.row = row;
        }
    }

    fn settle(&mut self, see: &See<'_>) {
        self.list.update(see, self.row);
    }
}
