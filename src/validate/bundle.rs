//! Rules about bundles.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{
    diagnostic::Diagnostic,
    findings::Findings,
    rule::Rule,
    rules,
    subject::Subject,
    words::{list, named},
};
use crate::{
    catalog::{
        BundleName, Span, Spanned,
        blob::{BundleBlob, PackageProperty, Property},
        image_ref,
        near::Candidates,
    },
    version::{Version, VersionReleaseError},
};

const PACKAGE_PROPERTY: &str = "olm.package";

/// Rules that opm applies only to file-based catalogs. opm checks older formats as a model, whose
/// bundles have versions but no release.
pub(super) const FILE_BASED_ONLY: &[&Rule] = &[
    &rules::WRONG_PACKAGE_NAME,
    &rules::BAD_VERSION,
    &rules::BAD_RELEASE,
    &rules::BAD_BUNDLE_NAME,
    &rules::DUPLICATE_VERSION,
    &rules::BAD_IMAGE,
    &rules::BAD_RELATED_IMAGE,
];

pub(super) fn duplicate_bundle(s: &Subject<'_>, found: &mut Findings) {
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
        let mut finding = about(&rules::DUPLICATE_BUNDLE, message, again)
            .at(again.doc, again.name.span)
            .related("first defined here", first.doc, first.name.span);
        for other in more {
            finding = finding.related("again here", other.doc, other.name.span);
        }
        found.push(finding);
    }
}

pub(super) fn bundle_in_no_channel(s: &Subject<'_>, found: &mut Findings) {
    // Without channels, another rule reports the cause once. An unreadable channel may contain the bundle.
    if !s.is_defined() || s.package.channels.is_empty() || s.has_unknown_entry() {
        return;
    }
    let entries: HashSet<&BundleName> = s.entries().map(|(_, entry)| &entry.name.value).collect();
    let unused: Vec<_> = s.package.bundles.iter().filter(|b| !entries.contains(&b.name.value)).collect();
    if unused.is_empty() {
        return;
    }
    // Another rule reports entries with a misspelled bundle name.
    let misspelt = Candidates::new(s.entries_without_bundle().map(|(_, entry)| entry.name.value.as_str()));
    for bundle in unused {
        let name = bundle.name.value.as_str();
        if name.is_empty() || misspelt.meant(name).is_some() || s.may_be_unread(name) {
            continue;
        }
        let message = format!("bundle {name} is in no channel of package {}", s.package.name);
        found.push(about(&rules::BUNDLE_IN_NO_CHANNEL, message, bundle).at(bundle.doc, bundle.name.span));
    }
}

pub(super) fn missing_package_property(s: &Subject<'_>, found: &mut Findings) {
    for bundle in &s.package.bundles {
        let unread = s.is_field_spoilt(bundle.doc, |field| {
            field == "properties" || (field.starts_with("properties[") && !field.contains(".value"))
        });
        if package_properties(bundle).next().is_none() && !unread {
            let message =
                format!("{} has no olm.package property, so no version", named("bundle", &bundle.name.value));
            found.push(
                about(&rules::MISSING_PACKAGE_PROPERTY, message, bundle).at(bundle.doc, bundle.name.span),
            );
        }
    }
}

pub(super) fn repeated_package_property(s: &Subject<'_>, found: &mut Findings) {
    for bundle in &s.package.bundles {
        let properties: Vec<&Property> = package_properties(bundle).collect();
        if let [first, again, more @ ..] = properties.as_slice() {
            let message = format!(
                "{} has {} olm.package properties",
                named("bundle", &bundle.name.value),
                properties.len()
            );
            let mut finding = about(&rules::REPEATED_PACKAGE_PROPERTY, message, bundle)
                .at(bundle.doc, again.kind.span)
                .related("first one", bundle.doc, first.kind.span);
            for other in more {
                finding = finding.related("another one", bundle.doc, other.kind.span);
            }
            found.push(finding);
        }
    }
}

