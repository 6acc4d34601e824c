//! Rules about provided and required APIs and packages: unmet requirements, and constraints that
//! OLM cannot resolve.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{
    finding::Finding, findings::Findings, format::format_list, resolution, rule::Rule, rules,
    subject::PackageSubject,
};
use olm_catalog::{
    DocId, Span,
    blob::{BundleBlob, Dependency, Gvk},
};
use olm_upgrade::{
    apis::{UnmetReason, UnmetRequirement},
    install_blockers,
    resolve::{constraint::RequirementError, entry::Facts, limit::NOT_OLM_LIMIT},
};

pub(super) fn unmet(s: &PackageSubject<'_>, found: &mut Findings) {
    // The finding about channels that OLM Classic cannot install includes this one.
    if resolution::blocked_by_missing(s).is_none() {
        found.extend(unmet_requirements(s));
    }
}

/// Returns the finding about all requirements that no bundle of the catalog meets.
pub(super) fn unmet_requirements(s: &PackageSubject<'_>) -> Option<Finding> {
    let mut missing = missing_requirements(s);
    let (message, want) = missing.next()?;
    let mut one = requirement_finding(s, &rules::UNMET_DEPENDENCY, want, message)?;
    let mut names = vec![want.text.clone()];
    for (message, want) in missing {
        names.push(want.text.clone());
        if let Some((doc, span)) = requirement_position(s, want) {
            one = one.with_related(message, doc, span);
        }
    }
    if names.len() > 1 {
        one.message = format!("{}; and {} more", one.message, names.len() - 1);
    }
    Some(one.with_names(names))
}

/// Returns unmet requirements of the package with their messages.
pub(super) fn missing_requirements<'a>(
    s: &PackageSubject<'a>,
) -> impl Iterator<Item = (String, &'a UnmetRequirement)> {
    let (package, wants) = (s.package, s.context.requirements_of(&s.package.name));
    wants.iter().filter(|want| want.reason == UnmetReason::Missing).map(move |want| {
        let by = format!("{} {}", package.name, want.required_by);
        (format!("no bundle of this catalog provides {}: required by {by}", want.text), want)
    })
}

/// Returns the position of a requirement in the highest bundle that has it.
pub(super) fn requirement_position(s: &PackageSubject<'_>, want: &UnmetRequirement) -> Option<(DocId, Span)> {
    let bundle = s.package.bundles.get(want.bundle)?;
    Some((bundle.doc, bundle.requires.get(want.requirement)?.span()))
}

pub(super) fn outdated_requirements(s: &PackageSubject<'_>, found: &mut Findings) {
    for want in s.context.requirements_of(&s.package.name) {
        let UnmetReason::Dropped(by) = &want.reason else { continue };
        let message = format!(
            "no head provides {}, only older bundles of {}: required by {}",
            want.text,
            format_list(by),
            format_requirers(s, want)
        );
        found.extend(requirement_finding(s, &rules::OUTDATED_DEPENDENCY, want, message));
    }
}

/// Formats the bundles as `beacon-operator 0.3.0 to 0.5.0 (3 bundles)`.
fn format_requirers(s: &PackageSubject<'_>, want: &UnmetRequirement) -> String {
    format!("{} {}", s.package.name, want.required_by)
}

/// Creates a finding at the requirement in the highest bundle that has it.
fn requirement_finding(
    s: &PackageSubject<'_>,
    rule: &'static Rule,
    want: &UnmetRequirement,
    message: String,
) -> Option<Finding> {
    let bundle = s.package.bundles.get(want.bundle)?;
    let (doc, span) = requirement_position(s, want)?;
    Some(
        Finding::new(rule, message)
            .with_bundle(&bundle.name.value)
            .with_names([&want.text])
            .at_span(doc, span),
    )
}

