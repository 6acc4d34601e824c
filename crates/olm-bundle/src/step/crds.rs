//! Rules about CRDs: schemas, stored versions, conversion.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use super::{
    contents::{Conversion, CrdFacts, StepBundle},
    reason::{AffectedOlms, Judgement, Reason, ReasonKind},
};
use crate::{
    crd::{
        Check, ClassicResult, Crd, CrdApi, CrdComparison, CrdFinding, CrdSet, Field, Group, RefusedExample,
        Validation, compare_sets_with_stored, group_findings,
    },
    registry::CRD_KIND,
    schema::{self, Budget},
    suites::crd_faults,
};

/// Versions in which objects may be stored in addition to those of the old bundle, by CRD.
pub type StoredVersions = BTreeMap<String, Vec<String>>;

/// Returns the versions that bundles before the old one stored, by CRD.
///
/// `status.storedVersions` keeps them. If the old bundle does not have a version, a cluster with
/// the old bundle does not have objects in it.
pub fn earlier_stored_versions<'b>(
    before: impl Iterator<Item = &'b StepBundle>,
    old: &StepBundle,
) -> StoredVersions {
    let mut stored = StoredVersions::new();
    for (name, crd) in before.flat_map(|bundle| &bundle.crds) {
        let Some(own) = old.crds.get(name) else { continue };
        let kept = crd.stored.iter().filter(|version| own.versions.contains(version));
        stored.entry(name.clone()).or_default().extend(kept.cloned());
    }
    stored
}

/// Compares the CRDs of two bundles.
pub(super) fn compare_crds(old: &StepBundle, new: &StepBundle, stored: &StoredVersions, out: &mut Judgement) {
    for (name, after) in &new.crds {
        let Some(by) = crd_readers(after) else { continue };
        let object = format!("{CRD_KIND}/{name}");
        if after.api == CrdApi::V1beta1 {
            let words = "Kubernetes does not serve apiextensions.k8s.io/v1beta1 any more";
            let reason = Reason::refusal(ReasonKind::RemovedApi, object, words);
            out.add_reason(by, reason.with_field("apiVersion").with_location(after.location.clone()));
            continue;
        }
        if let Some(before) = old.crds.get(name).filter(|before| before.kind != after.kind) {
            let words = format!("kind changes from {} to {}", before.kind, after.kind);
            let reason = Reason::refusal(ReasonKind::ImmutableField, object, words);
            out.add_reason(by, reason.with_field("spec.names.kind").with_location(after.location.clone()));
        }
    }
    for (name, before) in old.crds.iter().filter(|(name, _)| !new.crds.contains_key(*name)) {
        let Some(by) = crd_readers(before) else { continue };
        let reason = Reason::look_reason(
            ReasonKind::CrdRemoved,
            format!("{CRD_KIND}/{name}"),
            "it is not in the new bundle",
        );
        out.add_reason(by, reason.with_location(before.location.clone()));
    }
    check_conversions(old, new, out);
    if crds_differ(old, new, stored) {
        compare_schemas(old, new, stored, out);
    }
}

/// Returns the OLMs that read a CRD.
fn crd_readers(crd: &CrdFacts) -> Option<AffectedOlms> {
    match (crd.in_classic, crd.in_v1) {
        (true, true) => Some(AffectedOlms::Both),
        (true, false) => Some(AffectedOlms::Classic),
        (false, true) => Some(AffectedOlms::V1),
        (false, false) => None,
    }
}

/// Returns true if a CRD is new or changed, or if a version stored by an earlier bundle is removed.
fn crds_differ(old: &StepBundle, new: &StepBundle, stored: &StoredVersions) -> bool {
    let is_lost = |name: &str, crd: &CrdFacts| {
        let before = stored.get(name).map(Vec::as_slice).unwrap_or_default();
        before.iter().any(|version| !crd.versions.contains(version))
    };
    new.crds.iter().any(|(name, after)| {
        let is_same = old.crds.get(name).is_some_and(|before| before.content == after.content);
        !is_same || is_lost(name, after)
    })
}

