//! Overview for programs (`docs/cli.md`).

use serde::Serialize;

use super::{Column, SortedOverview};
use olm_plan::overview::{Change, OverviewCell, OverviewRow};

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
