//! Picture in pages. Each page has as many channels as fit, and only the rows of these channels. Its cost depends on its
//! content, not on the number of channels and bundles.

use std::{collections::BTreeSet, ops::Range, sync::Arc};

use super::{Channel, Options, PreparedChannels, Row, Strip, visible_window};

/// Adjacent channels of the picture.
#[derive(Debug)]
pub struct Page {
    /// Indices in [`PreparedChannels::rows`] of the shown rows, each with its row in the strips.
    pub rows: Vec<(usize, usize)>,
    /// Drawings; they have a few more rows than the page shows.
    pub strips: Vec<Strip>,
    /// Columns from one strip to the next.
    pub pitch: usize,
}

impl PreparedChannels {
    /// Returns the bundles, newest first; see [`SideBySide::rows`](super::SideBySide::rows).
    pub fn rows(&self) -> &Arc<[Row]> {
        &self.rows
    }

    /// Returns all channels; see [`SideBySide::channels`](super::SideBySide::channels).
    pub fn channels(&self) -> &Arc<[Channel]> {
        &self.channels
    }

    /// Draws one channel, with only the rows that it needs.
    pub fn draw_alone(&self, number: usize) -> Option<Strip> {
        self.draw_in_rows(number, &needed_rows(self.rows_of_channels(number..number + 1), &BTreeSet::new()))
    }

    /// Returns the page that begins with a channel. If there are several pages, bundles in no channel are on the first.
    pub fn draw_page(&self, first: usize, options: &Options) -> Page {
        let (window, pitch) = visible_window(self.channels.len(), None, options);
        let end = (first + window.len()).min(self.channels.len());
        let mut shown: BTreeSet<usize> = self.rows_of_channels(first..end).collect();
        if window.len() >= self.channels.len() {
            shown.extend(0..self.rows.len());
        } else if first == 0 {
            let spoken_of: BTreeSet<usize> = self.rows_of_channels(0..self.channels.len()).collect();
            shown.extend((0..self.rows.len()).filter(|row| !spoken_of.contains(row)));
        }
        let needed = needed_rows(self.rows_of_channels(first..end), &shown);
        let places = needed.iter().enumerate().filter(|(_, row)| shown.contains(row));
        let rows = places.map(|(place, row)| (*row, place)).collect();
        Page {
            rows,
            strips: (first..end).filter_map(|number| self.draw_in_rows(number, &needed)).collect(),
            pitch,
        }
    }

    /// Returns the rows of some channels.
    fn rows_of_channels(&self, channels: Range<usize>) -> impl Iterator<Item = usize> {
        let known = self.facts.get(channels).unwrap_or_default();
        known.iter().flat_map(|(_, kept)| kept.node_rows()).copied()
    }

    fn draw_in_rows(&self, number: usize, rows: &[usize]) -> Option<Strip> {
        let (_, kept) = self.facts.get(number)?;
        self.draw_strip(number, &kept.restrict_to_rows(rows))
    }
}

/// Returns the rows of the channels, the other shown rows, and two more above each row of a channel. A line may keep these
/// two free, so the same lines fit as in the complete picture.
fn needed_rows(spoken_of: impl Iterator<Item = usize>, shown: &BTreeSet<usize>) -> Vec<usize> {
    let mut rows: BTreeSet<usize> = spoken_of.flat_map(|row| row.saturating_sub(2)..=row).collect();
    rows.extend(shown);
    rows.into_iter().collect()
}
