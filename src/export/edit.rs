//! Effect of an edit, for people and programs, and as a diff for `git apply` and `patch -p1`.

use std::{fmt::Write as _, path::Path};

use serde::Serialize;

use super::{
    deprecations, finding, left, moved,
    plain::{self, wrap},
    stuck_changes,
    style::{Ink, Style},
};
use crate::{
    catalog::{BundleName, PackageName},
    edit::Edit,
    review::{
        FileDiff, Harm, Report, Snapshot,
        files::{DiffKind, FileKind, Hunk},
    },
    validate::{Diagnostic, Severity},
};

/// Edit of one catalog, with its effect.
#[derive(Clone, Copy, Debug)]
pub struct Edited<'a> {
    /// Display name of the catalog.
    pub label: &'a str,
    /// Edit.
    pub edit: &'a Edit,
    /// Catalog before the edit.
    pub before: &'a Snapshot,
    /// Catalog after the edit.
    pub after: &'a Snapshot,
    /// Changed files and consequences.
    pub report: &'a Report,
}

/// Outcome of an edit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// The files were written.
    Written,
    /// Nothing was written because of `--dry-run`.
    Dry,
    /// Nothing was written because the edit adds errors or leaves users worse off.
    Denied,
}

impl Edited<'_> {
    /// Returns the number of objections to writing: new errors and users who are worse off.
    pub fn objections(&self) -> usize {
        let consequences = &self.report.consequences;
        let new = consequences.new_findings.iter();
        new.filter(|finding| finding.severity() == Severity::Error).count() + consequences.harm.count()
    }
}

/// Edited catalog as `olmap edit -o json` prints it (`docs/cli.md`).
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Row<'a> {
    catalog: &'a str,
    edit: &'a Edit,
    written: bool,
    files: Vec<FileRow>,
    left_without: Vec<left::Row<'a>>,
    new_findings: Vec<finding::Row>,
    fixed_findings: Vec<finding::Row>,
    /// Findings whose rules could not be evaluated after the edit.
    unchecked_findings: Vec<finding::Row>,
    worse_off: WorseOff,
    /// Newly stuck and freed versions.
    stuck: serde_json::Value,
    moved: Vec<moved::Row>,
    fresh: Vec<moved::fresh::Row>,
    deprecations: Vec<deprecations::EffectsRow<'a>>,
}

/// Number of users who are worse off: newly stuck versions, other installed bundles by OLM and
/// channel, and fresh installs.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct WorseOff {
    stuck: usize,
    failing: usize,
    downgraded: usize,
    fresh_broken: usize,
    fresh_older: usize,
}

impl WorseOff {
    fn of(harm: &Harm) -> Self {
        Self {
            stuck: harm.stuck_count(),
            failing: harm.failing.len(),
            downgraded: harm.downgraded.len(),
            fresh_broken: harm.fresh_broken.len(),
            fresh_older: harm.fresh_older.len(),
        }
    }
}

#[derive(Debug, Serialize)]
struct FileRow {
    path: String,
    new: bool,
    added: usize,
    removed: usize,
}

impl<'a> Row<'a> {
    /// Returns the row of an edited catalog.
    pub fn of(edited: &Edited<'a>, fate: Fate) -> Self {
        let Edited { label, edit, before, after, report } = *edited;
        let rows = |found: &[Diagnostic], state: &Snapshot| {
            found.iter().map(|finding| finding::Row::of(&state.catalog, finding)).collect()
        };
        let file = |diff: &FileDiff| FileRow {
            path: path(diff).display().to_string(),
            new: diff.kind == FileKind::New,
            added: count(diff, DiffKind::Added),
            removed: count(diff, DiffKind::Removed),
        };
        Self {
            catalog: label,
            edit,
            written: fate == Fate::Written,
            files: report.files.iter().map(file).collect(),
            left_without: report.consequences.left.all.iter().map(left::Row::of).collect(),
            new_findings: rows(&report.consequences.new_findings, after),
            fixed_findings: rows(&report.consequences.fixed_findings, before),
            unchecked_findings: report
                .consequences
                .unchecked_findings
                .iter()
                .map(|unchecked| finding::Row::of_unchecked(&before.catalog, unchecked))
                .collect(),
            worse_off: WorseOff::of(&report.consequences.harm),
            stuck: stuck_changes::json_of_changes(&report.consequences.stuck),
            moved: report.consequences.moved.iter().map(moved::Row::of).collect(),
            fresh: report.consequences.fresh.iter().map(moved::fresh::Row::of).collect(),
            deprecations: report.consequences.deprecations.iter().map(deprecations::EffectsRow::of).collect(),
        }
    }
}

/// Returns the path on disk, or the path in the catalog if the file is not on disk.
fn path(diff: &FileDiff) -> &Path {
    diff.disk.as_deref().unwrap_or(&diff.path)
}

fn count(diff: &FileDiff, kind: DiffKind) -> usize {
    diff.hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.kind == kind).count()
}

