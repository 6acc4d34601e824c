//! Rules about properties that block OLM v1 from installing a head, or block cluster updates.

use std::collections::HashMap;

use super::{
    finding::Finding,
    findings::Findings,
    format::{format_list, format_name},
    packaging, rules,
    subject::PackageSubject,
};
use olm_catalog::{
    BundleName, ChannelName, Spanned,
    blob::{BundleBlob, ChannelBlob, Dependency},
};
use olm_upgrade::install_blockers;

pub(super) fn dependencies(s: &PackageSubject<'_>, found: &mut Findings) {
    let heads = matching_heads(s, |bundle| !bundle.requires.is_empty());
    let [(newest, channels), others @ ..] = heads.as_slice() else { return };
    let Some(first) = newest.requires.first() else { return };
    let needs = format_list(newest.requires.iter().map(describe_dependency));
    let message = format!("OLM v1 refuses {}: it requires {needs}", describe_head(newest, channels));
    let mut finding = Finding::new(&rules::V1_DEPENDENCIES, message).with_bundle(&newest.name.value);
    finding = finding.with_names(channels_of_heads(&heads));
    finding = finding.at_span(newest.doc, first.span());
    for (bundle, channels) in others {
        let Some(first) = bundle.requires.first() else { continue };
        finding = finding.with_related(
            format!("and {}", describe_head(bundle, channels)),
            bundle.doc,
            first.span(),
        );
    }
    found.push(finding);
}

/// Returns the heads that match a condition, newest first.
fn matching_heads<'a>(
    s: &PackageSubject<'a>,
    applies: impl Fn(&BundleBlob) -> bool,
) -> Vec<(&'a BundleBlob, Vec<&'a ChannelBlob>)> {
    let mut heads = s.heads();
    heads.retain(|(bundle, _)| applies(bundle));
    let order = s.newest_first(heads.iter().map(|(bundle, _)| &bundle.name.value));
    let places: HashMap<&BundleName, usize> = order.into_iter().zip(0..).collect();
    heads.sort_by_key(|(bundle, _)| places.get(&bundle.name.value).copied());
    heads
}

/// Returns the channels of these heads.
fn channels_of_heads<'a>(
    heads: &[(&BundleBlob, Vec<&'a ChannelBlob>)],
) -> impl Iterator<Item = &'a ChannelName> {
    let channels: Vec<&ChannelBlob> = heads.iter().flat_map(|(_, channels)| channels).copied().collect();
    channels.into_iter().map(|channel| &channel.name.value)
}

fn describe_dependency(dependency: &Dependency) -> String {
    match dependency {
        Dependency::Package { package, range, .. } => format!("package {package} {range}"),
        Dependency::Gvk { gvk, .. } => gvk.to_string(),
        Dependency::Constraint { message, .. } if message.is_empty() => "a constraint".to_owned(),
        Dependency::Constraint { message, .. } => format!("a constraint ({message})"),
    }
}

pub(super) fn no_all_namespaces(s: &PackageSubject<'_>, found: &mut Findings) {
    let heads = matching_heads(s, |bundle| {
        bundle.csv.as_ref().is_some_and(|csv| !csv.install_modes.iter().any(|mode| mode == "AllNamespaces"))
    });
    let [(newest, channels), others @ ..] = heads.as_slice() else { return };
    let Some(csv) = &newest.csv else { return };
    let modes = match csv.install_modes.as_slice() {
        [] => "no install mode".to_owned(),
        modes => format!("only {}", format_list(modes)),
    };
    let message =
        format!("OLM v1 by default refuses {}: it supports {modes}", describe_head(newest, channels));
    let mut finding = Finding::new(&rules::V1_NO_ALL_NAMESPACES, message).with_bundle(&newest.name.value);
    finding = finding.with_names(channels_of_heads(&heads));
    finding = finding.at_span(newest.doc, csv.span);
    for (bundle, channels) in others {
        let at = bundle.csv.as_ref().map_or(bundle.name.span, |csv| csv.span);
        finding = finding.with_related(format!("and {}", describe_head(bundle, channels)), bundle.doc, at);
    }
    found.push(finding);
}

/// Formats a bundle with its channels: `kiln.v1.0.0, the head of stable`.
pub(super) fn describe_head(bundle: &BundleBlob, channels: &[&ChannelBlob]) -> String {
    let mut names: Vec<String> =
        channels.iter().map(|channel| format_name("channel", &channel.name.value)).collect();
    names.sort_unstable();
    format!("{}, the head of {}", bundle.name.value, format_list(names))
}

