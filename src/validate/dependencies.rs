//! Rules about what bundles provide and require: requirements that nothing of the catalog meets, and what OLM cannot resolve.

use std::collections::{HashMap, HashSet};

use super::{diagnostic::Diagnostic, findings::Findings, rule::Rule, rules, subject::Subject, words::list};
use crate::{
    catalog::blob::Dependency,
    resolve::{constraint::Fault, entry::Facts, limit::NOT_OLMS},
    upgrade::apis::{Want, Why},
};

pub(super) fn unmet(s: &Subject<'_>, found: &mut Findings) {
    for want in s.around.wants(&s.package.name).iter().filter(|want| want.why == Why::Missing) {
        let message =
            format!("no bundle of this catalog provides {}: required by {}", want.what, required_by(s, want));
        found.extend(finding(s, &rules::UNMET_DEPENDENCY, want, message));
    }
}

pub(super) fn dropped(s: &Subject<'_>, found: &mut Findings) {
    for want in s.around.wants(&s.package.name) {
        let Why::Dropped(by) = &want.why else { continue };
        let message = format!(
            "no head provides {}, only older bundles of {}: required by {}",
            want.what,
            list(by),
            required_by(s, want)
        );
        found.extend(finding(s, &rules::OUTDATED_DEPENDENCY, want, message));
    }
}

/// `beacon-operator 0.3.0 to 0.5.0 (3 bundles)`
fn required_by(s: &Subject<'_>, want: &Want) -> String {
    format!("{} {}", s.package.name, want.by)
}

/// The finding, at the requirement of the highest bundle that has it.
fn finding(s: &Subject<'_>, rule: &'static Rule, want: &Want, message: String) -> Option<Diagnostic> {
    let bundle = s.package.bundles.get(want.bundle)?;
    let requirement = bundle.requires.get(want.requirement)?;
    let finding = Diagnostic::new(rule, message).bundle(&bundle.name.value).names([&want.what]);
    Some(finding.at(bundle.doc, requirement.span()))
}

pub(super) fn constraint_invalid(s: &Subject<'_>, found: &mut Findings) {
    let is_meant = |fault: &Fault| !fault.is_own_limit() && !matches!(fault, Fault::Cel(_));
    found.extend(constraints(s, &rules::CONSTRAINT_INVALID, is_meant));
}

pub(super) fn cel_invalid(s: &Subject<'_>, found: &mut Findings) {
    let is_meant = |fault: &Fault| !fault.is_own_limit() && matches!(fault, Fault::Cel(_));
    found.extend(constraints(s, &rules::CEL_INVALID, is_meant));
}

/// Reports the constraints that olmap does not read because of a limit of its own.
pub(super) fn own_limits(s: &Subject<'_>) -> Vec<Diagnostic> {
    constraints(s, &rules::NOT_CHECKED, Fault::is_own_limit)
}

/// Reports the constraints with a fault. Few bundles have any, and only those are read again.
fn constraints(s: &Subject<'_>, rule: &'static Rule, is_meant: impl Fn(&Fault) -> bool) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for bundle in &s.package.bundles {
        let is_constraint = |dependency: &&Dependency| matches!(dependency, Dependency::Constraint { .. });
        let labels = bundle.properties.iter().filter(|property| property.kind.value == "olm.label.required");
        let spans = bundle.requires.iter().filter(is_constraint).map(Dependency::span);
        let spans: HashSet<_> = spans.chain(labels.map(|property| property.value)).collect();
        if spans.is_empty() {
            continue;
        }
        for requirement in Facts::of_bundle(s.catalog, bundle).requirements {
            let Some(fault) = requirement.predicate.err().filter(&is_meant) else { continue };
            if spans.contains(&requirement.span) {
                let message = if fault.is_own_limit() {
                    format!("constraint of {} not checked: {fault}; {NOT_OLMS}", bundle.name.value)
                } else {
                    format!("bundle {} stops OLM's resolution: {fault}", bundle.name.value)
                };
                let finding = Diagnostic::new(rule, message).bundle(&bundle.name.value);
                found.push(finding.at(bundle.doc, requirement.span));
            }
        }
    }
    found
}

pub(super) fn gvk_twice(s: &Subject<'_>, found: &mut Findings) {
    for bundle in s.package.bundles.iter().filter(|bundle| bundle.provides.len() > 1) {
        let mut known: HashMap<_, usize> = HashMap::new();
        let spans: Vec<_> = bundle.properties.iter().filter(|p| p.kind.value == "olm.gvk").collect();
        for (at, gvk) in bundle.provides.iter().enumerate() {
            let times = known.entry(gvk).or_insert(0);
            *times += 1;
            if *times != 2 {
                continue;
            }
            // One that cannot be read is not among those that are provided.
            let place = spans.get(at).filter(|_| spans.len() == bundle.provides.len());
            let span = place.map_or(bundle.name.span, |property| property.value);
            let message = format!(
                "bundle {} lists {gvk} twice: OLM Classic counts it as two providers and can never install it",
                bundle.name.value
            );
            found.push(
                Diagnostic::new(&rules::GVK_TWICE, message).bundle(&bundle.name.value).at(bundle.doc, span),
            );
        }
    }
}
