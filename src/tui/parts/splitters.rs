//! Positions of the lines between panes, if the user moved them.

use std::collections::BTreeMap;

/// Movable line between two panes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Splitter {
    /// Right of the package list.
    Packages,
    /// Right of the channel list.
    Channels,
    /// Above the details of the Catalog screen.
    Details,
    /// Above the answers of the Graph screen.
    Graph,
    /// Above the reasons of the Upgrades screen.
    Upgrades,
    /// Above the details of a finding.
    Problems,
    /// Above the details of a deprecation.
    Deprecations,
    /// Above the details of a row of a bundle.
    Inside,
    /// Above the details of a template's image.
    Template,
    /// Above the resolution by OLM Classic.
    Resolve,
    /// Above the details of a package in the overview.
    Overview,
    /// Above the steps of a plan.
    Plan,
}

impl Splitter {
    /// Returns true for a vertical line, which moves left and right.
    pub fn is_vertical(self) -> bool {
        matches!(self, Self::Packages | Self::Channels)
    }

    /// Returns the minimum numbers of columns or rows before and behind the line.
    fn min_sizes(self) -> (u16, u16) {
        match self {
            // Channels and entries are behind the line.
            Self::Packages => (14, 31),
            Self::Channels => (14, 15),
            _ => (3, 4),
        }
    }
}

/// Share of the pane before each moved line, in thousandths of the divided area. Shares keep their
/// meaning if the terminal is resized.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SplitterPositions(BTreeMap<Splitter, u16>);

impl SplitterPositions {
    /// Moves a line to `at` columns or rows behind the start of the divided area of the given
    /// length.
    pub fn set_position(&mut self, splitter: Splitter, at: u16, length: u16) {
        let share = u32::from(at.min(length)) * 1000 / u32::from(length.max(1));
        self.0.insert(splitter, u16::try_from(share).unwrap_or(1000));
    }

    /// Returns the number of columns or rows before a line; `usual` if the user did not move it.
    /// Both panes stay visible if the length permits.
    pub fn size_before(&self, splitter: Splitter, usual: u16, length: u16) -> u16 {
        let Some(share) = self.0.get(&splitter) else { return usual };
        let (least, behind) = splitter.min_sizes();
        let most = length.saturating_sub(behind);
        if most < least {
            return usual;
        }
        let wanted = (u32::from(*share) * u32::from(length) + 500) / 1000;
        u16::try_from(wanted).unwrap_or(most).clamp(least, most)
    }

    /// Restores the default positions of all lines.
    pub fn reset(&mut self) {
        self.0.clear();
    }

    /// Returns true if any line was moved.
    pub fn has_moved(&self) -> bool {
        !self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn unmoved_line_has_default_position() {
        assert_eq!(SplitterPositions::default().size_before(Splitter::Graph, 7, 30), 7);
    }

    proptest! {
        #[test]
        fn moved_line_keeps_position_and_leaves_room_for_both_panes(at in 0u16..300, length in 0u16..300) {
            let mut splits = SplitterPositions::default();
            for splitter in [Splitter::Packages, Splitter::Details] {
                splits.set_position(splitter, at, length);
                let (least, behind) = splitter.min_sizes();
                let before = splits.size_before(splitter, 5, length);
                if length >= least + behind {
                    prop_assert!(before >= least && length - before >= behind);
                    if (least..=length - behind).contains(&at) {
                        prop_assert!(before.abs_diff(at) <= 1, "{before} for {at} of {length}");
                    }
                } else {
                    prop_assert_eq!(before, 5);
                }
            }
        }
    }
}
