//! Effects of an edit: new findings, changed upgrades and unmet dependencies.

use crate::ui::{
    canvas::{Pieces, piece, text, wrap},
    parts::{
        details::{MOST_FINDINGS, severity_role},
        lists::short,
    },
    theme::Role,
};
use crate::{
    app::Model,
    catalog::{BundleName, PackageName},
    export::{
        deprecations::{self, Fate},
        moved::{few_sentences, fresh, harm_sentences},
        stuck_changes,
    },
    review::{Left, LeftWithout, Unchecked, consequences::Consequences, diff::Fortune},
    upgrade::answer::Engine,
    validate::Diagnostic,
};

/// Formats findings, a few lines each.
pub fn finding_lines(findings: &[Diagnostic], columns: usize) -> Vec<Pieces> {
    let mut lines = Vec::new();
    for finding in findings.iter().take(MOST_FINDINGS) {
        let words = format!("  {} {}: {}", finding.severity().as_str(), finding.rule.id, finding.message);
        lines.extend(
            wrap(&words, columns)
                .into_iter()
                .map(|line| vec![piece(line, severity_role(finding.severity()))]),
        );
    }
    let more = findings.len().saturating_sub(MOST_FINDINGS);
    if more > 0 {
        lines.push(vec![piece(format!("  and {more} more"), Role::Dim)]);
    }
    lines
}

/// Lists the findings whose rules could not be evaluated anymore, under a title. Empty if there are
/// none.
pub fn unchecked_lines(findings: &[Unchecked], columns: usize) -> Vec<Pieces> {
    let mut lines = Vec::new();
    if findings.is_empty() {
        return lines;
    }
    lines.push(vec![piece(format!("Not checked any more {}", findings.len()), Role::Title)]);
    for Unchecked { finding, reason } in findings.iter().take(MOST_FINDINGS) {
        let (severity, rule) = (finding.severity().as_str(), finding.rule.id);
        let words = format!("  {severity} {rule}: {reason} (was: {})", finding.message);
        lines.extend(wrap(&words, columns).into_iter().map(|line| vec![text(line)]));
    }
    let more = findings.len().saturating_sub(MOST_FINDINGS);
    if more > 0 {
        lines.push(vec![piece(format!("  and {more} more"), Role::Dim)]);
    }
    lines
}

/// Lists the packages left with unmet dependencies, under a title. Empty if there are none.
pub fn left_lines(left: &Left, columns: usize) -> Vec<Pieces> {
    let mut lines = Vec::new();
    if left.is_empty() {
        return lines;
    }
    lines.push(vec![piece(format!("Left without what they need {}", left.all.len()), Role::Title)]);
    let words = left.all.iter().take(MOST_FINDINGS).map(LeftWithout::words);
    let more = left.all.len().saturating_sub(MOST_FINDINGS);
    let more = (more > 0).then(|| format!("and {more} more"));
    let stopped = left.stopped.map(|stopped| format!("there may be more: {stopped}"));
    for words in words.chain(more).chain(stopped) {
        let folded = wrap(&words, columns.saturating_sub(4)).into_iter().enumerate();
        lines.extend(folded.map(|(at, line)| {
            let indent = if at == 0 { "  " } else { "    " };
            vec![text(indent), piece(line, Role::Warning)]
        }));
    }
    lines
}

/// Lists the effects on users of deprecated items. [`harm_lines`] lists users without an upgrade
/// path.
pub fn effect_lines(model: &Model, consequences: &Consequences, columns: usize) -> Vec<Pieces> {
    lines_of_effects(model, consequences, |fate| fate != Fate::Blocked, columns)
}

fn lines_of_effects(
    model: &Model,
    consequences: &Consequences,
    is_meant: impl Fn(Fate) -> bool,
    columns: usize,
) -> Vec<Pieces> {
    let mut lines = Vec::new();
    for effects in &consequences.deprecations {
        let judged = model.session.snapshot().and_then(|s| s.package(effects.package.as_str()));
        let effects = deprecations::effects(effects, judged.map(|judged| &**judged.package()));
        for (fate, words) in effects.into_iter().filter(|(fate, _)| is_meant(*fate)) {
            let (mark, role) = fate_mark(fate);
            for (index, line) in wrap(&words, columns.saturating_sub(4)).into_iter().enumerate() {
                let mark = if index == 0 { mark } else { " " };
                lines.push(vec![piece(format!("  {mark} "), role), piece(line, role)]);
            }
        }
    }
    lines
}

