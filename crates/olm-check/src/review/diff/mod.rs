//! Differences in meaning between two catalogs, after opm has read them. The order of documents,
//! keys, entries and properties, comments and formatting do not matter.

mod channel;
mod edges;
pub mod gate;
mod impact;
mod package;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use rayon::prelude::*;

use super::{
    Consequences, Harm, Snapshot, UnmetDependencies, findings,
    snapshot::PackageState,
    stuck_changes::{StuckState, StuckTotals},
};
use crate::{
    Finding,
    review::{ChangedUpgrade, FreshInstallChange},
};
use olm_catalog::{
    BundleName, Catalog, DocId, Node, PackageName, blob::BundleBlob, package::Package, text::canonical,
};

pub(super) use channel::compare_newest_first;
pub use channel::{ChannelDiff, EntryDiff};
pub use edges::Edge;
pub use gate::{Gate, Violation};
pub use impact::{Impact, ImpactCounts};

pub use package::Leaf;
pub use package::{DeprecationDiff, OtherDiff, PackageDiff, Rewritten};

/// Kind of a change.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ChangeKind {
    /// Only the new state has it.
    Added,
    /// Only the old state has it.
    Removed,
    /// Both states have it, and it differs.
    Changed,
}

impl ChangeKind {
    /// Returns the kind of a change; at least one of the states must have the item.
    fn from_presence(is_before: bool, is_after: bool) -> Self {
        match (is_before, is_after) {
            (true, false) => Self::Removed,
            (false, true) => Self::Added,
            _ => Self::Changed,
        }
    }

    /// Returns a word: `added`, `removed`, `changed`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Changed => "changed",
        }
    }

    /// Returns a character: `+`, `-`, `~`.
    pub fn diff_mark(self) -> char {
        match self {
            Self::Added => '+',
            Self::Removed => '-',
            Self::Changed => '~',
        }
    }
}

/// Changed value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueChange<T> {
    /// Old value.
    pub before: T,
    /// New value.
    pub after: T,
}

impl<T: PartialEq> ValueChange<T> {
    /// Returns the change; `None` if the values are equal.
    fn if_different(before: T, after: T) -> Option<Self> {
        (before != after).then_some(Self { before, after })
    }
}

/// Differences between two catalogs, and their consequences for users. Contains both catalogs.
#[derive(Clone, Debug)]
pub struct Difference {
    before: Snapshot,
    after: Snapshot,
    /// Packages that differ, by name.
    pub packages: Vec<PackageDiff>,
    /// Differences of objects of other schemas without a package.
    pub others: Vec<OtherDiff>,
    /// Consequences for users.
    pub consequences: Consequences,
    /// Numbers of stuck versions of all packages, including unchanged ones, by name.
    pub stuck: Vec<StuckTotals>,
}

impl Difference {
    fn without_changes(old: &Snapshot, new: &Snapshot) -> Self {
        let (packages, others, stuck) = (Vec::new(), Vec::new(), Vec::new());
        let consequences = Consequences::default();
        Self { before: old.clone(), after: new.clone(), packages, others, consequences, stuck }
    }

    /// Compares two catalogs on all cores.
    pub fn compare_catalogs(old: &Snapshot, new: &Snapshot) -> Self {
        let empty = Arc::default();
        let pairs = package::pair_by_key(old.packages(), new.packages());
        let outside = findings::compare_findings(old.outside_list(), new.outside_list());
        let compared: Vec<(PackageDiff, Consequences, StuckTotals)> = pairs
            .into_par_iter()
            .map(|(name, before, after)| {
                let sides = CatalogPair { old, new };
                let (diff, consequences) = compare_package(sides, name, before, after, (&empty, &outside.0));
                (diff, consequences, sides.stuck_totals(name, before, after))
            })
            .collect();
        let mut difference = Self::without_changes(old, new);
        for (package, consequences, stuck) in compared {
            difference.consequences.append(consequences);
            difference.stuck.push(stuck);
            if !package.is_empty() {
                difference.packages.push(package);
            }
        }
        difference.consequences.add_outside_findings(outside);
        difference.consequences.unmet =
            UnmetDependencies::find_newly_unmet(old, new, &new.changed_packages(old), &[]);
        difference.consequences.harm = Harm::from_consequences(&difference.consequences, old, new);
        difference.others = package::compare_other_objects(
            old.catalog.others(),
            new.catalog.others(),
            CatalogPair { old, new },
        );
        difference
    }

    /// Compares only the packages that two states of one catalog do not share; after an edit these
    /// are few. Does not compute the consequences.
    pub fn compare_touched(old: &Snapshot, new: &Snapshot) -> Self {
        let empty = Arc::default();
        let touched = new.changed_packages(old).into_iter();
        let packages = touched.map(|name| {
            let known = (old.package(name.as_str()), new.package(name.as_str()));
            compare_package(CatalogPair { old, new }, name, known.0, known.1, (&empty, &[])).0
        });
        Self {
            packages: packages.filter(|package| !package.is_empty()).collect(),
            ..Self::without_changes(old, new)
        }
    }

