//! Suite `bundle`: consistency of the parts of a bundle.
//!
//! Source: `operator-framework/api`, `pkg/validation/internal/bundle.go`.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    io::Write as _,
};

use flate2::{Compression, write::GzEncoder};

use super::{Cause, Report, loaded::LoadedBundle};
use crate::field_access::{items_at, text_at};
use olm_catalog::{Node, image_ref};

/// Maximum compressed size of a bundle in bytes, which is that of an object in a cluster.
const MAX_COMPRESSED: u64 = 1 << 20;
/// Percentage of the maximum size that causes a warning.
const WARNING_PERCENT: u64 = 85;

/// Group, version and kind.
type Gvk = (String, String, String);

pub(super) fn check_consistency(bundle: &LoadedBundle, out: &mut Report) {
    check_crds(bundle, out);
    check_service_accounts(bundle, out);
    check_size(bundle, out);
    check_release(bundle, out);
    check_related_images(bundle, out);
}

fn check_crds(bundle: &LoadedBundle, out: &mut Report) {
    let field = |node, key| text_at(node, &[key]).into_owned();
    let listed = items_at(bundle.csv_node(), &["spec", "customresourcedefinitions", "owned"]);
    let owned: Vec<Gvk> = listed
        .iter()
        .map(|crd| {
            let name = text_at(crd, &["name"]);
            let group = name.split_once('.').map_or("", |(_, group)| group).to_owned();
            (group, field(crd, "version"), field(crd, "kind"))
        })
        .collect();
    let known: HashSet<&Gvk> = owned.iter().collect();
    let mut found: BTreeMap<Gvk, bool> = BTreeMap::new();
    let mut foreign = BTreeSet::new();
    for object in bundle.crds() {
        let kinds = crd_gvks(&object.document.node);
        let is_owned = kinds.iter().any(|kind| known.contains(kind));
        for kind in kinds {
            let place = || Some(object.location(object.document.node.span));
            if found.insert(kind.clone(), is_owned).is_some() {
                out.add_error(format!("two CRDs define {}", format_gvk(&kind)), place());
            } else if !is_owned && foreign.insert(kind.clone()) {
                out.add_error(
                    format!("the CSV does not own {}, which a CRD of the bundle defines", format_gvk(&kind)),
                    place(),
                );
            }
        }
    }
    // Each CRD matches one entry: if it is listed twice, the second one lacks a CRD.
    let mut answered = BTreeSet::new();
    for (kind, crd) in owned.iter().zip(listed) {
        if found.contains_key(kind) && answered.insert(kind) {
            continue;
        }
        let message = format!("the CSV owns {}, for which the bundle has no CRD", format_gvk(kind));
        out.set_cause(Cause::owned_crd(crd)).add_error(message, Some(bundle.csv().location(crd.span)));
    }
}

fn format_gvk((group, version, kind): &Gvk) -> String {
    // A name without a dot does not have a group.
    let slash = if group.is_empty() { "" } else { "/" };
    format!("{group}{slash}{version} {kind}")
}

/// Returns the versions of a CRD; `spec.version` if an old one does not list any.
fn crd_gvks(crd: &Node) -> Vec<Gvk> {
    let field = |path: &[&str]| text_at(crd, path).into_owned();
    let kind = |version: String| (field(&["spec", "group"]), version, field(&["spec", "names", "kind"]));
    let listed: Vec<Gvk> = items_at(crd, &["spec", "versions"])
        .iter()
        .map(|version| kind(text_at(version, &["name"]).into_owned()))
        .collect();
    let single = field(&["spec", "version"]);
    let is_old = text_at(crd, &["apiVersion"]).ends_with("v1beta1");
    if listed.is_empty() && is_old && !single.is_empty() { vec![kind(single)] } else { listed }
}

fn check_service_accounts(bundle: &LoadedBundle, out: &mut Report) {
    let used: HashSet<String> = bundle
        .deployments()
        .iter()
        .map(|deployment| {
            text_at(deployment, &["spec", "template", "spec", "serviceAccountName"]).into_owned()
        })
        .collect();
    for object in bundle.objects.iter().filter(|object| object.kind() == "ServiceAccount") {
        if used.contains(object.name()) {
            let message = format!(
                "the ServiceAccount `{}` is one of the CSV's, which OLM makes itself: remove it from the bundle",
                object.name()
            );
            out.add_error(message, Some(object.location(object.document.node.span)));
        }
    }
}

/// Checks the size of all files, each compressed as it is stored in a cluster.
fn check_size(bundle: &LoadedBundle, out: &mut Report) {
    // Compression does not enlarge files much, so most bundles are small enough without compressing them.
    let plain: u64 = bundle.tree.files.iter().map(|file| file.content_or_empty().len() as u64).sum();
    if plain.saturating_mul(3) / 2 < MAX_COMPRESSED * WARNING_PERCENT / 100 {
        return;
    }
    let compressed: u64 = bundle.tree.files.iter().map(|file| stored_size(file.content_or_empty())).sum();
    let kilobytes = |bytes: u64| bytes.div_ceil(1000);
    if compressed > MAX_COMPRESSED {
        let message = format!(
            "the bundle is {} kB compressed, and a cluster takes {} kB",
            kilobytes(compressed),
            kilobytes(MAX_COMPRESSED)
        );
        out.add_error(message, None);
    } else if compressed > MAX_COMPRESSED * WARNING_PERCENT / 100 {
        let message = format!(
            "the bundle is {} kB compressed, near the {} kB that a cluster takes",
            kilobytes(compressed),
            kilobytes(MAX_COMPRESSED)
        );
        out.add_warning(message, None);
    }
}

/// Returns the size of a file in gzip and base64.
fn stored_size(bytes: &[u8]) -> u64 {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // Writing to memory cannot fail.
    let compressed =
        encoder.write_all(bytes).and_then(|()| encoder.finish()).map_or(bytes.len(), |out| out.len());
    (compressed as u64).div_ceil(3) * 4
}

fn check_release(bundle: &LoadedBundle, out: &mut Report) {
    let release = text_at(bundle.csv_node(), &["spec", "release"]);
    if release.is_empty() {
        return;
    }
    let version = text_at(bundle.csv_node(), &["spec", "version"]);
    let expected = format!("{}-v{version}-{release}", bundle.package);
    if bundle.csv_name() != expected {
        let message = format!("a bundle with a release is named `{expected}`, not `{}`", bundle.csv_name());
        out.add_error(message, bundle.csv_location(&["metadata", "name"]));
    }
}

fn check_related_images(bundle: &LoadedBundle, out: &mut Report) {
    for (at, image) in items_at(bundle.csv_node(), &["spec", "relatedImages"]).iter().enumerate() {
        let reference = text_at(image, &["image"]);
        let place = Some(bundle.csv().location(image.span));
        if reference.is_empty() {
            out.add_error(format!("relatedImages[{at}] has no image"), place);
        } else if let Err(error) = image_ref::parse_image_ref(&reference) {
            out.add_error(format!("relatedImages[{at}]: {error}"), place);
        }
    }
}