/// Compares the schemas and versions of changed CRDs.
fn compare_schemas(old: &StepBundle, new: &StepBundle, stored: &StoredVersions, out: &mut Judgement) {
    let (before, after) = (old.crd_set(), new.crd_set());
    let mut refused: BTreeSet<String> = BTreeSet::new();
    for compared in compare_sets_with_stored(&before, &after, &all_stored_versions(old, stored)).crds {
        let Some(facts) = new.crds.get(&compared.name) else { continue };
        if facts.in_v1 {
            let is_refused = check_v1(&compared, new, out);
            refused.extend(is_refused.then(|| compared.name.clone()));
        }
        if facts.in_classic {
            check_classic(&compared, new, out);
        }
    }
    for crd in first_by_name(&after) {
        let name = crd.name().into_owned();
        let is_same =
            old.crds.get(&name).zip(new.crds.get(&name)).is_some_and(|(a, b)| a.content == b.content);
        let Some(facts) = new.crds.get(&name).filter(|facts| !is_same && facts.api == CrdApi::V1) else {
            continue;
        };
        let known: BTreeSet<String> = first_by_name(&before)
            .find(|old| old.name() == name)
            .map(|old| api_server_faults(old).into_iter().map(|(_, words)| words).collect())
            .unwrap_or_default();
        let own: Vec<(String, String)> =
            api_server_faults(crd).into_iter().filter(|(_, words)| !known.contains(words)).collect();
        for (field, words) in own {
            let reason = Reason::refusal(ReasonKind::InvalidObject, format!("{CRD_KIND}/{name}"), words);
            let reason = reason.with_field(field).with_location(facts.location.clone());
            if facts.in_classic {
                drop_look_reasons(out, &reason.object);
                out.add_reason(AffectedOlms::Classic, reason.clone());
            }
            // The preflight check runs before the API server.
            if facts.in_v1 && !refused.contains(&name) {
                out.add_reason(AffectedOlms::V1, reason);
            }
        }
    }
}

/// Removes possible breakages from the reasons of OLM Classic if the CRD is refused anyway.
fn drop_look_reasons(out: &mut Judgement, object: &str) {
    let is_kept = |reason: &Reason| {
        reason.is_refusal || reason.kind != ReasonKind::CrdUnsafe || reason.object != object
    };
    out.classic.reasons.retain(is_kept);
}

/// Iterates over the CRDs of a set, only the first of each name.
fn first_by_name<'s, 'a>(set: &'s CrdSet<'a>) -> impl Iterator<Item = &'s Crd<'a>> {
    let mut known = BTreeSet::new();
    set.crds.iter().filter(move |crd| known.insert(crd.name()))
}

/// Returns the versions in which objects may be stored, including those of the old bundle.
fn all_stored_versions(old: &StepBundle, stored: &StoredVersions) -> StoredVersions {
    let mut all = stored.clone();
    for (name, versions) in &mut all {
        if let Some(crd) = old.crds.get(name) {
            versions.extend(crd.stored.iter().cloned());
            versions.sort();
            versions.dedup();
        }
    }
    all
}

/// Returns the faults for which the API server refuses a CRD, each as field and message.
fn api_server_faults(crd: &Crd<'_>) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = crd_faults(crd.node())
        .into_iter()
        .map(|fault| {
            let words = format!("{} {}", fault.field, fault.message);
            (fault.field, words)
        })
        .collect();
    let budget = Budget::default();
    for version in crd.versions() {
        let Some(schema) = schema::version_schema(crd.node(), &version.name) else { continue };
        for fault in schema.validate_defaults(&budget).list {
            let words = format!("the default of {} in {} {}", fault.field, version.name, fault.message);
            all.push((format!("spec.versions[{}].schema", version.name), words));
        }
    }
    all
}