pub(super) fn constraint_invalid(s: &PackageSubject<'_>, found: &mut Findings) {
    let is_meant =
        |fault: &RequirementError| !fault.is_own_limit() && !matches!(fault, RequirementError::Cel(_));
    found.extend(constraint_findings(s, &rules::CONSTRAINT_INVALID, is_meant));
}

pub(super) fn cel_invalid(s: &PackageSubject<'_>, found: &mut Findings) {
    let is_meant =
        |fault: &RequirementError| !fault.is_own_limit() && matches!(fault, RequirementError::Cel(_));
    found.extend(constraint_findings(s, &rules::CEL_INVALID, is_meant));
}

/// Reports constraints that exceed a limit of olmap.
pub(super) fn constraints_over_limit(s: &PackageSubject<'_>) -> Vec<Finding> {
    constraint_findings(s, &rules::NOT_CHECKED, RequirementError::is_own_limit)
}

/// Reports constraints with a fault. Parses only bundles with constraints again, since few have
/// any.
fn constraint_findings(
    s: &PackageSubject<'_>,
    rule: &'static Rule,
    is_meant: impl Fn(&RequirementError) -> bool,
) -> Vec<Finding> {
    let mut found = Vec::new();
    for bundle in &s.package.bundles {
        let is_constraint = |dependency: &&Dependency| matches!(dependency, Dependency::Constraint { .. });
        let labels = bundle.properties.iter().filter(|property| property.kind.value == "olm.label.required");
        let spans = bundle.requires.iter().filter(is_constraint).map(Dependency::span);
        let spans: HashSet<_> = spans.chain(labels.map(|property| property.value)).collect();
        if spans.is_empty() {
            continue;
        }
        for requirement in Facts::from_bundle(s.catalog, bundle).requirements {
            let Some(fault) = requirement.predicate.err().filter(&is_meant) else { continue };
            if spans.contains(&requirement.span) {
                let message = if fault.is_own_limit() {
                    format!("constraint of {} not checked: {fault}; {NOT_OLM_LIMIT}", bundle.name.value)
                } else {
                    format!("bundle {} stops OLM's resolution: {fault}", bundle.name.value)
                };
                let finding = Finding::new(rule, message).with_bundle(&bundle.name.value);
                found.push(finding.at_span(bundle.doc, requirement.span));
            }
        }
    }
    found
}

pub(super) fn duplicate_gvk(s: &PackageSubject<'_>, found: &mut Findings) {
    for bundle in s.package.bundles.iter().filter(|bundle| bundle.provides.len() > 1) {
        let mut known: HashMap<_, usize> = HashMap::new();
        let spans: Vec<_> = bundle.properties.iter().filter(|p| p.kind.value == "olm.gvk").collect();
        for (at, gvk) in bundle.provides.iter().enumerate() {
            let times = known.entry(gvk).or_insert(0);
            *times += 1;
            if *times != 2 {
                continue;
            }
            // Unreadable properties are not in `provides`, so the positions are known only if the
            // counts agree.
            let place = spans.get(at).filter(|_| spans.len() == bundle.provides.len());
            let span = place.map_or(bundle.name.span, |property| property.value);
            let message = format!(
                "bundle {} lists {gvk} twice: OLM Classic counts it as two providers and can never install it",
                bundle.name.value
            );
            found.push(
                Finding::new(&rules::GVK_TWICE, message)
                    .with_bundle(&bundle.name.value)
                    .at_span(bundle.doc, span),
            );
        }
    }
}

/// API with the bundle and the location that names it.
struct NamedApi<'a> {
    gvk: &'a Gvk,
    bundle: &'a BundleBlob,
    span: Span,
    /// Type of the property.
    kind: &'static str,
}