    /// Returns true if both catalogs have the same meaning.
    pub fn is_empty(&self) -> bool {
        self.packages.iter().all(PackageDiff::has_same_meaning)
            && self.others.is_empty()
            && self.consequences.is_empty()
    }

    /// Removes everything that is not about some packages.
    pub fn retain_packages(&mut self, is_kept: impl Fn(&PackageName) -> bool) {
        self.packages.retain(|package| is_kept(&package.name));
        self.others.clear();
        self.stuck.retain(|totals| is_kept(&totals.package));
        self.consequences.retain_packages(is_kept);
    }

    /// Returns the old catalog.
    pub fn before(&self) -> &Snapshot {
        &self.before
    }

    /// Returns the new catalog.
    pub fn after(&self) -> &Snapshot {
        &self.after
    }

    /// Returns the impact of one of the changed upgrades.
    pub fn impact_of_upgrade(&self, change: &ChangedUpgrade) -> Impact {
        Impact::judge_change(change, &self.consequences.stuck, &self.before, &self.after)
    }

    /// Returns the impact of one of the changed fresh installs.
    pub fn impact_of_fresh_install(&self, change: &FreshInstallChange) -> Impact {
        Impact::judge_fresh_install(change, &self.before, &self.after)
    }

    /// Returns the difference of a package.
    pub fn find_package(&self, name: &str) -> Option<&PackageDiff> {
        self.packages.iter().find(|package| package.name == name)
    }
}

type KnownState<'a> = Option<&'a Arc<PackageState>>;

fn compare_package(
    sides: CatalogPair<'_>,
    name: &PackageName,
    before: KnownState<'_>,
    after: KnownState<'_>,
    (empty, outside): (&Arc<Package>, &[Finding]),
) -> (PackageDiff, Consequences) {
    let (old, new) =
        (before.map_or(empty, |judged| judged.package()), after.map_or(empty, |judged| judged.package()));
    let fate = ChangeKind::from_presence(before.is_some(), after.is_some());
    let mut consequences = Consequences::default();
    if sides.has_same_documents(old, new) {
        // Findings may still differ, since some rules check the path of the catalog.
        consequences.compare_findings(sides.catalogs(), before, after, outside);
        return (PackageDiff::new(name.clone(), ChangeKind::Changed), consequences);
    }
    consequences.add_package(sides.catalogs(), name, before, after, outside);
    (package::compare_package_states(sides, name, fate, (before, old), (after, new)), consequences)
}

/// Both catalogs of a comparison.
#[derive(Clone, Copy)]
struct CatalogPair<'a> {
    old: &'a Snapshot,
    new: &'a Snapshot,
}

impl<'a> CatalogPair<'a> {
    fn catalogs(&self) -> [&'a Catalog; 2] {
        [&self.old.catalog, &self.new.catalog]
    }

    /// Counts the stuck versions of a package on both sides. Equal packages are counted once.
    fn stuck_totals(&self, name: &PackageName, before: KnownState<'_>, after: KnownState<'_>) -> StuckTotals {
        let state = |known: KnownState<'_>| StuckState::from_package_state(known.map(AsRef::as_ref));
        let old = state(before);
        let is_same = |(a, b): (&Arc<PackageState>, &Arc<PackageState>)| {
            self.has_same_documents(a.package(), b.package())
        };
        let new = if before.zip(after).is_some_and(is_same) { old } else { state(after) };
        StuckTotals { package: name.clone(), before: old, after: new }
    }

    /// Returns true if the bytes of two documents are equal, except for their separators.
    fn has_same_bytes(&self, old: DocId, new: DocId) -> bool {
        fn bare(text: &[u8]) -> &[u8] {
            let text = text.trim_ascii();
            text.strip_prefix(b"---").unwrap_or(text).trim_ascii()
        }
        let (old, new) = (self.old.catalog.document_text(old), self.new.catalog.document_text(new));
        old.is_some() && old.map(bare) == new.map(bare)
    }

    /// Returns true if two packages have the same documents in the same order.
    fn has_same_documents(&self, old: &Arc<Package>, new: &Arc<Package>) -> bool {
        if Arc::ptr_eq(old, new) {
            return true;
        }
        let (before, after): (Vec<DocId>, Vec<DocId>) =
            (old.documents().collect(), new.documents().collect());
        before.len() == after.len() && before.into_iter().zip(after).all(|(a, b)| self.has_same_bytes(a, b))
    }

    /// Calls a function with the content of two documents as opm reads them. `None` if one of them
    /// is invalid.
    fn compare_contents<T>(
        &self,
        old: DocId,
        new: DocId,
        compare: impl FnOnce(&Node<'_>, &Node<'_>) -> T,
    ) -> Option<T> {
        with_content(&self.old.catalog, old, |old| {
            with_content(&self.new.catalog, new, |new| compare(old, new))
        })?
    }
}

