//! Rules about what consoles show of a catalog. A console reads the `ClusterServiceVersion` of each
//! head from OLM's package server, and shows that of the default channel.

use super::{
    finding::Finding,
    findings::Findings,
    format::{format_list, pluralize},
    packaging::{BUNDLE_OBJECT, CSV_METADATA, FIRST_WITH_CSV_METADATA, openshift_minor, sort_newest_first},
    readiness::describe_head,
    rule::{Rule, Severity},
    rules,
    subject::PackageSubject,
};
use olm_catalog::{
    DocId, Span,
    blob::{BundleBlob, ChannelBlob, DeprecationTarget, PackageBlob},
    console_fields::{ConsoleFields, CsvForm},
};
use olm_upgrade::stuck::is_prerelease_channel;
use olm_version::Version;

/// First words of pre-releases that are not for users. Others, such as the date in `1.2.0-202405`,
/// are builds of a release.
const PRERELEASE_WORDS: [&str; 16] = [
    "alpha",
    "beta",
    "candidate",
    "canary",
    "cr",
    "dev",
    "develop",
    "development",
    "ea",
    "nightly",
    "pre",
    "preview",
    "rc",
    "snapshot",
    "test",
    "unstable",
];

/// Head of channels, with the fields that consoles show of it.
pub(super) struct ShownHead<'a> {
    bundle: &'a BundleBlob,
    channels: Vec<&'a ChannelBlob>,
    /// `None` if the catalog has no ClusterServiceVersion of the bundle.
    fields: Option<ConsoleFields>,
}

/// Returns the heads, newest first, without those that are not completely readable.
fn shown_heads<'s, 'a>(s: &'s PackageSubject<'a>) -> &'s [ShownHead<'a>] {
    s.shown_heads.get_or_init(|| {
        let readable = s.heads().into_iter().filter(|(bundle, _)| !s.is_partly_unread(bundle.doc));
        let heads = readable.filter_map(|(bundle, channels)| {
            let tree = s.catalog.parse_document(bundle.doc)?.ok()?;
            Some(ShownHead { bundle, channels, fields: ConsoleFields::from_bundle(&tree) })
        });
        let mut heads: Vec<ShownHead<'_>> = heads.collect();
        let order = s.newest_first(heads.iter().map(|head| &head.bundle.name.value));
        let places: Vec<_> = order.into_iter().cloned().collect();
        heads.sort_by_key(|head| places.iter().position(|name| *name == head.bundle.name.value));
        heads
    })
}

/// Returns the head of the default channel; `None` if there is none, or if it is not readable.
fn default_head<'s, 'a>(s: &'s PackageSubject<'a>) -> Option<&'s ShownHead<'a>> {
    let default = s.package.default_channel()?;
    let is_default = |head: &&ShownHead<'_>| head.channels.iter().any(|c| c.name.value == *default);
    shown_heads(s).iter().find(is_default)
}

/// Reports heads without a ClusterServiceVersion. The package server omits their channels, and a
/// package without any channel.
pub(super) fn no_metadata(s: &PackageSubject<'_>, found: &mut Findings) {
    let heads = shown_heads(s);
    let hidden: Vec<&ShownHead<'_>> = heads.iter().filter(|head| head.fields.is_none()).collect();
    let ([first, others @ ..], true) = (hidden.as_slice(), s.is_defined()) else { return };
    let mut channels: Vec<_> =
        hidden.iter().flat_map(|head| &head.channels).map(|channel| &channel.name.value).collect();
    channels.sort();
    let what = if channels.len() == s.package.channels.len() {
        format!("package {}", s.package.name)
    } else {
        let kind = if channels.len() == 1 { "channel" } else { "channels" };
        format!("{kind} {} of package {}", format_list(&channels), s.package.name)
    };
    let reason = if first.bundle.has_objects {
        "its olm.bundle.object has no ClusterServiceVersion"
    } else {
        "it has neither olm.csv.metadata nor olm.bundle.object"
    };
    let head = describe_head(first.bundle, &first.channels);
    let message = format!("consoles do not show {what}, because of {head}: {reason}");
    let mut finding = Finding::new(&rules::CONSOLE_NO_METADATA, message)
        .with_bundle(&first.bundle.name.value)
        .with_names(channels)
        .at_span(first.bundle.doc, first.bundle.name.span);
    for other in others {
        let text = format!("and {}", describe_head(other.bundle, &other.channels));
        finding = finding.with_related(text, other.bundle.doc, other.bundle.name.span);
    }
    found.push(finding);
}

