//! Suite `bundle`: consistency of the parts of a bundle.
//!
//! Source: `operator-framework/api`, `pkg/validation/internal/bundle.go`.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    io::Write as _,
};

use flate2::{Compression, write::GzEncoder};

use super::{Cause, Report, loaded::Loaded};
use crate::{
    bundle::read::{items, text},
    catalog::{Node, image_ref},
};

/// Maximum compressed size of a bundle in bytes, which is that of an object in a cluster.
const MAX_COMPRESSED: u64 = 1 << 20;
/// Percentage of the maximum size that causes a warning.
const NEAR: u64 = 85;

/// Group, version and kind.
type Gvk = (String, String, String);

pub(super) fn check(bundle: &Loaded, out: &mut Report) {
    crds(bundle, out);
    service_accounts(bundle, out);
    size(bundle, out);
    release(bundle, out);
    related_images(bundle, out);
}

fn crds(bundle: &Loaded, out: &mut Report) {
    let field = |node, key| text(node, &[key]).into_owned();
    let listed = items(bundle.node(), &["spec", "customresourcedefinitions", "owned"]);
    let owned: Vec<Gvk> = listed
        .iter()
        .map(|crd| {
            let name = text(crd, &["name"]);
            let group = name.split_once('.').map_or("", |(_, group)| group).to_owned();
            (group, field(crd, "version"), field(crd, "kind"))
        })
        .collect();
    let known: HashSet<&Gvk> = owned.iter().collect();
    let mut found: BTreeMap<Gvk, bool> = BTreeMap::new();
    let mut foreign = BTreeSet::new();
    for object in bundle.crds() {
        let kinds = kinds_of(&object.document.node);
        let is_owned = kinds.iter().any(|kind| known.contains(kind));
        for kind in kinds {
            let place = || Some(object.place(object.document.node.span));
            if found.insert(kind.clone(), is_owned).is_some() {
                out.error(format!("two CRDs define {}", format_gvk(&kind)), place());
            } else if !is_owned && foreign.insert(kind.clone()) {
                out.error(
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
        out.with_cause(Cause::owned_crd(crd)).error(message, Some(bundle.csv().place(crd.span)));
    }
}

fn format_gvk((group, version, kind): &Gvk) -> String {
    // A name without a dot does not have a group.
    let slash = if group.is_empty() { "" } else { "/" };
    format!("{group}{slash}{version} {kind}")
}

/// Returns the versions of a CRD; `spec.version` if an old one does not list any.
fn kinds_of(crd: &Node) -> Vec<Gvk> {
    let field = |path: &[&str]| text(crd, path).into_owned();
    let kind = |version: String| (field(&["spec", "group"]), version, field(&["spec", "names", "kind"]));
    let listed: Vec<Gvk> = items(crd, &["spec", "versions"])
        .iter()
        .map(|version| kind(text(version, &["name"]).into_owned()))
        .collect();
    let single = field(&["spec", "version"]);
    let is_old = text(crd, &["apiVersion"]).ends_with("v1beta1");
    if listed.is_empty() && is_old && !single.is_empty() { vec![kind(single)] } else { listed }
}

fn service_accounts(bundle: &Loaded, out: &mut Report) {
    let used: HashSet<String> = bundle
        .deployments()
        .iter()
        .map(|deployment| text(deployment, &["spec", "template", "spec", "serviceAccountName"]).into_owned())
        .collect();
    for object in bundle.objects.iter().filter(|object| object.kind() == "ServiceAccount") {
        if used.contains(object.name()) {
            let message = format!(
                "the ServiceAccount `{}` is one of the CSV's, which OLM makes itself: remove it from the bundle",
                object.name()
            );
            out.error(message, Some(object.place(object.document.node.span)));
        }
    }
}

/// Checks the size of all files, each compressed as it is stored in a cluster.
fn size(bundle: &Loaded, out: &mut Report) {
    // Compression does not enlarge files much, so most bundles are small enough without compressing them.
    let plain: u64 = bundle.tree.files.iter().map(|file| file.bytes().len() as u64).sum();
    if plain.saturating_mul(3) / 2 < MAX_COMPRESSED * NEAR / 100 {
        return;
    }
    let compressed: u64 = bundle.tree.files.iter().map(|file| stored_size(file.bytes())).sum();
    let kilobytes = |bytes: u64| bytes.div_ceil(1000);
    if compressed > MAX_COMPRESSED {
        let message = format!(
            "the bundle is {} kB compressed, and a cluster takes {} kB",
            kilobytes(compressed),
            kilobytes(MAX_COMPRESSED)
        );
        out.error(message, None);
    } else if compressed > MAX_COMPRESSED * NEAR / 100 {
        let message = format!(
            "the bundle is {} kB compressed, near the {} kB that a cluster takes",
            kilobytes(compressed),
            kilobytes(MAX_COMPRESSED)
        );
        out.warning(message, None);
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

fn release(bundle: &Loaded, out: &mut Report) {
    let release = text(bundle.node(), &["spec", "release"]);
    if release.is_empty() {
        return;
    }
    let version = text(bundle.node(), &["spec", "version"]);
    let expected = format!("{}-v{version}-{release}", bundle.package);
    if bundle.name() != expected {
        let message = format!("a bundle with a release is named `{expected}`, not `{}`", bundle.name());
        out.error(message, bundle.place(&["metadata", "name"]));
    }
}

fn related_images(bundle: &Loaded, out: &mut Report) {
    for (at, image) in items(bundle.node(), &["spec", "relatedImages"]).iter().enumerate() {
        let reference = text(image, &["image"]);
        let place = Some(bundle.csv().place(image.span));
        if reference.is_empty() {
            out.error(format!("relatedImages[{at}] has no image"), place);
        } else if let Err(error) = image_ref::check(&reference) {
            out.error(format!("relatedImages[{at}]: {error}"), place);
        }
    }
}
