//! Rules about bundles.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{
    finding::Finding,
    findings::Findings,
    format::{format_list, format_with_kind},
    rule::Rule,
    rules,
    subject::PackageSubject,
};
use olm_catalog::{
    BundleName, Span, Spanned,
    blob::{BundleBlob, PackageProperty, Property, RelatedImage},
    image_ref,
    similar_names::Candidates,
};
use olm_version::{Version, VersionReleaseError};

const PACKAGE_PROPERTY: &str = "olm.package";

pub(super) fn duplicate_bundle(s: &PackageSubject<'_>, found: &mut Findings) {
    if !s.is_named() {
        return;
    }
    let mut groups: HashMap<&BundleName, Vec<&BundleBlob>> = HashMap::with_capacity(s.package.bundles.len());
    for bundle in s.package.bundles.iter().filter(|b| !b.name.value.as_str().is_empty()) {
        groups.entry(&bundle.name.value).or_default().push(bundle);
    }
    for (name, bundles) in groups {
        let [first, again, more @ ..] = bundles.as_slice() else { continue };
        let message = format!("bundle {name} is defined {} times", bundles.len());
        let mut finding = bundle_finding(&rules::DUPLICATE_BUNDLE, message, again)
            .at_span(again.doc, again.name.span)
            .with_related("first defined here", first.doc, first.name.span);
        for other in more {
            finding = finding.with_related("again here", other.doc, other.name.span);
        }
        found.push(finding);
    }
}

pub(super) fn bundle_in_no_channel(s: &PackageSubject<'_>, found: &mut Findings) {
    // Without channels, another rule reports the cause once. An unreadable channel may contain the bundle.
    if !s.is_defined() || s.package.channels.is_empty() || s.has_unknown_entry() {
        return;
    }
    let entries: HashSet<&BundleName> = s.all_entries().map(|(_, entry)| &entry.name.value).collect();
    let unused: Vec<_> = s.package.bundles.iter().filter(|b| !entries.contains(&b.name.value)).collect();
    if unused.is_empty() {
        return;
    }
    // Another rule reports entries with a misspelled bundle name.
    let misspelt = Candidates::new(s.entries_without_bundle().map(|(_, entry)| entry.name.value.as_str()));
    for bundle in unused {
        let name = bundle.name.value.as_str();
        if name.is_empty() || misspelt.suggest(name).is_some() || s.may_be_unread(name) {
            continue;
        }
        let message = format!("bundle {name} is in no channel of package {}", s.package.name);
        found.push(
            bundle_finding(&rules::BUNDLE_IN_NO_CHANNEL, message, bundle)
                .at_span(bundle.doc, bundle.name.span),
        );
    }
}

pub(super) fn missing_package_property(s: &PackageSubject<'_>, found: &mut Findings) {
    for bundle in &s.package.bundles {
        let unread = s.is_field_unreadable(bundle.doc, |field| {
            field == "properties" || (field.starts_with("properties[") && !field.contains(".value"))
        });
        if properties_with_package(bundle).next().is_none() && !unread {
            let message = format!(
                "{} has no olm.package property, so no version",
                format_with_kind("bundle", &bundle.name.value)
            );
            found.push(
                bundle_finding(&rules::MISSING_PACKAGE_PROPERTY, message, bundle)
                    .at_span(bundle.doc, bundle.name.span),
            );
        }
    }
}

pub(super) fn repeated_package_property(s: &PackageSubject<'_>, found: &mut Findings) {
    for bundle in &s.package.bundles {
        let properties: Vec<&Property> = properties_with_package(bundle).collect();
        if let [first, again, more @ ..] = properties.as_slice() {
            let message = format!(
                "{} has {} olm.package properties",
                format_with_kind("bundle", &bundle.name.value),
                properties.len()
            );
            let mut finding = bundle_finding(&rules::REPEATED_PACKAGE_PROPERTY, message, bundle)
                .at_span(bundle.doc, again.kind.span)
                .with_related("first one", bundle.doc, first.kind.span);
            for other in more {
                finding = finding.with_related("another one", bundle.doc, other.kind.span);
            }
            found.push(finding);
        }
    }
}

fn properties_with_package(bundle: &BundleBlob) -> impl Iterator<Item = &Property> {
    bundle.properties.iter().filter(|property| property.kind.value == PACKAGE_PROPERTY)
}

