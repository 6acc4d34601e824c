//! What is wanted next: data that the shell carries out.

use std::sync::Arc;

use super::{
    Effect, Opening,
    opening::{Purpose, Writing},
    preview::Outcome,
};
use crate::{
    app::{
        keys::{ActionId, Screen},
        parts::list::ListId,
    },
    catalog::{BundleName, ChannelName, PackageName},
    layout::Floor,
    validate::Diagnostic,
};

/// Something that is wanted.
#[derive(Clone, PartialEq, Debug)]
pub enum Flow {
    /// The world is to do something.
    Do(Effect),
    /// A dialog is to open.
    Open(Opening),
    /// Somebody wants to go somewhere.
    Go(Jump),
    /// An action is to be done, as its key would.
    Run(ActionId),
    /// What an edit leads to is to become the present state, or to be supposed.
    Keep(Purpose, Arc<Outcome>),
    /// A bundle is to be selected.
    Select(BundleName),
    /// A channel is to be selected.
    SelectChannel(ChannelName),
    /// A catalog is to be written all the same.
    Write {
        /// Where.
        writing: Writing,
        /// Whether the user was told what its files lose.
        knowing: bool,
    },
    /// The program is to end, whatever is unsaved.
    Leave,
    /// The shown screen is told something.
    Answer(Answer),
    /// The dialog that is on top then is told something.
    Reply(Reply),
}

/// Somewhere to go.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Jump {
    /// To a screen.
    Screen(Screen),
    /// To another open catalog: the same screen, the same names where it has them.
    Turn(usize),
    /// To something on the Catalog screen; where a catalog is named, in that.
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
    /// To what is inside a bundle; where a catalog is named, in that.
    Bundle {
        /// The catalog.
        catalog: Option<usize>,
        /// The package.
        package: PackageName,
        /// A channel that has it.
        channel: Option<ChannelName>,
        /// The bundle.
        bundle: BundleName,
    },
    /// To a finding on the Problems screen.
    Finding {
        /// The catalog.
        catalog: usize,
        /// The package, where it belongs to one.
        package: Option<PackageName>,
        /// Which of those it has.
        nth: usize,
    },
}

/// What a screen is told.
#[derive(Clone, PartialEq, Debug)]
pub enum Answer {
    /// A list was filtered while one types.
    Filtered(ListId),
    /// A finding is to be selected.
    Finding(Box<Diagnostic>),
    /// The graph of one channel is asked for.
    OneChannel,
    /// The lowest version to show.
    Floor(Option<Floor>),
}

/// What the dialog below another one is told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reply {
    /// The name of a channel that is to be made.
    Channel(ChannelName),
}
