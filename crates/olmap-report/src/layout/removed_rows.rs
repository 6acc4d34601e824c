//! Rows of bundles that left a channel, among its current rows. They are not part of the picture: its lines pass them.

use super::{channel::Layout, fold::FoldLine};
use olm_version::VersionRelease;

/// Returns the index of the first version, newest first, that is lower than a given one: the row below it. `None` if all
/// versions are higher.
pub fn insert_position<'a>(
    versions: impl Iterator<Item = Option<&'a VersionRelease>>,
    of: Option<&VersionRelease>,
) -> Option<usize> {
    let of = of?;
    versions
        .enumerate()
        .find(|(_, known)| known.is_some_and(|known| known.cmp_precedence(of).is_lt()))
        .map(|at| at.0)
}

impl Layout {
    /// Inserts rows for bundles that left the channel, sorted by version. Each has its number and version. Splits folds
    /// around them.
    #[must_use]
    pub fn with_removed(
        &self,
        lines: Vec<FoldLine>,
        gone: &[(usize, Option<&VersionRelease>)],
    ) -> Vec<FoldLine> {
        if gone.is_empty() {
            return lines;
        }
        let versions: Vec<Option<VersionRelease>> =
            self.rows.iter().map(|row| VersionRelease::parse(&row.version, "").ok()).collect();
        let above = |version| {
            insert_position(versions.iter().map(Option::as_ref), version).unwrap_or(self.rows.len())
        };
        let mut gone: Vec<(usize, usize)> =
            gone.iter().map(|(number, version)| (above(*version), *number)).collect();
        gone.sort_by_key(|(above, _)| *above);
        let mut gone = gone.into_iter().peekable();
        let mut all = Vec::with_capacity(lines.len() + gone.len());
        for line in lines {
            let mut rest = line;
            while let Some((above, number)) = gone.next_if(|(above, _)| *above < rest.row_range().end) {
                let (upper, lower) = rest.split_at_row(above);
                all.extend(upper);
                all.push(FoldLine::Removed { above, number });
                rest = lower;
            }
            all.push(rest);
        }
        all.extend(gone.map(|(above, number)| FoldLine::Removed { above, number }));
        all
    }
}

impl FoldLine {
    /// Splits the line at a row. Returns the part above it, if any, and the rest.
    fn split_at_row(self, row: usize) -> (Option<Self>, Self) {
        let rows = self.row_range();
        if row <= rows.start || row >= rows.end {
            return (None, self);
        }
        let (upper, lower) = (rows.start..row, row..rows.end);
        match self {
            Self::Alike(_) => (Some(Self::Alike(upper)), Self::Alike(lower)),
            Self::NotFound(_) => (Some(Self::NotFound(upper)), Self::NotFound(lower)),
            Self::BelowFloor(_) => (Some(Self::BelowFloor(upper)), Self::BelowFloor(lower)),
            Self::Row(_) | Self::Removed { .. } => (None, self),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{FoldOptions, Options, draw_layout};
    use olm_upgrade::fixture;

    fn format_lines_with_removed(dull: bool, gone: &[&str]) -> String {
        let entries =
            "9.0.0 replaces=8.0.0\n8.0.0 replaces=7.0.0\n7.0.0 replaces=6.0.0\n6.0.0 replaces=5.0.0\n5.0.0";
        let package = fixture::graph_from_lines(entries);
        let picture = draw_layout(&package, &package.channels()[0], &Options::default());
        let versions: Vec<Option<VersionRelease>> =
            gone.iter().map(|version| VersionRelease::parse(version, "").ok()).collect();
        let gone: Vec<_> = versions.iter().map(Option::as_ref).enumerate().collect();
        let lines = picture.with_removed(
            picture.fold_lines(FoldOptions { fold_alike: dull, ..FoldOptions::default() }),
            &gone,
        );
        let told = lines.iter().map(|line| match line {
            FoldLine::Row(row) => picture.rows[*row].version.clone(),
            FoldLine::Removed { number, .. } => {
                format!("-{}", versions[*number].as_ref().map(ToString::to_string).unwrap_or_default())
            }
            folded => format!("{:?}", folded.row_range()),
        });
        told.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn removed_bundle_is_sorted_by_version() {
        assert_eq!(format_lines_with_removed(false, &[]), "9.0.0 8.0.0 7.0.0 6.0.0 5.0.0");
        assert_eq!(
            format_lines_with_removed(false, &["10.0.0", "7.5.0", "7.1.0", "1.0.0", "none"]),
            "-10.0.0 9.0.0 8.0.0 -7.5.0 -7.1.0 7.0.0 6.0.0 5.0.0 -1.0.0 -"
        );
    }

    #[test]
    fn fold_is_split_at_removed_bundle() {
        assert_eq!(format_lines_with_removed(true, &[]), "9.0.0 1..4 5.0.0");
        assert_eq!(format_lines_with_removed(true, &["6.5.0"]), "9.0.0 1..3 -6.5.0 3..4 5.0.0");
    }
}
