//! Effect of an edit, for people and programs, and as a diff for `git apply` and `patch -p1`.

use std::fmt::Write as _;

use serde::Serialize;

use super::{
    changed_upgrades, deprecations, escape, finding, stuck_changes,
    style::{Ink, Style},
    unmet_dependencies,
};
use olm_catalog::{BundleName, PackageName};
use olm_check::{
    Finding, Severity,
    review::{
        ChangeReport, FileDiff, Harm, Snapshot,
        files::{DiffKind, FileKind},
    },
};
use olm_edit::{ChannelPlacement, Edit};
use olm_upgrade::placement::{ChosenPlacement, EdgeForm, Placement};

/// Edit of one catalog, with its effect.
#[derive(Clone, Copy, Debug)]
pub struct EditedCatalog<'a> {
    /// Display name of the catalog.
    pub label: &'a str,
    /// Edit.
    pub edit: &'a Edit,
    /// Catalog before the edit.
    pub before: &'a Snapshot,
    /// Catalog after the edit.
    pub after: &'a Snapshot,
    /// Changed files and consequences.
    pub report: &'a ChangeReport,
    /// Places of the bundle that the edit adds to channels.
    pub placements: &'a [PlacedEntry],
}

/// Place of a bundle in a channel.
#[derive(Clone, Debug)]
pub struct PlacedEntry {
    /// Place and edges.
    pub chosen: ChosenPlacement,
    /// True if the user has given edges, which replace those of the form.
    pub has_given_edges: bool,
}

impl PlacedEntry {
    /// Describes the place and the source of the edges.
    fn describe_place(&self) -> String {
        let ChosenPlacement { place: ChannelPlacement { channel, spec, .. }, placement, form, above, .. } =
            &self.chosen;
        let above = above.as_ref().map(ToString::to_string).unwrap_or_default();
        let place = match placement {
            Placement::First => "first entry".to_owned(),
            Placement::Head => "new head".to_owned(),
            Placement::Skipped => format!("below {above}, skipped by it"),
            Placement::Step => format!("below {above}, replaced by it"),
            Placement::EntryOnly => "an entry already names it".to_owned(),
            Placement::Downgrade => "new head with a lower version, a downgrade".to_owned(),
        };
        let edges = match form {
            _ if self.has_given_edges => "edges as given".to_owned(),
            EdgeForm::Csv => "edges of the CSV".to_owned(),
            EdgeForm::Like(example) => {
                let parts = [
                    ("replaces", spec.replaces.is_some()),
                    ("skips", !spec.skips.is_empty()),
                    ("skipRange", spec.skip_range.is_some()),
                ];
                let parts: Vec<&str> = parts.iter().filter(|part| part.1).map(|part| part.0).collect();
                format!("{} like {example}", parts.join(" and "))
            }
            EdgeForm::Replaces => match &spec.replaces {
                Some(replaced) => format!("replaces {replaced}"),
                None => "no edges".to_owned(),
            },
        };
        format!("{channel}: {place}; {edges}")
    }
}

/// Place of a bundle in a channel as JSON prints it.
#[derive(Debug, Serialize)]
struct PlacementRow<'a> {
    channel: &'a str,
    placement: &'static str,
    /// `like`, `replaces`, `csv` or `given`.
    form: &'static str,
    /// Entry with edges of the same form.
    #[serde(skip_serializing_if = "Option::is_none")]
    like: Option<&'a str>,
    above: Option<&'a str>,
}

impl<'a> PlacementRow<'a> {
    fn from_placed_entry(placed: &'a PlacedEntry) -> Self {
        let chosen = &placed.chosen;
        let (form, like) = match &chosen.form {
            _ if placed.has_given_edges => ("given", None),
            EdgeForm::Like(example) => ("like", Some(example.as_str())),
            EdgeForm::Replaces => ("replaces", None),
            EdgeForm::Csv => ("csv", None),
        };
        let above = chosen.above.as_ref().map(BundleName::as_str);
        Self { channel: chosen.place.channel.as_str(), placement: chosen.placement.id(), form, like, above }
    }
}

/// Outcome of an edit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EditOutcome {
    /// The files were written.
    Written,
    /// Nothing was written because of `--dry-run`.
    DryRun,
    /// Nothing was written because the edit adds errors or leaves users worse off.
    Refused,
}

