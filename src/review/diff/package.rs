//! Differences between the states of a package.

use std::{collections::HashSet, sync::Arc};

use super::{
    BundleDiff, Change, ChannelDiff, Fate, Known, Sides, bundle, channel, pairs,
    tree::{self, Leaf},
};
use crate::catalog::{
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
    pub fate: Fate,
    /// Channel of a Subscription without one.
    pub default_channel: Option<Change<Option<ChannelName>>>,
    /// Changes of its description or icon.
    pub about: Vec<Leaf>,
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
    pub fn fate(&self) -> Fate {
        Fate::of(self.before.is_some(), self.after.is_some())
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
    pub fate: Fate,
    /// Changed parts; empty unless it is [`Fate::Changed`].
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
    pub(super) fn new(name: PackageName, fate: Fate) -> Self {
        Self {
            name,
            fate,
            default_channel: None,
            about: Vec::new(),
            channels: Vec::new(),
            bundles: Vec::new(),
            deprecations: Vec::new(),
            others: Vec::new(),
            rewritten: Vec::new(),
        }
    }

    /// Returns true if it differs at most in formatting.
    pub fn means_the_same(&self) -> bool {
        self.fate == Fate::Changed
            && self.default_channel.is_none()
            && self.about.is_empty()
            && self.channels.is_empty()
            && self.bundles.is_empty()
            && self.deprecations.is_empty()
            && self.others.is_empty()
    }

    /// Returns true if there is no difference.
    pub(super) fn is_empty(&self) -> bool {
        self.means_the_same() && self.rewritten.is_empty()
    }

    /// Returns the difference of a channel.
    pub fn channel(&self, name: &str) -> Option<&ChannelDiff> {
        self.channels.iter().find(|channel| channel.name == name)
    }
}

type Side<'a> = (Known<'a>, &'a Arc<Package>);

/// Compares the states of a package; a missing package is empty.
pub(super) fn compare(
    sides: Sides<'_>,
    name: &PackageName,
    fate: Fate,
    before: Side<'_>,
    after: Side<'_>,
) -> PackageDiff {
    let (old, new) = (before.1, after.1);
    let default = |package: &Package| package.default_channel().cloned();
    let bundles = |package: &Arc<Package>| -> Vec<_> {
        package.bundles.iter().map(|bundle| (bundle.name.value.clone(), Arc::clone(bundle))).collect()
    };
    let channels = pairs::sorted(channels(before), channels(after)).into_iter();
    let bundles = pairs::sorted(bundles(old), bundles(new)).into_iter();
    let mut diff = PackageDiff {
        default_channel: Change::between(default(old), default(new)),
        about: about(sides, old, new),
        channels: channels.filter_map(|(name, a, b)| channel::compare(&name, (a, b), (old, new))).collect(),
        bundles: bundles
            .filter_map(|(name, a, b)| bundle::compare(sides, &name, a.as_deref(), b.as_deref()))
            .collect(),
        deprecations: deprecations(old, new),
        others: others(&old.others, &new.others, sides),
        ..PackageDiff::new(name.clone(), fate)
    };
    diff.bundles.sort_by(|a, b| channel::newest_first(&a.name, &b.name, (old, new)));
    diff.rewritten = rewritten(sides, old, new, &diff);
    diff
}

/// Returns the channels of a package, each with its graph.
fn channels((judged, package): Side<'_>) -> Vec<(ChannelName, channel::Side<'_>)> {
    let graphs = judged.map(|judged| judged.graph.channels()).unwrap_or_default();
    let graph = |at: usize| graphs.get(at).map(|channel| &channel.graph);
    let numbered = package.channels.iter().enumerate();
    numbered.map(|(at, blob)| (blob.name.value.clone(), (&**blob, graph(at)))).collect()
}

/// Compares description and icon.
fn about(sides: Sides<'_>, old: &Package, new: &Package) -> Vec<Leaf> {
    let (Some(before), Some(after)) = (old.definition(), new.definition()) else { return Vec::new() };
    let mut leaves = differing(sides, before.doc, after.doc);
    leaves.retain(|leaf| !["defaultChannel", "name"].contains(&leaf.path.as_str()));
    leaves
}

fn deprecations(old: &Package, new: &Package) -> Vec<DeprecationDiff> {
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
    pairs::sorted(keyed(old), keyed(new))
        .into_iter()
        .filter(|(_, before, after)| before != after)
        .map(|((target, reference), before, after)| DeprecationDiff { target, reference, before, after })
        .collect()
}

/// Returns the documents whose bytes differ but that are not in `diff`.
fn rewritten(sides: Sides<'_>, old: &Package, new: &Package, diff: &PackageDiff) -> Vec<Rewritten> {
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
        "olm.package" => diff.default_channel.is_some() || !diff.about.is_empty(),
        "olm.channel" => channels.contains(what.name.as_str()),
        "olm.bundle" => bundles.contains(what.name.as_str()),
        "olm.deprecations" => !diff.deprecations.is_empty(),
        schema => others.contains(&(schema, what.name.as_str())),
    };
    pairs::sorted(said(old), said(new))
        .into_iter()
        .filter(|(what, before, after)| match (before, after) {
            (Some(before), Some(after)) => !sides.same_bytes(*before, *after) && !differs(what),
            _ => false,
        })
        .map(|(what, ..)| what)
        .collect()
}

/// Compares objects of other schemas.
pub(super) fn others(old: &[OtherBlob], new: &[OtherBlob], sides: Sides<'_>) -> Vec<OtherDiff> {
    let keyed = |blobs: &[OtherBlob]| -> Vec<((String, Option<String>), DocId)> {
        blobs
            .iter()
            .map(|blob| ((blob.schema.to_string(), blob.name.as_deref().map(str::to_owned)), blob.doc))
            .collect()
    };
    let mut diffs = Vec::new();
    for ((schema, name), before, after) in pairs::sorted(keyed(old), keyed(new)) {
        let fate = Fate::of(before.is_some(), after.is_some());
        let leaves = match (before, after) {
            (Some(before), Some(after)) => match differing(sides, before, after) {
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
fn differing(sides: Sides<'_>, before: DocId, after: DocId) -> Vec<Leaf> {
    if sides.same_bytes(before, after) {
        return Vec::new();
    }
    sides
        .with_meanings(before, after, |old: &Node<'_>, new: &Node<'_>| tree::leaves(old, new))
        .unwrap_or_default()
}