/// Calls a function with the content of a document as opm reads it. `None` if it is invalid.
fn with_content<T>(catalog: &Catalog, doc: DocId, look: impl FnOnce(&Node<'_>) -> T) -> Option<T> {
    let tree = catalog.parse_document(doc)?.ok()?;
    Some(look(&canonical::normalize(&tree)))
}

/// Difference of a bundle. Published bundles should not change, since clusters keep the old state.
#[derive(Clone, Debug)]
pub struct BundleDiff {
    /// Name of the bundle.
    pub name: BundleName,
    /// Kind of the change.
    pub change_kind: ChangeKind,
    /// Change of version and release, as OLM reads them; `None` if both are equal.
    pub version: Option<ValueChange<Option<String>>>,
    /// Change of the image; `None` if both are equal.
    pub image: Option<ValueChange<Option<String>>>,
    /// Changed properties; their order does not matter.
    pub properties: Vec<PropertyDiff>,
    /// Changed related images; their order does not matter.
    pub related_images: Vec<ImageDiff>,
}

/// Differences of properties with the same type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyDiff {
    /// Type of the properties.
    pub kind: String,
    /// Changed parts of the values. The path is empty for added or removed values.
    pub leaves: Vec<Leaf>,
}

/// Difference of a related image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageDiff {
    /// Purpose of the image; may be empty.
    pub name: String,
    /// Old reference; `None` if the image is new.
    pub before: Option<String>,
    /// New reference; `None` if the image is removed.
    pub after: Option<String>,
}

/// Compares the states of a bundle.
fn compare_bundle(
    sides: CatalogPair<'_>,
    name: &BundleName,
    old: Option<&BundleBlob>,
    new: Option<&BundleBlob>,
) -> Option<BundleDiff> {
    let fate = ChangeKind::from_presence(old.is_some(), new.is_some());
    let mut diff = BundleDiff {
        name: name.clone(),
        change_kind: fate,
        version: ValueChange::if_different(old.and_then(version_text), new.and_then(version_text)),
        image: ValueChange::if_different(old.and_then(image_reference), new.and_then(image_reference)),
        properties: Vec::new(),
        related_images: Vec::new(),
    };
    let (Some(old), Some(new)) = (old, new) else { return Some(diff) };
    if sides.has_same_bytes(old.doc, new.doc) {
        return None;
    }
    diff.related_images = compare_related_images(old, new);
    if let Some(properties) = sides.compare_contents(old.doc, new.doc, compare_properties) {
        diff.properties = properties;
    }
    let is_same = diff.version.is_none()
        && diff.image.is_none()
        && diff.properties.is_empty()
        && diff.related_images.is_empty();
    (!is_same).then_some(diff)
}

fn version_text(bundle: &BundleBlob) -> Option<String> {
    bundle.version.as_ref().map(ToString::to_string)
}

fn image_reference(bundle: &BundleBlob) -> Option<String> {
    bundle.image.as_ref().map(|image| image.value.clone())
}

fn compare_related_images(old: &BundleBlob, new: &BundleBlob) -> Vec<ImageDiff> {
    let of = |bundle: &BundleBlob| -> Vec<(String, String)> {
        bundle.related_images.iter().map(|image| (image.name.clone(), image.image.value.clone())).collect()
    };
    let (gone, come) = package::unmatched(of(old), of(new));
    let diff = |(name, before, after)| ImageDiff { name, before, after };
    package::pair_by_key(gone, come).into_iter().map(diff).collect()
}

/// Compares properties by type: pairs those that occur on only one side, in order.
fn compare_properties(old: &Node<'_>, new: &Node<'_>) -> Vec<PropertyDiff> {
    fn properties_of<'n, 'a>(bundle: &'n Node<'a>) -> Vec<Property<'n, 'a>> {
        let items = bundle.get("properties").map(Node::items).unwrap_or_default();
        let property = |item: &'n Node<'a>| {
            let kind = item.get("type").and_then(Node::as_str).unwrap_or_default().to_owned();
            let value = item.get("value");
            Property { key: (kind, value.map(package::format_json).unwrap_or_default()), value }
        };
        items.iter().map(property).collect()
    }
    let (old, new) = (properties_of(old), properties_of(new));
    let keys = |all: &[Property<'_, '_>]| all.iter().map(|p| p.key.clone()).collect();
    let (gone, come) = package::unmatched(keys(&old), keys(&new));
    let mut diffs: Vec<PropertyDiff> = Vec::new();
    for (kind, before, after) in package::pair_by_key(gone, come) {
        let find = |all: &[Property<'_, '_>], text: &Option<String>| {
            let key = (kind.clone(), text.clone()?);
            all.iter().position(|p| p.key == key)
        };
        let values = (
            find(&old, &before).and_then(|at| old.get(at)?.value),
            find(&new, &after).and_then(|at| new.get(at)?.value),
        );
        let leaves = match values {
            (Some(old), Some(new)) => package::find_leaves(old, new),
            _ => vec![Leaf { path: String::new(), before, after }],
        };
        match diffs.last_mut().filter(|last| last.kind == kind) {
            Some(last) => last.leaves.extend(leaves),
            None => diffs.push(PropertyDiff { kind, leaves }),
        }
    }
    diffs
}

struct Property<'n, 'a> {
    /// Type and value.
    key: (String, String),
    value: Option<&'n Node<'a>>,
}