pub(super) fn channel_name(s: &PackageSubject<'_>, found: &mut Findings) {
    for channel in &s.package.channels {
        let name = channel.name.value.as_str();
        if !name.is_empty() && !install_blockers::is_dns_label(name) {
            let message = format!("OLM v1 cannot select channel {name}: the name is not DNS-1123");
            found.push(
                Finding::new(&rules::V1_CHANNEL_NAME, message)
                    .with_channel(&channel.name.value)
                    .at_span(channel.doc, channel.name.span),
            );
        }
    }
}

/// Checks `olm.maxOpenShiftVersion`. OLM accepts the value with or without quotes, with a `v`,
/// and with a patch version of `0`. If OLM cannot read it, it blocks every update of the cluster.
pub(super) fn max_openshift_version(s: &PackageSubject<'_>, found: &mut Findings) {
    for bundle in &s.package.bundles {
        let Some(max) = &bundle.max_openshift else { continue };
        let written = s.catalog.document_text(bundle.doc).and_then(|text| text.get(max.span.range()));
        let written = String::from_utf8_lossy(written.unwrap_or_default());
        let Some(fault) = max_openshift_fault(&written, &max.value) else {
            found.extend(below_catalog_finding(s, bundle, max));
            continue;
        };
        if s.catalog.is_rendered_from_bundles() {
            // The check of the bundle directory reports the same, with the location in its file.
            continue;
        }
        let message = format!(
            "olm.maxOpenShiftVersion of {} is {}",
            format_name("bundle", &bundle.name.value),
            fault.what
        );
        let mut finding =
            Finding::new(&rules::MAX_OPENSHIFT_VERSION, message).with_bundle(&bundle.name.value);
        finding.help = fault.help;
        found.push(finding.at_span(bundle.doc, max.span));
    }
}

/// Fault of a value of `olm.maxOpenShiftVersion`.
pub(super) struct MaxOpenShiftFault {
    /// The value with its fault, as the end of a sentence.
    pub what: String,
    /// Advice, instead of the help of the rule.
    pub help: Option<String>,
}

/// Returns the fault of a value as written and as read; `None` if it is major.minor. Without quotes
/// the value is a number, and 4.20 is the same as 4.2.
pub(super) fn max_openshift_fault(written: &str, value: &str) -> Option<MaxOpenShiftFault> {
    if is_major_minor(written) && written != value {
        return Some(MaxOpenShiftFault {
            what: format!("{written} without quotes, which is the number {value}"),
            help: Some(format!("write \"{written}\"")),
        });
    }
    let what = format!("`{value}`, which is not major.minor");
    (!is_major_minor(value)).then_some(MaxOpenShiftFault { what, help: None })
}

/// Reports a default channel's head that does not support the OpenShift version of its catalog.
fn below_catalog_finding(
    s: &PackageSubject<'_>,
    bundle: &BundleBlob,
    max: &Spanned<String>,
) -> Option<Finding> {
    let (catalog, minor) = (packaging::openshift_minor(s, bundle.doc)?, packaging::parse_minor(&max.value)?);
    let default = s.package.default_channel()?;
    let name = &bundle.name.value;
    let walks = s.package.channel_positions_with(name).iter().filter_map(|&at| s.walks.get(at));
    let is_head = walks
        .filter(|walk| walk.channel.name.value == *default)
        .any(|walk| walk.head().is_some_and(|head| head.name.value == *name));
    if minor >= catalog || !is_head {
        return None;
    }
    let message = format!(
        "{}, the head of the default channel {default}, supports OpenShift up to {}, but this is the \
         catalog for 4.{catalog}",
        bundle.name.value, max.value
    );
    let help = format!(
        "raise olm.maxOpenShiftVersion if it runs on 4.{catalog}, otherwise remove it from the catalog"
    );
    let finding = Finding::new(&rules::MAX_OPENSHIFT_VERSION, message).with_bundle(&bundle.name.value);
    Some(finding.at_span(bundle.doc, max.span).with_help(help))
}

fn is_major_minor(text: &str) -> bool {
    let is_number = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|b| b.is_ascii_digit())
            && (part == "0" || !part.starts_with('0'))
    };
    text.split_once('.').is_some_and(|(major, minor)| is_number(major) && is_number(minor))
}
