//! Comparison of two states of a catalog, prepared for display: rows, change marks of entries, and rows
//! for removed entries.

use std::{collections::HashMap, sync::Arc};

use crate::tui::{keys::Screen, parts::memo::SharedRef};
use olm_catalog::{
    BundleName, ChannelName, PackageName,
    blob::{DeprecationTarget, EntrySpec},
    package::{Package, version_in_name},
};
use olm_check::review::{
    Difference, PackageState, Snapshot,
    diff::{ChangeKind, Impact, PackageDiff},
};
use olm_version::VersionRelease;
use olmap_report::{
    diff::{
        CatalogComparison,
        lines::{self, DifferenceLine, LineKind, LineSubject},
        pull_request,
    },
    document::Item,
    omissions::OmittedPart,
    stuck_changes::impact_ink,
    style::Ink,
};

/// Builds the input for exports of a difference.
fn build_export_input<'a>(
    [old_label, new_label]: [&'a str; 2],
    difference: &'a Difference,
) -> CatalogComparison<'a> {
    let of_side = |side: &Snapshot| {
        [OmittedPart::unread_in_catalog(&side.catalog), OmittedPart::unchecked_in_packages(side, |_| true)]
    };
    let left_out =
        [difference.before(), difference.after()].into_iter().flat_map(of_side).flatten().collect();
    CatalogComparison {
        old_label,
        new_label,
        difference,
        violations: &[],
        left_out,
        formatting: false,
        update: None,
    }
}

/// Two states of a catalog, their difference, and its rows.
#[derive(Debug)]
pub struct Comparison {
    before: Arc<Snapshot>,
    after: Arc<Snapshot>,
    /// The difference between the states.
    pub difference: Difference,
    /// Number of packages that differ in meaning.
    pub changed_packages: usize,
    /// Impact on users with a description each, worst first.
    pub impacts: Vec<(Impact, String)>,
    /// Parts of both states that could not be read and are not compared, one sentence each.
    pub left_out: Vec<String>,
    /// Rows of the Changes screen.
    pub rows: Vec<DifferenceRow>,
}

/// Compared catalogs with the labels of both sides, for a pull request.
#[derive(Clone, PartialEq, Debug)]
pub struct LabeledComparison {
    /// The catalogs.
    pub catalogs: Vec<ComparedCatalog>,
    /// Label of the old side.
    pub old: String,
    /// Label of the new side.
    pub new: String,
}

/// Two states of a catalog.
#[derive(Clone, PartialEq, Debug)]
pub struct ComparedCatalog {
    /// Display name of the catalog.
    pub label: String,
    /// The old state.
    pub before: SharedRef<Snapshot>,
    /// The new state.
    pub after: SharedRef<Snapshot>,
    /// The comparison, if it is known.
    pub comparison: SharedRef<Comparison>,
}

impl LabeledComparison {
    /// Renders the text for a pull request. Compares the states first if their comparison is not known, which takes
    /// longer than a frame.
    pub fn render_markdown(&self) -> String {
        let compare = |catalog: &ComparedCatalog| {
            if let Some(known) = catalog.comparison.shared() {
                return Some(Arc::clone(known));
            }
            let states = catalog.before.shared().cloned().zip(catalog.after.shared().cloned());
            states.map(|(before, after)| Arc::new(Comparison::compare_states(before, after)))
        };
        let compared = self.catalogs.iter().filter_map(|catalog| Some((catalog, compare(catalog)?)));
        let compared: Vec<_> = compared.collect();
        let sides: Vec<[String; 2]> = compared
            .iter()
            .map(|(catalog, _)| match compared.len() {
                1 => [self.old.clone(), self.new.clone()],
                _ => [format!("{} of {}", self.old, catalog.label), self.new.clone()],
            })
            .collect();
        let inputs: Vec<_> = compared
            .iter()
            .zip(&sides)
            .map(|((catalog, comparison), [old, new])| {
                (catalog.label.as_str(), build_export_input([old, new], &comparison.difference))
            })
            .collect();
        pull_request::render_pull_request(&inputs)
    }

    /// Returns true if the text can be rendered at once.
    pub fn is_compared(&self) -> bool {
        self.catalogs.iter().all(|catalog| catalog.comparison.get().is_some())
    }
}