/// Adds the refusals of the OLM v1 preflight check. Returns true if there is one.
fn check_v1(compared: &CrdComparison, new: &StepBundle, out: &mut Judgement) -> bool {
    let object = format!("{CRD_KIND}/{}", compared.name);
    let comparison = match &compared.v1 {
        Ok(comparison) => comparison,
        Err(error) => {
            out.add_not_checked(AffectedOlms::V1, error.to_string());
            return false;
        }
    };
    // OLM v1 compares the CRD after it has set the conversion.
    let is_converted = new.converted_crds().contains(&compared.name);
    let is_compared = |finding: &&CrdFinding| !(is_converted && finding.check == Check::Served);
    let findings: Vec<CrdFinding> = comparison.findings.iter().filter(is_compared).cloned().collect();
    let folded = group_findings(&findings);
    let is_storage = |group: &&Group<'_>| group.first.validation == Validation::StoredVersionRemoval;
    let stored: Vec<&Group<'_>> = folded.iter().filter(is_storage).collect();
    let others: Vec<&Group<'_>> = folded.iter().filter(|group| !is_storage(group)).collect();
    for (kind, groups) in [(ReasonKind::StoredVersionRemoved, &stored), (ReasonKind::CrdUnsafe, &others)] {
        out.v1.reasons.extend(worst_reason(kind, groups, &object, new));
    }
    !findings.is_empty()
}

