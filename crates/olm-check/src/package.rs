//! Rules about packages and about references to them.

use super::{
    finding::Finding,
    findings::Findings,
    format::{format_list, format_with_kind},
    rules,
    subject::PackageSubject,
};
use olm_catalog::{ChannelName, DocId, Span, blob::DeprecationTarget, similar_names};
use olm_edit::Edit;

const MAX_LABEL_LEN: usize = 63;

pub(super) fn missing_name(s: &PackageSubject<'_>, found: &mut Findings) {
    let rule = &rules::MISSING_NAME;
    for package in s.package.definitions.iter().filter(|p| p.name.value.as_str().is_empty()) {
        found.push(
            Finding::new(rule, "the package has no name")
                .with_detail("package")
                .at_span(package.doc, package.name.span),
        );
    }
    for channel in s.package.channels.iter().filter(|c| c.name.value.as_str().is_empty()) {
        found.push(
            Finding::new(rule, "the channel has no name")
                .with_detail("channel")
                .at_span(channel.doc, channel.name.span),
        );
    }
    for bundle in s.package.bundles.iter().filter(|b| b.name.value.as_str().is_empty()) {
        found.push(
            Finding::new(rule, "the bundle has no name")
                .with_detail("bundle")
                .at_span(bundle.doc, bundle.name.span),
        );
    }
    for (channel, entry) in s.all_entries().filter(|(_, entry)| entry.name.value.as_str().is_empty()) {
        if !s.is_unreadable(channel.doc, entry.span) {
            let channel_name = format_with_kind("channel", &channel.name.value);
            let message = format!("entry {} of {channel_name} has no name", entry.position + 1);
            let finding = Finding::new(rule, message).with_channel(&channel.name.value);
            let finding = finding.with_detail(entry.position.to_string());
            found.push(finding.at_span(channel.doc, entry.name.span));
        }
    }
}

pub(super) fn missing_package(s: &PackageSubject<'_>, found: &mut Findings) {
    if s.is_named() {
        return;
    }
    let mut report = |what: String, doc, span| {
        let message = format!("{what} names no package");
        found.push(Finding::new(&rules::MISSING_PACKAGE, message).with_detail(what).at_span(doc, span));
    };
    for channel in &s.package.channels {
        report(format_with_kind("channel", &channel.name.value), channel.doc, channel.package.span);
    }
    for bundle in &s.package.bundles {
        report(format_with_kind("bundle", &bundle.name.value), bundle.doc, bundle.package.span);
    }
    for deprecations in &s.package.deprecations {
        report("olm.deprecations".to_owned(), deprecations.doc, deprecations.package.span);
    }
}

pub(super) fn bad_package_name(s: &PackageSubject<'_>, found: &mut Findings) {
    let name = s.package.name.as_str();
    let Some(package) = s.package.definition().filter(|_| s.is_named()) else { return };
    let alphanumeric = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let why = if name.len() > MAX_LABEL_LEN {
        format!("has {} characters, but at most {MAX_LABEL_LEN} are allowed", name.len())
    } else if let Some(bad) = name.chars().find(|c| !matches!(c, 'a'..='z' | '0'..='9' | '-')) {
        format!("has `{}`, but only lower case letters, digits and hyphens are allowed", bad.escape_debug())
    } else if !name.bytes().next().is_some_and(alphanumeric)
        || !name.bytes().next_back().is_some_and(alphanumeric)
    {
        "begins or ends with a hyphen".to_owned()
    } else {
        return;
    };
    let message = format!("the package name {name} {why}");
    found.push(Finding::new(&rules::BAD_PACKAGE_NAME, message).at_span(package.doc, package.name.span));
}

pub(super) fn duplicate_package(s: &PackageSubject<'_>, found: &mut Findings) {
    if let [first, again, more @ ..] = s.package.definitions.as_slice()
        && s.is_named()
    {
        let message = format!("package {} is defined {} times", s.package.name, s.package.definitions.len());
        let mut finding = Finding::new(&rules::DUPLICATE_PACKAGE, message)
            .at_span(again.doc, again.name.span)
            .with_related("first defined here", first.doc, first.name.span);
        for other in more {
            finding = finding.with_related("again here", other.doc, other.name.span);
        }
        found.push(finding);
    }
}

