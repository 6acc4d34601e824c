//! Rule about versions whose upgrades never lead to the head of the default channel.
//!
//! A stuck group contains the versions whose upgrades end at the same bundle ([`StuckGroup`]).

use std::{
    cell::LazyCell,
    collections::{HashMap, HashSet},
};

use super::{
    channel,
    finding::Finding,
    findings::Findings,
    format::{format_list, pluralize},
    rule::Severity,
    rules,
    steps::v1_refuses,
    subject::PackageSubject,
    upgrades,
};
use olm_catalog::{
    BundleName, DocId, Span,
    blob::{ChannelBlob, DeprecationTarget, Entry},
};
use olm_upgrade::{
    Engine,
    stuck::{StuckGroup, StuckReason, StuckVersions, is_prerelease_channel},
};
use olm_version::blang::Range;

/// Findings about single upgrades. If all versions of a finding are stuck, a stuck group explains
/// it.
pub(super) struct StepFindings {
    /// Entries that OLM Classic never leaves.
    dead_ends: Vec<Finding>,
    /// Versions that OLM v1 never leaves because their upgrades are deprecated.
    deprecated: Option<Finding>,
}

/// Reports the entries that OLM Classic never leaves, unless a stuck group explains them.
pub(super) fn dead_end(s: &PackageSubject<'_>, found: &mut Findings) {
    found.extend(unexplained_findings(s, &compute_step_findings(s).dead_ends));
}

/// Reports the versions that OLM v1 never leaves because their upgrades are deprecated, unless a
/// stuck group explains them.
pub(super) fn deprecation_stops_v1(s: &PackageSubject<'_>, found: &mut Findings) {
    found.extend(unexplained_findings(s, &compute_step_findings(s).deprecated));
}

/// Returns the findings that no stuck group explains.
fn unexplained_findings<'f>(
    s: &PackageSubject<'_>,
    findings: impl IntoIterator<Item = &'f Finding>,
) -> Vec<Finding> {
    let answer = stuck_versions(s);
    let is_explained =
        |finding: &&Finding| answer.is_some_and(|answer| explaining_group(answer, finding).is_some());
    findings.into_iter().filter(|finding| !is_explained(finding)).cloned().collect()
}

/// Reports each group of stuck versions. If versions are stuck on both engines, only OLM
/// Classic's group is reported.
pub(super) fn stuck(s: &PackageSubject<'_>, found: &mut Findings) {
    let Some(answer) = stuck_versions(s) else { return };
    let is_stuck = |engine: Engine| -> HashSet<&BundleName> { answer.on_engine(engine).iter().collect() };
    let (classic, v1) = (is_stuck(Engine::Classic), is_stuck(Engine::V1));
    let mut explained: HashMap<usize, Vec<&Finding>> = HashMap::new();
    let steps = compute_step_findings(s);
    for finding in steps.dead_ends.iter().chain(&steps.deprecated) {
        if let Some(place) = explaining_group(answer, finding) {
            explained.entry(place).or_default().push(finding);
        }
    }
    // OLM v1 reports an error for such a range, which has a rule of its own.
    let crashes = |entry: &Entry| {
        entry.skip_range.as_ref().and_then(|r| r.range.as_ref().ok()).is_some_and(Range::may_crash)
    };
    let v1_crashes = s.all_entries().any(|(_, entry)| crashes(entry));
    let are_heads_refused = LazyCell::new(|| s.heads().iter().all(|(head, _)| v1_refuses(s.catalog, head)));
    for (place, group) in answer.groups.iter().enumerate() {
        if group.engine == Engine::V1 && v1_crashes {
            continue;
        }
        let versions: Vec<&BundleName> = match group.engine {
            Engine::Classic => group.versions.iter().collect(),
            Engine::V1 => group.versions.iter().filter(|name| !classic.contains(name)).collect(),
        };
        if versions.is_empty() {
            continue;
        }
        let is_both = group.engine == Engine::Classic && versions.iter().all(|name| v1.contains(name));
        let mut finding = group_finding(s, answer, group, &versions, is_both, &|| *are_heads_refused);
        for step in explained.remove(&place).unwrap_or_default() {
            finding.related.extend(step.related.iter().cloned());
            if step.fix.is_some() {
                finding.help.clone_from(&step.help);
                finding.fix.clone_from(&step.fix);
            }
            let mut part = step.clone().with_package(&s.package.name);
            // A deprecation that stops OLM v1 stays a warning. A dead end has the severity of the
            // stuck group.
            if *step.rule == rules::DEPRECATION_STOPS_V1 {
                finding.severity = finding.severity.min(step.severity);
            }
            part.severity = finding.severity;
            finding.add_duplicate(part);
        }
        found.push(finding);
    }
}

/// Returns the stuck versions. `None` if edges may be missing: a channel is invalid, duplicated
/// or partly unread, or a version is unreadable.
fn stuck_versions<'a>(s: &PackageSubject<'a>) -> Option<&'a StuckVersions> {
    let mut names = HashSet::new();
    let is_read = |channel: &ChannelBlob| !s.is_partly_unread(channel.doc);
    let is_sound = s.walks.iter().all(|walk| {
        channel::is_valid(walk) && is_read(walk.channel) && names.insert(&walk.channel.name.value)
    });
    let has_versions = s.package.bundles.iter().all(|bundle| bundle.version.is_some());
    s.graph.stuck().answer.as_ref().filter(|_| is_sound && has_versions)
}

