//! What an edit does to others: new findings, who moves, who is left.

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
        moved::{few_sentences, fresh},
    },
    review::{Left, LeftWithout, consequences::Consequences},
    upgrade::answer::Engine,
    validate::Diagnostic,
};

/// Findings, a few lines each.
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

/// Who is left without what they need, under a title; nothing where nobody is.
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

/// What becomes of those on something deprecated.
pub fn effect_lines(model: &Model, consequences: &Consequences, columns: usize) -> Vec<Pieces> {
    let mut lines = Vec::new();
    for effects in &consequences.deprecations {
        let judged = model.session.snapshot().and_then(|s| s.package(effects.package.as_str()));
        for (fate, words) in deprecations::effects(effects, judged.map(|judged| &**judged.package())) {
            let (mark, role) = fate_mark(fate);
            for (index, line) in wrap(&words, columns.saturating_sub(4)).into_iter().enumerate() {
                let mark = if index == 0 { mark } else { " " };
                lines.push(vec![piece(format!("  {mark} "), role), piece(line, role)]);
            }
        }
    }
    lines
}

/// A mark and a colour for what becomes of somebody.
pub fn fate_mark(fate: Fate) -> (&'static str, Role) {
    match fate {
        Fate::Blocked => ("E", Role::Error),
        Fate::ByHand | Fate::Unknown => ("!", Role::Warning),
        Fate::Fine => (" ", Role::Text),
    }
}

/// Installed bundles whose successor changes, and fresh installs that do, from what to what.
pub fn moved_lines(model: &Model, consequences: &Consequences, columns: usize) -> Vec<Pieces> {
    let label = |package: &PackageName, name: &BundleName| {
        let judged = model.session.snapshot().and_then(|s| s.package(package.as_str()));
        judged.map_or_else(|| name.to_string(), |judged| short(judged.package(), name))
    };
    let mut lines = Vec::new();
    let moved = &consequences.moved;
    if moved.is_empty() {
        lines.push(vec![piece("No upgrade changes.", Role::Dim)]);
    } else {
        lines.push(vec![piece(format!("Changed upgrades {}", moved.len()), Role::Title)]);
    }
    let fresh = fresh::sentences(&consequences.fresh, label).into_iter().map(|of| (of.engine, of.words));
    let moved = few_sentences(moved, label).into_iter().map(|of| (of.engine, of.words));
    for (engine, words) in moved.chain(fresh) {
        let (engine, role) = match engine {
            Engine::Classic => ("Classic", Role::Classic),
            Engine::V1 => ("v1", Role::V1),
        };
        for (index, line) in wrap(&words, columns.saturating_sub(10)).into_iter().enumerate() {
            let engine = if index == 0 { engine } else { "" };
            lines.push(vec![piece(format!("  {engine:<8}"), role), text(line)]);
        }
    }
    lines
}