pub(super) fn unknown_package(s: &PackageSubject<'_>, found: &mut Findings) {
    let name = s.package.name.as_str();
    if !s.is_named() || s.is_defined() || s.may_be_unread(name) {
        return;
    }
    let mut places: Vec<(String, DocId, Span)> = Vec::new();
    let package = s.package;
    let channels = package.channels.iter();
    places.extend(channels.map(|c| (format_with_kind("channel", &c.name.value), c.doc, c.package.span)));
    let bundles = package.bundles.iter();
    places.extend(bundles.map(|b| (format_with_kind("bundle", &b.name.value), b.doc, b.package.span)));
    let deprecations = package.deprecations.iter();
    places.extend(deprecations.map(|d| ("olm.deprecations".to_owned(), d.doc, d.package.span)));
    // Blobs with other schemas may name any package.
    let Some((_, doc, span)) = places.first() else { return };
    // A package without a name in the same file is the cause.
    let nameless = s.catalog.package("").into_iter().flat_map(|package| &package.definitions);
    if nameless.into_iter().any(|package| package.doc.file == doc.file) {
        return;
    }
    let mut parts: Vec<&str> = places.iter().map(|(what, ..)| what.as_str()).collect();
    parts.sort_unstable();
    let parts = format_list(parts);
    let belong = if places.len() == 1 { "belongs" } else { "belong" };
    let message = format!("package {name} is not defined, but {parts} {belong} to it");
    let mut finding = Finding::new(&rules::UNKNOWN_PACKAGE, message).at_span(*doc, *span);
    for (what, doc, span) in places.iter().skip(1) {
        finding = finding.with_related(format!("{what} also belongs to it"), *doc, *span);
    }
    if let Some(meant) = s.context.suggest_package(name) {
        finding = finding.with_help(format!("did you mean {meant}?"));
    }
    found.push(finding);
}

pub(super) fn no_channels(s: &PackageSubject<'_>, found: &mut Findings) {
    let name = s.package.name.as_str();
    if let Some(package) = s.package.definition()
        && s.is_named()
        && s.package.channels.is_empty()
        && !s.may_be_unread(name)
    {
        let message = format!("package {name} has no channels");
        found.push(Finding::new(&rules::NO_CHANNELS, message).at_span(package.doc, package.name.span));
    }
}

pub(super) fn missing_default_channel(s: &PackageSubject<'_>, found: &mut Findings) {
    for package in s.package.definitions.iter().filter(|_| s.is_named()) {
        if package.default_channel.is_none()
            && !s.is_field_unreadable(package.doc, |field| field == "defaultChannel")
        {
            let message = format!("package {} has no default channel", package.name.value);
            let mut finding = Finding::new(&rules::MISSING_DEFAULT_CHANNEL, message);
            if !s.package.channels.is_empty() {
                let mut channels: Vec<&str> =
                    s.package.channels.iter().map(|c| c.name.value.as_str()).collect();
                channels.sort_unstable();
                if let [only] = channels.as_slice() {
                    finding = finding.with_fix(Edit::SetDefaultChannel {
                        package: package.name.value.clone(),
                        channel: (*only).into(),
                    });
                }
                finding = finding
                    .with_help(format!("set defaultChannel; the package has {}", format_list(channels)));
            }
            found.push(finding.at_span(package.doc, package.name.span));
        }
    }
}

pub(super) fn unknown_default_channel(s: &PackageSubject<'_>, found: &mut Findings) {
    // Another rule reports a package without channels.
    if !s.is_named() || s.package.channels.is_empty() {
        return;
    }
    for package in &s.package.definitions {
        let Some(default) = &package.default_channel else { continue };
        let name = default.value.as_str();
        if s.package.channel(name).is_some() || s.may_be_unread(name) {
            continue;
        }
        let mut channels: Vec<&ChannelName> = s.package.channels.iter().map(|c| &c.name.value).collect();
        channels.sort();
        let message = format!("default channel {name} is not a channel of package {}", package.name.value);
        let meant = similar_names::suggest_closest(name, channels.iter().map(|c| c.as_str()));
        let help = match meant {
            Some(meant) => format!("did you mean {meant}?"),
            None => format!("the package has {}", format_list(&channels)),
        };
        let mut finding = Finding::new(&rules::UNKNOWN_DEFAULT_CHANNEL, message)
            .with_channel(&default.value)
            .at_span(package.doc, default.span)
            .with_help(help);
        if let Some(meant) = meant {
            let package = package.name.value.clone();
            finding = finding.with_fix(Edit::SetDefaultChannel { package, channel: meant.into() });
        }
        found.push(finding);
    }
}

