//! Rules about the format of bundles in the catalog and about their OpenShift versions.

use super::{
    finding::Finding,
    findings::Findings,
    format::{format_list, pluralize},
    rules,
    subject::PackageSubject,
};
use olm_catalog::{BundleName, DocId, Span, blob::BundleBlob, openshift::OpenShift};

pub(super) const BUNDLE_OBJECT: &str = "olm.bundle.object";
pub(super) const CSV_METADATA: &str = "olm.csv.metadata";

/// First minor version of OpenShift 4 whose catalogs use `olm.csv.metadata` instead of whole objects.
pub(super) const FIRST_WITH_CSV_METADATA: u32 = 17;

/// Returns the lowest minor version of OpenShift 4 that a catalog is for.
pub(super) fn openshift_minor(s: &PackageSubject<'_>, doc: DocId) -> Option<u32> {
    // A directory may contain several catalogs.
    let in_path = s.catalog.file(doc.file).and_then(|file| OpenShift::from_path(file.display_path.to_str()?));
    let version = in_path.or_else(|| s.catalog.openshift().first().copied())?;
    (version.major == 4).then(|| version.minor.try_into().ok()).flatten()
}

/// Parses the minor version in `4.NN`.
pub(super) fn parse_minor(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("4.")?;
    if digits.bytes().all(|b| b.is_ascii_digit()) { digits.parse().ok() } else { None }
}

pub(super) fn bundle_object(s: &PackageSubject<'_>, found: &mut Findings) {
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
    let Some((names, (first, span))) = sort_newest_first(s, &old) else { return };
    let message = format!(
        "{} of package {} with olm.bundle.object but no olm.csv.metadata: {}",
        pluralize(names.len(), "bundle", "bundles"),
        s.package.name,
        format_list(&names)
    );
    found.push(
        Finding::new(&rules::BUNDLE_OBJECT, message).with_bundle(&first.name.value).at_span(first.doc, span),
    );
}

/// Reports a head that is the only bundle with an image tag in a package with digests. Several
/// bundles with tags are probably intended, and published bundles do not change.
pub(super) fn image_by_tag(s: &PackageSubject<'_>, found: &mut Findings) {
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
    found.push(Finding::new(&rules::IMAGE_BY_TAG, message).with_bundle(name).at_span(bundle.doc, image.span));
}

/// Returns the names of bundles, newest first, and the newest bundle with its position.
pub(super) fn sort_newest_first<'a>(
    s: &PackageSubject<'_>,
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