/// Returns the `olm.package` properties that were fully parsed.
fn readable_properties<'a>(
    s: &PackageSubject<'a>,
) -> impl Iterator<Item = (&'a BundleBlob, &'a PackageProperty)> {
    let properties = s
        .package
        .bundles
        .iter()
        .flat_map(|bundle| bundle.package_properties.iter().map(move |property| (&**bundle, property)));
    properties.filter(|(bundle, property)| !s.is_unreadable(bundle.doc, property.span))
}

pub(super) fn wrong_package_name(s: &PackageSubject<'_>, found: &mut Findings) {
    for (bundle, property) in readable_properties(s).filter(|_| s.is_named()) {
        let claimed = &property.package_name;
        if s.package.name == *claimed.value.as_str() {
            continue;
        }
        let message = if claimed.value.is_empty() {
            format!(
                "the olm.package property of {} has no packageName",
                format_with_kind("bundle", &bundle.name.value)
            )
        } else {
            format!(
                "{} belongs to package {}, but its olm.package property says {}",
                format_with_kind("bundle", &bundle.name.value),
                s.package.name,
                claimed.value
            )
        };
        let finding =
            bundle_finding(&rules::WRONG_PACKAGE_NAME, message, bundle).at_span(bundle.doc, claimed.span);
        found.push(
            finding
                .with_related("the bundle's package", bundle.doc, bundle.package.span)
                .with_help(format!("write packageName: {}", s.package.name)),
        );
    }
}

pub(super) fn bad_version(s: &PackageSubject<'_>, found: &mut Findings) {
    for (bundle, property) in readable_properties(s) {
        let Err(VersionReleaseError::Version(error)) = &property.parsed else { continue };
        let text = &property.version.value;
        let message = if text.is_empty() {
            format!(
                "the olm.package property of {} has no version",
                format_with_kind("bundle", &bundle.name.value)
            )
        } else {
            format!("version `{text}` of {}: {error}", format_with_kind("bundle", &bundle.name.value))
        };
        let mut finding =
            bundle_finding(&rules::BAD_VERSION, message, bundle).at_span(bundle.doc, property.version.span);
        if let Some(suggestion) = &error.suggestion {
            finding = finding.with_help(format!("write {suggestion}"));
        }
        found.push(finding);
    }
}

pub(super) fn bad_release(s: &PackageSubject<'_>, found: &mut Findings) {
    for (bundle, property) in readable_properties(s) {
        let Some(release) = &property.release else { continue };
        let name = format_with_kind("bundle", &bundle.name.value);
        let (message, help) = match &property.parsed {
            Err(VersionReleaseError::Release(error)) => {
                (format!("release `{}` of {name}: {error}", release.value), None)
            }
            Ok(parsed) if !parsed.version.build().is_empty() => (
                format!(
                    "{name} has a release, so its version {} must not have build metadata",
                    parsed.version
                ),
                Some(format!("write {}", parsed.version.without_build())),
            ),
            _ => continue,
        };
        let mut finding =
            bundle_finding(&rules::BAD_RELEASE, message, bundle).at_span(bundle.doc, release.span);
        finding.help = help;
        found.push(finding);
    }
}

pub(super) fn bad_bundle_name(s: &PackageSubject<'_>, found: &mut Findings) {
    for (bundle, property) in readable_properties(s).filter(|_| s.is_named()) {
        let Ok(parsed) = &property.parsed else { continue };
        let (Some(release), true) = (&property.release, parsed.version.build().is_empty()) else { continue };
        let name = &bundle.name.value;
        let expected = format!("{}-v{parsed}", s.package.name);
        if !name.as_str().is_empty() && *name != expected.as_str() {
            let message = format!("bundle {name} has a release, so its name must be {expected}");
            found.push(
                bundle_finding(&rules::BAD_BUNDLE_NAME, message, bundle)
                    .at_span(bundle.doc, bundle.name.span)
                    .with_related("the release", bundle.doc, release.span),
            );
        }
    }
}

pub(super) fn duplicate_version(s: &PackageSubject<'_>, found: &mut Findings) {
    if !s.is_named() {
        return;
    }
    // Groups by name, since only the first of two bundles with the same name counts.
    let mut versions: BTreeMap<String, BTreeMap<&BundleName, (&BundleBlob, Span)>> = BTreeMap::new();
    for (bundle, property) in readable_properties(s) {
        if let Ok(version) = &property.parsed {
            let bundles = versions.entry(version.to_string()).or_default();
            bundles.entry(&bundle.name.value).or_insert((bundle, property.version.span));
        }
    }
    for (version, bundles) in versions.into_iter().filter(|(_, bundles)| bundles.len() > 1) {
        let message =
            format!("version {version} belongs to several bundles: {}", format_list(bundles.keys()));
        let mut finding = Finding::new(&rules::DUPLICATE_VERSION, message);
        for (index, (name, (bundle, span))) in bundles.into_iter().enumerate() {
            if index == 0 {
                finding = finding.with_bundle(name).at_span(bundle.doc, span);
            } else {
                finding = finding.with_related(format!("{name} also has it"), bundle.doc, span);
            }
        }
        found.push(finding);
    }
}

