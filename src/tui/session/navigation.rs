//! Places in the explorer: screen and selection.

use serde::{Deserialize, Serialize};

use crate::tui::keys::Screen;
use olm_catalog::{BundleName, ChannelName, PackageName};

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
    pub(in crate::tui) const EMPTY: Self = Self { package: None, channel: None, bundle: None };
}

/// Place to which the user can return.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VisitedPlace {
    /// Index of the catalog.
    pub catalog: usize,
    /// The screen.
    pub screen: Screen,
    /// The selection.
    pub selection: Selection,
}

/// Visited places.
#[derive(Clone, Debug, Default)]
pub struct PlaceHistory {
    back_stack: Vec<VisitedPlace>,
    forward_stack: Vec<VisitedPlace>,
}

impl PlaceHistory {
    const MAX_LENGTH: usize = 200;

    /// Stores a place that a jump leaves.
    pub fn push_place(&mut self, place: VisitedPlace) {
        self.forward_stack.clear();
        if self.back_stack.last() != Some(&place) {
            self.back_stack.push(place);
        }
        if self.back_stack.len() > Self::MAX_LENGTH {
            self.back_stack.remove(0);
        }
    }

    /// Returns the previous place.
    pub fn go_back(&mut self, now: VisitedPlace) -> Option<VisitedPlace> {
        let place = self.back_stack.pop()?;
        self.forward_stack.push(now);
        Some(place)
    }

    /// Returns the next place.
    pub fn go_forward(&mut self, now: VisitedPlace) -> Option<VisitedPlace> {
        let place = self.forward_stack.pop()?;
        self.back_stack.push(now);
        Some(place)
    }

    /// Returns true if there is a previous place.
    pub fn has_back(&self) -> bool {
        !self.back_stack.is_empty()
    }

    /// Returns true if there is a next place.
    pub fn has_forward(&self) -> bool {
        !self.forward_stack.is_empty()
    }
}
