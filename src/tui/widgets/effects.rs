//! Effects of an edit: new findings, changed upgrades and unmet dependencies.

use std::collections::{BTreeMap, BTreeSet};

use crate::tui::{
    session::{context::ViewContext, open_catalog::OpenCatalog},
    widgets::{
        canvas::{Line, hanging_lines, piece, text_piece, wrap_text},
        details::MAX_FINDINGS,
        lists::bundle_short_name,
        text::format_count,
        theme::Ink,
    },
};
use olm_catalog::{BundleName, PackageName};
use olm_check::{
    Finding, repetition,
    review::{
        SeverityChange, UncheckedFinding, UnmetDependencies, UnmetDependency, consequences::Consequences,
    },
};
use olm_upgrade::answer::Engine;
use olmap_report::{
    changed_upgrades::{describe_harm, describe_upgrades_by_target, fresh_installs},
    deprecations::{self, EffectSeverity},
    finding::severity_ink,
    stuck_changes,
};

/// Lists what happens to findings and dependencies, each kind under a title. Kinds without items are
/// empty.
pub fn finding_blocks(consequences: &Consequences, columns: usize) -> [Vec<Line>; 6] {
    let Consequences {
        new_findings,
        fixed_findings,
        remaining_findings,
        severity_changes,
        unchecked_findings,
        unmet,
        ..
    } = consequences;
    let title = |words: &str, count: usize| vec![piece(format!("{words} {count}"), Ink::Title)];
    let remaining = title("Still found", remaining_findings.len());
    let titled = |title: Line, lines: Vec<Line>| {
        if lines.is_empty() { lines } else { std::iter::once(title).chain(lines).collect() }
    };
    [
        titled(title("New findings", new_findings.len()), finding_lines(new_findings, columns)),
        titled(title("Fixed findings", fixed_findings.len()), fixed_finding_lines(fixed_findings, columns)),
        titled(remaining, finding_lines(remaining_findings, columns)),
        titled(title("Changed severity", severity_changes.len()), severity_lines(severity_changes, columns)),
        titled(title("Not checked", unchecked_findings.len()), unchecked_lines(unchecked_findings, columns)),
        unmet_dependency_lines(unmet, columns),
    ]
}

/// Maximum number of names of repeated findings.
const MAX_REPEATED_NAMES: usize = 4;

/// Lists findings that are known only since the checks of the preview. Empty if there are none.
pub fn earlier_finding_lines(findings: &[Finding], columns: usize) -> Vec<Line> {
    if findings.is_empty() {
        return Vec::new();
    }
    let title = vec![
        piece(format!("Found now {}", findings.len()), Ink::Title),
        piece(" (checked only now, not caused by the edit)", Ink::Dim),
    ];
    std::iter::once(title).chain(finding_lines(findings, columns)).collect()
}

/// Formats fixed findings. Several of one rule and package share a line.
fn fixed_finding_lines(findings: &[Finding], columns: usize) -> Vec<Line> {
    let mut groups: Vec<Vec<&Finding>> = Vec::new();
    for finding in findings {
        let is_same = |group: &&mut Vec<&Finding>| {
            group.first().is_some_and(|first| {
                (first.rule.id, first.severity(), &first.package)
                    == (finding.rule.id, finding.severity(), &finding.package)
            })
        };
        match groups.iter_mut().find(is_same) {
            Some(group) => group.push(finding),
            None => groups.push(vec![finding]),
        }
    }
    let line = |group: Vec<&Finding>| {
        let first = *group.first()?;
        if group.len() == 1 {
            return Some(finding_lines(std::slice::from_ref(first), columns));
        }
        let package = first.package.as_ref().map(|name| format!(" of {name}")).unwrap_or_default();
        let (severity, rule, count) = (first.severity(), first.rule.id, group.len());
        let words = format!("  {} {rule}: {count} findings{package}", severity.as_str());
        Some(vec![vec![piece(words, severity_ink(severity))]])
    };
    let mut lines: Vec<Vec<Line>> = groups.into_iter().filter_map(line).collect();
    let more = lines.len().saturating_sub(MAX_FINDINGS);
    lines.truncate(MAX_FINDINGS);
    let more = (more > 0).then(|| vec![piece(format!("  and {more} more"), Ink::Dim)]);
    lines.into_iter().flatten().chain(more).collect()
}