/// Reports provided and required APIs that no cluster can have, in one finding for each API.
pub(super) fn bad_gvk(s: &PackageSubject<'_>, found: &mut Findings) {
    let mut bad: BTreeMap<&Gvk, (String, Vec<NamedApi<'_>>)> = BTreeMap::new();
    for bundle in &s.package.bundles {
        for named in named_apis(bundle) {
            // Another rule reports a value of the wrong type, which then counts as empty.
            let is_readable = !s.is_unreadable(bundle.doc, named.span)
                && !s.is_field_unreadable(bundle.doc, |field| field.starts_with("properties["));
            if let Some(fault) = gvk_fault(named.gvk).filter(|_| is_readable) {
                bad.entry(named.gvk).or_insert_with(|| (fault, Vec::new())).1.push(named);
            }
        }
    }
    for (gvk, (fault, uses)) in bad {
        let newest = s.newest_first(uses.iter().map(|named| &named.bundle.name.value));
        let newest = newest.first().and_then(|name| uses.iter().find(|it| it.bundle.name.value == **name));
        let Some(first) = newest else { continue };
        let message = format!("{} `{gvk}` of bundle {}: {fault}", first.kind, first.bundle.name.value);
        let mut finding = Finding::new(&rules::BAD_GVK, message)
            .with_bundle(&first.bundle.name.value)
            .with_names([gvk])
            .with_detail(gvk.to_string())
            .at_span(first.bundle.doc, first.span);
        for other in
            uses.iter().filter(|other| (other.bundle.doc, other.span) != (first.bundle.doc, first.span))
        {
            let text = format!("{} of bundle {}", other.kind, other.bundle.name.value);
            finding = finding.with_related(text, other.bundle.doc, other.span);
        }
        found.push(finding);
    }
}

/// Returns the APIs that a bundle provides and requires, also in constraints.
fn named_apis(bundle: &BundleBlob) -> Vec<NamedApi<'_>> {
    let spans: Vec<_> = bundle.properties.iter().filter(|p| p.kind.value == "olm.gvk").collect();
    // The positions are known only if the counts agree: see `duplicate_gvk`.
    let place = |at: usize| spans.get(at).filter(|_| spans.len() == bundle.provides.len());
    let provided = bundle.provides.iter().enumerate().map(|(at, gvk)| NamedApi {
        gvk,
        bundle,
        span: place(at).map_or(bundle.name.span, |property| property.value),
        kind: "olm.gvk",
    });
    let required = bundle.requires.iter().flat_map(|dependency| {
        let is_constraint = matches!(dependency, Dependency::Constraint { .. });
        let kind = if is_constraint { "olm.constraint" } else { "olm.gvk.required" };
        dependency.requirements().iter().filter_map(move |required| match required {
            // In a constraint, a value of the wrong type is empty, and another rule reports it.
            Dependency::Gvk { gvk, .. } if is_constraint && has_empty_part(gvk) => None,
            Dependency::Gvk { gvk, span } => Some(NamedApi { gvk, bundle, span: *span, kind }),
            _ => None,
        })
    });
    provided.chain(required).collect()
}

fn has_empty_part(gvk: &Gvk) -> bool {
    [&gvk.group, &gvk.version, &gvk.kind].into_iter().any(String::is_empty)
}

/// Returns the first part of an API name that Kubernetes refuses in a `CustomResourceDefinition`.
fn gvk_fault(gvk: &Gvk) -> Option<String> {
    let Gvk { group, version, kind } = gvk;
    for (what, part) in [("group", group), ("version", version), ("kind", kind)] {
        if part.is_empty() {
            return Some(format!("it has no {what}"));
        }
    }
    if !install_blockers::is_dns_label(group) {
        return Some(format!("group `{group}` is not a DNS-1123 subdomain"));
    }
    if !is_dns1035_label(version) {
        return Some(format!("version `{version}` is not a DNS-1035 label, such as v1"));
    }
    // Kubernetes compares a kind in lower case.
    (!is_dns1035_label(&kind.to_ascii_lowercase()))
        .then(|| format!("kind `{kind}` is not a DNS-1035 label, apart from upper case"))
}

fn is_dns1035_label(text: &str) -> bool {
    let is_inner = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    text.len() <= 63
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && !text.ends_with('-')
        && text.bytes().all(is_inner)
}
