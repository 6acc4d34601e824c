//! The picture in pages: as many channels at a time as fit, each page with the rows only that its channels speak of. So
//! it costs what is on it, however many channels and bundles there are.

use std::{collections::BTreeSet, ops::Range, sync::Arc};

use super::{Channel, Ground, Options, Row, Strip, window};

/// Some channels that stand beside each other.
#[derive(Debug)]
pub struct Page {
    /// The numbers of their bundles and of those that are shown with them, in [`Ground::rows`], each with its place in
    /// the strips.
    pub rows: Vec<(usize, usize)>,
    /// The drawings, in a few more rows than are shown.
    pub strips: Vec<Strip>,
    /// Columns from one strip to the next.
    pub pitch: usize,
}

impl Ground {
    /// The bundles, newest on top; see [`SideBySide::rows`](super::SideBySide::rows).
    pub fn rows(&self) -> &Arc<[Row]> {
        &self.rows
    }

    /// All channels; see [`SideBySide::channels`](super::SideBySide::channels).
    pub fn channels(&self) -> &Arc<[Channel]> {
        &self.channels
    }

    /// The drawing of one channel, in no more rows than it needs.
    pub fn alone(&self, number: usize) -> Option<Strip> {
        self.drawn_in(number, &needed(self.spoken_of(number..number + 1), &BTreeSet::new()))
    }

    /// The page that begins with a channel: those from there on that fit. Where they are not all, bundles that no channel
    /// speaks of are on the first.
    pub fn page(&self, first: usize, options: &Options) -> Page {
        let (window, pitch) = window(self.channels.len(), None, options);
        let end = (first + window.len()).min(self.channels.len());
        let mut shown: BTreeSet<usize> = self.spoken_of(first..end).collect();
        if window.len() >= self.channels.len() {
            shown.extend(0..self.rows.len());
        } else if first == 0 {
            let spoken_of: BTreeSet<usize> = self.spoken_of(0..self.channels.len()).collect();
            shown.extend((0..self.rows.len()).filter(|row| !spoken_of.contains(row)));
        }
        let needed = needed(self.spoken_of(first..end), &shown);
        let places = needed.iter().enumerate().filter(|(_, row)| shown.contains(row));
        let rows = places.map(|(place, row)| (*row, place)).collect();
        Page {
            rows,
            strips: (first..end).filter_map(|number| self.drawn_in(number, &needed)).collect(),
            pitch,
        }
    }

    /// The rows in which some channels have a bundle.
    fn spoken_of(&self, channels: Range<usize>) -> impl Iterator<Item = usize> {
        let known = self.known.get(channels).unwrap_or_default();
        known.iter().flat_map(|(_, kept)| kept.row()).copied()
    }

    fn drawn_in(&self, number: usize, rows: &[usize]) -> Option<Strip> {
        let (_, kept) = self.known.get(number)?;
        self.drawn(number, &kept.in_some_of(rows))
    }
}

/// Rows that channels speak of, others that are shown, and the two right above each of the former, which a line may keep free
/// for itself: so the same lines find room as if all rows were there.
fn needed(spoken_of: impl Iterator<Item = usize>, shown: &BTreeSet<usize>) -> Vec<usize> {
    let mut rows: BTreeSet<usize> = spoken_of.flat_map(|row| row.saturating_sub(2)..=row).collect();
    rows.extend(shown);
    rows.into_iter().collect()
}
