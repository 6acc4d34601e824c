//! Restoring the last place in a catalog from an earlier session.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::app::{
    keys::Screen,
    session::{
        Session,
        place::{Pane, Selection},
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
pub struct Return {
    /// Path of the catalog as it is opened now.
    catalog: PathBuf,
    /// The last place.
    to: LastPlace,
    /// True if the place is already visible, and only the rest of its package is missing.
    begun: bool,
}

impl Session {
    /// Goes to a place as soon as it is loaded, unless the user navigates before.
    pub fn return_to(&mut self, catalog: PathBuf, to: LastPlace) {
        self.returning.push(Return { catalog, to, begun: false });
    }

    /// Returns the current place in each catalog on disk. Catalogs with a pending restore are
    /// omitted.
    pub fn last_places(&self) -> Vec<(PathBuf, LastPlace)> {
        let is_known = |path: &PathBuf| self.returning.iter().any(|known| known.catalog == *path);
        let mut places = Vec::new();
        for open in &self.open {
            let Source::Path(path) = &open.source else { continue };
            if !is_known(path) && open.selection.package.is_some() {
                let (screen, pane, selection) = (self.screen, self.pane, open.selection.clone());
                places.push((path.clone(), LastPlace { screen, pane, selection }));
            }
        }
        places
    }

    /// Cancels the pending restore of the current catalog, because the user navigates.
    pub(in crate::app) fn stay_here(&mut self) {
        let Some(open) = self.open.get_mut(self.current) else { return };
        open.is_selected_by_default = false;
        self.returning.retain(|known| open.source != Source::Path(known.catalog.clone()));
    }

    /// Restores the places that are loaded now.
    pub(in crate::app) fn come_back(&mut self) {
        if self.returning.is_empty() {
            return;
        }
        let looked_at = self.current;
        let mut waiting = Vec::new();
        for mut known in std::mem::take(&mut self.returning) {
            let source = Source::Path(known.catalog.clone());
            match self.open.iter().position(|open| open.source == source) {
                Some(number) => {
                    self.current = number;
                    if self.return_here(&mut known, number == looked_at) {
                        waiting.push(known);
                    }
                }
                None => waiting.push(known),
            }
        }
        self.current = looked_at;
        self.returning = waiting;
    }

    /// Restores a place in the current catalog. Returns true if more of it has to be loaded.
    fn return_here(&mut self, known: &mut Return, is_looked_at: bool) -> bool {
        let (Some(snapshot), Some(name)) = (self.snapshot(), &known.to.selection.package) else {
            return false;
        };
        let unread = snapshot.catalog.unread();
        if snapshot.package(name.as_str()).is_none() {
            // The package may still be loaded, unless the list of packages is complete.
            return unread.is_some_and(|unread| !unread.is_listed);
        }
        let is_partial = unread.is_some_and(|unread| unread.packages.contains(name));
        if is_looked_at && !known.begun {
            self.screen = known.to.screen;
            self.pane = known.to.pane;
        }
        known.begun = true;
        if let Some(open) = self.catalog_mut() {
            open.selection = known.to.selection.clone();
            open.is_selected_by_default = false;
        }
        self.settle();
        is_partial
    }
}
