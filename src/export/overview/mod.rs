//! Overview of catalogs, for people, programs and pull requests.

mod detail;
mod json;
mod markdown;
mod text;

pub use detail::lines;
pub use json::PackageRow;
pub use markdown::comment;
pub use text::{Channels, text};

use super::{path::Piece, style::Ink};
use crate::{
    plan::overview::{Change, Mark, Overview, Row, some},
    upgrade::{openshift::OpenShift, stuck::brief_numbers},
};

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
pub struct Sorted {
    /// Catalogs.
    pub columns: Vec<Column>,
    /// Packages.
    pub overview: Overview,
}

impl Column {
    /// Returns the columns of catalogs.
    pub fn all<C>(releases: &[crate::plan::series::Release<C>]) -> Vec<Self> {
        let titles = crate::plan::series::titles(releases).into_iter();
        let column = |(title, release): (String, &crate::plan::series::Release<C>)| Self {
            openshift: release.openshift,
            title,
            label: release.label.clone(),
        };
        titles.zip(releases).map(column).collect()
    }
}

/// Renders a cell: the head of the default channel, then signs with counts, worst first.
pub fn cell(row: &Row, nth: usize) -> Vec<Piece> {
    let Some(cell) = row.cells.get(nth).and_then(Option::as_ref) else {
        return vec![if row.is_gone(nth) {
            (Ink::Error, "gone".to_owned())
        } else {
            (Ink::Dim, "-".to_owned())
        }];
    };
    let head = cell
        .head()
        .map_or_else(|| (Ink::Error, "no head".to_owned()), |head| (Ink::Text, head.short.clone()));
    let mut pieces = vec![head];
    match cell.change {
        Some(Change::Lower) => pieces.push((Ink::Error, " lower".to_owned())),
        Some(Change::New) => pieces.push((Ink::Good, " new".to_owned())),
        None => {}
    }
    if cell.stuck.is_none() {
        pieces.push((Ink::Warning, " ? stuck".to_owned()));
    }
    pieces.extend(some(|mark| cell.count(mark)).map(|(mark, count)| {
        let words = match mark {
            Mark::Stuck => format!(" {}", stuck_words(cell.stuck)),
            _ => format!(" {}{count}", mark.sign()),
        };
        (ink(mark), words)
    }));
    pieces
}

/// Formats the number of stuck versions: `141 stuck`, `v1 4 stuck`.
fn stuck_words(stuck: Option<(usize, usize)>) -> String {
    let (classic, v1) = stuck.unwrap_or_default();
    format!("{} stuck", brief_numbers(classic, v1))
}

/// Returns the color of a count.
pub fn ink(mark: Mark) -> Ink {
    match mark {
        _ if mark.is_grave() => Ink::Error,
        Mark::Warnings | Mark::Blocked => Ink::Warning,
        _ => Ink::Note,
    }
}

/// Returns the signs that occur in the cells, each with its meaning.
pub fn legend(overview: &Overview) -> Vec<(Ink, &'static str, String)> {
    let rows = || overview.rows.iter();
    let has = |is: &dyn Fn(&crate::plan::overview::Cell) -> bool| {
        rows().any(|row| row.cells.iter().flatten().any(is))
    };
    let mut legend = Vec::new();
    for mark in Mark::ALL
        .iter()
        .filter(|mark| has(&|cell| some(|mark| cell.count(mark)).any(|(told, _)| told == **mark)))
    {
        legend.push((ink(*mark), mark.sign(), mark.meaning().to_owned()));
    }
    if rows().any(|row| (0..row.cells.len()).any(|nth| row.is_gone(nth))) {
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
pub fn summary(sorted: &Sorted) -> String {
    let count = |count: usize, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
    let (catalogs, packages) = (sorted.columns.len(), sorted.overview.rows.len());
    format!(
        "{} in {}, {} with trouble: errors, stuck versions, gone from a catalog, or a lower head.",
        count(packages, "package"),
        count(catalogs, "catalog"),
        sorted.overview.troubled()
    )
}
