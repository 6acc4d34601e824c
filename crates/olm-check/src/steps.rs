//! Findings about upgrade steps whose manifests are available. Causes that concern the same steps
//! become one finding.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
};

use super::{
    finding::Finding,
    format::format_list,
    rule::{Check, Rule, Severity},
    rules,
    unchecked::unread_bundles,
};
use olm_bundle::step::{Reason, ReasonKind};
use olm_catalog::{
    BundleName, Catalog, ChannelName, DocId, Span, blob::BundleBlob, details::BundleDetails, package::Package,
};
use olm_upgrade::{
    Engine, PackageGraph, install_blockers,
    safety::{AdvisoryKind, Findings, PackageSafety, Safety, Step, StepReason},
};

/// Maximum number of causes that a message spells out.
const MAX_CAUSES: usize = 3;

/// Cause of a finding about a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct StepCause {
    /// Description of the cause; equal for all steps with this cause.
    pub text: String,
    /// Number of further problems of the same kind.
    pub unlisted: usize,
    /// Advice; empty if the rule's own help is enough.
    pub advice: String,
    /// Resolver that must take the step; `None` for any.
    pub engine: Option<Engine>,
}

impl StepCause {
    fn new(words: String) -> Self {
        Self { text: words, unlisted: 0, advice: String::new(), engine: None }
    }
}

impl std::fmt::Display for StepCause {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)?;
        match self.unlisted {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

/// Returns the findings about the steps that Classic or v1 take, one per rule and set of steps.
///
/// The location is the entry of the oldest upgrade target. If OLM v1 refuses every head of the
/// package anyway (the last argument), its verdicts are only notes.
pub fn check_steps(package: &Package, safety: &PackageSafety, is_refused_by_v1: bool) -> Vec<Finding> {
    let mut found = unread_bundles(package, safety);
    for rule in rules::ALL {
        let Check::Step(causes) = rule.check else { continue };
        for (steps, causes) in group_by_steps(safety, causes) {
            let steps: Vec<&Step> =
                steps.into_iter().filter_map(|at| safety.steps.get(at)).map(|(step, _)| step).collect();
            found.extend(steps_finding(package, rule, &steps, &causes, is_refused_by_v1));
        }
    }
    found
}

/// Groups causes by their steps: causes with the same steps are one finding.
fn group_by_steps(
    safety: &PackageSafety,
    causes: fn(&Findings) -> Vec<StepCause>,
) -> BTreeMap<BTreeSet<usize>, Vec<StepCause>> {
    let mut by_words: BTreeMap<String, (StepCause, BTreeSet<usize>)> = BTreeMap::new();
    for (at, (step, safety)) in safety.steps.iter().enumerate() {
        let Safety::Known(known) = safety else { continue };
        for cause in causes(known) {
            let takes = |engine: Engine| cause.engine.is_none_or(|of| of == engine);
            if !step.reasons.iter().any(|way| way.engine().is_some_and(takes)) {
                continue;
            }
            let (kept, steps) =
                by_words.entry(cause.text.clone()).or_insert_with(|| (cause.clone(), BTreeSet::new()));
            kept.unlisted = kept.unlisted.max(cause.unlisted);
            steps.insert(at);
        }
    }
    let mut groups: BTreeMap<BTreeSet<usize>, Vec<StepCause>> = BTreeMap::new();
    for (cause, steps) in by_words.into_values() {
        groups.entry(steps).or_default().push(cause);
    }
    groups
}

/// Returns the finding about steps with the same causes; `None` if there are no steps.
fn steps_finding(
    package: &Package,
    rule: &'static Rule,
    steps: &[&Step],
    causes: &[StepCause],
    is_refused_by_v1: bool,
) -> Option<Finding> {
    let from = oldest_first(package, steps.iter().map(|step| &step.from));
    let to = oldest_first(package, steps.iter().map(|step| &step.to));
    let target = *to.first()?;
    let first = steps.iter().find(|step| step.to == *target)?;
    let by_v1 = *rule == rules::CRD_UPGRADE_UNSAFE_V1;
    let upgrades = match (steps, by_v1) {
        ([step], true) => format!("OLM v1 refuses the upgrade from {} to {}", step.from, step.to),
        ([step], false) => format!("upgrade from {} to {}", step.from, step.to),
        (steps, by_v1) => {
            let refuses = if by_v1 { "OLM v1 refuses " } else { "" };
            format!("{refuses}{} upgrades to {}, from {}", steps.len(), format_list(&to), format_list(&from))
        }
    };
    let mut words: Vec<String> = causes.iter().take(MAX_CAUSES).map(ToString::to_string).collect();
    if causes.len() > MAX_CAUSES {
        words.push(format!("and {} more", causes.len() - MAX_CAUSES));
    }
    let about = from.into_iter().chain(to.iter().copied().filter(|name| *name != target));
    let mut finding = Finding::new(rule, format!("{upgrades}: {}", words.join("; ")))
        .with_package(&package.name)
        .with_bundle(target)
        .with_names(about);
    let advice = causes.first().map(|cause| cause.advice.as_str()).filter(|advice| !advice.is_empty());
    let is_v1 = causes.iter().all(|cause| cause.engine == Some(Engine::V1));
    if is_v1 && is_refused_by_v1 {
        finding.severity = Severity::Note;
        finding = finding
            .with_help("OLM v1 refuses every head of this package anyway; this matters once it accepts one");
    } else if let Some(advice) = advice {
        finding = finding.with_help(advice);
    }
    Some(match target_entry(package, first) {
        Some((channel, doc, span)) => finding.with_channel(channel).at_span(doc, span),
        None => match package.bundle(target.as_str()) {
            Some(bundle) => finding.at_span(bundle.doc, bundle.name.span),
            None => finding,
        },
    })
}

/// Sorts names by version and removes duplicates.
fn oldest_first<'n>(package: &Package, names: impl Iterator<Item = &'n BundleName>) -> Vec<&'n BundleName> {
    let names: BTreeSet<&BundleName> = names.collect();
    let mut names: Vec<&BundleName> = names.into_iter().collect();
    names.sort_by(|a, b| match (package.bundle_version(a.as_str()), package.bundle_version(b.as_str())) {
        (Some(a), Some(b)) => a.cmp_precedence(b),
        (a, b) => a.is_some().cmp(&b.is_some()).then(Ordering::Equal),
    });
    names
}

