//! Places in the explorer: screen and selection.

use serde::{Deserialize, Serialize};

use crate::{
    app::keys::Screen,
    catalog::{BundleName, ChannelName, PackageName},
};

/// Selection. It uses names instead of indexes to survive edits and reloads.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Selection {
    /// The package.
    pub package: Option<PackageName>,
    /// A channel of the package.
    pub channel: Option<ChannelName>,
    /// A bundle of the package, usually an entry of the channel.
    pub bundle: Option<BundleName>,
}

/// Pane of the Catalog screen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pane {
    /// The packages.
    #[default]
    Packages,
    /// The channels of the package.
    Channels,
    /// The entries of the channel.
    Entries,
    /// Details of the selected item.
    Details,
}

impl Selection {
    /// Empty selection.
    pub(in crate::app) const NOTHING: Self = Self { package: None, channel: None, bundle: None };
}

/// Place to which the user can return.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// Index of the catalog.
    pub catalog: usize,
    /// The screen.
    pub screen: Screen,
    /// The selection.
    pub selection: Selection,
}

/// Visited places.
#[derive(Clone, Debug, Default)]
pub struct Trail {
    back: Vec<Place>,
    forward: Vec<Place>,
}

impl Trail {
    const LONGEST: usize = 200;

    /// Stores a place that a jump leaves.
    pub fn leave(&mut self, place: Place) {
        self.forward.clear();
        if self.back.last() != Some(&place) {
            self.back.push(place);
        }
        if self.back.len() > Self::LONGEST {
            self.back.remove(0);
        }
    }

    /// Returns the previous place.
    pub fn back(&mut self, now: Place) -> Option<Place> {
        let place = self.back.pop()?;
        self.forward.push(now);
        Some(place)
    }

    /// Returns the next place.
    pub fn forward(&mut self, now: Place) -> Option<Place> {
        let place = self.forward.pop()?;
        self.back.push(now);
        Some(place)
    }

    /// Returns true if there is a previous place.
    pub fn has_back(&self) -> bool {
        !self.back.is_empty()
    }

    /// Returns true if there is a next place.
    pub fn has_forward(&self) -> bool {
        !self.forward.is_empty()
    }
}
