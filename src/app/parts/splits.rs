//! Where the lines between panes are, once somebody moved them.

use std::collections::BTreeMap;

/// A line between two panes that can be moved.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Splitter {
    /// Right of the packages.
    Packages,
    /// Right of the channels.
    Channels,
    /// Above the details of the Catalog screen.
    Details,
    /// Above the answers of the Graph screen.
    Graph,
    /// Above the reasons of the Upgrades screen.
    Upgrades,
    /// Above what is known of a finding.
    Problems,
    /// Above what is known of a deprecation.
    Deprecations,
    /// Above what there is to say of a row of a bundle.
    Inside,
    /// Above what is known of an image of a template.
    Template,
    /// Above what OLM Classic makes of a assumed cluster.
    Resolve,
    /// Above what is said of a package in the overview.
    Overview,
    /// Above the stops of a plan.
    Plan,
}

impl Splitter {
    /// Whether it goes from top to bottom, so that it moves to the left and right.
    pub fn is_upright(self) -> bool {
        matches!(self, Self::Packages | Self::Channels)
    }

    /// The fewest columns or rows that what is before it keeps, and what is behind it.
    fn least(self) -> (u16, u16) {
        match self {
            // Channels and entries are behind it.
            Self::Packages => (14, 31),
            Self::Channels => (14, 15),
            _ => (3, 4),
        }
    }
}

/// The share, in thousandths, that the pane before a line has of what it divides. A share and not a number of cells, so
/// that it means the same in a terminal of another size.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Splits(BTreeMap<Splitter, u16>);

impl Splits {
    /// Puts a line so many columns or rows behind the beginning of what it divides, of so many in all.
    pub fn put(&mut self, splitter: Splitter, at: u16, length: u16) {
        let share = u32::from(at.min(length)) * 1000 / u32::from(length.max(1));
        self.0.insert(splitter, u16::try_from(share).unwrap_or(1000));
    }

    /// How many columns or rows, of so many, lie before a line; `usual` where nobody moved it. Neither pane vanishes as
    /// long as there is room for both.
    pub fn before(&self, splitter: Splitter, usual: u16, length: u16) -> u16 {
        let Some(share) = self.0.get(&splitter) else { return usual };
        let (least, behind) = splitter.least();
        let most = length.saturating_sub(behind);
        if most < least {
            return usual;
        }
        let wanted = (u32::from(*share) * u32::from(length) + 500) / 1000;
        u16::try_from(wanted).unwrap_or(most).clamp(least, most)
    }

    /// Puts all lines back to where they usually are.
    pub fn reset(&mut self) {
        self.0.clear();
    }

    /// Whether any line was moved.
    pub fn is_moved(&self) -> bool {
        !self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_line_that_nobody_moved_is_where_it_usually_is() {
        assert_eq!(Splits::default().before(Splitter::Graph, 7, 30), 7);
    }

    proptest! {
        #[test]
        fn a_line_is_where_it_was_put_and_leaves_room_for_both_panes(at in 0u16..300, length in 0u16..300) {
            let mut splits = Splits::default();
            for splitter in [Splitter::Packages, Splitter::Details] {
                splits.put(splitter, at, length);
                let (least, behind) = splitter.least();
                let before = splits.before(splitter, 5, length);
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