/// Returns the location of the first property of a type.
fn property_span(bundle: &BundleBlob, kind: &str) -> Option<Span> {
    bundle.properties.iter().find(|property| property.kind.value == kind).map(|property| property.kind.span)
}

/// Reports bundles that match a condition, as one finding at their `olm.csv.metadata`.
fn report_metadata(
    s: &PackageSubject<'_>,
    rule: &'static Rule,
    problem: &str,
    applies: impl Fn(&BundleBlob) -> bool,
    found: &mut Findings,
) {
    let bundles = s.package.bundles.iter().map(|bundle| &**bundle).filter(|bundle| applies(bundle));
    let bundles: Vec<(&BundleBlob, Span)> =
        bundles.filter_map(|bundle| Some((bundle, property_span(bundle, CSV_METADATA)?))).collect();
    let Some((names, (first, span))) = sort_newest_first(s, &bundles) else { return };
    let message = format!(
        "{} of package {} {problem}: {}",
        pluralize(names.len(), "bundle", "bundles"),
        s.package.name,
        format_list(&names)
    );
    found.push(Finding::new(rule, message).with_bundle(&first.name.value).at_span(first.doc, span));
}

pub(super) fn both_forms(s: &PackageSubject<'_>, found: &mut Findings) {
    let problem = "with olm.csv.metadata and olm.bundle.object";
    let has_both = |bundle: &BundleBlob| property_span(bundle, BUNDLE_OBJECT).is_some();
    report_metadata(s, &rules::CONSOLE_BOTH_FORMS, problem, has_both, found);
}

pub(super) fn metadata_form(s: &PackageSubject<'_>, found: &mut Findings) {
    let is_too_early = |bundle: &BundleBlob| {
        property_span(bundle, BUNDLE_OBJECT).is_none()
            && openshift_minor(s, bundle.doc).is_some_and(|minor| minor < FIRST_WITH_CSV_METADATA)
    };
    let problem = "with olm.csv.metadata in a catalog for OpenShift 4.16 or lower";
    report_metadata(s, &rules::CONSOLE_METADATA_FORM, problem, is_too_early, found);
}

/// Returns true if a package has an icon with data.
fn has_icon_data(s: &PackageSubject<'_>, package: &PackageBlob) -> bool {
    let Some(icon) = &package.icon else { return false };
    let text = s.catalog.document_text(package.doc).and_then(|text| text.get(icon.data.range()));
    text.unwrap_or_default().iter().any(|byte| !matches!(byte, b'"' | b'\'' | b' ' | b'\n'))
}

pub(super) fn package_page(s: &PackageSubject<'_>, found: &mut Findings) {
    let (Some(package), Some(head)) = (s.package.definition(), default_head(s)) else { return };
    let Some(fields) = &head.fields else { return };
    if s.is_partly_unread(package.doc) {
        return;
    }
    let is_metadata = fields.form == CsvForm::Metadata;
    let described = package.description.as_ref().filter(|_| is_metadata);
    let has_icon = if is_metadata { has_icon_data(s, package) } else { fields.has_icon };
    let is_text = |text: &str| !text.trim().is_empty();
    let parts = [
        ("a display name", is_text(&fields.display_name)),
        ("a provider", is_text(&fields.provider)),
        ("a description", is_text(&fields.description) || described.is_some_and(|text| is_text(&text.value))),
        ("an icon", has_icon),
    ];
    let missing: Vec<&str> = parts.iter().filter(|(_, has)| !has).map(|(part, _)| *part).collect();
    if missing.is_empty() {
        return;
    }
    let name = &head.bundle.name.value;
    let message = format!(
        "consoles show package {} without {}: they read {name}, the head of the default channel",
        s.package.name,
        format_list(&missing)
    );
    let (doc, span) = if missing == ["an icon"] && is_metadata {
        (package.doc, package.name.span)
    } else {
        csv_location(head.bundle)
    };
    let finding = Finding::new(&rules::CONSOLE_PACKAGE_PAGE, message).with_bundle(name);
    found.push(finding.with_names(missing).at_span(doc, span));
}