impl Comparison {
    /// Compares two states on all cores. This takes longer than a frame.
    pub fn compare_states(before: Arc<Snapshot>, after: Arc<Snapshot>) -> Self {
        let difference = Difference::compare_catalogs(&before, &after);
        let compared = build_export_input(["", ""], &difference);
        let users = compared.describe_impacts();
        let rows = difference_rows(&compared);
        let packages = compared.count_differing_packages();
        let left_out = compared.left_out.iter().map(OmittedPart::describe_omission).collect();
        Self { before, after, difference, changed_packages: packages, impacts: users, left_out, rows }
    }

    /// Compares only the packages that unsaved edits touched. The result has marks but no rows for
    /// the Changes screen.
    pub(in crate::tui) fn from_edits(before: Arc<Snapshot>, after: Arc<Snapshot>) -> Self {
        let difference = Difference::compare_touched(&before, &after);
        let packages = difference.packages.iter().filter(|package| !package.has_same_meaning()).count();
        let (users, left_out, rows) = (Vec::new(), Vec::new(), Vec::new());
        Self { before, after, difference, changed_packages: packages, impacts: users, left_out, rows }
    }

    /// Returns the old state.
    pub(in crate::tui) fn before(&self) -> &Arc<Snapshot> {
        &self.before
    }

    /// Returns the new state.
    pub(in crate::tui) fn after(&self) -> &Arc<Snapshot> {
        &self.after
    }

    /// Returns true if the comparison is between exactly these two states.
    pub(in crate::tui) fn is_between(&self, before: &Arc<Snapshot>, after: &Arc<Snapshot>) -> bool {
        Arc::ptr_eq(&self.before, before) && Arc::ptr_eq(&self.after, after)
    }

    /// Returns the difference of a package, if it changes the meaning.
    pub fn changed_package(&self, name: &PackageName) -> Option<&PackageDiff> {
        // The packages are sorted by name.
        let packages = &self.difference.packages;
        let at = packages.binary_search_by(|package| package.name.as_str().cmp(name.as_str())).ok()?;
        packages.get(at).filter(|package| !package.has_same_meaning())
    }

    /// Returns the differences of the packages that change the meaning, in order.
    pub fn differing_packages(&self) -> impl Iterator<Item = &PackageDiff> {
        self.difference.packages.iter().filter(|package| !package.has_same_meaning())
    }

    /// Returns the names of the removed packages in order.
    pub fn removed_packages(&self) -> impl Iterator<Item = &PackageName> {
        let packages = self.difference.packages.iter();
        packages.filter(|package| package.change_kind == ChangeKind::Removed).map(|package| &package.name)
    }

    /// Returns the number of removed packages.
    pub fn removed_package_count(&self) -> usize {
        self.difference.packages.iter().filter(|package| package.change_kind == ChangeKind::Removed).count()
    }
}

/// Row of a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DifferenceRow {
    /// Mark and text; the indentation is 0 for headings.
    pub item: Item,
    /// Navigation target of the row.
    pub target: RowTarget,
    /// Index of the row where the changes of the package start. `None` unless the row summarizes
    /// the impact of a package.
    pub details: Option<usize>,
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
            LineSubject::Package => (None, None, Screen::Packages),
            LineSubject::Channel(channel) => (Some(channel), None, Screen::Packages),
            LineSubject::Entry(channel, bundle) => (Some(channel), Some(bundle), Screen::Graph),
            LineSubject::Bundle(bundle) => (None, Some(bundle), Screen::Packages),
            LineSubject::Users(channel, bundle) => (channel, Some(bundle), Screen::Upgrades),
        };
        Self { package: package.cloned(), channel, bundle, screen }
    }
}

/// Returns all rows of a difference. If several packages affect users, a summary row for each comes
/// first. Packages with harm come before the others.
pub(in crate::tui) fn difference_rows(compared: &CatalogComparison<'_>) -> Vec<DifferenceRow> {
    let mut rows = Vec::new();
    let packages = compared.packages_by_harm().into_iter();
    for package in packages.filter(|package| !package.has_same_meaning()) {
        let name = Some(&package.name);
        rows.push(DifferenceRow {
            item: heading(
                LineKind::Fate(package.change_kind).short_label(),
                format!("{}  {}", package.name, lines::package_heading(package)),
            ),
            target: RowTarget::from_about(name, LineSubject::Package),
            details: None,
        });
        // What harms users comes first, then what is different.
        let (harm, others): (Vec<_>, Vec<_>) =
            lines::package_lines(compared, package, lines::UserLines::Full)
                .into_iter()
                // The entries of a removed package are listed on Packages.
                .filter(|line| line.depth == 0 || package.change_kind != ChangeKind::Removed)
                .partition(|line| line.head.is_harm());
        rows.extend(harm.into_iter().chain(others).map(|line| line_row(name, line)));
    }
    let others = compared.difference.others.iter().map(lines::other_object_line);
    let elsewhere: Vec<DifferenceLine> = others.chain(lines::finding_lines(compared, None)).collect();
    if !elsewhere.is_empty() {
        let item = heading("", "elsewhere".to_owned());
        rows.push(DifferenceRow { item, target: RowTarget::default(), details: None });
        rows.extend(elsewhere.into_iter().map(|line| line_row(None, line)));
    }
    let mut summary = summary_rows(compared, &rows);
    summary.append(&mut rows);
    summary
}

