//! Overview of catalogs, for people, programs and pull requests.

mod detail;
mod text;

pub use detail::package_detail_lines;

pub use text::{ChannelLookup, render_overview};

use std::fmt::Write as _;

use serde::Serialize;

use super::{path::Piece, style::Ink};
use crate::markdown::{MAX_BYTES, escape_markdown};
use olm_plan::overview::{Change, Overview, OverviewCell, OverviewRow, ProblemMark, nonzero_marks};
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

/// Renders a table with a row per package and a column per catalog; problems are in words.
pub fn render_overview_comment(sorted: &SortedOverview) -> String {
    let mut out = format!("{}\n", summarize_overview(sorted));
    if sorted.overview.rows.is_empty() {
        return out;
    }
    let titles: Vec<String> = sorted.columns.iter().map(|column| escape_markdown(&column.title)).collect();
    let titles = titles.join(" | ");
    let _ = writeln!(out, "\n| package | {titles} |\n|---|{}", "---|".repeat(sorted.columns.len()));
    let mut left = 0;
    for row in &sorted.overview.rows {
        let cells: Vec<String> =
            (0..sorted.columns.len()).map(|nth| render_overview_cell(row, nth)).collect();
        let cells = cells.join(" | ");
        let line = format!("| {} | {cells} |\n", escape_markdown(row.package.as_str()));
        if out.len() + line.len() > MAX_BYTES {
            left += 1;
        } else {
            out.push_str(&line);
        }
    }
    if left > 0 {
        let _ = writeln!(out, "\nAnd {left} more: `olmap overview` shows them all.");
    }
    out
}

fn render_overview_cell(row: &OverviewRow, nth: usize) -> String {
    let Some(cell) = row.cells.get(nth).and_then(Option::as_ref) else {
        return if row.is_removed(nth) { "**gone**" } else { "" }.to_owned();
    };
    let mut out =
        cell.head().map_or_else(|| "**no head**".to_owned(), |head| escape_markdown(&head.short_name));
    match cell.change {
        Some(Change::Lower) => out.push_str(", **lower than before**"),
        Some(Change::New) => out.push_str(", new"),
        None => {}
    }
    for (mark, count) in nonzero_marks(|mark| cell.count_marked(mark)) {
        let words = if mark == ProblemMark::Stuck {
            format_stuck_counts(cell.stuck)
        } else {
            mark.format_count(count)
        };
        let _ = if mark.is_severe() { write!(out, ", **{words}**") } else { write!(out, ", {words}") };
    }
    out
}

/// Package as `olmap overview -o json` prints it.
#[derive(Debug, Serialize)]
pub struct PackageRow<'a> {
    package: &'a str,
    /// One cell per catalog, in order; null if the catalog does not have the package.
    cells: Vec<Option<CellRow<'a>>>,
    /// Catalogs without the package although the previous catalog has it.
    gone: Vec<&'a str>,
}

#[derive(Debug, Serialize)]
struct CellRow<'a> {
    catalog: &'a str,
    openshift: Option<String>,
    default_channel: Option<&'a str>,
    head: Option<&'a str>,
    version: Option<String>,
    bundles: usize,
    versions: usize,
    /// Stuck versions of the package on OLM Classic.
    stuck: Option<usize>,
    /// Stuck versions of the package on OLM v1.
    v1_stuck: Option<usize>,
    dead_ends: usize,
    escaping: usize,
    deprecated: usize,
    unanswered: usize,
    blocked: Option<usize>,
    blocked_for_good: Option<usize>,
    errors: usize,
    warnings: usize,
    change: Option<&'static str>,
}

impl<'a> PackageRow<'a> {
    /// Returns the rows of an overview.
    pub fn rows_for_overview(sorted: &'a SortedOverview) -> Vec<Self> {
        sorted.overview.rows.iter().map(|row| Self::from_overview_row(row, &sorted.columns)).collect()
    }

    fn from_overview_row(row: &'a OverviewRow, columns: &'a [Column]) -> Self {
        let cells = row.cells.iter().zip(columns);
        let gone = columns.iter().enumerate().filter(|(nth, _)| row.is_removed(*nth));
        Self {
            package: row.package.as_str(),
            cells: cells
                .map(|(cell, column)| Some(CellRow::from_overview_cell(cell.as_ref()?, column)))
                .collect(),
            gone: gone.map(|(_, column)| column.label.as_str()).collect(),
        }
    }
}

impl<'a> CellRow<'a> {
    fn from_overview_cell(cell: &'a OverviewCell, column: &'a Column) -> Self {
        let health = cell.health.as_ref();
        let count = |of: fn(&olm_plan::overview::ChannelHealth) -> usize| health.map_or(0, of);
        let blocked = health.and_then(|health| health.blocked);
        Self {
            catalog: &column.label,
            openshift: column.openshift.map(|version| version.to_string()),
            default_channel: cell.default_channel.as_ref().map(AsRef::as_ref),
            head: cell.head().map(|head| head.bundle.as_str()),
            version: cell.head().and_then(|head| head.version.as_ref()).map(ToString::to_string),
            bundles: cell.bundles,
            versions: count(|health| health.versions),
            stuck: cell.stuck.map(|(classic, _)| classic),
            v1_stuck: cell.stuck.map(|(_, v1)| v1),
            dead_ends: count(|health| health.dead_ends),
            escaping: count(|health| health.escaping),
            deprecated: count(|health| health.deprecated),
            unanswered: count(|health| health.unanswered),
            blocked_for_good: blocked.and_then(|_| health.map(|health| health.blocked_for_good)),
            blocked,
            errors: cell.errors,
            warnings: cell.warnings,
            change: cell.change.map(|change| match change {
                Change::New => "new",
                Change::Lower => "lower",
            }),
        }
    }
}
