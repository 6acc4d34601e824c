//! Layout of all channels of a package side by side.

use crate::tui::{parts::memo::SharedRef, work::change_marks::ChangeMarks};
use olm_catalog::ChannelName;
use olm_check::review::PackageState;
use olmap_report::{
    escape,
    layout::side_by_side::{Options, PreparedChannels, SideBySide, Strip},
};

/// Inputs of the picture. The selected row is highlighted later.
#[derive(Debug, PartialEq)]
pub(in crate::tui) struct SideBySideKey {
    pub(in crate::tui) package: SharedRef<PackageState>,
    /// Change marks, which include removed entries.
    pub(in crate::tui) marks: SharedRef<ChangeMarks>,
    pub(in crate::tui) channel: Option<ChannelName>,
    /// Columns of the terminal.
    pub(in crate::tui) width: usize,
}

/// Longest channel name for which all strips are drawn further apart, so that it fits above its
/// strip.
const MAX_NAME_WIDTH: usize = 16;

/// Draws the picture. The first visible channel stays the same as long as the selected one is
/// visible too.
pub(in crate::tui) fn draw_side_by_side(
    package: &PackageState,
    ground: &PreparedChannels,
    key: &SideBySideKey,
    first: usize,
) -> SideBySide {
    let names = package.package().channels.iter().map(|c| escape::display_width(c.name.value.as_str()));
    let options = Options {
        // The remaining columns are for versions and notes.
        columns: (key.width * 3 / 5).saturating_sub(10).max(key.width / 2),
        max_pitch: names.max().unwrap_or(0).min(MAX_NAME_WIDTH) + 1,
        selected: key.channel.clone(),
        first,
    };
    let picture = ground.draw_window(&options);
    match spread_width(&picture, &options, key.width) {
        Some(room) => ground.draw_window(&Options { columns: room, ..options }),
        None => picture,
    }
}

/// Maximum number of columns for the note of a row.
const MAX_NOTE_WIDTH: usize = 40;

/// Returns the width at which all names fit above their strips, if the notes leave enough columns.
fn spread_width(picture: &SideBySide, options: &Options, columns: usize) -> Option<usize> {
    let widest =
        |texts: &mut dyn Iterator<Item = &String>| texts.map(|text| escape::display_width(text)).max();
    let words = widest(&mut picture.rows.iter().map(|row| &row.note)).unwrap_or_default().min(MAX_NOTE_WIDTH);
    let version = widest(&mut picture.rows.iter().map(|row| &row.version)).unwrap_or_default().clamp(7, 20);
    let wanted = picture.channels.len() * options.max_pitch;
    // Notes are below the end of the last name, after the number of channels.
    let beside = version + 6 + words.saturating_sub(options.max_pitch.saturating_sub(Strip::WIDTH + 6));
    (picture.pitch < options.max_pitch && wanted + beside <= columns).then_some(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use olm_check::review::Snapshot;
    use olm_upgrade::fixture;

    #[test]
    fn names_are_not_shortened_if_columns_are_free() {
        let channels =
            ["threescale-2.12", "threescale-2.13", "threescale-2.14", "threescale-mas"].map(|c| (c, "1.0.0"));
        let snapshot = Snapshot::new(fixture::catalog_from_channels(&channels));
        let package_state = snapshot.package("p").unwrap();
        let ground = PreparedChannels::new(&package_state.graph);
        let pitch = |width| {
            let key = SideBySideKey {
                package: SharedRef::from_shared(None),
                marks: SharedRef::from_shared(None),
                channel: None,
                width,
            };
            draw_side_by_side(package_state, &ground, &key, 0).pitch
        };
        assert_eq!((pitch(160), pitch(120)), (16, 16), "each name has its columns");
        assert!(pitch(60) < 16, "words come first");
    }
}