/// Combines findings into one reason: the worst finding, and the others.
fn worst_reason(kind: ReasonKind, groups: &[&Group<'_>], object: &str, new: &StepBundle) -> Option<Reason> {
    let worst = groups.first()?;
    let first = worst.first;
    let words = describe_finding(worst, worst.fields.first());
    let other_fields = worst.fields.iter().skip(1).map(|field| describe_finding(worst, Some(field)));
    let other_groups = groups.iter().skip(1).map(|group| describe_group(group));
    let field = match (first.validation, first.version.as_deref()) {
        (Validation::Scope, _) => "spec.scope".to_owned(),
        (Validation::StoredVersionRemoval, _) | (_, None) => "spec.versions".to_owned(),
        (_, Some(version)) => format!("spec.versions[{version}].schema"),
    };
    let place = worst.fields.first().and_then(|field| field.new.or(field.old)).cloned();
    let place = place.or_else(|| first.new.clone()).or_else(|| first.old.clone());
    let reason = Reason {
        breaks: first.consequence().into(),
        advice: first.suggestion().into(),
        // Objects in a catalog do not have a file.
        place: place.filter(|_| new.manifests.shown.is_some()),
        ..Reason::refusal(kind, object, words).with_field(field)
    };
    Some(reason.with_others(other_fields.chain(other_groups)))
}

/// Describes a finding about one of its fields: `spec.size is removed`.
fn describe_finding(group: &Group<'_>, field: Option<&Field<'_>>) -> String {
    let message = &group.first.message;
    match field.map(Field::display_name).filter(|name| !name.is_empty()) {
        Some(name) if group.first.validation == Validation::ExistingFieldRemoval => {
            format!("{name} is removed")
        }
        Some(name) => format!("{name}: {message}"),
        None => message.clone(),
    }
}

/// Describes a finding about its first field, with the number of the others.
fn describe_group(group: &Group<'_>) -> String {
    let words = describe_finding(group, group.fields.first());
    match group.fields.len() {
        0 | 1 => words,
        2 => format!("{words} (1 more field)"),
        fields => format!("{words} ({} more fields)", fields - 1),
    }
}

fn describe_example(example: &RefusedExample) -> String {
    let RefusedExample { name, field, message, .. } = example;
    let name = if name.is_empty() { String::new() } else { format!(" {name}") };
    format!("the old example{name} is no longer valid: {field}: {message}")
}

/// Adds the refusals of OLM Classic, and changes that may break existing resources.
fn check_classic(compared: &CrdComparison, new: &StepBundle, out: &mut Judgement) {
    let object = format!("{CRD_KIND}/{}", compared.name);
    let ClassicResult { stored_removed, examples, only_warns, .. } = &compared.classic;
    let findings = compared.v1.as_ref().map(|v1| v1.findings.as_slice()).unwrap_or_default();
    if let [first, rest @ ..] = stored_removed.as_slice() {
        let describe = |version: &String| format!("stored version {version} is removed");
        let reason = Reason {
            breaks:
                "objects may still be stored in this version, and without it the API server cannot read them"
                    .into(),
            ..Reason::refusal(ReasonKind::StoredVersionRemoved, &object, describe(first))
        };
        let reason = reason.with_others(rest.iter().map(describe)).with_field("spec.versions");
        out.add_reason(AffectedOlms::Classic, reason);
    }
    if let Some(scope) = findings.iter().find(|finding| finding.validation == Validation::Scope) {
        let reason = Reason {
            breaks: scope.consequence().into(),
            advice: scope.suggestion().into(),
            ..Reason::refusal(ReasonKind::ImmutableField, &object, scope.message.clone())
        };
        let place = scope.new.clone().filter(|_| new.manifests.shown.is_some());
        out.add_reason(AffectedOlms::Classic, reason.with_field("spec.scope").with_location(place));
    }
    let is_refused = !stored_removed.is_empty() || compared.classic.refuses();
    match examples.as_slice() {
        [first, rest @ ..] if !only_warns => {
            let reason = Reason {
                breaks: "an install plan stops at the first resource like this".into(),
                place: first.location.clone().filter(|_| new.manifests.shown.is_some()),
                ..Reason::refusal(ReasonKind::CrdUnsafe, &object, describe_example(first))
            };
            let reason = reason.with_others(rest.iter().map(describe_example));
            out.add_reason(
                AffectedOlms::Classic,
                reason.with_field(format!("spec.versions[{}].schema", first.version)),
            );
        }
        _ => {}
    }
    let may_break = |finding: &&CrdFinding| {
        !finding.is_harmless
            && !matches!(finding.validation, Validation::Scope | Validation::StoredVersionRemoval)
    };
    let breaking: Vec<CrdFinding> = findings.iter().filter(may_break).cloned().collect();
    let folded = group_findings(&breaking);
    let all: Vec<&Group<'_>> = folded.iter().collect();
    if let Some(reason) = worst_reason(ReasonKind::CrdUnsafe, &all, &object, new).filter(|_| !is_refused) {
        let words = format!("may break existing resources: {}", reason.words);
        out.classic.reasons.push(Reason { is_refusal: false, words, ..reason });
    }
}

/// Checks the conversion of the CRDs in the new bundle.
fn check_conversions(old: &StepBundle, new: &StepBundle, out: &mut Judgement) {
    let (was, is) = (old.converted_crds(), new.converted_crds());
    for (name, crd) in new.crds.iter().filter(|(_, crd)| crd.api == CrdApi::V1) {
        let Some(by) = crd_readers(crd) else { continue };
        let object = format!("{CRD_KIND}/{name}");
        let look = |kind, words: &'static str| {
            let place = crd.conversion_location.clone();
            Reason::look_reason(kind, &object, Cow::Borrowed(words))
                .with_field("spec.conversion")
                .with_location(place)
        };
        let is_hooked = is.contains(name);
        let before = old.crds.get(name).map(|before| before.conversion);
        let was_converted = was.contains(name) || before == Some(Conversion::Url);
        // A CRD with one version needs no conversion.
        if crd.conversion == Conversion::Service && !is_hooked && crd.versions.len() > 1 {
            let words = "it asks for a conversion webhook that no ConversionWebhook of the CSV installs: \
                         requests for its other versions fail";
            out.add_reason(by, look(ReasonKind::ConversionWithoutWebhook, words));
        }
        if matches!(crd.conversion, Conversion::Service | Conversion::Url)
            && is_hooked
            && by != AffectedOlms::V1
        {
            let words =
                "OLM Classic writes the conversion of the manifest, and corrects it when the deployment runs";
            out.add_reason(AffectedOlms::Classic, look(ReasonKind::ConversionBeforeWebhook, words));
        }
        if before.is_some() && was_converted && !is_hooked && crd.conversion != Conversion::Url {
            let words = "it loses its conversion webhook: objects are returned without conversion";
            out.add_reason(by, look(ReasonKind::ConversionDropped, words));
        }
        let had_webhook = was.contains(name) || matches!(before, Some(Conversion::Service | Conversion::Url));
        if crd.conversion == Conversion::None && had_webhook && !is_hooked && by != AffectedOlms::Classic {
            let words = "the strategy becomes None, and the old webhook stays";
            out.add_reason(AffectedOlms::V1, look(ReasonKind::LeftoverField, words));
        }
    }
}