/// Returns the location of the ClusterServiceVersion of a bundle.
fn csv_location(bundle: &BundleBlob) -> (DocId, Span) {
    let span = property_span(bundle, BUNDLE_OBJECT).or_else(|| property_span(bundle, CSV_METADATA));
    (bundle.doc, span.unwrap_or(bundle.name.span))
}

/// Returns true for a version such as `1.2.0-rc.1`, whose pre-release says that it is not for users.
fn is_named_prerelease(version: &Version) -> bool {
    let word = |identifier: &str| -> String {
        identifier.chars().take_while(char::is_ascii_alphabetic).collect::<String>().to_lowercase()
    };
    version.pre().split('.').any(|identifier| PRERELEASE_WORDS.contains(&word(identifier).as_str()))
}

pub(super) fn prerelease_head(s: &PackageSubject<'_>, found: &mut Findings) {
    if s.package.deprecation(&DeprecationTarget::Package).is_some() {
        return;
    }
    let mut versions = s.package.bundles.iter().filter_map(|bundle| bundle.version.as_ref());
    let has_release = versions.any(|version| !version.version.is_prerelease());
    for walk in &s.walks {
        let channel = &walk.channel.name.value;
        if is_prerelease_channel(channel) || s.package.channel_deprecation(channel).is_some() {
            continue;
        }
        let Some(head) = walk.head() else { continue };
        let name = &head.name.value;
        let Some(version) = s.version_of(name).filter(|version| is_named_prerelease(&version.version)) else {
            continue;
        };
        let is_default = s.package.default_channel() == Some(channel);
        let kind = if is_default { "the default channel" } else { "channel" };
        let message = format!("{name}, the head of {kind} {channel}, is a pre-release");
        let mut finding = Finding::new(&rules::CONSOLE_PRERELEASE_HEAD, message)
            .with_channel(channel)
            .with_bundle(name)
            .at_span(walk.channel.doc, head.name.span);
        if version.version.major() == 0 || !has_release {
            finding.severity = Severity::Note;
        }
        found.push(finding);
    }
}

/// Returns the platforms and features by which consoles find an operator, with their kind.
fn search_terms(fields: &ConsoleFields) -> Vec<String> {
    let architectures = fields.architectures.iter().map(|name| format!("architecture {name}"));
    let systems = fields.operating_systems.iter().map(|name| format!("operating system {name}"));
    let features = fields.features.iter().map(|name| format!("feature {name}"));
    architectures.chain(systems).chain(features).collect()
}

pub(super) fn hidden_platform(s: &PackageSubject<'_>, found: &mut Findings) {
    let (Some(default), Some(own)) = (s.package.default_channel(), default_head(s)) else { return };
    let Some(fields) = &own.fields else { return };
    if s.package.deprecation(&DeprecationTarget::Package).is_some() {
        return;
    }
    let shown = search_terms(fields);
    let is_supported = |channel: &&&ChannelBlob| s.package.channel_deprecation(&channel.name.value).is_none();
    let others = shown_heads(s).iter().filter_map(|head| {
        let channels: Vec<&ChannelBlob> = head.channels.iter().filter(is_supported).copied().collect();
        let terms = search_terms(head.fields.as_ref()?).into_iter().filter(|term| !shown.contains(term));
        let terms: Vec<String> = terms.collect();
        (!channels.is_empty() && !terms.is_empty()).then_some((head.bundle, channels, terms))
    });
    let others: Vec<_> = others.collect();
    if others.is_empty() {
        return;
    }
    let mut hidden: Vec<&String> = others.iter().flat_map(|(.., terms)| terms).collect();
    hidden.sort();
    hidden.dedup();
    let message = format!(
        "consoles do not find package {} by {}: they read {}, the head of the default channel {default}",
        s.package.name,
        format_list(&hidden),
        own.bundle.name.value
    );
    let (doc, span) = csv_location(own.bundle);
    let mut finding = Finding::new(&rules::CONSOLE_HIDDEN_PLATFORM, message)
        .with_bundle(&own.bundle.name.value)
        .with_names(hidden)
        .at_span(doc, span);
    for (bundle, channels, terms) in &others {
        let text = format!("{}, has {}", describe_head(bundle, channels), format_list(terms));
        let (doc, span) = csv_location(bundle);
        finding = finding.with_related(text, doc, span);
    }
    found.push(finding);
}