fn package_properties(bundle: &BundleBlob) -> impl Iterator<Item = &Property> {
    bundle.properties.iter().filter(|property| property.kind.value == PACKAGE_PROPERTY)
}

/// Returns the `olm.package` properties that were fully parsed.
fn readable<'a>(s: &Subject<'a>) -> impl Iterator<Item = (&'a BundleBlob, &'a PackageProperty)> {
    let properties = s
        .package
        .bundles
        .iter()
        .flat_map(|bundle| bundle.package_properties.iter().map(move |property| (&**bundle, property)));
    properties.filter(|(bundle, property)| !s.is_spoilt(bundle.doc, property.span))
}

pub(super) fn wrong_package_name(s: &Subject<'_>, found: &mut Findings) {
    for (bundle, property) in readable(s).filter(|_| s.is_named()) {
        let claimed = &property.package_name;
        if s.package.name == *claimed.value.as_str() {
            continue;
        }
        let message = if claimed.value.is_empty() {
            format!("the olm.package property of {} has no packageName", named("bundle", &bundle.name.value))
        } else {
            format!(
                "{} belongs to package {}, but its olm.package property says {}",
                named("bundle", &bundle.name.value),
                s.package.name,
                claimed.value
            )
        };
        let finding = about(&rules::WRONG_PACKAGE_NAME, message, bundle).at(bundle.doc, claimed.span);
        found.push(
            finding
                .related("the bundle's package", bundle.doc, bundle.package.span)
                .help(format!("write packageName: {}", s.package.name)),
        );
    }
}

pub(super) fn bad_version(s: &Subject<'_>, found: &mut Findings) {
    for (bundle, property) in readable(s) {
        let Err(VersionReleaseError::Version(error)) = &property.parsed else { continue };
        let text = &property.version.value;
        let message = if text.is_empty() {
            format!("the olm.package property of {} has no version", named("bundle", &bundle.name.value))
        } else {
            format!("version `{text}` of {}: {error}", named("bundle", &bundle.name.value))
        };
        let mut finding = about(&rules::BAD_VERSION, message, bundle).at(bundle.doc, property.version.span);
        if let Some(suggestion) = &error.suggestion {
            finding = finding.help(format!("write {suggestion}"));
        }
        found.push(finding);
    }
}

pub(super) fn bad_release(s: &Subject<'_>, found: &mut Findings) {
    for (bundle, property) in readable(s) {
        let Some(release) = &property.release else { continue };
        let name = named("bundle", &bundle.name.value);
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
        let mut finding = about(&rules::BAD_RELEASE, message, bundle).at(bundle.doc, release.span);
        finding.help = help;
        found.push(finding);
    }
}

pub(super) fn bad_bundle_name(s: &Subject<'_>, found: &mut Findings) {
    for (bundle, property) in readable(s).filter(|_| s.is_named()) {
        let Ok(parsed) = &property.parsed else { continue };
        let (Some(release), true) = (&property.release, parsed.version.build().is_empty()) else { continue };
        let name = &bundle.name.value;
        let expected = format!("{}-v{parsed}", s.package.name);
        if !name.as_str().is_empty() && *name != expected.as_str() {
            let message = format!("bundle {name} has a release, so its name must be {expected}");
            found.push(
                about(&rules::BAD_BUNDLE_NAME, message, bundle).at(bundle.doc, bundle.name.span).related(
                    "the release",
                    bundle.doc,
                    release.span,
                ),
            );
        }
    }
}

pub(super) fn duplicate_version(s: &Subject<'_>, found: &mut Findings) {
    if !s.is_named() {
        return;
    }
    // Groups by name, since only the first of two bundles with the same name counts.
    let mut versions: BTreeMap<String, BTreeMap<&BundleName, (&BundleBlob, Span)>> = BTreeMap::new();
    for (bundle, property) in readable(s) {
        if let Ok(version) = &property.parsed {
            let bundles = versions.entry(version.to_string()).or_default();
            bundles.entry(&bundle.name.value).or_insert((bundle, property.version.span));
        }
    }
    for (version, bundles) in versions.into_iter().filter(|(_, bundles)| bundles.len() > 1) {
        let message = format!("version {version} belongs to several bundles: {}", list(bundles.keys()));
        let mut finding = Diagnostic::new(&rules::DUPLICATE_VERSION, message);
        for (index, (name, (bundle, span))) in bundles.into_iter().enumerate() {
            if index == 0 {
                finding = finding.bundle(name).at(bundle.doc, span);
            } else {
                finding = finding.related(format!("{name} also has it"), bundle.doc, span);
            }
        }
        found.push(finding);
    }
}