fn compute_step_findings<'s>(s: &'s PackageSubject<'_>) -> &'s StepFindings {
    s.step_findings.get_or_init(|| StepFindings {
        dead_ends: upgrades::dead_end_findings(s),
        deprecated: upgrades::deprecation_stop_finding(s),
    })
}

/// Returns the index of the group that explains a finding about single upgrades; `None` unless all
/// its versions are stuck. It is the group of the first version that is in a group with a suitable
/// reason.
fn explaining_group(answer: &StuckVersions, finding: &Finding) -> Option<usize> {
    let is_deprecated = *finding.rule == rules::DEPRECATION_STOPS_V1;
    let engine = if is_deprecated { Engine::V1 } else { Engine::Classic };
    let is_stuck =
        |name: &str| answer.on_engine(engine).binary_search_by(|stuck| stuck.as_str().cmp(name)).is_ok();
    if !finding.names.iter().all(|name| is_stuck(name)) {
        return None;
    }
    let has_reason = |group: &StuckGroup| !is_deprecated || group.reason == StuckReason::OnlyDeprecated;
    finding.names.iter().find_map(|name| {
        let at = answer.group_index(engine, name)?;
        answer.groups.get(at).is_some_and(has_reason).then_some(at)
    })
}

/// Returns the finding about some versions of a stuck group. If `is_both` is true, these versions
/// are stuck on both engines. `are_heads_refused` returns true if OLM v1 refuses every head.
fn group_finding(
    s: &PackageSubject<'_>,
    answer: &StuckVersions,
    group: &StuckGroup,
    versions: &[&BundleName],
    is_both: bool,
    are_heads_refused: &dyn Fn() -> bool,
) -> Finding {
    let engine = match group.engine {
        _ if is_both => "",
        Engine::Classic => " on OLM Classic",
        Engine::V1 => " on OLM v1",
    };
    let (end, head, reason) = (&group.end, &answer.head, group.reason);
    let message = match versions {
        [only] if *only == end => format!("{end} is stuck below {head}{engine}: {reason}"),
        _ => format!(
            "{} stuck below {head}{engine} ({}): upgrades end at {end}; {reason}",
            pluralize(versions.len(), "version is", "versions are"),
            format_list(versions)
        ),
    };
    let mut finding = Finding::new(&rules::STUCK, message).with_bundle(end).with_names(versions);
    if let Some((channel, doc, span)) = bundle_position(s, end) {
        finding = finding.at_span(doc, span);
        finding.channel = channel.map(|channel| channel.name.value.clone());
    }
    let is_supported = versions.iter().any(|name| is_supported(s, name));
    if !is_supported {
        finding.severity = Severity::Note;
    } else if group.engine == Engine::V1 && are_heads_refused() {
        finding.severity = Severity::Note;
        finding = finding
            .with_help("OLM v1 refuses every head of this package anyway; this matters once it accepts one");
        return finding;
    }
    if let Some(help) = advice_for_reason(s, answer, group) {
        finding = finding.with_help(help);
    }
    finding
}

/// Returns the location of a bundle: its entry in the default channel, or in the first channel
/// with one. Otherwise, returns the definition of the bundle.
fn bundle_position<'a>(
    s: &PackageSubject<'a>,
    name: &BundleName,
) -> Option<(Option<&'a ChannelBlob>, DocId, Span)> {
    let default = s.package.default_channel();
    let homes = s.package.channel_positions_with(name).iter();
    let mut homes: Vec<(&ChannelBlob, &Entry)> = homes
        .filter_map(|&at| {
            let channel: &ChannelBlob = s.package.channels.get(at)?;
            Some((channel, s.graph.channels().get(at)?.graph.entry_named(name.as_str())?))
        })
        .collect();
    homes.sort_by_key(|(channel, _)| Some(&channel.name.value) != default);
    let entry = homes.first().map(|(channel, entry)| (Some(*channel), channel.doc, entry.name.span));
    entry.or_else(|| s.package.bundle(name.as_str()).map(|bundle| (None, bundle.doc, bundle.name.span)))
}

/// Returns true if the package, a version and one of its channels are not deprecated. Channels for
/// pre-releases do not count, except for the default channel.
fn is_supported(s: &PackageSubject<'_>, name: &BundleName) -> bool {
    let package = s.package;
    let default = package.default_channel();
    let mut channels = package.channels_with(name).map(|channel| &channel.name.value);
    package.deprecation(&DeprecationTarget::Package).is_none()
        && package.bundle_deprecation(name).is_none()
        && channels.any(|channel| {
            package.channel_deprecation(channel).is_none()
                && (Some(channel) == default || !is_prerelease_channel(channel))
        })
}

/// Returns advice for a reason; `None` if the help of the rule is enough.
fn advice_for_reason(s: &PackageSubject<'_>, answer: &StuckVersions, group: &StuckGroup) -> Option<String> {
    let (end, head, package) = (&group.end, &answer.head, &s.package.name);
    let default = s.package.default_channel()?;
    let edit = match group.reason {
        StuckReason::OldChannel | StuckReason::NoEdge => {
            format!("let an entry of {default} such as {head} skip {end}")
        }
        StuckReason::BlockedBySkips => format!("let an entry that OLM Classic picks skip {end}"),
        StuckReason::OnlyDeprecated => format!("let a supported version upgrade from {end}"),
        StuckReason::Cycle => return None,
    };
    Some(format!("{edit}; `olmap stuck -p {package}` tries such edits"))
}