/// Formats findings, a few lines each. Those that differ only in names and numbers share an entry.
fn finding_lines(findings: &[Finding], columns: usize) -> Vec<Line> {
    let mut groups = repetition::group_repeated(findings, |finding| Some(finding));
    let rest = groups.split_off(groups.len().min(MAX_FINDINGS));
    let mut lines = Vec::new();
    for group in &groups {
        let [first, repeated @ ..] = group.as_slice() else { continue };
        let words = wrap_text(&format!("  {first}"), columns);
        lines.extend(words.into_iter().map(|line| vec![piece(line, severity_ink(first.severity()))]));
        if !repeated.is_empty() {
            let words = wrap_text(&format!("    {}", describe_similar_findings(repeated)), columns);
            lines.extend(words.into_iter().map(|line| vec![piece(line, Ink::Dim)]));
        }
    }
    if !rest.is_empty() {
        let more: usize = rest.iter().map(Vec::len).sum();
        lines.push(vec![piece(format!("  and {more} more"), Ink::Dim)]);
    }
    lines
}

/// Describes further findings of a group by their packages if there are several, or else by their bundles or channels:
/// `2 more like this: a, b`.
fn describe_similar_findings(repeated: &[&Finding]) -> String {
    let packages: BTreeSet<_> = repeated.iter().filter_map(|finding| finding.package.as_ref()).collect();
    let name = |finding: &&Finding| {
        if packages.len() > 1 {
            return finding.package.as_ref().map(ToString::to_string);
        }
        let bundle = finding.bundle.as_ref().map(ToString::to_string);
        bundle.or_else(|| finding.channel.as_ref().map(ToString::to_string))
    };
    let mut names: Vec<String> = repeated.iter().filter_map(name).collect();
    names.dedup();
    let head = format!("{} more like this", repeated.len());
    let more = names.len().saturating_sub(MAX_REPEATED_NAMES);
    names.truncate(MAX_REPEATED_NAMES);
    match (names.as_slice(), more) {
        ([], _) => head,
        (names, 0) => format!("{head}: {}", names.join(", ")),
        (names, more) => format!("{head}: {} and {more} more", names.join(", ")),
    }
}

/// Formats findings with another severity than before.
fn severity_lines(changes: &[SeverityChange], columns: usize) -> Vec<Line> {
    let item = |change: &SeverityChange| (change.format_line(), severity_ink(change.finding.severity()));
    item_lines(changes, item, columns)
}

/// Formats the findings whose rules could not be evaluated anymore.
fn unchecked_lines(findings: &[UncheckedFinding], columns: usize) -> Vec<Line> {
    let item = |UncheckedFinding { finding, reason }: &UncheckedFinding| {
        let (severity, rule) = (finding.severity().as_str(), finding.rule.id);
        (format!("{severity} {rule}: {reason} (was: {})", finding.message), Ink::Text)
    };
    item_lines(findings, item, columns)
}

/// Wraps the text of the first items, and counts the others.
fn item_lines<T>(items: &[T], item: impl Fn(&T) -> (String, Ink), columns: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    for (words, ink) in items.iter().take(MAX_FINDINGS).map(item) {
        let wrapped = wrap_text(&format!("  {words}"), columns);
        lines.extend(wrapped.into_iter().map(|line| vec![piece(line, ink)]));
    }
    let more = items.len().saturating_sub(MAX_FINDINGS);
    if more > 0 {
        lines.push(vec![piece(format!("  and {more} more"), Ink::Dim)]);
    }
    lines
}

/// Lists the packages left with unmet dependencies, under a title. Empty if there are none.
fn unmet_dependency_lines(left: &UnmetDependencies, columns: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    if left.is_empty() {
        return lines;
    }
    lines.push(vec![piece(format!("Left without what they need {}", left.all.len()), Ink::Title)]);
    let words = left.all.iter().take(MAX_FINDINGS).map(UnmetDependency::to_sentence);
    let more = left.all.len().saturating_sub(MAX_FINDINGS);
    let more = (more > 0).then(|| format!("and {more} more"));
    let stopped = left.stopped.map(|stopped| format!("there may be more: {stopped}"));
    for words in words.chain(more).chain(stopped) {
        let folded = wrap_text(&words, columns.saturating_sub(4)).into_iter().enumerate();
        lines.extend(folded.map(|(at, line)| {
            let indent = if at == 0 { "  " } else { "    " };
            vec![text_piece(indent), piece(line, Ink::Warning)]
        }));
    }
    lines
}

