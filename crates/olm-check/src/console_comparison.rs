//! Rules that compare a package with the same package in the other given catalogs.

use std::collections::BTreeMap;

use super::{finding::Finding, findings::Findings, rules, subject::PackageSubject};
use olm_catalog::{blob::BundleBlob, image_ref::parse_image_ref, package::Package};
use olm_upgrade::resolve::Source;

/// Returns the package in the other catalogs, without templates, which do not have all of it.
fn packages_elsewhere<'a>(s: &PackageSubject<'a>) -> Vec<(&'a Source, &'a Package)> {
    let catalogs = s.context.compared_catalogs.unwrap_or_default();
    let catalogs = catalogs.iter().filter(|source| source.index.catalog.template().is_none());
    let packages = catalogs.filter_map(|source| {
        let package = source.index.catalog.package(s.package.name.as_str())?;
        (!package.definitions.is_empty()).then_some((source, &**package))
    });
    packages.collect()
}

/// Reports a default channel that differs from that of the catalog for the OpenShift version before.
/// If that catalog's default channel does not exist here, the difference has a reason.
pub(super) fn default_channel(s: &PackageSubject<'_>, found: &mut Findings) {
    let (Some(package), Some(own)) = (s.package.definition(), s.catalog.openshift().first()) else { return };
    let Some(default) = &package.default_channel else { return };
    let elsewhere = packages_elsewhere(s).into_iter().filter_map(|(source, package)| {
        let version = source.index.catalog.openshift().first()?;
        (version < own).then_some((version, source, package))
    });
    let Some((version, source, before)) = elsewhere.max_by_key(|(version, ..)| **version) else { return };
    let Some(other) = before.default_channel().filter(|other| **other != default.value) else { return };
    if s.package.channel(other.as_str()).is_none() {
        return;
    }
    let message = format!(
        "the default channel of package {} is {}, but {other} in {} (OpenShift {version})",
        s.package.name, default.value, source.key.name
    );
    found.push(
        Finding::new(&rules::CONSOLE_DEFAULT_CHANNEL, message)
            .with_channel(&default.value)
            .with_names([other])
            .at_span(package.doc, default.span),
    );
}

/// Repository and digest of an image; the tag if it has no digest.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct ImageIdentity {
    repository: String,
    version: String,
    is_pinned: bool,
}

impl ImageIdentity {
    /// Returns the identity of the image of a bundle; `None` without a valid image.
    fn from_bundle(bundle: &BundleBlob) -> Option<Self> {
        let image = parse_image_ref(&bundle.image.as_ref()?.value).ok()?;
        let version = image.digest().or_else(|| image.tag()).unwrap_or("latest").to_owned();
        Some(Self { repository: image.repository().to_owned(), version, is_pinned: image.is_pinned() })
    }

    /// Returns true if the images differ. A tag and a digest of one repository may be the same image.
    fn is_different(&self, other: &Self) -> bool {
        self.repository != other.repository
            || (self.is_pinned == other.is_pinned && self.version != other.version)
    }
}

/// Returns the image of a bundle in another catalog, with the name of that catalog, unless most
/// catalogs have the image of this one.
fn differing_image<'a>(
    bundle: &BundleBlob,
    elsewhere: &[(&'a Source, &'a Package)],
) -> Option<(&'a str, &'a str)> {
    let own = ImageIdentity::from_bundle(bundle)?;
    let others = elsewhere.iter().filter_map(|(source, package)| {
        let other = package.bundle(bundle.name.value.as_str())?;
        let text = other.image.as_ref()?.value.as_str();
        Some((source.key.name.as_str(), text, ImageIdentity::from_bundle(other)?))
    });
    let others: Vec<_> = others.collect();
    let mut counts: BTreeMap<&ImageIdentity, usize> = BTreeMap::new();
    let mut own_count = 1;
    for (.., other) in &others {
        if other.is_different(&own) {
            *counts.entry(other).or_default() += 1;
        } else {
            own_count += 1;
        }
    }
    let most = counts.values().max().copied().unwrap_or_default();
    if own_count > most {
        return None;
    }
    let (name, text, _) = others.iter().find(|(.., other)| counts.get(other) == Some(&most))?;
    Some((name, text))
}

/// Reports bundles whose image differs from that in most of the other catalogs.
pub(super) fn other_image(s: &PackageSubject<'_>, found: &mut Findings) {
    let elsewhere = packages_elsewhere(s);
    if elsewhere.is_empty() {
        return;
    }
    let differing = s.package.bundles.iter().filter_map(|bundle| {
        let (catalog, image) = differing_image(bundle, &elsewhere)?;
        Some((&**bundle, catalog, image))
    });
    let mut differing: Vec<(&BundleBlob, &str, &str)> = differing.collect();
    let order = s.newest_first(differing.iter().map(|(bundle, ..)| &bundle.name.value));
    let places: Vec<_> = order.into_iter().cloned().collect();
    differing.sort_by_key(|(bundle, ..)| places.iter().position(|name| *name == bundle.name.value));
    let [(first, catalog, image), others @ ..] = differing.as_slice() else { return };
    let Some(own) = &first.image else { return };
    let name = &first.name.value;
    let more = match others.len() {
        0 => String::new(),
        more => format!(", and {more} more of package {}", s.package.name),
    };
    let message = format!("{name} has the image {} here, but {image} in {catalog}{more}", own.value);
    let mut finding = Finding::new(&rules::CONSOLE_OTHER_IMAGE, message)
        .with_bundle(name)
        .with_names(differing.iter().map(|(bundle, ..)| &bundle.name.value))
        .at_span(first.doc, own.span);
    for (bundle, catalog, image) in others {
        let span = bundle.image.as_ref().map_or(bundle.name.span, |image| image.span);
        let text = format!("{} has {image} in {catalog}", bundle.name.value);
        finding = finding.with_related(text, bundle.doc, span);
    }
    found.push(finding);
}