/// Renders an edited catalog for people: the edit, its files, and its effect on findings and users.
pub fn text(edited: &Edited<'_>, fate: Fate, style: &Style) -> String {
    let Edited { label, edit, after, report, .. } = *edited;
    let mut out = String::new();
    let title = wrap::hanging(&edit.title(), "", "  ", style.width);
    for line in title.lines() {
        let _ = writeln!(out, "{}", style.paint(Ink::Bold, line));
    }
    if report.files.is_empty() {
        let _ = writeln!(out, "  nothing changes in {}", plain::line(label));
        return out;
    }
    for diff in &report.files {
        let becomes = match (fate, diff.kind) {
            (Fate::Written, FileKind::New) => "made",
            (Fate::Written, FileKind::Gone) => "removed",
            (Fate::Written, FileKind::Edited) => "wrote",
            (Fate::Dry, _) => "would write",
            (Fate::Denied, _) => "did not write",
        };
        let (added, removed) = (count(diff, DiffKind::Added), count(diff, DiffKind::Removed));
        let path = path(diff).display().to_string();
        let _ = writeln!(out, "  {becomes} {} (+{added} -{removed})", plain::line(&path));
    }
    let consequences = &report.consequences;
    let label = |package: &PackageName, bundle: &BundleName| {
        let judged = after.package(package.as_str());
        judged.map_or_else(|| bundle.to_string(), |judged| judged.package().short_name(bundle))
    };
    for (engine, words) in moved::harm_sentences(&consequences.harm, label) {
        paragraph(&mut out, stuck_changes::engine_label(engine), &words, Ink::Error, style);
    }
    for sentence in stuck_changes::other_sentences(&consequences.stuck, label) {
        let ink = stuck_changes::ink(sentence.fortune);
        paragraph(&mut out, stuck_changes::engine_label(sentence.engine), &sentence.words, ink, style);
    }
    let effects = |is_meant: &dyn Fn(deprecations::Fate) -> bool, out: &mut String| {
        for effects in &consequences.deprecations {
            let judged = after.package(effects.package.as_str());
            for (fate, words) in deprecations::effects(effects, judged.map(|judged| &**judged.package())) {
                if is_meant(fate) {
                    paragraph(out, "deprec.", &words, deprecations::ink(fate), style);
                }
            }
        }
    };
    effects(&|fate| fate == deprecations::Fate::Blocked, &mut out);
    for (what, found) in [("new", &consequences.new_findings), ("fixed", &consequences.fixed_findings)] {
        for finding in found {
            let words = format!("{} {}: {}", finding.severity().as_str(), finding.rule.id, finding.message);
            let ink = if what == "fixed" { Ink::Good } else { finding::ink(finding.severity()) };
            paragraph(&mut out, what, &words, ink, style);
        }
    }
    for unchecked in &consequences.unchecked_findings {
        paragraph(&mut out, "unknown", &unchecked.words(), Ink::Text, style);
    }
    for words in consequences.left.words() {
        paragraph(&mut out, "left", &words, Ink::Warning, style);
    }
    let (fresh, moved) = (&consequences.fresh, &consequences.moved);
    let (fresh, moved) = (consequences.harm.other_fresh(fresh), consequences.harm.other_moved(moved));
    let fresh = moved::fresh::sentences(&fresh, label).into_iter();
    let fresh = fresh.map(|sentence| (sentence.engine, sentence.words));
    let moved = moved::sentences(&moved, label).into_iter();
    for (engine, words) in moved.map(|sentence| (sentence.engine, sentence.words)).chain(fresh) {
        paragraph(&mut out, engine.label(), &words, Ink::Text, style);
    }
    effects(&|fate| fate != deprecations::Fate::Blocked, &mut out);
    if consequences.is_empty() {
        let _ = writeln!(out, "  no change for findings, upgrades and fresh installs");
    }
    out
}

fn paragraph(out: &mut String, head: &str, words: &str, ink: Ink, style: &Style) {
    let folded = wrap::wrapped(words, "", style.width.saturating_sub(11));
    for (index, line) in folded.lines().enumerate() {
        let head = if index == 0 { head } else { "" };
        let _ = writeln!(out, "  {head:<8} {}", style.paint(ink, line));
    }
}

/// Renders the changed lines of every file as unified diffs.
pub fn diff(report: &Report) -> String {
    let mut out = String::new();
    for file in &report.files {
        let path = path(file).display().to_string();
        let path = path.trim_start_matches("./").trim_start_matches('/');
        let (old, new) = match file.kind {
            FileKind::Edited => (format!("a/{path}"), format!("b/{path}")),
            FileKind::New => ("/dev/null".to_owned(), format!("b/{path}")),
            FileKind::Gone => (format!("a/{path}"), "/dev/null".to_owned()),
        };
        let _ = writeln!(out, "--- {old}\n+++ {new}");
        file.hunks.iter().for_each(|hunk| unified(&mut out, hunk));
    }
    out
}

fn unified(out: &mut String, hunk: &Hunk) {
    let lines_of = |other: DiffKind| hunk.lines.iter().filter(|line| line.kind != other).count();
    let (old, new) = (lines_of(DiffKind::Added), lines_of(DiffKind::Removed));
    // If a side has no lines, the header names the line before the hunk.
    let from = |line: usize, count: usize| if count == 0 { line - 1 } else { line };
    let _ = writeln!(out, "@@ -{},{old} +{},{new} @@", from(hunk.old_line, old), from(hunk.new_line, new));
    for line in &hunk.lines {
        let mark = match line.kind {
            DiffKind::Kept => ' ',
            DiffKind::Removed => '-',
            DiffKind::Added => '+',
        };
        out.push(mark);
        out.push_str(&line.text);
        if line.has_return {
            out.push('\r');
        }
        out.push('\n');
        if !line.has_break {
            out.push_str("\\ No newline at end of file\n");
        }
    }
}