/// Reports bundles whose name ends in a version other than theirs; users would be misled.
pub(super) fn version_not_in_name(s: &Subject<'_>, found: &mut Findings) {
    for (bundle, property) in readable(s) {
        // If there is a release, opm itself checks the name.
        let Some(version) = property.parsed.as_ref().ok().filter(|v| v.release.is_none()) else { continue };
        let Some(named) = named_version(bundle.name.value.as_str()) else { continue };
        if named.cmp_precedence(&version.version).is_ne() && !is_spelled_as_name(&named, version) {
            let message = format!("bundle {} has version {version}, not {named}", bundle.name.value);
            found.push(
                about(&rules::VERSION_NOT_IN_NAME, message, bundle)
                    .at(bundle.doc, property.version.span)
                    .related("the name", bundle.doc, bundle.name.span),
            );
        }
    }
}

/// Returns true if a version in a name is another version with `-` for `+`. Names of resources
/// cannot contain a `+`.
fn is_spelled_as_name(named: &Version, version: &crate::version::VersionRelease) -> bool {
    let spelled = version.version.to_string().replace('+', "-");
    Version::parse(&spelled).is_ok_and(|spelled| spelled.cmp_precedence(named).is_eq())
}

/// Parses the version at the end of a name such as `etcd.v1.2.3`.
fn named_version(name: &str) -> Option<Version> {
    name.match_indices(['.', '-']).find_map(|(at, _)| {
        let end = name.get(at + 1..)?;
        Version::parse(end.strip_prefix('v').unwrap_or(end)).ok()
    })
}

pub(super) fn missing_image(s: &Subject<'_>, found: &mut Findings) {
    if s.catalog.is_proposed() {
        // The image of a bundle directory does not exist before its build.
        return;
    }
    for bundle in &s.package.bundles {
        if bundle.image.is_none()
            && !bundle.has_objects
            && !s.is_field_spoilt(bundle.doc, |field| field == "image")
        {
            let message = format!("{} has no image", named("bundle", &bundle.name.value));
            found.push(about(&rules::MISSING_IMAGE, message, bundle).at(bundle.doc, bundle.name.span));
        }
    }
}

pub(super) fn bad_image(s: &Subject<'_>, found: &mut Findings) {
    for bundle in &s.package.bundles {
        if let Some(image) = &bundle.image {
            found.extend(judge(&rules::BAD_IMAGE, bundle, "image", image));
        }
    }
}

pub(super) fn bad_related_image(s: &Subject<'_>, found: &mut Findings) {
    for bundle in &s.package.bundles {
        for related in bundle.related_images.iter().filter(|r| !r.image.value.is_empty()) {
            let what = match related.name.as_str() {
                "" => "a related image".to_owned(),
                name => format!("related image {name}"),
            };
            found.extend(judge(&rules::BAD_RELATED_IMAGE, bundle, &what, &related.image));
        }
    }
}

fn judge(
    rule: &'static Rule,
    bundle: &BundleBlob,
    what: &str,
    image: &Spanned<String>,
) -> Option<Diagnostic> {
    let error = image_ref::check(&image.value).err()?;
    let message = format!("{what} `{}` of {}: {error}", image.value, named("bundle", &bundle.name.value));
    Some(about(rule, message, bundle).at(bundle.doc, image.span))
}

fn about(rule: &'static Rule, message: String, bundle: &BundleBlob) -> Diagnostic {
    Diagnostic::new(rule, message).bundle(&bundle.name.value)
}
