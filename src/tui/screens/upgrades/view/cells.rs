//! Cells of the upgrade table: short texts, and the state of a version.

use std::fmt::Write as _;

use crate::tui::{
    screens::upgrades::view::{View, refusals::RefusedSteps},
    widgets::{
        canvas::{Piece, piece},
        lists::bundle_short_name,
        theme::Ink,
    },
};
use olm_catalog::package::Package;
use olm_check::review::PackageState;
use olm_upgrade::{
    DependencyResult, Engine, ResolveError, UpgradeRow, UpgradeTable,
    resolve::SinglePackageAnswer,
    row_notes::RowNoteKind,
    safety::{PackageSafety, Verdict},
    stuck::{StuckReport, VersionState, VersionStates},
    table::{NextUpgrade, PathEnd},
};
use olmap_report::safety::verdict_ink;

/// Returns the pick of Classic if dependencies are considered.
pub(super) fn resolved_text(package: &Package, alone: Option<&SinglePackageAnswer>) -> (String, Ink) {
    match alone.map(|alone| &alone.solved) {
        None => (String::new(), Ink::Dim),
        Some(None) => ("?".to_owned(), Ink::Dim),
        Some(Some(DependencyResult::Nothing)) => ("blocked".to_owned(), Ink::Error),
        Some(Some(DependencyResult::Stays)) => ("stays".to_owned(), Ink::Warning),
        Some(Some(DependencyResult::Bundle(name))) => (bundle_short_name(package, name), Ink::Warning),
    }
}

/// Returns the safety of the next steps of a row. One word is enough if both OLMs agree or only one
/// upgrades.
pub(super) fn safety_text(safety: &PackageSafety, row: &UpgradeRow, narrow: bool) -> (String, Ink) {
    let verdict = |next: &NextUpgrade, engine: Engine| {
        Some(
            safety
                .find_step(&row.installed.name, next.target()?)
                .map_or(Verdict::Unknown, |step| step.verdict_for(engine)),
        )
    };
    let word = |verdict: Verdict| match verdict {
        Verdict::Safe => "safe",
        Verdict::NeedsALook => "look",
        Verdict::Unknown => "?",
        _ => "refused",
    };
    match (verdict(&row.classic, Engine::Classic), verdict(&row.v1, Engine::V1)) {
        (None, None) => ("-".to_owned(), Ink::Dim),
        (Some(classic), Some(v1)) if classic.is_refused() && v1.is_refused() => {
            (word(v1).to_owned(), verdict_ink(v1))
        }
        (Some(classic), Some(v1)) if classic != v1 => {
            let (worst, engine) = if classic > v1 { (classic, Engine::Classic) } else { (v1, Engine::V1) };
            let is_named = worst.is_refused() && !narrow;
            let name = if is_named { format!("{} ", engine.label()) } else { String::new() };
            (format!("{name}{}", word(worst)), verdict_ink(worst))
        }
        (Some(one), _) | (None, Some(one)) => {
            (word(one).to_owned(), if one == Verdict::Safe { Ink::Dim } else { verdict_ink(one) })
        }
    }
}

pub(super) fn next_text(package: &Package, next: &NextUpgrade) -> String {
    match next {
        NextUpgrade::Stays => "stays".to_owned(),
        NextUpgrade::To(name) => bundle_short_name(package, name),
        NextUpgrade::Error(_) => "error".to_owned(),
    }
}

/// Returns the next upgrade in v1, with the catalog if it is another one of the cluster.
pub(super) fn v1_text(package: &Package, row: &UpgradeRow, own_name: Option<&str>) -> String {
    let mut text = match &row.v1 {
        NextUpgrade::Error(error @ ResolveError::OnCluster { .. }) => error.brief(),
        next => next_text(package, next),
    };
    if let Some(catalog) = row.v1_catalog.as_ref().filter(|catalog| Some(catalog.name.as_str()) != own_name) {
        let _ = write!(text, " ({})", catalog.name);
    }
    text
}

pub(super) fn path_end_text(package: &Package, end: &PathEnd) -> String {
    match end.hops {
        0 => "-".to_owned(),
        hops => format!("{} +{hops}", bundle_short_name(package, &end.name)),
    }
}

/// States of the versions of a package.
pub(super) struct RowStates<'j> {
    stuck: Option<VersionStates<'j>>,
    refused: RefusedSteps<'j>,
}