/// Returns the entry of the upgrade target, preferably in a channel whose resolver takes the
/// step.
fn target_entry<'p>(package: &'p Package, step: &Step) -> Option<(&'p ChannelName, DocId, Span)> {
    let own = step.reasons.iter().filter_map(|way| match way {
        StepReason::Edge(_, channel) | StepReason::Classic(channel) | StepReason::V1(Some(channel)) => {
            Some(channel)
        }
        StepReason::V1(None) => None,
    });
    let own = own.filter_map(|channel| package.channel(channel.as_str()));
    let mut all = own.chain(package.channels.iter());
    let is_there = |name: &BundleName| *name == step.to;
    all.find_map(|channel| {
        let entry = channel.entries.iter().find(|entry| is_there(&entry.name.value))?;
        Some((&channel.name.value, channel.doc, entry.name.span))
    })
}

/// Returns true if OLM v1 by default refuses every head of a package, even without a check of CRDs.
pub fn v1_refuses_every_head(catalog: &Catalog, graph: &PackageGraph) -> bool {
    let heads = graph.channels().iter().filter_map(|upgrades| {
        let chain = upgrades.chain.as_ref().ok()?;
        let head = upgrades.graph.entry(*chain.order.first()?)?;
        graph.package.bundle(head.name.value.as_str())
    });
    let mut heads = heads.peekable();
    heads.peek().is_some() && heads.all(|head| v1_refuses(catalog, head))
}

/// Returns true if OLM v1 by default refuses a bundle because of its dependencies or install modes.
pub(super) fn v1_refuses(catalog: &Catalog, bundle: &BundleBlob) -> bool {
    if install_blockers::first_v1_blocker(bundle, &[]).is_some() {
        return true;
    }
    // The decoded bundle does not have the install modes of a CSV that is in `olm.bundle.object`.
    if bundle.csv.is_some() || !bundle.has_objects {
        return false;
    }
    let Some(Ok(tree)) = catalog.parse_document(bundle.doc) else { return false };
    let modes = BundleDetails::from_bundle(&tree).install_modes;
    !modes.is_empty() && !modes.iter().any(|mode| mode == "AllNamespaces")
}

