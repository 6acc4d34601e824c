//! Rows of a difference, each with its navigation target.

use crate::{
    app::keys::Screen,
    catalog::{BundleName, ChannelName, PackageName},
    export::{
        diff::{
            Compared,
            lines::{self, About, Head, Line},
        },
        style::Ink,
    },
};

/// Row of a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Indentation level; 0 for headings.
    pub level: usize,
    /// Mark or word before the text.
    pub head: &'static str,
    /// Style of head and text.
    pub ink: Ink,
    /// The text.
    pub words: String,
    /// Navigation target of the row.
    pub to: To,
}

/// Navigation target in one or both of the compared states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct To {
    /// The package. `None` if the row does not belong to a package.
    pub package: Option<PackageName>,
    /// The channel.
    pub channel: Option<ChannelName>,
    /// The bundle.
    pub bundle: Option<BundleName>,
    /// Screen that shows the target.
    pub screen: Screen,
}

impl To {
    fn of(package: Option<&PackageName>, about: About) -> Self {
        let (channel, bundle, screen) = match about {
            About::Package => (None, None, Screen::Catalog),
            About::Channel(channel) => (Some(channel), None, Screen::Catalog),
            About::Entry(channel, bundle) => (Some(channel), Some(bundle), Screen::Graph),
            About::Bundle(bundle) => (None, Some(bundle), Screen::Catalog),
            About::Users(channel, bundle) => (channel, Some(bundle), Screen::Upgrades),
        };
        Self { package: package.cloned(), channel, bundle, screen }
    }
}

/// Returns all rows of a difference.
pub(in crate::app) fn all(compared: &Compared<'_>) -> Vec<Row> {
    let mut rows = Vec::new();
    for package in compared.difference.packages.iter().filter(|package| !package.means_the_same()) {
        let name = Some(&package.name);
        rows.push(Row {
            level: 0,
            head: Head::Fate(package.fate).label(),
            ink: Ink::Bold,
            words: format!("{}  {}", package.name, lines::heading(package)),
            to: To::of(name, About::Package),
        });
        rows.extend(lines::package(compared, package).into_iter().map(|line| row(name, line)));
    }
    let others = compared.difference.others.iter().map(lines::other);
    let elsewhere: Vec<Line> = others.chain(lines::findings(compared, None)).collect();
    if !elsewhere.is_empty() {
        let to = To::default();
        rows.push(Row { level: 0, head: "", ink: Ink::Bold, words: "elsewhere".to_owned(), to });
        rows.extend(elsewhere.into_iter().map(|line| row(None, line)));
    }
    rows
}

fn row(package: Option<&PackageName>, line: Line) -> Row {
    let (head, ink) = (line.head.label(), line.head.ink());
    Row { level: line.depth + 1, head, ink, words: line.words, to: To::of(package, line.about) }
}
