//! Differences between the states of a package.

use std::{collections::HashSet, sync::Arc};

use super::{
    BundleDiff, CatalogPair, ChangeKind, ChannelDiff, KnownState, ValueChange, bundle, channel, pairs,
    tree::{self, Leaf},
};
use olm_catalog::{
    ChannelName, DocId, Node, PackageName,
    blob::{DeprecationTarget, OtherBlob},
    package::Package,
};

/// Difference of a package.
#[derive(Clone, Debug)]
pub struct PackageDiff {
    /// Name of the package.
    pub name: PackageName,
    /// Kind of the change.
    pub change_kind: ChangeKind,
    /// Channel of a Subscription without one.
    pub default_channel: Option<ValueChange<Option<ChannelName>>>,
    /// Changes of its description or icon.
    pub description: Vec<Leaf>,
    /// Changed channels, by name.
    pub channels: Vec<ChannelDiff>,
    /// Changed bundles, highest version first.
    pub bundles: Vec<BundleDiff>,
    /// Changed deprecations and their messages.
    pub deprecations: Vec<DeprecationDiff>,
    /// Changed objects of other schemas.
    pub others: Vec<OtherDiff>,
    /// Documents that differ only in their formatting.
    pub rewritten: Vec<Rewritten>,
}

/// Difference of a deprecation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeprecationDiff {
    /// Target; `None` if the reference is invalid.
    pub target: Option<DeprecationTarget>,
    /// Name in an invalid reference.
    pub reference: String,
    /// Old message; `None` if the deprecation is new.
    pub before: Option<String>,
    /// New message; `None` if the deprecation is removed.
    pub after: Option<String>,
}

impl DeprecationDiff {
    /// Returns the kind of the change.
    pub fn change_kind(&self) -> ChangeKind {
        ChangeKind::from_presence(self.before.is_some(), self.after.is_some())
    }
}

/// Difference of an object of another schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherDiff {
    /// Schema of the object.
    pub schema: String,
    /// Name of the object, if any.
    pub name: Option<String>,
    /// Kind of the change.
    pub fate: ChangeKind,
    /// Changed parts; empty unless it is [`ChangeKind::Changed`].
    pub leaves: Vec<Leaf>,
}

/// Document that differs only in its formatting.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rewritten {
    /// Schema of the document.
    pub schema: String,
    /// Name of the object; empty if it does not have one.
    pub name: String,
}

impl PackageDiff {
    /// Creates an empty difference.
    pub(super) fn new(name: PackageName, fate: ChangeKind) -> Self {
        Self {
            name,
            change_kind: fate,
            default_channel: None,
            description: Vec::new(),
            channels: Vec::new(),
            bundles: Vec::new(),
            deprecations: Vec::new(),
            others: Vec::new(),
            rewritten: Vec::new(),
        }
    }

    /// Returns true if it differs at most in formatting.
    pub fn has_same_meaning(&self) -> bool {
        self.change_kind == ChangeKind::Changed
            && self.default_channel.is_none()
            && self.description.is_empty()
            && self.channels.is_empty()
            && self.bundles.is_empty()
            && self.deprecations.is_empty()
            && self.others.is_empty()
    }

    /// Returns true if there is no difference.
    pub(super) fn is_empty(&self) -> bool {
        self.has_same_meaning() && self.rewritten.is_empty()
    }

    /// Returns the difference of a channel.
    pub fn find_channel(&self, name: &str) -> Option<&ChannelDiff> {
        self.channels.iter().find(|channel| channel.name == name)
    }
}

type PackageSide<'a> = (KnownState<'a>, &'a Arc<Package>);

/// Compares the states of a package; a missing package is empty.
pub(super) fn compare_package_states(
    sides: CatalogPair<'_>,
    name: &PackageName,
    fate: ChangeKind,
    before: PackageSide<'_>,
    after: PackageSide<'_>,
) -> PackageDiff {
    let (old, new) = (before.1, after.1);
    let default = |package: &Package| package.default_channel().cloned();
    let bundles = |package: &Arc<Package>| -> Vec<_> {
        package.bundles.iter().map(|bundle| (bundle.name.value.clone(), Arc::clone(bundle))).collect()
    };
    let channels = pairs::pair_by_key(channel_states(before), channel_states(after)).into_iter();
    let bundles = pairs::pair_by_key(bundles(old), bundles(new)).into_iter();
    let mut diff = PackageDiff {
        default_channel: ValueChange::if_different(default(old), default(new)),
        description: compare_descriptions(sides, old, new),
        channels: channels
            .filter_map(|(name, a, b)| channel::compare_channel(&name, (a, b), (old, new)))
            .collect(),
        bundles: bundles
            .filter_map(|(name, a, b)| bundle::compare_bundle(sides, &name, a.as_deref(), b.as_deref()))
            .collect(),
        deprecations: compare_deprecations(old, new),
        others: compare_other_objects(&old.others, &new.others, sides),
        ..PackageDiff::new(name.clone(), fate)
    };
    diff.bundles.sort_by(|a, b| channel::compare_newest_first(&a.name, &b.name, (old, new)));
    diff.rewritten = find_rewritten(sides, old, new, &diff);
    diff
}

