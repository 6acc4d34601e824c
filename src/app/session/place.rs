//! Where one is: the screen and the selection that all screens share.

use serde::{Deserialize, Serialize};

use crate::{
    app::keys::Screen,
    catalog::{BundleName, ChannelName, PackageName},
};

/// What is selected. Names, not positions, so that it survives edits and reloads.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Selection {
    /// The package.
    pub package: Option<PackageName>,
    /// A channel of it.
    pub channel: Option<ChannelName>,
    /// A bundle of it: an entry of the channel, as a rule.
    pub bundle: Option<BundleName>,
}

/// The panes of the Catalog screen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pane {
    /// Packages.
    #[default]
    Packages,
    /// Channels of the package.
    Channels,
    /// Entries of the channel.
    Entries,
    /// What is known of the selected thing.
    Details,
}

impl Selection {
    /// Nothing is selected.
    pub(in crate::app) const NOTHING: Self = Self { package: None, channel: None, bundle: None };
}

/// A place one can come back to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The catalog.
    pub catalog: usize,
    /// The screen.
    pub screen: Screen,
    /// What was selected.
    pub selection: Selection,
}

/// The places one has been to.
#[derive(Clone, Debug, Default)]
pub struct Trail {
    back: Vec<Place>,
    forward: Vec<Place>,
}

impl Trail {
    const LONGEST: usize = 200;

    /// Remembers a place that is being left by a jump.
    pub fn leave(&mut self, place: Place) {
        self.forward.clear();
        if self.back.last() != Some(&place) {
            self.back.push(place);
        }
        if self.back.len() > Self::LONGEST {
            self.back.remove(0);
        }
    }

    /// The place before, given where one is now.
    pub fn back(&mut self, now: Place) -> Option<Place> {
        let place = self.back.pop()?;
        self.forward.push(now);
        Some(place)
    }

    /// The place one came back from.
    pub fn forward(&mut self, now: Place) -> Option<Place> {
        let place = self.forward.pop()?;
        self.back.push(now);
        Some(place)
    }

    /// Whether there is a place before.
    pub fn has_back(&self) -> bool {
        !self.back.is_empty()
    }

    /// Whether there is a place to come back to.
    pub fn has_forward(&self) -> bool {
        !self.forward.is_empty()
    }
}