/// Returns a row with the impact of each package. Empty if fewer than two packages affect users.
fn summary_rows(compared: &CatalogComparison<'_>, rows: &[DifferenceRow]) -> Vec<DifferenceRow> {
    let impacts = compared.describe_impacts_by_package();
    let headings: HashMap<&PackageName, usize> = rows
        .iter()
        .enumerate()
        .filter(|(_, row)| row.item.indent == 0)
        .filter_map(|(at, row)| Some((row.target.package.as_ref()?, at)))
        .collect();
    let impacts: Vec<_> = impacts.into_iter().filter(|(name, _)| headings.contains_key(name)).collect();
    if impacts.len() < 2 {
        return Vec::new();
    }
    let width = impacts.iter().map(|(name, _)| name.as_str().len()).max().unwrap_or_default();
    let count = impacts.len();
    let summary = impacts.into_iter().map(|(name, impacts)| {
        let ink = impacts.first().map_or(Ink::Text, |(impact, _)| impact_ink(*impact));
        let words: Vec<String> = impacts.into_iter().map(|(_, words)| words).collect();
        let text = format!("{:width$}  {}", name.as_str(), words.join(", "));
        DifferenceRow {
            item: Item { indent: 0, mark: "", ink, text },
            target: RowTarget::from_about(Some(name), LineSubject::Package),
            details: headings.get(name).map(|at| count + at),
        }
    });
    summary.collect()
}

fn heading(mark: &'static str, text: String) -> Item {
    Item { indent: 0, mark, ink: Ink::Title, text }
}

fn line_row(package: Option<&PackageName>, line: DifferenceLine) -> DifferenceRow {
    DifferenceRow {
        item: line.to_item(1),
        target: RowTarget::from_about(package, line.subject),
        details: None,
    }
}

/// Removed entry.
#[derive(Clone, PartialEq, Debug)]
pub struct RemovedEntry {
    /// The bundle.
    pub name: BundleName,
    /// Short name of the bundle.
    pub label: String,
    /// Version, which sets the position among the rows.
    pub version: Option<VersionRelease>,
    /// The edges of the removed entry, or the channels the bundle was in.
    pub previous: String,
}

impl RemovedEntry {
    fn new(name: &BundleName, had: String, before: Option<&Package>) -> Self {
        let version = before.and_then(|package| package.bundle_version(name.as_str())).cloned();
        let named = || VersionRelease::parse(version_in_name(name.as_str())?, "").ok();
        let label = before.map_or_else(|| name.to_string(), |package| package.short_name(name));
        Self { version: version.or_else(named), name: name.clone(), label, previous: had }
    }
}

/// Change marks of the entries of a channel or package.
#[derive(Clone, Default, Debug)]
pub struct ChangeMarks {
    fates: HashMap<BundleName, ChangeKind>,
    /// Removed entries that no other entry names, newest first. Each has its own row.
    pub removed: Vec<RemovedEntry>,
    /// Removed entries that other entries still name. They are already rows of the graph.
    removed_but_named: Vec<RemovedEntry>,
}

impl ChangeMarks {
    /// Returns the change marks of a channel.
    pub(in crate::tui) fn for_channel(
        comparison: &Comparison,
        package: &PackageName,
        channel: &ChannelName,
    ) -> Self {
        let Some(diff) = comparison.changed_package(package) else { return Self::default() };
        let before = comparison
            .before()
            .package(package.as_str())
            .map(|package_state| package_state.package().as_ref());
        let now = comparison.after().package(package.as_str());
        let graph = now.and_then(|now| now.graph.channel(channel.as_str())).map(|channel| &channel.graph);
        let mut marks = Self { fates: changed_bundles(diff), ..Self::default() };
        for entry in diff.find_channel(channel.as_str()).into_iter().flat_map(|channel| &channel.entries) {
            if let (ChangeKind::Removed, Some(spec)) = (entry.change_kind(), &entry.before) {
                let gone = RemovedEntry::new(&entry.name, describe_edges(spec, before), before);
                let is_named = graph.is_some_and(|graph| graph.find_node(entry.name.as_str()).is_some());
                if is_named { &mut marks.removed_but_named } else { &mut marks.removed }.push(gone);
            }
            marks.fates.insert(entry.name.clone(), entry.change_kind());
        }
        marks
    }