/// Reports bundles whose name ends in a version other than theirs; users would be misled.
pub(super) fn version_not_in_name(s: &PackageSubject<'_>, found: &mut Findings) {
    for (bundle, property) in readable_properties(s) {
        // If there is a release, opm itself checks the name.
        let Some(version) = property.parsed.as_ref().ok().filter(|v| v.release.is_none()) else { continue };
        let Some(named) = parse_version_in_name(bundle.name.value.as_str()) else { continue };
        if named.cmp_precedence(&version.version).is_ne() && !is_spelled_as_name(&named, version) {
            let message = format!("bundle {} has version {version}, not {named}", bundle.name.value);
            found.push(
                bundle_finding(&rules::VERSION_NOT_IN_NAME, message, bundle)
                    .at_span(bundle.doc, property.version.span)
                    .with_related("the name", bundle.doc, bundle.name.span),
            );
        }
    }
}

/// Returns true if a version in a name is another version with `-` for `+`. Names of resources
/// cannot contain a `+`.
fn is_spelled_as_name(named: &Version, version: &olm_version::VersionRelease) -> bool {
    let spelled = version.version.to_string().replace('+', "-");
    Version::parse(&spelled).is_ok_and(|spelled| spelled.cmp_precedence(named).is_eq())
}

/// Parses the version at the end of a name such as `etcd.v1.2.3`.
fn parse_version_in_name(name: &str) -> Option<Version> {
    name.match_indices(['.', '-']).find_map(|(at, _)| {
        let end = name.get(at + 1..)?;
        Version::parse(end.strip_prefix('v').unwrap_or(end)).ok()
    })
}

pub(super) fn missing_image(s: &PackageSubject<'_>, found: &mut Findings) {
    if s.catalog.is_rendered_from_bundles() {
        // The image of a bundle directory does not exist before its build.
        return;
    }
    for bundle in &s.package.bundles {
        if bundle.image.is_none()
            && !bundle.has_objects
            && !s.is_field_unreadable(bundle.doc, |field| field == "image")
        {
            let message = format!("{} has no image", format_with_kind("bundle", &bundle.name.value));
            found.push(
                bundle_finding(&rules::MISSING_IMAGE, message, bundle).at_span(bundle.doc, bundle.name.span),
            );
        }
    }
}

pub(super) fn bad_image(s: &PackageSubject<'_>, found: &mut Findings) {
    for bundle in &s.package.bundles {
        if let Some(image) = &bundle.image {
            found.extend(check_image_reference(&rules::BAD_IMAGE, bundle, "image", image));
        }
    }
}

pub(super) fn bad_related_image(s: &PackageSubject<'_>, found: &mut Findings) {
    for bundle in &s.package.bundles {
        for related in bundle.related_images.iter().filter(|r| !r.image.value.is_empty()) {
            let what = match related.name.as_str() {
                "" => "a related image".to_owned(),
                name => format!("related image {name}"),
            };
            found.extend(check_image_reference(&rules::BAD_RELATED_IMAGE, bundle, &what, &related.image));
        }
    }
}

