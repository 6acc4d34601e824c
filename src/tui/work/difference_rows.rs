//! Rows of a difference, each with its navigation target.

use crate::tui::keys::Screen;
use olm_catalog::{BundleName, ChannelName, PackageName};
use olmap_report::{
    diff::{
        CatalogComparison,
        lines::{self, DifferenceLine, LineKind, LineSubject},
    },
    document::Item,
    style::Ink,
};

/// Row of a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DifferenceRow {
    /// Mark and text; the indentation is 0 for headings.
    pub item: Item,
    /// Navigation target of the row.
    pub target: RowTarget,
}

/// Navigation target in one or both of the compared states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowTarget {
    /// The package. `None` if the row does not belong to a package.
    pub package: Option<PackageName>,
    /// The channel.
    pub channel: Option<ChannelName>,
    /// The bundle.
    pub bundle: Option<BundleName>,
    /// Screen that shows the target.
    pub screen: Screen,
}

impl RowTarget {
    fn from_about(package: Option<&PackageName>, about: LineSubject) -> Self {
        let (channel, bundle, screen) = match about {
            LineSubject::Package => (None, None, Screen::Catalog),
            LineSubject::Channel(channel) => (Some(channel), None, Screen::Catalog),
            LineSubject::Entry(channel, bundle) => (Some(channel), Some(bundle), Screen::Graph),
            LineSubject::Bundle(bundle) => (None, Some(bundle), Screen::Catalog),
            LineSubject::Users(channel, bundle) => (channel, Some(bundle), Screen::Upgrades),
        };
        Self { package: package.cloned(), channel, bundle, screen }
    }
}

/// Returns all rows of a difference.
pub(in crate::tui) fn difference_rows(compared: &CatalogComparison<'_>) -> Vec<DifferenceRow> {
    let mut rows = Vec::new();
    for package in compared.difference.packages.iter().filter(|package| !package.has_same_meaning()) {
        let name = Some(&package.name);
        rows.push(DifferenceRow {
            item: heading(
                LineKind::Fate(package.change_kind).short_label(),
                format!("{}  {}", package.name, lines::package_heading(package)),
            ),
            target: RowTarget::from_about(name, LineSubject::Package),
        });
        rows.extend(lines::package_lines(compared, package).into_iter().map(|line| line_row(name, line)));
    }
    let others = compared.difference.others.iter().map(lines::other_object_line);
    let elsewhere: Vec<DifferenceLine> = others.chain(lines::finding_lines(compared, None)).collect();
    if !elsewhere.is_empty() {
        let item = heading("", "elsewhere".to_owned());
        rows.push(DifferenceRow { item, target: RowTarget::default() });
        rows.extend(elsewhere.into_iter().map(|line| line_row(None, line)));
    }
    rows
}

fn heading(mark: &'static str, text: String) -> Item {
    Item { indent: 0, mark, ink: Ink::Title, text }
}

fn line_row(package: Option<&PackageName>, line: DifferenceLine) -> DifferenceRow {
    DifferenceRow { item: line.to_item(1), target: RowTarget::from_about(package, line.subject) }
}