/// Lists the effects on users of deprecated items. [`harm_lines`] lists users without an upgrade
/// path.
pub fn deprecation_effect_lines(
    view_cx: &ViewContext<'_>,
    consequences: &Consequences,
    columns: usize,
) -> Vec<Line> {
    filtered_effect_lines(view_cx, consequences, |severity| severity != EffectSeverity::Blocked, columns)
}

fn filtered_effect_lines(
    view_cx: &ViewContext<'_>,
    consequences: &Consequences,
    is_listed: impl Fn(EffectSeverity) -> bool,
    columns: usize,
) -> Vec<Line> {
    let mut lines = Vec::new();
    for effects in &consequences.deprecations {
        let package_state = view_cx.session.snapshot().and_then(|s| s.package(effects.package.as_str()));
        let effects = deprecations::describe_effects(
            effects,
            package_state.map(|package_state| &**package_state.package()),
        );
        for (severity, words) in effects.into_iter().filter(|(fate, _)| is_listed(*fate)) {
            let (mark, ink) = effect_mark(severity);
            lines.extend(hanging_lines(&[piece(format!("  {mark} "), ink)], &words, columns, ink));
        }
    }
    lines
}

/// Returns the mark and the ink of an effect on users.
pub fn effect_mark(severity: EffectSeverity) -> (&'static str, Ink) {
    match severity {
        EffectSeverity::Blocked => ("E", Ink::Error),
        EffectSeverity::ByHand | EffectSeverity::Unknown => ("!", Ink::Warning),
        EffectSeverity::Fine => (" ", Ink::Text),
    }
}

/// Lists the users that are worse off, under a title. Empty if there are none.
pub fn harm_lines(view_cx: &ViewContext<'_>, consequences: &Consequences, columns: usize) -> Vec<Line> {
    let harm = &consequences.harm;
    let mut lines = Vec::new();
    let deprecations =
        filtered_effect_lines(view_cx, consequences, |severity| severity == EffectSeverity::Blocked, columns);
    if !deprecations.is_empty() {
        lines.push(vec![piece("Deprecations that leave users without an upgrade path", Ink::Error)]);
        lines.extend(deprecations);
    }
    if harm.affects_users() {
        let size = format_harm(harm.count_versions(), harm.count_fresh_installs());
        lines.push(vec![piece(format!("Worse off: {size}"), Ink::Error)]);
        for (engine, words) in describe_harm(harm, |package, name| bundle_label(view_cx, package, name)) {
            push_engine_sentence(&mut lines, engine, &words, Ink::Error, columns);
        }
    }
    lines
}

/// Formats the numbers of versions and fresh installs that are worse off: `2 versions and 1 fresh install`.
pub fn format_harm(versions: usize, fresh_installs: usize) -> String {
    let counts = [(versions, "version"), (fresh_installs, "fresh install")];
    let counts = counts.into_iter().filter(|(count, _)| *count > 0);
    counts.map(|(count, noun)| format_count(count, noun)).collect::<Vec<_>>().join(" and ")
}

