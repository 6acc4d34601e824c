//! Overview of catalogs, for people, programs and pull requests.

mod detail;
mod json;
mod markdown;
mod text;

pub use detail::package_detail_lines;
pub use json::PackageRow;
pub use markdown::render_overview_comment;
pub use text::{ChannelLookup, render_overview};

use super::{path::Piece, style::Ink};
use olm_plan::overview::{Change, Overview, OverviewRow, ProblemMark, nonzero_marks};
use olm_upgrade::{openshift::OpenShift, stuck::format_counts};

/// Catalog of an overview.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    /// OpenShift version of the catalog, if known.
    pub openshift: Option<OpenShift>,
    /// Title of the column.
    pub title: String,
    /// Path or image of the catalog.
    pub label: String,
}

/// Overview with its columns, sorted by the caller.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SortedOverview {
    /// Catalogs.
    pub columns: Vec<Column>,
    /// Packages.
    pub overview: Overview,
}

impl Column {
    /// Returns the columns of catalogs.
    pub fn for_releases<C>(releases: &[olm_plan::series::Release<C>]) -> Vec<Self> {
        let titles = olm_plan::series::column_titles(releases).into_iter();
        let column = |(title, release): (String, &olm_plan::series::Release<C>)| Self {
            openshift: release.openshift,
            title,
            label: release.label.clone(),
        };
        titles.zip(releases).map(column).collect()
    }
}

/// Renders a cell: the head of the default channel, then signs with counts, worst first.
pub fn overview_cell_pieces(row: &OverviewRow, nth: usize) -> Vec<Piece> {
    let Some(cell) = row.cells.get(nth).and_then(Option::as_ref) else {
        return vec![if row.is_removed(nth) {
            (Ink::Error, "gone".to_owned())
        } else {
            (Ink::Dim, "-".to_owned())
        }];
    };
    let head = cell
        .head()
        .map_or_else(|| (Ink::Error, "no head".to_owned()), |head| (Ink::Text, head.short_name.clone()));
    let mut pieces = vec![head];
    match cell.change {
        Some(Change::Lower) => pieces.push((Ink::Error, " lower".to_owned())),
        Some(Change::New) => pieces.push((Ink::Good, " new".to_owned())),
        None => {}
    }
    if cell.stuck.is_none() {
        pieces.push((Ink::Warning, " ? stuck".to_owned()));
    }
    pieces.extend(nonzero_marks(|mark| cell.count_marked(mark)).map(|(mark, count)| {
        let words = match mark {
            ProblemMark::Stuck => format!(" {}", format_stuck_counts(cell.stuck)),
            _ => format!(" {}{count}", mark.sign()),
        };
        (mark_ink(mark), words)
    }));
    pieces
}

/// Formats the number of stuck versions: `141 stuck`, `v1 4 stuck`.
fn format_stuck_counts(stuck: Option<(usize, usize)>) -> String {
    let (classic, v1) = stuck.unwrap_or_default();
    format!("{} stuck", format_counts(classic, v1))
}

/// Returns the color of a count.
pub fn mark_ink(mark: ProblemMark) -> Ink {
    match mark {
        _ if mark.is_severe() => Ink::Error,
        ProblemMark::Warnings | ProblemMark::BlocksUntilUpgraded => Ink::Warning,
        _ => Ink::Note,
    }
}

/// Returns the signs that occur in the cells, each with its meaning.
pub fn overview_legend(overview: &Overview) -> Vec<(Ink, &'static str, String)> {
    let rows = || overview.rows.iter();
    let has = |is: &dyn Fn(&olm_plan::overview::OverviewCell) -> bool| {
        rows().any(|row| row.cells.iter().flatten().any(is))
    };
    let mut legend = Vec::new();
    for mark in ProblemMark::ALL.iter().filter(|mark| {
        has(&|cell| nonzero_marks(|mark| cell.count_marked(mark)).any(|(told, _)| told == **mark))
    }) {
        legend.push((mark_ink(*mark), mark.sign(), mark.meaning().to_owned()));
    }
    if rows().any(|row| (0..row.cells.len()).any(|nth| row.is_removed(nth))) {
        legend.push((Ink::Error, "gone", "the catalog before has the package".to_owned()));
    }
    if has(&|cell| cell.change == Some(Change::Lower)) {
        legend.push((Ink::Error, "lower", "the head is lower than in the catalog before".to_owned()));
    }
    if has(&|cell| cell.change == Some(Change::New)) {
        legend.push((Ink::Good, "new", "the catalog before does not have the package".to_owned()));
    }
    legend
}

/// Returns the totals and the number of packages with problems.
pub fn summarize_overview(sorted: &SortedOverview) -> String {
    let count = |count: usize, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
    let (catalogs, packages) = (sorted.columns.len(), sorted.overview.rows.len());
    format!(
        "{} in {}, {} with trouble: errors, stuck versions, gone from a catalog, or a lower head.",
        count(packages, "package"),
        count(catalogs, "catalog"),
        sorted.overview.count_troubled()
    )
}