/// Returns true for reasons about versions and schemas of a CRD; these have their own rules.
fn is_schema(reason: &Reason) -> bool {
    matches!(reason.kind, ReasonKind::CrdUnsafe | ReasonKind::StoredVersionRemoved)
}

/// Returns the CRD changes that OLM v1 refuses.
pub(super) fn crd_changes_refused_by_v1(findings: &Findings) -> Vec<StepCause> {
    let refusals = findings.step.v1.refusals().filter(|reason| is_schema(reason)).map(|reason| StepCause {
        unlisted: reason.more,
        advice: reason.advice.to_string(),
        engine: Some(Engine::V1),
        ..StepCause::new(format!("{}: {}", reason.object_name(), reason.words))
    });
    refusals.collect()
}

/// Returns the removed CRD versions in which objects may be stored.
pub(super) fn stored_version_removed(findings: &Findings) -> Vec<StepCause> {
    let refused = findings.step.classic.refusals();
    let refused = refused.filter(|reason| reason.kind == ReasonKind::StoredVersionRemoved);
    let causes = refused.map(|reason| StepCause {
        unlisted: reason.more,
        ..StepCause::new(format!("{}: {}: risk of data loss", reason.object_name(), reason.words))
    });
    let since = findings.looks.iter().filter(|look| look.kind == AdvisoryKind::StoredSince);
    let since = since.map(|look| StepCause {
        unlisted: look.more,
        advice: "prune status.storedVersions of the CRD before the upgrade, or keep the version".to_owned(),
        ..StepCause::new(look.words.clone())
    });
    causes.chain(since).collect()
}

/// Returns the removed CRD versions that were served until then.
pub(super) fn served_version_removed(findings: &Findings) -> Vec<StepCause> {
    let looks = findings.looks.iter().filter(|look| look.kind == AdvisoryKind::ServedVersionGoes);
    looks.map(|look| StepCause { unlisted: look.more, ..StepCause::new(look.words.clone()) }).collect()
}

/// Returns the other reasons why OLM refuses a step.
pub(super) fn refusal_causes(findings: &Findings) -> Vec<StepCause> {
    // Other rules report operators that OLM v1 does not install at all.
    let is_own = |reason: &&Reason| {
        let is_general =
            matches!(reason.kind, ReasonKind::InstallModeMissing | ReasonKind::UnsupportedApiService);
        !is_schema(reason) && !is_general
    };
    let (classic, v1) = (&findings.step.classic, &findings.step.v1);
    let cause = |reason: &Reason, engine: Option<Engine>| {
        let who = match engine {
            None => "OLM Classic and OLM v1 refuse",
            Some(Engine::V1) => "OLM v1 refuses",
            Some(Engine::Classic) => "OLM Classic refuses",
        };
        StepCause {
            advice: reason.advice.to_string(),
            engine,
            ..StepCause::new(format!("{who} {}", reason.to_string().replacen(": ", ", ", 1)))
        }
    };
    let mut causes = Vec::new();
    for reason in classic.refusals().filter(is_own) {
        let is_both = v1.refusals().any(|other| other.is_same_problem(reason));
        causes.push(cause(reason, (!is_both).then_some(Engine::Classic)));
    }
    for reason in v1.refusals().filter(is_own) {
        if !findings.step.is_v1_moot && !classic.refusals().any(|other| other.is_same_problem(reason)) {
            causes.push(cause(reason, Some(Engine::V1)));
        }
    }
    causes
}

/// Returns the CRDs with a conversion webhook that is not installed.
pub(super) fn conversion_without_webhook(findings: &Findings) -> Vec<StepCause> {
    let (classic, v1) = (findings.step.classic.look_reasons(), findings.step.v1.look_reasons());
    let mut reasons: Vec<&Reason> =
        classic.chain(v1).filter(|reason| reason.kind == ReasonKind::ConversionWithoutWebhook).collect();
    reasons.dedup_by(|a, b| a.is_same_problem(b));
    reasons.into_iter().map(|reason| StepCause::new(reason.to_string())).collect()
}

/// Returns the permissions that the operator gains.
pub(super) fn permissions_grow(findings: &Findings) -> Vec<StepCause> {
    let looks = findings.looks.iter().filter(|look| look.kind == AdvisoryKind::PermissionsGrow);
    looks.map(|look| StepCause { unlisted: look.more, ..StepCause::new(look.words.clone()) }).collect()
}