/// Returns the channels of a package, each with its graph.
fn channel_states((judged, package): PackageSide<'_>) -> Vec<(ChannelName, channel::ChannelState<'_>)> {
    let graphs = judged.map(|judged| judged.graph.channels()).unwrap_or_default();
    let graph = |at: usize| graphs.get(at).map(|channel| &channel.graph);
    let numbered = package.channels.iter().enumerate();
    numbered.map(|(at, blob)| (blob.name.value.clone(), (&**blob, graph(at)))).collect()
}

/// Compares description and icon.
fn compare_descriptions(sides: CatalogPair<'_>, old: &Package, new: &Package) -> Vec<Leaf> {
    let (Some(before), Some(after)) = (old.definition(), new.definition()) else { return Vec::new() };
    let mut leaves = compare_documents(sides, before.doc, after.doc);
    leaves.retain(|leaf| !["defaultChannel", "name"].contains(&leaf.path.as_str()));
    leaves
}

fn compare_deprecations(old: &Package, new: &Package) -> Vec<DeprecationDiff> {
    let keyed = |package: &Package| -> Vec<((Option<DeprecationTarget>, String), String)> {
        let entries = package.deprecations.iter().flat_map(|blob| &blob.entries);
        let reference = |name: Option<&String>| name.cloned().unwrap_or_default();
        entries
            .map(|entry| {
                let named = reference(entry.name.as_ref().map(|name| &name.value));
                ((entry.target.clone(), named), entry.message.value.clone())
            })
            .collect()
    };
    pairs::pair_by_key(keyed(old), keyed(new))
        .into_iter()
        .filter(|(_, before, after)| before != after)
        .map(|((target, reference), before, after)| DeprecationDiff { target, reference, before, after })
        .collect()
}

/// Returns the documents whose bytes differ but that are not in `diff`.
fn find_rewritten(
    sides: CatalogPair<'_>,
    old: &Package,
    new: &Package,
    diff: &PackageDiff,
) -> Vec<Rewritten> {
    let said = |package: &Package| -> Vec<(Rewritten, DocId)> {
        let one = |schema: &str, name: &str, doc| {
            (Rewritten { schema: schema.to_owned(), name: name.to_owned() }, doc)
        };
        let definitions =
            package.definitions.iter().map(|b| one("olm.package", b.name.value.as_str(), b.doc));
        let channels = package.channels.iter().map(|b| one("olm.channel", b.name.value.as_str(), b.doc));
        let bundles = package.bundles.iter().map(|b| one("olm.bundle", b.name.value.as_str(), b.doc));
        let deprecations = package.deprecations.iter().map(|b| one("olm.deprecations", "", b.doc));
        let others =
            package.others.iter().map(|b| one(&b.schema, b.name.as_deref().unwrap_or_default(), b.doc));
        definitions.chain(channels).chain(bundles).chain(deprecations).chain(others).collect()
    };
    let channels: HashSet<&str> = diff.channels.iter().map(|channel| channel.name.as_str()).collect();
    let bundles: HashSet<&str> = diff.bundles.iter().map(|bundle| bundle.name.as_str()).collect();
    let others: HashSet<(&str, &str)> = diff
        .others
        .iter()
        .map(|other| (other.schema.as_str(), other.name.as_deref().unwrap_or_default()))
        .collect();
    let differs = |what: &Rewritten| match what.schema.as_str() {
        "olm.package" => diff.default_channel.is_some() || !diff.description.is_empty(),
        "olm.channel" => channels.contains(what.name.as_str()),
        "olm.bundle" => bundles.contains(what.name.as_str()),
        "olm.deprecations" => !diff.deprecations.is_empty(),
        schema => others.contains(&(schema, what.name.as_str())),
    };
    pairs::pair_by_key(said(old), said(new))
        .into_iter()
        .filter(|(what, before, after)| match (before, after) {
            (Some(before), Some(after)) => !sides.has_same_bytes(*before, *after) && !differs(what),
            _ => false,
        })
        .map(|(what, ..)| what)
        .collect()
}

/// Compares objects of other schemas.
pub(super) fn compare_other_objects(
    old: &[OtherBlob],
    new: &[OtherBlob],
    sides: CatalogPair<'_>,
) -> Vec<OtherDiff> {
    let keyed = |blobs: &[OtherBlob]| -> Vec<((String, Option<String>), DocId)> {
        blobs
            .iter()
            .map(|blob| ((blob.schema.to_string(), blob.name.as_deref().map(str::to_owned)), blob.doc))
            .collect()
    };
    let mut diffs = Vec::new();
    for ((schema, name), before, after) in pairs::pair_by_key(keyed(old), keyed(new)) {
        let fate = ChangeKind::from_presence(before.is_some(), after.is_some());
        let leaves = match (before, after) {
            (Some(before), Some(after)) => match compare_documents(sides, before, after) {
                leaves if leaves.is_empty() => continue,
                leaves => leaves,
            },
            _ => Vec::new(),
        };
        diffs.push(OtherDiff { schema, name, fate, leaves });
    }
    diffs
}

/// Returns the parts in which two documents differ.
fn compare_documents(sides: CatalogPair<'_>, before: DocId, after: DocId) -> Vec<Leaf> {
    if sides.has_same_bytes(before, after) {
        return Vec::new();
    }
    sides
        .compare_contents(before, after, |old: &Node<'_>, new: &Node<'_>| tree::find_leaves(old, new))
        .unwrap_or_default()
}
