//! Rules about how bundles are written down, and which OpenShift they are for.

use std::path::Path;

use super::{
    diagnostic::Diagnostic,
    findings::Findings,
    rules,
    subject::Subject,
    words::{count, list},
};
use crate::{
    catalog::{BundleName, DocId, Origin, Span, blob::BundleBlob},
    source::discovery::MinorVersion,
};

const BUNDLE_OBJECT: &str = "olm.bundle.object";
const CSV_METADATA: &str = "olm.csv.metadata";

/// The first OpenShift 4 whose catalogs have `olm.csv.metadata` instead of whole objects.
const FIRST_WITH_CSV_METADATA: u32 = 17;

/// Returns the minor version of OpenShift 4 that a catalog is for, as its path names it: `v4.18`, `catalog-4-18`.
pub(super) fn openshift_minor(s: &Subject<'_>, doc: DocId) -> Option<u32> {
    let shown = s.catalog.file(doc.file).and_then(|file| minor_in(&file.shown));
    shown.or_else(|| match &s.catalog.origin {
        Origin::Directory(path) | Origin::File(path) | Origin::Converted(path) => minor_in(path),
        Origin::Revision(at) => minor_in(&at.path),
        // `ns/redhat-operator-index:v4.18`
        Origin::Image(at) => minor_in(Path::new(&at.label.replace(':', "/"))),
        Origin::Stdin | Origin::Demo | Origin::Bundles(_) => None,
    })
}

/// Returns the minor version in the last part of a path that is named after one.
fn minor_in(path: &Path) -> Option<u32> {
    MinorVersion::of_path(path.to_str()?)?.minor.try_into().ok()
}

/// The minor version of `4.NN`.
pub(super) fn minor(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("4.")?;
    if digits.bytes().all(|b| b.is_ascii_digit()) { digits.parse().ok() } else { None }
}

pub(super) fn bundle_object(s: &Subject<'_>, found: &mut Findings) {
    let has = |bundle: &BundleBlob, kind: &str| bundle.properties.iter().any(|p| p.kind.value == kind);
    let old = s.package.bundles.iter().filter(|bundle| {
        has(bundle, BUNDLE_OBJECT)
            && !has(bundle, CSV_METADATA)
            && openshift_minor(s, bundle.doc).is_some_and(|minor| minor >= FIRST_WITH_CSV_METADATA)
    });
    let places = |bundle: &BundleBlob| {
        bundle
            .properties
            .iter()
            .find(|p| p.kind.value == BUNDLE_OBJECT)
            .map_or(bundle.name.span, |p| p.kind.span)
    };
    let old: Vec<(&BundleBlob, Span)> = old.map(|bundle| (&**bundle, places(bundle))).collect();
    let Some((names, (first, span))) = newest(s, &old) else { return };
    let message = format!(
        "{} of package {} with olm.bundle.object but no olm.csv.metadata: {}",
        count(names.len(), "bundle", "bundles"),
        s.package.name,
        list(&names)
    );
    found.push(Diagnostic::new(&rules::BUNDLE_OBJECT, message).bundle(&first.name.value).at(first.doc, span));
}

/// The first head by tag among digests is worth a word, while it can be mended; where several bundles are by tag,
/// somebody
/// decided so, and what is out stays as it is.
pub(super) fn image_by_tag(s: &Subject<'_>, found: &mut Findings) {
    let by_digest =
        |bundle: &BundleBlob| bundle.image.as_ref().is_some_and(|image| image.value.contains('@'));
    let digests = s.package.bundles.iter().filter(|bundle| by_digest(bundle)).count();
    let mut tagged = s.package.bundles.iter().filter(|bundle| bundle.image.is_some() && !by_digest(bundle));
    let (Some(bundle), None, 1..) = (tagged.next(), tagged.next(), digests) else { return };
    let (name, Some(image)) = (&bundle.name.value, &bundle.image) else { return };
    if !s.heads().iter().any(|(head, _)| head.name.value == *name) {
        return;
    }
    let message =
        format!("{name} uses an image tag, all other bundles of package {} use a digest", s.package.name);
    found.push(Diagnostic::new(&rules::IMAGE_BY_TAG, message).bundle(name).at(bundle.doc, image.span));
}

/// Names of bundles, newest first, and the newest with its place.
fn newest<'a>(
    s: &Subject<'_>,
    bundles: &[(&'a BundleBlob, Span)],
) -> Option<(Vec<&'a BundleName>, (&'a BundleBlob, Span))> {
    let mut names: Vec<&BundleName> = bundles.iter().map(|(bundle, _)| &bundle.name.value).collect();
    names.sort();
    names.dedup();
    let names = s.newest_first(names);
    let first = *names.first()?;
    let found = bundles.iter().find(|(bundle, _)| bundle.name.value == *first)?;
    Some((names, *found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_tells_the_openshift_version() {
        for (path, expected) in [
            ("catalogs/v4.18/kiln/catalog.yaml", Some(18)),
            ("/work/v4.16/v4.20", Some(20)),
            ("v4.18.1/kiln", None),
            ("4.18/kiln", Some(18)),
            ("v1.18/kiln", None),
            ("v4.x", None),
            ("v4.", None),
            ("", None),
        ] {
            assert_eq!(minor_in(Path::new(path)), expected, "{path}");
        }
    }
}