pub(super) fn deprecated_default_channel(s: &PackageSubject<'_>, found: &mut Findings) {
    let Some(package) = s.package.definition() else { return };
    let Some(default) = &package.default_channel else { return };
    // The channels of a deprecated package do not matter.
    if s.package.deprecation(&DeprecationTarget::Package).is_some() {
        return;
    }
    let deprecations =
        s.package.deprecations.iter().flat_map(|blob| blob.entries.iter().map(move |d| (blob, d)));
    let target = DeprecationTarget::Channel(default.value.clone());
    if let Some((blob, deprecation)) =
        deprecations.into_iter().find(|(_, d)| d.target.as_ref() == Some(&target))
    {
        let message = format!("the default channel {} is deprecated", default.value);
        let mut finding = Finding::new(&rules::DEPRECATED_DEFAULT_CHANNEL, message)
            .with_channel(&default.value)
            .at_span(package.doc, default.span)
            .with_related("deprecated here", blob.doc, deprecation.span);
        // Both findings recommend another default channel.
        if let Some(older) = older_default_finding(s) {
            finding.add_duplicate(older);
        }
        found.push(finding);
    }
}

/// Returns true for a channel name that suggests a stable channel: `stable`, `stable-1.2`, `v2`,
/// `2.x`.
fn looks_stable(name: &str) -> bool {
    let version = name.strip_prefix('v').unwrap_or(name);
    name == "stable"
        || ["stable-", "stable."].iter().any(|prefix| name.starts_with(prefix))
        || version.split('.').all(|part| part == "x" || part.parse::<u32>().is_ok())
}

pub(super) fn older_default_channel(s: &PackageSubject<'_>, found: &mut Findings) {
    // The finding about a deprecated default channel includes this one.
    let is_deprecated =
        s.package.default_channel().is_some_and(|name| s.package.channel_deprecation(name).is_some());
    if !is_deprecated {
        found.extend(older_default_finding(s));
    }
}

/// Returns the finding about a default channel that is behind another one. Only releases count as
/// newer, and only channels that look stable: an `alpha` or a `candidate` channel may be ahead.
fn older_default_finding(s: &PackageSubject<'_>) -> Option<Finding> {
    let package = s.package.definition()?;
    let default = package.default_channel.as_ref()?;
    let is_deprecated = |name: &ChannelName| s.package.channel_deprecation(name).is_some();
    if s.package.deprecation(&DeprecationTarget::Package).is_some() {
        return None;
    }
    let head_of = |name: &ChannelName| {
        let walk = s.walk(name)?;
        let head = walk.head()?;
        Some((walk.channel, head, &s.version_of(&head.name.value)?.version))
    };
    let (_, own, own_version) = head_of(&default.value)?;
    let mut newer: Vec<_> = s
        .package
        .channels
        .iter()
        .filter(|channel| looks_stable(channel.name.value.as_str()) && !is_deprecated(&channel.name.value))
        .filter_map(|channel| head_of(&channel.name.value))
        .filter(|(_, head, version)| {
            !version.is_prerelease()
                && version.cmp_precedence(own_version).is_gt()
                && s.package.bundle_deprecation(&head.name.value).is_none()
        })
        .collect();
    newer.sort_by(|(a, _, x), (b, _, y)| y.cmp_precedence(x).then_with(|| a.name.value.cmp(&b.name.value)));
    let [(channel, head, _), more @ ..] = newer.as_slice() else { return None };
    let message = format!(
        "the head {} of the default channel {} is older than {}, the head of {}",
        own.name.value, default.value, head.name.value, channel.name.value
    );
    let mut finding = Finding::new(&rules::OLDER_DEFAULT_CHANNEL, message)
        .with_channel(&default.value)
        .with_names(newer.iter().map(|(channel, ..)| &channel.name.value))
        .at_span(package.doc, default.span)
        .with_related(format!("{} is newer", head.name.value), channel.doc, head.name.span);
    for (channel, head, _) in more {
        let text = format!("{}, the head of {}, is also newer", head.name.value, channel.name.value);
        finding = finding.with_related(text, channel.doc, head.name.span);
    }
    Some(finding)
}
