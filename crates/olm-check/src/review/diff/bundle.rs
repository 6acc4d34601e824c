//! Differences between the states of a bundle.

use super::{
    CatalogPair, ChangeKind, ValueChange, pairs,
    tree::{self, Leaf},
};
use olm_catalog::{BundleName, Node, blob::BundleBlob};

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
pub(super) fn compare_bundle(
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
    let (gone, come) = pairs::unmatched(of(old), of(new));
    let diff = |(name, before, after)| ImageDiff { name, before, after };
    pairs::pair_by_key(gone, come).into_iter().map(diff).collect()
}

/// Compares properties by type: pairs those that occur on only one side, in order.
fn compare_properties(old: &Node<'_>, new: &Node<'_>) -> Vec<PropertyDiff> {
    fn properties_of<'n, 'a>(bundle: &'n Node<'a>) -> Vec<Property<'n, 'a>> {
        let items = bundle.get("properties").map(Node::items).unwrap_or_default();
        let property = |item: &'n Node<'a>| {
            let kind = item.get("type").and_then(Node::as_str).unwrap_or_default().to_owned();
            let value = item.get("value");
            Property { key: (kind, value.map(tree::format_json).unwrap_or_default()), value }
        };
        items.iter().map(property).collect()
    }
    let (old, new) = (properties_of(old), properties_of(new));
    let keys = |all: &[Property<'_, '_>]| all.iter().map(|p| p.key.clone()).collect();
    let (gone, come) = pairs::unmatched(keys(&old), keys(&new));
    let mut diffs: Vec<PropertyDiff> = Vec::new();
    for (kind, before, after) in pairs::pair_by_key(gone, come) {
        let find = |all: &[Property<'_, '_>], text: &Option<String>| {
            let key = (kind.clone(), text.clone()?);
            all.iter().position(|p| p.key == key)
        };
        let values = (
            find(&old, &before).and_then(|at| old.get(at)?.value),
            find(&new, &after).and_then(|at| new.get(at)?.value),
        );
        let leaves = match values {
            (Some(old), Some(new)) => tree::find_leaves(old, new),
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
