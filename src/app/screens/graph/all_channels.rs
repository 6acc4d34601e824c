//! All channels of a package side by side, as the Graph screen draws them.

use crate::{
    app::{parts::memo::Same, work::marks::Marks},
    catalog::ChannelName,
    export::plain,
    layout::side_by_side::{Ground, Options, SideBySide},
    review::Judged,
};

/// What the picture depends on. The selected row is lit up when it is drawn.
#[derive(Debug, PartialEq)]
pub(in crate::app) struct Key {
    pub(in crate::app) package: Same<Judged>,
    /// What is gone, and has a row.
    pub(in crate::app) marks: Same<Marks>,
    pub(in crate::app) channel: Option<ChannelName>,
    /// Columns of the terminal.
    pub(in crate::app) width: usize,
}

/// Longest name of a channel for which the strips of all are drawn further apart, so that it stands above its strip.
const WIDEST_NAME: usize = 16;

/// Draws it; what was the first in sight stays it as long as the selected one is in sight too.
pub(in crate::app) fn picture(package: &Judged, ground: &Ground, key: &Key, first: usize) -> SideBySide {
    let names = package.package().channels.iter().map(|c| plain::width(c.name.value.as_str()));
    let options = Options {
        // The rest is for versions and words.
        room: (key.width * 3 / 5).saturating_sub(10).max(key.width / 2),
        widest: names.max().unwrap_or(0).min(WIDEST_NAME) + 1,
        selected: key.channel.clone(),
        first,
    };
    ground.draw(&options)
}