/// Lists the changed upgrades of installed bundles and the changed fresh installs. [`harm_lines`]
/// lists those that are worse off.
pub fn changed_upgrade_lines(
    view_cx: &ViewContext<'_>,
    consequences: &Consequences,
    columns: usize,
) -> Vec<Line> {
    let label = |package: &PackageName, name: &BundleName| bundle_label(view_cx, package, name);
    let mut lines = Vec::new();
    let harm = &consequences.harm;
    let (moved, fresh) = (
        harm.unharmed_upgrades(&consequences.changed_steps),
        harm.unharmed_fresh_installs(&consequences.fresh),
    );
    // Fresh installs and new deprecations count as changes too.
    let is_quiet = consequences.changed_steps.is_empty()
        && consequences.stuck.is_empty()
        && consequences.fresh.is_empty()
        && consequences.deprecations.is_empty();
    if is_quiet {
        lines.push(vec![piece("No upgrade changes.", Ink::Dim)]);
    }
    let mut packages: BTreeMap<&PackageName, Vec<Line>> = BTreeMap::new();
    for change in &consequences.stuck {
        for of in stuck_changes::describe_other_changes(std::slice::from_ref(change), label) {
            let ink = stuck_changes::impact_ink(of.impact);
            let lines = packages.entry(change.package_name()).or_default();
            push_engine_sentence(lines, of.engine, &of.words, ink, columns);
        }
    }
    for of_package in moved.chunk_by(|a, b| a.package == b.package) {
        let Some(first) = of_package.first() else { continue };
        let lines = packages.entry(&first.package).or_default();
        for of in describe_upgrades_by_target(of_package, label) {
            push_engine_sentence(lines, Some(of.engine), &of.words, Ink::Text, columns);
        }
    }
    if !packages.is_empty() {
        lines.push(vec![piece("Changed upgrades", Ink::Title)]);
    }
    let has_several = packages.len() > 1;
    for (package, of_package) in packages {
        if has_several {
            lines.push(vec![piece(format!("  {package}"), Ink::Title)]);
        }
        lines.extend(of_package);
    }
    if !fresh.is_empty() {
        lines.push(vec![piece(format!("Changed fresh installs {}", fresh.len()), Ink::Title)]);
    }
    for of in fresh_installs::describe_fresh_changes(&fresh, label) {
        push_engine_sentence(&mut lines, Some(of.engine), &of.words, Ink::Text, columns);
    }
    lines
}

fn bundle_label(view_cx: &ViewContext<'_>, package: &PackageName, name: &BundleName) -> String {
    // The current catalog may lack a package of another one.
    let open = view_cx.session.catalogs.all().iter().map(OpenCatalog::visible_state);
    let mut states = view_cx.session.snapshot().into_iter().chain(open);
    let package_state = states.find_map(|state| state.package(package.as_str()));
    package_state
        .map_or_else(|| name.to_string(), |package_state| bundle_short_name(package_state.package(), name))
}

/// Appends a wrapped sentence after the name of its OLM.
fn push_engine_sentence(
    lines: &mut Vec<Line>,
    engine: Option<Engine>,
    words: &str,
    words_ink: Ink,
    columns: usize,
) {
    let (engine, ink) = match engine {
        Some(Engine::Classic) => ("Classic", Ink::Classic),
        Some(Engine::V1) => ("v1", Ink::V1),
        None => ("both", Ink::Text),
    };
    lines.extend(hanging_lines(&[piece(format!("  {engine:<8}"), ink)], words, columns, words_ink));
}

#[cfg(test)]
mod tests {
    use super::*;
    use olm_check::rules;

    fn lines_of(findings: &[Finding]) -> Vec<String> {
        let lines = finding_lines(findings, 90).into_iter();
        lines.map(|line| line.into_iter().map(|piece| piece.text).collect()).collect()
    }

    #[test]
    fn findings_of_one_cause_share_an_entry() {
        let of_channel = |name: &str| {
            Finding::new(&rules::V1_CHANNEL_NAME, format!("channel {name} is odd")).with_channel(&name.into())
        };
        let names = ["A", "B", "C", "D", "E", "F"];
        let lines = lines_of(&names.map(of_channel));
        assert!(lines[0].ends_with("channel A is odd"), "{lines:?}");
        assert_eq!(lines[1..], ["    5 more like this: B, C, D, E and 1 more"]);
        assert_eq!(lines_of(&[of_channel("A")]).len(), 1);
    }

    #[test]
    fn repeated_findings_of_several_packages_name_the_packages() {
        let of_package = |name: &str| {
            let finding = Finding::new(&rules::V1_NO_ALL_NAMESPACES, format!("v1 refuses {name}.v1"));
            finding.with_package(&name.into()).with_channel(&"stable".into())
        };
        let lines = lines_of(&["kiln", "lamp", "oven"].map(of_package));
        assert_eq!(lines[1..], ["    2 more like this: lamp, oven"]);
    }
}