    /// Returns the change marks of a package over all channels. An entry is new if no channel had
    /// it before, and removed if no channel has it now.
    pub(in crate::tui) fn for_package(comparison: &Comparison, package: &PackageName) -> Self {
        let Some(diff) = comparison.changed_package(package) else { return Self::default() };
        let (before, now) =
            (comparison.before().package(package.as_str()), comparison.after().package(package.as_str()));
        let is_in = |package_state: Option<&std::sync::Arc<PackageState>>, name: &BundleName| {
            package_state
                .is_some_and(|package_state| package_state.package().channels_with(name).next().is_some())
        };
        let mut marks = Self { fates: changed_bundles(diff), ..Self::default() };
        for entry in diff.channels.iter().flat_map(|channel| &channel.entries) {
            let name = &entry.name;
            let fate = match (is_in(before, name), is_in(now, name)) {
                (false, _) => ChangeKind::Added,
                (true, false) => ChangeKind::Removed,
                (true, true) => ChangeKind::Changed,
            };
            if marks.fates.insert(name.clone(), fate) == Some(ChangeKind::Removed)
                || fate != ChangeKind::Removed
            {
                continue;
            }
            let before = before.map(|package_state| package_state.package().as_ref());
            let channels = before.into_iter().flat_map(|package| package.channels_with(name));
            let channels: Vec<&str> = channels.map(|channel| channel.name.value.as_str()).collect();
            let gone = RemovedEntry::new(name, format!("was in {}", channels.join(", ")), before);
            let is_named = now.is_some_and(|now| is_bundle_named(now, name));
            if is_named { &mut marks.removed_but_named } else { &mut marks.removed }.push(gone);
        }
        marks
    }

    /// Returns the change of an entry.
    pub fn entry_change(&self, name: &BundleName) -> Option<ChangeKind> {
        self.fates.get(name).copied()
    }

    /// Returns the mark character of each changed entry.
    pub(in crate::tui) fn mark_characters(&self) -> HashMap<BundleName, char> {
        self.fates.iter().map(|(name, fate)| (name.clone(), fate.diff_mark())).collect()
    }

    /// Returns a removed entry.
    pub fn removed_entry(&self, name: &BundleName) -> Option<&RemovedEntry> {
        // Called for every row of every frame.
        let gone = || self.removed.iter().chain(&self.removed_but_named).find(|gone| gone.name == *name);
        (self.entry_change(name) == Some(ChangeKind::Removed)).then(gone)?
    }
}

/// Returns true if a package has a bundle, or one of its channels names it.
pub(in crate::tui) fn is_bundle_named(package: &PackageState, bundle: &BundleName) -> bool {
    package.package().bundle(bundle.as_str()).is_some()
        || package.graph.channels().iter().any(|channel| channel.graph.find_node(bundle.as_str()).is_some())
}

/// Returns the bundles whose blob or deprecation changed. They are marked in every channel.
fn changed_bundles(diff: &PackageDiff) -> HashMap<BundleName, ChangeKind> {
    let bundles = diff.bundles.iter().filter(|bundle| bundle.change_kind == ChangeKind::Changed);
    let deprecated = diff.deprecations.iter().filter_map(|deprecation| match &deprecation.target {
        Some(DeprecationTarget::Bundle(name)) => Some(name),
        _ => None,
    });
    bundles
        .map(|bundle| &bundle.name)
        .chain(deprecated)
        .map(|name| (name.clone(), ChangeKind::Changed))
        .collect()
}

/// Describes the edges of a removed entry.
fn describe_edges(spec: &EntrySpec, package: Option<&Package>) -> String {
    let short = |name: &BundleName| {
        package.map_or_else(|| name.to_string(), |package: &Package| package.short_name(name))
    };
    let replaces = spec.replaces.as_ref().map(|name| format!("replaced {}", short(name)));
    let skips = match spec.skips.as_slice() {
        [] => None,
        [only] => Some(format!("skipped {}", short(only))),
        [first, more @ ..] => Some(format!("skipped {} +{}", short(first), more.len())),
    };
    let range = spec.skip_range.as_ref().map(|range| format!("skipRange {range}"));
    [replaces, skips, range].into_iter().flatten().collect::<Vec<_>>().join(", ")
}
