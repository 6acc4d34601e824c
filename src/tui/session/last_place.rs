//! Restoring the last place in a catalog from an earlier session.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::tui::{
    keys::Screen,
    session::{
        Session,
        navigation::{Pane, Selection},
    },
    work::Source,
};

/// Last place in a catalog.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct LastPlace {
    /// The screen.
    #[serde(default)]
    pub screen: Screen,
    /// The pane of the Catalog screen.
    #[serde(default)]
    pub pane: Pane,
    /// The selection.
    #[serde(flatten)]
    pub selection: Selection,
}

/// Catalog whose last place is not restored yet.
#[derive(Clone, Debug)]
pub struct PendingRestore {
    /// Path of the catalog as it is opened now.
    catalog: PathBuf,
    /// The last place.
    place: LastPlace,
    /// True if the place is already visible, and only the rest of its package is missing.
    is_visible: bool,
}

impl Session {
    /// Goes to a place as soon as it is loaded, unless the user navigates before.
    pub fn restore_place(&mut self, catalog: PathBuf, to: LastPlace) {
        self.pending_restores.push(PendingRestore { catalog, place: to, is_visible: false });
    }

    /// Returns the current place in each catalog on disk. Catalogs with a pending restore are
    /// omitted.
    pub fn last_places(&self) -> Vec<(PathBuf, LastPlace)> {
        let is_known = |path: &PathBuf| self.pending_restores.iter().any(|known| known.catalog == *path);
        let mut places = Vec::new();
        for open in &self.open_catalogs {
            let Source::Path(path) = &open.source else { continue };
            if !is_known(path) && open.selection.package.is_some() {
                let (screen, pane, selection) = (self.screen, self.pane, open.selection.clone());
                places.push((path.clone(), LastPlace { screen, pane, selection }));
            }
        }
        places
    }

    /// Cancels the pending restore of the current catalog, because the user navigates.
    pub(in crate::tui) fn cancel_restore(&mut self) {
        let Some(open) = self.open_catalogs.get_mut(self.current) else { return };
        open.is_selected_by_default = false;
        self.pending_restores.retain(|known| open.source != Source::Path(known.catalog.clone()));
    }

    /// Restores the places that are loaded now.
    pub(in crate::tui) fn restore_loaded_places(&mut self) {
        if self.pending_restores.is_empty() {
            return;
        }
        let visible_catalog = self.current;
        let mut waiting = Vec::new();
        for mut pending in std::mem::take(&mut self.pending_restores) {
            let source = Source::Path(pending.catalog.clone());
            match self.open_catalogs.iter().position(|open| open.source == source) {
                Some(number) => {
                    self.current = number;
                    if self.restore_in_current(&mut pending, number == visible_catalog) {
                        waiting.push(pending);
                    }
                }
                None => waiting.push(pending),
            }
        }
        self.current = visible_catalog;
        self.pending_restores = waiting;
    }

    /// Restores a place in the current catalog. Returns true if more of it has to be loaded.
    fn restore_in_current(&mut self, pending: &mut PendingRestore, is_displayed: bool) -> bool {
        let (Some(snapshot), Some(name)) = (self.snapshot(), &pending.place.selection.package) else {
            return false;
        };
        let unread = snapshot.catalog.missing_part();
        if snapshot.package(name.as_str()).is_none() {
            // The package may still be loaded, unless the list of packages is complete.
            return unread.is_some_and(|unread| !unread.is_listed);
        }
        let is_partial = unread.is_some_and(|unread| unread.packages.contains(name));
        if is_displayed && !pending.is_visible {
            self.screen = pending.place.screen;
            self.pane = pending.place.pane;
        }
        pending.is_visible = true;
        if let Some(open) = self.current_catalog_mut() {
            open.selection = pending.place.selection.clone();
            open.is_selected_by_default = false;
        }
        self.correct_selection();
        is_partial
    }
}