impl<'j> RowStates<'j> {
    pub(super) fn new(view: &View<'_>, package_state: &'j PackageState, table: &'j UpgradeTable) -> Self {
        let catalogs = &view.session.catalogs;
        let refused = catalogs.safety().map(|safety| RefusedSteps::find_in_table(safety, table));
        Self {
            stuck: catalogs.stuck_of(package_state).map(StuckReport::version_states),
            refused: refused.unwrap_or_default(),
        }
    }

    /// Returns the state of a row, followed by remarks.
    pub(super) fn state_pieces(
        &self,
        package: &Package,
        table: &UpgradeTable,
        row: &UpgradeRow,
    ) -> Vec<Piece> {
        let mut pieces = self.stuck_pieces(package, row);
        let remarks = self.remark_pieces(package, table, row);
        if !pieces.is_empty() && !remarks.is_empty() {
            pieces.push(piece("; ", Ink::Dim));
        }
        pieces.extend(remarks);
        pieces
    }

    /// Returns the state of a row. `None` if it is not known, or the package does not have the bundle.
    fn state_of(&self, package: &Package, row: &UpgradeRow) -> Option<VersionState<'j>> {
        let name = &row.installed.name;
        package.bundle(name.as_str())?;
        Some(self.stuck.as_ref()?.get(name))
    }

    /// Returns in which OLM the version is stuck, or that it needs a channel change. Empty if neither.
    fn stuck_pieces(&self, package: &Package, row: &UpgradeRow) -> Vec<Piece> {
        let Some(state) = self.state_of(package, row) else { return Vec::new() };
        let words = state.describe_state(package, &row.installed.name);
        let mut pieces: Vec<Piece> = words.map(|words| piece(words, Ink::Warning)).into_iter().collect();
        if state.needs_channel_change {
            pieces.push(piece("Classic: channel change", Ink::Note));
        }
        pieces
    }

    /// Returns remarks that the state of the row does not already make. "ok" if there is neither.
    pub(super) fn remark_pieces(
        &self,
        package: &Package,
        table: &UpgradeTable,
        row: &UpgradeRow,
    ) -> Vec<Piece> {
        let refused = self.refused.describe_refusal(package, &row.installed.name);
        let Some(state) = self.state_of(package, row) else {
            let remarks = note_pieces(package, table, row, |_| false);
            return add_refusal(remarks, refused);
        };
        let has_state = state.is_stuck() || state.needs_channel_change;
        // It is neither stuck nor needs a channel change.
        let is_outside =
            table.row_notes(package, row).iter().map(|note| note.kind).eq([RowNoteKind::Outside]);
        if is_outside && !has_state && refused.is_none() {
            return vec![piece("ok in another channel", Ink::Dim)];
        }
        // The state already says that the version is stuck, and applies to all channels.
        let remarks = note_pieces(package, table, row, |kind| match kind {
            RowNoteKind::DeadEnd => state.classic.is_some(),
            RowNoteKind::Outside => has_state,
            _ => false,
        });
        let remarks = add_refusal(remarks, refused);
        if remarks.is_empty() && !has_state { vec![piece("ok", Ink::Dim)] } else { remarks }
    }
}

/// Adds the refused step to the remarks about a row.
fn add_refusal(mut remarks: Vec<Piece>, refused: Option<String>) -> Vec<Piece> {
    let Some(words) = refused else { return remarks };
    if !remarks.is_empty() {
        remarks.push(piece("; ", Ink::Dim));
    }
    remarks.push(piece(words, Ink::Error));
    remarks
}

/// Returns remarks about a row.
///
/// * `is_said` - returns true for remarks that the state already makes.
fn note_pieces(
    package: &Package,
    table: &UpgradeTable,
    row: &UpgradeRow,
    is_said: impl Fn(RowNoteKind) -> bool,
) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for remark in table.row_notes(package, row).into_iter().filter(|remark| !is_said(remark.kind)) {
        if !pieces.is_empty() {
            pieces.push(piece("; ", Ink::Dim));
        }
        let ink = match remark.kind {
            RowNoteKind::Error | RowNoteKind::DeadEnd => Ink::Error,
            RowNoteKind::Refused | RowNoteKind::LeavesChannel | RowNoteKind::Circle => Ink::Warning,
            RowNoteKind::Differs => Ink::Note,
            RowNoteKind::ToDeprecated | RowNoteKind::Deprecated => Ink::Deprecated,
            RowNoteKind::Skipped => Ink::Skipped,
            RowNoteKind::Outside => Ink::Dim,
        };
        pieces.push(piece(remark.text, ink));
    }
    pieces
}
