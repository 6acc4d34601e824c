//! Rules about `olm.deprecations`.

use std::{cell::OnceCell, collections::HashMap};

use super::{finding::Finding, findings::Findings, rule::Rule, rules, subject::PackageSubject};
use olm_catalog::{
    BundleName, ChannelName, Span,
    blob::{Deprecation, DeprecationTarget, DeprecationsBlob},
    similar_names::{Candidates, suggest_closest},
};

const SCHEMAS: [&str; 3] = ["olm.package", "olm.channel", "olm.bundle"];

pub(super) fn repeated_deprecations(s: &PackageSubject<'_>, found: &mut Findings) {
    if let [first, again, more @ ..] = s.package.deprecations.as_slice()
        && s.is_named()
    {
        let message =
            format!("package {} has {} olm.deprecations", s.package.name, s.package.deprecations.len());
        let mut finding = Finding::new(&rules::REPEATED_DEPRECATIONS, message)
            .at_span(again.doc, again.package.span)
            .with_related("first one", first.doc, first.package.span);
        for other in more {
            finding = finding.with_related("another one", other.doc, other.package.span);
        }
        found.push(finding);
    }
}

pub(super) fn bad_schema(s: &PackageSubject<'_>, found: &mut Findings) {
    for (blob, deprecation) in readable_deprecations(s) {
        let schema = deprecation.schema.value.as_str();
        if SCHEMAS.contains(&schema) {
            continue;
        }
        let message = if schema.is_empty() {
            "a deprecation does not say what it deprecates".to_owned()
        } else {
            format!("a deprecation refers to schema {schema}, which cannot be deprecated")
        };
        let mut finding = deprecation_finding(&rules::BAD_DEPRECATION_SCHEMA, message, deprecation);
        finding = finding.at_span(blob.doc, deprecation.schema.span);
        if let Some(meant) = suggest_closest(schema, SCHEMAS.into_iter()) {
            finding = finding.with_help(format!("did you mean {meant}?"));
        }
        found.push(finding);
    }
}

pub(super) fn names_package(s: &PackageSubject<'_>, found: &mut Findings) {
    for (blob, deprecation) in readable_deprecations(s).filter(|(_, d)| d.schema.value == "olm.package") {
        if let Some(name) = &deprecation.name {
            let message = format!("the package deprecation must not have a name, but has {}", name.value);
            found.push(Finding::new(&rules::DEPRECATION_NAMES_PACKAGE, message).at_span(blob.doc, name.span));
        }
    }
}

pub(super) fn unknown_target(s: &PackageSubject<'_>, found: &mut Findings) {
    let (channels, bundles) = (OnceCell::new(), OnceCell::new());
    for (blob, deprecation) in readable_deprecations(s).filter(|_| s.is_defined()) {
        let what = match deprecation.schema.value.as_str() {
            "olm.channel" => "channel",
            "olm.bundle" => "bundle",
            _ => continue,
        };
        let rule = &rules::UNKNOWN_DEPRECATION_TARGET;
        let Some(name) = &deprecation.name else {
            let message = format!("a {what} deprecation does not name its {what}");
            found.push(Finding::new(rule, message).at_span(blob.doc, deprecation.schema.span));
            continue;
        };
        let is_channel = what == "channel";
        let name_text = name.value.as_str();
        let is_there = if is_channel {
            s.package.channel(name_text).is_some()
        } else {
            s.package.bundle(name_text).is_some()
        };
        if is_there || s.may_be_unread(name_text) {
            continue;
        }
        let message =
            format!("{what} {name_text} is deprecated, but package {} has no such {what}", s.package.name);
        let mut finding = deprecation_finding(rule, message, deprecation).at_span(blob.doc, name.span);
        let candidates = if is_channel { &channels } else { &bundles };
        let meant = candidates
            .get_or_init(|| {
                if is_channel {
                    Candidates::new(s.package.channels.iter().map(|c| c.name.value.as_str()))
                } else {
                    Candidates::new(s.package.bundles.iter().map(|b| b.name.value.as_str()))
                }
            })
            .suggest(name_text);
        if let Some(meant) = meant {
            finding = finding.with_help(format!("did you mean {meant}?"));
        }
        found.push(finding);
    }
}

pub(super) fn duplicate(s: &PackageSubject<'_>, found: &mut Findings) {
    for blob in &s.package.deprecations {
        let mut first: HashMap<(&str, &str), Span> = HashMap::with_capacity(blob.entries.len());
        for deprecation in blob.entries.iter().filter(|d| !d.schema.value.is_empty()) {
            let name = deprecation.name.as_ref().map_or("", |name| name.value.as_str());
            let key = (deprecation.schema.value.as_str(), name);
            if let Some(&known) = first.get(&key) {
                let what = match key {
                    (schema, "") => schema.to_owned(),
                    (schema, name) => format!("{schema} {name}"),
                };
                let span = deprecation.name.as_ref().map_or(deprecation.schema.span, |name| name.span);
                let finding = deprecation_finding(
                    &rules::DUPLICATE_DEPRECATION,
                    format!("{what} is deprecated twice"),
                    deprecation,
                );
                found.push(finding.at_span(blob.doc, span).with_related("first here", blob.doc, known));
            } else {
                first.insert(key, deprecation.span);
            }
        }
    }
}

pub(super) fn missing_message(s: &PackageSubject<'_>, found: &mut Findings) {
    for (blob, deprecation) in readable_deprecations(s).filter(|(_, d)| d.message.value.is_empty()) {
        // A missing message matters only if the target of the deprecation is known.
        let what = match (&deprecation.target, &deprecation.name) {
            (Some(DeprecationTarget::Package), _) => "the package".to_owned(),
            (Some(DeprecationTarget::Channel(name)), _) => format!("channel {name}"),
            (Some(DeprecationTarget::Bundle(name)), _) => format!("bundle {name}"),
            (None, Some(name)) => name.value.clone(),
            (None, None) => continue,
        };
        let message = format!("the deprecation of {what} has no message");
        let finding = deprecation_finding(&rules::MISSING_DEPRECATION_MESSAGE, message, deprecation);
        found.push(finding.at_span(blob.doc, deprecation.message.span));
    }
}

/// Returns the deprecations that were fully parsed.
fn readable_deprecations<'s, 'a>(
    s: &'s PackageSubject<'a>,
) -> impl Iterator<Item = (&'a DeprecationsBlob, &'a Deprecation)> + use<'s, 'a> {
    let all = s.package.deprecations.iter().flat_map(|blob| blob.entries.iter().map(move |d| (&**blob, d)));
    all.filter(|(blob, deprecation)| !s.is_unreadable(blob.doc, deprecation.span))
}

fn deprecation_finding(rule: &'static Rule, message: String, deprecation: &Deprecation) -> Finding {
    let mut finding = Finding::new(rule, message);
    let name = deprecation.name.as_ref().map(|name| name.value.as_str());
    finding.channel = name.filter(|_| deprecation.schema.value == "olm.channel").map(ChannelName::from);
    finding.bundle = name.filter(|_| deprecation.schema.value == "olm.bundle").map(BundleName::from);
    finding
}
