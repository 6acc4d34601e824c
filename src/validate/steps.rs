//! Findings about upgrade steps, where the manifests of both bundles are in sight.

use super::{
    diagnostic::Diagnostic,
    not_checked::unread_bundles,
    rule::{Check, Rule},
    rules,
};
use crate::{
    catalog::{BundleName, ChannelName, DocId, Span, package::Package},
    upgrade::safety::{Findings, LookKind, PackageSafety, Safety, Step, Way},
};

/// What rules say of the steps that Classic or v1 take. Each stands at the entry that is upgraded to.
pub fn findings(package: &Package, safety: &PackageSafety) -> Vec<Diagnostic> {
    let rules = || rules::ALL.iter().filter_map(|rule| Some((*rule, step_check(rule)?)));
    let mut found = unread_bundles(package, safety);
    for (step, safety) in &safety.steps {
        let Safety::Known(known) = safety else { continue };
        if step.ways.iter().all(|way| way.engine().is_none()) {
            continue;
        }
        for (rule, check) in rules() {
            let finding = check(known).map(|words| diagnostic(package, step, rule, &words));
            let advice = known.v1.first().map(|refusal| &*refusal.advice).filter(|advice| !advice.is_empty());
            found.extend(finding.map(|finding| match advice {
                Some(advice) if *rule == rules::CRD_UPGRADE_UNSAFE_V1 => finding.help(advice),
                _ => finding,
            }));
        }
    }
    found
}

fn step_check(rule: &Rule) -> Option<fn(&Findings) -> Option<String>> {
    match rule.check {
        Check::Step(check) => Some(check),
        _ => None,
    }
}

fn diagnostic(package: &Package, step: &Step, rule: &'static Rule, words: &str) -> Diagnostic {
    let (from, to) = (&step.from, &step.to);
    let finding = Diagnostic::new(rule, format!("upgrade from {from}: {words}"))
        .package(&package.name)
        .bundle(to)
        .names([from]);
    match entry(package, step) {
        Some((channel, doc, span)) => finding.channel(channel).at(doc, span),
        None => match package.bundle(to.as_str()) {
            Some(bundle) => finding.at(bundle.doc, bundle.name.span),
            None => finding,
        },
    }
}

/// The entry that is upgraded to, in a channel in which somebody takes the step.
fn entry<'p>(package: &'p Package, step: &Step) -> Option<(&'p ChannelName, DocId, Span)> {
    let own = step.ways.iter().filter_map(|way| match way {
        Way::Edge(_, channel) | Way::Classic(channel) | Way::V1(Some(channel)) => Some(channel),
        Way::V1(None) => None,
    });
    let own = own.filter_map(|channel| package.channel(channel.as_str()));
    let mut all = own.chain(package.channels.iter());
    let is_there = |name: &BundleName| *name == step.to;
    all.find_map(|channel| {
        let entry = channel.entries.iter().find(|entry| is_there(&entry.name.value))?;
        Some((&channel.name.value, channel.doc, entry.name.span))
    })
}

/// What OLM v1 refuses.
pub(super) fn unsafe_v1(findings: &Findings) -> Option<String> {
    let first = findings.v1.first()?;
    Some(more(format!("OLM v1 refuses it: {first}"), findings.v1.len()))
}

/// Versions that go though objects may be stored in them.
pub(super) fn stored_version_removed(findings: &Findings) -> Option<String> {
    let refused: Vec<_> = findings.classic.iter().filter(|refusal| refusal.is_storage).collect();
    let first = refused.first()?;
    Some(more(format!("{first}: risk of data loss"), refused.len()))
}

/// What the operator may do more.
pub(super) fn permissions_grow(findings: &Findings) -> Option<String> {
    let looks: Vec<_> = findings.looks.iter().filter(|look| look.kind == LookKind::PermissionsGrow).collect();
    let first = looks.first()?;
    Some(more(first.words.clone(), looks.len()))
}

fn more(words: String, all: usize) -> String {
    match all {
        0 | 1 => words,
        all => format!("{words}; and {} more", all - 1),
    }
}