/// Reports bundles with a related image without an image, in one finding for a package.
pub(super) fn empty_related_image(s: &PackageSubject<'_>, found: &mut Findings) {
    if s.catalog.is_rendered_from_bundles() {
        // The check of the bundle directory reports it, with the location in its file.
        return;
    }
    let is_readable =
        |bundle: &BundleBlob| !s.is_field_unreadable(bundle.doc, |field| field.starts_with("relatedImages"));
    let mut empty: Vec<(&BundleBlob, &RelatedImage)> = Vec::new();
    for bundle in s.package.bundles.iter().filter(|bundle| is_readable(bundle)) {
        empty.extend(bundle.related_images.iter().find(|r| r.image.value.is_empty()).map(|r| (&**bundle, r)));
    }
    let mut names: Vec<&BundleName> = empty.iter().map(|(bundle, _)| &bundle.name.value).collect();
    names.dedup();
    let names = s.newest_first(names);
    let newest = names.first().and_then(|name| empty.iter().find(|(bundle, _)| bundle.name.value == **name));
    let Some((bundle, related)) = newest else { return };
    let message = if names.len() == 1 {
        describe_empty_image(&related.name, bundle.name.value.as_str())
    } else {
        format!("{} bundles have a related image without an image: {}", names.len(), format_list(&names))
    };
    let mut finding = bundle_finding(&rules::EMPTY_RELATED_IMAGE, message, bundle)
        .with_names(&names)
        .at_span(bundle.doc, related.image.span);
    for (other, related) in empty.iter().filter(|(other, _)| other.doc != bundle.doc) {
        let text = describe_empty_image(&related.name, other.name.value.as_str());
        finding = finding.with_related(text, other.doc, related.image.span);
    }
    found.push(finding);
}

/// Describes a related image without an image, for a catalog and for a bundle directory.
pub(super) fn describe_empty_image(name: &str, bundle: &str) -> String {
    let bundle = format_with_kind("bundle", &bundle);
    match name {
        "" => format!("a related image of {bundle} has no image"),
        name => format!("related image {name} of {bundle} has no image"),
    }
}

/// Property types whose empty value other rules report.
const TYPES_WITH_CHECKED_VALUE: [&str; 7] = [
    PACKAGE_PROPERTY,
    "olm.package.required",
    "olm.gvk",
    "olm.gvk.required",
    "olm.constraint",
    "olm.label.required",
    "olm.bundle.object",
];

/// Reports bundles with a property without a type or with a null value, in one finding for a
/// package. The loader reports a property without the key `value`.
pub(super) fn empty_property(s: &PackageSubject<'_>, found: &mut Findings) {
    let mut empty: Vec<(&BundleBlob, Span, String)> = Vec::new();
    for bundle in s.package.bundles.iter().filter(|b| !s.is_field_unreadable(b.doc, is_property_type)) {
        let bundle: &BundleBlob = bundle;
        let text = s.catalog.document_text(bundle.doc).unwrap_or_default();
        let is_null =
            |span: Span| matches!(text.get(span.range()), Some(b"" | b"null" | b"~" | b"Null" | b"NULL"));
        for property in bundle.properties.iter().filter(|property| property.value != Span::default()) {
            let kind = property.kind.value.as_str();
            if kind.is_empty() {
                empty.push((bundle, property.kind.span, "a property without a type".to_owned()));
            } else if !TYPES_WITH_CHECKED_VALUE.contains(&kind) && is_null(property.value) {
                empty.push((bundle, property.kind.span, format!("property {kind} without a value")));
            }
        }
    }
    let newest = s.newest_first(empty.iter().map(|(bundle, ..)| &bundle.name.value));
    let newest = newest.first().and_then(|name| empty.iter().find(|(b, ..)| b.name.value == **name));
    let Some((bundle, span, what)) = newest else { return };
    let mut message = format!("{} has {what}", format_with_kind("bundle", &bundle.name.value));
    if empty.len() > 1 {
        message = format!("{message}; and {} more in this package", empty.len() - 1);
    }
    let mut finding = bundle_finding(&rules::EMPTY_PROPERTY, message, bundle)
        .with_names(empty.iter().map(|(bundle, ..)| &bundle.name.value))
        .at_span(bundle.doc, *span);
    for (other, other_span, what) in empty.iter().filter(|(b, at, _)| (b.doc, at) != (bundle.doc, span)) {
        let text = format!("{} has {what}", format_with_kind("bundle", &other.name.value));
        finding = finding.with_related(text, other.doc, *other_span);
    }
    found.push(finding);
}

fn is_property_type(field: &str) -> bool {
    field == "properties" || field.starts_with("properties[") && !field.contains(".value")
}

fn check_image_reference(
    rule: &'static Rule,
    bundle: &BundleBlob,
    what: &str,
    image: &Spanned<String>,
) -> Option<Finding> {
    let error = image_ref::parse_image_ref(&image.value).err()?;
    let message =
        format!("{what} `{}` of {}: {error}", image.value, format_with_kind("bundle", &bundle.name.value));
    Some(bundle_finding(rule, message, bundle).at_span(bundle.doc, image.span))
}

fn bundle_finding(rule: &'static Rule, message: String, bundle: &BundleBlob) -> Finding {
    Finding::new(rule, message).with_bundle(&bundle.name.value)
}