/// Returns the mark and the role of an effect on users.
pub fn fate_mark(fate: Fate) -> (&'static str, Role) {
    match fate {
        Fate::Blocked => ("E", Role::Error),
        Fate::ByHand | Fate::Unknown => ("!", Role::Warning),
        Fate::Fine => (" ", Role::Text),
    }
}

/// Lists the users that are worse off, under a title. Empty if there are none.
pub fn harm_lines(model: &Model, consequences: &Consequences, columns: usize) -> Vec<Pieces> {
    let harm = &consequences.harm;
    let mut lines = Vec::new();
    let deprecations = lines_of_effects(model, consequences, |fate| fate == Fate::Blocked, columns);
    if !deprecations.is_empty() {
        lines.push(vec![piece("Deprecations that leave users without an upgrade path", Role::Error)]);
        lines.extend(deprecations);
    }
    if harm.count() > 0 {
        lines.push(vec![piece(format!("Worse off {}", harm.count()), Role::Error)]);
        for (engine, words) in harm_sentences(harm, |package, name| label(model, package, name)) {
            sentence(&mut lines, engine, &words, Role::Error, columns);
        }
    }
    lines
}

/// Lists the changed upgrades of installed bundles and the changed fresh installs. [`harm_lines`]
/// lists those that are worse off.
pub fn moved_lines(model: &Model, consequences: &Consequences, columns: usize) -> Vec<Pieces> {
    let label = |package: &PackageName, name: &BundleName| label(model, package, name);
    let mut lines = Vec::new();
    let harm = &consequences.harm;
    let (moved, fresh) = (harm.other_moved(&consequences.moved), harm.other_fresh(&consequences.fresh));
    // Fresh installs and new deprecations count as changes too.
    let is_quiet = consequences.moved.is_empty()
        && consequences.stuck.is_empty()
        && consequences.fresh.is_empty()
        && consequences.deprecations.is_empty();
    if is_quiet {
        lines.push(vec![piece("No upgrade changes.", Role::Dim)]);
    } else if !moved.is_empty() {
        lines.push(vec![piece(format!("Changed upgrades {}", moved.len()), Role::Title)]);
    } else if !fresh.is_empty() {
        lines.push(vec![piece(format!("Changed fresh installs {}", fresh.len()), Role::Title)]);
    }
    for of in stuck_changes::other_sentences(&consequences.stuck, label) {
        let role = match of.fortune {
            Fortune::Freed | Fortune::Recovered => Role::Good,
            Fortune::Moved => Role::Text,
            Fortune::Stuck | Fortune::Failing | Fortune::Downgraded => Role::Error,
        };
        sentence(&mut lines, of.engine, &of.words, role, columns);
    }
    let fresh = fresh::sentences(&fresh, label).into_iter().map(|of| (of.engine, of.words));
    let moved = few_sentences(&moved, label).into_iter().map(|of| (of.engine, of.words));
    for (engine, words) in moved.chain(fresh) {
        sentence(&mut lines, Some(engine), &words, Role::Text, columns);
    }
    lines
}

fn label(model: &Model, package: &PackageName, name: &BundleName) -> String {
    let judged = model.session.snapshot().and_then(|s| s.package(package.as_str()));
    judged.map_or_else(|| name.to_string(), |judged| short(judged.package(), name))
}

/// Appends a wrapped sentence after the name of its OLM.
fn sentence(lines: &mut Vec<Pieces>, engine: Option<Engine>, words: &str, words_role: Role, columns: usize) {
    let (engine, role) = match engine {
        Some(Engine::Classic) => ("Classic", Role::Classic),
        Some(Engine::V1) => ("v1", Role::V1),
        None => ("both", Role::Text),
    };
    for (index, line) in wrap(words, columns.saturating_sub(10)).into_iter().enumerate() {
        let engine = if index == 0 { engine } else { "" };
        lines.push(vec![piece(format!("  {engine:<8}"), role), piece(line, words_role)]);
    }
}