impl EditedCatalog<'_> {
    /// Returns the number of objections to writing: new errors and users who are worse off.
    pub fn count_objections(&self) -> usize {
        let consequences = &self.report.consequences;
        let new = consequences.new_findings.iter();
        let errors = new.filter(|finding| finding.severity() == Severity::Error).count();
        errors + consequences.harm.count_versions() + consequences.harm.count_fresh_installs()
    }
}

/// Edited catalog as `olmap edit -o json` prints it (`docs/cli.md`).
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Row<'a> {
    catalog: &'a str,
    edit: &'a Edit,
    written: bool,
    /// Only for edits that add a bundle to channels.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    placements: Vec<PlacementRow<'a>>,
    files: Vec<FileRow>,
    left_without: Vec<unmet_dependencies::Row<'a>>,
    new_findings: Vec<finding::Row>,
    fixed_findings: Vec<finding::Row>,
    /// Findings that were parts of fixed findings.
    remaining_findings: Vec<finding::Row>,
    /// Findings with another severity than before.
    severity_changes: Vec<finding::Row>,
    /// Findings whose rules could not be evaluated after the edit.
    unchecked_findings: Vec<finding::Row>,
    worse_off: WorseOff,
    /// Newly stuck and freed versions.
    stuck: serde_json::Value,
    moved: Vec<changed_upgrades::Row>,
    fresh: Vec<changed_upgrades::fresh_installs::Row>,
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
    fn from_harm(harm: &Harm) -> Self {
        Self {
            stuck: harm.count_stuck(),
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
    pub fn from_edited_catalog(edited: &EditedCatalog<'a>, fate: EditOutcome) -> Self {
        let EditedCatalog { label, edit, before, after, report, placements } = *edited;
        let rows = |found: &[Finding], state: &Snapshot| {
            found.iter().map(|finding| finding::Row::from_finding(&state.catalog, finding)).collect()
        };
        let file = |diff: &FileDiff| FileRow {
            path: diff.disk_or_catalog_path().display().to_string(),
            new: diff.kind == FileKind::New,
            added: diff.count_lines(DiffKind::Added),
            removed: diff.count_lines(DiffKind::Removed),
        };
        Self {
            catalog: label,
            edit,
            written: fate == EditOutcome::Written,
            placements: placements.iter().map(PlacementRow::from_placed_entry).collect(),
            files: report.files.iter().map(file).collect(),
            left_without: report
                .consequences
                .unmet
                .all
                .iter()
                .map(unmet_dependencies::Row::from_unmet_dependency)
                .collect(),
            new_findings: rows(&report.consequences.new_findings, after),
            fixed_findings: rows(&report.consequences.fixed_findings, before),
            remaining_findings: rows(&report.consequences.remaining_findings, after),
            severity_changes: report
                .consequences
                .severity_changes
                .iter()
                .map(|change| finding::Row::from_severity_change(&after.catalog, change))
                .collect(),
            unchecked_findings: report
                .consequences
                .unchecked_findings
                .iter()
                .map(|unchecked| finding::Row::from_unchecked(&before.catalog, unchecked))
                .collect(),
            worse_off: WorseOff::from_harm(&report.consequences.harm),
            stuck: stuck_changes::stuck_changes_json(&report.consequences.stuck),
            moved: report
                .consequences
                .changed_steps
                .iter()
                .map(changed_upgrades::Row::from_changed_upgrade)
                .collect(),
            fresh: report
                .consequences
                .fresh
                .iter()
                .map(changed_upgrades::fresh_installs::Row::from_fresh_change)
                .collect(),
            deprecations: report
                .consequences
                .deprecations
                .iter()
                .map(deprecations::EffectsRow::from_effects)
                .collect(),
        }
    }
}

/// Renders an edited catalog for people: the edit, its files, and its effect on findings and users.
pub fn render_edit(edited: &EditedCatalog<'_>, fate: EditOutcome, style: &Style) -> String {
    let EditedCatalog { label, edit, after, report, placements, .. } = *edited;
    let mut out = style.paint_wrapped(Ink::Bold, &edit.title(), "", "  ");
    if report.files.is_empty() {
        let _ = writeln!(out, "  nothing changes in {}", escape::escape_line(label));
        return out;
    }
    for placed in placements {
        let ink = if placed.chosen.placement == Placement::Downgrade { Ink::Error } else { Ink::Text };
        out.push_str(&style.paint_wrapped(ink, &escape::escape_line(&placed.describe_place()), "  ", "    "));
    }
    for diff in &report.files {
        let becomes = match (fate, diff.kind) {
            (EditOutcome::Written, FileKind::New) => "made",
            (EditOutcome::Written, FileKind::Removed) => "removed",
            (EditOutcome::Written, FileKind::Edited) => "wrote",
            (EditOutcome::DryRun, _) => "would write",
            (EditOutcome::Refused, _) => "did not write",
        };
        let (added, removed) = (diff.count_lines(DiffKind::Added), diff.count_lines(DiffKind::Removed));
        let path = diff.disk_or_catalog_path().display().to_string();
        let _ = writeln!(out, "  {becomes} {} (+{added} -{removed})", escape::escape_line(&path));
    }
    let consequences = &report.consequences;
    let label = |package: &PackageName, bundle: &BundleName| {
        let judged = after.package(package.as_str());
        judged.map_or_else(|| bundle.to_string(), |judged| judged.package().short_name(bundle))
    };
    for (engine, words) in changed_upgrades::describe_harm(&consequences.harm, label) {
        out.push_str(&style.paint_labeled(stuck_changes::engine_label(engine), Ink::Error, &words));
    }
    for sentence in stuck_changes::describe_other_changes(&consequences.stuck, label) {
        let ink = stuck_changes::impact_ink(sentence.impact);
        out.push_str(&style.paint_labeled(
            stuck_changes::engine_label(sentence.engine),
            ink,
            &sentence.words,
        ));
    }
    let effects = |is_meant: &dyn Fn(deprecations::EffectSeverity) -> bool, out: &mut String| {
        for effects in &consequences.deprecations {
            let judged = after.package(effects.package.as_str());
            for (fate, words) in
                deprecations::describe_effects(effects, judged.map(|judged| &**judged.package()))
            {
                if is_meant(fate) {
                    out.push_str(&style.paint_labeled(
                        "deprec.",
                        deprecations::effect_severity_ink(fate),
                        &words,
                    ));
                }
            }
        }
    };
    effects(&|fate| fate == deprecations::EffectSeverity::Blocked, &mut out);
    for (what, found) in [("new", &consequences.new_findings), ("fixed", &consequences.fixed_findings)] {
        for finding in found {
            let ink = if what == "fixed" { Ink::Good } else { finding::severity_ink(finding.severity()) };
            out.push_str(&style.paint_labeled(what, ink, &finding.to_string()));
        }
    }
    for finding in &consequences.remaining_findings {
        let words = format!("{finding} (part of a fixed finding before)");
        out.push_str(&style.paint_labeled("remains", finding::severity_ink(finding.severity()), &words));
    }
    for change in &consequences.severity_changes {
        let ink = finding::severity_ink(change.finding.severity());
        out.push_str(&style.paint_labeled("changed", ink, &change.format_line()));
    }
    for unchecked in &consequences.unchecked_findings {
        out.push_str(&style.paint_labeled("unchecked", Ink::Text, &unchecked.format_line()));
    }
    for words in consequences.unmet.to_lines() {
        out.push_str(&style.paint_labeled("left", Ink::Warning, &words));
    }
    let (fresh, moved) = (&consequences.fresh, &consequences.changed_steps);
    let (fresh, moved) =
        (consequences.harm.unharmed_fresh_installs(fresh), consequences.harm.unharmed_upgrades(moved));
    let fresh = changed_upgrades::fresh_installs::describe_fresh_changes(&fresh, label).into_iter();
    let fresh = fresh.map(|sentence| (sentence.engine, sentence.words));
    let moved = changed_upgrades::describe_changed_upgrades(&moved, label).into_iter();
    for (engine, words) in moved.map(|sentence| (sentence.engine, sentence.words)).chain(fresh) {
        out.push_str(&style.paint_labeled(engine.label(), Ink::Text, &words));
    }
    effects(&|fate| fate != deprecations::EffectSeverity::Blocked, &mut out);
    if consequences.is_empty() {
        let _ = writeln!(out, "  no change for findings, upgrades and fresh installs");
    }
    out
}

/// Renders the changed lines of every file as unified diffs.
pub fn render_unified_diff(report: &ChangeReport) -> String {
    report.files.iter().map(ToString::to_string).collect()
}
