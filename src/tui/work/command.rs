//! Commands that screens and dialogs return and the shell executes.

use std::{any::Any, fmt, sync::Arc};

use super::{Effect, preview::EditOutcome};
use crate::tui::{
    keys::{ActionId, Screen},
    parts::{list::ListId, theme_settings::ThemeName},
};
use olm_catalog::{BundleName, ChannelName, PackageName};
use olm_check::Finding;
use olmap_report::layout::Floor;

/// Command returned by a screen or dialog.
#[derive(Debug)]
pub enum Command {
    /// Send an effect to the runtime.
    Effect(Effect),
    /// Open a dialog.
    Open(NewDialog),
    /// Navigate.
    Go(Jump),
    /// Run an action as its key would.
    Run(ActionId),
    /// Run a choice of the program menu.
    RunProgramChoice(ProgramChoice),
    /// Make the result of an edit the current state, or add it to the what-if.
    ApplyOutcome(EditPurpose, Arc<EditOutcome>),
    /// Select a bundle.
    Select(BundleName),
    /// Select a channel.
    SelectChannel(ChannelName),
    /// Quit in spite of unsaved edits.
    Quit,
    /// Send an event to the visible screen.
    NotifyScreen(ScreenEvent),
}

/// Value of any type with a debug form.
trait AnyDebug: Any + fmt::Debug {}

impl<T: Any + fmt::Debug> AnyDebug for T {}

/// Dialog to open. The layers left of `dialogs` pass it on without knowing its type.
#[derive(Debug)]
pub struct NewDialog(Box<dyn AnyDebug>);

impl NewDialog {
    /// Wraps a dialog.
    pub fn wrap<D: fmt::Debug + 'static>(dialog: D) -> Self {
        Self(Box::new(dialog))
    }

    /// Returns the dialog if it has the given type.
    pub fn into_dialog<D: 'static>(self) -> Option<D> {
        let dialog: Box<dyn Any> = self.0;
        dialog.downcast().ok().map(|dialog| *dialog)
    }
}

/// Whether an edit is applied or only supposed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EditPurpose {
    /// The answer is added to the what-if and not applied.
    WhatIf,
    /// The answer becomes an edit.
    Edit,
}

/// Choice of the program menu.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProgramChoice {
    /// The About screen.
    About,
    /// All messages so far.
    Messages,
    /// The menu of themes.
    Themes,
    /// A theme.
    Theme(ThemeName),
    /// Turns the mouse on or off.
    Mouse,
    /// Resets the sizes of the panes.
    PaneSizes,
    /// Starts or ends the tour.
    Tour,
    /// The invalid settings of the configuration.
    Configuration,
}

impl ProgramChoice {
    /// Returns the letter in its menu.
    pub const fn letter(self) -> char {
        match self {
            Self::About => 'a',
            Self::Messages => 'l',
            Self::Themes => 't',
            Self::Theme(theme) => theme.letter(),
            Self::Mouse => 'm',
            Self::PaneSizes => '=',
            Self::Tour => 'h',
            Self::Configuration => 'c',
        }
    }

    /// Returns the keys of the choice, given the key of the program menu.
    pub fn keys(self, menu_key: &str) -> String {
        format!("{menu_key} {}", self.letter())
    }
}

/// Navigation target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Jump {
    /// A screen.
    Screen(Screen),
    /// Another open catalog, on the same screen with the same selection if it exists there.
    OtherCatalog(usize),
    /// An item on the Packages screen, in the given catalog or the current one.
    Catalog {
        /// The catalog.
        catalog: Option<usize>,
        /// The package.
        package: PackageName,
        /// The channel.
        channel: Option<ChannelName>,
        /// The bundle.
        bundle: Option<BundleName>,
    },
    /// The content of a bundle, in the given catalog or the current one.
    Bundle {
        /// The catalog.
        catalog: Option<usize>,
        /// The package.
        package: PackageName,
        /// A channel with the bundle.
        channel: Option<ChannelName>,
        /// The bundle.
        bundle: BundleName,
    },
    /// A finding on the Problems screen.
    Finding {
        /// The catalog.
        catalog: usize,
        /// The package. `None` if the finding does not belong to a package.
        package: Option<PackageName>,
        /// Index among the findings of the package.
        nth: usize,
    },
}

/// Event for a screen.
#[derive(Clone, PartialEq, Debug)]
pub enum ScreenEvent {
    /// The filter of a list changed.
    Filtered(ListId),
    /// The screen is shown instead of another one.
    Shown,
    /// Select a finding.
    Finding(Box<Finding>),
    /// Show the graph of one channel.
    OneChannel,
    /// Change the lowest version to show.
    Floor(Option<Floor>),
}
