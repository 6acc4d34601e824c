//! Columns of the list of packages: numbers of versions and of stuck versions.

use crate::tui::{
    screens::packages::{StuckNumbers, view::View},
    widgets::{
        canvas::{Line, piece},
        theme::Ink,
    },
};
use olm_catalog::PackageName;

/// Columns of a package row besides its name and numbers: cursor, marks, scroll bar.
pub(super) const PACKAGE_EXTRA_COLUMNS: usize = 4;
/// Columns of the number of versions, with a blank before it.
const VERSION_COUNT_COLUMNS: usize = 4;

/// Columns of the number of versions that are stuck on v1, with a blank before it.
const STUCK_COLUMNS: usize = 4;
/// Columns of the only number, without the blank before it.
const SAME_COLUMNS: usize = 5;
/// Columns of the number on Classic, without the blank before it.
const CLASSIC_COLUMNS: usize = 7;

/// Widths of the number columns of a package.
pub(super) struct PackageColumns {
    /// Columns of the number of versions. 0 if there is no room.
    pub(super) versions: usize,
    /// Columns of the number of stuck versions with blanks before it. 0 if the catalog has none.
    pub(super) stuck: usize,
    /// Form of these numbers.
    pub(super) numbers: StuckNumbers,
}

impl PackageColumns {
    pub(super) fn new(view: &View<'_>, room: Option<usize>) -> Self {
        let names = view.state.package_names();
        let stuck = match view.state.stuck_numbers() {
            StuckNumbers::None => 0,
            StuckNumbers::Same => SAME_COLUMNS + 2,
            StuckNumbers::ByEngine => CLASSIC_COLUMNS + STUCK_COLUMNS + 2,
        };
        let whole = names.max_width() + PACKAGE_EXTRA_COLUMNS + VERSION_COUNT_COLUMNS + stuck;
        let has_versions = stuck == 0 || room.is_none_or(|room| whole <= room);
        Self {
            versions: if has_versions { VERSION_COUNT_COLUMNS } else { 0 },
            stuck,
            numbers: view.state.stuck_numbers(),
        }
    }

    /// Columns of all numbers.
    pub(super) fn total_width(&self) -> usize {
        self.versions + self.stuck
    }

    /// Returns the heading of the columns, shorter if there is less room. Drops the number of versions if its
    /// heading does not fit.
    pub(super) fn fit_title(&mut self, room: usize) -> String {
        let stuck = match self.numbers {
            StuckNumbers::None => return "bundles ".to_owned(),
            StuckNumbers::Same => format!("{:>1$}  ", "stuck", SAME_COLUMNS + 1),
            StuckNumbers::ByEngine => {
                format!("stuck {:>CLASSIC_COLUMNS$}{:>STUCK_COLUMNS$}  ", "Classic", "v1")
            }
        };
        let shortest = stuck.trim_start_matches("stuck ").to_owned();
        // Blanks separate the word from the number of packages, which would look like its own.
        let whole = format!("  bundles {stuck}");
        if self.versions > 0 && whole.len() <= room {
            return whole;
        }
        self.versions = 0;
        if stuck.len() <= room { stuck } else { shortest }
    }
}

/// Returns the numbers of stuck versions of a package.
pub(super) fn stuck_cells(view: &View<'_>, name: &PackageName, numbers: StuckNumbers) -> Line {
    let catalogs = &view.session.catalogs;
    let cell = |count: Option<usize>, width: usize| match count {
        Some(0) => piece(format!("{:>width$}", "-"), Ink::Dim),
        Some(count) => piece(format!("{count:>width$}"), Ink::Warning),
        None => {
            // `?` if the numbers are unknown; nothing for a package without them.
            let text = catalogs.brief_stuck(name).unwrap_or_default();
            piece(format!("{text:>width$}"), Ink::Warning)
        }
    };
    let counts = catalogs.stuck_counts(name);
    let (classic, v1) = (counts.map(|(classic, _)| classic), counts.map(|(_, v1)| v1));
    match numbers {
        StuckNumbers::None => Vec::new(),
        StuckNumbers::Same => vec![cell(v1, SAME_COLUMNS + 1)],
        StuckNumbers::ByEngine => vec![cell(classic, CLASSIC_COLUMNS + 1), cell(v1, STUCK_COLUMNS)],
    }
}
